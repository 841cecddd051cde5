"""From a 64-bit hash to row numbers, and the hashes themselves.

A hash is stable: the same on every machine and in every process, so it may be saved. Two different things can share
one: whoever finds a row compares what the row holds before believing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semurg.projections.kernels import hashes as kernels
from semurg.projections.kernels.jit import warm_up

FIRST_SLOTS = 16
_MASK = (1 << 64) - 1
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def content_hash(content: bytes | str) -> int:
    """The signed 64-bit hash of a text (its UTF-8 bytes): BLAKE2b of 8 bytes."""
    raw = content.encode() if isinstance(content, str) else content
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "little", signed=True)


def content_hash_many(texts: Sequence[str]) -> NDArray[np.int64]:
    """content_hash of each text."""
    raw = b"".join([blake2b(text.encode(), digest_size=8).digest() for text in texts])
    return np.frombuffer(raw, dtype="<i8").astype(np.int64)


def content_hash_pair(text: str) -> tuple[int, int]:
    """content_hash_pairs of one text."""
    digest = blake2b(text.encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8], "little", signed=True), int.from_bytes(digest[8:], "little", signed=True)


def content_hash_pairs(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A 128-bit hash of each text as two columns: with both equal the texts are equal, without comparing them.

    BLAKE2b of 16 bytes: finding two texts that collide is beyond reach, so nobody can make one name pass for another.
    """
    raw = b"".join([blake2b(text.encode(), digest_size=16).digest() for text in texts])
    pairs = np.frombuffer(raw, dtype="<i8").reshape(-1, 2)
    return pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)


def mix(*values: int) -> int:
    """The signed 64-bit hash of a tuple of int64 numbers, in order."""
    state = 0
    for value in values:
        state = ((state + _GOLDEN) & _MASK) ^ (value & _MASK)
        state = ((state ^ (state >> 30)) * _FIRST) & _MASK
        state = ((state ^ (state >> 27)) * _SECOND) & _MASK
        state ^= state >> 31
    return state - (1 << 64) if state >> 63 else state


def mix_many(*columns: ArrayLike) -> NDArray[np.int64]:
    """mix over columns side by side: entry i is mix(columns[0][i], columns[1][i], …)."""
    warm_up()
    arrays = [np.ascontiguousarray(column, dtype=np.int64) for column in columns]
    state = np.zeros(len(arrays[0]), dtype=np.int64)
    for array in arrays:
        if len(array) != len(state):
            raise ValueError("columns side by side have one length")
        kernels.mix_into(state, array)
    return state


class HashIndex:
    """A multimap from int64 hash to int32 rows, O(1) to add and to find the first, however many rows share a hash.

    A row is a number from 0 that is in the index at most once, under one hash. Rows under one hash come in the order
    they were added. Takes 4 bytes a number up to the highest, and 12 a slot of a table at most three quarters full.
    """

    __slots__ = ("_hashes", "_links", "_live", "_tails", "_used")

    def __init__(self) -> None:
        warm_up()
        self._hashes: NDArray[Any] = np.zeros(0, dtype=np.int64)
        self._tails: NDArray[Any] = np.zeros(0, dtype=np.int32)
        self._links: NDArray[Any] = np.zeros(0, dtype=np.int32)
        self._used = 0
        self._live = 0

    def __len__(self) -> int:
        return self._live

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._hashes.nbytes + self._tails.nbytes + self._links.nbytes

    def insert(self, hash: int, row: int) -> None:
        """Add one row under a hash."""
        if row < 0:
            raise ValueError("a row number is 0 or more")
        self._make_room(1, row + 1)
        one_hash, one_row = np.array([hash], dtype=np.int64), np.array([row], dtype=np.int32)
        self._used += kernels.insert(self._hashes, self._tails, self._links, one_hash, one_row)
        self._live += 1

    def insert_many(self, hashes: ArrayLike, rows: ArrayLike) -> None:
        """Add rows under hashes, side by side."""
        new_hashes = np.ascontiguousarray(hashes, dtype=np.int64)
        new_rows = np.ascontiguousarray(rows, dtype=np.int32)
        if len(new_hashes) != len(new_rows):
            raise ValueError("hashes and rows side by side have one length")
        if not len(new_rows):
            return
        if int(new_rows.min()) < 0:
            raise ValueError("a row number is 0 or more")
        self._make_room(len(new_rows), int(new_rows.max()) + 1)
        self._used += kernels.insert(self._hashes, self._tails, self._links, new_hashes, new_rows)
        self._live += len(new_rows)

    def find(self, hash: int) -> int:
        """The first row under the hash, -1 when there is none."""
        return kernels.find(self._hashes, self._tails, self._links, hash) if self._used else -1

    def find_all(self, hash: int, most: int | None = None) -> list[int]:
        """Every row under the hash, or the first `most`, in the order they were added."""
        if not self._used:
            return []
        out = np.empty(8 if most is None else most, dtype=np.int32)
        count = kernels.find_all(self._hashes, self._tails, self._links, hash, out)
        while count > len(out) and most is None:
            out = np.empty(len(out) * 8, dtype=np.int32)
            count = kernels.find_all(self._hashes, self._tails, self._links, hash, out)
        return out[:count].tolist()  # type: ignore[no-any-return]

    def find_many(self, hashes: ArrayLike) -> NDArray[np.int32]:
        """The first row under each hash, -1 where there is none; int32."""
        wanted = np.ascontiguousarray(hashes, dtype=np.int64)
        out = np.full(len(wanted), -1, dtype=np.int32)
        if self._used:
            kernels.find_many(self._hashes, self._tails, self._links, wanted, out)
        return out

    def remove(self, hash: int, row: int) -> bool:
        """Take a row out from under a hash; whether it was there. Nothing of the hash stays with its last row gone."""
        if not self._used or not kernels.remove(self._hashes, self._tails, self._links, hash, row):
            return False
        self._live -= 1
        return True

    def _make_room(self, count: int, row_numbers: int) -> None:
        """Slots for `count` more hashes, a quarter left free, and a link for each row number below `row_numbers`."""
        if row_numbers > len(self._links):
            links = np.full(max(row_numbers, len(self._links) * 3 // 2, FIRST_SLOTS), -1, dtype=np.int32)
            links[: len(self._links)] = self._links
            self._links = links
        if (self._used + count) * 4 <= len(self._tails) * 3:
            return
        slots = FIRST_SLOTS
        while slots * 3 < (self._live + count) * 4:
            slots *= 2
        old_hashes, old_tails = self._hashes, self._tails
        self._hashes = np.zeros(slots, dtype=np.int64)
        self._tails = np.full(slots, kernels.EMPTY, dtype=np.int32)
        self._used = kernels.rehash(self._hashes, self._tails, old_hashes, old_tails)
