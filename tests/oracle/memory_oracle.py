"""A slow, obvious semurg: what every command should do and every read should answer, kept as plain dicts.

How it treats the axis of knowledge is as far from the real thing as can be: it keeps a whole copy of the scope after
every command, and a read as of an instant takes the last copy that was made by then. There is no row that is opened or
closed. Forgetting overrules that axis: what a later command forgot is left out of every copy, by number.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from call_reading import Call, RefusedError, read_relate, read_remember
from change import Change
from forgetting import Forgetting
from memory_state import State

from semurg.domain.instants import format_bound
from semurg.domain.names import match_key


@dataclass
class Moment:
    """A copy of a scope as it was from `recorded_at` on, and the ordinal of the command that left it so."""

    recorded_at: int
    command: int
    state: State


@dataclass
class Scope:
    """The copies of one scope since it was opened, and what was forgotten."""

    moments: list[Moment] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    labels_gone: set[tuple[int, str]] = field(default_factory=set)
    forgotten: set[tuple[str, ...]] = field(default_factory=set)
    all_forgotten: bool = False

    @property
    def exists(self) -> bool:
        """Whether it was opened and not forgotten since."""
        return bool(self.moments)

    def as_known_at(self, instant: int) -> tuple[State, int] | None:
        """The scope as it was known then, less everything forgotten since, and the last command by then."""
        known = [moment for moment in self.moments if moment.recorded_at <= instant]
        if not known:
            return None
        state = deepcopy(known[-1].state)
        for kind in ("entities", "facts", "attributes", "documents", "passages"):
            kept = {number: one for number, one in getattr(state, kind).items() if number not in self.gone}
            setattr(state, kind, kept)
        for passage in state.passages.values():
            passage.mentions = {one: place for one, place in passage.mentions.items() if one not in self.gone}
        for number, document in state.documents.items():
            document.labels = [label for label in document.labels if (number, label) not in self.labels_gone]
        for number, assertion in state.assertions.items():
            if assertion.label is not None and (number, assertion.label) in self.labels_gone:
                assertion.label, assertion.retired = None, True
        return state, known[-1].command


class Oracle:
    """A node. Times are µs; `commands` counts those that changed something, across all scopes."""

    def __init__(self) -> None:
        self.scopes: dict[tuple[str | None, str], Scope] = {}
        self.commands = 0
        self.last_recorded_at = 0

    def scope(self, place: tuple[str | None, str]) -> Scope:
        """The scope at (user, name); an empty one when it was never written to."""
        return self.scopes.get(place, Scope())

    def remember(self, place: tuple[str | None, str], clock: int, fields: dict[str, Any]) -> dict[str, Any]:
        """memory_remember. Raises RefusedError, or the Refusal of a name, value or date that is refused."""
        return self._write(place, clock, read_remember(fields))

    def relate(self, place: tuple[str | None, str], clock: int, fields: dict[str, Any]) -> dict[str, Any]:
        """memory_relate."""
        call = read_relate(fields)
        reply = self._write(place, clock, call)
        state = self.scopes[place].moments[-1].state
        sent = call.relations[0]
        source, target = (state.entities[state.entity_by_key()[match_key(name)]] for name in (sent.source, sent.target))
        number = state.fact(state.entity_by_key()[source.key], sent.type, state.entity_by_key()[target.key])
        assert number is not None
        reply["fact"] = {
            "ends": (source.name, sent.type, target.name),
            "intervals": [tuple(map(format_bound, one)) for one in state.facts[number].episodes],
        }
        return reply

    def _write(self, place: tuple[str | None, str], clock: int, call: Call) -> dict[str, Any]:
        scope = self.scope(place)
        now = max(clock, self.last_recorded_at + 1)
        before = scope.moments[-1].state if scope.exists else State()
        change = Change(deepcopy(before), call, now, self.commands + 1)
        reply = change.carry_out()
        reply["already"] = scope.exists and change.state == before
        if not reply["already"]:
            self.scopes[place] = scope
            self._commit(scope, now, change.state)
        reply["position"] = scope.moments[-1].command
        return reply

    def _commit(self, scope: Scope, now: int, state: State) -> None:
        self.commands += 1
        self.last_recorded_at = now
        scope.moments.append(Moment(now, self.commands, state))

    def forget(self, place: tuple[str | None, str], clock: int, fields: dict[str, Any]) -> dict[str, Any]:
        """memory_forget; `passage` names the oracle's own document number."""
        scope = self.scope(place)
        if fields.get("all"):
            return self._forget_all(place, scope, clock)
        if not scope.exists:
            raise RefusedError("not_found", *(["already_forgotten"] if scope.all_forgotten else []))
        forgetting = Forgetting(scope, deepcopy(scope.moments[-1].state), fields)
        reply = forgetting.carry_out()
        if not reply["already_forgotten"]:
            scope.forgotten.add(forgetting.what)
            scope.gone |= forgetting.gone
            scope.labels_gone |= forgetting.labels_gone
            self._commit(scope, max(clock, self.last_recorded_at + 1), forgetting.state)
            state = scope.as_known_at(self.last_recorded_at)
            assert state is not None
            scope.moments[-1].state = state[0]
        reply["position"] = scope.moments[-1].command
        return reply

    def _forget_all(self, place: tuple[str | None, str], scope: Scope, clock: int) -> dict[str, Any]:
        if not scope.exists:
            if scope.all_forgotten:
                return {"already_forgotten": True}
            raise RefusedError("not_found")
        state = scope.moments[-1].state
        counts = {kind: len(getattr(state, kind)) for kind in ("entities", "facts", "documents", "passages")}
        self._commit(scope, max(clock, self.last_recorded_at + 1), State())
        self.scopes[place] = Scope(all_forgotten=True)
        return {"already_forgotten": False, **counts}
