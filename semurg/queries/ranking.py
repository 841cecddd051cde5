"""The order of what a recall found: which facts a page takes, and in which order it shows them.

Chosen in turns: the best of every relation, then the second of every relation, and so on, so that thousands of facts
of one relation never hide the few of another. Within a relation, and on the page, the later facts come first, then by
relation and by the other end's name. A page that follows goes on behind the marks of the page before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count, repeat
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from semurg.domain.instants import UNKNOWN_START
from semurg.domain.relations import meaning
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.projections.rows import DerivedFact, FactColumns, Int32s, Int64s
from semurg.queries.cursors import NAME_CHARS_MAX, GroupMark, PassageMark

# Up to here sorting every row in Python is as quick as looking for the few that a page can take.
_ROWS_SORTED_WHOLE_MAX = 512

GroupKey = tuple[bool, str]
Marks = dict[GroupKey, GroupMark]
Places = NDArray[np.intp]


class Candidate(NamedTuple):
    """One fact that a page may take. Candidates order as a page shows them: by the fields as they stand here.

    `ranked` is the instant of recency, negated. `first` and `second` are (fact, 0), or the ends of a derived fact: no
    two agree in all fields up to them. `seed` is the seed's place in the list of seeds.
    """

    derived: bool
    ranked: int
    relation: str
    name: str
    first: int
    second: int
    seed: int
    source: int
    target: int
    start: int
    end: int
    basis: DerivedFact | None

    @property
    def group(self) -> GroupKey:
        """What takes turns: the relation as spelled, derived facts apart."""
        return self.derived, self.relation


# A candidate behind its turn: its place within its relation, over all pages. These order as pages take them.
Turn = tuple[int, Candidate]


# (recency negated, other end's name, first, second, place in a list): orders the facts of one relation.
_Standing = tuple[int, str, int, int, int]
# A derived fact and the place of the seed that it was found from.
_DerivedOf = tuple[int, DerivedFact]


# (recency, passage, place of its seed)
RankedPassage = tuple[int, int, int]


class FactsInOrder(NamedTuple):
    """The facts a page may take, best first, of `remaining` not shown yet; `total` with those shown before.

    `reached` is how many entities the facts join, seeds included.
    """

    turns: list[Turn]
    remaining: int
    total: int
    reached: int


def facts_in_order(reads: Reads, seeds: Sequence[int], at: At, k: int, marks: Marks) -> FactsInOrder:
    """The facts of the seeds, each once (the first seed wins), in the order in which pages take them.

    Of the facts behind the marks at least the first `k` are among the turns; the others are only counted.
    """
    rows, seed_of_row = _stored_rows(reads, seeds, at)
    stored = _Stored.read(reads, seeds, rows, seed_of_row)
    derived = _derived(reads, seeds, at)
    total, reached = len(rows) + len(derived), _reached(seeds, stored.ends, derived)
    remaining = 0
    if len(rows) > _ROWS_SORTED_WHOLE_MAX:
        kept, remaining = _rows_worth_sorting(reads, stored, k, marks)
        stored = _Stored.read(reads, seeds, rows[kept], seed_of_row[kept])
    turns: list[Turn] = []
    for relation, standing in stored.standings(reads).items():
        behind, shown = _behind(standing, marks.get((False, relation)))
        remaining += len(behind)
        turns += enumerate(stored.candidates(relation, behind[:k]), start=shown)
    for relation, standing in _derived_standings(reads, seeds, derived).items():
        behind, shown = _behind(standing, marks.get((True, relation)))
        remaining += len(behind)
        turns += enumerate((_derived_candidate(relation, one, derived) for one in behind[:k]), start=shown)
    turns.sort()
    return FactsInOrder(turns, remaining, total, reached)


def marks_after(marks: Marks, taken: Sequence[Turn]) -> Marks:
    """The marks once the page has shown what it took, in the order of choosing."""
    result = dict(marks)
    for turn, candidate in taken:
        result[candidate.group] = GroupMark(
            derived=candidate.derived,
            relation=candidate.relation,
            shown=turn + 1,
            recency=-candidate.ranked,
            name=candidate.name[:NAME_CHARS_MAX],
            first=candidate.first,
            second=candidate.second,
        )
    return result


def passages_in_order(
    reads: Reads, linked: Sequence[Sequence[int]], k: int, mark: PassageMark | None
) -> tuple[list[RankedPassage], int]:
    """(the first k of the linked passages behind the mark, latest first, then by number; how many there are behind it).

    `linked` are the passages of each seed; one that several seeds have counts for the first.
    """
    passages = linked[0] if len(linked) == 1 else list(dict.fromkeys(chain.from_iterable(linked)))
    if not passages or (k == 0 and mark is None):
        return [], len(passages)
    recency, numbers = reads.passage_recency(passages), np.asarray(passages)
    if mark is not None:
        behind = (recency < mark.recency) | ((recency == mark.recency) & (numbers > mark.number))
        recency, numbers = recency[behind], numbers[behind]
    first = np.lexsort((numbers, -recency))[:k]
    seed_of: dict[int, int] = {}
    if len(linked) > 1:
        for place, of_seed in reversed(list(enumerate(linked))):
            seed_of.update(dict.fromkeys(of_seed, place))
    return [
        (instant, passage, seed_of.get(passage, 0))
        for instant, passage in zip(recency[first].tolist(), numbers[first].tolist(), strict=True)
    ], len(numbers)


def _stored_rows(reads: Reads, seeds: Sequence[int], at: At) -> tuple[Int32s, Int32s]:
    """(visible fact rows of all seeds, each once; the place of the seed that each came by)."""
    if len(seeds) == 1:
        rows = reads.fact_rows(seeds[0], at)
        return rows, np.zeros(len(rows), dtype=np.int32)
    found = [reads.fact_rows(seed, at) for seed in seeds]
    if not found:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    rows = np.concatenate(found)
    places = np.repeat(np.arange(len(found), dtype=np.int32), [len(one) for one in found])
    _, first = np.unique(rows, return_index=True)
    first.sort()
    return rows[first], places[first]


class _Stored(NamedTuple):
    """Visible fact rows side by side: fields, recency, the end that is not the seed, and the seed's place."""

    columns: FactColumns
    recency: Int64s
    ends: Int32s
    seeds: Int32s

    @classmethod
    def read(cls, reads: Reads, seeds: Sequence[int], rows: Int32s, seed_of_row: Int32s) -> Self:
        """The rows' fields; of a fact that joins its seed to itself the other end is the seed."""
        columns = reads.fact_columns(rows)
        if len(seeds) == 1:
            ends = np.where(columns.source == seeds[0], columns.target, columns.source)
        else:
            own = np.asarray(seeds, dtype=np.int32)[seed_of_row]
            ends = np.where(columns.source == own, columns.target, columns.source)
        return cls(columns, reads.fact_recency(rows), ends, seed_of_row)

    def standings(self, reads: Reads) -> dict[str, list[_Standing]]:
        """By relation, where each of its rows stands; the last number is the row's place here."""
        names = reads.names(self.ends.tolist())
        by_type: dict[int, list[_Standing]] = {}
        places = zip((-self.recency).tolist(), names, self.columns.fact.tolist(), repeat(0), count(), strict=False)
        for type_, standing in zip(self.columns.type.tolist(), places, strict=False):
            of_type = by_type.get(type_)
            if of_type is None:
                by_type[type_] = [standing]
            else:
                of_type.append(standing)
        return {reads.type_name(type_): standings for type_, standings in by_type.items()}

    def candidates(self, relation: str, standings: Sequence[_Standing]) -> list[Candidate]:
        """The rows that stand there, in the order given."""
        columns = self.columns
        # single cells of a memoryview cost a third of numpy's
        seeds, sources, targets = self.seeds.data, columns.source.data, columns.target.data
        starts, ends = columns.valid_from.data, columns.valid_to.data
        return [
            Candidate(
                False, ranked, relation, name, fact, 0, seeds[place], sources[place], targets[place],
                starts[place], ends[place], None,
            )
            for ranked, name, fact, _, place in standings
        ]  # fmt: skip


