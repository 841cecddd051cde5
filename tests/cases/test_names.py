"""Faults that users of other memories reported with names, made right here (B05 to B27)."""

from __future__ import annotations

import unicodedata

import pytest

from semurg.domain.errors import Refusal
from tests.cases.conftest import Scope


def entity(name: str) -> dict[str, list[dict[str, str]]]:
    return {"entities": [{"name": name, "type": "person"}]}


@pytest.mark.parametrize(
    "name", ["Zo\u00eb Cr\u00e8me", "Ng\u00f4 \u0110\u1ee9c", "\uac00\ub098\ub2e4", "\u30ac\u30e9\u30b9"]
)
def test_composed_and_decomposed_spellings_meet(scope: Scope, name: str) -> None:
    apart = unicodedata.normalize("NFD", name)
    scope.remember(facts=entity(name))
    assert scope.recall(apart)["seeds"][0]["name"] == name
    assert scope.remember(facts=entity(apart))["already"] is True
    assert scope.status()["entities"] == 1
    scope.remember(content=f"Yesterday {apart} came.")
    assert [item["kind"] for item in scope.recall(name)["items"]] == ["entity", "passage"]
    assert scope.forget(subject=apart)["already_forgotten"] is False
    assert scope.recall(name)["state"] == "nothing_stored"


def test_joined_emoji_are_whole_and_offsets_count_code_points(scope: Scope) -> None:
    names = ["Team \U0001f469\U0001f3fd\u200d\U0001f680", "Team \U0001f469\U0001f3fd", "Flag \U0001f1f3\U0001f1f1"]
    text = f"The {names[0]} beat the {names[1]} under the {names[2]}. It rained."
    scope.remember(content=text, facts={"entities": [{"name": name} for name in names]})
    assert scope.status()["entities"] == 3
    for name in names:
        reply = scope.recall(name)
        assert [seed["name"] for seed in reply["seeds"]] == [name]
        (passage,) = [item for item in reply["items"] if item["kind"] == "passage"]
        span = passage["citation"]["span"]
        assert text[span["start"] : span["end"]] == span["text"] and name in span["text"]


def test_a_short_name_is_not_swallowed_by_longer_ones(scope: Scope) -> None:
    for name in ("Ann", "Annika Vale", "Annapolis"):
        scope.relate(name, "LIKES", f"thing of {name}")
    assert scope.facts("Ann") == ["Ann LIKES thing of Ann"]


def test_one_name_over_many_days_is_one_entity(scope: Scope) -> None:
    for day in range(1, 5):
        scope.relate("QRTX", f"REL_{day}", "Target", date=f"2026-03-0{day}")
    assert len(scope.facts("QRTX")) == 4 and scope.status()["entities"] == 2


PUNCTUATED = [
    "C:\\tools\\run.py", "a/b | c", 'O\'Rook "Q" & Sons', "50% *off* (x)", "k:v; -- note", "NEAR OR NOT",
    "'); DROP TABLE event;--", "{\"$ne\": null}", "../../etc/passwd", "%00", "שלום world", "مرحبا", "霧島ダム", "😀",
]  # fmt: skip


def test_punctuation_in_names_finds_and_forgets_exactly_that(scope: Scope) -> None:
    for name in PUNCTUATED:
        scope.relate(name, "IS", "Thing")
    for name in PUNCTUATED:
        assert scope.facts(name) == [f"{name} IS Thing"]
    for gone, name in enumerate(PUNCTUATED, start=1):
        assert scope.forget(subject=name)["facts"] == 1
        assert scope.status()["facts"] == len(PUNCTUATED) - gone
        assert name not in [seed["name"] for seed in scope.recall(name)["seeds"]]


def test_query_language_in_types_and_keys_is_plain_text(scope: Scope) -> None:
    scope.relate("Dana", "OWNS`]-(z) REMOVE z.name //", "Boat")
    scope.remember(facts={"entities": [{"name": "Dana", "type": "'); DROP TABLE events;--"}]})
    assert scope.facts("Dana") == ["Dana OWNS`]-(z) REMOVE z.name // Boat"]
    found = scope.recall(attribute={"key": "lvl') OR 1=1 --", "value": "x"})
    assert found["state"] == "nothing_stored" and found["items"] == []


def test_a_relation_to_itself_comes_once_and_its_entity_outlives_it(scope: Scope) -> None:
    scope.relate("Rules Board", "REPORTS_TO", "Rules Board")
    (fact,) = [item for item in scope.recall("Rules Board")["items"] if item["kind"] == "fact"]
    assert fact["direction"] == "outbound"
    scope.forget(fact={"from": "Rules Board", "to": "Rules Board", "type": "REPORTS_TO"})
    assert scope.facts("Rules Board") == [] and scope.status()["entities"] == 1


def test_direction_is_the_same_from_either_end(scope: Scope) -> None:
    scope.relate("Mira Kessel", "MENTORS", "Paul Adeyemi")
    (fact,) = [item for item in scope.recall("Paul Adeyemi")["items"] if item["kind"] == "fact"]
    assert (fact["subject"], fact["object"], fact["direction"]) == ("Mira Kessel", "Paul Adeyemi", "inbound")


def test_a_second_relation_does_not_overwrite_the_first(scope: Scope) -> None:
    for target in ("Ben", "Cas"):
        scope.relate("Ola", "KNOWS", target, attributes={"since": "May"})
    assert sorted(scope.facts("Ola")) == ["Ola KNOWS Ben", "Ola KNOWS Cas"]


def test_keys_differing_in_case_or_underscore_are_different_keys(scope: Scope) -> None:
    attributes = {"userId": "a", "user_id": "b", "URL": "c", "url": "d"}
    scope.remember(facts={"entities": [{"name": "Dana", "attributes": attributes}]})
    shown = scope.recall("Dana", compact=True)["items"][0]["attributes"]
    assert shown == attributes


@pytest.mark.parametrize("name", ["", " \n ", "\u200b", "...", "a\0b", "a\x07b", "x" * 1025, "é" * 513, "a\u202eb"])
def test_names_that_cannot_be_are_refused_and_nothing_is_stored(scope: Scope, name: str) -> None:
    with pytest.raises(Refusal):
        scope.relate("Dana", "KNOWS", name)
    assert scope.status() == {}


@pytest.mark.parametrize("name", ["x" * 1024, "é" * 512, "𝕯𝖆𝖓𝖆", "ＤＡＮＡ", "+", "C++"])
def test_names_at_the_edge_are_taken(scope: Scope, name: str) -> None:
    scope.relate(name, "KNOWS", "Eli")
    assert scope.facts(name) == [f"{name} KNOWS Eli"]
