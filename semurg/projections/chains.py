"""From an owner to its rows, in the order they were added: statements of a fact, passages of a document, …

Four bytes an owner and four a row. Owners and rows are numbers from 0; every row is linked once, as it is added.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semurg.projections.columns import Column
from semurg.projections.kernels import chains as kernels
from semurg.projections.kernels.jit import warm_up

STEPS_IN_PYTHON_MAX = 24


class Chains:
    """Rows by owner, in the order of `add`; a row number is how many rows were added before it."""

    __slots__ = ("_after", "_last")

    def __init__(self) -> None:
        warm_up()
        self._last = Column(np.int32)
        self._after = Column(np.int32)

    def __len__(self) -> int:
        """How many rows were added, those of dropped owners included."""
        return len(self._after)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._last.nbytes + self._after.nbytes

    def add(self, owner: int) -> int:
        """Add the next row to the owner; its number."""
        self.make_owners(owner + 1)
        last, row = self._last.cells, len(self._after)
        tail = last[owner]
        if tail < 0:
            self._after.append(row)
        else:
            self._after.append(self._after.cells[tail])
            self._after.cells[tail] = row
        last[owner] = row
        return row

    def add_many(self, owners: ArrayLike) -> int:
        """Add one row to each owner, in order; the number of the first."""
        wanted = np.ascontiguousarray(owners, dtype=np.int32)
        first = self._after.fill(-1, len(wanted))
        if len(wanted):
            self.make_owners(int(wanted.max()) + 1)
            kernels.link(self._last.view, self._after.view, wanted, first)
        return first

    def rows(self, owner: int) -> list[int]:
        """The owner's rows in order."""
        tail = self.tail(owner)
        if tail < 0:
            return []
        after = self._after.cells
        row = after[tail]
        # most owners have one
        if row == tail:
            return [row]
        found = []
        for _ in range(STEPS_IN_PYTHON_MAX):
            found.append(row)
            if row == tail:
                return found
            row = after[row]
        return self.array(owner).tolist()  # type: ignore[no-any-return]

    def iterate(self, owner: int) -> Iterator[int]:
        """The owner's rows in order, one at a time: for those who may stop early."""
        tail = self.tail(owner)
        row = -1 if tail < 0 else self._after.cells[tail]
        while row >= 0:
            yield row
            row = -1 if row == tail else self._after.cells[row]

    def array(self, owner: int) -> NDArray[np.int32]:
        """The owner's rows in order, as an array."""
        tail = self.tail(owner)
        if tail < 0:
            return np.empty(0, dtype=np.int32)
        out = np.empty(64, dtype=np.int32)
        count = kernels.walk(self._after.view, tail, out)
        if count > len(out):
            out = np.empty(count, dtype=np.int32)
            kernels.walk(self._after.view, tail, out)
        return out[:count]

    def tail(self, owner: int) -> int:
        """The owner's last row, -1 when it has none."""
        return self._last.cells[owner] if 0 <= owner < len(self._last) else -1

    def drop(self, owner: int) -> None:
        """Forget which rows the owner has."""
        if 0 <= owner < len(self._last):
            self._last.cells[owner] = -1

    @property
    def last(self) -> NDArray[np.int32]:
        """The last row of each owner, for kernels."""
        return self._last.view

    @property
    def after(self) -> NDArray[np.int32]:
        """The row after each row, for kernels."""
        return self._after.view

    def make_owners(self, count: int) -> None:
        """Let owners 0 to count - 1 exist, so that `last` reaches them."""
        missing = count - len(self._last)
        if missing > 0:
            self._last.fill(-1, missing)
