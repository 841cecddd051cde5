"""The order of what a recall found: which facts a page takes, and in which order it shows them.

Chosen in turns: the best of every relation, then the second of every relation, and so on, so that thousands of facts
of one relation never hide the few of another. Within a relation, and on the page, the later facts come first, then by
relation and by the other end's name. A page that follows goes on behind the marks of the page before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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


class FactsInOrder(NamedTuple):
    """The facts a page may take, best first, of `remaining` not shown yet; `total` with those shown before.

    `reached` is how many entities the facts join, seeds included.
    """

    turns: list[Turn]
    remaining: int
    total: int
    reached: int


def facts_in_order(reads: Reads, seeds: Sequence[int], at: At, k: int, marks: Marks) -> FactsInOrder:
    """The facts of the seeds, each once (the first seed wins), in the order in which pages take them; the first k at least."""
    rows, seed_of_row = _stored_rows(reads, seeds, at)
    columns = reads.fact_columns(rows)
    recency = reads.fact_recency(rows)
    ends = _other_ends(columns, seeds, seed_of_row)
    derived = _derived_candidates(reads, seeds, at)
    total = len(rows) + len(derived)
    reached = _reached(seeds, ends, derived)
    shown_stored = {relation: mark for (is_derived, relation), mark in marks.items() if not is_derived}
    dropped = 0
    if len(rows) > _ROWS_SORTED_WHOLE_MAX:
        kept, dropped = _rows_worth_sorting(reads, columns.type, recency, k, shown_stored)
        columns, recency, ends = FactColumns(*(column[kept] for column in columns)), recency[kept], ends[kept]
        seed_of_row = seed_of_row[kept]
    groups: dict[GroupKey, list[Candidate]] = {}
    for candidate in _stored_candidates(reads, columns, recency, ends, seed_of_row):
        groups.setdefault((False, candidate.relation), []).append(candidate)
    for candidate in derived:
        groups.setdefault((True, candidate.relation), []).append(candidate)
    in_turns: list[Turn] = []
    for key, group in groups.items():
        in_turns += _turns(group, marks.get(key))
    in_turns.sort()
    return FactsInOrder(in_turns, len(in_turns) + dropped, total, reached)


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
    reads: Reads, seeds: Sequence[int], at: At, mark: PassageMark | None
) -> tuple[list[tuple[int, int, int]], int]:
    """((recency, passage, seed's place) of the linked passages not shown yet, latest first, then by number; how many in all)."""
    seed_of: dict[int, int] = {}
    for place, seed in enumerate(seeds):
        for passage in reads.passages_of_entity(seed, at):
            seed_of.setdefault(passage, place)
    if not seed_of:
        return [], 0
    numbers = np.fromiter(seed_of, dtype=np.int64, count=len(seed_of))
    recency = reads.passage_recency(list(seed_of))
    order = np.lexsort((numbers, -recency))
    in_order = [
        (instant, number, seed_of[number])
        for instant, number in zip(recency[order].tolist(), numbers[order].tolist(), strict=True)
        if mark is None or (-instant, number) > (-mark.recency, mark.number)
    ]
    return in_order, len(seed_of)


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


def _other_ends(columns: FactColumns, seeds: Sequence[int], seed_of_row: Int32s) -> Int32s:
    """The end of each fact that is not its seed; of a fact that joins the seed to itself, the seed."""
    if len(seeds) == 1:
        return np.where(columns.source == seeds[0], columns.target, columns.source)
    seed = np.asarray(seeds, dtype=np.int32)[seed_of_row] if len(seeds) else seed_of_row
    return np.where(columns.source == seed, columns.target, columns.source)


def _reached(seeds: Sequence[int], ends: Int32s, derived: Sequence[Candidate]) -> int:
    reached = set(ends.tolist()) if len(ends) <= _ROWS_SORTED_WHOLE_MAX else set(np.unique(ends).tolist())
    reached.update(seeds)
    for candidate in derived:
        reached.add(candidate.source)
        reached.add(candidate.target)
    return len(reached)


def _rows_worth_sorting(
    reads: Reads, types: Int32s, recency: Int64s, k: int, shown: dict[str, GroupMark]
) -> tuple[Places, int]:
    """(places of the rows that the next k can come from; how many others are still to be shown after them).

    Of each relation that is what lies at or behind its mark, down to the k-th and all as recent as the k-th: who comes
    first among equally recent ones is for their names to say.
    """
    order = np.lexsort((-recency, types))
    bounds = np.flatnonzero(np.diff(types[order])) + 1
    kept: list[Places] = []
    dropped = 0
    for group in np.split(order, bounds):
        ranked = -recency[group]
        begin, sought = 0, k
        mark = shown.get(reads.type_name(int(types[group[0]])))
        if mark is not None:
            begin = int(np.searchsorted(ranked, -mark.recency, side="left"))
            sought += int(np.searchsorted(ranked, -mark.recency, side="right")) - begin
        last = min(begin + sought, len(group)) - 1
        if last < begin:
            continue
        end = int(np.searchsorted(ranked, ranked[last], side="right"))
        kept.append(group[begin:end])
        dropped += len(group) - end
    return (np.concatenate(kept) if kept else order[:0]), dropped


def _stored_candidates(
    reads: Reads, columns: FactColumns, recency: Int64s, ends: Int32s, seed_of_row: Int32s
) -> list[Candidate]:
    names = reads.names(ends.tolist())
    relations = {number: reads.type_name(number) for number in set(columns.type.tolist())}
    return [
        Candidate(False, -instant, relations[type_], name, fact, 0, seed, source, target, start, end, None)
        for instant, type_, name, fact, seed, source, target, start, end in zip(
            recency.tolist(),
            columns.type.tolist(),
            names,
            columns.fact.tolist(),
            seed_of_row.tolist(),
            columns.source.tolist(),
            columns.target.tolist(),
            columns.valid_from.tolist(),
            columns.valid_to.tolist(),
            strict=True,
        )
    ]


def _derived_candidates(reads: Reads, seeds: Sequence[int], at: At) -> list[Candidate]:
    found: dict[tuple[int, str, int], tuple[int, DerivedFact]] = {}
    for place, seed in enumerate(seeds):
        for fact in reads.derived_rows(seed, at):
            found.setdefault((fact.source, meaning(fact.type), fact.target), (place, fact))
    if not found:
        return []
    ends = [fact.target if fact.source == seeds[place] else fact.source for place, fact in found.values()]
    names = reads.names(ends)
    candidates = []
    for (place, fact), name in zip(found.values(), names, strict=True):
        start = fact.valid_from
        # with no start known there is only when it became known: with its last premise
        recency = start if start != UNKNOWN_START else int(reads.fact_recency(_rows(fact.premises)).max())
        candidates.append(
            Candidate(
                True, -recency, fact.type, name, fact.source, fact.target, place,
                fact.source, fact.target, start, fact.valid_to, fact,
            )
        )  # fmt: skip
    return candidates


def _rows(premises: Sequence[int]) -> Int32s:
    return np.asarray(premises, dtype=np.int32)


def _turns(group: list[Candidate], mark: GroupMark | None) -> list[Turn]:
    """The facts of one relation behind its mark, in order, each with its turn."""
    group.sort()
    begin, shown = (0, 0) if mark is None else (_begin(group, mark), mark.shown)
    return list(enumerate(group[begin:], start=shown))


def _begin(group: Sequence[Candidate], mark: GroupMark) -> int:
    """Where the facts behind the mark begin.

    Right behind the marked fact while it stands. When it was forgotten its name still says where it stood; names that
    agree as far as a mark keeps them are shown again rather than skipped.
    """
    for place, candidate in enumerate(group):
        if (candidate.first, candidate.second) == (mark.first, mark.second):
            return place + 1
    marked = (-mark.recency, mark.name)
    return sum((candidate.ranked, candidate.name[:NAME_CHARS_MAX]) < marked for candidate in group)
