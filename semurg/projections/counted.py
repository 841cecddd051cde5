"""Texts that many rows share, counted, so that a text leaves memory with the last row that uses it."""

from __future__ import annotations

import numpy as np

from semurg.projections.columns import Column
from semurg.projections.strings import Interner


class CountedTexts:
    """Equal texts as one small number, erased when nothing uses them: relation types, labels, keys, values, dates.

    The number of an erased text is never used again; the text gets a new one when it comes back.
    """

    __slots__ = ("_texts", "_uses")

    def __init__(self) -> None:
        self._texts = Interner()
        self._uses = Column(np.int32)

    def __len__(self) -> int:
        """How many numbers were given out."""
        return len(self._texts)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._texts.nbytes + self._uses.nbytes

    def take(self, text: str, uses: int = 1) -> int:
        """Use the text that many times more; its number."""
        number = self._texts.number(text)
        if number == len(self._uses):
            self._uses.append(uses)
        else:
            self._uses.cells[number] += uses
        return number

    def take_number(self, number: int) -> int:
        """Use the text of a number in use once more; the number."""
        self._uses.cells[number] += 1
        return number

    def release(self, number: int) -> None:
        """Use the text once less; with the last use it is erased."""
        left = self._uses.cells[number] - 1
        self._uses.cells[number] = left
        if left == 0:
            self._texts.erase(number)

    def take_optional(self, text: str | None) -> int:
        """take, -1 for None."""
        return -1 if text is None else self.take(text)

    def release_optional(self, number: int) -> None:
        """release, nothing for -1."""
        if number >= 0:
            self.release(number)

    def find(self, text: str) -> int:
        """The number of the text, -1 when nothing uses it."""
        return self._texts.find(text)

    def text(self, number: int) -> str:
        """The text of a number in use."""
        return self._texts.text(number)

    def text_optional(self, number: int) -> str | None:
        """The text, None for -1."""
        return None if number < 0 else self._texts.text(number)

    def uses(self, number: int) -> int:
        """How often the text is used."""
        return int(self._uses.cells[number])
