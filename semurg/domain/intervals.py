"""Half-open intervals of validity [start, end) and the few things that decisions do with lists of them.

An open start is UNKNOWN_START, an open end NO_END (domain.instants); both order naturally as integers. A list of
episodes is kept sorted, disjoint and without two that touch.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

from semurg.domain.view import Episode

_start, _end = attrgetter("start"), attrgetter("end")


def holds_at(episode: Episode, instant: int) -> bool:
    """Whether the instant lies in [start, end)."""
    return episode.start <= instant < episode.end


def any_holds_at(episodes: Sequence[Episode], instant: int) -> bool:
    """Whether one of the episodes holds at the instant."""
    following = bisect_right(episodes, instant, key=_start)
    return following > 0 and episodes[following - 1].end > instant


def union(episodes: list[Episode], added: Episode) -> list[Episode]:
    """The episodes with one more, those that touch or overlap it merged into one."""
    first = bisect_left(episodes, added.start, key=_end)
    following = bisect_right(episodes, added.end, key=_start)
    start, end = added
    if first < following:
        start, end = min(start, episodes[first].start), max(end, episodes[following - 1].end)
    return [*episodes[:first], Episode(start, end), *episodes[following:]]


def cut_at(episodes: list[Episode], instant: int) -> list[Episode]:
    """The episodes with the one that holds at the instant ended there; one that starts just then vanishes."""
    if not any_holds_at(episodes, instant):
        return list(episodes)
    following = bisect_right(episodes, instant, key=_start)
    held = episodes[following - 1]
    left = [Episode(held.start, instant)] if held.start < instant else []
    return [*episodes[: following - 1], *left, *episodes[following:]]


def ended_by(episodes: Sequence[Episode], instant: int) -> bool:
    """Whether one of the episodes had ended at or before the instant."""
    return bool(episodes) and episodes[0].end <= instant
