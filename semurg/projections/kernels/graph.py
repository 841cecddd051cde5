"""Kernels of the graph: the rows of an entity, the building of their lists, and closures along one relation.

The rows of an entity are kept twice, by source (out) and by target (in). Each side is a compressed list for the first
`listed` rows (`starts[entity]` to `starts[entity + 1]` of `rows`, ascending) and a chain for those that came since:
`heads[entity]` is the newest, `nexts[row - listed]` the one before it, -1 the end. Row and entity numbers are int32.
A row that joins an entity to itself is on the out side alone. An erased row has a source of -1 and is on neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import BOOL, I32, I32_OUT, I32_ROWS, I64, I64_ROWS, kernel, step
from semurg.projections.kernels.visibility import shows

SCRAMBLE = 0x9E3779B1


@kernel(I64(I32_ROWS, I32_ROWS, BOOL, I64, I32_OUT, I32_OUT))
def build(
    sources: NDArray[Any],
    targets: NDArray[Any],
    inward: bool,
    row_count: int,
    starts: NDArray[Any],
    rows: NDArray[Any],
) -> int:
    """Compress one side of the first `row_count` rows by counting sort into `starts` (entities + 1, zeroed) and `rows`.

    How many entries of `rows` were used.
    """
    for row in range(row_count):
        if sources[row] >= 0 and not (inward and sources[row] == targets[row]):
            starts[(targets[row] if inward else sources[row]) + 1] += 1
    for entity in range(len(starts) - 1):
        starts[entity + 1] += starts[entity]
    # entries are placed through the starts, which each placing moves: shift back by one afterwards
    for row in range(row_count):
        if sources[row] >= 0 and not (inward and sources[row] == targets[row]):
            owner = targets[row] if inward else sources[row]
            rows[starts[owner]] = row
            starts[owner] += 1
    for entity in range(len(starts) - 1, 0, -1):
        starts[entity] = starts[entity - 1]
    starts[0] = 0
    return int(starts[len(starts) - 1])


@kernel(I64(I32_ROWS, I32_ROWS, BOOL, I64, I64, I32_OUT, I32_OUT))
def chain(
    sources: NDArray[Any],
    targets: NDArray[Any],
    inward: bool,
    listed: int,
    first_row: int,
    heads: NDArray[Any],
    nexts: NDArray[Any],
) -> int:
    """Chain the rows from `first_row` on to one side; how many there were."""
    for row in range(first_row, len(sources)):
        nexts[row - listed] = -1
        if sources[row] >= 0 and not (inward and sources[row] == targets[row]):
            owner = targets[row] if inward else sources[row]
            nexts[row - listed] = heads[owner]
            heads[owner] = row
    return len(sources) - first_row


@step
def _list_rows(
    entity: int,
    starts: NDArray[Any],
    rows: NDArray[Any],
    heads: NDArray[Any],
    nexts: NDArray[Any],
    listed: int,
    out: NDArray[Any],
    used: int,
) -> int:
    """Append the rows of one side of the entity, ascending, to `out` from `used` on; the new length.

    A length past that of `out` says how long it must be; `out` then holds no more than fits.
    """
    if 0 <= entity < len(starts) - 1:
        for i in range(starts[entity], starts[entity + 1]):
            if used < len(out):
                out[used] = rows[i]
            used += 1
    row = heads[entity] if 0 <= entity < len(heads) else -1
    chained = 0
    while row >= 0:
        chained += 1
        row = nexts[row - listed]
    end = used + chained
    row = heads[entity] if 0 <= entity < len(heads) else -1
    i = end - 1
    while row >= 0:
        if i < len(out):
            out[i] = row
        i -= 1
        row = nexts[row - listed]
    return end


@kernel(I64(I32, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64, I32_OUT))
def rows_of(
    entity: int,
    starts: NDArray[Any],
    rows: NDArray[Any],
    heads: NDArray[Any],
    nexts: NDArray[Any],
    listed: int,
    out: NDArray[Any],
) -> int:
    """All rows of one side of an entity, ascending, into `out` as far as it has room; how many there are."""
    return _list_rows(entity, starts, rows, heads, nexts, listed, out, 0)


@kernel(
    I64(
        I32, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64,
        I64_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64, I64, I32_OUT,
    )
)  # fmt: skip
def visible_rows(
    entity: int,
    starts: NDArray[Any],
    rows: NDArray[Any],
    heads: NDArray[Any],
    nexts: NDArray[Any],
    listed: int,
    known_from: NDArray[Any],
    known_to: NDArray[Any],
    valid_from: NDArray[Any],
    valid_to: NDArray[Any],
    known_at: int,
    valid_at: int,
    out: NDArray[Any],
) -> int:
    """The rows of one side of an entity that show, ascending, into `out`; how many, -n when `out` must hold n first."""
    count = _list_rows(entity, starts, rows, heads, nexts, listed, out, 0)
    if count > len(out):
        return -count
    kept = 0
    for i in range(count):
        row = out[i]
        if shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at):
            out[kept] = row
            kept += 1
    return kept


@step
def _seen_slot(table: NDArray[Any], reached: NDArray[Any], start: int, entity: int) -> Any:
    """The slot of `table` where the entity is or belongs. A slot holds a place in `reached`, -2 (start) or -1."""
    mask = len(table) - 1
    slot = (np.int64(entity) * SCRAMBLE) & mask
    while table[slot] != -1:
        if (start if table[slot] == -2 else reached[table[slot]]) == entity:
            return slot
        slot = (slot + 1) & mask
    return slot


@kernel(
    I64(
        I32, I32, I32_ROWS, BOOL, I64,
        I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64,
        I32_ROWS, I32_ROWS, I32_ROWS,
        I64_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64, I64,
        I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT,
    )
)  # fmt: skip
def closure(
    start: int,
    meaning: int,
    meanings: NDArray[Any],
    inward: bool,
    links_max: int,
    starts: NDArray[Any],
    rows: NDArray[Any],
    heads: NDArray[Any],
    nexts: NDArray[Any],
    listed: int,
    sources: NDArray[Any],
    targets: NDArray[Any],
    row_types: NDArray[Any],
    known_from: NDArray[Any],
    known_to: NDArray[Any],
    valid_from: NDArray[Any],
    valid_to: NDArray[Any],
    known_at: int,
    valid_at: int,
    reached: NDArray[Any],
    reached_by: NDArray[Any],
    parents: NDArray[Any],
    depths: NDArray[Any],
    table: NDArray[Any],
    scratch: NDArray[Any],
) -> int:
    """Entities within `links_max` rows of one relation meaning from `start`, nearest first, each once, the start never.

    Breadth first over rows that show, source to target (`inward`: target to source), rows ascending: of two paths as
    short, the one with the lower rows. Entry i of `reached` was met over row `reached_by[i]` from entry `parents[i]`
    (-1: the start), `depths[i]` links away. `meanings`: of each type. Working space: `table` (all -1, a power of two
    above 2 * len(reached)), `scratch` (rows). How many, at most len(reached); -n when `scratch` must hold n rows.
    """
    table[_seen_slot(table, reached, start, start)] = -2
    used = 0
    turn = -1
    while turn < used:
        entity, depth = (reached[turn], depths[turn]) if turn >= 0 else (start, 0)
        if depth >= links_max:
            break
        count = _list_rows(entity, starts, rows, heads, nexts, listed, scratch, 0)
        if count > len(scratch):
            return -count
        for i in range(count):
            row = scratch[i]
            if meanings[row_types[row]] != meaning:
                continue
            if not shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at):
                continue
            entity = sources[row] if inward else targets[row]
            slot = _seen_slot(table, reached, start, entity)
            if table[slot] == -1:
                if used == len(reached):
                    return used
                table[slot] = used
                reached[used], reached_by[used], parents[used], depths[used] = entity, row, turn, depth + 1
                used += 1
        turn += 1
    return used
