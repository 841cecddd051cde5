"""The words of passages: which passage holds which term how often, and the score of passages for a question's words.

A posting is a row (passage, term, count), rows of a passage lie side by side and rows of a term are chained. A passage
is known from its event on, as in projections.passages; how rare a term is, is counted among what was known at the
instant of the read, so that a read in the past scores as it did then.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.terms import LANGUAGES, QueryWord, language_of, term_keys
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.counted import CountedTexts
from semurg.projections.kernels import bm25 as kernels
from semurg.projections.passages import Passages
from semurg.projections.rows import Int32s
from semurg.projections.timeline import Timeline

ERASED = -1
WORDS_MAX = 64
"""Words of one question that are looked for: as many as a mask has bits."""
_KEPT_TERMS_MAX = 30_000
_LANGUAGE_NUMBERS = {language: number for number, language in enumerate(LANGUAGES)}


class WordHits(NamedTuple):
    """Passages (int32) that hold words of a question, best first, with BM25 scores (float32) and, bit by bit, which."""

    passages: Int32s
    scores: NDArray[np.float32]
    matched: NDArray[np.uint64]


class Words:
    """The inverted index of one scope."""

    def __init__(self, timeline: Timeline, passages: Passages) -> None:
        self._timeline = timeline
        self._of = passages
        self._terms = CountedTexts()
        self._kept: dict[str, int] = {}
        self._chains = Chains()
        self._passages = Column(np.int32)
        self._term_of = Column(np.int32)
        self._counts = Column(np.int32)
        self._first = Column(np.int64)
        self._distinct = Column(np.int32)
        self._lengths = Column(np.int32)
        self._language = Column(np.int8)
        self._in_language = Column(np.int32)
        self._in_language.fill(0, len(LANGUAGES))
        self._total = 0
        self._scores = np.zeros(0, dtype=np.float32)
        self._matched = np.zeros(0, dtype=np.uint64)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included; the terms kept as Python strings counted as 150 bytes each."""
        parts = (
            self._terms, self._chains, self._passages, self._term_of, self._counts, self._first, self._distinct,
            self._lengths, self._language, self._in_language, self._scores, self._matched,
        )  # fmt: skip
        return sum(part.nbytes for part in parts) + 150 * len(self._kept)

    # what events do

    def record(self, passage: int, text: str) -> None:
        """Take in the words of a new passage."""
        self.make_numbers(passage + 1)
        language = language_of(text)
        number = _LANGUAGE_NUMBERS[language]
        keys = term_keys(text, language)
        counted = Counter(keys)
        ids = np.fromiter(map(self._take, counted), dtype=np.int32, count=len(counted))
        counts = np.fromiter(counted.values(), dtype=np.int32, count=len(counted))
        self._first.cells[passage] = self._chains.add_many(ids)
        self._distinct.cells[passage] = len(counted)
        self._lengths.cells[passage] = len(keys)
        self._language.cells[passage] = number
        self._in_language.cells[number] += 1
        self._passages.fill(passage, len(ids))
        self._term_of.extend(ids)
        self._counts.extend(counts)
        self._total += len(keys)

    def make_numbers(self, count: int) -> None:
        """Use up the passage numbers below `count`: those not recorded hold no word."""
        missing = count - len(self._first)
        if missing > 0:
            self._first.fill(0, missing)
            self._distinct.fill(0, missing)
            self._lengths.fill(0, missing)
            self._language.fill(ERASED, missing)

    def erase(self, passage: int) -> None:
        """Forget the words of a passage; a term that no other passage holds is overwritten."""
        if not 0 <= passage < len(self._language) or self._language.cells[passage] == ERASED:
            return
        first = int(self._first.cells[passage])
        rows = slice(first, first + int(self._distinct.cells[passage]))
        for term in self._term_of.view[rows].tolist():
            if self._terms.uses(term) == 1:
                self._kept.pop(self._terms.text(term), None)
                self._chains.drop(term)
            self._terms.release(term)
        self._passages.view[rows] = ERASED
        self._term_of.view[rows] = ERASED
        self._counts.view[rows] = 0
        self._in_language.cells[self._language.cells[passage]] -= 1
        self._total -= int(self._lengths.cells[passage])
        for column in (self._first, self._distinct, self._lengths):
            column.cells[passage] = 0
        self._language.cells[passage] = ERASED

    def _take(self, term: str) -> int:
        kept = self._kept.get(term)
        if kept is not None:
            return self._terms.take_number(kept)
        number = self._terms.take(term)
        if len(self._kept) < _KEPT_TERMS_MAX:
            self._kept[term] = number
        return number

    # what reads ask

    def languages(self) -> list[str]:
        """The languages that live passages are in, most used first."""
        used = [(count, -number) for number, count in enumerate(self._in_language.view.tolist()) if count]
        return [LANGUAGES[-negative] for _, negative in sorted(used, reverse=True)]

    def rarity(self, words: Sequence[QueryWord], known_at: int) -> list[float]:
        """How much each word tells (inverse document frequency, natural log) among what was known at the instant."""
        horizon = self._timeline.horizon(known_at)
        known, _ = self._known(horizon)
        return [_rarity(known, sum(self._holders(term, horizon) for term in self._terms_of(word))) for word in words]

    def score(self, words: Sequence[QueryWord], known_at: int, valid_at: int, limit: int) -> WordHits:
        """The up to `limit` best passages that hold a word of the question and show at the two instants."""
        horizon = self._timeline.horizon(known_at)
        known, average = self._known(horizon)
        tails, places, weights = self._postings(words, horizon, known)
        if not tails:
            return NO_HITS
        count = self._add_up(tails, places, weights, horizon, average)
        touched = self._touched[:count].copy()
        scores, matched = self._scores[touched], self._matched[touched]
        self._scores[touched], self._matched[touched] = 0, 0
        shows = self._of.shows(touched, horizon, valid_at)
        touched, scores, matched = touched[shows], scores[shows], matched[shows]
        # by score, ties by number
        best = np.lexsort((touched, -scores))[:limit]
        return WordHits(touched[best], scores[best], matched[best])

    def _add_up(self, tails: list[int], places: list[int], weights: list[float], horizon: int, average: float) -> int:
        room = len(self._first)
        if len(self._scores) < room:
            self._scores = np.zeros(room + room // 4, dtype=np.float32)
            self._matched = np.zeros(room + room // 4, dtype=np.uint64)
        self._touched = np.empty(room, dtype=np.int32)
        documents, events = self._of.documents_and_events()
        return int(
            kernels.score(
                np.array(tails, dtype=np.int32), np.array(places, dtype=np.int32), np.array(weights, dtype=np.float32),
                self._chains.after, self._passages.view, self._counts.view, self._lengths.view, documents, events,
                horizon, average, self._scores, self._matched, self._touched,
            )
        )  # fmt: skip

    def _postings(
        self, words: Sequence[QueryWord], horizon: int, known: int
    ) -> tuple[list[int], list[int], list[float]]:
        """(last row, word, weight) of each term of the words that some passage holds, side by side."""
        tails, places, weights = [], [], []
        for place, word in enumerate(words[:WORDS_MAX]):
            found = self._terms_of(word)
            weight = _rarity(known, sum(self._holders(term, horizon) for term in found))
            for term in found:
                tails.append(self._chains.tail(term))
                places.append(place)
                weights.append(weight)
        return tails, places, weights

    def _terms_of(self, word: QueryWord) -> list[int]:
        return [term for key in word.keys if (term := self._terms.find(key)) >= 0 and self._chains.tail(term) >= 0]

    def _holders(self, term: int, horizon: int) -> int:
        if horizon == len(self._timeline):
            return self._terms.uses(term)
        documents, events = self._of.documents_and_events()
        chain = (self._chains.tail(term), self._chains.after, self._passages.view)
        return int(kernels.holders(*chain, documents, events, horizon))

    def _known(self, horizon: int) -> tuple[int, float]:
        """(passages known, words of one on average)."""
        if horizon == len(self._timeline):
            count, total = self._of.live, self._total
        else:
            documents, events = self._of.documents_and_events()
            reached = len(self._lengths)
            known = (events[:reached] < horizon) & (documents[:reached] >= 0)
            count, total = int(np.count_nonzero(known)), int(self._lengths.view[known].sum())
        return count, max(1.0, total / max(1, count))


NO_HITS = WordHits(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.uint64))


def _rarity(known: int, holders: int) -> float:
    return math.log(1 + (known - holders + 0.5) / (holders + 0.5))
