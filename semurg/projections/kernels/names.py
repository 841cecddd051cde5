"""Kernels over all names of a scope: the nearest to a query by edit distance, and those that begin alike.

A name is its folded form, UTF-8 in a heap: name i is text[ends[i - 1] : ends[i]]. Beside it stand its length in code
points (uint16) and a signature (uint64) of which characters it holds: one edit takes at most one bit away and adds at
most one, so most names are ruled out by two population counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import (
    I32,
    I32_OUT,
    I32_ROWS,
    I64,
    I64_ROWS,
    U8_ROWS,
    U16_OUT,
    U16_ROWS,
    U64,
    U64_OUT,
    U64_ROWS,
    kernel,
    step,
)
from semurg.projections.kernels.visibility import is_known

LENGTH_MAX = 65_535

_ONE = np.uint64(1)
# bits of a signature: letters 0..25, digits 26..35, a digit's second 36..45, a vowel's second 46..50, others 51..63
_DIGITS, _AGAIN, _VOWELS_AGAIN, _OTHERS, _OTHERS_COUNT = 26, 36, 46, 51, 13


@step
def decode(text: NDArray[Any], start: int, end: int, out: NDArray[Any]) -> int:
    """The code points of UTF-8 bytes [start, end) into `out` as far as it has room; how many there are."""
    count = 0
    i = start
    while i < end:
        lead = np.int32(text[i])
        if lead < 0x80:
            code, extra = lead, 0
        elif lead < 0xE0:
            code, extra = lead & 0x1F, 1
        elif lead < 0xF0:
            code, extra = lead & 0x0F, 2
        else:
            code, extra = lead & 0x07, 3
        for offset in range(1, extra + 1):
            code = (code << 6) | (np.int32(text[i + offset]) & 0x3F)
        if count < len(out):
            out[count] = code
        count += 1
        i += extra + 1
    return count


@step
def _with_character(signature: Any, code: int) -> Any:
    """The signature with one more character."""
    again = -1
    if 97 <= code <= 122:
        bit = code - 97
        if code == 97:
            again = _VOWELS_AGAIN
        elif code == 101:
            again = _VOWELS_AGAIN + 1
        elif code == 105:
            again = _VOWELS_AGAIN + 2
        elif code == 111:
            again = _VOWELS_AGAIN + 3
        elif code == 117:
            again = _VOWELS_AGAIN + 4
    elif 48 <= code <= 57:
        bit = _DIGITS + code - 48
        again = _AGAIN + code - 48
    else:
        bit = _OTHERS + code % _OTHERS_COUNT
    mark = _ONE << np.uint64(bit)
    if again >= 0 and signature & mark:
        mark = _ONE << np.uint64(again)
    return signature | mark


@step
def _ones(bits: Any) -> Any:
    """How many bits are set (Warren, Hacker's Delight)."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel(I64(U8_ROWS, I64_ROWS, I64, U16_OUT, U64_OUT))
def describe(
    text: NDArray[Any], ends: NDArray[Any], first: int, lengths: NDArray[Any], signatures: NDArray[Any]
) -> int:
    """Length and signature of every name from `first` on, into `lengths` and `signatures` from 0 on; how many names."""
    code = np.empty(1, dtype=np.int32)
    for name in range(first, len(ends)):
        i = ends[name - 1] if name > 0 else 0
        length, signature = 0, np.uint64(0)
        while i < ends[name]:
            lead = text[i]
            after = i + (1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4)
            decode(text, i, after, code)
            signature = _with_character(signature, code[0])
            length += 1
            i = after
        lengths[name - first] = min(length, LENGTH_MAX)
        signatures[name - first] = signature
    return len(ends) - first


@step
def bounded_distance(
    a: NDArray[Any], a_length: int, b: NDArray[Any], b_length: int, limit: int, cells: NDArray[Any]
) -> int:
    """Optimal string alignment distance of two code point arrays, limit + 1 when it is over the limit.

    Only a band of 2 * limit + 1 cells a row is worked out (Ukkonen 1985). `cells`: at least 3 * (b_length + 1).
    """
    over = limit + 1
    if abs(a_length - b_length) > limit:
        return over
    begin = 0
    while begin < a_length and begin < b_length and a[begin] == b[begin]:
        begin += 1
    while a_length > begin and b_length > begin and a[a_length - 1] == b[b_length - 1]:
        a_length -= 1
        b_length -= 1
    rows, width = a_length - begin, b_length - begin
    if rows == 0 or width == 0:
        return max(rows, width)
    stride = width + 1
    before, above, here = 0, stride, 2 * stride
    for column in range(stride):
        cells[above + column] = min(column, over)
        cells[before + column] = over
    above_least = 0
    for row in range(1, rows + 1):
        for column in range(max(0, row - limit - 1), min(width, row + limit + 1) + 1):
            cells[here + column] = over
        if row <= limit:
            cells[here] = row
        least = cells[here] if row <= limit else over
        for column in range(max(1, row - limit), min(width, row + limit) + 1):
            same = a[begin + row - 1] == b[begin + column - 1]
            cost = min(cells[above + column], cells[here + column - 1]) + 1
            cost = min(cost, cells[above + column - 1] + (0 if same else 1))
            if row > 1 and column > 1 and a[begin + row - 1] == b[begin + column - 2]:
                if a[begin + row - 2] == b[begin + column - 1]:
                    cost = min(cost, cells[before + column - 2] + 1)
            cells[here + column] = min(cost, over)
            least = min(least, cost)
        if least > limit and above_least > limit:
            return over
        above_least = least
        before, above, here = above, here, before
    return int(min(cells[above + width], over))


@kernel(I64(I32_ROWS, I32_ROWS, I64, I32_OUT))
def distance(a: NDArray[Any], b: NDArray[Any], limit: int, cells: NDArray[Any]) -> int:
    """bounded_distance of two whole arrays of code points."""
    return bounded_distance(a, len(a), b, len(b), limit, cells)


@step
def _drop_over(limit: int, rows: NDArray[Any], distances: NDArray[Any], used: int) -> int:
    """Keep only the entries within the limit, in order; how many."""
    kept = 0
    for i in range(used):
        if distances[i] <= limit:
            rows[kept], distances[kept] = rows[i], distances[i]
            kept += 1
    return kept


@kernel(
    I64(
        I32_ROWS, U64, I64, I64, U8_ROWS, I64_ROWS, U16_ROWS, U64_ROWS, I64_ROWS, I64,
        I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT,
    )
)  # fmt: skip
def nearest(
    query: NDArray[Any],
    query_signature: Any,
    limit: int,
    wanted: int,
    text: NDArray[Any],
    ends: NDArray[Any],
    lengths: NDArray[Any],
    signatures: NDArray[Any],
    known_from: NDArray[Any],
    known_at: int,
    codes: NDArray[Any],
    cells: NDArray[Any],
    tally: NDArray[Any],
    out: NDArray[Any],
    distances: NDArray[Any],
) -> int:
    """The names nearest to the query, ascending by number, with their distances; how many.

    Of the known names within `limit` edits: all up to the smallest distance at which there are at least `wanted`. When
    `out` is full, later names at the largest distance still in play are passed over. `query` are code points.
    Working space: `codes` (len(query) + limit), `cells` (3 * (len(query) + limit + 1)), `tally` (limit + 1, zeroed).
    """
    used, allowed, asked = 0, limit, np.uint64(query_signature)
    for name in range(len(ends)):
        if lengths[name] == 0 or abs(np.int64(lengths[name]) - len(query)) > allowed:
            continue
        signature = signatures[name]
        if _ones(asked & ~signature) > allowed or _ones(signature & ~asked) > allowed:
            continue
        length = decode(text, ends[name - 1] if name > 0 else 0, ends[name], codes)
        edits = bounded_distance(query, len(query), codes, length, allowed, cells)
        if edits > allowed or not is_known(known_from[name], known_at):
            continue
        if used == len(out):
            if edits == allowed:
                continue
            # make room: the last entry at the largest distance goes
            last = used - 1
            while last >= 0 and distances[last] < allowed:
                last -= 1
            if last < 0:
                continue
            for i in range(last, used - 1):
                out[i], distances[i] = out[i + 1], distances[i + 1]
            used -= 1
        out[used], distances[used] = name, edits
        used += 1
        tally[edits] += 1
        within = 0
        for smaller in range(allowed):
            within += tally[smaller]
            if within >= wanted:
                allowed = smaller
                used = _drop_over(allowed, out, distances, used)
                break
    return used


@step
def _in_word(byte: int) -> bool:
    """Whether a byte of UTF-8 belongs to a word: ASCII letters and digits, and all that is not ASCII."""
    return byte >= 128 or 97 <= byte <= 122 or 48 <= byte <= 57 or 65 <= byte <= 90


@kernel(I64(U8_ROWS, U64, U8_ROWS, I64_ROWS, U64_ROWS, I64_ROWS, I64, I32_OUT))
def word_starts(
    query: NDArray[Any],
    signature: int,
    text: NDArray[Any],
    ends: NDArray[Any],
    signatures: NDArray[Any],
    known_from: NDArray[Any],
    known_at: int,
    out: NDArray[Any],
) -> int:
    """The known names of which a word begins with the query (UTF-8, of this signature), ascending; how many.

    As far as `out` has room. Names that lack a character of the query are passed over without being read.
    """
    used = 0
    for name in range(len(ends)):
        if signatures[name] & signature != signature or not is_known(known_from[name], known_at):
            continue
        start = ends[name - 1] if name > 0 else 0
        for at in range(start, ends[name] - len(query) + 1):
            if text[at] != query[0] or (at > start and _in_word(text[at - 1])):
                continue
            i = 1
            while i < len(query) and text[at + i] == query[i]:
                i += 1
            if i == len(query):
                if used == len(out):
                    return used
                out[used] = name
                used += 1
                break
    return used


@kernel(I64(U8_ROWS, I32, I64, U8_ROWS, I64_ROWS, U16_ROWS, I64_ROWS, I64, I32_OUT))
def alike_at_start(
    query: NDArray[Any],
    query_length: int,
    shortest: int,
    text: NDArray[Any],
    ends: NDArray[Any],
    lengths: NDArray[Any],
    known_from: NDArray[Any],
    known_at: int,
    out: NDArray[Any],
) -> int:
    """The known names that begin with the query (UTF-8), or that it begins with, ascending, as far as `out` has room.

    The shorter of the two has at least `shortest` code points; `query_length` is the query's. How many were written.
    """
    used = 0
    for name in range(len(ends)):
        if query_length < shortest or lengths[name] < shortest:
            continue
        start = ends[name - 1] if name > 0 else 0
        common = min(ends[name] - start, len(query))
        i = 0
        while i < common and text[start + i] == query[i]:
            i += 1
        if i < common or not is_known(known_from[name], known_at):
            continue
        if used == len(out):
            break
        out[used] = name
        used += 1
    return used
