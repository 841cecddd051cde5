"""The neighbourhood of a question: what can be reached from the entities it names and the passages that fit its words.

Personalised PageRank (Page et al., 1998; Haveliwala, 2002) over entities on one side and evidence, passages and facts,
on the other. Only what lies within the steps asked for is read, so that the cost follows the neighbourhood and not the
scope. An entity passes on as much as it got, shared among all that it is linked to: a hub gives each a little. Evidence
passes on to its entities by the square of their rarity, and part of it nowhere (SINK), so that what only common names
join stays apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.visibility import At
from semurg.projections.parts import Parts

STAYS = 0.3
"""The share of what arrives at a place that stays there."""
ROUNDS = 10
SINK = 20.0
ENTITIES_MAX = 400
LINKS_OF_ENTITY_MAX = 256
ENTITIES_OF_PASSAGE_MAX = 48
OPENS_WITH = 2.0
"""How much more a passage is about the entity that it opens with than about another that it names."""

FACT = -1
"""In `Walk.evidence` a fact f stands as FACT - f, a passage as its number."""


class Reached(NamedTuple):
    """A place that the walk came to: how much of it arrived and stayed there, after how many steps."""

    share: float
    hops: int


class Walk(NamedTuple):
    """What was reached: entities by number; passages by number and facts as FACT - number. `visited` counts both."""

    entities: dict[int, Reached]
    evidence: dict[int, Reached]
    visited: int


class _Graph:
    """The part of the graph that is read, with links side by side."""

    def __init__(self) -> None:
        self.entities: dict[int, int] = {}
        self.entity_hops: list[int] = []
        self.evidence: dict[int, int] = {}
        self.evidence_hops: list[int] = []
        self.degree: dict[int, float] = {}
        self.count: dict[int, int] = {}
        self.links: dict[tuple[int, int], float] = {}

    def entity(self, number: int, hops: int) -> int:
        place = self.entities.setdefault(number, len(self.entities))
        if place == len(self.entity_hops):
            self.entity_hops.append(hops)
        return place

    def proof(self, number: int, hops: int) -> int:
        place = self.evidence.setdefault(number, len(self.evidence))
        if place == len(self.evidence_hops):
            self.evidence_hops.append(hops)
        return place


def walk(parts: Parts, at: At, entities: Mapping[int, float], passages: Mapping[int, float], hops: int) -> Walk:
    """Walk from entities and passages (each with its share of the start; all shares together 1) so many steps.

    Everything is read at the two instants. The same input gives the same walk.
    """
    reader = _Reader(parts, at)
    graph = _Graph()
    for passage in passages:
        graph.proof(passage, 0)
    for entity in entities:
        graph.entity(entity, 0)
    new_entities, new_evidence = list(entities), list(passages)
    for hop in range(1, hops + 1):
        before_entities, before_evidence = len(graph.entities), len(graph.evidence)
        for entity in new_entities[: max(0, ENTITIES_MAX)]:
            reader.link_entity(graph, entity, hop)
        for evidence in new_evidence:
            if len(graph.entities) >= ENTITIES_MAX:
                break
            reader.link_evidence(graph, evidence, hop)
        new_entities = list(graph.entities)[before_entities:]
        new_evidence = list(graph.evidence)[before_evidence:]
    if hops:
        # what was named by evidence of the last step still has to hand on to the evidence that is there
        for entity in new_entities:
            reader.link_entity(graph, entity, hops, only_known=True)
    return _spread(graph, entities, passages, reader.known())


def _spread(graph: _Graph, entities: Mapping[int, float], passages: Mapping[int, float], known: int) -> Walk:
    ends = np.array(list(graph.links), dtype=np.int64).reshape(-1, 2)
    weights = np.fromiter(graph.links.values(), dtype=np.float64, count=len(graph.links))
    of_entity, of_evidence = ends[:, 0], ends[:, 1]
    count_e, count_p = len(graph.entities), len(graph.evidence)
    rarity = np.zeros(count_e)
    degree = np.ones(count_e)
    for entity, place in graph.entities.items():
        held = graph.count.get(entity, 1)
        rarity[place] = math.log(1 + known / max(1, held)) ** 2
        degree[place] = max(graph.degree.get(entity, 1.0), 1e-9)
    out = weights / degree[of_entity] if len(weights) else weights
    pulls = weights * rarity[of_entity] if len(weights) else weights
    total = np.bincount(of_evidence, pulls, count_p) + SINK
    back = pulls / total[of_evidence] if len(weights) else weights
    at_e: NDArray[np.float64] = np.zeros(count_e)
    at_p: NDArray[np.float64] = np.zeros(count_p)
    for number, share in entities.items():
        at_e[graph.entities[number]] += share
    for number, share in passages.items():
        at_p[graph.evidence[number]] += share
    stays_e, stays_p = np.zeros(count_e), np.zeros(count_p)
    for _ in range(ROUNDS):
        stays_e += STAYS * at_e
        stays_p += STAYS * at_p
        to_entities = np.bincount(of_entity, at_p[of_evidence] * back, count_e).astype(np.float64)
        to_evidence = np.bincount(of_evidence, at_e[of_entity] * out, count_p).astype(np.float64)
        at_e, at_p = (1 - STAYS) * to_entities, (1 - STAYS) * to_evidence
    return Walk(
        _reached(graph.entities, stays_e, graph.entity_hops),
        _reached(graph.evidence, stays_p, graph.evidence_hops),
        count_e + count_p,
    )


def _reached(places: Mapping[int, int], shares: NDArray[np.float64], hops: list[int]) -> dict[int, Reached]:
    return {number: Reached(float(shares[place]), hops[place]) for number, place in places.items()}


class _Reader:
    """Reads links at the two instants."""

    def __init__(self, parts: Parts, at: At) -> None:
        self._parts = parts
        self._at = at
        self._horizon = parts.timeline.horizon(at.known_at)

    def known(self) -> int:
        """How many passages and facts were known."""
        parts = self._parts
        if self._horizon == len(parts.timeline):
            return parts.passages.live + parts.facts.live
        return parts.passages.count(self._horizon) + int(parts.facts.known(self._horizon).sum())

    def link_entity(self, graph: _Graph, entity: int, hop: int, only_known: bool = False) -> None:
        """Link an entity to the passages that name it and to its facts."""
        if entity in graph.degree or not self._parts.names.is_visible(entity, self._at):
            return
        place = graph.entities[entity]
        linked, starts = self._parts.mentions.links_of(entity, self._horizon)
        weight = np.where(starts == 0, OPENS_WITH, 1.0)
        shows = self._parts.passages.shows(linked, self._horizon, self._at.valid_at)
        linked, weight = linked[shows], weight[shows]
        rows = self._parts.facts.visible_rows(entity, self._at)
        facts = np.unique(self._parts.facts.row_facts.view[rows])
        graph.degree[entity] = float(weight.sum()) + len(facts)
        graph.count[entity] = len(linked) + len(facts)
        known = [number in graph.evidence for number in linked.tolist()]
        if len(linked) > LINKS_OF_ENTITY_MAX:
            # of a hub, what is there already and the newest
            newest = np.arange(len(linked)) >= len(linked) - LINKS_OF_ENTITY_MAX
            keep = newest | np.array(known)
            linked, weight = linked[keep], weight[keep]
        for number, one in zip(linked.tolist(), weight.tolist(), strict=True):
            if only_known and number not in graph.evidence:
                continue
            graph.links[place, graph.proof(number, hop)] = one
        for fact in facts[-LINKS_OF_ENTITY_MAX:].tolist():
            if only_known and FACT - fact not in graph.evidence:
                continue
            graph.links[place, graph.proof(FACT - fact, hop)] = 1.0

    def link_evidence(self, graph: _Graph, evidence: int, hop: int) -> None:
        """Come to the entities of a passage or a fact; they are linked when they are walked from themselves."""
        parts = self._parts
        if evidence <= FACT:
            triple = parts.facts.triple(FACT - evidence)
            named = [] if triple is None else [triple[0], triple[2]]
        else:
            named = parts.mentions.named_in(evidence, self._horizon)[:ENTITIES_OF_PASSAGE_MAX]
        for entity in named:
            if parts.names.is_visible(entity, self._at):
                graph.entity(entity, hop)
