"""Half-open intervals of validity [start, end) and the few things that decisions do with lists of them.

An open start is UNKNOWN_START, an open end NO_END (domain.instants); both order naturally as integers. A list of
episodes is kept sorted, disjoint and without two that touch.
"""

from __future__ import annotations

from collections.abc import Iterable

from semurg.domain.view import Episode


def holds_at(episode: Episode, instant: int) -> bool:
    """Whether the instant lies in [start, end)."""
    return episode.start <= instant < episode.end


def any_holds_at(episodes: Iterable[Episode], instant: int) -> bool:
    """Whether one of the episodes holds at the instant."""
    return any(holds_at(episode, instant) for episode in episodes)


def union(episodes: list[Episode], added: Episode) -> list[Episode]:
    """The episodes with one more, those that touch or overlap it merged into one."""
    start, end = added
    apart = []
    for episode in episodes:
        if episode.end < start or end < episode.start:
            apart.append(episode)
        else:
            start, end = min(start, episode.start), max(end, episode.end)
    return sorted([*apart, Episode(start, end)])


def cut_at(episodes: list[Episode], instant: int) -> list[Episode]:
    """The episodes with the one that holds at the instant ended there; one that starts just then vanishes."""
    result = []
    for episode in episodes:
        if not holds_at(episode, instant):
            result.append(episode)
        elif episode.start < instant:
            result.append(Episode(episode.start, instant))
    return result


def first_start_after(episodes: Iterable[Episode], instant: int) -> int | None:
    """The earliest start later than the instant, None when there is none."""
    return min((episode.start for episode in episodes if episode.start > instant), default=None)


def ended_by(episodes: Iterable[Episode], instant: int) -> bool:
    """Whether one of the episodes had ended at or before the instant."""
    return any(episode.end <= instant for episode in episodes)
