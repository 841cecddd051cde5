"""Kernels of the words index: postings in blocks that are linked term by term, and their scoring.

A posting is (passage, occurrences). The postings of a term lie ascending by passage in a chain of blocks whose sizes
grow; a block of s slots has the place of the next block in the slot behind them (-1: none). Within a block postings
come first, then slots that hold -1. Block sizes follow from the place in the chain, so that no table of blocks is
needed.

Scoring is BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), term at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import (
    F64,
    F64_OUT,
    I32_OUT,
    I32_ROWS,
    I64,
    I64_OUT,
    I64_ROWS,
    U8_OUT,
    U8_ROWS,
    U16_ROWS,
    U64_OUT,
    kernel,
    step,
)
from semurg.projections.kernels.visibility import NEVER, shows

SIZES = (1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 68, 100, 150, 225, 340, 512, 768, 1152, 1728, 2592, 4096)
LEVELS = len(SIZES)
COUNT_MAX = 255
SCRAMBLE = 0x9E3779B1


@step
def _size(level: Any) -> int:
    """Slots of the block at this place of a chain."""
    return SIZES[min(level, LEVELS - 1)]


@step
def _filled(posted: NDArray[Any], block: Any, size: int) -> int:
    """How many postings a block holds."""
    if posted[block + size - 1] >= 0:
        return size
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if posted[block + middle] >= 0:
            low = middle + 1
        else:
            high = middle
    return low


@step
def _lower_bound(posted: NDArray[Any], block: Any, filled: int, passage: int) -> int:
    """The first place in a block at or behind the passage."""
    low, high = 0, filled
    while low < high:
        middle = (low + high) // 2
        if posted[block + middle] < passage:
            low = middle + 1
        else:
            high = middle
    return low


@step
def _take_block(level: int, posted: NDArray[Any], free: NDArray[Any], end: NDArray[Any]) -> int:
    """A block for this place of a chain, empty, its link -1; -1 when there is no room for it."""
    level = min(level, LEVELS - 1)
    size = SIZES[level]
    block = free[level]
    if block >= 0:
        free[level] = posted[block + size]
    elif end[0] + size + 1 <= len(posted):
        block = np.int32(end[0])
        end[0] += size + 1
    else:
        return -1
    for slot in range(block, block + size + 1):
        posted[slot] = -1
    return int(block)


@kernel(
    I64(
        I32_ROWS, I32_ROWS, I32_ROWS, I64, I32_OUT, I32_OUT, I32_OUT, U8_OUT, I32_OUT, I32_OUT, U8_OUT, I32_OUT, I64_OUT
    )
)
def post(
    terms: NDArray[Any],
    passages: NDArray[Any],
    occurrences: NDArray[Any],
    first: int,
    heads: NDArray[Any],
    tails: NDArray[Any],
    links: NDArray[Any],
    levels: NDArray[Any],
    holders: NDArray[Any],
    posted: NDArray[Any],
    counts: NDArray[Any],
    free: NDArray[Any],
    end: NDArray[Any],
) -> int:
    """Add postings `first` and on, side by side; the number of the first that found no room, else how many there are.

    A term's passages come ascending; entries of one passage add up. By term: `heads` its first block, `links` the link
    slot of its last block, `tails` the next slot to fill, `levels` the place of the last block, `holders` its postings.
    By slot: `posted`, `counts`. `free`: by level, a chain of blocks given back; `end`: one entry, the first slot never
    used.
    """
    for i in range(first, len(terms)):
        term = terms[i]
        started = heads[term] >= 0 and tails[term] > links[term] - _size(levels[term])
        if started and posted[tails[term] - 1] == passages[i]:
            counts[tails[term] - 1] = min(counts[tails[term] - 1] + occurrences[i], COUNT_MAX)
            continue
        if heads[term] < 0:
            block = _take_block(0, posted, free, end)
            if block < 0:
                return i
            heads[term] = tails[term] = block
            links[term] = block + _size(0)
            levels[term] = 0
        elif tails[term] == links[term]:
            level = levels[term] + 1 if levels[term] + 1 < LEVELS else LEVELS - 1
            block = _take_block(level, posted, free, end)
            if block < 0:
                return i
            posted[links[term]] = block
            tails[term] = block
            links[term] = block + _size(level)
            levels[term] = level
        posted[tails[term]] = passages[i]
        counts[tails[term]] = min(occurrences[i], COUNT_MAX)
        tails[term] += 1
        holders[term] += 1
    return len(terms)


@kernel(I64(I32_ROWS, I64, I32_OUT, I32_OUT, I32_OUT, U8_OUT, I32_OUT, I32_OUT, U8_OUT, I32_OUT))
def remove(
    terms: NDArray[Any],
    passage: int,
    heads: NDArray[Any],
    tails: NDArray[Any],
    links: NDArray[Any],
    levels: NDArray[Any],
    holders: NDArray[Any],
    posted: NDArray[Any],
    counts: NDArray[Any],
    free: NDArray[Any],
) -> int:
    """Take the passage's posting out of each term; how many there were. Arrays as in `post`.

    Later postings of the block move up, so nothing is left of it. A term without postings gives its blocks back.
    """
    removed = 0
    for i in range(len(terms)):
        term = terms[i]
        block, level = np.int64(heads[term]), 0
        while block >= 0:
            size = _size(level)
            filled = _filled(posted, block, size)
            if filled and posted[block + filled - 1] >= passage:
                place = block + _lower_bound(posted, block, filled, passage)
                if posted[place] == passage:
                    removed += 1
                    for slot in range(place, block + filled - 1):
                        posted[slot] = posted[slot + 1]
                        counts[slot] = counts[slot + 1]
                    posted[block + filled - 1] = -1
                    counts[block + filled - 1] = 0
                    if block + size == links[term]:
                        tails[term] -= 1
                    holders[term] -= 1
                break
            block = np.int64(posted[block + size])
            level += 1
        if holders[term] == 0 and heads[term] >= 0:
            block, level = np.int64(heads[term]), 0
            while block >= 0:
                size = _size(level)
                following = np.int64(posted[block + size])
                posted[block + size] = free[min(level, LEVELS - 1)]
                free[min(level, LEVELS - 1)] = block
                block = following
                level += 1
            heads[term] = tails[term] = links[term] = -1
    return removed


@kernel(I64(I64, I64, I32_ROWS, I32_ROWS))
def count_below(term: int, bound: int, heads: NDArray[Any], posted: NDArray[Any]) -> int:
    """How many passages with numbers below `bound` hold the term. Cost: its blocks."""
    total = 0
    block, level = np.int64(heads[term]), 0
    while block >= 0:
        size = _size(level)
        filled = _filled(posted, block, size)
        if filled and posted[block + filled - 1] >= bound:
            return total + _lower_bound(posted, block, filled, bound)
        total += filled
        block = np.int64(posted[block + size])
        level += 1
    return total


@kernel(I64(I64, I64, I32_ROWS, I32_ROWS, I32_OUT))
def passages_of(term: int, bound: int, heads: NDArray[Any], posted: NDArray[Any], out: NDArray[Any]) -> int:
    """The passages below `bound` that hold the term, ascending, into `out`, which must have room; how many."""
    total = 0
    block, level = np.int64(heads[term]), 0
    while block >= 0:
        size = _size(level)
        for slot in range(block, block + size):
            if posted[slot] < 0 or posted[slot] >= bound:
                break
            out[total] = posted[slot]
            total += 1
        block = np.int64(posted[block + size])
        level += 1
    return total


@step
def _slot_of(passage: int, table: NDArray[Any], candidates: NDArray[Any]) -> Any:
    """The slot of `table` where the passage is or belongs. A slot holds a place in `candidates`, or -1."""
    mask = len(table) - 1
    slot = (np.int64(passage) * SCRAMBLE >> 7) & mask
    while table[slot] >= 0 and candidates[table[slot]] != passage:
        slot = (slot + 1) & mask
    return slot


@kernel(I64(I32_ROWS, I64, I32_OUT))
def enter(candidates: NDArray[Any], count: int, table: NDArray[Any]) -> int:
    """Note the first `count` candidates in an empty table (all -1, a power of two above twice as many)."""
    for place in range(count):
        table[_slot_of(candidates[place], table, candidates)] = place
    return count


@step
def _score(occurrences: int, length: int, mean_length: float, k1: float, b: float) -> Any:
    """How much of a word's weight so many occurrences in a passage of this length earn."""
    return occurrences * (k1 + 1.0) / (occurrences + k1 * (1.0 - b + b * length / mean_length))


