"""When a scope learned what: one entry an event of its stream, its position in the log and the instant it was recorded.

Other parts keep the *event number* (int32, from 0 within the scope) with what an event brought, not two 64-bit columns:
`horizon` turns an instant into the event number from which nothing was known yet.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np

from semurg.domain.instants import NO_END
from semurg.projections.adjacency import RowTimes
from semurg.projections.columns import Column
from semurg.projections.rows import Int32s, Int64s


class Timeline:
    """Positions and instants of a scope's events, both ascending. Events of one commit share their instant."""

    __slots__ = ("_instants", "_positions")

    def __init__(self) -> None:
        self._positions = Column(np.int64)
        self._instants = Column(np.int64)

    def __len__(self) -> int:
        return len(self._positions)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._positions.nbytes + self._instants.nbytes

    def add(self, position: int, recorded_at: int) -> int:
        """Note one event; its number. ValueError when it does not come after the one before."""
        count = len(self._positions)
        if count and (position <= self._positions.cells[count - 1] or recorded_at < self._instants.cells[count - 1]):
            raise ValueError(f"event at position {position} does not come after the scope's last one")
        self._instants.append(recorded_at)
        return self._positions.append(position)

    @property
    def position(self) -> int:
        """Position of the last event, 0 when there is none."""
        count = len(self._positions)
        return int(self._positions.cells[count - 1]) if count else 0

    def position_of(self, event: int) -> int:
        """The position of an event."""
        return int(self._positions.cells[event])

    def instant_of(self, event: int) -> int:
        """When the event was recorded, µs."""
        return int(self._instants.cells[event])

    def entry(self, event: int) -> tuple[int, int]:
        """(instant, position) of an event."""
        return self._instants.cells[event], self._positions.cells[event]

    def instants_of(self, events: Int32s) -> Int64s:
        """When each of the events was recorded, µs."""
        return self._instants.view[events]

    def events_at(self, instant: int) -> range:
        """The events of the commit that was recorded at the instant."""
        count, instants = len(self._instants), self._instants.cells
        return range(bisect_left(instants, instant, 0, count), bisect_right(instants, instant, 0, count))

    def positions(self) -> list[int]:
        """The positions of all events, ascending."""
        return self._positions.view.tolist()  # type: ignore[no-any-return]

    def horizon(self, instant: int) -> int:
        """How many events were recorded at or before the instant: event numbers below it were known then."""
        count, instants = len(self._instants), self._instants.cells
        # most reads are at the newest instant
        if count and instants[count - 1] <= instant:
            return count
        return bisect_right(instants, instant, 0, count)

    def position_at(self, known_at: int) -> int:
        """Position of the last event recorded at or before the instant, 0 when there is none."""
        horizon = self.horizon(known_at)
        return int(self._positions.cells[horizon - 1]) if horizon else 0

    def recorded_at(self, position: int) -> int | None:
        """The instant of the last commit that begins at or before the position; None when there is none.

        A position inside a commit stands for that whole commit: its events became known at once.
        """
        reached = bisect_right(self._positions.cells, position, 0, len(self._positions))
        return int(self._instants.cells[reached - 1]) if reached else None


def time_views(times: RowTimes) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """The four time columns of a table of rows as arrays, in the order in which kernels take them."""
    return times.known_from.view, times.known_to.view, times.valid_from.view, times.valid_to.view


def instants(times: RowTimes, rows: list[int]) -> Iterator[int]:
    """When each of the rows was opened and, if it was, closed."""
    opened, closed = times.known_from.cells, times.known_to.cells
    for row in rows:
        yield opened[row]
        if closed[row] != NO_END:
            yield closed[row]
