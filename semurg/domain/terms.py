"""Terms: the form in which words are looked for, and which words of a question carry its content.

A term is a word with case, accents and inflection aside: the stem by the Snowball algorithms (M. F. Porter,
https://snowballstem.org). Which language's stemmer is used follows from the script and, in Latin and Cyrillic, from the
stop words of the text. Scripts that put no space between words, and Hangul, whose particles cling to words, are cut
into pairs of neighbouring characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from semurg.domain.characters import is_unspaced, word_spans
from semurg.domain.irregular import BASE_FORMS, NUMBERS
from semurg.domain.names import folded, match_key

TERM_CHARS_MAX = 64
"""Longer runs of letters are no words; their beginning stands for them."""
ENGLISH = "english"
LANGUAGES = (
    ENGLISH, "german", "french", "spanish", "italian", "portuguese", "dutch", "swedish", "danish", "norwegian",
    "finnish", "hungarian", "romanian", "turkish", "catalan", "czech", "polish", "indonesian", "russian", "arabic",
    "hindi", "greek", "armenian", "tamil",
)  # fmt: skip
_BY_SCRIPT = (
    (0x0370, 0x03FF, "greek"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
    (0x0400, 0x04FF, "russian"),
)
_SAMPLE_WORDS = 80
_STOP_EVIDENCE = 2
# Words of English that ask or stand for others and that the list of stop words leaves out.
_MORE_STOP_WORDS = {ENGLISH: ("did", "does", "do", "please", "tell", "anything", "something", "us", "me", "s", "t")}
_ASCII_WORD = re.compile(r"\d+(?:[.,]\d+)+|[a-z0-9]+(?:'[a-z]+)?")
_POSSESSIVE = re.compile(r"(?:'s|s')$")


class Term(NamedTuple):
    """A word of a text: the form it is looked for under, and where it stands, in code points."""

    key: str
    start: int
    end: int


class QueryWord(NamedTuple):
    """A word of a question: as written, where, under which terms it is looked for, and whether it carries content."""

    text: str
    start: int
    end: int
    keys: tuple[str, ...]
    stop: bool


def language_of(text: str) -> str:
    """The language whose stemmer suits the text, one of LANGUAGES; English when nothing tells another one."""
    for character in text[:400]:
        code = ord(character)
        if code < 0x0370:
            continue
        for first, last, language in _BY_SCRIPT:
            if first <= code <= last:
                return language
    listed = _languages_by_stop_word()
    found: Counter[str] = Counter()
    for word in _words_of_sample(text):
        found.update(listed.get(word, ()))
    if not found:
        return ENGLISH
    best, count = max(found.items(), key=lambda one: (one[1], one[0] == ENGLISH))
    return best if count >= _STOP_EVIDENCE and count > found[ENGLISH] else ENGLISH


def terms(text: str, language: str) -> list[Term]:
    """Every word of a text but the stop words of its language, in order."""
    stop = stop_words_of(language)
    found: list[Term] = []
    for word, start, end in _words(text):
        if word not in stop:
            found.extend(_terms_of(word, start, end, language))
    return found


def term_keys(text: str, language: str) -> list[str]:
    """The keys of `terms`, in order: what an index needs of a text."""
    stop = stop_words_of(language)
    if text.isascii():
        words = _ASCII_WORD.findall(text.lower())
        return [stem(word, language) for word in words if word not in stop]
    return [term.key for term in terms(text, language)]


def query_words(query: str, languages: Iterable[str]) -> list[QueryWord]:
    """The words of a question, each under the terms that texts in these languages may have it under.

    A word is a stop word when English or the question's own language lists it.
    """
    own = language_of(query)
    under = tuple(dict.fromkeys((own, *languages, ENGLISH)))
    stop = stop_words_of(own) | stop_words_of(ENGLISH)
    found: list[QueryWord] = []
    for word, start, end in _words(query):
        is_stop = word in stop
        by_language = [_terms_of(word, start, end, language) for language in under]
        for place, term in enumerate(by_language[0]):
            keys = tuple(dict.fromkeys(terms_[place].key for terms_ in by_language))
            found.append(QueryWord(query[term.start : term.end], term.start, term.end, keys, is_stop))
    return found


def content_words(words: Sequence[QueryWord]) -> list[QueryWord]:
    """The words that carry content, each once."""
    kept: dict[tuple[str, ...], QueryWord] = {}
    for word in words:
        if not word.stop:
            kept.setdefault(word.keys, word)
    return list(kept.values())


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """The term of one word, which is lower case with accents aside already."""
    word = _POSSESSIVE.sub("", word) if "'" in word else word
    if word[:1].isdigit():
        return word.replace(",", "")
    if language == ENGLISH:
        word = BASE_FORMS.get(word, word)
        if word in NUMBERS:
            return NUMBERS[word]
    stemmed: str = _stemmer(language)(word)
    return stemmed[:TERM_CHARS_MAX]


@lru_cache(maxsize=len(LANGUAGES))
def stop_words_of(language: str) -> frozenset[str]:
    """The stop words of a language in the form in which `terms` meets words."""
    import stop_words

    listed = set(_MORE_STOP_WORDS.get(language, ()))
    if language in stop_words.AVAILABLE_LANGUAGES:
        listed |= {folded(match_key(word)) for word in stop_words.get_stop_words(language)}
    if language == ENGLISH:
        listed |= {word.replace("'", "") for word in listed}
    return frozenset(listed)


def _words(text: str) -> list[tuple[str, int, int]]:
    """(word in lower case with accents aside, start, end) of every word of a text."""
    plain = text.replace("\u2019", "'")
    if plain.isascii():
        return [(found.group(), *found.span()) for found in _ASCII_WORD.finditer(plain.lower())]
    found_words: list[tuple[str, int, int]] = []
    for start, end in word_spans(plain):
        word = folded(match_key(plain[start:end]))
        between = plain[start - 1 : start]
        if found_words and between and between in "'.," and found_words[-1][2] == start - 1:
            first, before_start, _ = found_words[-1]
            # an elided article (l'école) is a word of its own, an ending (Dana's) is not; 3.5 is one number
            ending = between == "'" and len(first) > 2 and len(word) <= 2
            if ending or (between != "'" and first[-1:].isdigit() and word[:1].isdigit()):
                found_words[-1] = (f"{first}{between}{word}", before_start, end)
                continue
        found_words.append((word, start, end))
    return found_words


def _terms_of(word: str, start: int, end: int, language: str) -> list[Term]:
    if word.isascii() or not _is_cut_in_pairs(word):
        return [Term(stem(word, language), start, end)]
    if len(word) == 1 or len(word) != end - start:
        pairs = [word] if len(word) == 1 else [word[place : place + 2] for place in range(len(word) - 1)]
        return [Term(pair, start, end) for pair in pairs]
    return [Term(word[place : place + 2], start + place, start + place + 2) for place in range(len(word) - 1)]


def _is_cut_in_pairs(word: str) -> bool:
    code = ord(word[0])
    return is_unspaced(code) or 0xAC00 <= code <= 0xD7A3


def _words_of_sample(text: str) -> list[str]:
    words = _ASCII_WORD.findall(text.lower()) if text.isascii() else [word for word, _, _ in _words(text[:2_000])]
    return words[:_SAMPLE_WORDS]


@lru_cache(maxsize=1)
def _languages_by_stop_word() -> dict[str, tuple[str, ...]]:
    listed: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for word in stop_words_of(language):
            listed.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in listed.items()}


@lru_cache(maxsize=len(LANGUAGES))
def _stemmer(language: str):  # type: ignore[no-untyped-def]
    import snowballstemmer

    return snowballstemmer.stemmer(language).stemWord
