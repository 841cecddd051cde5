"""What words of a text and of a question have in common: tokens, languages, stems, numbers, identifiers, coverage."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.languages import language_of_word
from semurg.domain.names import is_stop_word, match_key, words
from semurg.domain.terms import covers, query_terms, terms, text_language, text_terms
from semurg.domain.tokens import plain_tokens, token_spans, tokens


def covered(query: str, text: str) -> list[str]:
    """The content words of a question, parts left out, that a text covers."""
    asked = query_terms(query)
    told = text_terms(text)
    return [word.word for word in asked if not word.stop and word.whole < 0 and covers(word, told, asked)]


def content(query: str) -> list[str]:
    return [word.word for word in query_terms(query) if not word.stop and word.whole < 0]


@pytest.mark.parametrize(
    ("language", "text", "one", "other"),
    [
        ("english", "The agencies were running the adoption of children", "agency", "agencies"),
        ("german", "Die Kinder wohnen in den Häusern der Stadt", "Haus", "Häusern"),
        ("french", "Les enfants sont dans une école avec nous", "école", "ECOLE"),
        ("spanish", "Los niños hablaron de las habitaciones y la casa", "habitaciones", "habitación"),
        ("italian", "I ragazzi sono andati nella casa della nonna", "ragazzo", "ragazzi"),
        ("portuguese", "Os meninos não estavam em casa com uma amiga", "menino", "meninos"),
        ("dutch", "De kinderen wonen in het huis van een vriend", "vrienden", "vriend"),
        ("swedish", "Jag har inte sett flickorna som bor i huset", "flickor", "flickorna"),
        ("russian", "Дети не были в школе, и они пошли домой", "школа", "школе"),
        ("turkish", "Bu çocuklar için ve onlar gibi kitaplar", "kitap", "kitaplar"),
        ("hungarian", "A gyerekek nem voltak az iskolában, de ez volt", "iskola", "iskolában"),
        ("finnish", "Lapset eivät olleet koulussa, mutta he ovat kotona", "koulu", "koulussa"),
        ("arabic", "هذا الكتاب في المدرسة على الطاولة", "كتاب", "الكتاب"),
        ("indonesian", "Saya tidak akan pergi ke sekolah dengan mereka", "buku", "bukunya"),
    ],
)
def test_a_text_tells_its_language_and_inflected_words_meet(language: str, text: str, one: str, other: str) -> None:
    assert text_language(tokens(text)) == language
    said = {term.text for term in terms(one, language)}
    assert said & {term.text for term in terms(other, language)}


def test_a_short_text_is_in_the_preferred_language_and_else_in_english() -> None:
    assert text_language(["Berlin"]) == "english"
    assert text_language(["Berlin"], ["german"]) == "german"
    assert text_language(["in"], ["dutch"]) == "dutch", "a stop word of several languages"
    assert text_language(["ich", "in"], ["dutch"]) == "german"


def test_a_word_of_another_script_follows_the_rules_of_that_script() -> None:
    assert language_of_word("школы", "english") == "russian"
    assert language_of_word("школи", "ukrainian") == "ukrainian"
    assert language_of_word("schools", "russian") == "english"
    assert language_of_word("東京", "english") == ""


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Where did Dana go?", "Dana went home"),
        ("What did she buy?", "She bought a house"),
        ("Who has a child?", "They have two children"),
        ("Which is good?", "This is better"),
        ("two cats", "2 cats"),
        ("twenty-one guests", "21 guests"),
        ("the third attempt", "the 3rd attempt"),
        ("1000 people", "1,000 people"),
        ("3.50 euro", "3.5 euro"),
        ("May 2023", "on 2023-05-07"),
        ("the K-77 engine", "engine K77"),
        ("the K77 engine", "engine K-77"),
        ("user_id", "the user id"),
        ("run.py", "RUN.PY"),
        ("e-mail", "email"),
        ("Dana's flat", "the flat of Dana"),
        ("Dana’s flat", "the flat of DANA"),
        ("école", "à l'école"),
        ("ecole", "à l’école"),
        ("Mueller AT&T", "at&t and Mueller"),
        ("C++", "written in c++"),
        ("naïve café", "naive cafe"),
        ("ＡＢＣ １２", "abc 12"),
        ("👍", "great 👍🏽"),
        ("٢٠٢٣", "2023"),
        ("東京", "昨日東京タワーに行きました"),
        ("北京大学", "我在北京大学学习"),
        ("서울", "서울에서 만나요"),
        ("고양이", "고양이가 잔다"),
        ("กรุงเทพ", "ฉันอยู่ที่กรุงเทพมหานคร"),
    ],
)
def test_a_text_covers_every_content_word_of_the_question(query: str, text: str) -> None:
    assert content(query)
    assert covered(query, text) == content(query)


@pytest.mark.parametrize(
    ("query", "text", "left"),
    [
        ("What is the capital of France?", "Capital One is a bank", ["France"]),
        ("Does Dana work in Berlin?", "Dana works in Bern", ["Berlin"]),
        ("the K-77 engine", "the K-78 engine", ["K-77"]),
        ("3.5 percent", "35 percent", ["3.5"]),
        ("three dogs", "13 dogs", ["three"]),
        ("C++ code", "C code", ["C++"]),
        ("May 2023", "on 2023-06-07", ["May"]),
        ("大阪", "東京", ["大阪"]),
    ],
)
def test_what_a_text_does_not_say_stays_uncovered(query: str, text: str, left: list[str]) -> None:
    assert [word for word in content(query) if word not in covered(query, text)] == left


def test_stop_words_are_those_of_the_questions_language() -> None:
    assert content("Who won the war?") == ["won", "war"]
    assert content("Wer war der erste Kanzler und wo ist er?") == ["erste", "Kanzler"]
    assert content("will it rain?") == ["rain"], "an auxiliary"
    assert content("Where does Will live?") == ["Will", "live"], "a name"
    assert content("the of and") == []
    assert content("?!… ---") == []


def test_a_question_lists_each_word_once_with_its_parts_behind_it() -> None:
    asked = query_terms("K-77 and k-77 again K-77")
    assert [(word.word, word.whole) for word in asked] == [
        ("K-77", -1),
        ("K", 0),
        ("77", 0),
        ("and", -1),
        ("again", -1),
    ]
    assert len(query_terms("buffalo " * 1_000)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dana's (old) run.py, 3.5kg!", ["Dana's", "old", "run.py", "3.5", "kg"]),
        ("don't rock'n'roll 'quoted'", ["don't", "rock'n'roll", "quoted"]),
        ("a@b.org 192.168.0.1 1,000,000", ["a@b.org", "192.168.0.1", "1,000,000"]),
        ("東京タワーにABC", ["東京", "タワー", "に", "ABC"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("👨‍👩‍👧🎉 🇩🇪", ["👨‍👩‍👧", "🎉", "🇩🇪"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text(alphabet="aB1 .,'-_&@+#:x9é東"))
def test_plain_text_is_cut_as_any_other(text: str) -> None:
    plain = "".join(character for character in text if character.isascii())
    # one character more that is no part of a word sends the same text the other way
    assert token_spans(plain) == token_spans(plain + "\u2026")


@given(st.text())
def test_terms_stand_where_they_say_and_tokens_do_not_overlap(text: str) -> None:
    spans = token_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for term in terms(text):
        assert term.text
        assert any(start <= term.start < term.end <= end for start, end in spans)


@given(st.text())
def test_a_text_covers_itself(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)
    assert covered(plain, plain) == content(plain)


@given(st.text())
def test_every_word_of_a_match_key_that_is_no_stop_word_is_under_some_token(text: str) -> None:
    """What the forgetting of a name relies on: its words are found through the tokens of a text."""
    found = {match_key(text[start:end]) for text in [match_key(text)] for start, end in token_spans(text)}
    for word in words(match_key(text)):
        if not is_stop_word(word):
            assert plain_tokens(word) == [] or any(match_key(plain_tokens(word)[0]) in one for one in found)
