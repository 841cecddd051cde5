"""The entities of one call: which it names, which of them are new, which types they gain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from semurg.domain.commands import EntityInput, Name
from semurg.domain.events import EntitiesRecorded
from semurg.domain.linking import atoms
from semurg.domain.names import match_key
from semurg.domain.view import MemoryView


class EntitiesDraft:
    """Numbers for every entity that a call names; new ones are numbered in the order they are first named."""

    def __init__(self, view: MemoryView, names: Iterable[Name]) -> None:
        unique: dict[str, Name] = {}
        for name in names:
            unique.setdefault(name.key, name)
        keys = list(unique)
        self._view = view
        self.number: dict[str, int] = {}
        self.new: dict[int, Name] = {}
        self._typed: list[tuple[int, str]] = []
        following = view.next_entity
        for key, found in zip(keys, view.entities_by_key(keys), strict=True):
            if found < 0:
                found = following
                following += 1
                self.new[found] = unique[key]
            self.number[key] = found

    @property
    def known(self) -> int:
        """How many of the named entities were stored before."""
        return len(self.number) - len(self.new)

    def name(self, entity: int) -> str:
        """The name as first spelled."""
        return self.new[entity].text if entity in self.new else self._view.entity_name(entity)

    def give_types(self, entities: Iterable[EntityInput]) -> None:
        """Note the types that are new to their entity; types are compared by match key."""
        seen: dict[int, set[str]] = {}
        for entity in entities:
            number = self.number[entity.name.key]
            if number not in seen:
                seen[number] = set() if number in self.new else self._view.entity_type_keys(number)
            for type_name in entity.types:
                key = match_key(type_name)
                if key not in seen[number]:
                    seen[number].add(key)
                    self._typed.append((number, type_name))

    def event(self, source_of: Callable[[int], int]) -> EntitiesRecorded | None:
        """What is new about entities; `source_of` gives the source reference of a new one. None: nothing is new."""
        if not self.new and not self._typed:
            return None
        return EntitiesRecorded(
            numbers=list(self.new),
            names=[name.text for name in self.new.values()],
            sources=[source_of(entity) for entity in self.new],
            typed=[entity for entity, _ in self._typed],
            types=[type_name for _, type_name in self._typed],
        )


class NameLookup:
    """How linking finds names: those stored in the scope and those sent in the same call."""

    def __init__(self, view: MemoryView, entities: EntitiesDraft) -> None:
        self._view = view
        self._number = entities.number
        self._lengths: dict[str, set[int]] = {}
        self._told: dict[str, Sequence[int]] = {}
        for name in entities.new.values():
            parts = atoms(name.key)
            self._lengths.setdefault(parts[0][0], set()).add(len(parts))

    def lengths(self, first_atom: str) -> Sequence[int]:
        """Ascending atom counts of the names that begin with this atom."""
        told = self._told.get(first_atom)
        if told is None:
            stored = self._view.name_lengths(first_atom)
            sent = self._lengths.get(first_atom)
            told = self._told[first_atom] = sorted({*stored, *sent}) if sent else stored
        return told

    def lookup(self, keys: Sequence[str]) -> list[int]:
        """Entity number for each match key, -1 where there is none."""
        number = self._number
        found = self._view.entities_by_key(keys)
        return [number.get(key, -1) if entity < 0 else entity for key, entity in zip(keys, found, strict=True)]
