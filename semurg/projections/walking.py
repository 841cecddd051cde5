"""The neighbourhood of a question: what lies a few steps from its seeds, and how near it is by personalised PageRank.

Places are entities and passages. A step goes along a fact, either way, or between a passage and an entity it names, as
known and true at the two instants. What is read is bounded whatever the scope holds: a hub is followed to its newest
links only, while all of its links, up to DEGREE_MAX, share what it passes on. Links are taken newest first, and what
was recorded later than asked does not show, so that a read of the past is that of a memory rebuilt up to then.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from semurg.domain.visibility import At
from semurg.projections.facts import Facts
from semurg.projections.kernels import pagerank as kernels
from semurg.projections.kernels.jit import warm_up
from semurg.projections.mentions import Mentions
from semurg.projections.names import Names
from semurg.projections.passages import Passages
from semurg.projections.rows import Int32s
from semurg.projections.timeline import Timeline, time_views

Float64s = NDArray[np.float64]
_Ranked = tuple[Int32s, Float64s, Int32s]

DEGREE_MAX = 4_096
"""Links of one kind that are counted at a place."""
FIRST_PLACES = 512
FIRST_EDGES = 1_024
GROWTH = 8


class NodeKind(IntEnum):
    """What a place of the walk is; the low bit of its key."""

    ENTITY = 0
    PASSAGE = 1


class WalkParameters(NamedTuple):
    """How a walk spreads (kernels.pagerank.weigh and push) and how much it may touch.

    `stop`, above 0 and at most 1: how likely a walk stops at each step. `epsilon`: what may wait at a place for each of
    its edges without being passed on. `fact_share`: of an entity with facts and passages. `hub_damping` 0: hubs weigh
    as others do. `sink`: beside the entities of a passage. At most `nodes_max` places, `edges_max` links, and
    `fanout_max` links of one kind (DEGREE_MAX at most) from one place.
    """

    stop: float = 0.3
    epsilon: float = 1e-4
    fact_share: float = 0.5
    hub_damping: float = 0.5
    opening_weight: float = 1.0
    sink: float = 0.0
    nodes_max: int = 8_192
    edges_max: int = 32_768
    fanout_max: int = 4_096


DEFAULT_WALK = WalkParameters()


class Walk(NamedTuple):
    """What was reached, each kind by score (best first), then by number: arrays side by side.

    A score of an entity or passage is the share of walks that stop there; of a fact (`facts` are its visible rows) how
    often a walk goes over it. Hops are steps from the nearest seed, 0 for seeds; of a fact the step that takes it, from
    1 on. `visited`: places looked at. `capped`: some links or places were left out.
    """

    entities: Int32s
    entity_scores: Float64s
    entity_hops: Int32s
    passages: Int32s
    passage_scores: Float64s
    passage_hops: Int32s
    facts: Int32s
    fact_scores: Float64s
    fact_hops: Int32s
    visited: int
    capped: bool


class _Neighbourhood(NamedTuple):
    """What kernels.pagerank.explore found, cut to length."""

    keys: NDArray[np.int64]
    hops: Int32s
    edge_ends: Int32s
    fact_counts: Int32s
    mention_counts: Int32s
    arrivals: Int32s
    edge_to: Int32s
    edge_rows: Int32s
    expanded: int
    capped: bool


class Walking:
    """Walks over the parts of one scope; holds nothing of its own."""

    def __init__(self, names: Names, facts: Facts, mentions: Mentions, passages: Passages, timeline: Timeline) -> None:
        warm_up()
        self._names = names
        self._facts = facts
        self._mentions = mentions
        self._passages = passages
        self._timeline = timeline

    def walk(
        self,
        seeds: Iterable[tuple[NodeKind, int, float]],
        hops: int,
        at: At,
        parameters: WalkParameters = DEFAULT_WALK,
    ) -> Walk:
        """Walk at most `hops` steps from seeds (kind, number, weight above 0; weights of one seed add up).

        Seeds that do not show are left out, and the lightest past `nodes_max`. The same question gives the same walk.
        """
        keys, start = self._starting(seeds, at, parameters.nodes_max)
        found = self._explore(keys, hops, at, parameters)
        chances = np.empty(len(found.edge_to), dtype=np.float64)
        kernels.weigh(
            found.keys, found.expanded, found.edge_ends, found.fact_counts, found.mention_counts, found.arrivals,
            found.edge_to, found.edge_rows, parameters.fact_share, parameters.hub_damping,
            parameters.opening_weight, parameters.sink, chances,
        )  # fmt: skip
        count = len(found.keys)
        scores, waiting = np.zeros(count), np.zeros(count)
        queue, queued = np.empty(count, dtype=np.int32), np.zeros(count, dtype=np.uint8)
        kernels.push(
            found.expanded, found.edge_ends, found.edge_to, chances, start, parameters.stop, parameters.epsilon,
            scores, waiting, queue, queued,
        )  # fmt: skip
        facts = self._flows(found, chances, scores, parameters.stop)
        numbers = (found.keys >> 1).astype(np.int32)
        is_passage = (found.keys & 1).astype(np.bool_)
        entities = _ranked(numbers[~is_passage], scores[~is_passage], found.hops[~is_passage])
        passages = _ranked(numbers[is_passage], scores[is_passage], found.hops[is_passage])
        return Walk(*entities, *passages, *facts, count, found.capped)

    def _starting(
        self, seeds: Iterable[tuple[NodeKind, int, float]], at: At, most: int
    ) -> tuple[NDArray[np.int64], Float64s]:
        """Keys of the seeds that show, heaviest first, and their shares of the start."""
        weights: dict[int, float] = {}
        for kind, number, weight in seeds:
            if weight > 0:
                key = 2 * number + kind
                weights[key] = weights.get(key, 0.0) + weight
        shown = sorted((key for key in weights if self._shows(key, at)), key=lambda key: (-weights[key], key))[:most]
        share = np.array([weights[key] for key in shown], dtype=np.float64)
        return np.array(shown, dtype=np.int64), share / share.sum() if len(share) else share

    def _shows(self, key: int, at: At) -> bool:
        number = key >> 1
        if key & 1 == NodeKind.ENTITY:
            return self._names.is_visible(number, at)
        if not self._passages.is_live(number):
            return False
        horizon = self._timeline.horizon(at.known_at)
        return len(self._passages.showing(np.array([number], dtype=np.int32), horizon, at.valid_at)) == 1

    def _explore(self, seeds: NDArray[np.int64], hops: int, at: At, parameters: WalkParameters) -> _Neighbourhood:
        facts, names = self._facts, self._names
        found, counts = np.empty(DEGREE_MAX, dtype=np.int32), np.empty(4, dtype=np.int64)
        places = min(parameters.nodes_max, max(FIRST_PLACES, 2 * len(seeds)))
        edges = min(parameters.edges_max, FIRST_EDGES)
        while True:
            keys, columns = np.empty(places, dtype=np.int64), np.empty((5, places), dtype=np.int32)
            edge_to, edge_rows = np.empty(edges, dtype=np.int32), np.empty(edges, dtype=np.int32)
            count = cast(Any, kernels.explore)(
                seeds, hops, parameters.nodes_max, parameters.edges_max, min(parameters.fanout_max, DEGREE_MAX),
                *facts.adjacency.lists(), facts.adjacency.listed, facts.row_sources.view, facts.row_targets.view,
                *time_views(facts.row_times), at.known_at, at.valid_at, names.known_from.view,
                *self._mentions.lists(), self._timeline.horizon(at.known_at), *self._passages.bounds(),
                keys, columns[0], columns[1], columns[2], columns[3], columns[4],
                edge_to, edge_rows, _table(places), found, counts,
            )  # fmt: skip
            _, used, expanded, capped = counts.tolist()
            if count != kernels.NO_ROOM:
                hops_of, ends, fact_counts, mention_counts, arrivals = (column[:count] for column in columns)
                return _Neighbourhood(
                    keys[:count], hops_of, ends, fact_counts, mention_counts, arrivals,
                    edge_to[:used], edge_rows[:used], expanded, bool(capped),
                )  # fmt: skip
            places = min(parameters.nodes_max, places * GROWTH)
            edges = min(parameters.edges_max, edges * GROWTH)

    @staticmethod
    def _flows(
        found: _Neighbourhood, chances: Float64s, scores: Float64s, stop: float
    ) -> tuple[Int32s, Float64s, Int32s]:
        room = len(found.edge_rows)
        rows, flows, steps = np.empty(room, dtype=np.int32), np.empty(room), np.empty(room, dtype=np.int32)
        count = kernels.fact_flows(
            found.expanded, found.hops, found.edge_ends, found.edge_rows, chances, scores, stop, _table(room),
            rows, flows, steps,
        )  # fmt: skip
        return _ranked(rows[:count], flows[:count], steps[:count])


def _table(entries: int) -> Int32s:
    return np.full(1 << (2 * entries + 1).bit_length(), -1, dtype=np.int32)


def _ranked(numbers: Int32s, scores: Float64s, hops: Int32s) -> _Ranked:
    order = np.lexsort((numbers, -scores))
    return numbers[order], scores[order], hops[order]