@step
def _credit(
    place: int,
    word: int,
    earned: float,
    scores: NDArray[Any],
    matched: NDArray[Any],
    last_word: NDArray[Any],
    last_earned: NDArray[Any],
) -> None:
    """Give a candidate what a term of a query word earns; of several terms of one word the best counts."""
    if last_word[place] != word:
        scores[place] += earned
        last_word[place] = word
        last_earned[place] = earned
        if word < 64:
            matched[place] |= np.uint64(1) << np.uint64(word)
    elif earned > last_earned[place]:
        scores[place] += earned - last_earned[place]
        last_earned[place] = earned


_CANDIDATES = (I32_OUT, I32_OUT, F64_OUT, U64_OUT, I32_OUT, F64_OUT)


@kernel(
    I64(
        I64, I64, F64, I64, I64, F64, F64, F64, I32_ROWS, I32_ROWS, U8_ROWS, U16_ROWS, I64_ROWS, I64, *_CANDIDATES
    )
)  # fmt: skip
def find(
    term: int,
    word: int,
    weight: float,
    bound: int,
    valid_at: int,
    mean_length: float,
    k1: float,
    b: float,
    heads: NDArray[Any],
    posted: NDArray[Any],
    counts: NDArray[Any],
    lengths: NDArray[Any],
    valid_from: NDArray[Any],
    count: int,
    table: NDArray[Any],
    candidates: NDArray[Any],
    scores: NDArray[Any],
    matched: NDArray[Any],
    last_word: NDArray[Any],
    last_earned: NDArray[Any],
) -> int:
    """Credit every passage below `bound` that shows and holds the term; new ones become candidates; how many there are.

    `candidates` and the columns beside it have `count` entries and room for one more a posting; `table` finds them.
    `word` is the place of the query word, `weight` what it is worth. Cost: the term's postings.
    """
    block, level = np.int64(heads[term]), 0
    while block >= 0:
        size = _size(level)
        for slot in range(block, block + size):
            passage = posted[slot]
            if passage < 0 or passage >= bound:
                break
            if not shows(0, NEVER, valid_from[passage], NEVER, 0, valid_at):
                continue
            at = _slot_of(passage, table, candidates)
            place = table[at]
            if place < 0:
                place = count
                table[at] = count
                candidates[count] = passage
                scores[count] = 0.0
                matched[count] = 0
                last_word[count] = -1
                count += 1
            earned = weight * _score(counts[slot], lengths[passage], mean_length, k1, b)
            _credit(place, word, earned, scores, matched, last_word, last_earned)
        block = np.int64(posted[block + size])
        level += 1
    return count


