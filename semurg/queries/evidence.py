"""How much each passage and fact speaks to a question: features, and one weighted sum of them for both.

The weights were chosen by `python -m benchmarks fit-context` (listwise logistic regression, cross-validated by
conversation) and are the same for every scope; the second set serves while no model for meaning is armed. Scores are
on the scale of that regression: a difference of 1 is a factor of e in how likely the better one is what was asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.terms import QueryTerm
from semurg.domain.visibility import At
from semurg.projections.conversation import NOBODY, Conversation
from semurg.projections.parts import Parts
from semurg.projections.vectors import Embedded

NEIGHBOURS = ((0, 1.0), (-1, 0.5), (-2, 0.3), (1, 0.3))
"""How much the vectors of a turn's neighbours count beside its own when the turn is compared in its context."""
GROUP_BEST = 3
FEATURES = (
    "words", "words_before", "words_two_before", "meaning", "meaning_in_context", "said_by_asked", "said_by_other",
    "asks", "tells_when", "session", "covered",
)  # fmt: skip


class Weights(NamedTuple):
    """What each feature is worth, in the order of FEATURES; `graph` that of what the walk brought; `dated` of time."""

    features: tuple[float, ...]
    graph: float
    dated: float


WITH_MEANING = Weights((0.084, 0.102, 0.058, -0.359, 8.792, 1.506, -1.519, -0.884, 2.104, 0.325, 2.719), 2.0, 2.0)
WITHOUT_MEANING = Weights((0.226, 0.18, 0.138, 0.0, 0.0, 1.53, -1.543, -0.879, 2.191, 0.384, 2.681), 2.0, 2.0)

_QUESTION_MARKS = "?\uff1f\u061f"
NO_WORDS = (0.0, 0)
_WHEN_ASKED = re.compile(
    r"^\s*(?:when|since when|how long|what (?:date|day|year|month|time)|which (?:date|day|year|month)|wann|seit wann|"
    r"wie lange|quand|depuis quand|combien de temps|cu[a\u00e1]ndo|desde cu[a\u00e1]ndo|quando|da quando|wanneer|"
    r"\u043a\u043e\u0433\u0434\u0430)\b|\u4ec0\u4e48\u65f6\u5019|\u4f55\u65f6|\u3044\u3064|\uc5b8\uc81c",
    re.IGNORECASE,
)
_TIME_WORDS = frozenset(
    """
    yesterday today tonight tomorrow last next ago week weeks weekend weekends month months year years day days
    morning since recently january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday gestern heute morgen woche monat jahr tag tage tagen
    januar februar märz mai juni juli oktober dezember hier aujourd demain semaine mois an ans janvier février
    mars avril juin juillet août ayer hoy mañana semana mes año años enero febrero marzo abril mayo junio julio
    agosto ieri oggi domani settimana mese anno gennaio febbraio maggio giugno luglio settembre ottobre dicembre
    вчера сегодня завтра
    """.split()  # noqa: SIM905 - a list of so many words would take a page
)
_WORD = re.compile(r"[^\W\d_]+")
_NUMBERED_TIME = re.compile("(?<!\\d)(?:19|20)\\d\\d(?!\\d)|[年月日]|昨天|今天|어제")


class Question(NamedTuple):
    """What a question comes to: its text, its content words (names of speakers left out) with how much each tells,
    its vector (None: no model), and the one speaker it asks about (NOBODY: none, or several)."""

    text: str
    words: Sequence[QueryTerm]
    rarity: Sequence[float]
    vector: NDArray[np.float32] | None
    asked: int


class Scored(NamedTuple):
    """Passages (int32[n]) with their features (float32[n, len(FEATURES)]) and the weighted sums (float64[n])."""

    passages: NDArray[np.int32]
    features: NDArray[np.float32]
    sums: NDArray[np.float64]


def weights_for(vector: NDArray[np.float32] | None) -> Weights:
    """The weights that fit what there is to go by."""
    return WITHOUT_MEANING if vector is None else WITH_MEANING


def score_passages(
    parts: Parts, at: At, question: Question, passages: Sequence[int], by_words: Mapping[int, tuple[float, int]]
) -> Scored:
    """Score passages that show. `by_words` gives of passages their BM25 score and the mask of the words they hold."""
    numbers = np.array(passages, dtype=np.int32)
    features = np.zeros((len(numbers), len(FEATURES)), dtype=np.float32)
    if not len(numbers):
        return Scored(numbers, features, np.zeros(0))
    talk = Conversation(parts, at)
    when_asked = _WHEN_ASKED.search(question.text) is not None
    tells = sum(question.rarity) or 1.0
    groups: dict[tuple[int, int], list[float]] = {}
    for column, away in ((1, -1), (2, -2)):
        others = talk.neighbours(numbers, away).tolist()
        features[:, column] = [by_words.get(other, NO_WORDS)[0] for other in others]
    for row, passage in enumerate(numbers.tolist()):
        own, mask = by_words.get(passage, NO_WORDS)
        features[row, 0] = own
        if question.asked != NOBODY:
            speaker = talk.speaker(passage)
            features[row, 5] = speaker == question.asked
            features[row, 6] = speaker != question.asked and talk.label(passage) is not None
        text = parts.passages.text(passage)
        features[row, 7] = _asks(text)
        features[row, 8] = when_asked and _says_when(text)
        covered = sum(value for place, value in enumerate(question.rarity[:64]) if mask >> place & 1)
        features[row, 10] = covered / tells
        groups.setdefault(talk.group(passage), []).append(own)
    best = {group: sum(sorted(scores)[-GROUP_BEST:]) / GROUP_BEST for group, scores in groups.items()}
    features[:, 9] = [best[talk.group(passage)] if talk.label(passage) else 0.0 for passage in numbers.tolist()]
    if question.vector is not None:
        own_cosines = parts.vectors.cosines(Embedded.PASSAGE, question.vector, numbers)
        features[:, 3] = np.nan_to_num(own_cosines)
        features[:, 4] = _in_context(parts, talk, question.vector, numbers)
    return Scored(numbers, features, features @ np.array(weights_for(question.vector).features))


def _in_context(
    parts: Parts, talk: Conversation, query: NDArray[np.float32], numbers: NDArray[np.int32]
) -> NDArray[np.float32]:
    """The cosine with each passage's vector and those of its neighbours added up; 0 before any has a vector."""
    if parts.vectors.width != len(query):
        return np.zeros(len(numbers), dtype=np.float32)
    mixed = np.zeros((len(numbers), len(query)), dtype=np.float32)
    for away, share in NEIGHBOURS:
        near = talk.neighbours(numbers, away) if away else numbers
        mixed += share * parts.vectors.rows(Embedded.PASSAGE, near)
    lengths = np.linalg.norm(mixed, axis=1)
    return np.where(lengths > 0, mixed @ query / np.where(lengths > 0, lengths, 1), 0).astype(np.float32)


def _asks(text: str) -> bool:
    """Whether a text ends as a question does, a note in brackets behind it left aside."""
    text = text.rstrip()
    if text.endswith("]"):
        text = text[: text.rfind("[")].rstrip()
    return text[-1:] in _QUESTION_MARKS and text != ""


def _says_when(text: str) -> bool:
    """Whether a text holds a word or a number of time."""
    words = _WORD.findall(text.lower())
    return not _TIME_WORDS.isdisjoint(words) or _NUMBERED_TIME.search(text) is not None


def of_share(share: float) -> float:
    """What the walk brought to a place, on a scale of logarithms."""
    return math.log1p(share / 1e-4)
