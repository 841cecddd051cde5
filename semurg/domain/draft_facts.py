"""The facts of one call, decided one relation at a time on a working copy; what comes out is the net change.

Equinox's decider shape (fold, then decide), with the fold done by the projections: `view` is the state.
The rules are the ones of the contract's chapter on time: union of validity, episodes, `replaces`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from semurg.domain.commands import RelationInput
from semurg.domain.draft_groups import Group
from semurg.domain.draft_texts import NO_SPAN_PASSAGE, Span
from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import FactsRecorded
from semurg.domain.instants import NO_END, UNKNOWN_START, format_instant
from semurg.domain.intervals import any_holds_at, cut_at, ended_by, union
from semurg.domain.view import Episode, MemoryView


class Assertion(NamedTuple):
    """One relation of the call with its ends numbered, its bounds resolved and what it cites."""

    source: int
    type: str
    target: int
    start: int | None
    end: int | None
    replaces: bool
    cited: int
    span: Span | None


class Replaced(NamedTuple):
    """One line of the reply's `replaces`: which list, the fact it is about, and the instant."""

    outcome: str
    fact: int
    target: int
    instant: int


def resolve_bounds(relation: RelationInput, date_start: int | None, index: int) -> tuple[int | None, int | None]:
    """(start, end) that a relation states: its own bounds, else the call's date. Raises Refusal interval_empty."""
    start = date_start if relation.valid_from is None else relation.valid_from
    end = relation.valid_to
    if start is not None and end is not None and start >= end:
        raise Refusal(
            "interval_empty",
            f"{quoted(f'{relation.source.text} {relation.type} {relation.target.text}')} would hold from"
            f" {format_instant(start)} to {format_instant(end)}, which is no time at all.",
            "Send a valid_to that is later than valid_from (or than the call's date, which starts a fact without one).",
            index=index,
        )
    return start, end


