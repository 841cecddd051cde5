"""What follows from stored facts, against the rules applied by brute force."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import FactsRecorded
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.relations import inverse_spelling, meaning, rule
from semurg.domain.visibility import At
from semurg.projections.derived import Derivations
from semurg.projections.facts import Facts
from semurg.projections.timeline import Timeline

NOW = At(100, 50)
Triple = tuple[int, str, int]


def facts_of(triples: list[Triple], bounds: list[tuple[int, int]] | None = None) -> Facts:
    timeline = Timeline()
    facts = Facts(timeline)
    names = list(dict.fromkeys(name for _, name, _ in triples))
    numbers = list(range(len(triples)))
    bounds = bounds or [(UNKNOWN_START, NO_END)] * len(triples)
    event = FactsRecorded(
        type_names=names, numbers=numbers, sources=[one for one, _, _ in triples],
        types=[names.index(one) for _, one, _ in triples], targets=[one for _, _, one in triples],
        changed=numbers, episodes=[1] * len(numbers),
        episode_from=[start for start, _ in bounds], episode_to=[end for _, end in bounds],
    )  # fmt: skip
    facts.record(event, timeline.add(1, 10), 10)
    return facts


def derived(
    triples: list[Triple], entity: int, bounds: list[tuple[int, int]] | None = None
) -> list[tuple[str, int, str, int, tuple[int, ...]]]:
    found = Derivations(facts_of(triples, bounds)).touching(entity, NOW)
    return [(one.rule, one.source, one.type, one.target, one.premises) for one in found]


def test_a_symmetric_relation_is_read_the_other_way_too() -> None:
    assert derived([(0, "Married To", 1)], 0) == [("symmetric", 1, "Married To", 0, (0,))]


def test_a_symmetric_relation_stored_both_ways_adds_nothing() -> None:
    assert derived([(0, "MARRIED_TO", 1), (1, "married_to", 0)], 0) == []


def test_an_inverse_takes_the_opposite_name_in_the_same_style() -> None:
    assert derived([(0, "PARENT_OF", 1)], 1) == [("inverse", 1, "CHILD_OF", 0, (0,))]
    assert derived([(0, "ownedBy", 1)], 1) == [("inverse", 1, "owns", 0, (0,))]


def test_a_chain_carries_up_to_six_links_in_both_directions() -> None:
    chain = [(place, "PART_OF", place + 1) for place in range(8)]
    outward = derived(chain, 0)
    assert [(one[1], one[3], len(one[4])) for one in outward] == [(0, place, place) for place in range(2, 7)]
    inward = derived(chain, 8)
    assert [(one[1], one[3]) for one in inward] == [(place, 8) for place in range(6, 1, -1)]
    assert inward[0][4] == (6, 7)


def test_links_of_other_meanings_do_not_chain() -> None:
    assert derived([(0, "PART_OF", 1), (1, "LOCATED_IN", 2)], 0) == []


def test_spellings_of_one_meaning_chain_and_the_first_names_the_whole() -> None:
    assert derived([(0, "part of", 1), (1, "PART_OF", 2)], 0) == [("transitive", 0, "part of", 2, (0, 1))]
    assert derived([(0, "part of", 1), (1, "PART_OF", 2)], 2) == [("transitive", 0, "part of", 2, (0, 1))]


def test_a_cycle_derives_nothing_of_itself() -> None:
    assert derived([(0, "PART_OF", 1), (1, "PART_OF", 0)], 0) == []


def test_a_derived_fact_holds_while_all_its_premises_do() -> None:
    facts = facts_of([(0, "PART_OF", 1), (1, "PART_OF", 2)], [(10, 90), (40, NO_END)])
    (found,) = Derivations(facts).touching(0, NOW)
    assert (found.valid_from, found.valid_to) == (40, 90)
    assert Derivations(facts).touching(0, At(100, 30)) == []


def test_a_forgotten_premise_takes_what_followed_from_it() -> None:
    facts = facts_of([(0, "PART_OF", 1), (1, "PART_OF", 2)])
    facts.erase(1)
    assert Derivations(facts).touching(0, NOW) == []


def test_a_relation_without_a_rule_derives_nothing() -> None:
    assert derived([(0, "KNOWS", 1)], 0) == []


def brute_force(triples: list[Triple], entity: int) -> dict[tuple[int, str, int], int]:
    """(source, meaning, target) of what follows and touches the entity, with the least number of premises."""
    stored = {(source, meaning(name), target) for source, name, target in triples}
    found: dict[tuple[int, str, int], int] = {}
    for source, name, target in triples:
        if rule(name) == "symmetric":
            found[target, meaning(name), source] = 1
        if rule(name) == "inverse":
            found[target, meaning(inverse_spelling(name)), source] = 1
    for name in {meaning(one) for _, one, _ in triples if rule(one) == "transitive"}:
        joined = {(source, target) for source, other, target in triples if meaning(other) == name}
        reached = {1: set(joined)}
        for links in range(2, 7):
            reached[links] = {
                (one, three) for one, two in reached[links - 1] for other, three in joined if two == other
            }
        for fewer, links in pairwise(range(1, 7)):
            for pair in reached[links]:
                if not any(pair in reached[less] for less in range(1, fewer + 1)):
                    found[pair[0], name, pair[1]] = links
    return {
        triple: links
        for triple, links in found.items()
        if triple not in stored and triple[0] != triple[2] and entity in (triple[0], triple[2])
    }


NAMES = ("PART_OF", "part of", "MARRIED_TO", "PARENT_OF", "child_of", "KNOWS")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from(NAMES), st.integers(0, 6)), max_size=14, unique=True),
    st.integers(0, 6),
)
def test_derivation_equals_brute_force(triples: list[Triple], entity: int) -> None:
    found = Derivations(facts_of(triples)).touching(entity, NOW)
    assert {(one.source, meaning(one.type), one.target): len(one.premises) for one in found} == brute_force(
        triples, entity
    )
    assert [len(one.premises) for one in found] == sorted(len(one.premises) for one in found)
    for one in found:
        if one.rule == "transitive":
            links = [triples[row] for row in one.premises]
            assert (links[0][0], links[-1][2]) == (one.source, one.target)
            assert all(link[2] == following[0] for link, following in pairwise(links))
