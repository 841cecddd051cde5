"""Vectors of passages, entity names and fact sentences: what a model made of texts of the scope, beside the texts.

Not made from events but from what events brought, so that a scope has them a while later or not at all; nothing here
says what is known or true. Each row is eight-bit cells with one scale (symmetric quantisation: the greatest component
becomes 127), which moves a cosine by less than 0.01. Erasing zeroes a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.projections.columns import Column
from semurg.projections.kernels import cosine as kernels
from semurg.projections.rows import Int32s

NO_ROW = -1
Floats = NDArray[np.float32]
Cells = NDArray[np.int8]


class Embedded(IntEnum):
    """What a vector is of."""

    PASSAGE = 0
    ENTITY = 1
    FACT = 2


class Quantised(NamedTuple):
    """Rows of cells (int8[n, width]) and their scales (float32[n])."""

    cells: Cells
    scales: Floats


def quantise(rows: Floats) -> Quantised:
    """Rows of float32 as cells."""
    greatest = np.abs(rows).max(axis=1, initial=0.0)
    scales = np.where(greatest == 0, 1, greatest / 127).astype(np.float32)
    return Quantised(np.rint(rows / scales[:, None]).astype(np.int8), scales)


class _Table:
    """The vectors of one kind, by number."""

    def __init__(self) -> None:
        self.reached = 0
        self._rows = Column(np.int32)
        self.numbers = Column(np.int32)
        self.cells = Column(np.int8)
        self.scales = Column(np.float32)
        self._free: list[int] = []

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in (self._rows, self.numbers, self.cells, self.scales))

    def row(self, number: int) -> int:
        return int(self._rows.cells[number]) if 0 <= number < len(self._rows) else NO_ROW

    def put(self, number: int, cells: Cells, scale: float) -> None:
        if number >= len(self._rows):
            self._rows.fill(NO_ROW, number + 1 - len(self._rows))
        row, width = self.row(number), len(cells)
        if row == NO_ROW and self._free:
            row = self._free.pop()
        if row == NO_ROW:
            self.cells.extend(cells)
            self.scales.append(scale)
            row = self.numbers.append(number)
        else:
            self.cells.view[row * width : (row + 1) * width] = cells
            self.scales.cells[row], self.numbers.cells[row] = scale, number
        self._rows.cells[number] = row

    def erase(self, number: int, width: int) -> None:
        row = self.row(number)
        if row != NO_ROW:
            self.cells.view[row * width : (row + 1) * width] = 0
            self.scales.cells[row], self.numbers.cells[row] = 0.0, NO_ROW
            self._rows.cells[number] = NO_ROW
            self._free.append(row)

    def rows_of(self, numbers: Int32s) -> Int32s:
        known = self._rows.view
        inside = (numbers >= 0) & (numbers < len(known))
        rows = np.full(len(numbers), NO_ROW, dtype=np.int32)
        rows[inside] = known[numbers[inside]]
        return rows

    def clear(self) -> None:
        self.__init__()  # type: ignore[misc]


class Vectors:
    """Every vector of a scope. `gone` collects the keys of texts that were forgotten, for the store on disk."""

    def __init__(self) -> None:
        self._width = 0
        self._tables = {kind: _Table() for kind in Embedded}
        self.gone: list[bytes] = []

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return sum(table.nbytes for table in self._tables.values())

    @property
    def width(self) -> int:
        """How many components a vector has; 0 before the first."""
        return self._width

    def begin(self, width: int) -> None:
        """Drop every vector and take vectors of this width from now on."""
        self._width = width
        for table in self._tables.values():
            table.clear()

    def put(self, kind: Embedded, number: int, cells: Cells, scale: float) -> None:
        """Keep the vector of one thing."""
        self._tables[kind].put(number, cells, scale)

    def erase(self, kind: Embedded, number: int) -> None:
        """Zero the vector of one thing."""
        self._tables[kind].erase(number, self._width)

    def count(self, kind: Embedded) -> int:
        """How many things of a kind have a vector."""
        table = self._tables[kind]
        return len(table.numbers) - len(table._free)

    def has(self, kind: Embedded, number: int) -> bool:
        """Whether the thing has a vector."""
        return self._tables[kind].row(number) != NO_ROW

    def reached(self, kind: Embedded) -> int:
        """The number up to which things of a kind were looked at for embedding."""
        return self._tables[kind].reached

    def reach(self, kind: Embedded, number: int) -> None:
        """Things below this number need not be looked at again."""
        self._tables[kind].reached = number

    def cosines(self, kind: Embedded, query: Floats, numbers: Sequence[int] | Int32s) -> Floats:
        """The cosine of the query with each thing, float32; NaN where it has no vector."""
        wanted = np.asarray(numbers, dtype=np.int32)
        out = np.full(len(wanted), np.nan, dtype=np.float32)
        if len(query) != self._width or not len(wanted):
            return out
        table = self._tables[kind]
        rows = table.rows_of(wanted)
        have = rows != NO_ROW
        found = np.empty(int(have.sum()), dtype=np.float32)
        cells, scale = _as_query(query)
        kernels.some_rows(table.cells.view, table.scales.view, cells, scale, rows[have], found)
        out[have] = found
        return out

    def rows(self, kind: Embedded, numbers: Sequence[int] | Int32s) -> Floats:
        """The vectors of things, float32[n, width]; zeros where there is none."""
        wanted = np.asarray(numbers, dtype=np.int32)
        table = self._tables[kind]
        out = np.zeros((len(wanted), self._width), dtype=np.float32)
        rows = table.rows_of(wanted)
        have = np.flatnonzero(rows != NO_ROW)
        if len(have):
            cells = table.cells.view.reshape(-1, self._width)[rows[have]]
            out[have] = cells.astype(np.float32) * table.scales.view[rows[have], None]
        return out

    def nearest(
        self, kind: Embedded, query: Floats, wanted: int, showing: Callable[[Int32s], Int32s]
    ) -> list[tuple[int, float]]:
        """The up to `wanted` nearest things that show, as (number, cosine), nearest first, ties by number.

        `showing` tells of numbers which of them show. Exact: no thing that shows is missed.
        """
        table = self._tables[kind]
        if len(query) != self._width or not len(table.numbers):
            return []
        out = np.empty(len(table.numbers), dtype=np.float32)
        cells, scale = _as_query(query)
        kernels.all_rows(table.cells.view, table.scales.view, cells, scale, out)
        numbers = table.numbers.view
        out[numbers == NO_ROW] = -2
        take = min(len(out), 2 * wanted)
        while True:
            best = np.argpartition(-out, take - 1)[:take] if take < len(out) else np.arange(len(out))
            best = best[numbers[best] != NO_ROW]
            best = best[np.lexsort((numbers[best], -out[best]))]
            shows = set(showing(np.sort(numbers[best])).tolist())
            found = [
                (number, float(cosine))
                for number, cosine in zip(numbers[best].tolist(), out[best].tolist(), strict=True)
                if number in shows
            ]
            if len(found) >= wanted or take == len(out):
                return found[:wanted]
            take = min(len(out), take * 8)


def _as_query(query: Floats) -> tuple[NDArray[np.int16], float]:
    """The query at 13 bits a component: its rounding is lost in that of the rows."""
    greatest = float(np.abs(query).max(initial=0.0)) or 1.0
    return np.rint(query / greatest * 4095).astype(np.int16), greatest / 4095
