"""Kernels of chains: the rows of an owner in the order they were added, linked through one column.

`last[owner]` is the owner's last row, -1 when it has none; `after[row]` the next row of the same owner, and after the
last row comes the first: adding at the end and reading from the start are both one step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import I32, I32_OUT, I32_ROWS, I64, I64_ROWS, kernel


@kernel(I64(I32_OUT, I32_OUT, I32_ROWS, I64))
def link(last: NDArray[Any], after: NDArray[Any], owners: NDArray[Any], first_row: int) -> int:
    """Link rows first_row, first_row + 1, … to their owners, in order; how many."""
    for i in range(len(owners)):
        owner, row = owners[i], first_row + i
        tail = last[owner]
        if tail < 0:
            after[row] = row
        else:
            after[row] = after[tail]
            after[tail] = row
        last[owner] = row
    return len(owners)


@kernel(I64(I32_ROWS, I32, I32_OUT))
def walk(after: NDArray[Any], tail: int, out: NDArray[Any]) -> int:
    """The rows of the chain that ends in row `tail` into `out` as far as it has room; how many there are."""
    count = 0
    row = tail
    while True:
        row = after[row]
        if count < len(out):
            out[count] = row
        count += 1
        if row == tail:
            return count


@kernel(I64(I32_ROWS, I32, I32_ROWS, I64_ROWS, I32_ROWS, I64_ROWS, I64, I64, I64, I64))
def find_statement(
    after: NDArray[Any],
    tail: int,
    cited: NDArray[Any],
    starts: NDArray[Any],
    end_rows: NDArray[Any],
    ends: NDArray[Any],
    wanted_cited: int,
    wanted_start: int,
    wanted_end: int,
    no_end: int,
) -> int:
    """The first row of the chain that ends in row `tail` which holds these three values, else -1.

    Rows listed in `end_rows` (ascending) have the end beside them in `ends`, all others `no_end`.
    """
    row = tail
    while True:
        row = after[row]
        if cited[row] == wanted_cited and starts[row] == wanted_start:
            place = np.searchsorted(end_rows, row)
            listed = place < len(end_rows) and end_rows[place] == row
            if (ends[place] if listed else no_end) == wanted_end:
                return int(row)
        if row == tail:
            return -1
