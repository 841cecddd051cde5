"""Finding what bears on a question: by words, by meaning, by names and by the graph around them, in one ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.visibility import At
from semurg.projections.conversation import Conversation
from semurg.projections.scope import ScopeProjection
from semurg.projections.vectors import Embedded
from semurg.queries.answering import Answering
from semurg.queries.context_plan import ContextRequest, Meaning, Plan
from semurg.queries.evidence import Question, Scored, of_share, score_passages, weights_for
from semurg.queries.ranking import Candidate, facts_in_order
from semurg.queries.walked import FACT, Walked, walked_from

BY_WORDS_MAX = 1_000
WORD_CANDIDATES_MAX = 150
NEAREST_MAX = 100
LINKED_MAX = 64
FURTHER_MAX = 200
FOLLOWING_MAX = 40
WALK_PASSAGES = 20
WALK_SHARPNESS = 5.0
ENTITY_TRUST = 10.0
WALKED_ENTITIES_MAX = 24
FACTS_OF_WALK_MAX = 60
MEANING_SHARE_OF_FLOOR = 0.6
PERIOD_STEPS = 6


class Ranked(NamedTuple):
    """A passage or a fact in the one ranking. `place` is its row among the scored passages, or among the facts."""

    score: float
    is_fact: bool
    place: int


class FoundFact(NamedTuple):
    """A fact with what the walk brought it, and its text."""

    fact: Candidate
    share: float
    text: str


class Finding:
    """What is found for one question. `applied`: facts or passages of the period that it speaks of were found."""

    def __init__(
        self, scope: ScopeProjection, request: ContextRequest, planned: Plan, meaning: Meaning, at: At
    ) -> None:
        self._parts = scope.parts
        self._reads = scope.reads
        self._request = request
        self._plan = planned
        self._meaning = meaning
        self._at = at
        self.seeds = {seed.entity: seed for seed in planned.seeds}
        self.horizon = scope.parts.timeline.horizon(at.known_at)
        self.question = Question(request.query, planned.words, planned.rarity, meaning.vector, planned.asked)
        self.nearest: dict[int, float] = {}
        self.by_words: dict[int, tuple[float, int]] = {}
        self.applied = False
        self.look()

    @property
    def anything(self) -> bool:
        """Whether anything is named, or found by words or meaning."""
        return bool(self.seeds or self.by_words or self.nearest)

    def evidence(self) -> tuple[Scored, Walked]:
        """The passages worth a look, scored, and the walk from the best of them and from what is named."""
        scored = self.scored()
        walked = self._walk(scored)
        known = set(scored.passages.tolist())
        further = [number for number in walked.evidence if number > FACT and number not in known]
        further.sort(key=lambda number: (-walked.evidence[number].share, number))
        also = self._score(self._showing(further[:FURTHER_MAX]))
        both = Scored(
            np.concatenate([scored.passages, also.passages]),
            np.concatenate([scored.features, also.features]),
            np.concatenate([scored.sums, also.sums]),
        )
        return both, walked

    def scored(self) -> Scored:
        """The candidates of words, meaning and names, scored."""
        return self._score(self._candidates())

    def _score(self, passages: Sequence[int]) -> Scored:
        return score_passages(self._parts, self._at, self.question, passages, self.by_words)

    def look(self) -> None:
        """Look by words and by meaning."""
        parts, at = self._parts, self._at
        hits = self._reads.score_words(self._plan.words, at, BY_WORDS_MAX)
        self.by_words = {
            passage: (float(score), int(mask))
            for passage, score, mask in zip(
                hits.passages.tolist(), hits.scores.tolist(), hits.matched.tolist(), strict=True
            )
        }
        vector = self._meaning.vector
        if vector is not None:
            found = parts.vectors.nearest(Embedded.PASSAGE, vector, NEAREST_MAX, self._showing_array)
            named = bool(self.seeds or self.by_words)
            floor = self._meaning.floor
            if found and (named or (floor is not None and found[0][1] >= floor)):
                least = -1.0 if named or floor is None else floor * MEANING_SHARE_OF_FLOOR
                self.nearest = {passage: cosine for passage, cosine in found if cosine >= least}

    def _candidates(self) -> list[int]:
        """The passages to be scored, each once, all of them showing."""
        ordered: dict[int, None] = dict.fromkeys(list(self.by_words)[:WORD_CANDIDATES_MAX])
        ordered.update(dict.fromkeys(self.nearest))
        talk = Conversation(self._parts, self._at)
        following = talk.neighbours(np.array(list(ordered)[:FOLLOWING_MAX], dtype=np.int32), 1).tolist()
        for seed in self._plan.seeds:
            if seed.stage == "exact" and seed.entity not in self._plan.speakers:
                linked, _ = self._parts.mentions.links_of(seed.entity, self.horizon)
                following += linked[-LINKED_MAX:].tolist()
        ordered.update(dict.fromkeys(self._showing(one for one in following if one >= 0)))
        return list(ordered)

    def _showing(self, passages: Iterable[int]) -> list[int]:
        numbers = np.fromiter(dict.fromkeys(passages), dtype=np.int32)
        return self._showing_array(numbers).tolist()  # type: ignore[no-any-return]

    def _showing_array(self, passages: NDArray[np.int32]) -> NDArray[np.int32]:
        return self._parts.passages.showing(passages, self.horizon, self._at.valid_at)

    def _walk(self, scored: Scored) -> Walked:
        """Walk from the named entities, the rarer the more, and from the passages that score best."""
        order = np.lexsort((scored.passages, -scored.sums))[:WALK_PASSAGES]
        prior: dict[int, float] = {}
        if len(order):
            best = scored.sums[order]
            shares = np.exp((best - best[0]) * WALK_SHARPNESS)
            prior = dict(zip(scored.passages[order].tolist(), (shares / shares.sum()).tolist(), strict=True))
        worth = {seed.entity: seed.weight * self._rarity_of(seed.entity) for seed in self._plan.seeds}
        total, most = sum(worth.values()), max(worth.values(), default=0.0)
        trust = most / (most + ENTITY_TRUST) if prior else 1.0
        entities = {entity: trust * share / total for entity, share in worth.items() if total > 0}
        passages = {passage: (1 - trust if entities else 1.0) * share for passage, share in prior.items()}
        return walked_from(self._reads, self._at, entities, passages, self._request.hops)

    def _rarity_of(self, entity: int) -> float:
        parts = self._parts
        linked, _ = parts.mentions.links_of(entity, self.horizon)
        held = len(linked) + len(parts.facts.visible_rows(entity, self._at))
        return math.log(1 + (self._known_evidence + 1) / max(1, held)) ** 2

    @cached_property
    def _known_evidence(self) -> int:
        """How many passages and facts were known at the instant of the read."""
        parts = self._parts
        if self.horizon == len(parts.timeline):
            return parts.passages.live + parts.facts.live
        return parts.passages.count(self.horizon) + int(parts.facts.known(self.horizon).sum())

    def _facts_of(self, entities: Sequence[int]) -> list[Candidate]:
        """The facts of entities in the order of recall: of the period that the question speaks of, when some are."""
        for instants in (self._period_instants(), [self._at]):
            found: dict[tuple[bool, int, int, str], Candidate] = {}
            for at in instants:
                for _, fact in facts_in_order(self._reads, entities, at, FACTS_OF_WALK_MAX, {}).turns:
                    found.setdefault((fact.derived, fact.first, fact.second, fact.relation), fact)
            if found and instants != [self._at]:
                self.applied = True
            if found:
                return list(found.values())[:FACTS_OF_WALK_MAX]
        return []

    def _period_instants(self) -> list[At]:
        """Instants that between them meet every fact of the period that the question speaks of for sure."""
        time = self._request.time
        if time is None or not time.certain:
            return []
        start, end = time.from_us, time.to_us
        present = self._at.valid_at
        first = end - 1 if start == UNKNOWN_START else start
        last = max(start, present) if end == NO_END else end - 1
        middle = [first + (last - first) * step // PERIOD_STEPS for step in range(PERIOD_STEPS + 1)]
        return [At(self._at.known_at, instant) for instant in dict.fromkeys(reversed(middle))]

    def _fact_cosines(self, facts: Sequence[FoundFact]) -> list[float]:
        if self.question.vector is None:
            return [0.0] * len(facts)
        numbers = [fact.first if fact.basis is None else -1 for fact, _, _ in facts]
        cosines = self._parts.vectors.cosines(Embedded.FACT, self.question.vector, numbers)
        return np.nan_to_num(cosines).tolist()  # type: ignore[no-any-return]

    def nearness(self, instant: int) -> float:
        """How near an instant is to the period that the question speaks of, 0 to 1."""
        return 0.0 if self._request.time is None else self._request.time.nearness(instant)

    def facts(
        self, near: Sequence[int], entities: Sequence[int], walked: Walked, text_of: Callable[[Candidate], str]
    ) -> list[FoundFact]:
        """The facts of the entities that are near, with what the walk brought each and its text.

        `seed` of a candidate is its place among `entities`, which hold those that are near.
        """
        if not near:
            return []
        places = [entities.index(entity) for entity in near]
        found = []
        for one in self._facts_of(near):
            fact = one._replace(seed=places[one.seed])
            if fact.basis is None:
                share = walked.evidence[FACT - fact.first].share if FACT - fact.first in walked.evidence else 0.0
            else:
                ends = (walked.entities.get(fact.source), walked.entities.get(fact.target))
                share = min((end.share for end in ends if end is not None), default=0.0) / 4
            found.append(FoundFact(fact, share, text_of(fact)))
        return found

    def ranking(self, scored: Scored, walked: Walked, facts: Sequence[FoundFact]) -> list[Ranked]:
        """Passages and facts together, best first."""
        weights = weights_for(self.question.vector)
        ranked = []
        for row, passage in enumerate(scored.passages.tolist()):
            brought = walked.evidence[passage].share if passage in walked.evidence else 0.0
            score = float(scored.sums[row]) + weights.graph * of_share(brought)
            score += weights.dated * self.nearness(self._parts.passages.begins(passage))
            ranked.append(Ranked(score, False, row))
        cosines = self._fact_cosines(facts)
        answering = Answering(self.question.words, self.question.rarity)
        for row, (fact, share, text) in enumerate(facts):
            covered = answering.covered(text)
            score = weights.features[10] * covered + weights.graph * of_share(share)
            score += (weights.features[3] + weights.features[4]) * cosines[row]
            score += weights.features[0] * covered * sum(self.question.rarity)
            score += weights.dated * self.nearness(fact.start)
            ranked.append(Ranked(score, True, row))
        return sorted(ranked, key=lambda one: (-one.score, one.is_fact, one.place))

    def note(self, passage: int) -> None:
        """A passage is shown: one of the period that the question speaks of means that the period was met."""
        time = self._request.time
        if time is not None and time.certain and self.nearness(self._parts.passages.begins(passage)) == 1:
            self.applied = True