def _reached(seeds: Sequence[int], ends: Int32s, derived: Sequence[_DerivedOf]) -> int:
    reached = set(ends.tolist() if len(ends) <= _ROWS_SORTED_WHOLE_MAX else np.unique(ends).tolist())
    reached.update(seeds)
    for _, fact in derived:
        reached.add(fact.source)
        reached.add(fact.target)
    return len(reached)


def _rows_worth_sorting(reads: Reads, stored: _Stored, k: int, marks: Marks) -> tuple[Places, int]:
    """(places of the rows that the next k can come from; how many others are still to be shown after them).

    Of each relation that is what lies at or behind its mark, down to the k-th and all as recent as the k-th: who comes
    first among equally recent ones is for their names to say.
    """
    types, recency = stored.columns.type, stored.recency
    order = np.lexsort((-recency, types))
    bounds = np.flatnonzero(np.diff(types[order])) + 1
    kept: list[Places] = []
    left = 0
    for group in np.split(order, bounds):
        ranked = -recency[group]
        begin, sought = 0, k
        mark = marks.get((False, reads.type_name(types.item(group[0]))))
        if mark is not None:
            begin = int(np.searchsorted(ranked, -mark.recency, side="left"))
            sought += int(np.searchsorted(ranked, -mark.recency, side="right")) - begin
        last = min(begin + sought, len(group)) - 1
        if last < begin:
            continue
        end = int(np.searchsorted(ranked, ranked[last], side="right"))
        kept.append(group[begin:end])
        left += len(group) - end
    return (np.concatenate(kept) if kept else order[:0]), left


