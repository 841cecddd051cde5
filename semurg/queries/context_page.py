"""Which of what was found a reply shows: what is named, passages and facts in their one order, while there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from semurg.domain.limits import BYTES_A_TOKEN
from semurg.domain.visibility import At
from semurg.projections.scope import ScopeProjection
from semurg.queries.context_finding import Finding, FoundFact
from semurg.queries.context_items import ContextItems
from semurg.queries.context_plan import ContextRequest, Plan
from semurg.queries.evidence import Scored
from semurg.queries.items import Item, text_bytes
from semurg.queries.walked import FACT, Walked

WALKED_ENTITIES_MAX = 24


class Page(NamedTuple):
    """The items, how many did not fit, and of each passage among the items its number, by place."""

    items: list[Item]
    left_out: int
    passages: dict[int, int]


class Choosing:
    """Chooses the items of one reply."""

    def __init__(
        self, scope: ScopeProjection, request: ContextRequest, planned: Plan, at: At, finding: Finding
    ) -> None:
        self._parts, self._reads = scope.parts, scope.reads
        self._number = scope.number
        self._request, self._plan, self._at, self._finding = request, planned, at, finding

    def page(self, scored: Scored, walked: Walked) -> Page:
        """The items that fit into k and the budget of tokens, best first."""
        named = [seed.entity for seed in self._plan.seeds]
        reached = sorted(walked.entities, key=lambda one: (-walked.entities[one].share, one))
        entities = list(dict.fromkeys([*named, *reached]))[: max(len(named), WALKED_ENTITIES_MAX)]
        make = ContextItems(self._reads, self._number, self._at, self._finding.seeds, entities)
        # a step over a fact counts: only what lies nearer than the last step has facts within reach
        near = [e for e in entities if e in walked.entities and walked.entities[e].hops < self._request.hops]
        facts = self._finding.facts(near, entities, walked, make.fact_text)
        return self._fill(make, scored, facts, walked)

    def _fill(self, make: ContextItems, scored: Scored, facts: Sequence[FoundFact], walked: Walked) -> Page:
        """Facts take half of the places as long as passages wait for theirs."""
        ranked = self._finding.ranking(scored, walked, facts)
        room, k = self._request.max_tokens * BYTES_A_TOKEN, self._request.k
        items, left_out = self._named_things(make, room)
        room -= sum(text_bytes(item["text"]) for item in items)
        passages: dict[int, int] = {}
        waiting = sum(not one.is_fact for one in ranked)
        fact_places = max(1, k // 2)
        for one in ranked:
            waiting -= not one.is_fact
            passage = -1 if one.is_fact else int(scored.passages[one.place])
            text = facts[one.place].text if one.is_fact else self._parts.passages.text(passage)
            size = text_bytes(text)
            crowded = one.is_fact and fact_places == 0 and waiting > 0
            if len(items) >= k or crowded or (size > room and items):
                left_out += 1
                continue
            room -= size
            score = round(1 / (1 + math.exp(-one.score / 8)), 4)
            if one.is_fact:
                fact_places -= 1
                items.append(self._fact(make, facts[one.place], walked, score))
            else:
                passages[len(items)] = passage
                self._finding.note(passage)
                items.append(self._passage(make, passage, walked, score))
        return Page(items, left_out, passages)

    def _named_things(self, make: ContextItems, room: int) -> tuple[list[Item], int]:
        """Entities that the question names or asks for by type, when there is more to say of them than their name.

        They take half of the places at most; also how many did not get one.
        """
        left_out = 0
        items: list[Item] = []
        for place, entity in enumerate(make.entities):
            seed = self._finding.seeds.get(entity)
            if seed is None or seed.stage not in ("exact", "spelling", "type"):
                continue
            told = self._reads.attributes_of(False, entity, self._at) or self._reads.types_of(entity, self._at)
            if told and len(items) >= max(1, self._request.k // 2):
                left_out += 1
            elif told:
                linked = self._reads.passages_of_entity(entity, self._at)[:1]
                items.append(make.entity(place, room // 4, linked, round(seed.weight, 4)))
        return items, left_out

    def _fact(self, make: ContextItems, found: FoundFact, walked: Walked, score: float) -> Item:
        reached = walked.evidence.get(FACT - found.fact.first) if found.fact.basis is None else None
        return make.fact(found.fact, 1 if reached is None else reached.hops, score)

    def _passage(self, make: ContextItems, passage: int, walked: Walked, score: float) -> Item:
        stage, hops, seed = self._stage_of(passage, walked)
        return make.passage(passage, self._reads.passage(passage), self._plan.words, stage, hops, score, seed)

    def _stage_of(self, passage: int, walked: Walked) -> tuple[str, int, int]:
        """(stage, steps, the named entity that it is linked to or -1)."""
        finding = self._finding
        linked = [one for one in self._parts.mentions.named_in(passage, finding.horizon) if one in finding.seeds]
        exact = [one for one in linked if finding.seeds[one].stage in ("exact", "spelling")]
        if passage in finding.by_words:
            return "word", 0, exact[0] if exact else -1
        if exact:
            return "name", 1, exact[0]
        if passage in finding.nearest:
            return "meaning", 0, -1
        hops = walked.evidence[passage].hops if passage in walked.evidence else 1
        return "graph", max(1, hops), linked[0] if linked else -1
