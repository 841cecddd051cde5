"""The kernel that settles decided episodes against the rows that stand: what stays, what closes, what is added."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from semurg.projections.kernels.jit import I32_ROWS, I64, I64_OUT, I64_ROWS, U8_OUT, kernel


@kernel(
    I64(
        I32_ROWS, I32_ROWS, I64_ROWS, I64_ROWS,
        I32_ROWS, I32_ROWS, I64_ROWS, I64_ROWS, I64_OUT,
        I64, I64, U8_OUT,
    )
)  # fmt: skip
def settle(
    changed: NDArray[Any],
    counts: NDArray[Any],
    episode_starts: NDArray[Any],
    episode_ends: NDArray[Any],
    last: NDArray[Any],
    after: NDArray[Any],
    row_starts: NDArray[Any],
    row_ends: NDArray[Any],
    row_closed: NDArray[Any],
    never: int,
    now: int,
    added: NDArray[Any],
) -> int:
    """Close the open rows that the episodes of their fact no longer list; mark the episodes that have no open row.

    `changed[i]` has the next `counts[i]` entries of `episode_starts`, ascending, and `episode_ends`. Its rows are the
    chain that ends in `last[changed[i]]`, linked by `after`; a row is open while `row_closed` is `never`, and closed
    by writing `now`. `added` gets 1 for each episode to append, else 0. Answers how many those are.
    Cost: rows of the facts times the logarithm of their episodes.
    """
    first = 0
    appended = 0
    for i in range(len(changed)):
        end = first + counts[i]
        for episode in range(first, end):
            added[episode] = 1
        tail = last[changed[i]]
        row = tail
        while tail >= 0:
            row = after[row]
            if row_closed[row] == never:
                low, high = first, end
                while low < high:
                    middle = (low + high) // 2
                    if episode_starts[middle] < row_starts[row]:
                        low = middle + 1
                    else:
                        high = middle
                while low < end and episode_starts[low] == row_starts[row] and episode_ends[low] != row_ends[row]:
                    low += 1
                if low < end and episode_starts[low] == row_starts[row]:
                    added[low] = 0
                else:
                    row_closed[row] = now
            if row == tail:
                break
        for episode in range(first, end):
            appended += added[episode]
        first = end
    return appended
