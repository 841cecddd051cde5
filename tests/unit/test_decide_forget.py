"""What goes with what is forgotten, what stays, and what is left of the events that recorded it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from semurg.domain.errors import Refusal
from semurg.domain.events import EntityForgotten, Event, ScopeForgotten
from semurg.domain.redact import gone_by, redact
from semurg.eventlog.codec import decode, encode
from semurg.projections.scope import ScopeProjection
from tests.unit.story import Story, keyed


class RecordedStory(Story):
    """A story that remembers its events, as the log would."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[tuple[Event, int]] = []

    def apply(self, event: Event) -> None:
        self.log.append((event, self.now))
        super().apply(event)

    def forget_and_redact(self, label: str | None = None, **fields: Any) -> dict[str, Any]:
        """Forget, then take what is gone out of every earlier event."""
        decision = self.forget(**fields)
        if decision.events:
            gone = gone_by(decision.events[0], label)
            self.log = [(redact(event, gone), at) for event, at in self.log]
        return decision.reply

    def text_of_log(self) -> str:
        return repr([msgspec.to_builtins(event) for event, _ in self.log])

    def replayed(self) -> ScopeProjection:
        scope = ScopeProjection("stream", keyed)
        for position, (event, at) in enumerate(self.log, start=1):
            scope.apply(decode(*encode(event)), position, at)
        return scope


def harbour() -> RecordedStory:
    story = RecordedStory()
    story.remember(
        content="Sable Quince built the zyphrotek. Nobody else was there.",
        facts={
            "entities": [{"name": "Sable Quince", "type": "Person", "attributes": {"badge": "Q-77"}}],
            "relations": [
                {"source": "Sable Quince", "target": "Velden", "type": "LIVES_IN", "attributes": {"since": "May"}},
                {"source": "Velden", "target": "Norland", "type": "LOCATED_IN"},
            ],
        },
        source="notes",
    )
    story.remember(content="Quince jelly is sweet. Velden is old.", source="kitchen")
    story.remember(content="Velden floods in spring.", source="notes")
    return story


def test_forgetting_an_entity_takes_its_facts_and_passages_and_counts_them() -> None:
    story = harbour()
    reply = story.forget_and_redact(subject="sable quince")
    assert reply["facts"] == 1 and reply["passages_hidden"] == 1 and reply["documents"] == 1
    assert reply["passages_retained"] == 1, "the jelly holds a word of the name but was never linked"
    assert reply["passages_retained_why"]
    view = story.scope.view
    assert (view.live_entities, view.live_facts, view.live_documents, view.live_passages) == (2, 1, 2, 2)


def test_a_document_with_other_passages_is_retained() -> None:
    story = RecordedStory()
    turns = [{"role": "user", "content": "Sable Quince came."}, {"role": "user", "content": "It rained in Velden."}]
    told = story.remember(messages=turns, facts={"entities": [{"name": "Sable Quince"}, {"name": "Velden"}]}).reply
    reply = story.forget_and_redact(subject="Sable Quince")
    assert reply["documents_retained"] == [told["doc_id"]] and reply["passages_hidden"] == 1
    assert "Quince" not in story.text_of_log() and "Velden" in story.text_of_log()


FORMS: list[tuple[dict[str, Any], str | None, list[str]]] = [
    ({"subject": "Sable Quince"}, None, ["Sable", "zyphrotek", "Q-77", "LIVES_IN", "May", "Person"]),
    ({"fact": {"from": "Sable Quince", "to": "Velden", "type": "LIVES_IN"}}, None, ["LIVES_IN", "May"]),
    ({"source": "notes"}, "notes", ["zyphrotek", "notes", "floods"]),
    ({"attribute": {"subject": "Sable Quince", "key": "badge"}}, None, ["badge", "Q-77"]),
]


@pytest.mark.parametrize(("fields", "label", "gone"), FORMS, ids=[next(iter(form[0])) for form in FORMS])
def test_nothing_of_it_is_left_in_the_events_and_a_replay_of_them_equals_the_live_state(
    fields: dict[str, Any], label: str | None, gone: list[str]
) -> None:
    story = harbour()
    assert all(text in story.text_of_log() for text in gone), "it was there before"
    story.forget_and_redact(label, **fields)
    assert not [text for text in gone if text in story.text_of_log()]
    live, again = story.scope, story.replayed()
    assert again.parts.live() == live.parts.live()
    numbers = ("next_entity", "next_fact", "next_document", "next_passage", "next_assertion", "next_attribute")
    assert [getattr(again.view, one) for one in numbers] == [getattr(live.view, one) for one in numbers]
    for entity in range(live.view.next_entity):
        assert again.view.facts_touching(entity) == live.view.facts_touching(entity)
        assert again.view.passages_linked_to(entity) == live.view.passages_linked_to(entity)
    at = story.at("2026")
    for entity in live.view.entities_by_key(["velden", "norland"]):
        assert again.reads.fact_rows(entity, at).size == live.reads.fact_rows(entity, at).size
    for document in range(live.view.next_document):
        assert again.view.document_labels(document) == live.view.document_labels(document)


@pytest.mark.parametrize(("fields", "label"), [(form[0], form[1]) for form in FORMS])
def test_forgetting_again_says_so_and_writes_nothing_even_after_a_replay(
    fields: dict[str, Any], label: str | None
) -> None:
    story = harbour()
    story.forget_and_redact(label, **fields)
    assert story.forget(**fields).reply == {"ok": True, "already_forgotten": True}
    story.scope = story.replayed()
    decision = story.forget(**fields)
    assert decision.events == () and decision.reply["already_forgotten"] is True


