"""Which events delete an end user, and what the reply counts, decided from given scopes without a node."""

from __future__ import annotations

import pytest

from semurg.domain.decide_delete_user import Partition, decide_delete_user
from semurg.domain.errors import Refusal
from semurg.domain.events import ScopeForgotten, UserDeleted
from tests.unit.story import Story

NOTHING = dict.fromkeys(("scopes", "entities", "facts", "documents", "passages", "written_during_delete"), 0)


def told(*texts: str) -> Story:
    story = Story()
    for text in texts:
        story.remember(content=text, facts={"relations": [{"source": text, "target": "Velden", "type": "IN"}]})
    return story


def test_every_scope_is_forgotten_and_counted_and_one_event_more_ends_the_user() -> None:
    first, second = told("Zora"), told("Xenia", "Yannick")
    partition = Partition({"s1": first.scope.view, "s2": second.scope.view}, ["d1"], deleted_before=False)
    decision = decide_delete_user(partition, "ann", "hash of ann")
    assert list(decision.forgotten) == ["s1", "s2"]
    # entity, fact, document, passage, assertion, attribute: the texts are the only sources
    assert decision.forgotten["s2"] == ScopeForgotten(1, following=[3, 2, 2, 2, 0, 0])
    assert decision.deleted == UserDeleted("hash of ann", ["d1"])
    counted = {"scopes": 2, "entities": 5, "facts": 3, "documents": 3, "passages": 3}
    assert decision.reply == {"ok": True, "state": "deleted", **NOTHING, **counted}


def test_a_user_who_only_has_a_token_is_deleted_too() -> None:
    decision = decide_delete_user(Partition({}, ["d1"], deleted_before=False), "ann", "hash")
    assert decision.reply["state"] == "deleted" and decision.deleted == UserDeleted("hash", ["d1"])


def test_a_user_of_whom_nothing_is_left_is_already_deleted_and_nothing_is_recorded() -> None:
    decision = decide_delete_user(Partition({}, [], deleted_before=True), "ann", "hash")
    assert (decision.forgotten, decision.deleted) == ({}, None)
    assert decision.reply == {"ok": True, "state": "already_deleted", **NOTHING}


def test_a_user_who_never_was_is_not_found() -> None:
    with pytest.raises(Refusal) as refused:
        decide_delete_user(Partition({}, [], deleted_before=False), "ann", "hash")
    assert refused.value.code == "not_found"
