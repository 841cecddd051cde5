"""Names: when two spellings are one, what may be a name, and which names are near enough to be found."""

from __future__ import annotations

import sys
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.errors import Refusal
from semurg.domain.names import (
    check_text,
    clean_key,
    clean_label,
    clean_name,
    clean_relation,
    clean_scope,
    clean_type,
    clean_user,
    distance,
    edit_allowance,
    folded,
    has_substance,
    is_spelling_match,
    is_stop_word,
    match_key,
    words,
)


def code_of(call: object, *arguments: str) -> str:
    assert callable(call)
    with pytest.raises(Refusal) as caught:
        call(*arguments)
    assert all(argument in caught.value.detail for argument in arguments[1:])
    return caught.value.code


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zo\u00eb Cr\u00e8me", "zoe\u0308 cre\u0300me"),
        ("  Dock \n\t Seven ", "dock seven"),
        ("Straße", "STRASSE"),
        ("o\ufb03ce", "Office"),
        ("Dock\u00a0Seven", "Dock\u3000Seven"),
        ("da\u00adta\u200b\u200e\u200f\u2060\ufeffbase", "database"),
        ("ﾀﾞﾑ", "ダム"),
        ("Dock\u0085Seven", "Dock Seven"),
        ("Dock\u200b \u200bSeven", "Dock Seven"),
    ],
)
def test_spellings_that_differ_in_nothing_that_counts_share_a_key(one: str, other: str) -> None:
    assert match_key(one) == match_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zoë", "Zoe"),
        ("A/B", "AB"),
        ("Team 👩🏽\u200d🚀", "Team 👩🏽"),
        ("a\u200cb", "ab"),
        ("Ann", "Annika"),
        ("🇳🇱", "🇳🇴"),
    ],
)
def test_accents_punctuation_and_joiners_make_another_name(one: str, other: str) -> None:
    assert match_key(one) != match_key(other)


def test_the_key_of_every_character_is_its_own_key() -> None:
    codes = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    changed = [code for code in codes if match_key(match_key(chr(code))) != match_key(chr(code))]
    assert changed == []


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    assert match_key(match_key(text)) == match_key(text)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(match_key(text))) == folded(match_key(text))


def test_the_shown_name_is_trimmed_and_its_line_breaks_are_white_space() -> None:
    assert clean_name("Dock\n\tSeven ", "name").text == "Dock Seven"
    assert clean_name("  Dock  Seven", "name").text == "Dock  Seven"
    assert clean_name("Dock  Seven", "name").key == clean_name("Dock\n\tSeven ", "name").key


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "name_empty"),
        (" \n ", "name_empty"),
        ("...", "name_empty"),
        ("\u200b", "name_empty"),
        ("\u3164", "name_empty"),
        ("\u0301", "name_empty"),
        ("a\0b", "control_character"),
        ("a\x1bb", "control_character"),
        ("a\x7f", "control_character"),
        ("a\x1cb", "control_character"),
        ("a\u202eb", "name_invalid"),
        ("\u2066a\u2069", "name_invalid"),
        ("a\ud800", "name_invalid"),
        ("x" * 1025, "name_too_long"),
        ("é" * 513, "name_too_long"),
    ],
)
def test_what_cannot_be_a_name_is_refused_by_name(text: str, code: str) -> None:
    assert code_of(clean_name, text, "facts.entities[2].name") == code
    assert code_of(clean_type, text, "facts.entities[2].type") == code


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1024,
        "é" * 512,
        "7",
        "+",
        "€",
        "👩🏽\u200d🚀",
        "🇳🇱",
        "<|endoftext|>",
        "'); DROP TABLE events;--",
        "\U0001fae8",
    ],
)
def test_any_letter_digit_or_symbol_makes_a_name(text: str) -> None:
    assert clean_name(f" {text} ", "name").text == text


def test_keys_and_labels_stay_as_spelled_and_relations_are_trimmed() -> None:
    keys = ["userId", "user_id", "URL", "url", "__proto__", "id", " x "]
    assert [clean_key(key, "key") for key in keys] == keys
    assert clean_label("plan ", "source") == "plan "
    assert clean_relation(" WORKS_AT\n", "type") == "WORKS_AT"
    assert clean_relation("OWNS`]-(z) REMOVE z.name //", "type") == "OWNS`]-(z) REMOVE z.name //"


@pytest.mark.parametrize("clean", [clean_key, clean_label, clean_relation])
def test_keys_labels_and_relations_have_the_limits_of_names(clean: object) -> None:
    assert code_of(clean, "", "type") == "name_empty"
    assert code_of(clean, " \u200b", "type") == "name_empty"
    assert code_of(clean, "a\tb", "type") == "control_character"
    assert code_of(clean, "k" * 1025, "type") == "name_too_long"
    assert code_of(clean, "a\udfff", "type") == "name_invalid"


