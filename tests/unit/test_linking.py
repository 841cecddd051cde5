"""Linking: which names a text holds, where, in code points of the text as it was sent."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain import linking
from semurg.domain.linking import NormalText, atoms, find_occurrences, locate, occurs
from semurg.domain.names import clean_name, match_key


def index(names: Sequence[str]) -> tuple[Callable[[str], Sequence[int]], Callable[[Sequence[str]], Sequence[int]]]:
    """The two look-ups over plain dicts: an entity's number is its place in `names`."""
    numbers: dict[str, int] = {}
    counts: dict[str, set[int]] = {}
    for number, name in enumerate(names):
        key = match_key(name)
        numbers.setdefault(key, number)
        parts = atoms(key)
        counts.setdefault(parts[0][0], set()).add(len(parts))
    return lambda atom: sorted(counts.get(atom, ())), lambda keys: [numbers.get(key, -1) for key in keys]


def named(names: Sequence[str], text: str) -> list[tuple[str, str]]:
    """(name, the characters of the text that name it) of every occurrence."""
    return [(names[found.entity], text[found.start : found.end]) for found in find_occurrences(text, *index(names))]


def test_a_name_is_found_whole_and_case_aside() -> None:
    text = "DANA met dana's friend Danas; Bandana, dana."
    assert named(["Dana"], text) == [("Dana", "DANA"), ("Dana", "dana"), ("Dana", "dana")]


def test_a_short_name_is_not_inside_a_longer_word() -> None:
    assert named(["Ann"], "Annika Vale went to Annapolis with Ann") == [("Ann", "Ann")]


def test_the_longest_name_wins_where_names_overlap() -> None:
    names = ["New York", "New York Times", "York"]
    assert named(names, "The New York Times of New York, not York.") == [
        ("New York Times", "New York Times"),
        ("New York", "New York"),
        ("York", "York"),
    ]


def test_the_longest_wins_also_where_a_shorter_one_begins_earlier() -> None:
    assert named(["New York", "York Times Square"], "New York Times Square") == [
        ("York Times Square", "York Times Square")
    ]


def test_the_leftmost_of_two_equally_long_names_wins() -> None:
    assert named(["aa bb", "bb cc"], "aa bb cc") == [("aa bb", "aa bb")]


def test_white_space_in_a_text_is_any_white_space() -> None:
    assert named(["New York"], "new\n\t york and NEW\u00a0YORK") == [
        ("New York", "new\n\t york"),
        ("New York", "NEW\u00a0YORK"),
    ]


def test_a_composed_name_is_found_in_decomposed_text_and_the_reverse() -> None:
    composed, decomposed = "Zo\u00eb Cr\u00e8me", "Zoe\u0308 Cre\u0300me"
    assert named([composed], f"met {decomposed}, twice") == [(composed, decomposed)]
    assert named([decomposed], f"met {composed}, twice") == [(decomposed, composed)]


def test_offsets_hold_where_folding_changes_the_length() -> None:
    text = "İİİ o\ufb03ce of \u00c5sa in STRASSE, İzmir."
    assert named(["office", "Åsa", "Straße", "İzmir"], text) == [
        ("office", "o\ufb03ce"),
        ("Åsa", "\u00c5sa"),
        ("Straße", "STRASSE"),
        ("İzmir", "İzmir"),
    ]


def test_invisible_characters_do_not_hide_a_name() -> None:
    assert named(["database"], "\ufeffthe da\u00adta\u200bbase\u200b.") == [("database", "da\u00adta\u200bbase")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("霧島ダム", "朝の霧島ダムの点検"),
        ("สมชาย", "นายสมชายไปตลาด"),
        ("ភ្នំពេញ", "នៅភ្នំពេញមាន"),
        ("Tower", "東京Tower駅"),
    ],
)
def test_in_scripts_without_spaces_a_name_matches_inside_a_run(name: str, text: str) -> None:
    assert named([name], text) == [(name, name)]


def test_marks_belong_to_their_letter() -> None:
    assert named(["नम"], "नमस्ते और नम") == [("नम", "नम")]
    assert named(["กา"], "ก่า กา") == [("กา", "กา")]


def test_an_emoji_family_is_not_its_first_member() -> None:
    names = ["Team 👩🏽\u200d🚀", "Team 👩🏽"]
    text = "Team 👩🏽\u200d🚀 met Team 👩🏽."
    assert named(names, text) == [(names[0], "Team 👩🏽\u200d🚀"), (names[1], "Team 👩🏽")]
    assert named(["Team 👩🏽", "👩🏽"], "Team 👩🏽\u200d🚀") == []


def test_flags_do_not_read_across_each_other() -> None:
    assert named(["Flag 🇳🇱", "🇱🇩"], "Flag 🇳🇱🇩🇪") == [("Flag 🇳🇱", "Flag 🇳🇱")]


