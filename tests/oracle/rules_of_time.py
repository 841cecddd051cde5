"""What asserting a fact or setting a value does to intervals of validity, after time.md: "What is written", "replaces".

An episode is a pair (start, end), half open. Nothing here knows of names, scopes or the other axis.
"""

from __future__ import annotations

from semurg.domain.instants import NO_END, UNKNOWN_START

Episode = tuple[int, int]
Histories = dict[int, list[Episode]]


def holds(episodes: list[Episode], instant: int) -> bool:
    """Whether one of them has the instant in it."""
    return any(start <= instant < end for start, end in episodes)


def with_one_more(episodes: list[Episode], added: Episode) -> list[Episode]:
    """The union, those that touch or overlap joined."""
    joined: list[Episode] = []
    for start, end in sorted([*episodes, added]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def ended_at(episodes: list[Episode], instant: int) -> list[Episode]:
    """The episodes with the one that holds at the instant ended there, or gone when it would have no length."""
    cut = [(start, instant if start <= instant < end else end) for start, end in episodes]
    return [(start, end) for start, end in cut if start < end]


def asserted(episodes: list[Episode], start: int | None, end: int | None, now: int) -> list[Episode]:
    """An assertion without replaces of a known fact that has these episodes; none when all were cut away.

    Callers leave out the very same dated statement sent again, and pass a new fact through `first_asserted`.
    """
    if start is not None or end is not None:
        return with_one_more(episodes, (UNKNOWN_START if start is None else start, NO_END if end is None else end))
    if any(episode_end > now for _, episode_end in episodes):
        return episodes
    return with_one_more(episodes, (now, NO_END))


def first_asserted(start: int | None, end: int | None) -> list[Episode]:
    """The episodes of a fact that was not known."""
    return [(UNKNOWN_START if start is None else start, NO_END if end is None else end)]


class Replacement:
    """What `replaces` does at instant `t` to `histories`: target -> episodes, of one source and relation type.

    The same rules serve attributes, with values for targets. `own` is the target asserted; `from_unknown` says that no
    date was given and that nothing of the group was known before. Afterwards: `histories` as changed, the targets
    `ended`, whether the own one is `restored`, and `later`, the start of the target already known to come after.
    """

    def __init__(self, histories: Histories, own: int, t: int, end: int | None, from_unknown: bool) -> None:
        others = [target for target in histories if target != own]
        self.ended = [target for target in others if holds(histories[target], t)]
        self.histories = dict(histories)
        for target in self.ended:
            self.histories[target] = ended_at(histories[target], t)
        mine = histories.get(own, [])
        self.changes_own = not holds(mine, t)
        self.restored = self.changes_own and any(episode_end <= t for _, episode_end in mine)
        starts = [start for target in others for start, _ in self.histories[target] if start > t]
        self.later = min(starts) if self.changes_own and starts else None
        self.is_empty = False
        if self.changes_own:
            last = min(NO_END if end is None else end, NO_END if self.later is None else self.later)
            first = UNKNOWN_START if from_unknown else t
            self.is_empty = first >= last
            if not self.is_empty:
                mine = with_one_more(mine, (first, last))
        self.histories[own] = mine


def bounds(episodes: list[tuple[int, int]], instant: int) -> tuple[int, int] | None:
    """The episode that holds at the instant."""
    for start, end in episodes:
        if start <= instant < end:
            return start, end
    return None


def recency(start: int, recorded_at: int) -> int:
    """What orders facts and passages: when they began to hold, or when they were learned if that is unknown."""
    return recorded_at if start == UNKNOWN_START else start
