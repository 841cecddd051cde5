"""The words index beside BM25 written out in plain Python, over random histories, erasures and instants."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import DocumentsForgotten, DocumentsStored, ScopeOpened, StoredDocument, StoredPassage
from semurg.domain.instants import date_from_text
from semurg.domain.names import is_stop_word, match_key, words
from semurg.domain.terms import QueryTerm, alternatives, pieces, query_terms, text_language
from semurg.domain.tokens import plain_tokens
from semurg.domain.visibility import At
from semurg.projections.scope import ScopeProjection

LISTED = """
adoption agency running runs Dana Dana's K-77 user_id the and école 3.5 1,000 2023-05-07 children went don't U.S.A. 🎉
東京タワー 서울에서 new york the of is you Berlin wohnen ist nicht das und
"""
WORDS = LISTED.split()
LATER = 2**62


def opened() -> ScopeProjection:
    scope = ScopeProjection("s", lambda *parts: "/".join(map(str, parts)))
    scope.apply(ScopeOpened("", "scope", 1), 1, 1)
    return scope


def stored(number: int, text: str, date: str | None = None) -> StoredDocument:
    passage = StoredPassage(number, 0, text, [0])
    return StoredDocument(number, b"%016d" % number, "content", len(text), [passage], date)


class Naive:
    """Passages as (event, date, text); BM25 counted afresh for each question."""

    def __init__(self) -> None:
        self.passages: dict[int, tuple[int, str | None, str]] = {}

    def known(self, horizon: int) -> dict[int, tuple[Counter[str], int]]:
        return {
            number: bag
            for number, (event, _, text) in self.passages.items()
            if event < horizon and (bag := self.bag(text))[1]
        }

    @staticmethod
    def bag(text: str) -> tuple[Counter[str], int]:
        found: Counter[str] = Counter()
        length = 0
        tokens = plain_tokens(text)
        language = text_language(tokens)
        for token in tokens:
            for piece in pieces(token, language):
                if not piece.left_out:
                    length += not piece.is_part
                    found.update(piece.tagged)
        return found, length

    def languages(self, horizon: int) -> set[str]:
        return {text_language(plain_tokens(self.passages[number][2])) for number in self.known(horizon)} | {"english"}

    def scores(self, words: list[QueryTerm], horizon: int) -> dict[int, tuple[float, set[int]]]:
        known = self.known(horizon)
        mean = sum(length for _, length in known.values()) / max(len(known), 1)
        scored: dict[int, tuple[float, set[int]]] = {}
        for place, word in enumerate(words):
            if word.stop or not word.weight:
                continue
            terms = alternatives(word, self.languages(horizon))
            # the terms of a word under one language are forms of it: the most frequent stands for all
            by_language: dict[str, int] = {}
            for term in terms:
                language = term.partition(":")[0]
                holding = sum(bag[term] > 0 for bag, _ in known.values())
                by_language[language] = max(holding, by_language.get(language, 0))
            holders = min(sum(by_language.values()), len(known))
            idf = math.log(1 + (len(known) - holders + 0.5) / (holders + 0.5))
            for number, (bag, length) in known.items():
                times = min(max(bag[term] for term in terms), 255)
                if times:
                    earned = times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
                    before, matched = scored.get(number, (0.0, set()))
                    scored[number] = before + word.weight * idf * earned, matched | {place}
        return scored


def play(seed: int, steps: int) -> tuple[ScopeProjection, Naive, random.Random]:
    chance = random.Random(seed)
    scope, naive = opened(), Naive()
    number, position = 0, 1
    for _ in range(steps):
        position += 1
        event = position - 1
        if naive.passages and chance.random() < 0.3:
            gone = chance.sample(sorted(naive.passages), k=min(len(naive.passages), chance.randint(1, 4)))
            scope.apply(DocumentsForgotten("h", gone, gone, following=[0, 0, number, number, 0, 0]), position, position)
            for one in gone:
                del naive.passages[one]
            continue
        documents = []
        for _ in range(chance.randint(1, 6)):
            # a redacted log leaves numbers out
            number += chance.random() < 0.1
            text = " ".join(chance.choices(WORDS, k=chance.randint(1, 30)))
            date = chance.choice([None, "2020-01-01", "2024-01-01"])
            documents.append(stored(number, text, date))
            naive.passages[number] = event, date, text
            number += 1
        scope.apply(DocumentsStored(documents), position, position)
    return scope, naive, chance


@pytest.mark.parametrize("seed", range(12))
def test_scores_are_those_of_plain_bm25_at_every_instant(seed: int) -> None:
    scope, naive, chance = play(seed, 40)
    for _ in range(25):
        known_at = chance.choice([LATER, chance.randint(1, 42)])
        valid_at = date_from_text(chance.choice(["2019-06-01", "2022-06-01", "2030-01-01"])).start
        asked_words = query_terms(
            " ".join(chance.choices(WORDS, k=chance.randint(1, 5))), scope.reads.languages(At(known_at, 0))
        )
        horizon = scope.parts.timeline.horizon(known_at)
        expected = naive.scores(asked_words, horizon)
        true_by_then = {
            one
            for one in expected
            if (date := naive.passages[one][1]) is None or date_from_text(date).start <= valid_at
        }
        hits = scope.reads.score_words(asked_words, At(known_at, valid_at), 1_000)
        assert set(hits.passages.tolist()) == true_by_then
        for passage, score, matched in zip(*(column.tolist() for column in hits), strict=True):
            assert score == pytest.approx(expected[passage][0], rel=1e-5)
            assert {bit for bit in range(64) if matched >> bit & 1} == expected[passage][1]
        order = [(-score, passage) for passage, score in zip(hits.passages.tolist(), hits.scores.tolist(), strict=True)]
        assert order == sorted(order)
        few = scope.reads.score_words(asked_words, At(known_at, valid_at), 3)
        assert few.passages.tolist() == hits.passages.tolist()[:3]
        asked = np.array(chance.choices(range(len(scope.parts.passages)), k=9), dtype=np.int32)
        given = scope.reads.word_scores(asked_words, asked, At(known_at, valid_at))
        assert given.tolist() == pytest.approx([expected.get(one, (0.0,))[0] for one in asked.tolist()], rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_erased_leaves_nothing_and_its_room_is_used_again(seed: int) -> None:
    scope, naive, _ = play(seed, 60)
    postings = scope.parts.words._postings
    held = {term for _, _, text in naive.passages.values() for term in naive.bag(text)[0]}
    assert len(postings) == len(held)
    for term, number in zip(sorted(held), postings.find(sorted(held)), strict=True):
        holding = [one for one, (_, _, text) in sorted(naive.passages.items()) if naive.bag(text)[0][term]]
        assert postings.passages_of(number).tolist() == holding
    everything, position = sorted(naive.passages), 1_000
    following = [0, 0, len(scope.parts.passages), len(scope.parts.passages), 0, 0]
    scope.apply(DocumentsForgotten("h", everything, everything, following=following), position, position)
    assert len(postings) == 0
    assert not postings._counts.view.any(), "no slot still says how often something occurred"
    before = postings.nbytes
    number = following[2]
    for turn in range(30):
        text = " ".join(WORDS)
        scope.apply(DocumentsStored([stored(number + turn, text)]), position + 2 * turn + 1, position + 2 * turn + 1)
        gone = [number + turn]
        forget = DocumentsForgotten("h", gone, gone, following=[0, 0, number + turn + 1, number + turn + 1, 0, 0])
        scope.apply(forget, position + 2 * turn + 2, position + 2 * turn + 2)
    assert len(postings) == 0
    assert postings.nbytes <= before + 64 * len(set(WORDS)), "blocks and term numbers are used again"


def test_a_word_that_most_passages_hold_only_lifts_what_a_rarer_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semurg.projections.words.FINDING_HOLDERS_MAX", 3)
    scope = opened()
    texts = [*["caroline sings"] * 6, "caroline adoption", "adoption papers", "other things"]
    scope.apply(DocumentsStored([stored(number, text) for number, text in enumerate(texts)]), 2, 2)
    at = At(LATER, LATER)
    hits = scope.reads.score_words(query_terms("caroline adoption"), at, 10)
    assert hits.passages.tolist() == [6, 7]
    assert hits.matched.tolist() == [0b11, 0b10]
    # with no rarer word, it finds
    assert scope.reads.score_words(query_terms("caroline"), at, 10).passages.tolist() == list(range(7))
    assert scope.reads.score_words(query_terms("caroline unheard"), at, 10).passages.tolist() == list(range(7))
    idfs = [scope.reads.word_idf(word, at) for word in query_terms("caroline adoption unheard")]
    assert idfs == pytest.approx([math.log(1 + 2.5 / 7.5), math.log(1 + 7.5 / 2.5), math.log(1 + 9.5 / 0.5)])


def test_a_word_is_found_in_every_language_that_the_scope_is_written_in() -> None:
    scope = opened()
    texts = [
        "Die Häuser sind nicht in der Stadt",
        "The houses were not in the city",
        "Les maisons ne sont pas dans la ville",
    ]
    scope.apply(DocumentsStored([stored(number, text) for number, text in enumerate(texts)]), 2, 2)
    at = At(LATER, LATER)
    assert set(scope.reads.languages(at)) == {"german", "english", "french"}
    for word, expected in (("Haus", [0]), ("house", [1]), ("maison", [2]), ("Stadt", [0])):
        assert scope.reads.score_words(query_terms(word), at, 10).passages.tolist() == expected


def test_stop_words_and_blanks_find_nothing_and_long_questions_are_bounded() -> None:
    scope = opened()
    at = At(LATER, LATER)
    assert scope.reads.score_words(query_terms("adoption"), at, 10).passages.tolist() == []
    scope.apply(DocumentsStored([stored(0, "the of and adoption"), stored(1, "w1 w2 w3")]), 2, 2)
    for text in ("", "the of and", "?!", "unheard"):
        assert scope.reads.score_words(query_terms(text), at, 10).passages.tolist() == []
    long = query_terms(" ".join(f"w{number}" for number in range(2_000)))
    assert scope.reads.score_words(long, at, 10).passages.tolist() == [1]
    assert scope.reads.score_words(query_terms("adoption w1"), at, 0).passages.tolist() == []


PARTS_LISTED = """
Dana Dana's dana-berg x.dana don don't 3.5 3 05 2023-05-07 U.S.A s t l'école école ecole C++ c 東京 東京タワー 서울
서울에서 ½ ㎏ 5kg ﬁne fine Straße strasse İstanbul istanbul
twenty-one one new-york York running run went go 猫 猫が กรุงเทพ
"""
TEXT_PARTS = st.sampled_from(PARTS_LISTED.split())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(TEXT_PARTS, min_size=1, max_size=6), min_size=1, max_size=8), TEXT_PARTS)
def test_passages_with_any_word_are_those_that_reading_every_text_finds(texts: list[list[str]], name: str) -> None:
    scope = opened()
    documents = [stored(number, " ".join(parts)) for number, parts in enumerate(texts)]
    scope.apply(DocumentsStored(documents), 2, 2)
    wanted = [word for word in words(match_key(name)) if not is_stop_word(word)]
    holding = [one for one in documents if set(wanted) & set(words(match_key(one.passages[0].text)))]
    assert scope.view.passages_with_any_word(wanted, []) == len(holding)
