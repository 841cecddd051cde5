"""The numbers that a forget answers with are those that status then counts, and only what it names leaves the disk."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import semurg
from semurg.domain.errors import Refusal
from semurg.embedded import Memory

from .erased_bytes import everything_on_disk, still_there
from .forgetting_model import KEYS, LABELS, NAMES, TEXTS, TYPES, Model

SCOPE = "t"
names, texts, labels = st.sampled_from(NAMES), st.sampled_from(sorted(TEXTS)), st.sampled_from(LABELS)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), texts, labels, st.sets(names, max_size=2)),
        st.tuples(st.just("relate"), names, st.sampled_from(TYPES), names),
        st.tuples(st.just("set"), names, st.sampled_from(KEYS)),
        st.tuples(st.just("subject"), names),
        st.tuples(st.just("fact"), names, st.sampled_from(TYPES), names),
        st.tuples(st.just("source"), labels),
        st.tuples(st.just("passage"), st.integers(0, 20)),
        st.tuples(st.just("attribute"), names, st.sampled_from(KEYS)),
        st.tuples(st.just("all")),
        st.tuples(st.just("delete_user")),
    ),
    min_size=4,
    max_size=16,
)


class Told:
    """A memory and the model of it, told the same things."""

    def __init__(self, memory: Memory, directory: Path, user: str) -> None:
        self.memory = memory
        self.directory = directory
        self.place = {"scope": SCOPE, "user_id": user}
        self.user = user
        self.model = Model()

    def counted(self) -> dict[str, int]:
        scopes = self.memory.memory_status(user_id=self.user)["scopes"]
        named = ("entities", "facts", "documents", "passages")
        return {name: sum(scope[name] for scope in scopes) for name in named}

    def step(self, kind: str, *given: Any) -> None:
        tell = {"remember": self._remember, "relate": self._relate, "set": self._set}.get(kind)
        if tell is not None:
            tell(*given)
        else:
            self._forget(kind, *given)
        assert self.counted() == self.model.counts(), (kind, given)

    def _remember(self, text: str, label: str, entities: set[str]) -> None:
        facts = {"entities": [{"name": name} for name in sorted(entities)]} if entities else None
        reply = self.memory.remember(**self.place, **TEXTS[text].call(), source=label, facts=facts)
        self.model.remember(text, label, entities, reply["doc_id"])

    def _relate(self, source: str, type_name: str, target: str) -> None:
        self.memory.relate(**self.place, frm=source, to=target, type=type_name)
        self.model.relate(source, type_name, target)

    def _set(self, name: str, key: str) -> None:
        value = self.model.set(name, key)
        self.memory.remember(**self.place, facts={"entities": [{"name": name, "attributes": {key: value}}]})

    def _forget(self, kind: str, *given: Any) -> None:
        before, marks = self.counted(), self.model.marks()
        expected = getattr(self.model, f"forget_{kind}")(*given)
        try:
            reply = self._call(kind, *given)
        except Refusal as refusal:
            assert refusal.code == "not_found" and expected is None, (kind, given)
            return
        if expected is None:
            assert reply.get("already_forgotten") is True or reply.get("state") == "already_deleted", (kind, given)
        else:
            assert {name: reply[name] for name in expected} == expected, (kind, given)
            assert reply["erased"] is True
            self._compare(kind, reply, before)
        self._search(marks)

    def _call(self, kind: str, *given: Any) -> dict[str, Any]:
        forget = self.memory.forget
        match kind:
            case "delete_user":
                return self.memory.delete_user(self.user)
            case "all":
                return forget(**self.place, all=True)
            case "fact":
                return forget(**self.place, fact={"from": given[0], "type": given[1], "to": given[2]})
            case "attribute":
                return forget(**self.place, attribute={"subject": given[0], "key": given[1]})
            case "passage":
                return forget(**self.place, passage=self.model.doc_id(given[0]))
            case _:
                return forget(**self.place, **{kind: given[0]})

    def _compare(self, kind: str, reply: dict[str, Any], before: dict[str, int]) -> None:
        """What went according to the reply is the difference between what status counted before and counts after."""
        went = {name: before[name] - count for name, count in self.counted().items()}
        said = {
            "entities": 1 if kind == "subject" else reply.get("entities", 0),
            "facts": reply.get("facts", 0),
            "documents": reply.get("documents", 0),
            "passages": reply.get("passages_hidden", reply.get("passages", 0)),
        }
        assert went == said, kind

    def _search(self, marks_before: set[str]) -> None:
        staying = self.model.marks()
        assert still_there(self.directory, sorted(marks_before - staying)) == []
        held = everything_on_disk(self.directory)
        assert [mark for mark in sorted(staying) if mark.encode() not in held] == []


@given(steps=STEPS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_remembered_and_forgotten_replies_status_and_the_disk_agree(steps: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory() as path:
        directory = Path(path) / "memory"
        with semurg.open(directory) as memory:
            told = Told(memory, directory, "ann-quillington-smythe")
            memory.relate(scope=SCOPE, frm="Bystander Wolverhampton", to="Elsewhere", type="NEAR")
            for step in steps:
                told.step(*step)
            left = told.counted()
        with semurg.open(directory) as memory:
            told.memory = memory
            assert told.counted() == left, "a restart changes nothing"
            told._search(told.model.everything())
            assert memory.recall(scope=SCOPE, subject="Bystander Wolverhampton")["state"] == "answered"


def fact(memory: Memory, subject: str, **fields: Any) -> dict[str, Any]:
    return next(
        item for item in memory.recall(scope=SCOPE, subject=subject, **fields)["items"] if item["kind"] == "fact"
    )


def met(target: str) -> dict[str, Any]:
    return {"relations": [{"source": "Zora", "target": target, "type": "MET"}]}


@pytest.mark.parametrize("form", ["passage", "source"])
def test_a_fact_whose_only_source_went_stays_and_says_so(tmp_path: Path, form: str) -> None:
    with semurg.open(tmp_path / "memory") as memory:
        told = memory.remember(scope=SCOPE, content="Zora met Yannick.", source="diary", facts=met("Yannick"))
        assert fact(memory, "Zora")["citation"]["span"]["text"] == "Zora met Yannick."
        reply = memory.forget(scope=SCOPE, **{form: told["doc_id"] if form == "passage" else "diary"})
        assert (reply["documents"], reply["passages"], reply["facts_kept"]) == (1, 1, True)
        left = fact(memory, "Zora")
        assert left["text"] == "Zora MET Yannick"
        assert left["citation"]["span"] is None and left["citation"]["span_state"] == "source_forgotten"
        assert "diary" not in json.dumps(left)


def test_a_fact_with_another_source_left_cites_that_one(tmp_path: Path) -> None:
    with semurg.open(tmp_path / "memory") as memory:
        memory.remember(scope=SCOPE, content="Zora met Yannick.", source="diary", facts=met("Yannick"))
        memory.remember(scope=SCOPE, content="In May Zora met Yannick.", source="letters", facts=met("Yannick"))
        memory.forget(scope=SCOPE, source="letters")
        citation = fact(memory, "Zora")["citation"]
        assert (citation["source"]["name"], citation["span"]["text"]) == ("diary", "Zora met Yannick.")


def test_a_text_under_two_labels_lives_on_under_the_other_and_its_spans_too(tmp_path: Path) -> None:
    directory = tmp_path / "memory"
    with semurg.open(directory) as memory:
        first = memory.remember(
            scope=SCOPE, content="Zora met Yannick.", source="label Lostwithiel", facts=met("Yannick")
        )
        memory.remember(scope=SCOPE, content="Zora met Yannick.", source="label Polperro-bay")
        reply = memory.forget(scope=SCOPE, source="label Lostwithiel")
        assert (reply["documents"], reply["documents_kept"]) == (0, [first["doc_id"]])
        assert still_there(directory, ["label Lostwithiel"]) == []
        citation = fact(memory, "Zora")["citation"]
        assert (citation["source"]["name"], citation["span"]["text"]) == ("label Polperro-bay", "Zora met Yannick.")
        assert memory.forget(scope=SCOPE, source="label Lostwithiel")["already_forgotten"] is True


def test_a_retained_document_is_read_as_before_but_for_what_went(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Zora came."}, {"role": "user", "content": "Yannick left."}]
    with semurg.open(tmp_path / "memory") as memory:
        told = memory.remember(scope=SCOPE, messages=turns, facts={"entities": [{"name": "Zora"}, {"name": "Yannick"}]})
        reply = memory.forget(scope=SCOPE, subject="Zora")
        assert (reply["passages_hidden"], reply["documents"]) == (1, 0)
        assert reply["documents_retained"] == [told["doc_id"]]
        items = memory.recall(scope=SCOPE, subject="Yannick")["items"]
        assert [item["text"] for item in items if item["kind"] == "passage"] == ["user: Yannick left."]
        status = memory.memory_status(scope=SCOPE)["scopes"][0]
        assert (status["documents"], status["passages"]) == (1, 1)
