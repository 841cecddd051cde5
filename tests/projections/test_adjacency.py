"""Adjacency answers as a scan over all rows does, however the rows came and whatever was folded in between."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.visibility import At
from semurg.projections import adjacency
from semurg.projections.adjacency import Adjacency, RowTimes
from semurg.projections.columns import Column

from . import naive

END = 2**63 - 1
ENTITIES = st.integers(0, 6)
TIMES = st.sampled_from([(0, END, 0, END), (0, END, 0, END), (0, 5, 0, END), (0, END, 9, END), (7, END, 0, END)])
ROW = st.tuples(ENTITIES, ENTITIES, st.integers(0, 3), TIMES)
MEANINGS = np.array([0, 1, 1, 2], dtype=np.int32)


class Graph:
    """Fact rows and their adjacency, with the plain lists beside them."""

    def __init__(self) -> None:
        self.sources, self.targets, self.types = Column(np.int32), Column(np.int32), Column(np.int32)
        self.times = RowTimes(*(Column(np.int64) for _ in range(4)))
        self.adjacency = Adjacency(self.sources, self.targets, self.types, self.times)

    def add(self, rows: list[tuple[int, int, int, tuple[int, int, int, int]]]) -> None:
        for source, target, type_id, times in rows:
            self.sources.append(source)
            self.targets.append(target)
            self.types.append(type_id)
            for column, time in zip(self.times, times, strict=True):
                column.append(time)
        self.adjacency.take_in()

    def erase(self, row: int) -> None:
        self.sources.cells[row] = self.targets.cells[row] = -1
        self.times.known_from.cells[row] = self.times.known_to.cells[row] = END

    @property
    def plain(self) -> tuple[list[int], list[int], list[Any]]:
        return self.sources.view.tolist(), self.targets.view.tolist(), [c.view.tolist() for c in self.times]


def chain_of(*ends: int) -> list[tuple[int, int, int, tuple[int, int, int, int]]]:
    return [(source, target, 0, (0, END, 0, END)) for source, target in pairwise(ends)]


@given(st.lists(st.lists(ROW, max_size=6), max_size=6), st.sets(st.integers(0, 20)), st.sampled_from([0, 3, 1024]))
def test_rows_of_an_entity_are_those_a_scan_finds(batches: list[list[Any]], erased: set[int], free: int) -> None:
    graph = Graph()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjacency, "TAIL_ROWS_FREE", free)
        for batch in batches:
            graph.add(batch)
            for row in erased & set(range(len(graph.sources))):
                graph.erase(row)
    sources, targets, times = graph.plain
    for entity in range(8):
        everything = graph.adjacency.all_rows(entity)
        assert [rows.tolist() for rows in everything] == [
            naive.rows_of(entity, sources, targets, inward) for inward in (False, True)
        ]
        for at in (At(0, 0), At(6, 10), At(7, 8)):
            assert [rows.tolist() for rows in graph.adjacency.visible_rows(entity, at)] == [
                naive.visible_rows(entity, sources, targets, inward, times, at) for inward in (False, True)
            ]


@given(st.lists(ROW, max_size=12), ENTITIES, st.integers(0, 2), st.booleans(), st.integers(1, 4))
def test_a_closure_takes_the_shortest_chain_of_the_lowest_rows(
    rows: list[Any], start: int, meaning: int, inbound: bool, links_max: int
) -> None:
    graph, at = Graph(), At(7, 8)
    graph.add(rows)
    sources, targets, times = graph.plain
    allowed = [
        row
        for row, (_, _, type_id, _) in enumerate(rows)
        if MEANINGS[type_id] == meaning and naive.shows(*(column[row] for column in times), *at)
    ]
    found = graph.adjacency.closure(start, meaning, MEANINGS, inbound, at, links_max)
    paths = {int(entity): found.path(entry) for entry, entity in enumerate(found.entities)}
    assert paths == naive.closure(start, allowed, sources, targets, inbound, links_max)
    assert len(paths) == len(found.entities)
    assert found.depths.tolist() == [len(found.path(entry)) for entry in range(len(found.entities))]
    assert found.depths.tolist() == sorted(found.depths.tolist())


def test_a_row_from_an_entity_to_itself_is_outbound_once() -> None:
    graph = Graph()
    graph.add(chain_of(3, 3))
    out, inbound = graph.adjacency.visible_rows(3, At(1, 1))
    assert (out.tolist(), inbound.tolist()) == ([0], [])


def test_a_closure_stops_after_six_links_and_never_returns_to_the_start() -> None:
    graph = Graph()
    graph.add(chain_of(0, 1, 2, 3, 4, 5, 6, 7, 0))
    found = graph.adjacency.closure(0, 0, MEANINGS, False, At(1, 1))
    assert found.entities.tolist() == [1, 2, 3, 4, 5, 6]
    assert found.path(5) == [0, 1, 2, 3, 4, 5]
    assert graph.adjacency.closure(0, 0, MEANINGS, True, At(1, 1)).entities.tolist() == [7, 6, 5, 4, 3, 2]


def test_a_closure_of_a_hub_is_complete_up_to_its_cap() -> None:
    graph, everything = Graph(), (0, END, 0, END)
    graph.add([(0, target, 0, everything) for target in range(1, 3_001)])
    found = graph.adjacency.closure(0, 0, MEANINGS, False, At(1, 1))
    assert found.entities.tolist() == list(range(1, 3_001))
    capped = graph.adjacency.closure(0, 0, MEANINGS, False, At(1, 1), reached_max=100)
    assert capped.entities.tolist() == list(range(1, 101))


def test_the_way_the_rows_were_batched_does_not_show() -> None:
    everything = (0, END, 0, END)
    rows = [(i % 7, i % 5, 0, everything) for i in range(5_000)]
    one, many = Graph(), Graph()
    one.add(rows)
    for start in range(0, 5_000, 13):
        many.add(rows[start : start + 13])
    for entity in range(7):
        for left, right in zip(one.adjacency.all_rows(entity), many.adjacency.all_rows(entity), strict=True):
            assert left.tolist() == right.tolist()


@pytest.mark.parametrize("entity", [-1, 99])
def test_an_entity_without_rows_has_none(entity: int) -> None:
    graph = Graph()
    graph.add(chain_of(0, 1))
    assert [rows.tolist() for rows in graph.adjacency.visible_rows(entity, At(1, 1))] == [[], []]
    assert [rows.tolist() for rows in graph.adjacency.all_rows(entity)] == [[], []]
    assert not len(graph.adjacency.closure(entity, 0, MEANINGS, False, At(1, 1)).entities)
