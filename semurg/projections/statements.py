"""Who asserted which fact, when, and which sentence of a stored passage it rests on.

Statements are known from their event on, on both axes always; only a forgotten fact takes its statements away. A
document that is forgotten keeps its number in them: a citation then says that its source was forgotten.

Most statements state no end and quote no text, so both are kept aside, for those rows alone.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from semurg.domain.events import FactsRecorded
from semurg.domain.instants import NO_END
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.hashindex import HashIndex, mix
from semurg.projections.kernels import chains as kernels
from semurg.projections.rows import Statement
from semurg.projections.timeline import Timeline

NO_SPAN = (-1, 0, 0)


class Statements:
    """Statements by fact, in the order they were recorded.

    `_end_rows` are the rows that state an end, ascending, beside it; `_span_rows` those that quote, beside the passage
    and the span.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._of_fact = Chains()
        self._cited = Column(np.int32)
        self._starts = Column(np.int64)
        self._events = Column(np.int32)
        self._end_rows = Column(np.int32)
        self._ends = Column(np.int64)
        self._span_rows = Column(np.int32)
        self._span_passages = Column(np.int32)
        self._span_starts = Column(np.int32)
        self._span_ends = Column(np.int32)
        self._replacing = HashIndex()

    def __len__(self) -> int:
        """How many were recorded, those of forgotten facts included."""
        return len(self._cited)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        columns = (
            self._cited, self._starts, self._events, self._end_rows, self._ends,
            self._span_rows, self._span_passages, self._span_starts, self._span_ends,
        )  # fmt: skip
        return self._of_fact.nbytes + self._replacing.nbytes + sum(column.nbytes for column in columns)

    def record(self, event: FactsRecorded, number: int) -> None:
        """Take in the statements of an event, which has this number on the timeline."""
        first = len(self._cited)
        if len(event.stated) == 1:
            self._record_one(event, number)
        else:
            self._record_many(event, number)
        for place in event.replacing:
            said = (event.stated[place], event.stated_by[place], event.stated_from[place], event.stated_to[place])
            self._replacing.insert(mix(*said), first + place)

    def _record_many(self, event: FactsRecorded, number: int) -> None:
        first = self._of_fact.add_many(np.array(event.stated, dtype=np.int32))
        self._cited.extend(np.array(event.stated_by, dtype=np.int32))
        self._starts.extend(np.array(event.stated_from, dtype=np.int64))
        self._events.fill(number, len(event.stated))
        ends = np.array(event.stated_to, dtype=np.int64)
        ending = np.flatnonzero(ends != NO_END)
        self._end_rows.extend(first + ending)
        self._ends.extend(ends[ending])
        passages = np.array(event.span_passage, dtype=np.int32)
        quoting = np.flatnonzero(passages >= 0)
        self._span_rows.extend(first + quoting)
        self._span_passages.extend(passages[quoting])
        self._span_starts.extend(np.array(event.span_start, dtype=np.int32)[quoting])
        self._span_ends.extend(np.array(event.span_end, dtype=np.int32)[quoting])

    def _record_one(self, event: FactsRecorded, number: int) -> None:
        """The same for one statement, without a trip through arrays: most calls assert one fact."""
        row = self._of_fact.add(event.stated[0])
        self._cited.append(event.stated_by[0])
        self._starts.append(event.stated_from[0])
        self._events.append(number)
        if event.stated_to[0] != NO_END:
            self._end_rows.append(row)
            self._ends.append(event.stated_to[0])
        if event.span_passage[0] >= 0:
            self._span_rows.append(row)
            self._span_passages.append(event.span_passage[0])
            self._span_starts.append(event.span_start[0])
            self._span_ends.append(event.span_end[0])

    def of_fact(self, fact: int, known_at: int) -> list[Statement]:
        """The statements of a fact known at the instant, in the order recorded."""
        horizon, timeline, events = self._timeline.horizon(known_at), self._timeline, self._events.cells
        any_ends, found = len(self._end_rows), []
        for row in self._of_fact.rows(fact):
            event = events[row]
            if event < horizon:
                end = self._end(row) if any_ends else NO_END
                instant, position = timeline.entry(event)
                span = self._span(row)
                found.append(Statement(self._cited.cells[row], self._starts.cells[row], end, instant, position, *span))
        return found

    def _end(self, row: int) -> int:
        place = _place(self._end_rows, row)
        return NO_END if place < 0 else self._ends.cells[place]

    def _span(self, row: int) -> tuple[int, int, int]:
        place = _place(self._span_rows, row)
        if place < 0:
            return NO_SPAN
        return self._span_passages.cells[place], self._span_starts.cells[place], self._span_ends.cells[place]

    def stated(self, fact: int, cited: int, start: int, end: int) -> bool:
        """Whether the fact has this very statement."""
        tail = self._of_fact.tail(fact)
        if tail < 0:
            return False
        found = kernels.find_statement(
            self._of_fact.after, tail, self._cited.view, self._starts.view, self._end_rows.view, self._ends.view,
            cited, start, end, NO_END,
        )  # fmt: skip
        return bool(found >= 0)

    def replaced(self, fact: int, cited: int, start: int, end: int) -> bool:
        """Whether the fact has this very statement as one that came with `replaces`."""
        return self._replacing.find(mix(fact, cited, start, end)) >= 0

    def cited_by(self, fact: int) -> list[int]:
        """The source references of its statements, one each."""
        return self._cited.view[self._of_fact.array(fact)].tolist()  # type: ignore[no-any-return]

    def cited(self) -> NDArray[np.int32]:
        """The source reference of every statement; those of forgotten facts read 0, which is no assertion."""
        return self._cited.view

    def events_of(self, fact: int) -> list[int]:
        """The events that hold a statement of the fact."""
        return self._events.view[self._of_fact.array(fact)].tolist()  # type: ignore[no-any-return]

    def erase(self, fact: int) -> None:
        """Take away every statement of a fact."""
        rows: NDArray[np.int32] = self._of_fact.array(fact)
        self._of_fact.drop(fact)
        for row in rows.tolist():
            said = mix(fact, self._cited.cells[row], self._starts.cells[row], self._end(row))
            if row in self._replacing.find_all(said):
                self._replacing.remove(said, row)
        for column in (self._cited, self._starts, self._events):
            column.view[rows] = 0
        for row in rows.tolist():
            place = _place(self._end_rows, row)
            if place >= 0:
                self._ends.cells[place] = NO_END
            place = _place(self._span_rows, row)
            if place >= 0:
                for column, nothing in zip(
                    (self._span_passages, self._span_starts, self._span_ends), NO_SPAN, strict=True
                ):
                    column.cells[place] = nothing


def _place(rows: Column, row: int) -> int:
    """Where a row is among those of an ascending column, -1 when it is not."""
    count = len(rows)
    # nothing at all to look through is the common case
    if not count:
        return -1
    place = bisect_left(rows.cells, row, 0, count)
    return place if place < count and rows.cells[place] == row else -1
