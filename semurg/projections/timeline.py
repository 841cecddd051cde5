"""When a scope learned what: one entry an event of its stream, its position in the log and the instant it was recorded.

Other parts keep the *event number* (int32, from 0 within the scope) with what an event brought, not two 64-bit columns:
`horizon` turns an instant into the event number from which nothing was known yet.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from semurg.projections.columns import Column


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

    def horizon(self, known_at: int) -> int:
        """How many events were recorded at or before the instant: event numbers below it were known then."""
        count, instants = len(self._instants), self._instants.cells
        # most reads are at the newest instant
        if count and instants[count - 1] <= known_at:
            return count
        return bisect_right(instants, known_at, 0, count)

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
