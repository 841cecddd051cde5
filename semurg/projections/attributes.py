"""Typed attributes of entities and facts: a history of values a key, and the way from a value to its entities.

An *attribute* is one (owner, key) under one number; a *row* is one value over one interval, over the time that it was
held to be so. Rows change in nothing but `known_to`. Keys and stored values are counted texts: they leave with their
last row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semurg.domain.events import AttributeEpisode, AttributeHistory
from semurg.domain.instants import NO_END
from semurg.domain.values import canonical, load
from semurg.domain.view import ValueEpisode
from semurg.domain.visibility import At, visible
from semurg.projections.adjacency import RowTimes
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.counted import CountedTexts
from semurg.projections.hashindex import HashIndex, content_hash, mix
from semurg.projections.kernels import visibility
from semurg.projections.rows import Int32s, ValueRow
from semurg.projections.timeline import instants, time_views

ERASED = -1


class Attributes:
    """Every attribute of a scope by number; `ERASED` as its owner: it is forgotten, or was never recorded."""

    def __init__(self) -> None:
        self._keys = CountedTexts()
        self._values = CountedTexts()
        self._on_fact = Column(np.uint8)
        self._owners = Column(np.int32)
        self._key_ids = Column(np.int32)
        self._of_owner = HashIndex()
        self._by_owner_and_key = HashIndex()
        self._of_attribute = Chains()
        self._row_attributes = Column(np.int32)
        self._row_values = Column(np.int32)
        self._row_sources = Column(np.int32)
        self._row_postings = Column(np.int32)
        self._row_times = RowTimes(Column(np.int64), Column(np.int64), Column(np.int64), Column(np.int64))
        self._postings = Column(np.int32)
        self._by_value = HashIndex()
        self._facts_with_any = 0

    def __len__(self) -> int:
        """The next unused number."""
        return len(self._owners)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        parts = (
            self._keys, self._values, self._on_fact, self._owners, self._key_ids, self._of_owner,
            self._by_owner_and_key, self._of_attribute, self._row_attributes, self._row_values, self._row_sources,
            self._row_postings, *self._row_times, self._postings, self._by_value,
        )  # fmt: skip
        return sum(part.nbytes for part in parts)

    # what events do

    def record(self, history: AttributeHistory, recorded_at: int) -> None:
        """Take in the decided history of one key: values no longer listed close, new ones are added."""
        number = history.number
        self.make_numbers(number + 1)
        if self._owners.cells[number] == ERASED:
            self._add(history)
        times, values, sources = self._row_times, self._row_values.cells, self._row_sources.cells
        wanted = [(one.valid_from, one.valid_to, self._values.find(one.value), one.source) for one in history.episodes]
        left = dict(zip(wanted, history.episodes, strict=True))
        for row in self._open_rows(number):
            held = (times.valid_from.cells[row], times.valid_to.cells[row], values[row], sources[row])
            if left.pop(held, None) is None:
                times.known_to.cells[row] = recorded_at
        for episode in left.values():
            self._add_row(history, episode, recorded_at)

    def make_numbers(self, count: int) -> None:
        """Use up the numbers below `count`: those not recorded are erased."""
        missing = count - len(self._owners)
        if missing > 0:
            self._on_fact.fill(0, missing)
            self._owners.fill(ERASED, missing)
            self._key_ids.fill(ERASED, missing)

    def _add(self, history: AttributeHistory) -> None:
        number = history.number
        self._on_fact.cells[number] = history.on_fact
        self._owners.cells[number] = history.owner
        key_id = self._keys.take(history.key)
        self._key_ids.cells[number] = key_id
        self._of_owner.insert(mix(history.on_fact, history.owner), number)
        self._by_owner_and_key.insert(mix(history.on_fact, history.owner, key_id), number)
        self._facts_with_any += history.on_fact

    def _open_rows(self, number: int) -> list[int]:
        closed = self._row_times.known_to.cells
        return [row for row in self._of_attribute.rows(number) if closed[row] == NO_END]

    def _add_row(self, history: AttributeHistory, episode: AttributeEpisode, recorded_at: int) -> None:
        row = self._of_attribute.add(history.number)
        self._row_attributes.append(history.number)
        self._row_values.append(self._values.take(episode.value))
        self._row_sources.append(episode.source)
        for column, instant in zip(
            self._row_times, (recorded_at, NO_END, episode.valid_from, episode.valid_to), strict=True
        ):
            column.append(instant)
        self._row_postings.append(len(self._postings))
        if not history.on_fact:
            for hashed in self._hashes(history.key, episode.value):
                self._by_value.insert(hashed, self._postings.append(row))

    def _hashes(self, key: str, value: str) -> list[int]:
        """What a stored value is found under: once for each member of a set."""
        members = load(value)
        return [
            _value_hash(key, canonical(kind, text)) for kind, text in zip(members.types, members.texts, strict=True)
        ]

    def erase(self, number: int) -> None:
        """Forget every value of one key of one owner, at every instant."""
        if not 0 <= number < len(self._owners) or self._owners.cells[number] == ERASED:
            return
        on_fact, owner, key_id = self._on_fact.cells[number], self._owners.cells[number], self._key_ids.cells[number]
        key = self._keys.text(key_id)
        for row in self._of_attribute.rows(number):
            value_id, posting = self._row_values.cells[row], self._row_postings.cells[row]
            if not on_fact:
                for place, hashed in enumerate(self._hashes(key, self._values.text(value_id))):
                    self._by_value.remove(hashed, posting + place)
                    self._postings.cells[posting + place] = ERASED
            for column in (self._row_attributes, self._row_values, self._row_sources):
                column.cells[row] = ERASED
            for times in self._row_times:
                times.cells[row] = visibility.NEVER
            self._values.release(value_id)
        self._of_attribute.drop(number)
        self._of_owner.remove(mix(on_fact, owner), number)
        self._by_owner_and_key.remove(mix(on_fact, owner, key_id), number)
        self._owners.cells[number] = self._key_ids.cells[number] = ERASED
        self._keys.release(key_id)
        self._facts_with_any -= on_fact

    def erase_owner(self, on_fact: bool, owner: int) -> None:
        """Forget every attribute of an entity or fact."""
        for number in self.of_owner(on_fact, owner):
            self.erase(number)

    # what decisions ask: the newest state

    def of_owner(self, on_fact: bool, owner: int) -> list[int]:
        """The attributes of an owner, in the order they were first recorded."""
        if on_fact and not self._facts_with_any:
            return []
        hashed = mix(on_fact, owner)
        if self._of_owner.find(hashed) < 0:
            return []
        owners, kinds = self._owners.cells, self._on_fact.cells
        return [
            number for number in self._of_owner.find_all(hashed) if owners[number] == owner and kinds[number] == on_fact
        ]

    def find(self, on_fact: bool, owner: int, key: str) -> int:
        """The attribute of (owner, key), -1 when there is none."""
        key_id = self._keys.find(key)
        if key_id < 0:
            return -1
        owners, kinds, key_ids = self._owners.cells, self._on_fact.cells, self._key_ids.cells
        for number in self._by_owner_and_key.find_all(mix(on_fact, owner, key_id)):
            # a hash is no proof
            if owners[number] == owner and kinds[number] == on_fact and key_ids[number] == key_id:
                return number
        return -1

    def episodes(self, number: int) -> list[ValueEpisode]:
        """The values that stand, in order of time."""
        times, sources = self._row_times, self._row_sources.cells
        return sorted(
            ValueEpisode(
                times.valid_from.cells[row],
                times.valid_to.cells[row],
                self._values.text(self._row_values.cells[row]),
                sources[row],
            )
            for row in self._open_rows(number)
        )

    def was_stated(self, number: int, value: str, start: int, source: int) -> bool:
        """Whether a row, standing or replaced, holds this stored value from this instant on by this source."""
        wanted = (self._values.find(value), start, source)
        columns = (self._row_values, self._row_times.valid_from, self._row_sources)
        rows = self._of_attribute.array(number)
        same = np.ones(len(rows), dtype=np.bool_)
        for column, one in zip(columns, wanted, strict=True):
            same &= column.view[rows] == one
        return bool(same.any())

    def cited_by(self, number: int) -> list[int]:
        """The source references of its values, past ones too, one each."""
        return self._row_sources.view[self._of_attribute.array(number)].tolist()  # type: ignore[no-any-return]

    def cited(self) -> Int32s:
        """The source reference of every value that is not forgotten."""
        return self._row_sources.view[self._row_attributes.view != ERASED]  # type: ignore[no-any-return]

    def instants_of(self, number: int) -> Iterator[int]:
        """When the values of an attribute were recorded and replaced."""
        return instants(self._row_times, self._of_attribute.rows(number))

    # what reads ask

    def at(self, on_fact: bool, owner: int, at: At) -> list[tuple[str, str]]:
        """(key, stored value) of each attribute that the owner has at the two instants, by key."""
        numbers = self.of_owner(on_fact, owner)
        # most owners have none
        if not numbers:
            return []
        times, key_ids = self._row_times, self._key_ids.cells
        known_from, known_to = times.known_from.cells, times.known_to.cells
        valid_from, valid_to = times.valid_from.cells, times.valid_to.cells
        return sorted(
            (self._keys.text(key_ids[number]), self._values.text(self._row_values.cells[row]))
            for number in numbers
            for row in self._of_attribute.rows(number)
            if visible(known_from[row], known_to[row], valid_from[row], valid_to[row], at)
        )

    def history(self, on_fact: bool, owner: int, key: str, at: At) -> list[ValueRow]:
        """Every value of one key as known at at.known_at, in order of time; at.valid_at plays no part."""
        number = self.find(on_fact, owner, key)
        if number < 0:
            return []
        times = self._row_times
        rows = self._of_attribute.array(number)
        known = np.empty_like(rows)
        count = visibility.keep_known(rows, times.known_from.view, times.known_to.view, at.known_at, known)
        return sorted(
            ValueRow(
                times.valid_from.cells[row],
                times.valid_to.cells[row],
                times.known_from.cells[row],
                self._values.text(self._row_values.cells[row]),
                self._row_sources.cells[row],
            )
            for row in known[:count].tolist()
        )

    def entities_with(self, key: str, wanted: str, type: str | None, at: At) -> list[int]:
        """The entities whose attribute `key` is, or as a set holds, this canonical value, ascending.

        `type` None: of any type. Cost: the rows with that value, however large the scope.
        """
        key_id = self._keys.find(key)
        postings = np.array(self._by_value.find_all(_value_hash(key, wanted)), dtype=np.int32)
        if key_id < 0 or not len(postings):
            return []
        rows = self._showing(np.unique(self._postings.view[postings]), at)
        rows = rows[self._key_ids.view[self._row_attributes.view[rows]] == key_id]
        values = self._row_values.view[rows]
        # equal values share a number, so each different one is read and compared once
        meant = [one for one in np.unique(values).tolist() if _holds(self._values.text(one), wanted, type)]
        owners = self._owners.view[self._row_attributes.view[rows[np.isin(values, meant)]]]
        return np.unique(owners).tolist()  # type: ignore[no-any-return]

    def _showing(self, rows: Int32s, at: At) -> Int32s:
        showing = np.empty_like(rows)
        return showing[: visibility.keep(rows, *time_views(self._row_times), at.known_at, at.valid_at, showing)]


def _value_hash(key: str, canonical_text: str) -> int:
    return content_hash(f"{key}\0{canonical_text}")


def _holds(stored: str, wanted: str, type: str | None) -> bool:
    """Whether the stored value is, or as a set holds, the wanted canonical text."""
    value = load(stored)
    members = zip(value.types, value.texts, strict=True)
    return any(type in (None, kind) and canonical(kind, text) == wanted for kind, text in members)
