"""Entities are found by every way of writing that the contract names, at the instants asked, until they are erased."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.limits import SEEDS_MAX
from semurg.domain.names import edit_allowance, folded, match_key
from semurg.domain.visibility import At
from semurg.projections.names import Names
from semurg.projections.rows import TypeCount

from . import naive

NOW = At(100, 100)
WORDS = st.sampled_from(
    ["dana", "Dan", "Zoë", "zoe", "Priya", "Raman", "priyah", "Acme", "ACME", "A/B", "東京", "Ωmega"]
)
PEOPLE = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


def names_of(*texts: str, at: int = 10) -> Names:
    names = Names()
    names.record(range(len(texts)), texts, [-1] * len(texts), at, 5)
    return names


def spelling(names: Names, query: str, at: At = NOW) -> list[str]:
    return [names.name(entity) for entity in names.find_spelling(folded(match_key(query)), at)]


def word(names: Names, query: str) -> list[str]:
    return [names.name(entity) for entity in names.find_word(folded(match_key(query)), NOW)]


def distinct(texts: Sequence[str]) -> list[str]:
    return list({match_key(text): text for text in texts}.values())


def test_a_name_is_found_by_its_match_key() -> None:
    names = names_of("Dana", "Zoë", "Zoe", "A/B", "AB", "Ｆｕｌｌ Width")
    asked = ["dana", "zoë", "zoe", "a/b", "ab", "full width", "nobody"]
    assert names.numbers_by_key(asked) == [0, 1, 2, 3, 4, 5, -1]
    assert [names.find_exact(key, NOW) for key in asked] == [0, 1, 2, 3, 4, 5, -1]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Dan", ["Dana"]),  # the name it begins is one letter longer
        ("Dnaa", ["Dana"]),  # a swap of neighbours is one edit
        ("Zoe", ["Zoë"]),  # accents aside
        ("Da", []),  # none under three characters
        ("Dxnx", []),  # one edit from three to seven
        ("Prixa Rxman", ["Priya Raman"]),  # two from eight on
        ("Prixa Rxmxn", []),
    ],
)
def test_a_spelling_is_near_within_the_allowance_of_its_length(query: str, found: list[str]) -> None:
    assert spelling(names_of("Dana", "Zoë", "Priya Raman"), query) == found


def test_all_equally_near_spellings_are_found_and_no_farther_one() -> None:
    assert spelling(names_of("Mara", "Maria", "Mario", "Marian"), "Marib") == ["Maria", "Mario"]
    assert spelling(names_of("Zoë", "Zoé", "Zoek"), "zoe") == ["Zoë", "Zoé"]


def test_more_seeds_than_the_limit_are_cut_at_the_oldest() -> None:
    names = names_of(*(f"x{chr(0x4E00 + i)}z" for i in range(SEEDS_MAX + 20)))
    assert names.find_spelling("xyz", NOW) == list(range(SEEDS_MAX))


@given(st.lists(PEOPLE, max_size=12).map(distinct), PEOPLE)
def test_spelling_finds_what_comparing_every_name_finds(texts: list[str], query: str) -> None:
    names, wanted = names_of(*texts), folded(match_key(query))
    folds = [folded(match_key(text)) for text in texts]
    expected = naive.nearest(wanted, edit_allowance(len(wanted)), 1, folds, [True] * len(texts))
    assert names.find_spelling(wanted, NOW) == [number for number, _ in expected]


def test_a_whole_word_finds_the_longer_names_that_hold_it() -> None:
    names = names_of("Priya Raman", "Priya", "Priyanka Raman", "Zoë O'Hara", "The Who")
    assert word(names, "priya") == ["Priya Raman"]
    assert word(names, "RAMAN") == ["Priya Raman", "Priyanka Raman"]
    assert word(names, "zoe") == ["Zoë O'Hara"]
    assert word(names, "the") == []
    assert word(names, "pri") == []


def test_a_name_shows_from_when_it_was_known() -> None:
    names = names_of("Dana Lee", at=50)
    before, then = At(49, 0), At(50, 0)
    assert [names.find_exact("dana lee", at) for at in (before, then)] == [-1, 0]
    assert [names.find_spelling("dana le", at) for at in (before, then)] == [[], [0]]
    assert [names.find_word("dana", at) for at in (before, then)] == [[], [0]]
    assert [names.close_names("dana", at, 3) for at in (before, then)] == [[], ["Dana Lee"]]
    assert [names.count(at) for at in (before, then)] == [0, 1]
    assert names.numbers_by_key(["dana lee"]) == [0]


def test_the_row_of_an_entity_holds_what_was_recorded() -> None:
    names = Names()
    names.record([0], ["Dana"], [-3], 10, 7)
    names.record([1], ["Acme"], [4], 20, 9)
    assert tuple(names.row(0)) == ("Dana", 10, 7, -3)
    assert tuple(names.row(1)) == ("Acme", 20, 9, 4)


def test_numbers_go_on_from_the_last() -> None:
    names = names_of("Dana")
    with pytest.raises(ValueError, match="go on from 1"):
        names.record([2], ["Acme"], [-1], 20, 9)
    names.record([], [], [], 20, 9)
    assert len(names) == 1


def test_close_names_come_nearest_first_then_by_name() -> None:
    names = names_of("Dana", "Danae", "Diana", "Priya Raman", "Acme Robotics")
    assert names.close_names("dana", NOW, 3) == ["Dana", "Danae", "Diana"]
    assert names.close_names("acme", NOW, 3) == ["Acme Robotics"]
    assert names.close_names("raman", NOW, 3)[-1] == "Priya Raman"
    assert names.close_names("xyzzy", NOW, 3) == []
    assert names.close_names("", NOW, 3) == []


def test_lengths_are_those_of_the_names_that_begin_with_the_atom() -> None:
    names = names_of("New York", "New York City", "New", "New Haven", "York", "O'Hara")
    assert names.name_lengths("new") == [1, 2, 3]
    assert names.name_lengths("york") == [1]
    assert names.name_lengths("city") == []
    names.erase(0)
    assert names.name_lengths("new") == [1, 2, 3]
    names.erase(3)
    assert names.name_lengths("new") == [1, 3]
    names.erase(2)
    assert names.name_lengths("new") == [3]


def test_types_keep_their_first_spelling_and_their_order() -> None:
    names = names_of("Dana", "Acme", "Zoë")
    names.types.give([0, 0, 1], ["Person", "Founder", "company"], 10)
    names.types.give([0, 2], ["PERSON", "person"], 20)
    assert names.types_of(0, NOW) == ["Person", "Founder"]
    assert names.types_of(2, At(19, 0)) == []
    assert names.types_of(2, At(20, 0)) == ["person"]
    assert names.types.keys_of(0) == {"person", "founder"}
    assert names.types.keys_of(2) == {"person"}
    assert names.types.classes(At(10, 0)) == [
        TypeCount("Person", 1, ["Person"]), TypeCount("Founder", 1, ["Founder"]), TypeCount("company", 1, ["company"])
    ]  # fmt: skip
    assert names.types.classes(NOW)[0] == TypeCount("Person", 2, ["Person", "person"])
    assert names.types.classes(At(0, 0)) == []


def test_an_erased_entity_is_gone_from_every_structure() -> None:
    names = names_of("Zoë Quill", "Zoe Other", "Dana")
    names.types.give([0, 1], ["Spy", "Person"], 10)
    names.erase(0)
    names.erase(0)
    assert names.name(0) == "" == names.row(0).name
    assert not names.is_live(0) and not names.is_visible(0, NOW)
    assert names.find_exact("zoë quill", NOW) == -1 == names.numbers_by_key(["zoë quill"])[0]
    assert spelling(names, "zoe quill") == []
    assert word(names, "quill") == []
    assert word(names, "zoe") == ["Zoe Other"]
    assert names.close_names("zoë quill", NOW, 3) == ["Zoe Other"]
    assert names.name_lengths("zoë") == []
    assert names.types_of(0, NOW) == [] and names.types.keys_of(0) == set()
    assert names.types.classes(NOW) == [TypeCount("Person", 1, ["Person"])]
    assert (names.live, names.count(NOW), len(names)) == (2, 2, 3)


def test_a_forgotten_name_can_be_stored_afresh() -> None:
    names = names_of("Dana", "Dana Lee")
    names.types.give([0], ["Person"], 10)
    names.erase(0)
    names.record([2], ["DANA"], [-1], 30, 9)
    names.types.give([2], ["PERSON"], 30)
    assert names.find_exact("dana", NOW) == 2
    assert names.find_exact("dana", At(29, 0)) == -1
    assert names.types_of(2, NOW) == ["PERSON"]
    assert names.name_lengths("dana") == [1, 2]


@given(st.lists(PEOPLE, max_size=15).map(distinct), st.integers(1, 6), st.sets(st.integers(0, 14)))
def test_recording_in_any_batches_answers_the_same(texts: list[str], size: int, erased: set[int]) -> None:
    one, many = names_of(*texts), Names()
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        many.record(range(start, start + len(part)), part, [-1] * len(part), 10, 5)
    for entity in erased & set(range(len(texts))):
        one.erase(entity)
        many.erase(entity)
    answers = []
    for names in (one, many):
        keys = [match_key(text) for text in texts]
        answers.append(
            (
                names.numbers_by_key(keys),
                [names.find_spelling(folded(key), NOW) for key in keys],
                [names.close_names(key, NOW, 3) for key in keys],
                [names.find_word(text, NOW) for text in ("priya", "raman", "zoe", "東京")],
                [names.name_lengths(text) for text in ("priya", "dana", "a", "東")],
                names.live,
            )
        )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("query", ["", "x" * 4_000, "漢" * 400, "😀"])
def test_odd_queries_find_nothing_and_break_nothing(query: str) -> None:
    names = names_of("Dana", "東京")
    assert names.find_spelling(query, NOW) == []
    assert names.find_word(query, NOW) == []
    assert names.close_names(query, NOW, 3) == []
    assert names.find_exact(query, NOW) == -1
    assert Names().find_spelling("dana", NOW) == []
    assert Names().close_names("dana", NOW, 3) == []


def test_of_very_many_types_each_is_given_once_and_the_last_spelling_takes_its_class_along() -> None:
    names = Names()
    names.record([0, 1], ["dana", "acme"], [-1, -1], 10, 1)
    many = [f"type {number}" for number in range(5_000)]
    names.types.give([0] * 10_000, [*many, *map(str.upper, many)], 10)
    assert names.types_of(0, At(10, 0)) == many
    assert names.types.keys_of(0) == set(many)
    names.types.give([1, 1], ["TYPE 7", "type 8"], 20)
    steps = sum(1 for _ in names.erase_in_steps(0))
    assert steps > 1
    assert names.types_of(0, At(20, 0)) == []
    assert [(one.type, one.members) for one in names.types.classes(At(20, 0))] == [("TYPE 7", 1), ("type 8", 1)]
    names.erase(1)
    assert names.types.classes(At(20, 0)) == []
