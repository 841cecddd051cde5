"""The law of time, against the log itself: reading as of an instant equals the same read on a replay until then.

Forgetting is in these histories: what is forgotten is in neither, whenever the read looks back to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from histories import NAMES, PLACE, SECOND, START, histories
from hypothesis import given, note
from hypothesis import strategies as st
from test_histories import LONG_HISTORY, RUN, both, carry_out
from twins import Clock, Twins, placed

import semurg
from semurg.api.models import validated
from semurg.domain.errors import Refusal
from semurg.domain.instants import format_instant, parse_date
from semurg.past import Past, open_past

VALID_ATS = (None, "2020-06", "2022-01-15", "2026")


def past_of(twins: Twins, until: str) -> Past:
    """The replay of a memory that stays open meanwhile."""
    return open_past(twins.memory.node.path, parse_date(until, "until").end, twins.clock)


def read(past: Past, verb: str, **fields: Any) -> dict[str, Any]:
    body = validated(verb, {name: value for name, value in fields.items() if value is not None})
    scope, user = body.pop("scope", None), body.pop("user_id", None)
    return past.read(verb, body, scope=scope, user=user)


def check_law(twins: Twins, until: str) -> None:
    """Every reply, its ids, positions and cursors too."""
    past, memory, place = past_of(twins, until), twins.memory, placed(PLACE)
    for valid_at in VALID_ATS:
        for name in NAMES:
            asked = {"subject": name, "k": 3, "valid_at": valid_at, **place}
            live = memory.recall(as_of=until, **asked)
            assert read(past, "recall", as_of=until, **asked) == live
            # The past is the replay's present. A cursor keeps what was asked, and so differs.
            assert read(past, "recall", **asked) | {"next": None} == live | {"next": None}
            if live["next"] is not None:
                following = asked | {"as_of": until, "cursor": live["next"]}
                assert read(past, "recall", **following) == memory.recall(**following)
        for asked in ({"valid_at": valid_at}, {"valid_at": valid_at, **place}):
            live = memory.memory_status(as_of=until, **asked)
            # which model the running node has is no part of the memory
            assert read(past, "status", **asked) | {"meaning": None} == live | {"meaning": None}


@RUN
@given(histories, st.data())
def test_reading_as_of_an_instant_equals_the_replay_until_it(history: list[Any], data: st.DataObject) -> None:
    with both() as twins:
        instants = carry_out(twins, history) or [format_instant(START)]
        until = data.draw(st.sampled_from(instants))
        note(f"until {until}")
        check_law(twins, until)


def test_a_long_history_with_every_verb_obeys_the_law_at_each_of_its_instants(tmp_path: Path) -> None:
    clock = Clock(START)
    with semurg.open(tmp_path / "memory", clock=clock) as memory:
        twins = Twins(memory, clock)
        for until in carry_out(twins, LONG_HISTORY):
            check_law(twins, until)


def test_a_scope_that_was_forgotten_and_opened_again_shows_nothing_of_before(tmp_path: Path) -> None:
    clock = Clock(START)
    with semurg.open(tmp_path / "memory", clock=clock) as memory:
        twins = Twins(memory, clock)
        relate = ("relate", {"frm": "Dana", "to": "Ann", "type": "KNOWS"})
        history: list[Any] = [(SECOND, relate), (SECOND, ("forget", {"all": True})), (SECOND, relate)]
        first, *_, last = carry_out(twins, history)[1::2]
        for until in (first, last):
            check_law(twins, until)
        assert read(past_of(twins, first), "recall", subject="Dana", **placed(PLACE))["state"] == "nothing_stored"
        assert read(past_of(twins, last), "recall", subject="Dana", **placed(PLACE))["state"] == "answered"


def test_a_time_to_come_reads_as_now_and_a_past_state_takes_no_write(tmp_path: Path) -> None:
    clock = Clock(START)
    with semurg.open(tmp_path / "memory", clock=clock) as memory:
        twins = Twins(memory, clock)
        carry_out(twins, [(SECOND, ("relate", {"frm": "Dana", "to": "Ann", "type": "KNOWS"}))])
        past = past_of(twins, "2999")
        assert past.until == clock()
        assert past.position == int(memory.node.identity()["log"]["position"])
        assert read(past, "recall", subject="Dana", **placed(PLACE)) == memory.recall(subject="Dana", **placed(PLACE))
        assert not hasattr(past, "execute")


def test_a_directory_without_a_log_has_no_past(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        open_past(tmp_path, START, Clock(START))
    assert refused.value.code == "not_found"
    assert list(tmp_path.iterdir()) == []
