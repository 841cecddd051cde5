"""memory_remember and memory_relate: from what a caller sends to the events that record it.

Pure: the same view, command and instant decide the same. The view shows the newest state; nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from semurg.domain.commands import Name, Remember
from semurg.domain.draft_attributes import AttributesDraft, changes_current
from semurg.domain.draft_entities import EntitiesDraft
from semurg.domain.draft_facts import Assertion, FactsDraft, resolve_bounds
from semurg.domain.draft_texts import QuotedSentences, Span, TextsDraft, linked_passages
from semurg.domain.errors import Refusal
from semurg.domain.events import AssertionsCited, Event, ScopeOpened
from semurg.domain.ids import Kind, encode_id
from semurg.domain.instants import format_bound, format_instant
from semurg.domain.intervals import holds_at
from semurg.domain.limits import LABEL_DOCUMENTS_MAX
from semurg.domain.view import MemoryView


class Decision(NamedTuple):
    """The events of a command, none when nothing changes, and the reply without scope and position."""

    events: tuple[Event, ...]
    reply: dict[str, Any]


class Sources(NamedTuple):
    """What the facts of a call cite: documents with their sentences, or an assertion without text."""

    documents: list[int]
    quoted: QuotedSentences
    assertion: int
    assertion_is_new: bool
    state: str | None

    @property
    def default(self) -> int:
        """The source reference of what names no sentence."""
        return self.documents[0] if self.documents else -1 - self.assertion

    def of_entity(self, entity: int) -> int:
        """The source reference of a new entity: the first document that names it."""
        document = self.quoted.document_naming(entity)
        return self.default if document is None else document

    def of_fact(self, source: int, target: int) -> tuple[int, Span | None]:
        """(source reference, quoted sentence) of a fact."""
        span = self.quoted.for_fact(source, target)
        return (self.default, None) if span is None else (span.document, span)


class RememberDraft:
    """Everything a remember decides, part by part, in the order in which each part needs the one before."""

    def __init__(self, view: MemoryView, command: Remember, now: int, opening: ScopeOpened) -> None:
        self.view = view
        self.command = command
        self.now = now
        self.number = view.number if view.exists else opening.number
        self._opening = opening
        self.entities = EntitiesDraft(view, _names(command))
        self.entities.give_types(command.entities)
        self.texts = TextsDraft(view, self.entities, command.source)
        self.texts.add_all(command.documents)
        self.sources = self._sources()
        self.facts = FactsDraft(view, now, self._assertions())
        self.attributes = AttributesDraft(view, now)
        self._set_attributes()

    def _sources(self) -> Sources:
        command, view = self.command, self.view
        date = command.date.text if command.date else None
        state = self._label_state()
        if self.texts.documents:
            documents, passages = self.texts.documents, self.texts.passages
        elif state == "attached":
            documents = view.documents_under(command.source or "")
            passages = linked_passages(view, self.entities, documents)
        else:
            documents, passages = [], []
        assertion = view.assertion(command.source, date)
        is_new = assertion < 0
        quoted = QuotedSentences(passages if command.relations or command.entities else ())
        return Sources(documents, quoted, view.next_assertion if is_new else assertion, is_new, state)

    def _label_state(self) -> str | None:
        """How the call stands to what is stored under its source label."""
        command = self.command
        if command.source is None:
            return None
        if command.date is not None:
            return "dated_own_source"
        under = [
            document for document in self.view.documents_under(command.source) if document not in self.texts.documents
        ]
        if not under:
            return "new_source"
        if len(under) > LABEL_DOCUMENTS_MAX:
            return "many_documents_not_attached"
        if self._changes_a_current_value():
            return "value_changed_own_source"
        return "attached"

    def _changes_a_current_value(self) -> bool:
        return any(
            changes_current(self.view, self.now, (False, number), attribute.key, attribute.value)
            for entity in self.command.entities
            if (number := self.entities.number[entity.name.key]) not in self.entities.new
            for attribute in entity.attributes
        )

    def _assertions(self) -> list[Assertion]:
        number, date = self.entities.number, self.command.date
        assertions = []
        for index, relation in enumerate(self.command.relations):
            source, target = number[relation.source.key], number[relation.target.key]
            start, end = resolve_bounds(relation, date.start if date else None, index)
            cited, span = self.sources.of_fact(source, target)
            assertions.append(Assertion(source, relation.type, target, start, end, relation.replaces, cited, span))
        return assertions

    def _set_attributes(self) -> None:
        start = self.command.date.start if self.command.date else None
        for entity in self.command.entities:
            number = self.entities.number[entity.name.key]
            cited = self.sources.of_entity(number)
            for attribute in entity.attributes:
                owner = (False, number)
                self.attributes.set(owner, entity.name.text, attribute.key, attribute.value, start, cited)
        begins = [start if one.valid_from is None else one.valid_from for one in self.command.relations]
        instants = [self.now if one is None else one for one in begins]
        # By the instant they hold from, as relations are: a call says one thing however its list is ordered.
        for place in sorted(range(len(instants)), key=instants.__getitem__):
            relation, owner = self.command.relations[place], (True, self.facts.facts[place])
            if relation.attributes:
                cited, _ = self.sources.of_fact(number_of(self, relation.source), number_of(self, relation.target))
                for attribute in relation.attributes:
                    self.attributes.set(owner, relation.type, attribute.key, attribute.value, begins[place], cited)

    def events(self) -> tuple[Event, ...]:
        """The events, in the order in which they are applied."""
        entities, facts = self.entities.event(self.sources.of_entity), self.facts.event()
        attributes = self.attributes.event()
        cites = any(event is not None for event in (entities, facts, attributes))
        # Entities come before the texts that mention them, texts before the facts that quote them.
        found = [self._assertion() if cites else None, entities, *self.texts.events(), facts, attributes]
        events: list[Event] = [event for event in found if event is not None]
        if events and not self.view.exists:
            events.insert(0, self._opening)
        return tuple(events)

    def _assertion(self) -> AssertionsCited | None:
        """The source without text that the call's facts cite, when it is a new one."""
        if self.sources.documents or not self.sources.assertion_is_new:
            return None
        date = self.command.date.text if self.command.date else None
        return AssertionsCited([self.sources.assertion], [self.command.source], [date])

    def replaces(self) -> dict[str, Any]:
        """The reply's account of what `replaces` ended, restored, or found to be older."""
        reply: dict[str, Any] = {"ended": [], "restored": [], "older_than_stored": [], "unread": []}
        keys = {"ended": "ended_at", "restored": "restored_at", "older_than_stored": "ended_at"}
        names = {number: key for key, number in self.entities.number.items()}
        for outcome, _, target, instant in self.facts.replaced():
            name = self.entities.name(target) if target in names else self.view.entity_name(target)
            reply[outcome].append({"target": name, keys[outcome]: format_instant(instant)})
        return reply


