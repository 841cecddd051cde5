"""One scope as its events made it: every event handed to the parts that keep what it says.

Applying decides nothing and looks nothing up: an event says which numbers, rows and intervals there are. Whatever is
forgotten leaves every part here, and no read at any instant sees it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from semurg.domain.events import (
    AssertionsCited,
    AttributeForgotten,
    AttributesRecorded,
    DocumentsForgotten,
    DocumentsLabelled,
    DocumentsStored,
    EntitiesRecorded,
    EntityForgotten,
    Event,
    FactForgotten,
    FactsRecorded,
    PassagesLinked,
    ScopeOpened,
)
from semurg.domain.redact import Gone
from semurg.domain.view import MemoryView
from semurg.projections.documents import forget_labels
from semurg.projections.holding import positions_holding
from semurg.projections.parts import Parts
from semurg.projections.reads import Reads
from semurg.projections.rows import Counts
from semurg.projections.view import Opening, ScopeView

Hash = Callable[..., str]
"""The node's keyed hash of (stream, kind, parts…): tells which label a forget event means, without naming it."""


class ScopeProjection:
    """The read model of one scope: `view` for decisions, `reads` for queries, `published` counts for status."""

    def __init__(self, stream: str, keyed: Hash) -> None:
        self.stream = stream
        self._keyed = keyed
        self._opening = Opening()
        self.parts = Parts()
        self.view: MemoryView = ScopeView(self.parts, self._opening)
        self.reads = Reads(self.parts)
        self.published = Counts(0, 0, 0, 0)
        self._appliers: dict[type[Event], Callable[[Any, int, int], None]] = {
            ScopeOpened: self._opened,
            EntitiesRecorded: self._entities,
            AssertionsCited: self._assertions,
            DocumentsStored: self._documents,
            DocumentsLabelled: self._labelled,
            PassagesLinked: self._linked,
            FactsRecorded: self._facts,
            AttributesRecorded: self._attributes,
            EntityForgotten: self._entity_forgotten,
            FactForgotten: self._fact_forgotten,
            DocumentsForgotten: self._documents_forgotten,
            AttributeForgotten: self._attribute_forgotten,
        }

    @property
    def exists(self) -> bool:
        """Whether the scope was opened."""
        return self._opening.exists

    @property
    def number(self) -> int:
        """Its number, part of every id in it."""
        return self._opening.number

    @property
    def user(self) -> str:
        """Whose it is: "" for the owner's own partition."""
        return self._opening.user

    @property
    def scope(self) -> str:
        """Its name."""
        return self._opening.scope

    def apply(self, event: Event, position: int, recorded_at: int) -> None:
        """Take in the next event of the scope's stream; events of one commit share `recorded_at` (µs).

        An event of which a redaction left nothing only takes its place on the timeline. ValueError when out of order.
        """
        number = self.parts.timeline.add(position, recorded_at)
        applier = self._appliers.get(type(event))
        if applier is not None:
            applier(event, number, recorded_at)

    def publish(self) -> None:
        """Let readers count what has been applied."""
        self.published = self.parts.live()

    def positions(self) -> list[int]:
        """Log positions of the scope's events since it was opened, ascending."""
        return self.parts.timeline.positions()

    def positions_holding(self, gone: Gone) -> list[int]:
        """Log positions of the events that may hold what is gone, ascending; asked before the forget is applied."""
        return positions_holding(self.parts, gone)

    def memory_bytes(self) -> int:
        """Bytes held, spare room included."""
        return sum(self.parts.memory_bytes().values())

    # what each event does

    def _opened(self, event: ScopeOpened, number: int, recorded_at: int) -> None:
        opening = self._opening
        opening.exists, opening.number, opening.user, opening.scope = True, event.number, event.user, event.scope

    def _entities(self, event: EntitiesRecorded, number: int, recorded_at: int) -> None:
        names, position = self.parts.names, self.parts.timeline.position
        # numbers of erased entities are missing from a redacted log: what is recorded goes in run by run
        for first, end in _runs(event.numbers):
            names.make_numbers(event.numbers[first])
            run = slice(first, end)
            names.record(event.numbers[run], event.names[run], event.sources[run], recorded_at, position)
        if event.typed:
            names.give_types(event.typed, event.types, recorded_at)

    def _assertions(self, event: AssertionsCited, number: int, recorded_at: int) -> None:
        self.parts.assertions.record(event, number)

    def _documents(self, event: DocumentsStored, number: int, recorded_at: int) -> None:
        for document in event.documents:
            self.parts.documents.record(document, number)
            self.parts.passages.record(document, number)
            self.parts.mentions.record_document(document, number)

    def _labelled(self, event: DocumentsLabelled, number: int, recorded_at: int) -> None:
        for document, label in zip(event.documents, event.labels, strict=True):
            self.parts.documents.give_label(document, label, number)

    def _linked(self, event: PassagesLinked, number: int, recorded_at: int) -> None:
        self.parts.mentions.record_links(event, number)

    def _facts(self, event: FactsRecorded, number: int, recorded_at: int) -> None:
        self.parts.facts.record(event, number, recorded_at)

    def _attributes(self, event: AttributesRecorded, number: int, recorded_at: int) -> None:
        for history in event.histories:
            self.parts.attributes.record(history, recorded_at)

    # what is forgotten

    def _entity_forgotten(self, event: EntityForgotten, number: int, recorded_at: int) -> None:
        self._use_up(event.following)
        parts = self.parts
        for fact in event.facts:
            self._erase_fact(fact)
        parts.attributes.erase_owner(False, event.entity)
        emptied = set(event.documents)
        for passage in event.passages:
            document = parts.passages.document(passage) if parts.passages.is_live(passage) else -1
            if document >= 0 and document not in emptied:
                parts.documents.drop_digest(document)
            self._erase_passage(passage)
        for document in event.documents:
            parts.documents.erase(document)
        parts.mentions.erase_entity(event.entity)
        parts.names.erase(event.entity)
        self._opening.forgotten.add(event.key_hash)

    def _fact_forgotten(self, event: FactForgotten, number: int, recorded_at: int) -> None:
        self._use_up(event.following)
        self._erase_fact(event.fact)
        self._opening.forgotten.add(event.key_hash)

    def _documents_forgotten(self, event: DocumentsForgotten, number: int, recorded_at: int) -> None:
        self._use_up(event.following)
        for passage in event.passages:
            self._erase_passage(passage)
        for document in event.documents:
            self.parts.documents.erase(document)
        forget_labels(
            event,
            self.parts.documents,
            self.parts.assertions,
            lambda label: self._keyed(self.stream, "source", label) == event.source_hash,
        )
        self._opening.forgotten.add(event.key_hash)

    def _attribute_forgotten(self, event: AttributeForgotten, number: int, recorded_at: int) -> None:
        self._use_up(event.following)
        self.parts.attributes.erase(event.number)
        self._opening.forgotten.add(event.key_hash)

    def _erase_fact(self, fact: int) -> None:
        self.parts.attributes.erase_owner(True, fact)
        self.parts.facts.erase(fact)

    def _erase_passage(self, passage: int) -> None:
        self.parts.mentions.erase_passage(passage)
        self.parts.passages.erase(passage)

    def _use_up(self, following: list[int]) -> None:
        """Never again give out numbers below those that a forget lists: the log may not know them any more."""
        parts = self.parts
        numbered = (
            parts.names.make_numbers,
            parts.facts.make_numbers,
            parts.documents.make_numbers,
            parts.passages.make_numbers,
            parts.assertions.make_numbers,
            parts.attributes.make_numbers,
        )
        if following:
            for make_numbers, count in zip(numbered, following, strict=True):
                make_numbers(count)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The stretches [first, end) of ascending numbers that follow one another without a gap."""
    first = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield first, place
            first = place
