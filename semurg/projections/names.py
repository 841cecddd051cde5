"""The entities of a scope: their names, how they are found by name, their types.

An entity is a number, counted up from 0. It is known from when it was recorded until it is erased, and true always. A
found name is never believed on a 64-bit hash alone. Called by the scope's projection; knows nothing of facts or texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.limits import SEEDS_MAX
from semurg.domain.names import edit_allowance, folded, is_stop_word, match_key, words
from semurg.domain.visibility import At, visible
from semurg.projections.columns import Column
from semurg.projections.entity_types import EntityTypes
from semurg.projections.hashindex import HashIndex, content_hash_pair, content_hash_pairs
from semurg.projections.kernels import names as kernels
from semurg.projections.kernels.jit import warm_up
from semurg.projections.kernels.visibility import NEVER, known_rows
from semurg.projections.name_parts import FirstAtoms, WordPostings
from semurg.projections.rows import EntityRow
from semurg.projections.strings import StringHeap

CLOSE_EDITS_MAX = 8
PREFIX_LETTERS_MIN = 3
KEYS_IN_PYTHON_MAX = 8
STAGED_TOO = At(NO_END - 1, 0)


class _Near(NamedTuple):
    """Entities and how many edits each is from what was asked, by number."""

    entities: list[int]
    edits: list[int]


class Names:
    """Entity names in two heaps, as shown and folded (accents aside), with an index over match keys."""

    def __init__(self) -> None:
        warm_up()
        self._shown = StringHeap()
        self._folded = StringHeap()
        self._lengths = Column(np.uint16)
        self._signatures = Column(np.uint64)
        self._checks = Column(np.int64)
        self.known_from = Column(np.int64)
        self._positions = Column(np.int64)
        self._sources = Column(np.int32)
        self._by_key = HashIndex()
        self._words = WordPostings()
        self._first_atoms = FirstAtoms()
        self.types = EntityTypes()
        self.live = 0

    def __len__(self) -> int:
        return len(self.known_from)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        columns = (self._lengths, self._signatures, self._checks, self.known_from, self._positions, self._sources)
        parts = (self._shown, self._folded, self._by_key, self._words, self._first_atoms, self.types)
        return sum(column.nbytes for column in columns) + sum(part.nbytes for part in parts)

    # what changes it

    def record(
        self, numbers: Sequence[int], names: Sequence[str], sources: Sequence[int], known_from: int, position: int
    ) -> None:
        """Take in new entities, side by side, names as shown. Their numbers go on from the last one (ValueError)."""
        first = len(self)
        if list(numbers) != list(range(first, first + len(names))):
            raise ValueError(f"entity numbers go on from {first}")
        if not names:
            return
        keys = [match_key(name) for name in names]
        folds = [folded(key) for key in keys]
        hashes, checks = content_hash_pairs(keys)
        self._shown.add_many(names)
        self._folded.add_many(folds)
        self._lengths.fill(0, len(names))
        self._signatures.fill(0, len(names))
        kernels.describe(
            self._folded.bytes.view, self._folded.ends.view, first,
            self._lengths.view[first:], self._signatures.view[first:],
        )  # fmt: skip
        self._checks.extend(checks)
        self.known_from.fill(known_from, len(names))
        self._positions.fill(position, len(names))
        self._sources.extend(sources)
        self._by_key.insert_many(hashes, np.arange(first, first + len(names), dtype=np.int32))
        self._words.add(first, folds)
        self._first_atoms.add(keys)
        self.live += len(names)

    def make_numbers(self, count: int) -> None:
        """Use up the numbers below `count`: those not recorded are those of erased entities."""
        missing = max(0, count - len(self))
        self._shown.add_many([""] * missing)
        self._folded.add_many([""] * missing)
        for column in (self._lengths, self._signatures, self._checks, self._positions, self._sources):
            column.fill(0, missing)
        self.known_from.fill(NEVER, missing)

    def erase(self, entity: int) -> None:
        """Take an entity out of every structure: never seen again at any instant, its name overwritten."""
        for _ in self.erase_in_steps(entity):
            continue

    def erase_in_steps(self, entity: int) -> Iterator[None]:
        """`erase`, done when it is iterated to its end: an entity may have very many types."""
        if not self.is_live(entity):
            return
        key = match_key(self._shown.get(entity))
        self._by_key.remove(content_hash_pair(key)[0], entity)
        self._words.remove(entity, self._folded.get(entity))
        self._first_atoms.remove(key)
        self._shown.erase(entity)
        self._folded.erase(entity)
        self._lengths.cells[entity] = 0
        self._signatures.cells[entity] = 0
        self._checks.cells[entity] = 0
        self.known_from.cells[entity] = NEVER
        self.live -= 1
        yield from self.types.erase_in_steps(entity)

    def cited(self) -> NDArray[np.int32]:
        """The source reference of every live entity."""
        return self._sources.view[self.known_from.view != NEVER]  # type: ignore[no-any-return]

    def instants_of(self, entity: int) -> list[int]:
        """When the entity and each of its types were recorded, µs; nothing for one that is erased."""
        return [self.known_from.cells[entity], *self.types.instants_of(entity)] if self.is_live(entity) else []

    def is_live(self, entity: int) -> bool:
        """Whether the number is that of an entity, recorded (or staged) and not erased."""
        return self.is_visible(entity, STAGED_TOO)

    def is_visible(self, entity: int, at: At) -> bool:
        """Whether the entity shows at the two instants."""
        return 0 <= entity < len(self) and visible(self.known_from.cells[entity], NO_END, UNKNOWN_START, NO_END, at)

    def name(self, entity: int) -> str:
        """The name as first spelled, "" when it was erased. IndexError when there is no such number."""
        return self._shown.get(entity)

    def row(self, entity: int) -> EntityRow:
        """Name, and when, where and by what it was recorded. IndexError when there is no such number."""
        return EntityRow(
            self._shown.get(entity),
            self.known_from.cells[entity],
            self._positions.cells[entity],
            self._sources.cells[entity],
        )

    def types_of(self, entity: int, at: At) -> list[str]:
        """The types that show, each as first spelled for this entity, in the order given."""
        return self.types.of(entity, at)

    # many

    def count(self, at: At) -> int:
        """How many entities show."""
        return int(known_rows(self.known_from.view, at.known_at, np.empty(len(self), dtype=np.int32)))

    # finding

    def numbers_by_key(self, keys: Sequence[str]) -> list[int]:
        """The live entity (staged ones too) with each match key, -1 where there is none."""
        if len(keys) <= KEYS_IN_PYTHON_MAX:
            return [self._number_by_key(key) for key in keys]
        hashes, checks = content_hash_pairs(keys)
        found = self._by_key.find_many(hashes)
        there = np.flatnonzero(found >= 0)
        for i in there[self._checks.view[found[there]] != checks[there]].tolist():
            found[i] = self._number_by_key(keys[i])
        return found.tolist()  # type: ignore[no-any-return]

    def find_exact(self, key: str, at: At) -> int:
        """The entity with this match key that shows, -1 when there is none."""
        entity = self._number_by_key(key)
        return entity if self.is_visible(entity, at) else -1

    def find_spelling(self, query: str, at: At) -> list[int]:
        """The entities whose folded name is nearest to a folded query, all at the smallest distance, by number.

        None is further than the query's edit allowance; equal is distance 0. At most SEEDS_MAX. O(entities).
        """
        return self._nearest(query, edit_allowance(len(query)), 1, at).entities

    def find_word(self, word: str, at: At) -> list[int]:
        """The entities with this folded word as one whole word of a longer name, by number, at most SEEDS_MAX.

        A stop word finds none.
        """
        if is_stop_word(word):
            return []
        return self._visible(self._words.entities(word, SEEDS_MAX), word, at)

    def find_start(self, start: str, at: At, most: int) -> list[int]:
        """The entities of whose folded name a word begins with `start`, by number, the first `most`. O(entities)."""
        out, query = np.empty(most, dtype=np.int32), np.frombuffer(start.encode(), dtype=np.uint8)
        count = kernels.word_starts(
            query, _signature_of(start), self._folded.bytes.view, self._folded.ends.view, self._signatures.view,
            self.known_from.view, at.known_at, out,
        )  # fmt: skip
        return out[:count].tolist()  # type: ignore[no-any-return]

    def close_names(self, key: str, at: At, limit: int) -> list[str]:
        """Up to `limit` names near a match key: a suggestion, never an answer. Nearest first, then by name.

        Near: a third of its letters away (at least 2 edits, at most 8), or one begins with the other from 3 letters on,
        or they share a word that is no stop word; the latter two come after, by difference of length.
        """
        query = folded(key)
        edits_max = min(max(2, len(query) // 3), CLOSE_EDITS_MAX)
        near = self._near(query, min(edits_max, max(len(query) - 1, 0)), limit, at)
        ranks = dict(zip(near.entities, near.edits, strict=True))
        others = self._alike_at_start(query, at)
        for word in dict.fromkeys(words(query)):
            others += self.find_word(word, at)
            others += [entity for entity in [self.find_exact(word, at)] if entity >= 0]
        for entity in others:
            ranks.setdefault(entity, edits_max + 1 + abs(self._lengths.cells[entity] - len(query)))
        ranked = sorted((rank, self._shown.get(entity)) for entity, rank in ranks.items())
        return [name for _, name in ranked[:limit]]

    def name_lengths(self, first_atom: str) -> list[int]:
        """Ascending atom counts of the live names whose match key begins with this atom."""
        alone = [1] if self._number_by_key(first_atom) >= 0 else []
        return alone + self._first_atoms.lengths(first_atom)

    def _number_by_key(self, key: str) -> int:
        hashed, check = content_hash_pair(key)
        entity = self._by_key.find(hashed)
        if entity < 0 or self._checks.cells[entity] == check:
            return entity
        same = (row for row in self._by_key.find_all(hashed) if self._checks.cells[row] == check)
        return next(same, -1)

    def _near(self, query: str, edits_max: int, wanted: int, at: At) -> _Near:
        """_nearest, in widening nets: a narrow one rules out most names and mostly is enough."""
        edits = min(2, edits_max)
        while True:
            near = self._nearest(query, edits, wanted, at)
            if len(near.entities) >= wanted or edits == edits_max:
                return near
            edits = min(edits * 2, edits_max)

    def _nearest(self, query: str, edits_max: int, wanted: int, at: At) -> _Near:
        """The visible entities within `edits_max` of a folded query, up to the distance that holds `wanted` of them."""
        codes = np.frombuffer(query.encode("utf-32-le"), dtype=np.int32)
        signature = _signature_of(query)
        out, edits = np.empty(SEEDS_MAX, dtype=np.int32), np.empty(SEEDS_MAX, dtype=np.int32)
        longest = len(codes) + edits_max + 1
        count = kernels.nearest(
            codes, signature, edits_max, wanted,
            self._folded.bytes.view, self._folded.ends.view, self._lengths.view, self._signatures.view,
            self.known_from.view, at.known_at,
            np.empty(longest, dtype=np.int32), np.empty(3 * longest, dtype=np.int32),
            np.zeros(edits_max + 1, dtype=np.int32), out, edits,
        )  # fmt: skip
        return _Near(out[:count].tolist(), edits[:count].tolist())

    def _alike_at_start(self, query: str, at: At) -> list[int]:
        out = np.empty(SEEDS_MAX, dtype=np.int32)
        count = kernels.alike_at_start(
            np.frombuffer(query.encode(), dtype=np.uint8), len(query), PREFIX_LETTERS_MIN,
            self._folded.bytes.view, self._folded.ends.view, self._lengths.view,
            self.known_from.view, at.known_at, out,
        )  # fmt: skip
        return out[:count].tolist()  # type: ignore[no-any-return]

    def _visible(self, entities: Iterable[int], word: str, at: At) -> list[int]:
        """Those entities that show and whose name does hold the word, at most SEEDS_MAX."""
        seen: list[int] = []
        for entity in entities:
            if self.is_visible(entity, at) and word in self._folded.get(entity):
                seen.append(entity)
                if len(seen) == SEEDS_MAX:
                    break
        return seen


def _signature_of(query: str) -> int:
    """What kernels.describe keeps of a folded name."""
    raw = np.frombuffer(query.encode(), dtype=np.uint8)
    length, signature = np.zeros(1, dtype=np.uint16), np.zeros(1, dtype=np.uint64)
    kernels.describe(raw, np.array([len(raw)], dtype=np.int64), 0, length, signature)
    return int(signature[0])
