"""The episodes of all facts with one source and type, kept so that thousands of `replaces` in one call stay quick.

A `replaces` asks two things of the other facts of its group: which of them hold at an instant, and when the next one
starts. The instants are those of the call's own relations, so they are known before the first is asked.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

from semurg.domain.view import Episode


class Group:
    """The facts of one group: `targets` by fact, and their episodes. `holding` takes the instants given here alone.

    A segment tree over the instants, kept in an array (de Berg et al., Computational Geometry, chapter 10): an episode
    lies in O(log n) nodes, and what holds at an instant lies on the way from its leaf to the root.
    """

    def __init__(self, instants: Iterable[int], facts: Iterable[tuple[int, int, Sequence[Episode]]]) -> None:
        self._instants = sorted(set(instants))
        self._nodes: dict[int, set[int]] = {}
        self._starts: list[tuple[int, int]] = []
        self.targets: dict[int, int] = {}
        for fact, target, episodes in facts:
            self.targets[fact] = target
            for episode in episodes:
                self._starts.append((episode.start, fact))
                self._hold(fact, episode)
        self._starts.sort()

    def change(self, fact: int, before: Sequence[Episode], after: Sequence[Episode]) -> None:
        """The fact has the episodes `after` now, and had those of `before`; both are in order of time."""
        first, most = 0, min(len(before), len(after))
        while first < most and before[first] == after[first]:
            first += 1
        last = 0
        while last < most - first and before[-1 - last] == after[-1 - last]:
            last += 1
        for episode in before[first : len(before) - last]:
            del self._starts[bisect_left(self._starts, (episode.start, fact))]
            for node in self._covering(episode):
                self._nodes[node].discard(fact)
        for episode in after[first : len(after) - last]:
            insort(self._starts, (episode.start, fact))
            self._hold(fact, episode)

    def holding(self, instant: int) -> list[int]:
        """The facts with an episode that holds at the instant, ascending."""
        node = bisect_left(self._instants, instant) + len(self._instants)
        facts: list[int] = []
        while node:
            facts += self._nodes.get(node, ())
            node >>= 1
        return sorted(facts)

    def next_start(self, instant: int, but: int) -> int | None:
        """The earliest start later than the instant among the facts other than `but`, None when there is none."""
        place = bisect_right(self._starts, instant, key=_start)
        while place < len(self._starts) and self._starts[place][1] == but:
            place += 1
        return self._starts[place][0] if place < len(self._starts) else None

    def _hold(self, fact: int, episode: Episode) -> None:
        for node in self._covering(episode):
            self._nodes.setdefault(node, set()).add(fact)

    def _covering(self, episode: Episode) -> list[int]:
        """The nodes that together stand for the instants at which the episode holds."""
        count = len(self._instants)
        low = bisect_left(self._instants, episode.start) + count
        high = bisect_left(self._instants, episode.end) + count
        nodes = []
        while low < high:
            if low & 1:
                nodes.append(low)
                low += 1
            if high & 1:
                high -= 1
                nodes.append(high)
            low >>= 1
            high >>= 1
        return nodes


def _start(entry: tuple[int, int]) -> int:
    return entry[0]
