"""Which fact rows touch an entity, in both directions, and what can be reached along one relation.

Holds row numbers only: ends, types and times are read from the columns of the fact rows, which belong to
projections.facts. Rows are linked in the order they were appended and never move; an erased row (its ends set to -1)
is passed over and leaves the lists when they are next rebuilt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.limits import DERIVED_FACTS_MAX, DERIVED_LINKS_MAX
from semurg.domain.visibility import At
from semurg.projections.columns import Column
from semurg.projections.kernels import graph as kernels
from semurg.projections.kernels.jit import warm_up

Rows = NDArray[np.int32]

TAIL_ROWS_FREE = 1_024
TAIL_SHARE = 10
FIRST_ROWS = 64
FIRST_REACHED = 64


class RowTimes(NamedTuple):
    """The four time columns (int64 µs) of a table of rows."""

    known_from: Column
    known_to: Column
    valid_from: Column
    valid_to: Column


class Closure(NamedTuple):
    """What was reached, nearest first: `entities[i]` over row `rows[i]` from entry `parents[i]` (-1: the start)."""

    entities: Rows
    rows: Rows
    parents: Rows
    depths: Rows

    def path(self, entry: int) -> list[int]:
        """The rows from the start to an entry, in the order they are walked."""
        rows: list[int] = []
        while entry >= 0:
            rows.append(int(self.rows[entry]))
            entry = int(self.parents[entry])
        return rows[::-1]


class _Side:
    """The rows of each entity on one side: a compressed list of the first rows, a chain of the later ones."""

    __slots__ = ("heads", "inward", "nexts", "rows", "starts")

    def __init__(self, inward: bool) -> None:
        self.inward = inward
        self.starts: Rows = np.zeros(1, dtype=np.int32)
        self.rows: Rows = np.empty(0, dtype=np.int32)
        self.heads = Column(np.int32)
        self.nexts = Column(np.int32)

    @property
    def nbytes(self) -> int:
        return self.starts.nbytes + self.rows.nbytes + self.heads.nbytes + self.nexts.nbytes

    def chain(self, sources: Rows, targets: Rows, listed: int, first_row: int, entity_count: int) -> None:
        """Chain the rows from `first_row` on."""
        self.heads.fill(-1, max(0, entity_count - len(self.heads)))
        self.nexts.fill(-1, len(sources) - listed - len(self.nexts))
        kernels.chain(sources, targets, self.inward, listed, first_row, self.heads.view, self.nexts.view)

    def chain_one(self, source: int, target: int, row: int) -> None:
        """Chain one row, the next after those there are."""
        missing = max(source, target) + 1 - len(self.heads)
        if missing > 0:
            self.heads.fill(-1, missing)
        if source < 0 or (self.inward and source == target):
            self.nexts.append(-1)
            return
        owner, heads = target if self.inward else source, self.heads.cells
        self.nexts.append(heads[owner])
        heads[owner] = row

    def fold(self, sources: Rows, targets: Rows) -> None:
        """Compress every row there is; the chains are empty afterwards."""
        starts = np.zeros(len(self.heads) + 1, dtype=np.int32)
        rows = np.empty(len(sources), dtype=np.int32)
        used = kernels.build(sources, targets, self.inward, len(sources), starts, rows)
        self.starts = starts
        self.rows = rows if used == len(rows) else rows[:used].copy()
        self.heads.view[:] = -1
        self.nexts = Column(np.int32)


class Adjacency:
    """Out and in lists over the rows of a fact table, whose columns are given: int32 ends and types, int64 times."""

    def __init__(self, sources: Column, targets: Column, types: Column, times: RowTimes) -> None:
        warm_up()
        self._sources = sources
        self._targets = targets
        self._types = types
        self._times = times
        self._out = _Side(inward=False)
        self._in = _Side(inward=True)
        self._listed = 0
        self._linked = 0

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included; the row columns not counted."""
        return self._out.nbytes + self._in.nbytes

    def take_in(self) -> None:
        """Link the rows appended to the columns since the last time. O(new rows), and now and then O(all rows)."""
        count, first = len(self._sources), self._linked
        if count == first:
            return
        sides = (self._out, self._in)
        if count == first + 1:
            source, target = self._sources.cells[first], self._targets.cells[first]
            for side in sides:
                side.chain_one(source, target, first)
        else:
            sources, targets = self._sources.view, self._targets.view
            new_ends = max(int(sources[first:].max()), int(targets[first:].max()))
            for side in sides:
                side.chain(sources, targets, self._listed, first, new_ends + 1)
        self._linked = count
        if count - self._listed > max(TAIL_ROWS_FREE, self._listed // TAIL_SHARE):
            for side in sides:
                side.fold(self._sources.view, self._targets.view)
            self._listed = count

    def lists(self) -> tuple[Rows, ...]:
        """The lists of both sides as kernels.graph describes them: starts, rows, heads, nexts of out, then of in."""
        sides = (self._out, self._in)
        return tuple(part for side in sides for part in (side.starts, side.rows, side.heads.view, side.nexts.view))

    @property
    def listed(self) -> int:
        """How many of the first rows are in the compressed lists."""
        return self._listed

    def visible_rows(self, entity: int, at: At) -> tuple[Rows, Rows]:
        """The rows that touch the entity and show: out, then in, each ascending, int32. A self row is out alone."""
        return self._visible(self._out, entity, at), self._visible(self._in, entity, at)

    def all_rows(self, entity: int) -> tuple[Rows, Rows]:
        """The rows that touch the entity whatever their times, erased ones left out: out, then in, each ascending."""
        return self._all(self._out, entity), self._all(self._in, entity)

    def closure(
        self,
        entity: int,
        meaning: int,
        meanings: Rows,
        inbound: bool,
        at: At,
        links_max: int = DERIVED_LINKS_MAX,
        reached_max: int = DERIVED_FACTS_MAX,
    ) -> Closure:
        """What chains of visible rows of one relation meaning lead to, up to `links_max` rows, the start left out.

        `meanings` (int32) gives the meaning of each type id. Outbound follows source to target, `inbound` the other
        way. Nearest first; of two paths as short the one with the lower rows. At most `reached_max` entities.
        """
        side, times = (self._in if inbound else self._out), self._times
        room, scratch_room = min(FIRST_REACHED, reached_max), FIRST_ROWS
        while True:
            reached = np.empty((4, room), dtype=np.int32)
            table = np.full(1 << (2 * room).bit_length(), -1, dtype=np.int32)
            count = kernels.closure(
                entity, meaning, meanings, inbound, links_max,
                side.starts, side.rows, side.heads.view, side.nexts.view, self._listed,
                self._sources.view, self._targets.view, self._types.view,
                times.known_from.view, times.known_to.view, times.valid_from.view, times.valid_to.view,
                at.known_at, at.valid_at,
                reached[0], reached[1], reached[2], reached[3], table, np.empty(scratch_room, dtype=np.int32),
            )  # fmt: skip
            if count < 0:
                scratch_room = -count
            elif count == room and room < reached_max:
                room = min(reached_max, room * 16)
            else:
                return Closure(*(column[:count].copy() for column in reached))

    def _visible(self, side: _Side, entity: int, at: At) -> Rows:
        times = self._times
        out = np.empty(FIRST_ROWS, dtype=np.int32)
        while True:
            count = kernels.visible_rows(
                entity, side.starts, side.rows, side.heads.view, side.nexts.view, self._listed,
                times.known_from.view, times.known_to.view, times.valid_from.view, times.valid_to.view,
                at.known_at, at.valid_at, out,
            )  # fmt: skip
            if count >= 0:
                return out[:count]
            out = np.empty(-count, dtype=np.int32)

    def _all(self, side: _Side, entity: int) -> Rows:
        out = np.empty(FIRST_ROWS, dtype=np.int32)
        while True:
            count = kernels.rows_of(entity, side.starts, side.rows, side.heads.view, side.nexts.view, self._listed, out)
            if count <= len(out):
                rows = out[:count]
                return rows[self._sources.view[rows] >= 0]
            out = np.empty(count, dtype=np.int32)
