"""The words index: how fast texts go in, how fast a question's words find passages, and what a passage takes.

Beside SQLite's own full-text index (FTS5, Porter stems) in memory, over the same texts and questions. Texts are made-up
words whose frequencies fall as those of English do, with English function words between them.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import median

from benchmarks.figures import Figure, each_ms, figure, percentile, timed
from benchmarks.workload import SEED, Memories
from semurg.domain.events import DocumentsStored, ScopeOpened, StoredDocument, StoredPassage
from semurg.domain.instants import NO_END
from semurg.domain.terms import query_terms
from semurg.domain.visibility import At
from semurg.projections.kernels.jit import warm_up
from semurg.projections.scope import ScopeProjection

VOCABULARY = 60_000
CONTENT_WORDS, FUNCTION_WORDS = 90, 60
PASSAGES_A_CALL = 1_000
FOUND = 50
NEWEST = At(NO_END - 1, NO_END - 1)
_FUNCTION = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which"
)
# places in the vocabulary, the most frequent word first, that the words of a question are taken from
QUESTIONS = {
    "three rare words": ((500, 20_000), (500, 20_000), (500, 20_000)),
    "a common, a fair and a rare word": ((0, 20), (100, 1_000), (1_000, 20_000)),
    "three of the commonest words": ((0, 30), (0, 30), (0, 30)),
}


def measure(memories: Memories) -> list[Figure]:
    """Figures of the words index."""
    warm_up()
    return [one for passages in memories.sizes.word_scopes for one in _of(passages, memories.sizes.reads)]


def _of(passages: int, reads: int) -> Iterator[Figure]:
    chance = random.Random(SEED)
    vocabulary = [_word(number) for number in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    texts = [_text(chance, vocabulary, weights) for _ in range(passages)]
    stated = {"passages": passages, "words": CONTENT_WORDS + FUNCTION_WORDS}
    scope, bare = _opened(), _bare()
    with_index = timed(lambda: _store(scope, texts))
    bare_s = timed(lambda: _fill(bare, texts))
    yield figure(
        f"words: passages stored, {passages:,}", "1/s", [passages / with_index], limits=[passages / bare_s],
        limit_is="SQLite FTS5", sizes=stated,
    )  # fmt: skip
    yield figure(
        f"words: a passage's index, {passages:,}", "bytes", [scope.parts.words.nbytes / passages], sizes=stated
    )
    for kind, ranges in QUESTIONS.items():
        asked = [" ".join(vocabulary[chance.randrange(*one)] for one in ranges) for _ in range(reads)]
        ours = each_ms(lambda number, asked=asked: _ask(scope, asked[number]), reads)  # type: ignore[misc]
        theirs = each_ms(lambda number, asked=asked: _ask_bare(bare, asked[number]), reads)  # type: ignore[misc]
        yield figure(
            f"words: {kind}, {passages:,} passages", "ms", [median(ours)], p99=percentile(ours, 0.99),
            limits=[median(theirs)], limit_is="SQLite FTS5", sizes={**stated, "found": FOUND},
        )  # fmt: skip
    gone = random.Random(SEED).sample(range(passages), min(200, passages // 2))
    spent = each_ms(lambda number: scope.parts.words.erase(gone[number]), len(gone))
    yield figure(
        f"words: a passage erased from the index, {passages:,}", "ms", [median(spent)], p99=percentile(spent, 0.99),
        sizes=stated,
    )  # fmt: skip


def _word(number: int) -> str:
    chance = random.Random(number)
    syllables = (chance.choice("bcdfglmnprst") + chance.choice("aeiou") for _ in range(chance.randint(2, 4)))
    return "".join(syllables) + chance.choice(["", "s", "ing", "ed", "er", "tion"])


def _text(chance: random.Random, vocabulary: Sequence[str], weights: Sequence[float]) -> str:
    content = chance.choices(vocabulary, cum_weights=weights, k=CONTENT_WORDS)
    between = [*chance.choices(_FUNCTION.split(), k=FUNCTION_WORDS), *[""] * (CONTENT_WORDS - FUNCTION_WORDS)]
    return " ".join(f"{word} {other}".strip() for word, other in zip(content, between, strict=True)) + "."


def _opened() -> ScopeProjection:
    scope = ScopeProjection("bench", lambda *parts: "".join(parts))
    scope.apply(ScopeOpened("", "bench", 1), 1, 1)
    return scope


def _store(scope: ScopeProjection, texts: Sequence[str]) -> None:
    for first in range(0, len(texts), PASSAGES_A_CALL):
        documents = [
            StoredDocument(number, b"", "passage", len(text), [StoredPassage(number, 0, text, [0])])
            for number, text in enumerate(texts[first : first + PASSAGES_A_CALL], first)
        ]
        scope.apply(DocumentsStored(documents), first + 2, first + 2)


def _ask(scope: ScopeProjection, question: str) -> None:
    words = query_terms(question, scope.reads.languages(NEWEST))
    if not len(scope.reads.score_words(words, NEWEST, FOUND).passages):
        raise RuntimeError(f"nothing was found for {question}")


def _bare() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE passage USING fts5(text, content='', tokenize='porter unicode61')")
    return connection


def _fill(connection: sqlite3.Connection, texts: Sequence[str]) -> None:
    with connection:
        connection.executemany("INSERT INTO passage(rowid, text) VALUES (?, ?)", enumerate(texts))


def _ask_bare(connection: sqlite3.Connection, question: str) -> None:
    query = " OR ".join(question.split())
    sql = "SELECT rowid FROM passage WHERE passage MATCH ? ORDER BY rank LIMIT ?"
    if not connection.execute(sql, (query, FOUND)).fetchall():
        raise RuntimeError(f"nothing was found for {question}")
