"""From a term to the passages that hold it, and how often: the lists behind the words index.

A term is kept as the 64-bit hash of its text and its language; the texts stay with the passages. Were two terms to
share a hash, a passage could be found by the wrong word: for that a scope would need billions of terms. What decides by
words (a forget) reads the texts of the passages that this finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.columns import Column
from semurg.projections.hashindex import HashIndex, content_hash
from semurg.projections.kernels import bm25
from semurg.projections.rows import Int32s, Int64s


class Postings:
    """Postings in linked blocks (kernels.bm25 describes them): five bytes each, and spare slots in a term's last block.

    By term: first block, next slot, link slot, place of the last block in its chain, number of postings. By slot:
    passage and occurrences. A term that nothing holds any more goes whole: its number and its blocks are used again.
    """

    def __init__(self) -> None:
        self._index = HashIndex()
        self._heads, self._tails, self._links = Column(np.int32), Column(np.int32), Column(np.int32)
        self._levels, self._holders = Column(np.uint8), Column(np.int32)
        self._posted, self._counts = Column(np.int32), Column(np.uint8)
        self._free, self._end = Column(np.int32), Column(np.int64)
        self._free.fill(-1, bm25.LEVELS)
        self._end.append(0)
        self._spare_terms = Column(np.int32)
        self._spare = 0

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self._index)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        parts = (
            self._index, self._heads, self._tails, self._links, self._levels, self._holders, self._posted, self._counts,
            self._free, self._end, self._spare_terms,
        )  # fmt: skip
        return sum(part.nbytes for part in parts)

    @property
    def arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """First block by term, passage by slot, occurrences by slot: what scoring kernels read."""
        return self._heads.view, self._posted.view, self._counts.view

    def add(self, hashes: Int64s, passages: Int32s, occurrences: Int32s) -> None:
        """Add postings side by side: those of a term ascending by passage, above all it has; those of one add up."""
        terms = self._terms_of(hashes)
        done, spare = 0, 0
        while done < len(terms):
            before = done
            # a block of one slot and its link for each is enough for most
            self._make_room(2 * (len(terms) - done) + spare)
            done = bm25.post(
                terms, passages, occurrences, done, self._heads.view, self._tails.view, self._links.view,
                self._levels.view, self._holders.view, self._posted.view, self._counts.view, self._free.view,
                self._end.view,
            )  # fmt: skip
            spare = len(terms) // 4 if done > before else bm25.SIZES[-1] + 1

    def _make_room(self, slots: int) -> None:
        missing = self._end.cells[0] + slots - len(self._posted)
        if missing > 0:
            self._posted.fill(-1, missing)
            self._counts.fill(0, missing)

    def _terms_of(self, hashes: Int64s) -> Int32s:
        """The term of each hash, a new one where there was none."""
        terms = self._index.find_many(hashes)
        unknown = terms < 0
        if unknown.any():
            new, place = np.unique(hashes[unknown], return_inverse=True)
            made = self._new_terms(len(new))
            self._index.insert_many(new, made)
            terms[unknown] = made[place]
        return terms

    def _new_terms(self, count: int) -> Int32s:
        reused = min(count, self._spare)
        self._spare -= reused
        old = self._spare_terms.view[self._spare : self._spare + reused].copy()
        first, added = len(self._heads), count - reused
        for column in (self._heads, self._tails, self._links):
            column.fill(-1, added)
        for column in (self._levels, self._holders):
            column.fill(0, added)
        return np.concatenate((old, np.arange(first, first + added, dtype=np.int32)))

    def erase(self, hashes: Int64s, passage: int) -> None:
        """Take a passage out from under these hashes."""
        terms = self._index.find_many(hashes)
        held = terms >= 0
        hashes, terms = hashes[held], terms[held]
        bm25.remove(
            terms, passage, self._heads.view, self._tails.view, self._links.view, self._levels.view, self._holders.view,
            self._posted.view, self._counts.view, self._free.view,
        )  # fmt: skip
        for place in np.flatnonzero(self._holders.view[terms] == 0).tolist():
            if self._index.remove(int(hashes[place]), int(terms[place])):
                self._give_back(int(terms[place]))

    def _give_back(self, term: int) -> None:
        if self._spare == len(self._spare_terms):
            self._spare_terms.append(term)
        else:
            self._spare_terms.cells[self._spare] = term
        self._spare += 1

    def find(self, tagged: Sequence[str]) -> list[int]:
        """The term of each text (domain.terms.Piece.tagged), -1 where there is none."""
        return self._index.find_many([content_hash(one) for one in tagged]).tolist()  # type: ignore[no-any-return]

    def holders(self, term: int) -> int:
        """How many passages hold the term."""
        return int(self._holders.cells[term])

    def holders_below(self, term: int, bound: int) -> int:
        """How many of the passages with a number below `bound` hold it. Cost: its blocks."""
        return bm25.count_below(term, bound, self._heads.view, self._posted.view)

    def passages_of(self, term: int) -> Int32s:
        """The passages that hold it, ascending."""
        out = np.empty(self.holders(term), dtype=np.int32)
        bm25.passages_of(term, np.iinfo(np.int32).max, self._heads.view, self._posted.view, out)
        return out
