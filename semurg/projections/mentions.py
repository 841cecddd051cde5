"""Mentions: which passage names which entity, and where. A mention is known from its event on, and true always.

It shows while its passage and its entity do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from semurg.domain.events import StoredPassage
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.rows import Int32s

ERASED = -1


class MentionLists(NamedTuple):
    """Mentions as kernels read them, int32 all: by entity its last row, and of each row the one of the same entity
    before it (-1: none); by passage its last row, and the chain that goes on from it (kernels.chains); the columns."""

    entity_last: Int32s
    before: Int32s
    passage_last: Int32s
    passage_after: Int32s
    entities: Int32s
    passages: Int32s
    starts: Int32s
    events: Int32s


class Mentions:
    """Rows of (passage, entity, first occurrence), by entity and by passage; `ERASED` as the entity: forgotten."""

    def __init__(self) -> None:
        self._of_entity = Chains()
        self._of_passage = Chains()
        self._entities = Column(np.int32)
        self._passages = Column(np.int32)
        self._starts = Column(np.int32)
        self._ends = Column(np.int32)
        self._events = Column(np.int32)
        self._before = Column(np.int32)

    def __len__(self) -> int:
        """How many rows there are, erased ones included."""
        return len(self._entities)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        parts = (
            self._of_entity, self._of_passage, self._entities, self._passages, self._starts, self._ends, self._events,
            self._before,
        )  # fmt: skip
        return sum(part.nbytes for part in parts)

    def record_passage(self, passage: StoredPassage, event: int) -> None:
        """Take in the mentions that a new passage came with."""
        found = passage.mentions
        for entity, start, end in zip(found[::3], found[1::3], found[2::3], strict=True):
            self._add(passage.number, entity, start, end, event)

    def record_links(
        self, passages: Sequence[int], entities: Sequence[int], starts: Sequence[int], ends: Sequence[int], event: int
    ) -> None:
        """Take in links between stored passages and entities, side by side."""
        for passage, entity, start, end in zip(passages, entities, starts, ends, strict=True):
            self._add(passage, entity, start, end, event)

    def _add(self, passage: int, entity: int, start: int, end: int, event: int) -> None:
        self._before.append(self._of_entity.tail(entity))
        self._of_entity.add(entity)
        self._of_passage.add(passage)
        self._passages.append(passage)
        self._entities.append(entity)
        self._starts.append(start)
        self._ends.append(end)
        self._events.append(event)

    def erase_passage(self, passage: int) -> None:
        """Forget what a passage named."""
        self._erase(self._of_passage.array(passage))
        self._of_passage.drop(passage)

    def erase_entity(self, entity: int) -> None:
        """Forget where an entity was named."""
        self._erase(self._of_entity.array(entity))
        self._of_entity.drop(entity)

    def _erase(self, rows: Int32s) -> None:
        for column in (self._entities, self._passages):
            column.view[rows] = ERASED
        for column in (self._starts, self._ends, self._events):
            column.view[rows] = 0

    def events_of_passage(self, passage: int) -> list[int]:
        """The events that linked a passage to entities."""
        return self._events.view[self._of_passage.array(passage)].tolist()  # type: ignore[no-any-return]

    def events_of_entity(self, entity: int) -> list[int]:
        """The events that linked an entity to live passages."""
        rows = self._of_entity.array(entity)
        return self._events.view[rows[self._entities.view[rows] == entity]].tolist()  # type: ignore[no-any-return]

    def passages_of(self, entity: int, horizon: int | None = None) -> Int32s:
        """The passages that name the entity, ascending, once each; with a horizon, by events below it."""
        rows = self._of_entity.array(entity)
        keep = self._entities.view[rows] == entity
        if horizon is not None:
            keep &= self._events.view[rows] < horizon
        return np.unique(self._passages.view[rows[keep]])

    def lists(self) -> MentionLists:
        """The columns and chains, for kernels that walk them."""
        return MentionLists(
            self._of_entity.last, self._before.view, self._of_passage.last, self._of_passage.after,
            self._entities.view, self._passages.view, self._starts.view, self._events.view,
        )  # fmt: skip

    def links_of(self, entity: int, horizon: int) -> tuple[Int32s, Int32s]:
        """The passages that name the entity, by events below the horizon, and where each first does, side by side."""
        rows = self._of_entity.array(entity)
        rows = rows[(self._entities.view[rows] == entity) & (self._events.view[rows] < horizon)]
        return self._passages.view[rows], self._starts.view[rows]

    def named_in(self, passage: int, horizon: int) -> list[int]:
        """The entities that a passage names, by events below the horizon, in the order they were linked."""
        entities, events = self._entities.cells, self._events.cells
        rows = self._of_passage.rows(passage)
        return [entities[row] for row in rows if entities[row] != ERASED and events[row] < horizon]

    def entities_of(self, passage: int) -> list[int]:
        """The entities that a passage names, in the order they were linked."""
        entities = (self._entities.cells[row] for row in self._of_passage.rows(passage))
        return [entity for entity in entities if entity != ERASED]

    def span(self, passage: int, entity: int) -> tuple[int, int] | None:
        """Where the passage first names the entity, code points [start, end) relative to it; None: it does not."""
        entities = self._entities.cells
        for row in self._of_passage.rows(passage):
            if entities[row] == entity:
                return self._starts.cells[row], self._ends.cells[row]
        return None
