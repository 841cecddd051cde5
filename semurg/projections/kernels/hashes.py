"""Kernels of the hash index: open addressing over 64-bit hashes, and the mixing of integers into one hash.

A table is two arrays of a power-of-two length: `hashes` (int64) and `tails` (int32). A slot's tail is EMPTY, GONE, or
the last row of a ring of rows that share the hash: `links[row]` is the next row of the ring, and after the tail comes
the first, so that adding at the end and reading from the start are both one step however many rows share a hash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import I32, I32_OUT, I32_ROWS, I64, I64_OUT, I64_ROWS, kernel, step

EMPTY = -1
GONE = -2
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@step
def _slot_of(hashes: NDArray[Any], tails: NDArray[Any], wanted: int) -> int:
    """The slot that holds the hash, else -1."""
    mask = len(tails) - 1
    slot = wanted & mask
    while tails[slot] != EMPTY:
        if tails[slot] >= 0 and hashes[slot] == wanted:
            return slot
        slot = (slot + 1) & mask
    return -1


@kernel(I64(I64_OUT, I32_OUT, I32_OUT, I64_ROWS, I32_ROWS))
def insert(
    hashes: NDArray[Any], tails: NDArray[Any], links: NDArray[Any], new_hashes: NDArray[Any], new_rows: NDArray[Any]
) -> int:
    """Add rows under their hashes, in order; how many EMPTY slots that used. The table must have room for all."""
    mask = len(tails) - 1
    used = 0
    for i in range(len(new_rows)):
        wanted, row = new_hashes[i], new_rows[i]
        slot, gone = wanted & mask, -1
        while tails[slot] != EMPTY and not (tails[slot] >= 0 and hashes[slot] == wanted):
            if gone < 0 and tails[slot] == GONE:
                gone = slot
            slot = (slot + 1) & mask
        if tails[slot] != EMPTY:
            tail = tails[slot]
            links[row] = links[tail]
            links[tail] = row
        else:
            if gone >= 0:
                slot = gone
            else:
                used += 1
            hashes[slot] = wanted
            links[row] = row
        tails[slot] = row
    return used


@kernel(I32(I64_ROWS, I32_ROWS, I32_ROWS, I64))
def find(hashes: NDArray[Any], tails: NDArray[Any], links: NDArray[Any], wanted: int) -> int:
    """The first row under the hash, else -1."""
    slot = _slot_of(hashes, tails, wanted)
    return links[tails[slot]] if slot >= 0 else -1


@kernel(I64(I64_ROWS, I32_ROWS, I32_ROWS, I64_ROWS, I32_OUT))
def find_many(
    hashes: NDArray[Any], tails: NDArray[Any], links: NDArray[Any], wanted: NDArray[Any], out: NDArray[Any]
) -> int:
    """The first row under each hash into `out`, -1 where there is none; how many were found."""
    found = 0
    for i in range(len(wanted)):
        slot = _slot_of(hashes, tails, wanted[i])
        out[i] = -1
        if slot >= 0:
            out[i] = links[tails[slot]]
            found += 1
    return found


@kernel(I64(I64_ROWS, I32_ROWS, I32_ROWS, I64, I32_OUT))
def find_all(hashes: NDArray[Any], tails: NDArray[Any], links: NDArray[Any], wanted: int, out: NDArray[Any]) -> int:
    """All rows under the hash into `out`, in the order they were added, as far as it has room.

    How many were written, or one more than `out` holds when there are more."""
    slot = _slot_of(hashes, tails, wanted)
    if slot < 0:
        return 0
    count = 0
    row = tails[slot]
    while True:
        row = links[row]
        if count == len(out):
            return count + 1
        out[count] = row
        count += 1
        if row == tails[slot]:
            return count


@kernel(I64(I64_OUT, I32_OUT, I32_OUT, I64, I32))
def remove(hashes: NDArray[Any], tails: NDArray[Any], links: NDArray[Any], wanted: int, row: int) -> int:
    """Take one row out from under the hash; 1, or 0 when it was not there."""
    slot = _slot_of(hashes, tails, wanted)
    if slot < 0:
        return 0
    before = tails[slot]
    while links[before] != row:
        before = links[before]
        if before == tails[slot]:
            return 0
    if before == row:
        tails[slot] = GONE
        hashes[slot] = 0
    else:
        links[before] = links[row]
        if tails[slot] == row:
            tails[slot] = before
    links[row] = -1
    return 1


@kernel(I64(I64_OUT, I32_OUT, I64_ROWS, I32_ROWS))
def rehash(hashes: NDArray[Any], tails: NDArray[Any], old_hashes: NDArray[Any], old_tails: NDArray[Any]) -> int:
    """Copy every live slot of an old table into an empty new one; how many there were. Rings stay as they are."""
    mask = len(tails) - 1
    moved = 0
    for old in range(len(old_tails)):
        if old_tails[old] >= 0:
            slot = old_hashes[old] & mask
            while tails[slot] != EMPTY:
                slot = (slot + 1) & mask
            hashes[slot] = old_hashes[old]
            tails[slot] = old_tails[old]
            moved += 1
    return moved


@kernel(I64(I64_OUT, I64_ROWS))
def mix_into(state: NDArray[Any], values: NDArray[Any]) -> int:
    """Mix one value into each running hash in place; how many.

    The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over (hash + golden ratio) xor value.
    """
    for i in range(len(state)):
        mixed = (np.uint64(state[i]) + _GOLDEN) ^ np.uint64(values[i])
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
        state[i] = np.int64(mixed ^ (mixed >> np.uint64(31)))
    return len(state)
