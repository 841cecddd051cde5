"""Cutting texts into passages: sizes, what is never cut, and that every passage is an exact slice."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.documents.passages import (
    Turn,
    cut_content,
    cut_messages,
    digest,
    document_from_content,
    document_from_messages,
    document_from_passage,
)
from semurg.domain.commands import PassageInput
from semurg.domain.instants import parse_date
from semurg.domain.names import clean_name

WORDS = ["harbour", "crew", "painted", "north", "wall", "before", "winter", "storms", "came", "nobody", "of", "it"]


def prose(sentences: int, seed: int, longest: int = 40) -> str:
    """Sentences of 4 to `longest` words."""
    source = random.Random(seed)
    lengths = [source.randint(4, longest) for _ in range(sentences)]
    return " ".join(" ".join(source.choices(WORDS, k=length)).capitalize() + "." for length in lengths)


def check_slices(text: str, passages: list[PassageInput]) -> None:
    """Exact slices in order, nothing but white space between them, sentences inside them."""
    at = 0
    for passage in passages:
        end = passage.start + len(passage.text)
        assert text[passage.start : end] == passage.text
        assert text[at : passage.start].strip() == ""
        assert passage.text and not passage.text[0].isspace() and not passage.text[-1].isspace()
        assert passage.sentences[0] == 0
        assert list(passage.sentences) == sorted(set(passage.sentences))
        assert passage.sentences[-1] < len(passage.text)
        at = end
    assert text[at:].strip() == ""


@pytest.mark.parametrize("seed", range(8))
def test_prose_is_cut_at_sentence_ends_into_100_to_200_words(seed: int) -> None:
    text = prose(150, seed)
    passages = cut_content(text)
    check_slices(text, passages)
    assert all(100 <= len(passage.text.split()) <= 200 for passage in passages[:-1])
    assert len(passages[-1].text.split()) <= 200
    assert all(passage.text.endswith(".") and passage.text[0].isupper() for passage in passages)


@pytest.mark.parametrize("seed", range(4))
def test_sentences_of_up_to_a_hundred_words_always_fit_the_range(seed: int) -> None:
    passages = cut_content(prose(60, seed, longest=100))
    assert all(100 <= len(passage.text.split()) <= 200 for passage in passages[:-1])


def test_a_short_text_is_one_passage_without_the_white_space_around_it() -> None:
    text = "\n  Dana works at Acme.\n\nShe started in May. \n"
    (passage,) = cut_content(text)
    assert passage.text == "Dana works at Acme.\n\nShe started in May."
    assert passage.start == 3
    assert [passage.text[start:][:4] for start in passage.sentences] == ["Dana", "She "]


def test_two_hundred_words_are_one_passage_and_one_more_makes_two() -> None:
    sentence = "one two three four five six seven eight nine ten. "
    assert len(cut_content(sentence.capitalize() * 20)) == 1
    assert len(cut_content(sentence.capitalize() * 20 + "More.")) == 2


def test_a_sentence_over_two_hundred_words_is_cut_at_white_space() -> None:
    text = ("lorem " * 650).strip() + "."
    passages = cut_content(text)
    check_slices(text, passages)
    assert all(100 <= len(passage.text.split()) <= 200 for passage in passages[:-1])
    assert all(re.fullmatch(r"(lorem )*lorem\.?", passage.text) for passage in passages)


def test_text_without_spaces_is_cut_by_characters() -> None:
    text = "霧島ダムの点検は九月に終わる。" * 100
    passages = cut_content(text)
    check_slices(text, passages)
    assert all(200 <= len(passage.text) <= 400 and passage.text.endswith("。") for passage in passages[:-1])
    unbroken = "霧島ダムの点検" * 200
    assert all(200 <= len(passage.text) <= 400 for passage in cut_content(unbroken)[:-1])


def test_no_cut_falls_inside_a_url_or_number_of_a_text_without_spaces() -> None:
    link, number = "https://example.com/abc/def?x=3.5", "１２３．５"
    text = f"霧島ダムの点検は{link}を見て{number}円払う" * 40
    passages = cut_content(text)
    check_slices(text, passages)
    assert len(passages) > 3
    assert sum(passage.text.count(link) for passage in passages) == 40
    assert sum(passage.text.count(number) for passage in passages) == 40


def test_no_cut_falls_inside_a_url_a_decimal_or_an_address() -> None:
    kept = ["https://example.com/a.b?c=d.e#f", "10.0.0.1", "3.5", "v2.4.1", "dana.vale@example.com"]
    text = " ".join(f"Item {number} is at {kept[number % 5]} and stays there." for number in range(300))
    passages = cut_content(text)
    for part in kept:
        assert sum(passage.text.count(part) for passage in passages) == text.count(part)
    assert all(re.fullmatch(r"Item .* there\.", passage.text, re.DOTALL) for passage in passages)


def test_a_list_item_keeps_its_number() -> None:
    text = "\n".join(f"{number}. Check the valve of pump {number} and close it. Then wait." for number in range(1, 90))
    passages = cut_content(text)
    check_slices(text, passages)
    assert len(passages) > 1
    assert not any(re.search(r"(^|\n)\d+\.$", passage.text) for passage in passages)
    assert all(re.match(r"\d+\. Check|Then", passage.text) for passage in passages)


def test_rows_of_a_table_are_whole_and_its_header_is_not_parted_from_its_rule() -> None:
    rows = [f"| K-{number} | shelf {number} |" for number in range(120)]
    text = "Where the parts are:\n\n| part | bin |\n|---|---|\n" + "\n".join(rows) + "\n"
    passages = cut_content(text)
    check_slices(text, passages)
    assert len(passages) > 1
    lines = [line for passage in passages for line in passage.text.splitlines() if line]
    assert lines == [line for line in text.splitlines() if line]
    assert "| part | bin |\n|---|---|\n| K-0 |" in passages[0].text


def test_a_long_row_is_not_cut() -> None:
    row = "| " + "cell " * 300 + "| end |"
    text = f"{prose(10, 1)}\n\n| a | b |\n|---|---|\n{row}\n\n{prose(10, 2)}"
    assert any(row in passage.text for passage in cut_content(text))


def test_a_code_block_under_the_size_is_whole_and_a_longer_one_is_cut_between_lines() -> None:
    short = "```py\n" + "x = 1. Then\n\n" * 40 + "```"
    text = f"{prose(12, 3)}\n\n{short}\n\n{prose(12, 4)}"
    check_slices(text, cut_content(text))
    assert any(short in passage.text for passage in cut_content(text))
    long = "~~~\n" + "x = 1. Then y\n" * 200 + "~~~"
    lines = [line for passage in cut_content(long) for line in passage.text.splitlines()]
    assert lines == long.splitlines()


def test_a_heading_stays_with_what_it_heads() -> None:
    text = "\n\n".join(f"## Part {number}\n\n{prose(12, number, 20)}" for number in range(12))
    for passage in cut_content(text):
        assert not re.search(r"## Part \d+$", passage.text)


def test_blank_lines_shift_no_later_offset() -> None:
    text = "First line.\n\n\n \n\nSecond line.\r\n\r\n" + prose(40, 5)
    check_slices(text, cut_content(text))


def test_each_turn_of_a_conversation_is_cut_on_its_own_and_keeps_its_date() -> None:
    early, late = parse_date("2024-01-05", "date"), parse_date("2024-02", "date")
    long = prose(30, 6)
    turns = [
        Turn("user", "Where is\nthe key?", early),
        Turn("Dana", long, late),
        Turn(None, "Nobody said this."),
        Turn("x", " "),
    ]
    text, passages = cut_messages(turns)
    assert text == f"user: Where is\nthe key?\nDana: {long}\nNobody said this.\nx:  "
    assert passages[0].text == "user: Where is\nthe key?"
    assert passages[0].date == early
    assert passages[-1].text == "Nobody said this."
    assert passages[-1].date is None
    of_dana = passages[1:-1]
    assert len(of_dana) > 1
    assert all(passage.date == late and "key" not in passage.text for passage in of_dana)
    assert of_dana[0].text.startswith("Dana: ")
    assert all(text[passage.start : passage.start + len(passage.text)] == passage.text for passage in passages)


def test_a_passage_sent_ready_is_stored_as_it_is() -> None:
    text = "  Dana left. Acme stayed. \n"
    mention = clean_name("Dana", "mentions[0]")
    document = document_from_passage(text, [mention], "k1", parse_date("2024", "date"))
    (passage,) = document.passages
    assert (passage.text, passage.start, passage.key, passage.mentions) == (text, 0, "k1", (mention,))
    assert passage.sentences == (0, text.index("Acme"))
    assert (document.kind, document.length) == ("passage", len(text))


def test_documents_know_their_length_in_code_points() -> None:
    assert document_from_content("👩🏽\u200d🚀 flew.", None).length == 10
    assert document_from_messages([Turn("a", "b"), Turn("c", "d")], None).length == len("a: b\nc: d")


def test_the_digest_tells_text_and_date_apart() -> None:
    day, month = parse_date("2024-05-01", "date"), parse_date("2024-05", "date")
    digests = [digest("a", None), digest("b", None), digest("a", day), digest("a", month), digest("2024-05a", None)]
    assert len(set(digests)) == 5
    assert all(len(one) == 16 for one in digests)
    zulu = parse_date("2024-05-01T02:00:00+02:00", "date")
    assert digest("a", zulu) == digest("a", parse_date("2024-05-01T00:00:00Z", "date"))


PARTS = st.sampled_from(
    ["word ", "Word. ", "\n", "\n\n", "1. ", "- ", "# ", "| a | b |\n", "|---|---|\n", "```\n", "霧", "。",
     "https://a.b/c ", "é\u0301", "x" * 250, "👩🏽 ", "\u2028", "\t", "한국어 ", "สวัสดี"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=40).map("".join), st.integers(1, 12))
def test_every_text_is_cut_into_exact_slices(text: str, times: int) -> None:
    check_slices(text * times, cut_content(text * times))


@given(st.lists(PARTS, min_size=1, max_size=30).map("".join))
def test_cutting_is_decided_by_the_text_alone(text: str) -> None:
    assert cut_content(text * 8) == cut_content(text * 8)
