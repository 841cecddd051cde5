"""The two instants of a read, out of what the request asked, the clock and what is published.

A read never sees what is not yet durable: whatever is asked, it knows at most what was published. Called by recall,
status and every other query; no query works out instants by itself.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from semurg.domain.instants import UNKNOWN_START
from semurg.domain.visibility import At


class ReadInstants(NamedTuple):
    """What a request asked, None where it did not: instants in µs (of a date, its last microsecond) and a position."""

    as_of: int | None = None
    valid_at: int | None = None
    at_position: int | None = None


NOT_ASKED = ReadInstants()


class Timeline(Protocol):
    """The commits of one scope."""

    def recorded_at(self, position: int) -> int | None:
        """When the scope's last commit at or before this log position was recorded; None when there is none."""


def read_at(asked: ReadInstants, now: int, published_at: int, timeline: Timeline | None) -> At:
    """The instants that a read is bound to.

    `now` is the wall clock, `published_at` the last durable commit of the node: the later one is the present, so that
    a clock that steps back hides nothing. An `as_of` in the future reads as now; in the past it is also the instant
    whose truth is read, unless `valid_at` is given. `at_position` reads what the scope's last commit up to there made
    known, as true at that instant; with `as_of` too, the earlier of the two. `timeline` is None for a scope that does
    not exist.
    """
    present = max(now, published_at)
    known, true = published_at, present
    if asked.as_of is not None and asked.as_of < present:
        known, true = min(asked.as_of, published_at), asked.as_of
    if asked.at_position is not None:
        recorded = timeline.recorded_at(asked.at_position) if timeline is not None else None
        known = min(known, UNKNOWN_START if recorded is None else recorded)
        true = known
    return At(known_at=known, valid_at=true if asked.valid_at is None else asked.valid_at)
