"""Whole histories of commands on the real memory and on the oracle: the same replies, the same reads at every instant.

SEMURG_ORACLE_EXAMPLES sets how many histories each property tries. A run that finds a difference prints the history;
with SEMURG_ORACLE_SHRINK set it looks for the smallest one first, which takes minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from histories import (
    ASKED,
    DAY,
    INSTANTS_READ,
    KEYS,
    NAMES,
    PLACE,
    SECOND,
    START,
    VALUES,
    commands,
    dense_histories,
    dense_writes,
    facts,
    histories,
    steps,
    valid_ats,
    writes,
)
from hypothesis import HealthCheck, Phase, currently_in_test_context, given, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from paging import check_compact, check_pages
from twins import Clock, Twins, placed

import semurg
from semurg.domain.instants import format_instant

EXAMPLES = int(os.environ.get("SEMURG_ORACLE_EXAMPLES", "25"))
SHRINK = "SEMURG_ORACLE_SHRINK" in os.environ
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
# Shrinking a history runs hundreds of memories: only when asked for, after a run has found something.
PHASES = [one for one in Phase if one is not Phase.explain and (one is not Phase.shrink or SHRINK)]
RUN = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=SLOW, phases=PHASES, report_multiple_bugs=False
)
OTHERS = (("alice", "work"), (None, "other"), ("bob", "work"))

Step = tuple[int, tuple[str, dict[str, Any]]]


@contextmanager
def both() -> Iterator[Twins]:
    """A fresh memory in a directory of its own, beside a fresh oracle."""
    path = tempfile.mkdtemp(prefix="semurg-oracle-")
    clock = Clock(START)
    try:
        with semurg.open(path, clock=clock) as memory:
            yield Twins(memory, clock)
    finally:
        shutil.rmtree(path)


def carry_out(twins: Twins, history: list[Step], place: tuple[str | None, str] = PLACE) -> list[str]:
    """The history on both; the instants worth reading as of: each commit's, and the microsecond before it."""
    instants = []
    for step, (verb, fields) in history:
        twins.clock.now += step
        if currently_in_test_context():
            note(f"{format_instant(twins.clock.now)} {verb} {fields}")
        before = twins.oracle.last_recorded_at
        twins.command(verb, place, fields)
        if twins.oracle.last_recorded_at != before:
            instants += [twins.oracle.last_recorded_at - 1, twins.oracle.last_recorded_at]
    return [format_instant(one) for one in instants]


def read_all(
    twins: Twins, as_ofs: list[str | None], valid_ats: list[str | None], names: list[str] | None = None
) -> None:
    """These entities, or every one that is known, at every pair of instants."""
    names = names or [entity.name for entity in twins.reading(PLACE, {}).state.entities.values()] or ["Dana"]
    for as_of in as_ofs:
        for valid_at in valid_ats:
            for name in sorted(names):
                asked = {"subject": name, "as_of": as_of, "valid_at": valid_at}
                if currently_in_test_context():
                    note(f"recall {asked}")
                twins.recall(PLACE, {key: one for key, one in asked.items() if one is not None})


@RUN
@given(histories)
def test_every_entity_reads_the_same_at_every_instant_known_and_true(history: list[Step]) -> None:
    with both() as twins:
        as_ofs = carry_out(twins, history)
        read_all(twins, [None, *as_ofs[-6:]], [None, "2020-06-01T00:00:00Z", "2022-01-15", "2026"])
        twins.status(PLACE)


@RUN
@given(dense_histories)
def test_corrections_of_one_relation_read_the_same_at_every_instant(history: list[Step]) -> None:
    with both() as twins:
        as_ofs = carry_out(twins, history)
        read_all(twins, [None, *as_ofs], [None, *INSTANTS_READ], names=["Dana"])


@RUN
@given(histories, st.lists(st.tuples(st.sampled_from(ASKED), valid_ats), min_size=4, max_size=8))
def test_names_are_found_the_same_by_every_stage(history: list[Step], asked: list[tuple[str, str | None]]) -> None:
    with both() as twins:
        as_ofs = carry_out(twins, history)
        for subject, valid_at in asked:
            for as_of in (None, *as_ofs[-2:]):
                fields = {"subject": subject, "valid_at": valid_at, "as_of": as_of}
                note(f"recall {fields}")
                twins.recall(PLACE, {key: one for key, one in fields.items() if one is not None})


