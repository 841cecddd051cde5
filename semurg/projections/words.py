"""The words index: how good passages are for the words of a question, by BM25 over their texts.

Everything a score rests on (how many passages there are, how long they are, how many hold a term) is counted over those
known at the instant of the read, so that a later or staged passage never changes an earlier answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from semurg.domain.languages import DEFAULT, listed
from semurg.domain.names import folded
from semurg.domain.terms import QueryTerm, alternatives, pieces
from semurg.domain.tokens import plain_tokens
from semurg.projections.bags import bags_of
from semurg.projections.candidates import Candidates
from semurg.projections.columns import Column
from semurg.projections.kernels import bm25
from semurg.projections.passages import Passages
from semurg.projections.postings import Postings
from semurg.projections.rows import Float32s, Int32s, WordHits

K1, B = 1.2, 0.75
FINDING_HOLDERS_MAX = 10_000
"""A word that more passages hold finds none by itself while a rarer one of the question finds some."""
SCORED_WORDS_MAX = 64
LENGTH_MAX = 65_535


class _Word(NamedTuple):
    """A query word as the index knows it: its place in the question, its terms, the passages with it, its worth."""

    place: int
    terms: tuple[int, ...]
    holders: int
    weight: float


class _Scoring(NamedTuple):
    """The words to score, rarest first; passages below `bound` are known; the mean of their lengths."""

    words: list[_Word]
    bound: int
    mean_length: float


class Words:
    """The terms of every passage (projections.postings), whose texts stay in `passages`.

    By passage number: the event that brought it, its length in words (0: it has none, or is erased), its language.
    """

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._postings = Postings()
        self._events, self._lengths, self._languages = Column(np.int32), Column(np.uint16), Column(np.uint8)
        self._indexed = 0
        self._total_length = 0

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return sum(part.nbytes for part in (self._postings, self._events, self._lengths, self._languages))

    # what events do

    def record(self, numbers: Sequence[int], event: int) -> None:
        """Take in live passages, their numbers ascending and above all before, that the event brought."""
        if not numbers:
            return
        missing = numbers[-1] + 1 - len(self._events)
        self._events.fill(event, missing)
        self._lengths.fill(0, missing)
        self._languages.fill(0, missing)
        bags = bags_of([self._passages.text(number) for number in numbers])
        for number, length, language in zip(numbers, bags.lengths, bags.languages, strict=True):
            length = min(length, LENGTH_MAX)
            self._lengths.cells[number], self._languages.cells[number] = length, language
            self._indexed += length > 0
            self._total_length += length
        self._postings.add(bags.hashes, np.repeat(np.array(numbers, dtype=np.int32), bags.sizes), bags.occurrences)

    def erase(self, number: int) -> None:
        """Forget the words of a passage whose text is still there; a term that no passage holds any more goes whole."""
        if number >= len(self._lengths) or not self._passages.is_live(number):
            return
        self._postings.erase(np.unique(bags_of([self._passages.text(number)]).hashes), number)
        self._total_length -= self._lengths.cells[number]
        self._indexed -= self._lengths.cells[number] > 0
        self._lengths.cells[number] = self._languages.cells[number] = 0

    # what reads and decisions ask

    def score(self, words: Sequence[QueryTerm], horizon: int, valid_at: int, limit: int) -> WordHits:
        """The best passages that events below the horizon brought and that are true at `valid_at`, for a question.

        Stop words count for nothing; of more than 64 words the rarest 64 are scored. A word that more than
        FINDING_HOLDERS_MAX passages hold only adds to what rarer words found, unless they found nothing: a question
        costs what its rarer words hold, however large the scope is.
        """
        scoring = self._scoring(words, horizon)
        found = Candidates()
        for word in scoring.words:
            finds = word.holders <= FINDING_HOLDERS_MAX or not found.count
            for term in word.terms:
                if finds:
                    self._find(found, word, term, scoring, valid_at)
                else:
                    self._lift(found, word, term, scoring)
        return found.best(limit)

    def scores_of(self, words: Sequence[QueryTerm], passages: Int32s, horizon: int) -> Float32s:
        """What `score` gives each of these passages, 0 where it holds none of the words or is not known yet."""
        scoring = self._scoring(words, horizon)
        numbers, place = np.unique(passages, return_inverse=True)
        known = numbers[(numbers >= 0) & (numbers < scoring.bound)]
        given = Candidates.of(known)
        for word in scoring.words:
            for term in word.terms:
                self._lift(given, word, term, scoring)
        scores = np.zeros(len(numbers), dtype=np.float32)
        scores[np.searchsorted(numbers, known)] = given.scores[: given.count]
        return scores[place]

    def idf(self, word: QueryTerm, horizon: int) -> float:
        """How much finding the word tells: ln(1 + (N - n + 0.5) / (n + 0.5)), n of N passages hold it."""
        bound = self._bound(horizon)
        known, _ = self._totals(bound)
        return _idf(known, self._word(0, word, self._spoken(bound), bound, known).holders)

    def languages(self, horizon: int) -> list[str]:
        """The languages of passages that events below the horizon brought, the most used first."""
        bound = self._bound(horizon)
        spoken = self._languages.view[:bound][self._lengths.view[:bound] > 0]
        counts = np.bincount(spoken, minlength=1)
        names = listed()
        return [names[place] for place in np.argsort(-counts, kind="stable").tolist() if counts[place]]

    def holding(self, words: Iterable[str]) -> Int32s:
        """Passages, ascending, whose text may hold one of these words of match keys whole; no other one does."""
        languages = (*listed(), "")
        found = [np.empty(0, dtype=np.int32)]
        for word in words:
            # a word of two kinds of script is two tokens: whoever holds it holds the first
            for token in plain_tokens(word)[:1]:
                tagged = {f":{folded(token)}"}
                for language in languages:
                    tagged.update(pieces(token, language)[0].tagged)
                terms = self._postings.find(sorted(tagged))
                found += [self._postings.passages_of(term) for term in terms if term >= 0]
        return np.unique(np.concatenate(found))

    # scoring

    def _scoring(self, words: Sequence[QueryTerm], horizon: int) -> _Scoring:
        bound = self._bound(horizon)
        known, total_length = self._totals(bound)
        if not known:
            return _Scoring([], bound, 1.0)
        languages = self._spoken(bound)
        asked = [(place, word) for place, word in enumerate(words) if not word.stop and word.weight]
        looked_up = [self._word(place, word, languages, bound, known) for place, word in asked]
        held = sorted((word for word in looked_up if word.holders), key=lambda word: (word.holders, word.place))
        return _Scoring(held[:SCORED_WORDS_MAX], bound, total_length / known)

    def _word(self, place: int, word: QueryTerm, languages: Sequence[str], bound: int, known: int) -> _Word:
        by_language: dict[str, int] = {}
        terms: list[int] = []
        tagged = alternatives(word, languages)
        for one, term in zip(tagged, self._postings.find(tagged), strict=True):
            holders = 0 if term < 0 else self._holders_below(term, bound)
            if holders:
                terms.append(term)
                language = one.partition(":")[0]
                by_language[language] = max(holders, by_language.get(language, 0))
        # the terms of one language are forms of one word, and next to no passage is in two languages
        holders = min(known, sum(by_language.values()))
        return _Word(place, tuple(terms), holders, word.weight * _idf(known, holders))

    def _holders_below(self, term: int, bound: int) -> int:
        everything = bound == len(self._events)
        return self._postings.holders(term) if everything else self._postings.holders_below(term, bound)

    def _spoken(self, bound: int) -> tuple[str, ...]:
        """The languages of the passages below `bound`, and English."""
        names = listed()
        used = np.flatnonzero(np.bincount(self._languages.view[:bound], minlength=1)).tolist()
        return tuple(dict.fromkeys((DEFAULT, *(names[place] for place in used))))

    def _bound(self, horizon: int) -> int:
        """Passages with a number below it were brought by events below the horizon."""
        count = len(self._events)
        if count and self._events.cells[count - 1] < horizon:
            return count
        return int(np.searchsorted(self._events.view, horizon))

    def _totals(self, bound: int) -> tuple[int, int]:
        """How many passages below `bound` hold words, and how many words those are."""
        later = self._lengths.view[bound:]
        if len(later) <= bound:
            return self._indexed - int(np.count_nonzero(later)), self._total_length - int(later.sum(dtype=np.int64))
        earlier = self._lengths.view[:bound]
        return int(np.count_nonzero(earlier)), int(earlier.sum(dtype=np.int64))

    def _find(self, found: Candidates, word: _Word, term: int, scoring: _Scoring, valid_at: int) -> None:
        found.make_room(self._postings.holders(term))
        found.count = bm25.find(
            term, word.place, word.weight, scoring.bound, valid_at, scoring.mean_length, K1, B, *self._postings.arrays,
            self._lengths.view, self._passages.valid_from, found.count, *found.columns,
        )  # fmt: skip

    def _lift(self, found: Candidates, word: _Word, term: int, scoring: _Scoring) -> None:
        bm25.lift(
            term, word.place, word.weight, scoring.mean_length, K1, B, *self._postings.arrays, self._lengths.view,
            found.order(), *found.columns[1:],
        )  # fmt: skip


def _idf(known: int, holders: int) -> float:
    return math.log(1.0 + (known - holders + 0.5) / (holders + 0.5))
