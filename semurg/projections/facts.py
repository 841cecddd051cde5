"""Facts: the triples of a scope, their episodes as once known, and who asserted them.

A *fact* is a (source, type, target) under one number. A *row* is one episode of a fact over the time that it was held
to be so: rows change in nothing but `known_to`, when a later event no longer lists their episode. Columns only; the
texts of relation types are counted, and go with the last fact that has the type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.events import FactsRecorded
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.view import Episode
from semurg.domain.visibility import At
from semurg.projections.adjacency import Adjacency, RowTimes
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.counted import CountedTexts
from semurg.projections.hashindex import HashIndex, mix, mix_many
from semurg.projections.kernels import episodes as kernels
from semurg.projections.kernels import visibility
from semurg.projections.rows import FactColumns, Int32s, Int64s
from semurg.projections.statements import Statements
from semurg.projections.timeline import Timeline, instants

ERASED = -1
TRIPLES_IN_PYTHON_MAX = 8


class Triples(NamedTuple):
    """Facts with their ends and types, side by side."""

    facts: Int32s
    sources: Int32s
    types: Int32s
    targets: Int32s


class FactTable:
    """The rows of facts, and what is read off them. A fact without rows is forgotten, or was never recorded.

    A fact's ends and type are kept with its rows alone: every fact has one at least (see _append_placeholders).
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self.types = CountedTexts()
        self.statements = Statements(timeline)
        self.live = 0
        self._events = Column(np.int32)
        self._by_triple = HashIndex()
        self.row_facts = Column(np.int32)
        self.row_sources = Column(np.int32)
        self.row_types = Column(np.int32)
        self.row_targets = Column(np.int32)
        self.row_times = RowTimes(Column(np.int64), Column(np.int64), Column(np.int64), Column(np.int64))
        self._of_fact = Chains()
        self.adjacency = Adjacency(self.row_sources, self.row_targets, self.row_types, self.row_times)

    def __len__(self) -> int:
        """The next unused number."""
        return len(self._events)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        columns = (
            self._events, self.row_facts, self.row_sources, self.row_types, self.row_targets, *self.row_times,
        )  # fmt: skip
        indexes = self._by_triple.nbytes + self._of_fact.nbytes + self.adjacency.nbytes
        return self.types.nbytes + self.statements.nbytes + indexes + sum(column.nbytes for column in columns)

    def triple(self, fact: int) -> tuple[int, int, int] | None:
        """(source, type id, target) of a fact, None when it is forgotten or was never recorded."""
        tail = self._of_fact.tail(fact)
        if tail < 0:
            return None
        return self.row_sources.cells[tail], self.row_types.cells[tail], self.row_targets.cells[tail]

    def event_of(self, fact: int) -> int:
        """The event that brought a fact, below 0 when it is forgotten."""
        return int(self._events.cells[fact])

    # what reads ask

    def visible_rows(self, entity: int, at: At) -> Int32s:
        """Rows that touch the entity and show: outbound, then inbound, each ascending; a self fact is outbound."""
        return np.concatenate(self.adjacency.visible_rows(entity, at))

    def columns(self, rows: Int32s) -> FactColumns:
        """The fields of rows side by side."""
        times = self.row_times
        return FactColumns(
            self.row_facts.view[rows],
            self.row_sources.view[rows],
            self.row_types.view[rows],
            self.row_targets.view[rows],
            times.valid_from.view[rows],
            times.valid_to.view[rows],
        )

    def recency(self, rows: Int32s) -> Int64s:
        """What a row is as recent as, µs: the start of its episode, else when the fact was first stated."""
        starts = self.row_times.valid_from.view[rows]
        unknown = np.flatnonzero(starts == UNKNOWN_START)
        if len(unknown):
            events = self._events.view[self.row_facts.view[rows[unknown]]]
            starts[unknown] = self._timeline.instants_of(events)
        return starts

    def known(self, horizon: int) -> NDArray[np.bool_]:
        """By fact number: whether an event below the horizon brought it and it is not forgotten."""
        return (self._events.view < horizon) & (self._events.view != ERASED)  # type: ignore[no-any-return]

    def types_of(self, facts: Int32s) -> Int32s:
        """The type id of each fact that is not forgotten."""
        return self.row_types.view[self._of_fact.last[facts]]