def number_of(draft: RememberDraft, name: Name) -> int:
    """The entity number of a name of the call."""
    return draft.entities.number[name.key]


def decide_remember(view: MemoryView, command: Remember, now: int, opening: ScopeOpened) -> Decision:
    """What a remember changes. `opening` is the scope's first event, used when it does not exist yet."""
    if not (command.documents or command.entities or command.relations):
        raise Refusal(
            "nothing_to_store",
            "The call holds neither text nor facts.",
            "Send content, messages, passages or facts.",
        )
    draft = RememberDraft(view, command, now, opening)
    events = draft.events()
    has_facts = bool(command.entities or command.relations)
    has_text = bool(command.documents)
    ids = [encode_id(draft.number, Kind.DOCUMENT, document) for document in draft.texts.documents]
    one_text = has_text and command.documents[0].kind != "passage"
    new_facts = sum(draft.facts.is_new(fact) for fact in set(draft.facts.facts))
    reply: dict[str, Any] = {
        "ok": True,
        "already": not events,
        "doc_id": ids[0] if one_text else None,
        "passages": len(draft.texts.passages),
        "unlinked_passages": draft.texts.unlinked,
        "mentions": draft.texts.mentions,
        "entities": {"new": len(draft.entities.new), "known": draft.entities.known},
        "relations": {"new": new_facts, "known": len(set(draft.facts.facts)) - new_facts},
        "attributes": {"set": draft.attributes.set_count, "known": draft.attributes.known_count},
        "extraction": "agent_facts" if has_facts else "known_names_only" if has_text else "none",
        "model_extraction": "not_installed" if has_text and not has_facts else "not_needed",
        "meaning": "queued" if command.embeds else "not_armed",
        "source_label_state": draft.sources.state,
    }
    if has_text and not one_text:
        reply["doc_ids"] = ids
    if any(relation.replaces for relation in command.relations):
        reply["replaces"] = draft.replaces()
    return Decision(events, reply)


def decide_relate(view: MemoryView, command: Remember, now: int, opening: ScopeOpened) -> Decision:
    """What a relate changes: a remember of one relation, with a reply about that fact."""
    draft = RememberDraft(view, command, now, opening)
    events = draft.events()
    relation, fact = command.relations[0], draft.facts.facts[0]
    start, _ = resolve_bounds(relation, command.date.start if command.date else None, 0)
    instant = now if start is None else start
    episodes = draft.facts.episodes(fact)
    shown = next((one for one in episodes if holds_at(one, instant)), episodes[-1] if episodes else None)
    reply: dict[str, Any] = {
        "ok": True,
        "present": shown is not None,
        "already": not events,
        "fact": {
            "from": draft.entities.name(number_of(draft, relation.source)),
            "to": draft.entities.name(number_of(draft, relation.target)),
            "type": relation.type,
            "valid_from": format_bound(shown.start) if shown else None,
            "valid_to": format_bound(shown.end) if shown else None,
        },
        "source_label_state": draft.sources.state,
    }
    if relation.replaces:
        reply["replaces"] = draft.replaces()
    return Decision(events, reply)


def _names(command: Remember) -> Iterator[Name]:
    """Every name of the call, in the order in which new entities are numbered."""
    for entity in command.entities:
        yield entity.name
    for document in command.documents:
        for passage in document.passages:
            yield from passage.mentions
    for relation in command.relations:
        yield relation.source
        yield relation.target
