"""Vectors come behind the reply, once for each text, outlive a restart, and go with what they were made of."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import semurg
from semurg.embedded import Memory
from semurg.meaning.store import FILE
from tests.meaning.conftest import Opened, settled, until
from tests.meaning.fake_model import FakeEmbedder

TEXT = "The automobile stands in the yard behind the mill."


def stored(folder: Path) -> int:
    connection = sqlite3.connect(folder / "data" / FILE)
    try:
        return int(connection.execute("select count(*) from vector").fetchone()[0])
    finally:
        connection.close()


def test_a_text_is_queued_embedded_and_found_by_its_meaning(opened: Opened) -> None:
    memory = opened()
    assert memory.remember(scope="s", content=TEXT)["meaning"] == "queued"
    settled(memory)
    reply = memory.context(scope="s", query="vehicle in the yard behind the mill")
    assert reply["meaning"] == "armed"
    assert reply["seeding"]["meaning"]["state"] == "ran"
    assert reply["seeding"]["meaning"]["coverage"] == "complete"
    assert [item["text"] for item in reply["items"]] == [TEXT]


def test_a_question_may_come_before_the_first_vector_of_its_scope(opened: Opened) -> None:
    memory = opened()
    memory.remember(scope="s", content=TEXT)
    settled(memory)
    scope = memory.node._projector.scope("", "s")
    assert scope is not None
    # as it is until the first text of a new scope has its vector
    scope.parts.vectors.begin(0)
    reply = memory.context(scope="s", query="What stands behind the mill?")
    assert [item["text"] for item in reply["items"]] == [TEXT]
    assert reply["seeding"]["meaning"]["coverage"] == "incomplete"


def test_a_reworded_question_without_a_shared_word_is_grounded_by_meaning(opened: Opened) -> None:
    memory = opened()
    memory.remember(scope="s", content="purchase automobile")
    settled(memory)
    reply = memory.context(scope="s", query="buy car")
    assert [item["citation"]["found_by"]["stage"] for item in reply["items"]] == ["meaning"]
    assert reply["grounding"]["verdict"] == "grounded_by_meaning"
    assert reply["grounding"]["uncovered"] == ["buy", "car"]


def test_what_is_near_nothing_answers_nothing_stored(opened: Opened) -> None:
    memory = opened()
    memory.remember(scope="s", content="purchase automobile")
    settled(memory)
    reply = memory.context(scope="s", query="jquxz wvfgh")
    assert reply["state"] == "nothing_stored" and reply["items"] == []


def test_no_text_is_embedded_twice_over_restarts(opened: Opened, model: FakeEmbedder) -> None:
    memory = opened()
    memory.remember(scope="s", content=TEXT)
    memory.relate(scope="s", frm="Dana", type="WORKS_AT", to="Acme")
    settled(memory)
    memory.close()
    assert sorted(model.embedded) == sorted([TEXT, "Dana", "Acme", "Dana works at Acme"])
    again = settled(opened())
    assert len(model.embedded) == 4
    assert again.context(scope="s", query="vehicle in the yard")["seeding"]["meaning"]["coverage"] == "complete"


def test_another_model_embeds_everything_anew_and_keeps_nothing_of_the_old_one(
    opened: Opened, model: FakeEmbedder, tmp_path: Path
) -> None:
    memory = opened()
    memory.remember(scope="s", content=TEXT)
    settled(memory).close()
    model.digest = "fake-2"
    settled(opened())
    assert model.embedded == [TEXT, TEXT]
    assert stored(tmp_path) == 1


@pytest.mark.parametrize(
    "forget",
    [
        lambda memory, doc: memory.forget(scope="s", passage=doc),
        lambda memory, doc: memory.forget(scope="s", all=True),
        lambda memory, doc: memory.forget(scope="s", source="notes"),
        lambda memory, doc: memory.forget(scope="s", subject="mill"),
    ],
    ids=["passage", "all", "source", "subject"],
)
def test_a_vector_goes_with_its_text_before_the_forget_answers(forget: object, opened: Opened, tmp_path: Path) -> None:
    memory = opened()
    memory.remember(scope="other", content="Nothing of this goes.")
    reply = memory.remember(scope="s", content=TEXT, source="notes", facts={"entities": [{"name": "mill"}]})
    settled(memory)
    # the text and the name; the other scope's text
    assert stored(tmp_path) == 3
    assert callable(forget)
    forget(memory, reply["doc_id"])
    left = {"passage": 2, "source": 2}
    assert stored(tmp_path) in (1, *left.values())
    found = memory.context(scope="s", query="vehicle in the yard behind the mill")
    assert all("automobile" not in item["text"] for item in found["items"])
    scope = memory.node._projector.scope("", "s")
    if scope is not None:
        assert not scope.parts.vectors.has(0, 0)  # type: ignore[arg-type]


def test_deleting_a_user_takes_the_vectors_along(opened: Opened, tmp_path: Path) -> None:
    memory = opened()
    memory.remember(scope="s", user_id="ann", content=TEXT)
    until(lambda: memory.memory_status(user_id="ann")["meaning"]["waiting"] == 0)
    assert stored(tmp_path) == 1
    memory.delete_user("ann")
    assert stored(tmp_path) == 0


def test_a_broken_model_leaves_out_its_stage_alone_and_what_waits_is_embedded_later(
    opened: Opened, model: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semurg.embedding, "RETRY_S", 0.01)
    memory = opened()
    model.broken = True
    memory.remember(scope="s", content=TEXT)
    reply = memory.context(scope="s", query="Where is the yard?")
    assert reply["state"] == "answered"
    assert reply["seeding"]["meaning"]["state"] == "could_not_judge"
    assert "broken" in reply["seeding"]["meaning"]["detail"]
    nothing = memory.context(scope="s", query="jquxz")
    assert nothing["state"] == "could_not_judge" and nothing["grounding"]["verdict"] == "could_not_judge"
    until(lambda: memory.memory_status()["meaning"].get("reason") is not None)
    model.broken = False
    settled(memory)
    assert memory.context(scope="s", query="vehicle in the yard")["meaning"] == "armed"


def test_the_speaker_and_the_name_of_the_one_asked_about_are_not_embedded(opened: Opened, model: FakeEmbedder) -> None:
    memory = opened()
    memory.remember(scope="s", passages=[{"text": "Dana: I bought a kayak.", "mentions": ["Dana"]}])
    settled(memory)
    assert "I bought a kayak." in model.embedded
    memory.context(scope="s", query="What did Dana's sister buy?")
    assert model.asked == ["What did sister buy?"]


def test_without_a_model_everything_but_meaning_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEMURG_MEANING", "off")
    with semurg.open(tmp_path / "data") as memory:
        assert memory.remember(scope="s", content=TEXT)["meaning"] == "not_armed"
        meaning = memory.memory_status()["meaning"]
        assert meaning["state"] == "not_armed" and "off" in meaning["reason"]
        reply = memory.context(scope="s", query="mill")
        assert reply["meaning"] == "not_armed" and len(reply["items"]) == 1


def test_a_wish_for_no_model_there_is_says_so_and_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMURG_MEANING", "dir:/nowhere/at/all")
    with semurg.open(tmp_path / "data") as memory:
        until(lambda: "/nowhere" in (memory.memory_status()["meaning"].get("reason") or ""))
        assert memory.memory_status()["meaning"]["state"] == "not_armed"
        memory.remember(scope="s", content=TEXT)
        assert len(memory.context(scope="s", query="mill")["items"]) == 1


def test_the_floor_is_measured_on_what_is_stored_and_kept(opened: Opened, model: FakeEmbedder) -> None:
    memory = opened()
    memory.remember(scope="s", content=TEXT)
    settled(memory)
    measured = memory.administer("model_calibrate")
    assert 0 < measured["floor"] < 1 and measured["scopes"] == 1
    memory.close()
    assert floor_of(opened()) == measured["floor"]


def floor_of(memory: Memory) -> float:
    models = memory.node.identity()["models"]
    return float(models[0]["floor"])
