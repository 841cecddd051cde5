"""Cosines of one vector with many, over eight-bit cells: a quarter of the memory traffic of float32, exact integers."""

from __future__ import annotations

from typing import Any

from numba import types
from numpy.typing import NDArray

from semurg.projections.kernels.jit import F32_OUT, F32_ROWS, I32_ROWS, I64, kernel

I8_ROWS = types.Array(types.int8, 1, "C", readonly=True)
I16_ROWS = types.Array(types.int16, 1, "C", readonly=True)


@kernel(I64(I8_ROWS, F32_ROWS, I16_ROWS, types.float32, F32_OUT))
def all_rows(
    cells: NDArray[Any], scales: NDArray[Any], query: NDArray[Any], query_scale: float, out: NDArray[Any]
) -> int:
    """The cosine of `query` with each row of `cells` (rows end to end, as long as the query) into `out`."""
    width = len(query)
    for row in range(len(scales)):
        base = row * width
        total = 0
        for place in range(width):
            total += cells[base + place] * query[place]
        out[row] = total * scales[row] * query_scale
    return len(scales)


@kernel(I64(I8_ROWS, F32_ROWS, I16_ROWS, types.float32, I32_ROWS, F32_OUT))
def some_rows(
    cells: NDArray[Any],
    scales: NDArray[Any],
    query: NDArray[Any],
    query_scale: float,
    rows: NDArray[Any],
    out: NDArray[Any],
) -> int:
    """The same for the rows listed."""
    width = len(query)
    for i in range(len(rows)):
        base = rows[i] * width
        total = 0
        for place in range(width):
            total += cells[base + place] * query[place]
        out[i] = total * scales[rows[i]] * query_scale
    return len(rows)
