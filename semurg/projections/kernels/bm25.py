"""BM25 over the postings of a question's words: the cost follows the postings touched, not the scope.

Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). The scores are
added up in two scratch columns as long as there are passages, which hold zeros before and after: only what a question
touches is cleared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import (
    F32,
    F32_OUT,
    F32_ROWS,
    I32,
    I32_OUT,
    I32_ROWS,
    I64,
    U64_OUT,
    kernel,
)

SATURATION = 1.2
LENGTH_SHARE = 0.75


@kernel(I64(I32, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64))
def holders(
    tail: int,
    after: NDArray[Any],
    passages: NDArray[Any],
    documents: NDArray[Any],
    events: NDArray[Any],
    horizon: int,
) -> int:
    """How many live passages that an event below the horizon brought are in the chain that ends in row `tail`."""
    count = 0
    row = tail
    while True:
        row = after[row]
        passage = passages[row]
        if passage >= 0 and documents[passage] >= 0 and events[passage] < horizon:
            count += 1
        if row == tail:
            return count


@kernel(
    I64(
        I32_ROWS, I32_ROWS, F32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64, F32,
        F32_OUT, U64_OUT, I32_OUT,
    )
)  # fmt: skip
def score(
    tails: NDArray[Any],
    words: NDArray[Any],
    weights: NDArray[Any],
    after: NDArray[Any],
    passages: NDArray[Any],
    counts: NDArray[Any],
    lengths: NDArray[Any],
    documents: NDArray[Any],
    events: NDArray[Any],
    horizon: int,
    average: float,
    scores: NDArray[Any],
    matched: NDArray[Any],
    touched: NDArray[Any],
) -> int:
    """Add each term's share to the passages that hold it; how many were touched, listed in `touched`.

    Term i ends in row tails[i] and stands for word words[i] (below 64) of the question, whose bit is set in `matched`.
    """
    count = 0
    for term in range(len(tails)):
        tail = tails[term]
        row = tail
        bit = np.uint64(1) << np.uint64(words[term])
        while True:
            row = after[row]
            passage = passages[row]
            if passage >= 0 and documents[passage] >= 0 and events[passage] < horizon:
                if matched[passage] == 0:
                    touched[count] = passage
                    count += 1
                matched[passage] |= bit
                often = np.float32(counts[row])
                norm = np.float32(1.2) * (np.float32(0.25) + np.float32(0.75) * np.float32(lengths[passage]) / average)
                scores[passage] += weights[term] * often * np.float32(2.2) / (often + norm)
            if row == tail:
                break
    return count
