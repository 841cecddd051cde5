"""The types (classes) of entities, as spelled and as compared.

Part of projections.names. A type is known from when it was given until its entity is erased, and true always. Two
spellings are one class when their match keys are equal; an entity has a class once, under the spelling given first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.names import match_key
from semurg.domain.visibility import At, visible
from semurg.projections.columns import Column
from semurg.projections.kernels import visibility as kernels
from semurg.projections.rows import TypeCount
from semurg.projections.strings import Interner


class EntityTypes:
    """Rows (type, known_from), chained for each entity from the newest to the oldest."""

    def __init__(self) -> None:
        self._types = Column(np.int32)
        self._known_from = Column(np.int64)
        self._previous = Column(np.int32)
        self._newest = Column(np.int32)
        self._spellings = Interner()
        self._classes = Interner()
        self._class_of = Column(np.int32)
        self._uses = Column(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        columns = (self._types, self._known_from, self._previous, self._newest, self._class_of, self._uses)
        return sum(column.nbytes for column in columns) + self._spellings.nbytes + self._classes.nbytes

    def give(self, entities: Sequence[int], types: Sequence[str], known_from: int) -> None:
        """Give types to entities, side by side. A class that an entity has already is not given again."""
        for entity, text in zip(entities, types, strict=True):
            number = self._number(text)
            if self._class_of.cells[number] in self._class_numbers(entity):
                continue
            self._newest.fill(-1, max(0, entity + 1 - len(self._newest)))
            self._previous.append(self._newest.cells[entity])
            self._known_from.append(known_from)
            self._newest.cells[entity] = self._types.append(number)
            self._uses.cells[number] += 1

    def of(self, entity: int, at: At) -> list[str]:
        """The spellings of the entity's types that show, in the order they were given."""
        known_from, types = self._known_from.cells, self._types.cells
        return [
            self._spellings.text(types[row])
            for row in self._rows(entity)
            if visible(known_from[row], NO_END, UNKNOWN_START, NO_END, at)
        ]

    def instants_of(self, entity: int) -> list[int]:
        """When each type of the entity was given, µs."""
        return [self._known_from.cells[row] for row in self._rows(entity)]

    def keys_of(self, entity: int) -> set[str]:
        """Match keys of every type the entity has, staged ones too."""
        return {self._classes.text(number) for number in self._class_numbers(entity)}

    def classes(self, at: At) -> list[TypeCount]:
        """Every class that has members, in the order of first use, with its spellings in that order."""
        rows = np.empty(len(self._known_from), dtype=np.int32)
        rows = rows[: kernels.known_rows(self._known_from.view, at.known_at, rows)]
        types = self._types.view[rows]
        members = np.bincount(self._class_of.view[types], minlength=1)
        used, first_use = np.unique(types, return_index=True)
        spellings: dict[int, list[str]] = {}
        for number in used[np.argsort(first_use)].tolist():
            spellings.setdefault(self._class_of.cells[number], []).append(self._spellings.text(number))
        return [TypeCount(texts[0], int(members[number]), texts) for number, texts in spellings.items()]

    def erase(self, entity: int) -> None:
        """Take every type from the entity, in every past state too. A spelling that nobody has any more is erased."""
        for row in self._rows(entity):
            number = self._types.cells[row]
            self._known_from.cells[row] = kernels.NEVER
            self._uses.cells[number] -= 1
            if not self._uses.cells[number]:
                self._erase_spelling(number)
        if entity < len(self._newest):
            self._newest.cells[entity] = -1

    def _number(self, text: str) -> int:
        number = self._spellings.number(text)
        if number == len(self._class_of):
            self._class_of.append(self._classes.number(match_key(text)))
            self._uses.append(0)
        return number

    def _erase_spelling(self, number: int) -> None:
        self._spellings.erase(number)
        own = self._class_of.cells[number]
        if not np.any(self._uses.view[self._class_of.view == own]):
            self._classes.erase(own)

    def _rows(self, entity: int) -> list[int]:
        """Rows of the entity, oldest first."""
        rows: list[int] = []
        row = self._newest.cells[entity] if entity < len(self._newest) else -1
        while row >= 0:
            rows.append(row)
            row = self._previous.cells[row]
        return rows[::-1]

    def _class_numbers(self, entity: int) -> list[int]:
        class_of, types = self._class_of.cells, self._types.cells
        return [class_of[types[row]] for row in self._rows(entity)]
