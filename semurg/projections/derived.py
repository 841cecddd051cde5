"""Facts that follow from stored ones by the meaning of their relation. None is kept: each read works them out.

A derived fact is worked out from rows that all show at the same two instants, so it holds over their intersection, and
forgetting or ending a row takes away what followed from it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semurg.domain.limits import DERIVED_FACTS_MAX
from semurg.domain.relations import inverse_spelling, meaning, rule
from semurg.domain.visibility import At
from semurg.projections.columns import Column
from semurg.projections.facts import Facts
from semurg.projections.rows import DerivedFact, Int32s

NO_MEANING = -1
SYMMETRIC, INVERSE, TRANSITIVE = "symmetric", "inverse", "transitive"

Meant = tuple[int, int, int]
"""(source, meaning, target): under this a derived fact and a stored one are the same."""


class Derivations:
    """What follows from the facts that touch an entity.

    Keeps the meaning of each relation type from which anything follows, as a small number; other types have NO_MEANING.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._meanings = Column(np.int32)
        self._numbers: dict[str, int] = {}
        self._rules: list[str] = []

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return self._meanings.nbytes

    def touching(self, entity: int, at: At) -> list[DerivedFact]:
        """Derived facts with the entity at either end, nearest first, at most DERIVED_FACTS_MAX.

        Each (source, meaning, target) once: the one with the fewest premises, of those the one with the lowest rows.
        None that is also stored, none from the entity to itself.
        """
        meanings = self._all_meanings()
        if not self._rules:
            return []
        rows = self._facts.visible_rows(entity, at)
        rows = rows[meanings[self._facts.row_types.view[rows]] != NO_MEANING]
        if not len(rows):
            return []
        rows.sort()
        seen = self._stored(rows, meanings)
        found = list(self._over_one_row(rows, seen))
        chained = {number for _, number, _ in seen if self._rules[number] == TRANSITIVE}
        for number in sorted(chained):
            found.extend(self._over_chains(entity, number, meanings, at, seen))
        found.sort(key=lambda derived: (len(derived.premises), derived.premises))
        return found[:DERIVED_FACTS_MAX]

    def _all_meanings(self) -> Int32s:
        """The meaning of each type id, those of new types worked out first."""
        types = self._facts.types
        for type_id in range(len(self._meanings), len(types)):
            name = types.text(type_id)
            named_rule = rule(name)
            self._meanings.append(NO_MEANING if named_rule is None else self._number(meaning(name), named_rule))
        return self._meanings.view

    def _number(self, name: str, named_rule: str) -> int:
        number = self._numbers.setdefault(name, len(self._rules))
        if number == len(self._rules):
            self._rules.append(named_rule)
        return number

    def _stored(self, rows: Int32s, meanings: Int32s) -> set[Meant]:
        facts = self._facts
        sources, targets = facts.row_sources.view[rows].tolist(), facts.row_targets.view[rows].tolist()
        return set(zip(sources, meanings[facts.row_types.view[rows]].tolist(), targets, strict=True))

    def _over_one_row(self, rows: Int32s, seen: set[Meant]) -> Iterator[DerivedFact]:
        """What a symmetric or inverse relation says the other way round. `seen` grows by what is found."""
        columns = self._facts.columns(rows)
        meanings = self._meanings.cells
        spelled: dict[int, tuple[str, str, int]] = {}
        for row, type_id, source, target, start, end in zip(
            rows.tolist(), columns.type.tolist(), columns.source.tolist(), columns.target.tolist(),
            columns.valid_from.tolist(), columns.valid_to.tolist(), strict=True,
        ):  # fmt: skip
            if source == target:
                continue
            if type_id not in spelled:
                spelled[type_id] = self._turned(type_id, meanings[type_id])
            named_rule, type_name, number = spelled[type_id]
            meant = (target, number, source)
            if named_rule == TRANSITIVE or meant in seen:
                continue
            seen.add(meant)
            yield DerivedFact(named_rule, target, type_name, source, start, end, (row,))

    def _turned(self, type_id: int, number: int) -> tuple[str, str, int]:
        """(rule, name, meaning) of a relation type read from its target to its source."""
        named_rule, type_name = self._rules[number], self._facts.types.text(type_id)
        if named_rule != INVERSE:
            return named_rule, type_name, number
        opposite = inverse_spelling(type_name)
        return named_rule, opposite, self._number(meaning(opposite), INVERSE)

    def _over_chains(
        self, entity: int, number: int, meanings: Int32s, at: At, seen: set[Meant]
    ) -> Iterator[DerivedFact]:
        """What a transitive relation joins to the entity over two links and more, either way."""
        for inbound in (False, True):
            closure = self._facts.adjacency.closure(entity, number, meanings, inbound, at)
            for entry in np.flatnonzero(closure.depths > 1).tolist():
                other = int(closure.entities[entry])
                source, target = (other, entity) if inbound else (entity, other)
                if (source, number, target) in seen:
                    continue
                path = closure.path(entry)
                yield self._chained(source, target, path[::-1] if inbound else path)

    def _chained(self, source: int, target: int, path: list[int]) -> DerivedFact:
        """The fact over a chain of rows, spelled as its first link is; it holds while every link does."""
        columns = self._facts.columns(np.array(path, dtype=np.int32))
        type_name = self._facts.types.text(int(columns.type[0]))
        start, end = int(columns.valid_from.max()), int(columns.valid_to.min())
        return DerivedFact(TRANSITIVE, source, type_name, target, start, end, tuple(path))
