"""What an event that records adds to a scope's parts, in steps that each leave the parts in order.

One call may bring a quarter of a million attributes or a hundred thousand passages. Between two steps the event loop
answers whoever waits: what is added meanwhile is known from an instant that no reader may see yet.
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
)
from semurg.projections.parts import Parts

ATTRIBUTES_STEP = 128
NAMES_STEP = 512
TYPES_STEP = 512
PASSAGES_STEP = 32
MENTIONS_STEP = 1_024
"""Things a step records: some 5 ms each, even where the processor is shared."""


class Recording:
    """Records in the parts of one scope. A step takes (event, its number on the timeline, recorded_at in µs)."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.steps: dict[type[Event], Callable[[Any, int, int], Iterator[None]]] = {
            EntitiesRecorded: self._entities,
            AssertionsCited: self._assertions,
            DocumentsStored: self._documents,
            DocumentsLabelled: self._labelled,
            PassagesLinked: self._linked,
            FactsRecorded: self._facts,
            AttributesRecorded: self._attributes,
        }

    def _entities(self, event: EntitiesRecorded, number: int, recorded_at: int) -> Iterator[None]:
        names, position = self._parts.names, self._parts.timeline.position
        # numbers of erased entities are missing from a redacted log: what is recorded goes in run by run
        for first, end in _runs(event.numbers):
            names.make_numbers(event.numbers[first])
            for run in _slices(first, end, NAMES_STEP):
                names.record(event.numbers[run], event.names[run], event.sources[run], recorded_at, position)
                yield
        for run in _slices(0, len(event.typed), TYPES_STEP):
            names.types.give(event.typed[run], event.types[run], recorded_at)
            yield

    def _assertions(self, event: AssertionsCited, number: int, recorded_at: int) -> Iterator[None]:
        self._parts.assertions.record(event, number)
        yield

    def _documents(self, event: DocumentsStored, number: int, recorded_at: int) -> Iterator[None]:
        parts, mentions = self._parts, 0
        passages: list[int] = []
        for document in event.documents:
            parts.documents.record(document, number)
            for passage in document.passages:
                parts.passages.record(document, passage, number)
                parts.mentions.record_passage(passage, number)
                passages.append(passage.number)
                mentions += len(passage.mentions)
                if len(passages) >= PASSAGES_STEP or mentions >= MENTIONS_STEP:
                    parts.words.record(passages, number)
                    passages, mentions = [], 0
                    yield
        parts.words.record(passages, number)
        yield

    def _labelled(self, event: DocumentsLabelled, number: int, recorded_at: int) -> Iterator[None]:
        for document, label in zip(event.documents, event.labels, strict=True):
            self._parts.documents.give_label(document, label, number)
        yield

    def _linked(self, event: PassagesLinked, number: int, recorded_at: int) -> Iterator[None]:
        for run in _slices(0, len(event.passages), MENTIONS_STEP):
            self._parts.mentions.record_links(
                event.passages[run], event.entities[run], event.starts[run], event.ends[run], number
            )
            yield

    def _facts(self, event: FactsRecorded, number: int, recorded_at: int) -> Iterator[None]:
        self._parts.facts.record(event, number, recorded_at)
        yield

    def _attributes(self, event: AttributesRecorded, number: int, recorded_at: int) -> Iterator[None]:
        weighed = 0
        for history in event.histories:
            self._parts.attributes.record(history, recorded_at)
            weighed += len(history.episodes)
            if weighed >= ATTRIBUTES_STEP:
                weighed = 0
                yield
        yield


def _slices(first: int, end: int, step: int) -> Iterator[slice]:
    """[first, end) in stretches of at most `step`."""
    for start in range(first, end, step):
        yield slice(start, min(start + step, end))


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The stretches [first, end) of ascending numbers that follow one another without a gap."""
    first = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield first, place
            first = place
