"""Where sentences begin: hard cases by hand, and what holds for every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.documents.sentences import SENTENCE_CHARS_MAX, sentence_starts


def sentences(text: str) -> list[str]:
    starts = sentence_starts(text)
    return [text[start:end].rstrip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def test_a_numbered_list_is_one_item_a_sentence_with_its_number() -> None:
    text = "1. Check valve.\n2. Call Rhys at 10.0.0.1.\n3. Use v2.4.1, pay 3.5 EUR…\nDone."
    assert sentences(text) == ["1. Check valve.", "2. Call Rhys at 10.0.0.1.", "3. Use v2.4.1, pay 3.5 EUR…", "Done."]


@pytest.mark.parametrize(
    "expected",
    [
        ["We met at 10 a.m. Monday.", "See Vol. 85 for it.", "It has approx. 30 pages."],
        ["Dr. Smith met J. R. Jones at St. Ives.", 'He said "Go."', "Then he left."],
        ["(He left. She stayed.)", "Then it rained."],
        ["M. Dupont est là.", "Il reste."],
        ["Am 3. Mai ging er z.B. nach Kiel.", "Nr. 5 kam."],
        ["См. рис. 5.", "Вот и всё."],
        ["Prices rose 3.5%.", "Wow!!", "Really?!", "Yes."],
        ["Set it to 20 deg. at noon.", "Then wait."],
        ["Visit https://example.com/a.b?c=d.e now.", "Write to x.y@example.com."],
        ["Was it ready?", "It was not."],
    ],
)
def test_abbreviations_brackets_and_quotes(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["朝の会議は短かった。", "霧島ダムの点検は九月に終わる。", "昼食は外で。"],
        ["「行く。」と彼は言った。", "次の文。"],
        ["“走吧。”他说。", "他走了。", "下雨了！", "好。"],
    ],
)
def test_sentences_without_spaces(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [["هل أنت هنا؟", "نعم.", "شكرا."], ["कैसे हो?", "ठीक।", "हाँ।"]],
)
def test_sentences_of_other_scripts(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_headings_items_rows_and_lines_of_code_begin_a_sentence() -> None:
    text = (
        "# Title\nSome text\nwrapped here. More\n5. in the middle.\n\n- one\n- two. Three.\n\n"
        "| a | b |\n|---|---|\n| 1. X | 2. Y |\nafter\n\n```py\nx = 1\n\ny = 2\n```\nEnd."
    )
    assert sentences(text) == [
        "# Title", "Some text\nwrapped here.", "More\n5. in the middle.", "- one", "- two.", "Three.",
        "| a | b |", "|---|---|", "| 1. X | 2. Y |", "after", "```py", "x = 1", "y = 2", "```", "End.",
    ]  # fmt: skip


def test_a_table_without_edges_is_read_by_rows() -> None:
    assert sentences("part | bin\n--- | ---\nK-1 | 7\nK-2 | 8\nafter it") == [
        "part | bin", "--- | ---", "K-1 | 7", "K-2 | 8", "after it",
    ]  # fmt: skip


def test_a_blank_line_ends_a_sentence_and_shifts_no_offset() -> None:
    text = "One thing\n\n \nAnother thing\r\n\r\nLast"
    assert sentence_starts(text) == [0, text.index("Another"), text.index("Last")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\x85", "\u2028"])
def test_every_kind_of_line_break_ends_a_line(line_break: str) -> None:
    text = line_break.join(["# Title", "Some text", "", "- one", "- two"])
    assert sentences(text) == ["# Title", "Some text", "- one", "- two"]


def test_offsets_count_code_points() -> None:
    text = "👩🏽\u200d🚀 flew. 🇳🇱 won. End."
    assert sentences(text) == ["👩🏽\u200d🚀 flew.", "🇳🇱 won.", "End."]


def test_white_space_alone_has_no_sentence() -> None:
    assert sentence_starts("") == sentence_starts(" \n\t\n") == []


@pytest.mark.parametrize("unit", ["word ", "x", "霧", "é", "- a ", "```"])
def test_no_sentence_is_longer_than_the_cap(unit: str) -> None:
    text = unit * (9_000 // len(unit))
    starts = sentence_starts(text)
    assert starts[0] == 0
    assert (
        max(end - start for start, end in zip(starts, [*starts[1:], len(text.rstrip())], strict=True))
        <= SENTENCE_CHARS_MAX + 1
    )


PARTS = st.sampled_from(
    ["a", "B", "7", " ", "\n", "\n\n", ". ", "! ", "… ", "1. ", "- ", "# ", "| ", "|", "```", "---", "。", "」", "“",
     "(", ")", "é", "霧", "Dr.", "a.m.", "👩🏽", "\u0301", "\t", "\r\n", "\u2028", "\u200b", "x.y", "www.a.b"]
)  # fmt: skip


@given(st.one_of(st.lists(PARTS, max_size=60).map("".join), st.text(max_size=60)))
def test_starts_ascend_and_stand_on_text(text: str) -> None:
    starts = sentence_starts(text)
    assert starts == sorted(set(starts))
    assert all(not text[start].isspace() for start in starts)
    assert bool(starts) == bool(text.strip())
    if starts:
        assert text[: starts[0]].strip() == ""
