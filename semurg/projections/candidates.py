"""Passages that a question's words have found so far, with what they have earned: the working space of one read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels import bm25
from semurg.projections.rows import Int32s, WordHits

FIRST_ROOM = 64


class Candidates:
    """Columns side by side, `count` entries of them used, and a hash table from a passage to its place."""

    def __init__(self) -> None:
        self.count = 0
        self._make(FIRST_ROOM)
        self._order: Int32s | None = None

    @classmethod
    def of(cls, passages: Int32s) -> Candidates:
        """Given passages, ascending, each once, with nothing earned."""
        made = cls()
        made.make_room(len(passages))
        made.count = len(passages)
        made.passages[: made.count] = passages
        made.scores[: made.count] = 0.0
        made.matched[: made.count] = 0
        made.last_word[: made.count] = -1
        return made

    def _make(self, room: int) -> None:
        slots = 1 << (2 * room).bit_length()
        self.table: NDArray[Any] = np.full(slots, -1, dtype=np.int32)
        self.passages: NDArray[Any] = np.empty(room, dtype=np.int32)
        self.scores: NDArray[Any] = np.empty(room, dtype=np.float64)
        self.matched: NDArray[Any] = np.empty(room, dtype=np.uint64)
        self.last_word: NDArray[Any] = np.empty(room, dtype=np.int32)
        self.last_earned: NDArray[Any] = np.empty(room, dtype=np.float64)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """The table and the columns in the order in which kernels take them."""
        return self.table, self.passages, self.scores, self.matched, self.last_word, self.last_earned

    def make_room(self, more: int) -> None:
        """Room for so many more candidates."""
        self._order = None
        if self.count + more <= len(self.passages):
            return
        kept = [column[: self.count] for column in self.columns[1:]]
        self._make(max(self.count + more, 2 * self.count))
        for column, values in zip(self.columns[1:], kept, strict=True):
            column[: self.count] = values
        bm25.enter(self.passages, self.count, self.table)

    def order(self) -> Int32s:
        """The places of the candidates, ascending by passage."""
        if self._order is None:
            self._order = np.argsort(self.passages[: self.count]).astype(np.int32)
        return self._order

    def best(self, limit: int) -> WordHits:
        """The best `limit`: by score, then by passage."""
        scores = self.scores[: self.count].astype(np.float32)
        chosen = np.arange(self.count)
        if limit <= 0:
            chosen = chosen[:0]
        elif self.count > limit:
            least = np.partition(scores, self.count - limit)[self.count - limit]
            chosen = np.flatnonzero(scores >= least)
        chosen = chosen[np.lexsort((self.passages[chosen], -scores[chosen]))][: max(limit, 0)]
        return WordHits(self.passages[chosen], scores[chosen], self.matched[chosen])