@RUN
@given(histories, st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES[:4]), valid_ats), min_size=3))
def test_values_find_the_entities_that_have_them_at_that_instant(history: list[Step], asked: list[Any]) -> None:
    with both() as twins:
        as_ofs = carry_out(twins, history)
        for key, value, valid_at in asked:
            for as_of in (None, *as_ofs[-2:]):
                fields = {"attribute": {"key": key, "value": value}, "valid_at": valid_at, "as_of": as_of}
                note(f"recall {fields}")
                twins.recall(PLACE, {key: one for key, one in fields.items() if one is not None})


@RUN
@given(histories)
def test_a_memory_rebuilt_from_its_log_answers_the_same_bytes(history: list[Step]) -> None:
    path, clock = tempfile.mkdtemp(prefix="semurg-oracle-"), Clock(START)
    try:
        with semurg.open(path, clock=clock) as memory:
            twins = Twins(memory, clock)
            as_ofs = [None, *carry_out(twins, history)]
            live = all_replies(memory, as_ofs)
        with semurg.open(path, clock=clock) as memory:
            assert all_replies(memory, as_ofs) == live
    finally:
        shutil.rmtree(path)


@RUN
@given(histories, st.integers(1, 8))
def test_reading_as_of_an_instant_equals_a_memory_that_learned_nothing_since(history: list[Step], length: int) -> None:
    """The law, between two real memories. Forgetting is left to the oracle: it overrules as_of."""
    remembering = [(abs(step) + SECOND, command) for step, command in history if command[0] != "forget"]
    with both() as whole, both() as part:
        carry_out(part, remembering[:length])
        carry_out(whole, remembering)
        as_of = format_instant(part.clock.now + SECOND // 2)
        part.clock.now += SECOND // 2
        for name in ("Dana", "Zoe Creme", "New York", "霧島"):
            for valid_at in ("2020-06", "2022-01-15", "2026"):
                asked = {"subject": name, "k": 1000, "valid_at": valid_at, **placed(PLACE)}
                replies = whole.memory.recall(as_of=as_of, **asked), part.memory.recall(**asked)
                assert without_places(replies[0]) == without_places(replies[1])


def all_replies(memory: Any, as_ofs: list[str | None]) -> list[dict[str, Any]]:
    replies = [memory.memory_status(**placed(PLACE)), memory.memory_status()]
    for as_of in as_ofs:
        for name in NAMES:
            asked = {"subject": name, "k": 1000, "valid_at": "2022-01-15", "as_of": as_of, **placed(PLACE)}
            replies.append(memory.recall(**asked))
    return replies


def send_twice(history: list[Step], last: Any) -> None:
    with both() as twins:
        carry_out(twins, history)
        verb, fields = last
        first = twins.command(verb, PLACE, fields)
        if first is None:
            return
        recorded = twins.memory.node.identity()["log"]["position"]
        again = twins.command(verb, PLACE, fields)
        assert again is not None and again["already"] is True
        assert twins.memory.node.identity()["log"]["position"] == recorded
        assert again["position"] == first["position"]


@RUN
@given(histories, writes)
def test_a_command_sent_again_writes_no_event_and_says_already(history: list[Step], last: Any) -> None:
    send_twice(history, last)


@RUN
@given(dense_histories, dense_writes)
def test_a_replacement_sent_again_writes_no_event_and_says_already(history: list[Step], last: Any) -> None:
    send_twice(history, last)


@RUN
@given(histories, st.sampled_from(({"subject": "Dana"}, {"source": "note"}, {"all": True})))
def test_forgetting_sent_again_writes_no_event(history: list[Step], what: dict[str, Any]) -> None:
    with both() as twins:
        carry_out(twins, history)
        if twins.command("forget", PLACE, what) is None:
            return
        recorded = twins.memory.node.identity()["log"]["position"]
        again = twins.command("forget", PLACE, what)
        assert again is not None and again["already_forgotten"] is True
        assert twins.memory.node.identity()["log"]["position"] == recorded


@RUN
@given(st.lists(st.tuples(steps, commands, st.sampled_from((PLACE, *OTHERS))), min_size=2, max_size=8))
def test_partitions_never_show_in_each_others_replies(history: list[Any]) -> None:
    """One node that serves everybody answers each place as a node that serves only that place."""
    with both() as shared:
        alone = {place: both() for place in (PLACE, OTHERS[0])}
        opened = {place: context.__enter__() for place, context in alone.items()}
        try:
            for step, (verb, fields), place in history:
                shared.clock.now += abs(step) + SECOND
                note(f"{place} {verb} {fields}")
                shared.command(verb, place, fields)
                if place in opened:
                    opened[place].clock.now = shared.clock.now
                    opened[place].command(verb, place, fields)
            for place, twins in opened.items():
                twins.clock.now = shared.clock.now
                compare_places(shared, twins, place)
        finally:
            for context in alone.values():
                context.__exit__(None, None, None)


def compare_places(shared: Twins, alone: Twins, place: tuple[str | None, str]) -> None:
    for name in ASKED:
        asked = {"subject": name, "k": 1000, **placed(place)}
        assert without_places(shared.memory.recall(**asked)) == without_places(alone.memory.recall(**asked))
    replies = [twins.memory.memory_status(**placed(place)) for twins in (shared, alone)]
    for reply in replies:
        # the other scopes of the same end user are listed beside it
        reply["scopes"] = [one for one in reply["scopes"] if one["scope"] == place[1]]
        del reply["state"]
    assert without_places(replies[0]) == without_places(replies[1])


def without_places(reply: Any) -> Any:
    """The reply less ids and log positions, which are the node's own numbering, and instants cut to the second.

    Commands are whole seconds apart; a refused one, wherever it was sent, moves later instants on by a microsecond.
    """
    own = {"position", "id", "seed_id", "source_id", "doc_id", "ids"}
    if isinstance(reply, dict):
        return {key: without_places(one) for key, one in reply.items() if key not in own}
    if isinstance(reply, str):
        return re.sub(r"\.\d{6}Z$", "Z", reply)
    return [without_places(one) for one in reply] if isinstance(reply, list) else reply


@RUN
@given(histories, histories, st.integers(1, 4), st.sampled_from(("Dana", "New York", "Zoe Creme", "Danna")))
def test_pages_neither_skip_nor_repeat_while_others_write(
    history: list[Step], meanwhile: list[Step], k: int, subject: str
) -> None:
    with both() as twins:
        carry_out(twins, history)
        check_pages(twins, PLACE, {"subject": subject}, k, [one for one in meanwhile if one[1][0] != "forget"])


@RUN
@given(histories, st.sampled_from(("Dana", "New York", "Zoe Creme", "Danna")), st.integers(1, 40))
def test_a_reply_keeps_to_its_tokens_and_says_what_it_left_out(history: list[Step], subject: str, tokens: int) -> None:
    with both() as twins:
        carry_out(twins, history)
        whole = twins.recall(PLACE, {"subject": subject})
        check_compact(twins, PLACE, {"subject": subject}, whole)
        if whole["state"] != "answered":
            return
        reply = twins.memory.recall(subject=subject, k=1000, max_tokens=tokens, **placed(PLACE))
        size = sum(len(one["text"].encode()) for one in reply["items"])
        assert len(reply["items"]) == 1 or size <= 4 * tokens
        assert reply["items"] and reply["left_out"] == len(whole["items"]) - len(reply["items"])
        assert (reply["next"] is None) == (reply["left_out"] == 0)


class Histories(RuleBasedStateMachine):
    """Commands and reads in any order, in two scopes of one memory."""

    def __init__(self) -> None:
        super().__init__()
        self.context = both()
        self.twins = self.context.__enter__()
        self.instants: list[str] = []

    @rule(step=steps, command=commands, place=st.sampled_from((PLACE, PLACE, OTHERS[0])))
    def write(self, step: int, command: tuple[str, dict[str, Any]], place: tuple[str | None, str]) -> None:
        self.instants += carry_out(self.twins, [(step, command)], place)

    @rule(sent=facts, date=st.none() | st.just("2021"))
    def remember_facts(self, sent: dict[str, Any], date: str | None) -> None:
        if sent:
            carry_out(self.twins, [(SECOND, ("remember", {"facts": sent} | ({"date": date} if date else {})))])

    @rule(subject=st.sampled_from(ASKED), valid_at=valid_ats, back=st.integers(0, 9), at_now=st.booleans())
    def recall(self, subject: str, valid_at: str | None, back: int, at_now: bool) -> None:
        as_of = None if at_now or not self.instants else self.instants[-1 - back % len(self.instants)]
        asked = {"subject": subject, "valid_at": valid_at, "as_of": as_of}
        self.twins.recall(PLACE, {key: one for key, one in asked.items() if one is not None})

    @rule(place=st.sampled_from((PLACE, *OTHERS)))
    def status(self, place: tuple[str | None, str]) -> None:
        self.twins.status(place)

    def teardown(self) -> None:
        self.context.__exit__(None, None, None)


Histories.TestCase.settings = settings(RUN, stateful_step_count=15)
TestHistories = Histories.TestCase


def test_the_whole_alphabet_reads_the_same_after_a_long_history(tmp_path: Path) -> None:
    """One fixed, long history, so that a run with few examples still meets every verb and form once."""
    clock = Clock(START)
    with semurg.open(tmp_path / "memory", clock=clock) as memory:
        twins = Twins(memory, clock)
        read: list[str | None] = [None, *carry_out(twins, LONG_HISTORY)]
        read_all(twins, read, [None, *INSTANTS_READ])
        twins.status(PLACE)


def works_at(target: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "relate", {"frm": "Dana", "to": target, "type": "WORKS_AT", **more}


LONG_HISTORY: list[Step] = [
    (SECOND, works_at("Acme", date="2020", source="note")),
    (SECOND, ("remember", {"content": "Dana works at Acme. It rained all day.", "source": "note", "date": "2020"})),
    (DAY, works_at("Ann", valid_from="2022-01-15", replaces=True, attributes={"role": "lead"})),
    (DAY, works_at("New York", valid_from="2021-03-01", replaces=True)),
    (DAY, works_at("Acme", replaces=True)),
    (-3 * DAY, works_at("Acme", source="note")),
    (SECOND, ("relate", {"frm": "Dana", "to": "Ann", "type": "married_to"})),
    (SECOND, ("relate", {"frm": "Ann", "to": "Zoë Crème", "type": "child of", "valid_to": "2031"})),
    (SECOND, ("relate", {"frm": "Ann", "to": "New York", "type": "part_of", "valid_from": "2021"})),
    (SECOND, ("relate", {"frm": "New York", "to": "霧島", "type": "Part Of", "valid_to": "2024"})),
    (SECOND, ("remember", {"passages": [{"text": "DANA met Zoë Crème and Ann.", "mentions": ["ann"], "key": "k1"}]})),
    (SECOND, ("remember", {"facts": {"entities": [{"name": "Dana", "types": ["Person"], "attributes": {"role": 3}}]}})),
    (DAY, ("remember", {"facts": {"entities": [{"name": "dana", "attributes": {"role": 4}}]}, "date": "2021"})),
    (SECOND, ("remember", {"messages": [{"role": "user", "content": "Dana met Ann."}, {"content": "It rained."}]})),
    (400 * DAY, ("forget", {"fact": {"from": "Ann", "type": "child of", "to": "zoë crème"}})),
    (SECOND, ("forget", {"passage_index": 1})),
    (SECOND, ("forget", {"attribute": {"subject": "DANA", "key": "role"}})),
    (SECOND, ("forget", {"source": "note"})),
    (SECOND, ("forget", {"subject": "New  York"})),
    (SECOND, works_at("New York", date="2024-03")),
]


@pytest.mark.parametrize("what", [{"all": True}, {"subject": "Dana"}, {"source": "note"}])
def test_forgetting_in_a_scope_that_never_was_is_not_found(what: dict[str, Any]) -> None:
    with both() as twins:
        assert twins.command("forget", PLACE, what) is None