class FactsDraft:
    """A working copy of the facts that a call touches."""

    def __init__(self, view: MemoryView, now: int, assertions: Sequence[Assertion]) -> None:
        self._view = view
        self._now = now
        self._first_new = self._next = view.next_fact
        self._before: dict[int, list[Episode]] = {}
        self._after: dict[int, list[Episode]] = {}
        self._new: dict[tuple[int, str, int], int] = {}
        self._instants: dict[tuple[int, str], set[int]] = {}
        self._groups: dict[tuple[int, str], Group] = {}
        self._statements: dict[tuple[int, int, int, int, bool], Span | None] = {}
        self._replaced: list[Replaced] = []
        self._refuse_conflicts(assertions)
        found = view.facts_by_triple(
            [assertion.source for assertion in assertions],
            [assertion.type for assertion in assertions],
            [assertion.target for assertion in assertions],
        )
        decided = {place: self._assert(assertions[place], found[place]) for place in self._in_order(assertions)}
        self.facts = [decided[place] for place in range(len(assertions))]

    def _in_order(self, assertions: Sequence[Assertion]) -> list[int]:
        """Plain relations first, then those that replace, by the instant they replace at.

        A call says one thing however its list is ordered, and saying it twice must come to the same.
        """
        if not self._instants:
            return list(range(len(assertions)))
        instants = [self._now if one.start is None else one.start for one in assertions]
        return sorted(
            range(len(assertions)),
            key=lambda place: (True, instants[place]) if assertions[place].replaces else (False, 0),
        )

    def _refuse_conflicts(self, assertions: Sequence[Assertion]) -> None:
        """One call cannot say twice, of the same instant, which target is the one."""
        said: dict[tuple[int, str, int], int] = {}
        for index, assertion in enumerate(assertions):
            if not assertion.replaces:
                continue
            instant = self._now if assertion.start is None else assertion.start
            self._instants.setdefault((assertion.source, assertion.type), set()).add(instant)
            other = said.setdefault((assertion.source, assertion.type, instant), assertion.target)
            if other != assertion.target:
                raise Refusal(
                    "replaces_conflict",
                    f"Relation {index} and an earlier one of this call both replace {quoted(assertion.type)} of"
                    " the same entity at the same instant, with different targets.",
                    "Send replaces on one of them, or give them different dates.",
                    index=index,
                )

    def _assert(self, assertion: Assertion, known: int) -> int:
        triple = (assertion.source, assertion.type, assertion.target)
        fact = self._new.get(triple, -1) if known < 0 else known
        group = self._group(assertion.source, assertion.type)
        group_is_new = group is not None and not group.targets
        fresh = fact < 0
        if fresh:
            fact = self._next
            self._next += 1
            self._new[triple] = fact
            self._before[fact] = []
            self._after[fact] = []
            if group is not None:
                group.targets[fact] = assertion.target
        start = UNKNOWN_START if assertion.start is None else assertion.start
        end = NO_END if assertion.end is None else assertion.end
        dated = assertion.start is not None or assertion.end is not None
        statement = (fact, assertion.cited, start, end, assertion.replaces)
        repeated = statement in self._statements or (not fresh and self._was_stated(statement))
        if not repeated:
            self._statements[statement] = assertion.span
        if assertion.replaces:
            if group is not None and not (repeated and dated):
                self._replace(fact, assertion, group, group_is_new)
        elif fresh:
            self._set(fact, [Episode(start, end)], group)
        elif dated:
            if not repeated:
                self._set(fact, union(self._episodes(fact), Episode(start, end)), group)
        elif group is None and all(episode.end <= self._now for episode in self._episodes(fact)[-1:]):
            self._set(fact, union(self._episodes(fact), Episode(self._now, NO_END)), group)
        return fact

    def _set(self, fact: int, episodes: list[Episode], group: Group | None) -> None:
        if group is not None:
            group.change(fact, self._episodes(fact), episodes)
        self._after[fact] = episodes

    def _was_stated(self, statement: tuple[int, int, int, int, bool]) -> bool:
        *said, replaces = statement
        return self._view.fact_replaced(*said) if replaces else self._view.fact_stated(*said)

    def _replace(self, fact: int, assertion: Assertion, group: Group, group_is_new: bool) -> None:
        instant = self._now if assertion.start is None else assertion.start
        others = [other for other in group.holding(instant) if other != fact]
        own = self._episodes(fact)
        if not any_holds_at(own, instant):
            following = group.next_start(instant, but=fact)
            end = min(NO_END if assertion.end is None else assertion.end, NO_END if following is None else following)
            start = UNKNOWN_START if assertion.start is None and group_is_new else instant
            if end <= start:
                raise Refusal(
                    "interval_empty",
                    f"A relation that replaces from {format_instant(instant)} ends at {format_instant(end)}.",
                    "Send valid_from (or date) with it, earlier than valid_to.",
                )
            if following is not None:
                self._replaced.append(Replaced("older_than_stored", fact, assertion.target, following))
            if ended_by(own, instant):
                self._replaced.append(Replaced("restored", fact, assertion.target, instant))
            self._set(fact, union(own, Episode(start, end)), group)
        for other in others:
            self._set(other, cut_at(self._episodes(other), instant), group)
            self._replaced.append(Replaced("ended", other, group.targets[other], instant))

    def _group(self, source: int, type_name: str) -> Group | None:
        """Every fact with this source and type, those of this call included; None when none of them replaces."""
        key = (source, type_name)
        if key not in self._instants:
            return None
        if key not in self._groups:
            stored = self._view.facts_from(source, type_name)
            facts = ((fact, target, self._episodes(fact)) for fact, target in stored)
            self._groups[key] = Group(self._instants[key], facts)
        return self._groups[key]

    def _episodes(self, fact: int) -> list[Episode]:
        if fact not in self._after:
            self._before[fact] = self._after[fact] = self._view.fact_episodes(fact)
        return self._after[fact]

    def episodes(self, fact: int) -> list[Episode]:
        """The episodes as decided."""
        return list(self._episodes(fact))

    def is_new(self, fact: int) -> bool:
        """Whether the call is the first to name this triple."""
        return fact >= self._first_new

    def replaced(self) -> list[Replaced]:
        """What `replaces` did, net: a fact that ends as it was before the call is not listed."""
        return [line for line in self._replaced if self._after[line.fact] != self._before[line.fact]]

    def event(self) -> FactsRecorded | None:
        """The net change, None when there is none."""
        changed = [
            fact for fact, episodes in self._after.items() if fact >= self._first_new or episodes != self._before[fact]
        ]
        if not changed and not self._statements:
            return None
        type_index: dict[str, int] = {}
        types = [type_index.setdefault(type_name, len(type_index)) for _, type_name, _ in self._new]
        spans = self._statements.values()
        episodes = [episode for fact in changed for episode in self._after[fact]]
        return FactsRecorded(
            type_names=list(type_index),
            numbers=list(self._new.values()),
            sources=[source for source, _, _ in self._new],
            types=types,
            targets=[target for _, _, target in self._new],
            stated=[statement[0] for statement in self._statements],
            stated_by=[statement[1] for statement in self._statements],
            stated_from=[statement[2] for statement in self._statements],
            stated_to=[statement[3] for statement in self._statements],
            span_passage=[span.passage if span else NO_SPAN_PASSAGE for span in spans],
            span_start=[span.start if span else 0 for span in spans],
            span_end=[span.end if span else 0 for span in spans],
            replacing=[place for place, statement in enumerate(self._statements) if statement[4]],
            changed=changed,
            episodes=[len(self._after[fact]) for fact in changed],
            episode_from=[episode.start for episode in episodes],
            episode_to=[episode.end for episode in episodes],
        )
