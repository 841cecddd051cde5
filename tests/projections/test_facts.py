"""Facts and their episodes: bulk and single events alike, in columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import FactsRecorded
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.visibility import At
from semurg.projections.chains import Chains
from semurg.projections.counted import CountedTexts
from semurg.projections.fact_counts import FactCounts
from semurg.projections.facts import Facts
from semurg.projections.kernels import episodes as kernels
from semurg.projections.timeline import Timeline

Episodes = list[tuple[int, int]]


def facts_with(*events: FactsRecorded) -> Facts:
    """Events recorded at 10, 20, 30, …"""
    timeline = Timeline()
    facts = Facts(timeline)
    for number, event in enumerate(events, 1):
        facts.record(event, timeline.add(number, number * 10), number * 10)
    return facts


def asserted(fact: int, source: int, relation: str, target: int, episodes: Episodes, new: bool = True) -> FactsRecorded:
    return FactsRecorded(
        type_names=[relation] if new else [],
        numbers=[fact] if new else [],
        sources=[source] if new else [],
        types=[0] if new else [],
        targets=[target] if new else [],
        stated=[fact],
        stated_by=[-1],
        stated_from=[episodes[0][0] if episodes else UNKNOWN_START],
        stated_to=[episodes[0][1] if episodes else NO_END],
        span_passage=[-1],
        span_start=[0],
        span_end=[0],
        changed=[fact],
        episodes=[len(episodes)],
        episode_from=[start for start, _ in episodes],
        episode_to=[end for _, end in episodes],
    )


def shown(facts: Facts, entity: int, known_at: int, valid_at: int) -> list[int]:
    found: list[int] = facts.columns(facts.visible_rows(entity, At(known_at, valid_at))).fact.tolist()
    return found


def test_the_table_of_right_answers_holds() -> None:
    # Dana 0, Acme 1, Beta 2, Gamma 3; instants as years; k1 = 10, k2 = 20, k3 = 30
    acme, beta, gamma = 0, 1, 2
    second = asserted(beta, 0, "WORKS_AT", 2, [(2024, NO_END)])
    third = asserted(gamma, 0, "WORKS_AT", 3, [(2022, 2024)])
    facts = facts_with(
        asserted(acme, 0, "WORKS_AT", 1, [(2020, NO_END)]),
        FactsRecorded(
            second.type_names, second.numbers, second.sources, second.types, second.targets,
            changed=[beta, acme], episodes=[1, 1], episode_from=[2024, 2020], episode_to=[NO_END, 2024],
        ),
        FactsRecorded(
            third.type_names, third.numbers, third.sources, third.types, third.targets,
            changed=[gamma, acme], episodes=[1, 1], episode_from=[2022, 2020], episode_to=[2024, 2022],
        ),
    )  # fmt: skip
    assert shown(facts, 0, 30, 2026) == [beta]
    assert shown(facts, 0, 30, 2021) == [acme]
    assert shown(facts, 0, 30, 2022) == [gamma]
    assert shown(facts, 0, 30, 2023) == [gamma]
    assert shown(facts, 0, 30, 2024) == [beta]
    assert shown(facts, 0, 30, 2019) == []
    assert shown(facts, 0, 10, 2026) == [acme]
    assert shown(facts, 0, 20, 2023) == [acme]
    assert shown(facts, 0, 30, 2023) == [gamma]
    assert shown(facts, 0, 9, 2026) == []
    # Acme 2020-, then 2020-2024, then 2020-2022; the rows of the others never changed
    assert len(facts.row_facts) == 5


def test_an_episode_that_is_listed_again_keeps_its_row() -> None:
    facts = facts_with(
        asserted(0, 0, "A", 1, [(10, 20)]),
        asserted(0, 0, "A", 1, [(10, 20), (30, 40)], new=False),
    )
    assert len(facts.row_facts) == 2
    assert facts.row_times.known_from.view.tolist() == [10, 20]
    assert facts.episodes(0) == [(10, 20), (30, 40)]


def test_a_self_fact_shows_once_as_outbound() -> None:
    facts = facts_with(asserted(0, 4, "A", 4, [(10, 20)]))
    assert shown(facts, 4, 10, 15) == [0]


def test_recency_is_the_start_or_when_the_fact_was_first_stated() -> None:
    facts = facts_with(asserted(0, 0, "A", 1, [(7, NO_END)]), asserted(1, 0, "A", 2, [(UNKNOWN_START, NO_END)]))
    assert facts.recency(facts.visible_rows(0, At(20, 8))).tolist() == [7, 20]


def test_a_number_skipped_by_an_erased_log_is_never_given_out_and_counts_as_nothing() -> None:
    facts = facts_with(asserted(3, 0, "A", 1, [(10, 20)]))
    assert len(facts) == 4
    assert FactCounts(facts).known(1) == 1
    facts.erase(0)
    facts.make_numbers(9)
    assert facts.by_triple([0] * 9, ["B"] * 9, [1] * 9) == [-1] * 9
    assert len(facts) == 9
    assert facts.live == 1


def test_numbers_used_up_before_any_fact_find_nothing() -> None:
    facts = facts_with()
    facts.make_numbers(3)
    assert facts.by_triple([0] * 9, ["A"] * 9, [1] * 9) == [-1] * 9
    assert (facts.touching(0), facts.from_source(0, "A"), facts.episodes(0)) == ([], [], [])


def test_an_erased_fact_shows_and_says_nothing_at_any_instant() -> None:
    facts = facts_with(asserted(0, 0, "A", 1, [(10, 20)]), asserted(0, 0, "A", 1, [(10, 30)], new=False))
    facts.erase(0)
    assert [shown(facts, 0, known_at, 15) for known_at in (10, 20, 99)] == [[], [], []]
    assert facts.statements.of_fact(0, 99) == []
    assert not facts.statements.stated(0, -1, 10, 20)
    assert list(facts.instants_of(0)) == []


def test_one_fact_is_recorded_as_many_are() -> None:
    single = asserted(0, 3, "USED", 4, [(10, 20)])
    named = FactsRecorded(
        ["UNUSED", "USED"], [0], [3], [1], [4], [0], [-1], [10], [20], [-1], [0], [0], [0], [1], [10], [20]
    )
    bulk = FactsRecorded(
        ["USED"],
        [0, 1],
        [3, 5],
        [0, 0],
        [4, 6],
        [0],
        [-1],
        [10],
        [20],
        [-1],
        [0],
        [0],
        [0, 1],
        [1, 1],
        [10, 10],
        [20, 20],
    )
    for facts in map(facts_with, (single, named, bulk)):
        assert facts.by_triple([3], ["USED"], [4]) == [0]
        assert facts.types.find("UNUSED") == -1
        assert facts.episodes(0) == [(10, 20)]
        assert shown(facts, 4, 10, 15) == [0]
        assert [tuple(one) for one in facts.statements.of_fact(0, 10)] == [(-1, 10, 20, 10, 1, -1, 0, 0)]


def test_a_type_leaves_with_its_last_fact() -> None:
    facts = facts_with(asserted(0, 0, "SECRET", 1, [(10, 20)]), asserted(1, 1, "SECRET", 0, [(10, 20)]))
    facts.erase(0)
    assert facts.types.find("SECRET") == 0
    facts.erase(1)
    assert facts.types.find("SECRET") == -1


def test_many_triples_are_looked_up_as_one_is() -> None:
    facts = facts_with(*(asserted(number, number, "A", number + 1, [(10, 20)]) for number in range(20)))
    sources, targets = [*range(20), -1, 5], [*range(1, 21), 1, 5]
    assert facts.by_triple(sources, ["A"] * 22, targets) == [*range(20), -1, -1]
    assert [facts.by_triple([one], ["A"], [two])[0] for one, two in zip(sources, targets, strict=True)] == [
        *range(20),
        -1,
        -1,
    ]
    assert facts.by_triple([0], ["B"], [1]) == [-1]


def test_statements_come_in_the_order_recorded_and_by_what_was_known() -> None:
    first, second = asserted(0, 0, "A", 1, [(10, 20)]), asserted(0, 0, "A", 1, [(10, 20)], new=False)
    facts = facts_with(first, FactsRecorded(
        stated=[0, 0], stated_by=[-2, 5], stated_from=[1, 2], stated_to=[NO_END, 9], span_passage=[-1, 8],
        span_start=[0, 3], span_end=[0, 7],
    ), second)  # fmt: skip
    by = facts.statements.of_fact(0, 20)
    assert [tuple(one) for one in by] == [
        (-1, 10, 20, 10, 1, -1, 0, 0),
        (-2, 1, NO_END, 20, 2, -1, 0, 0),
        (5, 2, 9, 20, 2, 8, 3, 7),
    ]
    assert facts.statements.stated(0, 5, 2, 9)
    assert not facts.statements.stated(0, 5, 2, NO_END)
    assert facts.statements.stated(0, -2, 1, NO_END)


# the kernel beside its oracle


def naive_settle(
    changed: list[int], counts: list[int], starts: list[int], ends: list[int], rows: list[list[int]], now: int
) -> tuple[list[int], list[int]]:
    """(closed, added) with rows as [fact, start, end, closed]."""
    added = [1] * len(starts)
    first = 0
    for fact, count in zip(changed, counts, strict=True):
        listed = {(starts[place], ends[place]): place for place in range(first, first + count)}
        for row in rows:
            if row[0] == fact and row[3] == NO_END:
                if (row[1], row[2]) in listed:
                    added[listed[row[1], row[2]]] = 0
                else:
                    row[3] = now
        first += count
    return [row[3] for row in rows], added


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_settle_does_what_its_oracle_does(data: st.DataObject) -> None:
    pair = st.tuples(st.integers(0, 3), st.integers(4, 6))
    stood = data.draw(st.lists(st.tuples(st.integers(0, 2), pair, st.sampled_from((NO_END, NO_END, 5))), max_size=8))
    rows = [[fact, *bounds, closed] for fact, bounds, closed in dict.fromkeys(stood)]
    changed = data.draw(st.lists(st.integers(0, 2), unique=True, max_size=3))
    episodes = [sorted(data.draw(st.lists(pair, unique=True, max_size=3))) for _ in changed]
    flat = [one for many in episodes for one in many]
    chains = Chains()
    chains.make_owners(3)
    chains.add_many([row[0] for row in rows])
    row_starts, row_ends, row_closed = (np.array([row[place] for row in rows], dtype=np.int64) for place in (1, 2, 3))
    added = np.zeros(len(flat), dtype=np.uint8)
    total = kernels.settle(
        np.array(changed, dtype=np.int32), np.array(list(map(len, episodes)), dtype=np.int32),
        np.array([one for one, _ in flat], dtype=np.int64), np.array([one for _, one in flat], dtype=np.int64),
        chains.last, chains.after, row_starts, row_ends, row_closed, NO_END, 9, added,
    )  # fmt: skip
    closed, wanted = naive_settle(
        changed, list(map(len, episodes)), [one for one, _ in flat], [one for _, one in flat], rows, 9
    )
    assert row_closed.tolist() == closed
    assert added.tolist() == wanted
    assert total == sum(wanted)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.integers(0, 4), st.lists(st.integers(0, 4), max_size=40)), max_size=12), st.integers(0, 4))
def test_chains_are_lists_by_owner(added: list[int | list[int]], dropped: int) -> None:
    chains, model, row = Chains(), dict[int, list[int]](), 0
    for owners in added:
        first = chains.add(owners) if isinstance(owners, int) else chains.add_many(owners)
        assert first == row
        for owner in [owners] if isinstance(owners, int) else owners:
            model.setdefault(owner, []).append(row)
            row += 1
    chains.drop(dropped)
    model.pop(dropped, None)
    for owner in range(6):
        assert chains.rows(owner) == model.get(owner, [])
        assert chains.array(owner).tolist() == model.get(owner, [])


def test_a_counted_text_leaves_with_its_last_use() -> None:
    texts = CountedTexts()
    first = texts.take("a", 2)
    assert texts.take("a") == first
    for _ in range(3):
        assert texts.find("a") == first
        texts.release(first)
    assert texts.find("a") == -1
    assert texts.take("a") != first
