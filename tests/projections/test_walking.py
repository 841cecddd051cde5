"""The walk finds what a plain search finds, scores it as power iteration does, and is bounded around hubs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain import events
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.visibility import At
from semurg.projections.walking import DEFAULT_WALK, NodeKind, Walk, WalkParameters
from tests.queries.scopes import NOW, Scope, start_of

ENTITY, PASSAGE = NodeKind.ENTITY, NodeKind.PASSAGE
PERIODS = [(None, None), (None, None), ("2020-01-01", "2021-01-01"), ("2030-01-01", None)]
PLACES = [(ENTITY, number) for number in range(5)] + [(PASSAGE, number) for number in range(4)]
FACT = st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["A", "B"]), st.sampled_from(PERIODS))
TEXT = st.tuples(st.lists(st.integers(0, 4), max_size=4, unique=True), st.sampled_from([None, "2019", "2030"]))
SEEDS = st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from([1.0, 0.5, 3.0])), min_size=1, max_size=3)
EXACT = DEFAULT_WALK._replace(epsilon=1e-12)

Node = tuple[int, int]


class Story:
    """A scope of five entities and what was said of them, with the same as plain lists beside it."""

    def __init__(self, said: Sequence[Any]) -> None:
        self.scope = Scope()
        for number in range(5):
            self.scope.entity(f"e{number}")
        self.facts: list[tuple[int, int, int, int, int]] = []
        self.texts: list[tuple[list[int], int, int]] = []
        self.instants = [self.scope.recorded_at]
        for one in said:
            if len(one) == 4:
                self._state(*one)
            else:
                self._tell(*one)
            self.instants.append(self.scope.recorded_at)

    def _state(self, source: int, target: int, kind: str, period: tuple[str | None, str | None]) -> None:
        triple = (f"e{source}", kind, f"e{target}")
        if triple in self.scope.facts:
            return
        self.scope.fact(*triple, *period)
        end = NO_END if period[1] is None else start_of(period[1])
        self.facts.append((source, target, start_of(period[0]), end, self.scope.recorded_at))

    def _tell(self, named: list[int], date: str | None) -> None:
        self.scope.document((".", [0], {f"e{number}": 3 * place for place, number in enumerate(named)}), date=date)
        self.texts.append((named, start_of(date), self.scope.recorded_at))

    def walk(self, seeds: Any, hops: int, at: At, parameters: WalkParameters = DEFAULT_WALK) -> Walk:
        return self.scope.projection.reads.walk(seeds, hops, at, parameters)

    # the oracle

    def edges(self, at: At) -> dict[Node, list[tuple[Node, int]]]:
        """Of every place that shows its links: the other end, and the row of the fact (-1 a mention, -2 an opening)."""
        links: dict[Node, list[tuple[Node, int]]] = {(ENTITY, number): [] for number in range(5)}
        for row, (source, target, begins, ends, known) in enumerate(self.facts):
            if known <= at.known_at and begins <= at.valid_at < ends:
                links[ENTITY, source].append(((ENTITY, target), row))
                if source != target:
                    links[ENTITY, target].append(((ENTITY, source), row))
        for passage, (named, begins, known) in enumerate(self.texts):
            if known <= at.known_at and begins <= at.valid_at:
                links[PASSAGE, passage] = []
                for place, number in enumerate(named):
                    kind = -2 if place == 0 else -1
                    links[PASSAGE, passage].append(((ENTITY, number), kind))
                    links[ENTITY, number].append(((PASSAGE, passage), kind))
        return links

    def expected(
        self, seeds: Any, hops_max: int, at: At, parameters: WalkParameters
    ) -> tuple[dict[Node, tuple[int, float]], dict[int, tuple[int, float]]]:
        """Places and facts with their steps and scores, by breadth-first search and power iteration."""
        links = self.edges(at)
        hops: dict[Node, int] = {}
        for kind, number, _ in seeds:
            if (kind, number) in links:
                hops[kind, number] = 0
        ring = list(hops)
        for hop in range(1, hops_max + 1):
            ring = [other for place in ring for other, _ in links[place]]
            ring = [other for other in dict.fromkeys(ring) if other not in hops]
            hops.update(dict.fromkeys(ring, hop))
        onward = {place: links[place] for place, hop in hops.items() if hop < hops_max}
        arrivals = dict.fromkeys(hops, 0)
        for every in onward.values():
            for other, _ in every:
                arrivals[other] += 1
        chances = {
            place: self._chances(every, place, links, onward, arrivals, parameters) for place, every in onward.items()
        }
        total = sum(weight for kind, number, weight in seeds if (kind, number) in hops)
        arrived = dict.fromkeys(hops, 0.0)
        for kind, number, weight in seeds:
            if (kind, number) in hops:
                arrived[kind, number] += weight / total
        scores = dict.fromkeys(hops, 0.0)
        flows: dict[int, tuple[int, float]] = {}
        for _ in range(200):
            following = dict.fromkeys(hops, 0.0)
            for place, share in arrived.items():
                every = onward.get(place)
                if not every:
                    scores[place] += share
                    continue
                scores[place] += parameters.stop * share
                for (other, row), chance in zip(every, chances[place], strict=True):
                    goes = (1 - parameters.stop) * share * chance
                    following[other] += goes
                    if row >= 0:
                        step, flow = flows.get(row, (99, 0.0))
                        flows[row] = (min(step, hops[place] + 1), flow + goes)
            arrived = following
        return {place: (hops[place], scores[place]) for place in hops}, flows

    @staticmethod
    def _chances(
        every: list[tuple[Node, int]], place: Node, links: Any, onward: Any, arrivals: Any, parameters: WalkParameters
    ) -> list[float]:
        weights = []
        for other, row in every:
            weight = 1.0
            if other[0] == ENTITY:
                degree = len(links[other]) if other in onward else arrivals[other]
                weight = max(1, degree) ** -parameters.hub_damping
            weights.append(weight * (parameters.opening_weight if row == -2 else 1.0))
        is_fact = [row >= 0 for _, row in every]
        facts = sum(weight for weight, fact in zip(weights, is_fact, strict=True) if fact)
        mentions = sum(weights) - facts if not all(is_fact) else 0.0
        both = any(is_fact) and not all(is_fact)
        of_fact = parameters.fact_share if both else 1.0
        of_mention = 1 - parameters.fact_share if both else 1.0
        sink = parameters.sink if place[0] == PASSAGE else 0.0
        return [
            of_fact * weight / facts if fact else of_mention * weight / (mentions + sink)
            for weight, fact in zip(weights, is_fact, strict=True)
        ]


def found_in(walk: Walk) -> tuple[dict[Node, tuple[int, float]], dict[int, tuple[int, float]]]:
    """The arrays of a walk as mappings."""
    places = {}
    for kind, numbers, scores, hops in (
        (ENTITY, walk.entities, walk.entity_scores, walk.entity_hops),
        (PASSAGE, walk.passages, walk.passage_scores, walk.passage_hops),
    ):
        for number, score, hop in zip(numbers.tolist(), scores.tolist(), hops.tolist(), strict=True):
            places[int(kind), number] = (hop, score)
    of_facts = zip(walk.facts.tolist(), walk.fact_scores.tolist(), walk.fact_hops.tolist(), strict=True)
    return places, {row: (hop, score) for row, score, hop in of_facts}


def same(left: dict[Any, tuple[int, float]], right: dict[Any, tuple[int, float]]) -> None:
    """Same keys, same steps, scores within what floating point leaves."""
    assert left.keys() == right.keys()
    for key in left:
        assert left[key][0] == right[key][0]
        assert left[key][1] == pytest.approx(right[key][1], abs=1e-8)


def weighted(seeds: Any) -> list[tuple[NodeKind, int, float]]:
    return [(kind, number, weight) for (kind, number), weight in seeds]


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.one_of(FACT, TEXT), max_size=14),
    SEEDS,
    st.integers(0, 3),
    st.data(),
    st.sampled_from(
        [EXACT, EXACT._replace(hub_damping=0.0, sink=2.0), EXACT._replace(fact_share=0.9, opening_weight=2.0)]
    ),
)
def test_a_walk_is_what_search_and_power_iteration_give(
    said: list[Any], seeds: list[Any], hops: int, data: st.DataObject, parameters: WalkParameters
) -> None:
    story = Story(said)
    at = At(data.draw(st.sampled_from(story.instants)), data.draw(st.sampled_from([NOW, start_of("2020-06-01")])))
    places, facts = story.expected(weighted(seeds), hops, at, parameters)
    walk = story.walk(weighted(seeds), hops, at, parameters)
    found = found_in(walk)
    same(found[0], places)
    same(found[1], facts)
    assert walk.visited == len(places)
    assert not walk.capped
    for scores in (walk.entity_scores, walk.passage_scores, walk.fact_scores):
        assert (np.diff(scores) <= 0).all()
    # pushing less loses at most what waits, an epsilon for each edge, and never adds
    coarse, _ = found_in(story.walk(weighted(seeds), hops, at, parameters._replace(epsilon=0.01)))
    edges = sum(map(len, story.edges(at).values())) + len(places)
    for place, (_, score) in places.items():
        assert score - 0.01 * edges <= coarse[place][1] <= score + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(FACT, TEXT), min_size=1, max_size=10), SEEDS, st.integers(1, 3), st.data())
def test_a_read_of_the_past_is_that_of_a_memory_that_ended_there(
    said: list[Any], seeds: list[Any], hops: int, data: st.DataObject
) -> None:
    whole = Story(said)
    cut = data.draw(st.integers(0, len(said)))
    before, at = Story(said[:cut]), At(whole.instants[cut], NOW)
    limits = DEFAULT_WALK._replace(nodes_max=4, edges_max=6)
    for parameters in (DEFAULT_WALK, limits):
        then = whole.walk(weighted(seeds), hops, at, parameters)
        rebuilt = before.walk(weighted(seeds), hops, at, parameters)
        for left, right in zip(then, rebuilt, strict=True):
            assert np.array_equal(left, right)


def hub(passages: int) -> Story:
    """e0 is named in all of many passages, e1 in the last of them and in one of its own."""
    story = Story([])
    stored = []
    for number in range(passages):
        named = [0, 0, 2, 1, 3, 5] if number == passages - 1 else [0, 0, 2]
        stored.append(events.StoredPassage(number, 3 * number, "..", [0], named))
    document = events.StoredDocument(0, bytes(16), "content", 3 * passages, stored, None, None)
    story.scope.commit(events.DocumentsStored(documents=[document]))
    own = events.StoredPassage(passages, 0, "..", [0], [1, 0, 2])
    story.scope.commit(
        events.DocumentsStored(documents=[events.StoredDocument(1, bytes(range(16)), "content", 2, [own], None, None)])
    )
    return story


def test_a_hub_is_followed_to_its_newest_links_and_drowns_nothing() -> None:
    story = hub(5_000)
    at = At(story.scope.recorded_at, NOW)
    walk = story.walk([(ENTITY, 0, 1.0), (ENTITY, 1, 1.0)], 2, at, DEFAULT_WALK._replace(nodes_max=600))
    assert walk.capped
    assert walk.visited <= 600
    # both names, then the one that has the rarer name alone, then the newest of what names the hub only
    assert walk.passages[:2].tolist() == [4_999, 5_000]
    assert walk.passages[2:].tolist() == list(range(4_999 - len(walk.passages) + 2, 4_999))
    assert walk.passage_scores[2] < walk.passage_scores[1] / 100


def test_what_a_hub_does_not_follow_keeps_its_share() -> None:
    story = hub(100)
    at = At(story.scope.recorded_at, NOW)
    walk = story.walk([(ENTITY, 0, 1.0)], 1, at, EXACT._replace(fanout_max=10))
    assert walk.capped
    assert walk.passages.tolist() == list(range(90, 100))
    assert walk.passage_scores.tolist() == pytest.approx([0.7 / 100] * 10)


def test_seeds_of_no_weight_or_that_do_not_show_are_left_out() -> None:
    story = Story([(0, 1, "A", (None, None)), ([0], "2030")])
    at = At(story.scope.recorded_at, NOW)
    seeds = [(ENTITY, 4, 0.0), (ENTITY, 99, 1.0), (PASSAGE, 0, 1.0), (PASSAGE, 7, 1.0), (ENTITY, 0, 2.0)]
    walk = story.walk(seeds, 1, at)
    assert found_in(walk)[0] == {(ENTITY, 0): (0, pytest.approx(0.3)), (ENTITY, 1): (1, pytest.approx(0.7))}
    nothing = story.walk([(ENTITY, 99, 1.0)], 3, at)
    assert nothing.visited == 0
    assert not len(nothing.entities) and not len(nothing.facts)


def test_nothing_forgotten_is_walked() -> None:
    story = Story([(0, 1, "A", (None, None)), ([0, 2, 1], None), ([2, 3], None)])
    scope = story.scope
    scope.commit(
        events.EntityForgotten(
            key_hash="x", entity=2, facts=[], passages=[1], documents=[1], assertions=[], following=[]
        )
    )
    at = At(scope.recorded_at, NOW)
    walk = story.walk([(ENTITY, 0, 1.0)], 3, at)
    assert sorted(walk.entities.tolist()) == [0, 1]
    assert walk.passages.tolist() == [0]
    assert story.walk([(ENTITY, 2, 1.0), (PASSAGE, 1, 1.0)], 3, At(story.instants[-1], NOW)).visited == 0


def test_many_seeds_share_the_links_that_may_be_followed() -> None:
    story = Story([(source, target, kind, (None, None)) for source in range(4) for target in range(4) for kind in "AB"])
    at = At(story.scope.recorded_at, NOW)
    walk = story.walk([(ENTITY, number, 1.0) for number in range(4)], 1, at, EXACT._replace(edges_max=4))
    assert walk.capped
    assert UNKNOWN_START < 0 < len(walk.facts) <= 4