class Facts(FactTable):
    """Every fact of a scope by number, as events make it and decisions ask for it."""

    # what events do

    def record(self, event: FactsRecorded, number: int, recorded_at: int) -> None:
        """Take in an event that has this number on the timeline."""
        if event.stated:
            self.statements.record(event, number)
        if len(event.numbers) == 1 and event.changed == event.numbers and event.episodes == [1]:
            self._record_one(event, number, recorded_at)
        else:
            self._settle(event, self._add(event, number), recorded_at)
        self.adjacency.take_in()

    def _record_one(self, event: FactsRecorded, number: int, recorded_at: int) -> None:
        """One new fact with one episode, without a trip through arrays: most calls assert just that."""
        fact, source, target = event.numbers[0], event.sources[0], event.targets[0]
        type_id = self.types.take(event.type_names[event.types[0]])
        self.make_numbers(fact + 1)
        self._events.cells[fact] = number
        self._by_triple.insert(mix(source, type_id, target), fact)
        self.live += 1
        self.row_facts.append(fact)
        self.row_sources.append(source)
        self.row_types.append(type_id)
        self.row_targets.append(target)
        times = self.row_times
        times.known_from.append(recorded_at)
        times.known_to.append(NO_END)
        times.valid_from.append(event.episode_from[0])
        times.valid_to.append(event.episode_to[0])
        self._of_fact.add(fact)

    def make_numbers(self, count: int) -> None:
        """Use up the numbers below `count`: those not recorded are erased."""
        missing = count - len(self._events)
        if missing > 0:
            self._events.fill(ERASED, missing)

    def _add(self, event: FactsRecorded, number: int) -> Triples:
        """Number the new facts and make them known by their triples."""
        new = _new_triples(event, self.types)
        if len(new.facts):
            self.make_numbers(int(new.facts.max()) + 1)
            self._events.view[new.facts] = number
            self._of_fact.make_owners(len(self._events))
            self._by_triple.insert_many(mix_many(new.sources, new.types, new.targets), new.facts)
            self.live += len(new.facts)
        return new

    def _settle(self, event: FactsRecorded, new: Triples, recorded_at: int) -> None:
        """Close the rows whose episodes are listed no more, add rows for the episodes that have none."""
        changed = np.array(event.changed, dtype=np.int32)
        counts = np.array(event.episodes, dtype=np.int32)
        starts = np.array(event.episode_from, dtype=np.int64)
        ends = np.array(event.episode_to, dtype=np.int64)
        added = np.zeros(len(starts), dtype=np.uint8)
        times = self.row_times
        appended = kernels.settle(
            changed, counts, starts, ends,
            self._of_fact.last, self._of_fact.after, times.valid_from.view, times.valid_to.view, times.known_to.view,
            NO_END, recorded_at, added,
        )  # fmt: skip
        facts = np.repeat(changed, counts)
        if appended < len(added):
            chosen = added.astype(np.bool_)
            facts, starts, ends = facts[chosen], starts[chosen], ends[chosen]
        self._append_rows(self._triples_of(facts, new), starts, ends, recorded_at, NO_END)
        self._append_placeholders(new, recorded_at)

    def _triples_of(self, facts: Int32s, new: Triples) -> Triples:
        """Ends and types of facts: of those that have rows from these, of the others from the event."""
        if len(facts) == len(new.facts) and np.array_equal(facts, new.facts):
            return new
        rows = self._of_fact.last[facts]
        stored = rows >= 0
        order = np.argsort(new.facts)
        told = order[np.searchsorted(new.facts, facts[~stored], sorter=order)]
        triples = Triples(facts, *(np.empty(len(facts), dtype=np.int32) for _ in range(3)))
        held = (self.row_sources, self.row_types, self.row_targets)
        for column, of_rows, of_event in zip(triples[1:], held, new[1:], strict=True):
            column[stored] = of_rows.view[rows[stored]]
            column[~stored] = of_event[told]
        return triples

    def _append_placeholders(self, new: Triples, recorded_at: int) -> None:
        """A fact whose episodes were all cut away in the call that made it has its ends in a row that never shows."""
        bare = np.flatnonzero(self._of_fact.last[new.facts] < 0)
        if len(bare):
            never = np.zeros(len(bare), dtype=np.int64)
            self._append_rows(Triples(*(column[bare] for column in new)), never, never, recorded_at, recorded_at)

    def _append_rows(self, triples: Triples, starts: Int64s, ends: Int64s, opened: int, closed: int) -> None:
        count = len(triples.facts)
        self.row_facts.extend(triples.facts)
        self.row_sources.extend(triples.sources)
        self.row_types.extend(triples.types)
        self.row_targets.extend(triples.targets)
        times = self.row_times
        times.known_from.fill(opened, count)
        times.known_to.fill(closed, count)
        times.valid_from.extend(starts)
        times.valid_to.extend(ends)
        self._of_fact.add_many(triples.facts)

    def erase(self, fact: int) -> None:
        """Forget a fact, at every instant: its rows, its statements, its place in the index, its use of the type."""
        tail = self._of_fact.tail(fact)
        if tail < 0:
            return
        type_id = self.row_types.cells[tail]
        self._by_triple.remove(mix(self.row_sources.cells[tail], type_id, self.row_targets.cells[tail]), fact)
        rows = self._of_fact.array(fact)
        self._of_fact.drop(fact)
        for ends in (self.row_facts, self.row_sources, self.row_types, self.row_targets):
            ends.view[rows] = ERASED
        for times in self.row_times:
            times.view[rows] = visibility.NEVER
        self._events.cells[fact] = ERASED
        self.statements.erase(fact)
        self.types.release(type_id)
        self.live -= 1

    # what decisions ask: the newest state

    def by_triple(self, sources: Sequence[int], types: Sequence[str], targets: Sequence[int]) -> list[int]:
        """Fact number of each (source, type, target), -1 where there is none."""
        if len(types) <= TRIPLES_IN_PYTHON_MAX:
            found_by_type = map(self.types.find, types)
            return [self._find(*triple) for triple in zip(sources, found_by_type, targets, strict=True)]
        known = {name: self.types.find(name) for name in set(types)}
        ids = [known[name] for name in types]
        wanted = [np.array(column, dtype=np.int32) for column in (sources, ids, targets)]
        found = self._by_triple.find_many(mix_many(*wanted))
        if not len(self.row_facts):
            return [-1] * len(ids)
        # a hash is no proof; only facts with rows are in the index, and any row stands in where nothing was found
        rows = np.maximum(self._of_fact.last[found], 0)
        columns = (self.row_sources, self.row_types, self.row_targets)
        same = np.all([column.view[rows] == value for column, value in zip(columns, wanted, strict=True)], axis=0)
        facts: list[int] = np.where(same & (found >= 0), found, -1).tolist()
        for index in np.flatnonzero(~same & (found >= 0)).tolist():
            facts[index] = self._find(sources[index], ids[index], targets[index])
        return facts

    def _find(self, source: int, type_id: int, target: int) -> int:
        """The fact with these ends and type; an end or type that is not stored is -1, and so finds none."""
        if source < 0 or type_id < 0 or target < 0:
            return -1
        sources, types, targets = self.row_sources.cells, self.row_types.cells, self.row_targets.cells
        hashed = mix(source, type_id, target)
        if self._by_triple.find(hashed) < 0:
            return -1
        for fact in self._by_triple.find_all(hashed):
            row = self._of_fact.tail(fact)
            if sources[row] == source and types[row] == type_id and targets[row] == target:
                return fact
        return -1

    def episodes(self, fact: int) -> list[Episode]:
        """The episodes that stand, in order of time."""
        times = self.row_times
        closed, starts, ends = times.known_to.cells, times.valid_from.cells, times.valid_to.cells
        return sorted(Episode(starts[row], ends[row]) for row in self._of_fact.rows(fact) if closed[row] == NO_END)

    def from_source(self, source: int, type: str) -> list[tuple[int, int]]:
        """(fact, target) of every fact with this source and type, by fact number."""
        type_id = self.types.find(type)
        if type_id < 0 or source < 0:
            return []
        outbound, _ = self.adjacency.all_rows(source)
        rows = outbound[self.row_types.view[outbound] == type_id]
        facts, first = np.unique(self.row_facts.view[rows], return_index=True)
        return list(zip(facts.tolist(), self.row_targets.view[rows[first]].tolist(), strict=True))

    def touching(self, entity: int) -> list[int]:
        """Every fact with the entity at either end, once each, ascending."""
        rows = np.concatenate(self.adjacency.all_rows(entity))
        return np.unique(self.row_facts.view[rows]).tolist()  # type: ignore[no-any-return]

    def instants_of(self, fact: int) -> Iterator[int]:
        """When the rows of a fact were opened and closed."""
        return instants(self.row_times, self._of_fact.rows(fact))


def _new_triples(event: FactsRecorded, types: CountedTexts) -> Triples:
    """The new facts of an event, their types taken into use. Names that none of them uses are not kept."""
    indexes = np.array(event.types, dtype=np.int32)
    uses = np.bincount(indexes, minlength=len(event.type_names)).tolist()
    named = zip(event.type_names, uses, strict=True)
    ids = np.array([types.take(name, used) if used else ERASED for name, used in named], dtype=np.int32)
    facts, sources, targets = (
        np.array(column, dtype=np.int32) for column in (event.numbers, event.sources, event.targets)
    )
    return Triples(facts, sources, ids[indexes], targets)
