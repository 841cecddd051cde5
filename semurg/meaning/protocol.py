"""What a model for meaning must be able to do, and what may go wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class ModelUnavailable(Exception):
    """A model cannot be used now; the message says why, in one sentence, for status and for a person to read."""


class Embedder(Protocol):
    """A model. Rows are unit vectors, float32. Called from one thread at a time; raises ModelUnavailable."""

    name: str
    digest: str
    """Names the very weights: vectors of two digests are never compared."""
    dimensions: int
    max_tokens: int
    floor: float | None
    """The least cosine at which a reply's best passage may count as found by meaning alone; None: not calibrated."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, float32[n, dimensions]."""

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32[dimensions]."""

    def close(self) -> None:
        """Let go of what the model holds."""


def unit_rows(rows: Vectors) -> Vectors:
    """The rows at length one; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)
