"""Whether a passage found by meaning may stand for an answer, and how much of a question a text covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semurg.domain.names import folded, match_key
from semurg.domain.terms import QueryWord, language_of, term_keys
from semurg.domain.visibility import At
from semurg.projections.conversation import NOBODY
from semurg.projections.parts import Parts
from semurg.queries.evidence import Question, Scored
from semurg.queries.grounding import Meant

if TYPE_CHECKING:
    from semurg.queries.context import Plan


class Answering:
    """Looks at what items say, for one question."""

    def __init__(self, words: Sequence[QueryWord], rarity: Sequence[float]) -> None:
        self._words = words
        self._rarity = rarity
        self._total = sum(rarity) or 1.0

    def covered(self, text: str) -> float:
        """The share of what the question's words tell that a text holds."""
        keys = set(term_keys(text.replace("_", " "), language_of(text)))
        held = (
            tells
            for word, tells in zip(self._words, self._rarity, strict=True)
            if not keys.isdisjoint(word.keys)
        )
        return sum(held) / self._total

    def meant(
        self,
        parts: Parts,
        at: At,
        question: Question,
        scored: Scored,
        items: Sequence[dict[str, Any]],
        planned: Plan,
        floor: float | None,
        query: str,
    ) -> Meant | None:
        """The best passage among the items that meaning found, None when meaning found none above the floor."""
        return None