def test_scopes_and_users_are_kept_to_the_byte() -> None:
    for text in ("a", "a ", "b/c", "q7&scope=b", "é" * 128):
        assert clean_scope(text) == text
        assert clean_user(text) == text
    assert clean_scope("admin:root") == "admin:root"


@pytest.mark.parametrize("text", ["", "  ", "a\n", "a\0", "\x85a", "é" * 129, "\ud800"])
def test_scopes_and_users_that_name_no_partition_are_refused(text: str) -> None:
    assert code_of(clean_scope, text, "scope") == "scope_invalid"
    assert code_of(clean_user, text, "user_id") == "user_id_invalid"


def test_a_user_holds_no_colon() -> None:
    assert code_of(clean_user, "admin:root", "user_id") == "user_id_invalid"


def test_text_may_hold_anything_but_nul_and_half_surrogates() -> None:
    check_text("<|endoftext|> \x1b \u202e \ufeff", "content")
    assert code_of(check_text, "a\0b", "content") == "control_character"
    assert code_of(check_text, "a\ud83d", "content") == "bad_json"


@pytest.mark.parametrize("text", ["", " \n\t", "...", "?!", "\u200b", "\ufeff \u2060", "---\n***", "「」。", "\u202e"])
def test_text_without_substance_is_nothing_to_store(text: str) -> None:
    assert not has_substance(text)


@pytest.mark.parametrize("text", ["a", "…7…", "霧", "👍", "€", "$", "+", ": \U0001fae8"])
def test_one_letter_digit_or_picture_is_substance(text: str) -> None:
    assert has_substance(text)


def test_folding_leaves_accents_aside_and_keeps_signs_that_spell_another_word() -> None:
    assert folded(match_key("Zoë Crème")) == "zoe creme"
    assert folded(match_key("Łódź")) == "łodz"
    assert folded("שָׁלוֹם") == "שלום"
    assert folded("ダム") == "ダム"
    assert folded("नमस्ते") == "नमस्ते"
    assert folded("น้ำ") == "น้ำ"


def test_words_are_letters_and_digits_with_their_marks() -> None:
    assert words("priya raman-o'rook v2.4") == ["priya", "raman", "o", "rook", "v2", "4"]
    assert words("नमस्ते दुनिया") == ["नमस्ते", "दुनिया"]
    assert words("می\u200cروم") == ["می\u200cروم"]
    assert words("霧島ダムtower สวัสดี") == ["霧島ダム", "tower", "สวัสดี"]
    assert words("👍 ...") == []


def test_the_edit_allowance_grows_with_the_length() -> None:
    assert [edit_allowance(length) for length in (0, 2, 3, 7, 8, 40)] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("query", "name", "matches"),
    [
        ("dan", "dana", True),
        ("dnaa", "dana", True),
        ("dana", "danas!", False),
        ("an", "ann", False),
        ("an", "an", True),
        ("priya raman", "pirya ramna", True),
        ("priya raman", "pirya ramnaa", False),
        ("ann", "annika", False),
    ],
)
def test_near_spellings(query: str, name: str, matches: bool) -> None:
    assert is_spelling_match(query, name) is matches


def plain_distance(a: str, b: str) -> int:
    """The recursive definition of optimal string alignment."""

    @cache
    def to(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        best = min(to(i - 1, j) + 1, to(i, j - 1) + 1, to(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            best = min(best, to(i - 2, j - 2) + 1)
        return best

    return to(len(a), len(b))


@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.integers(0, 4))
def test_distance_equals_its_definition_up_to_the_limit(a: str, b: str, limit: int) -> None:
    assert distance(a, b, limit) == min(plain_distance(a, b), limit + 1)


def test_swapping_neighbours_counts_once_and_is_not_edited_further() -> None:
    assert distance("dana", "dnaa", 2) == 1
    assert distance("ca", "abc", 5) == 3


@pytest.mark.parametrize("word", ["the", "what", "und", "nicht", "für", "fur", "avec", "pero", "yang", "и"])
def test_common_words_of_many_languages_never_match_alone(word: str) -> None:
    assert is_stop_word(word)


@pytest.mark.parametrize(
    "word",
    ["dana", "priya", "ali", "ben", "kim", "sam", "mia", "bill", "acme", "china", "霧島", "will", "world", "system"],
)
def test_names_are_no_stop_words_though_some_language_lists_them(word: str) -> None:
    assert not is_stop_word(word)
