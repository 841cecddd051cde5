"""A scope built by hand for the tests of queries: events applied one commit at a time, no log and no decisions.

Every commit is one second after the one before it, beginning at 2026-01-01T00:00:01Z, and has a position of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semurg.domain import events, values
from semurg.domain.commands import Name
from semurg.domain.instants import NO_END, UNKNOWN_START, parse_date
from semurg.domain.names import clean_name
from semurg.domain.visibility import At
from semurg.projections.scope import ScopeProjection
from semurg.queries.instants import ReadInstants, read_at
from semurg.queries.recall import AttributeWanted, RecallContext, RecallRequest, recall

SECOND = 1_000_000
BEGIN = parse_date("2026-01-01", "test").start
NOW = parse_date("2026-06-01", "test").start
KEY = b"k" * 32


def start_of(date: str | None) -> int:
    """The first instant of a date; unknown without one."""
    return UNKNOWN_START if date is None else parse_date(date, "test").start


def name(text: str) -> Name:
    """A name with its match key."""
    return clean_name(text, "test")


class Scope:
    """A projection and the next numbers of everything in it."""

    def __init__(self, user: str = "", scope: str = "t", number: int = 7) -> None:
        self.user, self.scope = user, scope
        self.projection = ScopeProjection(f"{user}/{scope}", lambda kind, *parts: "|".join((kind, *parts)))
        self.position = 0
        self.recorded_at = BEGIN
        self.entities: dict[str, int] = {}
        self.facts: dict[tuple[str, str, str], int] = {}
        self.next_document = self.next_passage = self.next_assertion = self.next_attribute = 0
        self.assertions: dict[tuple[str | None, str | None], int] = {}
        self.commit(events.ScopeOpened(user=user, scope=scope, number=number))

    def commit(self, *changes: events.Event) -> int:
        """Apply events as one commit; its instant."""
        self.recorded_at += SECOND
        for change in changes:
            self.position += 1
            self.projection.apply(change, self.position, self.recorded_at)
        self.projection.publish()
        return self.recorded_at

    def source(self, label: str | None = None, date: str | None = None) -> tuple[int, list[events.Event]]:
        """The reference of an assertion without text, and the event that introduces it when it is new."""
        known = self.assertions.get((label, date))
        if known is not None:
            return -1 - known, []
        number = self.assertions[label, date] = self.next_assertion
        self.next_assertion += 1
        return -1 - number, [events.AssertionsCited(numbers=[number], labels=[label], dates=[date])]

    def named(self, names: Sequence[str], source: int) -> list[events.Event]:
        """The event that introduces those of the names that are new."""
        new = [text for text in dict.fromkeys(names) if text not in self.entities]
        for text in new:
            self.entities[text] = len(self.entities)
        if not new:
            return []
        numbers = [self.entities[text] for text in new]
        return [events.EntitiesRecorded(numbers=numbers, names=new, sources=[source] * len(new))]

    def entity(self, text: str, *types: str, label: str | None = None, **attributes: Any) -> int:
        """Record an entity with types and attributes; its number."""
        source, changes = self.source(label)
        changes += self.named([text], source)
        number = self.entities[text]
        if types:
            changes.append(events.EntitiesRecorded(typed=[number] * len(types), types=list(types)))
        if attributes:
            changes.append(self.attributes(False, number, source, attributes))
        self.commit(*changes)
        return number

    def attributes(
        self, on_fact: bool, owner: int, source: int, given: dict[str, Any], date: str | None = None
    ) -> events.AttributesRecorded:
        """The event that gives an owner its first values of some keys."""
        histories = []
        for key, raw in given.items():
            stored = values.dump(values.read_value(raw, key))
            episode = events.AttributeEpisode(start_of(date), NO_END, stored, source)
            histories.append(events.AttributeHistory(self.next_attribute, on_fact, owner, key, [episode]))
            self.next_attribute += 1
        return events.AttributesRecorded(histories=histories)

    def fact(
        self,
        source: str,
        type_: str,
        target: str,
        date: str | None = None,
        until: str | None = None,
        *,
        label: str | None = None,
        document: int | None = None,
        span: tuple[int, int, int] | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> int:
        """Record a fact, or another statement of one; its number. `span` is (passage, start, end)."""
        reference, changes = (document, []) if document is not None else self.source(label, date)
        changes += self.named([source, target], reference)
        triple = (source, type_, target)
        new = triple not in self.facts
        number = self.facts.setdefault(triple, len(self.facts))
        start, end = start_of(date), NO_END if until is None else start_of(until)
        passage, span_start, span_end = span or (-1, 0, 0)
        changes.append(
            events.FactsRecorded(
                type_names=[type_] if new else [],
                numbers=[number] if new else [],
                sources=[self.entities[source]] if new else [],
                types=[0] if new else [],
                targets=[self.entities[target]] if new else [],
                stated=[number],
                stated_by=[reference],
                stated_from=[start],
                stated_to=[end],
                span_passage=[passage],
                span_start=[span_start],
                span_end=[span_end],
                changed=[number] if new else [],
                episodes=[1] if new else [],
                episode_from=[start] if new else [],
                episode_to=[end] if new else [],
            )
        )
        if attributes:
            changes.append(self.attributes(True, number, reference, attributes))
        self.commit(*changes)
        return number

    def document(
        self,
        *passages: tuple[str, Sequence[int], dict[str, int]],
        date: str | None = None,
        label: str | None = None,
        between: str = " ",
        **fields: Any,
    ) -> tuple[int, int]:
        """Record a document of passages (text, sentence starts, {name: place of its mention}).

        Answers its number and that of its first passage.
        The passages stand in the document one after the other with `between` in between.
        """
        number, first = self.next_document, self.next_passage
        self.next_document += 1
        changes = self.named([text for _, _, mentions in passages for text in mentions], number)
        stored = []
        start = 0
        for text, sentences, mentions in passages:
            flat = [n for named, at in mentions.items() for n in (self.entities[named], at, at + len(named))]
            stored.append(events.StoredPassage(self.next_passage, start, text, list(sentences), flat, **fields))
            self.next_passage += 1
            start += len(text) + len(between)
        length = start - len(between)
        digest = number.to_bytes(16, "big")
        whole = events.StoredDocument(number, digest, "content", length, stored, date, label)
        self.commit(*changes, events.DocumentsStored(documents=[whole]))
        return number, first

    def at(self, as_of: int | None = None, valid_at: str | None = None, position: int | None = None) -> ReadInstants:
        """Instants as a request gives them; `valid_at` as a date."""
        end = None if valid_at is None else parse_date(valid_at, "test").end
        return ReadInstants(as_of, end, position)

    def recall(self, subject: str | None = None, **fields: Any) -> dict[str, Any]:
        """Recall by name, or by `attribute=(key, value)`; other fields are those of RecallRequest."""
        wanted = fields.pop("attribute", None)
        request = RecallRequest(
            subject=None if subject is None else name(subject),
            attribute=None if wanted is None else AttributeWanted(*wanted),
            **fields,
        )
        return recall(self.projection, request, self.instants(request.instants), self.context)

    def instants(self, asked: ReadInstants) -> At:
        """The instants of a read, at NOW."""
        return read_at(asked, NOW, self.recorded_at, self.projection.reads)

    @property
    def context(self) -> RecallContext:
        """Where the scope is."""
        return RecallContext(self.user, self.scope, KEY)

    def name_of(self, entity: int) -> str:
        """The name under which the builder introduced an entity."""
        return next(text for text, number in self.entities.items() if number == entity)


def texts(reply: dict[str, Any], kind: str | None = None) -> list[str]:
    """The texts of a reply's items, in order; of one kind when given."""
    return [item["text"] for item in reply["items"] if kind in (None, item["kind"])]