def _derived(reads: Reads, seeds: Sequence[int], at: At) -> list[_DerivedOf]:
    """The derived facts of all seeds, each once."""
    found: dict[tuple[int, str, int], _DerivedOf] = {}
    for place, seed in enumerate(seeds):
        for fact in reads.derived_rows(seed, at):
            found.setdefault((fact.source, meaning(fact.type), fact.target), (place, fact))
    return list(found.values())


def _derived_standings(reads: Reads, seeds: Sequence[int], derived: Sequence[_DerivedOf]) -> dict[str, list[_Standing]]:
    """By relation, where each derived fact stands; the last number is its place in `derived`."""
    standings: dict[str, list[_Standing]] = {}
    names = reads.names(fact.target if fact.source == seeds[place] else fact.source for place, fact in derived)
    for place, ((_, fact), name) in enumerate(zip(derived, names, strict=True)):
        start = fact.valid_from
        if start == UNKNOWN_START:
            # there is only when it became known: with its last premise
            start = reads.fact_recency(np.asarray(fact.premises, dtype=np.int32)).max().item()
        standings.setdefault(fact.type, []).append((-start, name, fact.source, fact.target, place))
    return standings


def _derived_candidate(relation: str, standing: _Standing, derived: Sequence[_DerivedOf]) -> Candidate:
    ranked, name, source, target, place = standing
    seed, fact = derived[place]
    return Candidate(
        True, ranked, relation, name, source, target, seed, source, target, fact.valid_from, fact.valid_to, fact
    )


def _behind(standings: list[_Standing], mark: GroupMark | None) -> tuple[list[_Standing], int]:
    """(the facts of one relation behind its mark, in order; how many came before).

    They begin right behind the marked fact while it stands. When it was forgotten its name still says where it stood;
    names that agree as far as a mark keeps them are shown again rather than skipped.
    """
    standings.sort()
    if mark is None:
        return standings, 0
    for place, (_, _, first, second, _) in enumerate(standings):
        if (first, second) == (mark.first, mark.second):
            return standings[place + 1 :], mark.shown
    marked = (-mark.recency, mark.name)
    before = sum((ranked, name[:NAME_CHARS_MAX]) < marked for ranked, name, _, _, _ in standings)
    return standings[before:], mark.shown
