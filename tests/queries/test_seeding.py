"""Which entity a recall finds, by which stage, and what it says when there is none."""

from __future__ import annotations

import pytest

from semurg.domain.errors import Refusal
from semurg.queries.recall import RecallRequest, recall

from .scopes import Scope, name, texts


def found(reply: dict, stage: str) -> list[str]:
    assert {seed["seed"] for seed in reply["seeds"]} <= {stage}
    return [seed["name"] for seed in reply["seeds"]]


def test_the_exact_name_wins_over_longer_names_that_contain_it() -> None:
    scope = Scope()
    scope.fact("Ann", "LIKES", "Tea")
    scope.fact("Annika Vale", "LIKES", "Coffee")
    scope.fact("Annapolis", "LIKES", "Water")
    reply = scope.recall("ann")
    assert found(reply, "exact") == ["Ann"]
    assert texts(reply, "fact") == ["Ann LIKES Tea"]
    assert reply["seeding"]["exact"] == {"state": "ran", "matched": 1}
    assert reply["seeding"]["spelling"] == reply["seeding"]["word"] == {"state": "not_needed"}


@pytest.mark.parametrize("asked", ["Dan", "Dnaa", "Dena", "Dána", "Danas"])
def test_a_close_spelling_finds_the_name_when_the_exact_one_is_not_there(asked: str) -> None:
    scope = Scope()
    scope.entity("Dana")
    reply = scope.recall(asked)
    assert found(reply, "spelling") == ["Dana"]
    assert reply["seeding"]["exact"] == {"state": "ran", "matched": 0}
    assert reply["seeding"]["spelling"] == {"state": "ran", "matched": 1}
    assert reply["items"][0]["score"] == 0.8


def test_several_equally_close_names_are_all_seeds_and_every_item_says_which() -> None:
    scope = Scope()
    scope.fact("Dana", "LIKES", "Tea")
    scope.fact("Dane", "LIKES", "Coffee")
    reply = scope.recall("Danu")
    assert sorted(found(reply, "spelling")) == ["Dana", "Dane"]
    ids = {seed["name"]: seed["id"] for seed in reply["seeds"]}
    by_text = {item["text"]: item["seed_id"] for item in reply["items"]}
    assert by_text["Dana LIKES Tea"] == ids["Dana"]
    assert by_text["Dane LIKES Coffee"] == ids["Dane"]


def test_one_whole_word_finds_a_longer_name() -> None:
    scope = Scope()
    scope.entity("Priya Raman")
    scope.entity("Priyanka Roy")
    reply = scope.recall("priya")
    assert found(reply, "word") == ["Priya Raman"]
    assert reply["items"][0]["score"] == 0.6


def test_a_stop_word_finds_no_name_that_contains_it() -> None:
    scope = Scope()
    scope.entity("The Harbour Office")
    assert scope.recall("the")["state"] == "nothing_stored"


def test_names_of_one_or_two_characters_are_not_corrected() -> None:
    scope = Scope()
    scope.entity("Bo")
    assert scope.recall("Bi")["state"] == "nothing_stored"


def test_nothing_near_is_an_explicit_empty_answer() -> None:
    scope = Scope()
    scope.entity("Dana")
    reply = scope.recall("Quarterly Zebra Report")
    assert reply["state"] == "nothing_stored"
    assert reply["items"] == [] and reply["left_out"] == 0 and reply["next"] is None
    assert reply["did_you_mean"] == []
    assert reply["position"] == str(scope.position)


def test_what_is_near_but_no_match_is_suggested_and_not_answered() -> None:
    scope = Scope()
    scope.entity("Katherine Johnson")
    reply = scope.recall("Katherine Jameson")
    assert reply["state"] == "nothing_stored"
    assert reply["did_you_mean"] == ["Katherine Johnson"]


def test_a_scope_that_does_not_exist_answers_nothing_stored_at_position_zero() -> None:
    scope = Scope()
    request = RecallRequest(subject=name("Dana"))
    reply = recall(None, request, scope.instants(request.instants), scope.context)
    assert (reply["state"], reply["position"], reply["did_you_mean"]) == ("nothing_stored", "0", [])


def test_an_entity_with_nothing_to_it_is_still_an_answer() -> None:
    scope = Scope()
    scope.entity("Dana")
    reply = scope.recall("Dana")
    assert reply["state"] == "answered"
    assert texts(reply) == ["Dana"]
    assert reply["traversal"] == {"hops": 1, "visited": 1, "facts": 0}


def test_an_attribute_finds_every_entity_that_has_the_value_now() -> None:
    scope = Scope()
    scope.entity("Dana", role="engineer")
    scope.entity("Ola", role="engineer")
    scope.entity("Ben", role="pilot")
    reply = scope.recall(attribute=("role", "engineer"))
    assert found(reply, "attribute") == ["Dana", "Ola"]
    assert reply["seeding"]["attribute"] == {"state": "ran", "matched": 2}
    assert reply["items"][0]["score"] == 1.0


def test_an_attribute_value_is_compared_with_its_type_when_the_request_names_one() -> None:
    scope = Scope()
    scope.entity("Dana", badge=7)
    scope.entity("Ola", badge={"value": "7", "type": "string"})
    assert found(scope.recall(attribute=("badge", "7", "integer")), "attribute") == ["Dana"]
    assert found(scope.recall(attribute=("badge", "7")), "attribute") == ["Dana", "Ola"]


def test_query_language_in_an_attribute_key_finds_nothing_and_harms_nothing() -> None:
    scope = Scope()
    scope.entity("Dana", lvl="x")
    reply = scope.recall(attribute=("lvl') OR 1=1 --", "x"))
    assert reply["state"] == "nothing_stored" and reply["did_you_mean"] == []


def test_seeds_and_suggestions_are_of_the_instant_asked() -> None:
    scope = Scope()
    scope.entity("Ola")
    before = scope.recorded_at
    scope.entity("Dana")
    reply = scope.recall("Dana", instants=scope.at(as_of=before))
    assert reply["state"] == "nothing_stored"
    assert "Dana" not in reply["did_you_mean"]


@pytest.mark.parametrize("fields", [{}, {"subject": "Dana", "attribute": ("role", "engineer")}])
def test_a_recall_of_nothing_or_of_both_is_refused_by_name(fields: dict) -> None:
    with pytest.raises(Refusal) as refused:
        Scope().recall(**fields)
    assert refused.value.code == "subject_or_attribute"


def test_more_seeds_than_the_limit_are_counted_and_the_limit_is_told() -> None:
    scope = Scope()
    for number in range(300):
        scope.entity(f"Crate {number}", state="open")
    reply = scope.recall(attribute=("state", "open"), max_tokens=1_000_000)
    assert reply["seeding"]["attribute"] == {"state": "ran", "matched": 300, "used": 256}
    assert len(reply["seeds"]) == len(texts(reply, "entity")) == 256
