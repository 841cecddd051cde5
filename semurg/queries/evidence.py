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

from semurg.domain.terms import QueryWord
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


WITH_MEANING = Weights((0.077, 0.130, 0.085, 2.5, 5.1, 1.48, -1.48, -0.91, 2.4, 0.35, 2.3), 2.0, 2.0)
WITHOUT_MEANING = Weights((0.14, 0.17, 0.09, 0.0, 0.0, 1.4, -1.4, -0.9, 2.4, 0.45, 3.0), 2.0, 2.0)

_ASKS = re.compile(r"[?\uff1f\u061f]\s*(?:\[[^\]]*\]\s*)?$")
_WHEN_ASKED = re.compile(
    r"^\s*(?:when|since when|how long|what (?:date|day|year|month|time)|which (?:date|day|year|month)|wann|seit wann|"
    r"wie lange|quand|depuis quand|combien de temps|cu[a\u00e1]ndo|desde cu[a\u00e1]ndo|quando|da quando|wanneer|"
    r"\u043a\u043e\u0433\u0434\u0430)\b|\u4ec0\u4e48\u65f6\u5019|\u4f55\u65f6|\u3044\u3064|\uc5b8\uc81c",
    re.IGNORECASE,
)
_SAYS_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|days?|morning|since|recently|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:19|20)\d\d|"
    r"gestern|heute|morgen|woche|monat|jahr|tage?|januar|februar|m\u00e4rz|mai|juni|juli|oktober|dezember|"
    r"hier|aujourd'hui|demain|semaine|mois|ans?|janvier|f\u00e9vrier|mars|avril|juin|juillet|ao\u00fbt|"
    r"ayer|hoy|ma\u00f1ana|semana|mes|a\u00f1os?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"ieri|oggi|domani|settimana|mese|anno|gennaio|febbraio|maggio|giugno|luglio|settembre|ottobre|dicembre|"
    r"\u0432\u0447\u0435\u0440\u0430|\u0441\u0435\u0433\u043e\u0434\u043d\u044f|\u0437\u0430\u0432\u0442\u0440\u0430)\b"
    r"|[\u5e74\u6708\u65e5]|\u6628\u5929|\u4eca\u5929|\u6628\u65e5|\uc5b4\uc81c",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """What a question comes to: its text, its content words (names of speakers left out) with how much each tells,
    its vector (None: no model), and the one speaker it asks about (NOBODY: none, or several)."""

    text: str
    words: Sequence[QueryWord]
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
    for row, passage in enumerate(numbers.tolist()):
        own, mask = by_words.get(passage, (0.0, 0))
        features[row, 0] = own
        for column, away in ((1, -1), (2, -2)):
            other = talk.neighbour(passage, away)
            if other >= 0:
                features[row, column] = by_words.get(other, (0.0, 0))[0]
        if question.asked != NOBODY:
            speaker = talk.speaker(passage)
            features[row, 5] = speaker == question.asked
            features[row, 6] = speaker != question.asked and talk.label(passage) is not None
        text = parts.passages.text(passage)
        features[row, 7] = _ASKS.search(text) is not None
        features[row, 8] = when_asked and _SAYS_WHEN.search(text) is not None
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
    """The cosine with each passage's vector and those of its neighbours added up."""
    mixed = np.zeros((len(numbers), len(query)), dtype=np.float32)
    for away, share in NEIGHBOURS:
        if away == 0:
            near = numbers
        else:
            near = np.array([talk.neighbour(passage, away) for passage in numbers.tolist()], dtype=np.int32)
        mixed += share * parts.vectors.rows(Embedded.PASSAGE, near)
    lengths = np.linalg.norm(mixed, axis=1)
    return np.where(lengths > 0, mixed @ query / np.where(lengths > 0, lengths, 1), 0).astype(np.float32)


def of_share(share: float) -> float:
    """What the walk brought to a place, on a scale of logarithms."""
    return math.log1p(share / 1e-4)