@kernel(
    I64(
        I64, I64, F64, F64, F64, F64, I32_ROWS, I32_ROWS, U8_ROWS, U16_ROWS,
        I32_ROWS, I32_ROWS, F64_OUT, U64_OUT, I32_OUT, F64_OUT,
    )
)  # fmt: skip
def lift(
    term: int,
    word: int,
    weight: float,
    mean_length: float,
    k1: float,
    b: float,
    heads: NDArray[Any],
    posted: NDArray[Any],
    counts: NDArray[Any],
    lengths: NDArray[Any],
    order: NDArray[Any],
    candidates: NDArray[Any],
    scores: NDArray[Any],
    matched: NDArray[Any],
    last_word: NDArray[Any],
    last_earned: NDArray[Any],
) -> int:
    """Credit those candidates that hold the term; how many did. `order`: the candidates' places, ascending by passage.

    Cost: the candidates, and the term's blocks, not its postings.
    """
    lifted = 0
    block, level = np.int64(heads[term]), 0
    size = _size(0)
    filled = _filled(posted, block, size) if block >= 0 else 0
    for i in range(len(order)):
        place = order[i]
        passage = candidates[place]
        while block >= 0 and (filled == 0 or posted[block + filled - 1] < passage):
            block = np.int64(posted[block + size])
            level += 1
            size = _size(level)
            filled = _filled(posted, block, size) if block >= 0 else 0
        if block < 0:
            return lifted
        slot = block + _lower_bound(posted, block, filled, passage)
        if posted[slot] == passage:
            earned = weight * _score(counts[slot], lengths[passage], mean_length, k1, b)
            _credit(place, word, earned, scores, matched, last_word, last_earned)
            lifted += 1
    return lifted
