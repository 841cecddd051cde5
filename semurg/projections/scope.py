"""One scope as its events made it: every event handed to the parts that keep what it says.

Applying decides nothing and looks nothing up: an event says which numbers, rows and intervals there are. Whatever is
forgotten leaves every part here, and no read at any instant sees it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from semurg.domain.events import (
    AssertionsCited,
    AttributesRecorded,
    DocumentsLabelled,
    DocumentsStored,
    EntitiesRecorded,
    Event,
    FactsRecorded,
    PassagesLinked,
    ScopeOpened,
)
from semurg.domain.redact import Gone
from semurg.domain.view import MemoryView
from semurg.projections.erasing import Erasing
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
        self._erasing = Erasing(self.parts, self._opening, self._is_label)
        self._appliers: dict[type[Event], Callable[[Any, int, int], None]] = {
            ScopeOpened: self._opened,
            EntitiesRecorded: self._entities,
            AssertionsCited: self._assertions,
            DocumentsStored: self._documents,
            DocumentsLabelled: self._labelled,
            PassagesLinked: self._linked,
            FactsRecorded: self._facts,
            AttributesRecorded: self._attributes,
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
        elif type(event) in self._erasing.steps:
            for _ in self._erasing.steps[type(event)](event):
                continue

    def apply_in_steps(self, event: Event, position: int, recorded_at: int) -> Iterator[None]:
        """`apply`, which is done when it is iterated to its end. Between steps the scope may be read, not changed."""
        if type(event) not in self._erasing.steps:
            self.apply(event, position, recorded_at)
            return
        self.parts.timeline.add(position, recorded_at)
        yield from self._erasing.steps[type(event)](event)

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

    def _is_label(self, label: str, hashed: str | None) -> bool:
        return self._keyed(self.stream, "source", label) == hashed

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


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The stretches [first, end) of ascending numbers that follow one another without a gap."""
    first = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield first, place
            first = place