def test_what_went_with_a_forgotten_entity_is_already_forgotten() -> None:
    story = harbour()
    story.forget_and_redact(subject="Sable Quince")
    for fields in (
        {"fact": {"from": "Sable Quince", "to": "Velden", "type": "LIVES_IN"}},
        {"attribute": {"subject": "Sable Quince", "key": "badge"}},
    ):
        assert story.forget(**fields).reply["already_forgotten"] is True


def test_a_later_remember_brings_back_what_is_said_then_and_nothing_else() -> None:
    story = harbour()
    story.forget_and_redact(subject="Sable Quince")
    story.relate("Sable Quince", "KNOWS", "Velden")
    (entity,) = story.scope.view.entities_by_key(["sable quince"])
    assert len(story.scope.view.facts_touching(entity)) == 1
    assert story.scope.view.passages_linked_to(entity) == []
    assert story.scope.view.attribute(False, entity, "badge") == -1
    assert story.forget(subject="Sable Quince").reply["already_forgotten"] is False


def test_a_document_under_two_labels_stays_under_the_other() -> None:
    story = RecordedStory()
    told = story.remember(content="Velden is old.", source="a").reply
    story.remember(content="Velden is old.", source="b")
    reply = story.forget_and_redact("a", source="a")
    assert reply["documents_kept"] == [told["doc_id"]] and reply["documents"] == 0 and reply["facts_kept"] is True
    assert story.scope.view.document_labels(0) == ["b"]
    assert story.forget_and_redact("b", source="b")["documents"] == 1


def test_a_document_goes_by_its_id_and_its_facts_stay() -> None:
    story = harbour()
    told = story.remember(content="Velden has a tower.", facts={"entities": [{"name": "Tower"}]}).reply
    reply = story.forget(passage=told["doc_id"]).reply
    assert (reply["documents"], reply["passages"]) == (1, 1)
    assert story.forget(passage=told["doc_id"]).reply["already_forgotten"] is True
    assert story.scope.view.entities_by_key(["tower"]) != [-1]


def test_forgetting_the_scope_counts_everything() -> None:
    story = harbour()
    decision = story.forget(all=True)
    (event,) = decision.events
    assert isinstance(event, ScopeForgotten)
    assert {key: decision.reply[key] for key in ("entities", "facts", "documents", "passages")} == {
        "entities": 3,
        "facts": 2,
        "documents": 3,
        "passages": 3,
    }


@pytest.mark.parametrize(
    ("fields", "near"),
    [
        ({"subject": "Sable Quinze"}, ["Sable Quince"]),
        ({"fact": {"from": "Sable Quinze", "to": "Velden", "type": "LIVES_IN"}}, ["Sable Quince"]),
        ({"fact": {"from": "Sable Quince", "to": "Velden", "type": "HATES"}}, []),
        ({"source": "never"}, []),
        ({"attribute": {"subject": "Velden", "key": "badge"}}, []),
        ({"passage": "12345"}, []),
    ],
)
def test_what_never_was_is_not_found_and_a_near_name_is_offered_never_forgotten(
    fields: dict[str, Any], near: list[str]
) -> None:
    story = harbour()
    with pytest.raises(Refusal) as refused:
        story.forget(**fields)
    assert refused.value.code == "not_found" and refused.value.fields["did_you_mean"][: len(near)] == near
    assert story.scope.view.live_entities == 3


@pytest.mark.parametrize("fields", [{}, {"all": False}, {"subject": "a", "source": "b"}])
def test_a_forget_takes_exactly_one_form(fields: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        harbour().forget(**fields)
    assert refused.value.code == "one_form_only"


def test_the_forget_event_holds_no_text() -> None:
    story = harbour()
    (event,) = story.forget(subject="Sable Quince").events
    assert isinstance(event, EntityForgotten) and "uince" not in repr(event)


@pytest.mark.parametrize(
    "fields",
    [
        {"subject": "Sable Quince"},
        {"fact": {"from": "Sable Quince", "to": "Velden", "type": "LIVES_IN"}},
        {"attribute": {"subject": "Velden", "key": "note"}},
    ],
    ids=["subject", "fact", "attribute"],
)
def test_the_label_of_what_was_said_without_text_goes_with_the_last_of_it(fields: dict[str, Any]) -> None:
    story = RecordedStory()
    story.relate("Velden", "LOCATED_IN", "Norland", source="atlas")
    story.relate("Velden", "NEAR", "Bay", source="a letter")
    if "attribute" in fields:
        story.remember(facts={"entities": [{"name": "Velden", "attributes": {"note": "x"}}]}, source="told by Zyphro")
    else:
        story.relate("Sable Quince", "LIVES_IN", "Velden", source="told by Zyphro")
    if "fact" in fields:
        # The entity was first named by the same source, so the label stands while the entity does.
        story.forget_and_redact(**fields)
        assert "Zyphro" in story.text_of_log()
        fields = {"subject": "Sable Quince"}
    assert "Zyphro" in story.text_of_log()
    story.forget_and_redact(**fields)
    assert "Zyphro" not in story.text_of_log() and "atlas" in story.text_of_log()
    again = story.replayed()
    for scope in (story.scope, again):
        assert scope.view.assertions_under("told by Zyphro") == []
        assert scope.view.assertions_under("atlas") != [] and scope.view.assertions_under("a letter") != []


def test_a_label_that_something_else_cites_stays() -> None:
    story = RecordedStory()
    story.relate("Sable Quince", "LIVES_IN", "Velden", source="atlas")
    story.relate("Velden", "LOCATED_IN", "Norland", source="atlas")
    story.forget_and_redact(subject="Sable Quince")
    assert story.scope.view.assertions_under("atlas") != []
