"""Indexes over parts of names: the words of longer names, and how many atoms names go on for after their first.

Part of projections.names, which says when an entity counts; these only tell where to look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from semurg.domain.linking import atoms
from semurg.domain.names import words
from semurg.projections.columns import Column
from semurg.projections.hashindex import HashIndex, content_hash, content_hash_many


def is_one_plain_word(key: str) -> bool:
    """Whether a match key is a single word for certain, told without cutting it: most names of identifiers are."""
    return key.isascii() and key.isalnum()


class WordPostings:
    """From a folded word to the entities with that word in a longer name. A name that is one word has no posting."""

    def __init__(self) -> None:
        self._index = HashIndex()
        self._entities = Column(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._index.nbytes + self._entities.nbytes

    @staticmethod
    def words(name: str) -> list[str]:
        """The distinct words under which a folded name is found."""
        if is_one_plain_word(name):
            return []
        return [word for word in dict.fromkeys(words(name)) if word != name]

    def add(self, first_entity: int, names: Sequence[str]) -> None:
        """Post consecutive entities under the words of their folded names."""
        posted: list[str] = []
        entities: list[int] = []
        for entity, name in enumerate(names, first_entity):
            found = self.words(name)
            posted += found
            entities += [entity] * len(found)
        first = self._entities.extend(np.array(entities, dtype=np.int32))
        self._index.insert_many(content_hash_many(posted), np.arange(first, first + len(posted), dtype=np.int32))

    def remove(self, entity: int, name: str) -> None:
        """Take the entity out from under the words of its folded name."""
        for word in self.words(name):
            hashed = content_hash(word)
            for posting in self._index.find_all(hashed):
                if self._entities.cells[posting] == entity:
                    self._index.remove(hashed, posting)
                    self._entities.cells[posting] = -1

    def entities(self, word: str, most: int) -> list[int]:
        """The first `most` entities posted under the word's hash, ascending."""
        return [self._entities.cells[posting] for posting in self._index.find_all(content_hash(word), most)]


class FirstAtoms:
    """For names of more than one atom: how many atoms names with a given first atom have."""

    def __init__(self) -> None:
        self._index = HashIndex()
        self._lengths = Column(np.int32)
        self._names = Column(np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._index.nbytes + self._lengths.nbytes + self._names.nbytes

    def add(self, keys: Sequence[str]) -> None:
        """Count names by their match keys."""
        for (hashed, length), names in Counter(map(self._place, keys)).items():
            if length < 2:
                continue
            row = self._row(hashed, length)
            if row >= 0:
                self._names.cells[row] += names
            else:
                self._lengths.append(length)
                self._index.insert(hashed, self._names.append(names))

    def remove(self, key: str) -> None:
        """Count a name no longer."""
        hashed, length = self._place(key)
        row = self._row(hashed, length) if length > 1 else -1
        if row >= 0:
            self._names.cells[row] -= 1
            if not self._names.cells[row]:
                self._index.remove(hashed, row)

    def lengths(self, first_atom: str) -> list[int]:
        """Ascending atom counts, from 2 on, of the names that begin with this atom."""
        return sorted(self._lengths.cells[row] for row in self._index.find_all(content_hash(first_atom)))

    def _row(self, hashed: int, length: int) -> int:
        rows = self._index.find_all(hashed)
        return next((row for row in rows if self._lengths.cells[row] == length), -1)

    @staticmethod
    def _place(key: str) -> tuple[int, int]:
        """Hash of the first atom and the number of atoms; (0, n) for fewer than two."""
        if is_one_plain_word(key):
            return 0, 1
        parts = atoms(key)
        return (content_hash(parts[0][0]) if len(parts) > 1 else 0), len(parts)
