"""How assertions, episodes and `replaces` are decided: the rules of the contract's chapter on time, case by case."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.errors import Refusal
from semurg.domain.events import FactsRecorded
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.intervals import any_holds_at, cut_at, holds_at, union
from semurg.domain.view import Episode
from tests.unit.story import Story, instant

ALWAYS = (UNKNOWN_START, NO_END)


def since(text: str) -> tuple[int, int]:
    return (instant(text), NO_END)


def during(start: str, end: str) -> tuple[int, int]:
    return (instant(start), instant(end))


def test_a_fact_without_dates_holds_always() -> None:
    story = Story()
    reply = story.relate("Dana", "KNOWS", "Eli").reply
    assert story.episodes("Dana", "KNOWS", "Eli") == [ALWAYS]
    assert reply["fact"] == {"from": "Dana", "to": "Eli", "type": "KNOWS", "valid_from": None, "valid_to": None}
    assert reply["present"] is True and reply["already"] is False


def test_the_calls_date_starts_a_fact_and_its_own_valid_from_wins() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme", date="2020")
    story.relate("Dana", "WORKS_AT", "Beta", date="2020", attributes={"valid_from": "2021-05", "valid_to": "2022"})
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [since("2020-01-01")]
    assert story.episodes("Dana", "WORKS_AT", "Beta") == [during("2021-05-01", "2022-01-01")]


def test_touching_and_overlapping_intervals_become_one_and_others_stay_episodes() -> None:
    story = Story()
    for start, end in (("2010", "2012"), ("2020", "2021"), ("2012", "2013"), ("2020-06", "2024")):
        story.relate("Dana", "WORKS_AT", "Acme", attributes={"valid_from": start, "valid_to": end})
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [
        during("2010-01-01", "2013-01-01"),
        during("2020-01-01", "2024-01-01"),
    ]


def test_saying_a_current_fact_again_without_a_date_changes_nothing() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme", date="2020")
    decision = story.relate("dana", "WORKS_AT", "ACME")
    assert [type(event).__name__ for event in decision.events] == ["AssertionsCited", "FactsRecorded"]
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [since("2020-01-01")]
    again = story.relate("Dana", "WORKS_AT", "Acme")
    assert again.events == () and again.reply["already"] is True


def test_saying_an_ended_fact_again_opens_an_episode_at_the_date_or_now() -> None:
    story = Story("2026-01-01")
    story.relate("Dana", "WORKS_AT", "Acme", attributes={"valid_from": "2010", "valid_to": "2012"})
    story.relate("Dana", "WORKS_AT", "Acme", date="2015")
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [during("2010-01-01", "2012-01-01"), since("2015-01-01")]
    other = Story("2026-01-01")
    other.relate("Dana", "WORKS_AT", "Acme", attributes={"valid_from": "2010", "valid_to": "2012"})
    other.relate("Dana", "WORKS_AT", "Acme")
    assert other.episodes("Dana", "WORKS_AT", "Acme") == [during("2010-01-01", "2012-01-01"), since("2026-01-02")]


def test_a_retry_of_a_dated_assertion_does_not_bring_an_ended_fact_back() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme", date="2020-01-01")
    story.relate("Dana", "WORKS_AT", "Beta", date="2024-03-01", replaces=True)
    retry = story.relate("Dana", "WORKS_AT", "Acme", date="2020-01-01")
    assert retry.events == () and retry.reply["already"] is True
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [during("2020-01-01", "2024-03-01")]


def test_replaces_ends_the_other_targets_and_names_them() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme", date="2020-01-01")
    story.relate("Dana", "LIKES", "Acme")
    reply = story.relate("Dana", "WORKS_AT", "Beta", date="2024-03-01", replaces=True).reply
    assert reply["replaces"] == {
        "ended": [{"target": "Acme", "ended_at": "2024-03-01T00:00:00Z"}],
        "restored": [],
        "older_than_stored": [],
        "unread": [],
    }
    assert story.episodes("Dana", "LIKES", "Acme") == [ALWAYS]


def test_an_older_replacement_becomes_history_and_ends_where_the_next_begins() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme", date="2020-01-01")
    story.relate("Dana", "WORKS_AT", "Beta", date="2024-03-01", replaces=True)
    reply = story.relate("Dana", "WORKS_AT", "Gamma", date="2022-06-01", replaces=True).reply
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [during("2020-01-01", "2022-06-01")]
    assert story.episodes("Dana", "WORKS_AT", "Gamma") == [during("2022-06-01", "2024-03-01")]
    assert story.episodes("Dana", "WORKS_AT", "Beta") == [since("2024-03-01")]
    assert reply["replaces"]["older_than_stored"] == [{"target": "Gamma", "ended_at": "2024-03-01T00:00:00Z"}]
    assert reply["replaces"]["ended"] == [{"target": "Acme", "ended_at": "2022-06-01T00:00:00Z"}]


def test_replacing_back_restores() -> None:
    story = Story()
    story.relate("Dana", "LIVES_IN", "Velden", date="2020")
    story.relate("Dana", "LIVES_IN", "Bonn", date="2022", replaces=True)
    reply = story.relate("Dana", "LIVES_IN", "Velden", date="2024", replaces=True).reply
    assert story.episodes("Dana", "LIVES_IN", "Velden") == [during("2020-01-01", "2022-01-01"), since("2024-01-01")]
    assert [line["target"] for line in reply["replaces"]["restored"]] == ["Velden"]
    assert [line["target"] for line in reply["replaces"]["ended"]] == ["Bonn"]


def test_one_replacement_touches_one_person_and_one_relation() -> None:
    story = Story()
    people = [f"Person {number}" for number in range(30)]
    story.remember(
        facts={
            "relations": [
                {"source": person, "target": f"{kind} of {person}", "type": kind}
                for person in people
                for kind in ("LIVES_IN", "WORKS_AT", "LIKES")
            ]
        }
    )
    decision = story.relate("Person 7", "LIVES_IN", "Oslo", replaces=True)
    (event,) = [event for event in decision.events if isinstance(event, FactsRecorded)]
    assert len(event.changed) == 2, "the one that ended and the new one"
    assert [line["target"] for line in decision.reply["replaces"]["ended"]] == ["LIVES_IN of Person 7"]


@pytest.mark.parametrize("dates", [{}, {"date": "2024-03-01"}])
def test_the_same_replacement_again_writes_nothing(dates: dict[str, str]) -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme")
    story.relate("Dana", "WORKS_AT", "Beta", replaces=True, **dates)
    again = story.relate("Dana", "WORKS_AT", "Beta", replaces=True, **dates)
    assert again.events == () and again.reply["already"] is True
    assert again.reply["replaces"] == {"ended": [], "restored": [], "older_than_stored": [], "unread": []}


def test_two_targets_for_the_same_instant_in_one_call_are_refused_by_index() -> None:
    story = Story()
    relations = [
        {"source": "Dana", "target": target, "type": "WORKS_AT", "replaces": True} for target in ("Acme", "Beta")
    ]
    with pytest.raises(Refusal) as refused:
        story.remember(facts={"relations": relations})
    assert refused.value.code == "replaces_conflict" and refused.value.fields["index"] == 1
    relations[0]["valid_from"] = "2020"
    story.remember(facts={"relations": relations})
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [during("2020-01-01", "2026-01-01")]


@pytest.mark.parametrize(
    "attributes",
    [
        {"valid_from": "2024", "valid_to": "2024"},
        {"valid_from": "2024-02", "valid_to": "2024-01"},
        {"valid_to": "2019"},
    ],
)
def test_an_interval_that_is_empty_or_reversed_is_refused(attributes: dict[str, str]) -> None:
    with pytest.raises(Refusal) as refused:
        Story().relate("Dana", "KNOWS", "Eli", date="2020", attributes=attributes)
    assert refused.value.code == "interval_empty"


def test_a_relation_to_itself_is_one_fact() -> None:
    story = Story()
    story.relate("Rules Board", "REPORTS_TO", "Rules Board")
    assert story.scope.view.live_facts == 1 and story.scope.view.live_entities == 1


episodes = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda pair: Episode(pair[0], pair[0] + pair[1])), max_size=6
)


@given(episodes)
def test_a_union_covers_exactly_what_its_parts_cover_and_has_no_touching_neighbours(parts: list[Episode]) -> None:
    joined: list[Episode] = []
    for part in parts:
        joined = union(joined, part)
    for moment in range(-1, 45):
        assert any_holds_at(joined, moment) == any(holds_at(part, moment) for part in parts)
    assert all(before.end < after.start for before, after in pairwise(joined))


@given(episodes, st.integers(0, 40))
def test_a_cut_ends_what_holds_and_leaves_the_rest(parts: list[Episode], moment: int) -> None:
    joined: list[Episode] = []
    for part in parts:
        joined = union(joined, part)
    holding = [episode for episode in joined if episode.start <= moment < episode.end]
    rest = cut_at(joined, moment)
    assert not any_holds_at(rest, moment)
    for time in range(-1, 45):
        was = any_holds_at(joined, time)
        lost = any(episode.start <= time < episode.end and time >= moment for episode in holding)
        assert any_holds_at(rest, time) == (was and not lost)


def test_a_retry_of_a_dated_replacement_does_not_undo_a_later_one_of_the_same_instant() -> None:
    story = Story()
    first = {"date": "2020", "replaces": True}
    story.relate("Dana", "WORKS_AT", "Acme", **first)
    story.relate("Dana", "WORKS_AT", "Beta", **first)
    retry = story.relate("Dana", "WORKS_AT", "Acme", **first)
    assert retry.events == () and retry.reply["already"] is True
    assert story.episodes("Dana", "WORKS_AT", "Beta") == [since("2020-01-01")]
    assert story.episodes("Dana", "WORKS_AT", "Acme") == []
    correction = story.relate("Dana", "WORKS_AT", "Acme", source="payroll", **first)
    assert correction.reply["already"] is False, "another source may say so again"
    assert story.episodes("Dana", "WORKS_AT", "Acme") == [since("2020-01-01")]


def test_a_dated_replacement_is_more_than_the_plain_statement_of_the_same_fact() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Beta", date="2019")
    story.relate("Dana", "WORKS_AT", "Acme", date="2020")
    story.relate("Dana", "WORKS_AT", "Acme", date="2020", replaces=True)
    assert story.episodes("Dana", "WORKS_AT", "Beta") == [during("2019-01-01", "2020-01-01")]


def test_a_call_with_plain_and_replacing_relations_comes_to_the_same_in_any_order_and_sent_twice() -> None:
    relations = [
        {"source": "Dana", "target": "Acme", "type": "WORKS_AT"},
        {"source": "Dana", "target": "Gamma", "type": "WORKS_AT", "replaces": True, "valid_from": "2024"},
        {"source": "Dana", "target": "Beta", "type": "WORKS_AT", "replaces": True, "valid_from": "2022"},
    ]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        story = Story()
        call = {"facts": {"relations": [relations[place] for place in order]}}
        story.remember(**call)
        assert story.episodes("Dana", "WORKS_AT", "Acme") == [(UNKNOWN_START, instant("2022-01-01"))]
        assert story.episodes("Dana", "WORKS_AT", "Beta") == [during("2022-01-01", "2024-01-01")]
        assert story.episodes("Dana", "WORKS_AT", "Gamma") == [since("2024-01-01")]
        assert story.remember(**call).events == ()
