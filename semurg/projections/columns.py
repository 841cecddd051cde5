"""Growable typed columns: what every projection is made of.

A column is one numpy array with room to grow. It knows nothing of time, names or erasure. Single cells are read and
written through `cells`, which costs a third of numpy's scalar indexing; kernels and bulk work take `view`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

FIRST_ROOM = 16
# columns longer than this grow by a quarter, shorter ones by a half
LONG_ROWS = 4_096


class Column:
    """A one-dimensional array that grows at its end, amortised O(1) a row.

    `cells` is a memoryview over the rows and the spare room behind them: `column.cells[row]` is a plain Python number,
    `column.cells[row] = value` refuses a value that the dtype cannot hold. Neither `cells` nor `view` may be kept over
    an append: growing moves the rows.
    """

    __slots__ = ("_buffer", "_length", "cells")

    def __init__(self, dtype: DTypeLike) -> None:
        self._buffer: NDArray[Any] = np.empty(0, dtype=dtype)
        self._length = 0
        self.cells = _cells_of(self._buffer)

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> NDArray[Any]:
        """The live rows, contiguous and writable, without a copy."""
        return self._buffer[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._buffer.nbytes

    def append(self, value: Any) -> int:
        """Add one row at the end; its row number."""
        row = self._length
        if row == len(self._buffer):
            self.reserve(1)
        self.cells[row] = value
        self._length = row + 1
        return row

    def extend(self, values: ArrayLike) -> int:
        """Add rows at the end; the number of the first. Values must fit the dtype: nothing is wrapped or rounded."""
        added = np.asarray(values)
        if added.size and not np.can_cast(added.dtype, self._buffer.dtype, "same_kind"):
            raise TypeError(f"{added.dtype} does not fit a column of {self._buffer.dtype}")
        first, count = self._length, added.size
        self.reserve(count)
        self._buffer[first : first + count] = added
        self._length = first + count
        return first

    def fill(self, value: Any, count: int) -> int:
        """Add `count` rows of one value; the number of the first."""
        if count == 1:
            return self.append(value)
        first = self._length
        self.reserve(count)
        self._buffer[first : first + count] = value
        self._length = first + count
        return first

    def reserve(self, count: int) -> None:
        """Make room for `count` more rows."""
        needed = self._length + count
        room = len(self._buffer)
        if needed <= room:
            return
        spare = room >> (2 if room > LONG_ROWS else 1)
        grown = np.empty(max(needed, room + spare, FIRST_ROOM), dtype=self._buffer.dtype)
        grown[: self._length] = self._buffer[: self._length]
        self._buffer = grown
        self.cells = _cells_of(grown)


def _cells_of(buffer: NDArray[Any]) -> memoryview[Any]:
    # numpy declares its buffer protocol only from Python 3.12 on
    return memoryview(cast(Any, buffer))
