"""Whether a passage found by meaning may stand for an answer, and how much of a question a text covers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semurg.domain.terms import QueryTerm, covers, text_terms
from semurg.domain.visibility import At
from semurg.projections.conversation import NOBODY, Conversation
from semurg.projections.parts import Parts
from semurg.projections.vectors import Embedded
from semurg.queries.context_plan import Plan
from semurg.queries.evidence import Question, Scored, weights_for
from semurg.queries.grounding import Meant

LEAST_SHARE_OF_FLOOR = 0.6
CONTRAST_WEIGHTS = (-0.56, 0.66, 0.58, -2.0, -3.18, 2.27, 1.71, -2.07)
"""For (own, others) of: the weighted sum, the cosine, the words covered, BM25 over what the words tell."""
CONTRAST_MAX = 0.0


class Answering:
    """Looks at what items say, for one question."""

    def __init__(self, words: Sequence[QueryTerm], rarity: Sequence[float]) -> None:
        self._words = words
        self._rarity = rarity
        self._total = sum(rarity) or 1.0

    def covered(self, text: str) -> float:
        """The share of what the question's words tell that a text holds."""
        terms = text_terms(text.replace("_", " "))
        held = (
            tells
            for word, tells in zip(self._words, self._rarity, strict=True)
            if tells and covers(word, terms, self._words)
        )
        return sum(held) / self._total

    def meant(
        self,
        parts: Parts,
        at: At,
        question: Question,
        scored: Scored,
        passages: Sequence[int],
        planned: Plan,
        floor: float | None,
    ) -> Meant | None:
        """Which of the passages shown (best first) meaning found to answer in other words; None: none of them.

        In prose: the nearest passage, not under the model's floor, when the question names nothing stored and no name
        that the passage lacks. In a conversation a name may be that of the person asked about: then a turn of theirs,
        unless what is asked stands rather in turns of somebody else.
        """
        if question.vector is None or floor is None or not passages:
            return None
        talk = Conversation(parts, at)
        turns = [place for place, passage in enumerate(passages) if talk.label(passage) is not None]
        if turns and turns[0] == 0:
            return self._in_conversation(parts, talk, question, scored, passages, planned, floor)
        exact = [seed for seed in planned.seeds if seed.stage == "exact"]
        cosines = parts.vectors.cosines(Embedded.PASSAGE, question.vector, list(passages))
        place = int(np.nanargmax(np.nan_to_num(cosines, nan=-1.0)))
        if exact or not cosines[place] >= floor:
            return None
        return Meant(place, not self._lacks_a_name(parts.passages.text(passages[place]), question.text))

    def _in_conversation(
        self,
        parts: Parts,
        talk: Conversation,
        question: Question,
        scored: Scored,
        passages: Sequence[int],
        planned: Plan,
        floor: float,
    ) -> Meant | None:
        assert question.vector is not None
        own = [
            place
            for place, passage in enumerate(passages)
            if question.asked == NOBODY or talk.speaker(passage) == question.asked
        ]
        others = {seed.entity for seed in planned.seeds if seed.stage == "exact"}.difference(planned.speakers)
        if not own:
            return None
        place = own[0]
        nearest = np.nan_to_num(
            parts.vectors.cosines(Embedded.PASSAGE, question.vector, [passages[one] for one in own])
        )
        named = parts.mentions.entities_of(passages[place])
        if float(nearest.max()) < floor * LEAST_SHARE_OF_FLOOR or not others.issubset(named):
            return None
        return Meant(place, contrast(scored, question) <= CONTRAST_MAX)

    def _lacks_a_name(self, text: str, query: str) -> bool:
        terms = text_terms(text)
        return any(
            word.start > 0 and not word.stop and query[word.start].isupper() and not covers(word, terms, self._words)
            for word in self._words
        )


def contrast(scored: Scored, question: Question) -> float:
    """How much rather what is asked stands in the turns of others than in those of the person asked about.

    Above CONTRAST_MAX the question puts to one what another said or did. Weights by `benchmarks fit-context` (logistic
    regression over the best of each feature on either side, on questions of which a part asks what never happened).
    """
    features = scored.features.astype(np.float64)
    own = features[:, 5] > 0 if question.asked != NOBODY else np.ones(len(features), dtype=np.bool_)
    others = features[:, 6] > 0
    spoken_for = np.array([*weights_for(question.vector).features])
    spoken_for[5:7] = 0
    sums = features @ spoken_for
    tells = sum(question.rarity) or 1.0
    sides = []
    for column in (sums, features[:, 3], features[:, 10], features[:, 0] / tells):
        sides += [float(column[side].max()) if side.any() else 0.0 for side in (own, others)]
    return float(np.dot(CONTRAST_WEIGHTS, sides))
