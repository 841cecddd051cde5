"""The walk of one question: from what it names and what fits its words, with what each place got by its number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.projections.walking import NodeKind, WalkParameters

FACT = -1
"""In `Walked.evidence` a fact f stands as FACT - f, a passage as its number."""
PARAMETERS = WalkParameters(stop=0.3, epsilon=1e-6, hub_damping=0.5, opening_weight=2.0, sink=0.3, nodes_max=4_096)


class Reached(NamedTuple):
    """A place that the walk came to: how much of it stopped there (of a fact: went over it), after how many steps."""

    share: float
    hops: int


class Walked(NamedTuple):
    """What was reached: entities by number; passages by number and facts as FACT - number. `visited`: places."""

    entities: dict[int, Reached]
    evidence: dict[int, Reached]
    visited: int


def walked_from(
    reads: Reads, at: At, entities: Mapping[int, float], passages: Mapping[int, float], hops: int
) -> Walked:
    """Walk from entities and passages, each with its share of the start, so many steps."""
    seeds = [(NodeKind.ENTITY, entity, share) for entity, share in entities.items() if share > 0]
    seeds += [(NodeKind.PASSAGE, passage, share) for passage, share in passages.items() if share > 0]
    found = reads.walk(seeds, hops, at, PARAMETERS)
    facts = reads.fact_columns(found.facts).fact.tolist()
    evidence = _by_number(found.passages.tolist(), found.passage_scores.tolist(), found.passage_hops.tolist())
    over = zip(facts, found.fact_scores.tolist(), found.fact_hops.tolist(), strict=True)
    for fact, share, steps in over:
        evidence.setdefault(FACT - fact, Reached(share, steps))
    reached = _by_number(found.entities.tolist(), found.entity_scores.tolist(), found.entity_hops.tolist())
    return Walked(reached, evidence, found.visited)


def _by_number(numbers: list[int], shares: list[float], hops: list[int]) -> dict[int, Reached]:
    return {number: Reached(share, steps) for number, share, steps in zip(numbers, shares, hops, strict=True)}
