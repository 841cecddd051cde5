"""Texts as UTF-8 bytes in one heap, and small numbers for texts that come again and again.

A million names are one byte array and one offset array, not a million Python objects. Erasing zeroes the bytes in
place: the heap is the only place in memory where a projection keeps a text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semurg.projections.columns import Column
from semurg.projections.hashindex import HashIndex, content_hash

KEPT_WHOLE_MAX = 1_024


class StringHeap:
    """Texts by number, in the order they were added. A text holds no U+0000 (ValueError): that marks erased ones.

    `bytes` are the UTF-8 bytes of all texts end to end (uint8), `ends` (int64) where each ends: text i is
    bytes[ends[i - 1] : ends[i]], the first begins at 0.
    """

    __slots__ = ("bytes", "ends")

    def __init__(self) -> None:
        self.bytes = Column(np.uint8)
        self.ends = Column(np.int64)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self.bytes.nbytes + self.ends.nbytes

    def add(self, text: str) -> int:
        """Store a text; its number."""
        if "\0" in text:
            raise ValueError("a text in the heap holds no U+0000")
        self.bytes.extend(np.frombuffer(text.encode(), dtype=np.uint8))
        return self.ends.append(len(self.bytes))

    def add_many(self, texts: Sequence[str]) -> int:
        """Store texts in order; the number of the first."""
        joined = "".join(texts)
        if "\0" in joined:
            raise ValueError("a text in the heap holds no U+0000")
        if joined.isascii():
            lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        else:
            lengths = np.fromiter((len(text.encode()) for text in texts), dtype=np.int64, count=len(texts))
        start = len(self.bytes)
        self.bytes.extend(np.frombuffer(joined.encode(), dtype=np.uint8))
        return self.ends.extend(start + np.cumsum(lengths))

    def get(self, number: int) -> str:
        """The text, "" when it was erased. IndexError when there is no such number."""
        text = str(self._slice(number), "utf-8")
        return "" if text[:1] == "\0" else text

    def erase(self, number: int) -> None:
        """Overwrite the text's bytes with zeros; it reads as "" from then on."""
        cells = self._slice(number)
        cells[:] = bytes(len(cells))

    def _slice(self, number: int) -> memoryview:
        ends = self.ends
        if not 0 <= number < len(ends):
            raise IndexError(f"no text {number} in a heap of {len(ends)}")
        return self.bytes.cells[ends.cells[number - 1] if number else 0 : ends.cells[number]]


class Interner:
    """Equal texts as one small number: relation types, labels, dates, attribute keys. Numbers ascend from 0.

    The first 1,024 texts are also kept as Python strings, so that the few that every call uses cost a dict look-up;
    further ones live in the heap alone.
    """

    __slots__ = ("_heap", "_index", "_kept", "_numbers")

    def __init__(self) -> None:
        self._heap = StringHeap()
        self._index = HashIndex()
        self._kept: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included; the kept Python strings counted as twice their heap form."""
        return self._heap.nbytes + self._index.nbytes + 168 * len(self._numbers)

    def number(self, text: str) -> int:
        """The number of the text, a new one when it was not there."""
        known = self.find(text)
        if known >= 0:
            return known
        added = self._heap.add(text)
        if added < KEPT_WHOLE_MAX:
            self._kept.append(text)
            self._numbers[text] = added
        else:
            self._index.insert(content_hash(text), added)
        return added

    def find(self, text: str) -> int:
        """The number of the text, -1 when there is none."""
        kept = self._numbers.get(text, -1)
        if kept >= 0 or len(self._heap) <= KEPT_WHOLE_MAX:
            return kept
        for number in self._index.find_all(content_hash(text)):
            if self._heap.get(number) == text:
                return number
        return -1

    def text(self, number: int) -> str:
        """The text, "" when it was erased. IndexError when there is no such number."""
        return self._kept[number] if 0 <= number < KEPT_WHOLE_MAX else self._heap.get(number)

    def erase(self, number: int) -> None:
        """Forget the text: the number reads as "", the text gets a new number when it comes again."""
        text = self.text(number)
        if number < KEPT_WHOLE_MAX:
            if self._numbers.get(text) == number:
                del self._numbers[text]
            self._kept[number] = ""
        else:
            self._index.remove(content_hash(text), number)
        self._heap.erase(number)
