"""Kernels of visibility: the fast form of domain.visibility, over columns. No other projection file compares times.

All times are int64 µs. `known_*` and `valid_*` are columns side by side, a row known in [known_from, known_to) and true
in [valid_from, valid_to). An erased row has known_from = NEVER, which no instant reaches.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from semurg.projections.kernels.jit import I32_OUT, I32_ROWS, I64, I64_ROWS, U8_OUT, kernel, step

NEVER = 2**63 - 1


@step
def shows(known_from: int, known_to: int, valid_from: int, valid_to: int, known_at: int, valid_at: int) -> bool:
    """Whether a row counts at the two instants."""
    return known_from <= known_at < known_to and valid_from <= valid_at < valid_to


@step
def is_known(known_from: int, known_at: int) -> bool:
    """Whether a row that is true always, and known until it is erased, counts at the instant."""
    return known_from <= known_at and known_from != NEVER


@kernel(I64(I32_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64, I64, I32_OUT))
def keep(
    rows: NDArray[Any],
    known_from: NDArray[Any],
    known_to: NDArray[Any],
    valid_from: NDArray[Any],
    valid_to: NDArray[Any],
    known_at: int,
    valid_at: int,
    out: NDArray[Any],
) -> int:
    """Those of `rows` that show, in the order given, into `out` (as long as `rows`); how many."""
    kept = 0
    for row in rows:
        if shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at):
            out[kept] = row
            kept += 1
    return kept


@kernel(I64(I32_ROWS, I64_ROWS, I64_ROWS, I64, I32_OUT))
def keep_known(
    rows: NDArray[Any], known_from: NDArray[Any], known_to: NDArray[Any], known_at: int, out: NDArray[Any]
) -> int:
    """Those of `rows`, which are true always, that show, in the order given, into `out`; how many."""
    kept = 0
    for row in rows:
        if shows(known_from[row], known_to[row], 0, 1, known_at, 0):
            out[kept] = row
            kept += 1
    return kept


@kernel(I64(I64_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64, I64))
def count(
    known_from: NDArray[Any],
    known_to: NDArray[Any],
    valid_from: NDArray[Any],
    valid_to: NDArray[Any],
    known_at: int,
    valid_at: int,
) -> int:
    """How many rows show."""
    total = 0
    for row in range(len(known_from)):
        if shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at):
            total += 1
    return total


@kernel(I64(I64_ROWS, I64_ROWS, I64))
def count_known(known_from: NDArray[Any], known_to: NDArray[Any], known_at: int) -> int:
    """How many rows, which are true always, show."""
    total = 0
    for row in range(len(known_from)):
        if shows(known_from[row], known_to[row], 0, 1, known_at, 0):
            total += 1
    return total


@kernel(I64(I64_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64, I64, U8_OUT))
def shows_all(
    known_from: NDArray[Any],
    known_to: NDArray[Any],
    valid_from: NDArray[Any],
    valid_to: NDArray[Any],
    known_at: int,
    valid_at: int,
    out: NDArray[Any],
) -> int:
    """For every row 1 or 0 into `out`, whether it shows; how many do."""
    total = 0
    for row in range(len(known_from)):
        seen = shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at)
        out[row] = seen
        total += seen
    return total


@kernel(I64(I64_ROWS, I64, I32_OUT))
def known_rows(known_from: NDArray[Any], known_at: int, out: NDArray[Any]) -> int:
    """The numbers of all rows, true always and known until they are erased, that show, into `out`; how many."""
    kept = 0
    for row in range(len(known_from)):
        if is_known(known_from[row], known_at):
            out[kept] = row
            kept += 1
    return kept
