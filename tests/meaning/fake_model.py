"""A model for tests: texts that share letters in threes, or that are said to mean the same, are near each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from semurg.meaning.protocol import ModelUnavailable, Vectors, unit_rows

WIDTH = 64
# words that mean the same to this model
ALIKE = {"automobile": "car", "vehicle": "car", "purchase": "buy", "physician": "doctor", "residence": "home"}


class FakeEmbedder:
    """Counts what it embedded; fails while `broken`."""

    def __init__(self, digest: str = "fake-1", floor: float | None = 0.6) -> None:
        self.name, self.digest, self.dimensions, self.max_tokens = "fake", digest, WIDTH, 512
        self.floor = floor
        self.embedded: list[str] = []
        self.asked: list[str] = []
        self.broken = False

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts."""
        if self.broken:
            raise ModelUnavailable("the model is broken")
        self.embedded += texts
        return unit_rows(np.stack([_vector(text) for text in texts]))

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        if self.broken:
            raise ModelUnavailable("the model is broken")
        self.asked.append(text)
        vector: Vectors = unit_rows(_vector(text)[None, :])[0]
        return vector

    def close(self) -> None:
        """Nothing to close."""


def _vector(text: str) -> Vectors:
    words = [ALIKE.get(word, word) for word in "".join(c if c.isalnum() else " " for c in text.lower()).split()]
    vector = np.full(WIDTH, 1e-3, dtype=np.float32)
    for word in words:
        padded = f" {word} "
        for place in range(len(padded) - 2):
            vector[int.from_bytes(hashlib.sha256(padded[place : place + 3].encode()).digest()[:4], "big") % WIDTH] += 1
    return vector
