"""The quick look-ups of a group of facts, and of one key's history, answer what a plain scan answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.draft_attributes import _with_value
from semurg.domain.draft_groups import Group
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.intervals import cut_at, ended_by, holds_at, union
from semurg.domain.values import Value, dump
from semurg.domain.view import Episode, ValueEpisode

starts = st.one_of(st.integers(0, 12), st.just(UNKNOWN_START))
ends = st.one_of(st.integers(13, 25), st.just(NO_END))
intervals = st.one_of(
    st.tuples(st.integers(0, 24), st.integers(1, 6)).map(lambda pair: Episode(pair[0], sum(pair))),
    st.builds(Episode, starts, ends),
)
instants = st.integers(0, 30)
changes = st.one_of(
    st.tuples(st.just("joined"), st.integers(0, 4), intervals), st.tuples(st.just("cut"), st.integers(0, 4), instants)
)


def episodes_of(parts: list[Episode]) -> list[Episode]:
    joined: list[Episode] = []
    for part in parts:
        joined = union(joined, part)
    return joined


@given(
    st.sets(instants, min_size=1, max_size=9),
    st.lists(st.lists(intervals, max_size=4).map(episodes_of), max_size=5),
    st.lists(changes, max_size=8),
)
def test_a_group_answers_what_a_scan_of_its_facts_answers(
    asked: set[int], stored: list[list[Episode]], later: list[tuple[str, int, Episode | int]]
) -> None:
    facts = dict(enumerate(stored))
    group = Group(asked, [(fact, 100 + fact, episodes) for fact, episodes in facts.items()])
    for what, fact, how in [("nothing", 0, 0), *later]:
        before = facts.setdefault(fact, [])
        if what != "nothing":
            facts[fact] = union(before, how) if isinstance(how, Episode) else cut_at(before, how)
            group.change(fact, before, facts[fact])
        for instant in asked:
            holding = [one for one, held in sorted(facts.items()) if any(holds_at(part, instant) for part in held)]
            assert group.holding(instant) == holding
            for but in (-1, *facts):
                following = [part.start for one in facts if one != but for part in facts[one] if part.start > instant]
                assert group.next_start(instant, but) == min(following, default=None)


@given(st.lists(intervals, max_size=5).map(episodes_of), instants)
def test_an_ended_episode_is_found_as_a_scan_finds_it(episodes: list[Episode], instant: int) -> None:
    assert ended_by(episodes, instant) == any(episode.end <= instant for episode in episodes)


def plain_history(history: list[ValueEpisode], value: Value, instant: int, cited: int) -> list[ValueEpisode]:
    """The rules of `replaces` for values, each looked for over the whole history."""
    stored = dump(value)
    if not history:
        return [ValueEpisode(instant, NO_END, stored, cited)]
    same = [one for one in history if one.value == stored]
    other = [one for one in history if one.value != stored]
    if any(one.start <= instant < one.end for one in same):
        return history
    following = min((one.start for one in other if one.start > instant), default=NO_END)
    kept = [one for one in other if not one.start <= instant < one.end]
    kept += [one._replace(end=instant) for one in other if one.start < instant < one.end]
    added = ValueEpisode(instant, following, stored, cited)
    for one in sorted(same):
        if one.end < added.start or added.end < one.start:
            kept.append(one)
        else:
            added = min(one, added)._replace(end=max(one.end, added.end))
    return sorted([*kept, added])


@given(st.lists(st.tuples(instants, st.sampled_from("abc"), st.integers(0, 3)), max_size=12))
def test_a_history_of_values_is_what_a_scan_of_it_makes(said: list[tuple[int, str, int]]) -> None:
    history: list[ValueEpisode] = []
    plain: list[ValueEpisode] = []
    for instant, text, cited in said:
        value = Value(("string",), (text,))
        history = _with_value(history, value, instant, instant, cited)
        plain = plain_history(plain, value, instant, cited)
        assert history == plain
