"""The types (classes) of entities, as spelled and as compared.

Part of projections.names. A type is known from when it was given until its entity is erased, and true always. Two
spellings are one class when their match keys are equal; an entity has a class once, under the spelling given first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.names import match_key
from semurg.domain.plurals import type_words
from semurg.domain.visibility import At, visible
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.hashindex import HashIndex, content_hash
from semurg.projections.kernels import visibility as kernels
from semurg.projections.rows import Int32s, TypeCount
from semurg.projections.strings import Interner

ERASING_STEP = 2_048
"""Types taken off an entity in one step: a few ms."""


class EntityTypes:
    """Rows (type, known_from), chained for each entity in the order they were given."""

    def __init__(self) -> None:
        self._types = Column(np.int32)
        self._entities = Column(np.int32)
        self._known_from = Column(np.int64)
        self._of_entity = Chains()
        self._of_class = Chains()
        self._by_words = HashIndex()
        self._spelled_from = Column(np.int64)
        self._spellings = Interner()
        self._classes = Interner()
        self._class_of = Column(np.int32)
        self._uses = Column(np.int32)
        self._class_uses = Column(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        parts = (
            self._types, self._entities, self._known_from, self._of_entity, self._of_class, self._by_words,
            self._spelled_from, self._spellings, self._classes, self._class_of, self._uses, self._class_uses,
        )  # fmt: skip
        return sum(part.nbytes for part in parts)

    def give(self, entities: Sequence[int], types: Sequence[str], known_from: int) -> None:
        """Give types to entities, side by side. A class that an entity has already is not given again."""
        held: dict[int, set[int]] = {}
        for entity, text in zip(entities, types, strict=True):
            if entity not in held:
                held[entity] = set(self._class_numbers(entity).tolist())
            number = self._number(text, known_from)
            own_class = self._class_of.cells[number]
            if own_class in held[entity]:
                continue
            held[entity].add(own_class)
            self._of_entity.add(entity)
            self._of_class.add(own_class)
            self._types.append(number)
            self._entities.append(entity)
            self._known_from.append(known_from)
            self._uses.cells[number] += 1
            self._class_uses.cells[own_class] += 1

    def of(self, entity: int, at: At) -> list[str]:
        """The spellings of the entity's types that show, in the order they were given."""
        known_from, types = self._known_from.cells, self._types.cells
        return [
            self._spellings.text(types[row])
            for row in self._of_entity.rows(entity)
            if visible(known_from[row], NO_END, UNKNOWN_START, NO_END, at)
        ]

    def named(self, words_of_type: str, at: At) -> list[int]:
        """The classes of which a spelling known at the instant has these words (domain.plurals.type_words)."""
        found = set()
        for number in self._by_words.find_all(content_hash(words_of_type)):
            known = visible(self._spelled_from.cells[number], NO_END, UNKNOWN_START, NO_END, at)
            if known and type_words(self._spellings.text(number)) == words_of_type:
                found.add(self._class_of.cells[number])
        return sorted(found)

    def members(self, own_class: int, at: At, most: int) -> list[int]:
        """The entities of a class, in the order they were given it, the first `most`."""
        members: list[int] = []
        for row in self._of_class.iterate(own_class):
            if visible(self._known_from.cells[row], NO_END, UNKNOWN_START, NO_END, at):
                members.append(self._entities.cells[row])
                if len(members) == most:
                    break
        return members

    def spelling(self, own_class: int, at: At) -> str:
        """The spelling under which the first of its members that shows was given the class, "" when none shows."""
        for row in self._of_class.iterate(own_class):
            if visible(self._known_from.cells[row], NO_END, UNKNOWN_START, NO_END, at):
                return self._spellings.text(self._types.cells[row])
        return ""

    def instants_of(self, entity: int) -> list[int]:
        """When each type of the entity was given, µs."""
        return [self._known_from.cells[row] for row in self._of_entity.rows(entity)]

    def keys_of(self, entity: int) -> set[str]:
        """Match keys of every type the entity has, staged ones too."""
        return {self._classes.text(number) for number in self._class_numbers(entity).tolist()}

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
        for _ in self.erase_in_steps(entity):
            continue

    def erase_in_steps(self, entity: int) -> Iterator[None]:
        """`erase`, done when it is iterated to its end."""
        rows = self._of_entity.rows(entity)
        self._known_from.view[rows] = kernels.NEVER
        self._entities.view[rows] = -1
        self._of_entity.drop(entity)
        for first in range(0, len(rows), ERASING_STEP):
            for row in rows[first : first + ERASING_STEP]:
                self._release(self._types.cells[row])
            yield

    def _number(self, text: str, known_from: int) -> int:
        number = self._spellings.number(text)
        if number == len(self._class_of):
            own_class = self._classes.number(match_key(text))
            self._class_of.append(own_class)
            self._uses.append(0)
            self._spelled_from.append(known_from)
            self._by_words.insert(content_hash(type_words(text)), number)
            if own_class == len(self._class_uses):
                self._class_uses.append(0)
        return number

    def _release(self, number: int) -> None:
        """One entity less has the type: its spelling goes with the last one, its class with that of all spellings."""
        own_class = self._class_of.cells[number]
        self._uses.cells[number] -= 1
        self._class_uses.cells[own_class] -= 1
        if not self._uses.cells[number]:
            self._by_words.remove(content_hash(type_words(self._spellings.text(number))), number)
            self._spellings.erase(number)
        if not self._class_uses.cells[own_class]:
            self._classes.erase(own_class)

    def _class_numbers(self, entity: int) -> Int32s:
        types: Int32s = self._types.view[self._of_entity.array(entity)]
        return self._class_of.view[types]