@pytest.mark.parametrize(
    "name", ["C:\\tools\\run.py", "a/b | c", 'O\'Rook "Q" & Sons', "50% *off* (x)", "k:v; -- note", "C++"]
)
def test_punctuation_in_a_name_is_matched_as_it_is(name: str) -> None:
    assert named([name], f"see {name}, or {name.upper()}!") == [(name, name), (name, name.upper())]
    assert named([name], "see tools run off") == []


def test_look_ups_come_in_one_call() -> None:
    lengths, lookup = index(["Dana", "Acme"])
    calls = []

    def counting(keys: Sequence[str]) -> Sequence[int]:
        calls.append(list(keys))
        return lookup(keys)

    assert len(find_occurrences("Dana left Acme. Dana!", lengths, counting)) == 3
    assert calls == [["dana", "acme"]]
    assert find_occurrences("nobody", lengths, counting) == []
    assert len(calls) == 1


def test_a_listed_mention_may_be_inside_a_word_and_a_whole_word_is_preferred() -> None:
    ann = clean_name("Ann", "mentions[0]")
    assert locate("Annika met ANN", ann) == (11, 14)
    assert locate("Annika", ann) == (0, 3)
    assert locate("Anika", ann) is None
    assert occurs(NormalText("xannx"), ann)
    assert not occurs("A nn", ann)


def test_an_absurd_run_of_marks_is_read_in_parts() -> None:
    text = "a" + "\u0301\u0323" * 50_000 + " Dana"
    assert named(["Dana"], text) == [("Dana", "Dana")]


AWKWARD = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(
            "aeiİıſßﬁ  \n\t\u00a0\u00ad\u200b\u200c\u200d\u0301\u0323\u0345ᄀ\u1161\u11a8ㅏㄱ霧กำน้\u3099カﾞ🇳👩🏽¨΅ﷺ"
        ),
    ),
    max_size=40,
)


@given(AWKWARD)
def test_the_normal_form_of_a_text_is_its_match_key(text: str) -> None:
    assert NormalText(text).text == match_key(text)


@given(AWKWARD)
def test_every_place_in_the_normal_form_lies_in_the_text_in_order(text: str) -> None:
    normal = NormalText(text)
    places = [normal.span(at, at + 1) for at in range(len(normal.text))]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)
    for at, (start, end) in enumerate(places):
        assert normal.text[at].strip() in match_key(text[start:end])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_atoms_cover_all_but_white_space_without_overlap(text: str) -> None:
    key = match_key(text)
    assert "".join(atom for atom, _, _ in atoms(key)) == key.replace(" ", "")
    assert all(key[start:end] == atom for atom, start, end in atoms(key))


def plain_occurrences(names: Sequence[str], text: str) -> list[tuple[int, int, int]]:
    """The definition, over ASCII words: try every place with every name, longest first, then leftmost."""
    low = text.lower()
    places = []
    for number, name in enumerate(names):
        for start in range(len(low) - len(name) + 1):
            end = start + len(name)
            before, after = low[start - 1 : start], low[end : end + 1]
            if low[start:end] == name and not before.isalnum() and not after.isalnum():
                places.append((start, end, number))
    kept: list[tuple[int, int, int]] = []
    for start, end, number in sorted(places, key=lambda place: (place[0] - place[1], place[0])):
        if all(end <= other_start or other_end <= start for other_start, other_end, _ in kept):
            kept.append((start, end, number))
    return sorted(kept)


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map(" ".join), unique=True, max_size=6
    ),
    st.lists(st.sampled_from(["a", "b", "ab", "A", "aB", "c"]), max_size=14),
    st.sampled_from([" ", "-", ". "]),
)
def test_linking_equals_its_plain_definition(names: list[str], parts: list[str], between: str) -> None:
    text = between.join(parts)
    found = [(start, end, entity) for entity, start, end in find_occurrences(text, *index(names))]
    assert found == plain_occurrences(names, text)


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map(" ".join), unique=True),
    st.lists(st.sampled_from(["a", "b", "ab"]), max_size=14).map(" ".join),
    st.integers(1, 6),
)
def test_looking_up_in_rounds_finds_the_same(names: list[str], text: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "ROUND", most)
        found = [(start, end, entity) for entity, start, end in find_occurrences(text, *index(names))]
    assert found == plain_occurrences(names, text)


def test_of_names_that_begin_alike_those_of_the_32_smallest_lengths_are_looked_for() -> None:
    names = [" ".join(["ha"] * (count + 1)) for count in range(linking.LENGTHS_MAX + 1)]
    assert named(names, names[-1]) == [(names[-2], names[-2]), (names[0], names[0])]


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20), st.sampled_from(["NFC", "NFD", "NFKC"])
)
def test_a_name_is_found_between_spaces_in_every_normal_form(name: str, form: str) -> None:
    key = match_key(name)
    if not key:
        return
    text = f"x. {unicodedata.normalize(form, name)} ,y"  # type: ignore[arg-type]
    if match_key(f"x. {name} ,y") != f"x. {key} ,y":
        return  # begins or ends with a mark that joins the space beside it
    assert (0, key) in [
        (found.entity, match_key(text[found.start : found.end])) for found in find_occurrences(text, *index([name]))
    ]
