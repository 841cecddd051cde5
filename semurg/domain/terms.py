"""Terms: what words of a text and words of a question have in common when case, accents and inflection are put aside.

A word gets its terms by the rules of the language of the text that it stands in. Two words say the same when, by the
rules of one language, they share a term. Identifiers (`K-77`, `run.py`) are a term as a whole and one for each part;
scripts without spaces are pairs of neighbouring characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from semurg.domain import english
from semurg.domain.languages import (
    DEFAULT,
    evidence,
    is_left_out,
    is_stemmed,
    is_stop_word_of,
    language_of_word,
    stem,
    told_by,
)
from semurg.domain.names import folded, match_key
from semurg.domain.tokens import (
    DIGIT,
    HAN,
    HIRAGANA,
    KATAKANA,
    LETTER,
    SYMBOL,
    UNSPACED,
    plain_tokens,
    token_classes,
    token_spans,
)

CACHED_LENGTH_MAX: Final = 32
CACHED_WORDS: Final = 50_000
PART_WEIGHT, KANA_WEIGHT = 0.5, 0.3

_PART = re.compile("[wd][wdm]*(?:j+[wdm]+)*")
_UNIT = re.compile("[Hhku][mj]*")
_ISO_DATE = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DECIMAL = re.compile(r"[0-9]+[.,][0-9]+")
_ELIDED_LISTED = "l d j m t s n c qu jusqu lorsqu puisqu quoiqu presqu all coll dall dell nell sull un quell quest bell"
_ELIDED = frozenset(_ELIDED_LISTED.split())
_ENGLISH_ENDINGS = frozenset(("s", "ll", "ve", "re", "d", "m"))
# what follows a Korean noun, the longest first
_PARTICLES_LISTED = """
으로부터 에게서 한테서 이라는 이라고 에서는 에서도 으로는 으로 에서 에게 한테 부터 까지 처럼 보다 이나 이랑
라는 께서 에는 에도 은 는 이 가 을 를 의 에 도 와 과 로 만 랑 께
"""
_PARTICLES = tuple(_PARTICLES_LISTED.split())
# single characters, and pairs, that only hold a sentence together
_KANA_STOP_LISTED = "の は が を に で と も や へ か ね よ です ます した から まで では には とは"
_HAN_STOP_LISTED = "的 了 是 在 和 與 与 吗 嗎 呢 吧 也 都 就 這 这 那 誰 谁"
_KANA_STOP = frozenset(_KANA_STOP_LISTED.split())
_HAN_STOP = frozenset(_HAN_STOP_LISTED.split())


class Piece(NamedTuple):
    """One word of a token, or the whole of it: code points [start, end) within the token.

    Any of `keys` finds it; `tagged` are the same with the language whose rules made them. `is_part`: a part of the
    whole before it. `stop`: too common to say anything; `left_out`: search does not keep it either.
    """

    keys: tuple[str, ...]
    tagged: tuple[str, ...]
    start: int
    end: int
    stop: bool = False
    left_out: bool = False
    is_part: bool = False
    weight: float = 1.0


class Term(NamedTuple):
    """A term where it stands: code points [start, end) of the text. `stop`: a stop word of the text's language."""

    text: str
    start: int
    end: int
    stop: bool


class TextTerms(NamedTuple):
    """The terms of a text without their places, and the language by whose rules they were made."""

    language: str
    keys: frozenset[str]


class QueryTerm(NamedTuple):
    """A word of a question as written, at code points [start, end) of it.

    `keys` are its terms in the question's own language, `tagged` the same with it. `stop`: it asks for nothing by
    itself. `whole`: place, in the question's list, of the word of which this is a part; -1: it is none. `weight`: what
    finding it counts.
    """

    word: str
    keys: tuple[str, ...]
    tagged: tuple[str, ...]
    start: int
    end: int
    stop: bool
    whole: int
    weight: float


def evidence_of(token: str) -> int:
    """What a token as written says of the language of its text (domain.languages.evidence)."""
    return evidence(token.lower().replace("\u2019", "'"))


def text_language(words: Iterable[str], preferred: Sequence[str] = ()) -> str:
    """The language of a text from its tokens as written (domain.languages.told_by), each different one counted once."""
    return told_by(sum(map(evidence_of, set(words))), preferred)


def terms(text: str, language: str | None = None) -> list[Term]:
    """Every term of a text in order; a token that has parts comes as a whole first, then its parts."""
    spans = token_spans(text)
    spoken = text_language(text[start:end] for start, end in spans) if language is None else language
    return [
        Term(key, start + piece.start, start + piece.end, piece.stop)
        for start, end in spans
        for piece in pieces(text[start:end], spoken)
        for key in piece.keys
    ]


def text_terms(text: str) -> TextTerms:
    """What a text covers, stop words included."""
    words = set(plain_tokens(text))
    language = text_language(words)
    return TextTerms(
        language, frozenset(key for word in words for piece in pieces(word, language) for key in piece.keys)
    )


def query_terms(text: str, languages: Sequence[str] = ()) -> list[QueryTerm]:
    """The words of a question in order, each once, parts after their whole.

    `languages`: those that the memory is written in, the most used first; they decide where the question's own words do
    not say. English auxiliaries are stop words here unless a capital inside the question makes them names.
    """
    spans = token_spans(text)
    language = text_language((text[start:end] for start, end in spans), languages)
    # `May she come?`, but not `May 2023`
    asks_first = len(spans) > 1 and text[spans[1][0]].isalpha()
    found: list[QueryTerm] = []
    seen: set[tuple[tuple[str, ...], bool]] = set()
    for start, end in spans:
        word = text[start:end]
        whole = -1
        for piece in pieces(word, language):
            if not piece.is_part:
                whole = -1
            if (piece.tagged, piece.is_part) in seen:
                continue
            seen.add((piece.tagged, piece.is_part))
            auxiliary = word.lower() in english.AUXILIARIES and (
                word.islower() or (asks_first and start == spans[0][0])
            )
            found.append(
                QueryTerm(
                    word[piece.start : piece.end], piece.keys, piece.tagged, start + piece.start, start + piece.end,
                    piece.stop or auxiliary, whole if piece.is_part else -1, piece.weight,
                )
            )  # fmt: skip
            if not piece.is_part:
                whole = len(found) - 1
    return found


def alternatives(term: QueryTerm, languages: Iterable[str]) -> tuple[str, ...]:
    """The tagged terms under which texts in any of the languages hold the word, its own first."""
    tagged = dict.fromkeys(term.tagged)
    if term.whole >= 0 and not term.weight:
        return tuple(tagged)
    for language in languages:
        for piece in pieces(term.word, language):
            if not piece.is_part:
                tagged.update(dict.fromkeys(piece.tagged))
    return tuple(tagged)


def covers(term: QueryTerm, text: TextTerms, all_terms: Sequence[QueryTerm] = ()) -> bool:
    """Whether a text holds the word: inflection, case and accents aside, `two` as 2, an identifier whole or in parts.

    `all_terms`: the question's list, in which a word's parts are looked up.
    """
    if not text.keys.isdisjoint(term.keys):
        return True
    own = (piece for piece in pieces(term.word, text.language) if not piece.is_part)
    if any(not text.keys.isdisjoint(piece.keys) for piece in own):
        return True
    place = next((place for place, one in enumerate(all_terms) if one is term), -1)
    parts = [one for one in all_terms if one.whole == place and one.weight] if place >= 0 else []
    return bool(parts) and all(covers(part, text) for part in parts)


# the terms of one token


def pieces(word: str, language: str) -> tuple[Piece, ...]:
    """The words of one token (domain.tokens) by the rules of the language of its text; a date's say its month."""
    return _cached_pieces(word, language) if len(word) <= CACHED_LENGTH_MAX else _pieces(word, language)


def _pieces(word: str, language: str) -> tuple[Piece, ...]:
    if word.isascii() and word.isalpha():
        return (_plain(word.lower(), language, 0, len(word)),)
    classes = token_classes(word)
    kind = classes[0]
    if kind in (HAN, HIRAGANA, KATAKANA, UNSPACED):
        return tuple(_pairs(word, classes))
    if kind not in (LETTER, DIGIT):
        return (_neutral(_symbol(word, classes), 0, len(word)),)
    if kind == DIGIT and _is_number(word):
        return (_neutral(_number(word), 0, len(word)), *_silent_parts(word, classes))
    dated = _ISO_DATE.fullmatch(word)
    if dated is not None:
        return (*_date(dated), *_silent_parts(word, classes))
    return _word(word, classes, language)


_cached_pieces = lru_cache(maxsize=CACHED_WORDS)(_pieces)


def forget_cached_words() -> None:
    """Let go of the words that were kept to save time: what is forgotten must not stay in memory here."""
    _cached_pieces.cache_clear()


def _neutral(key: str, start: int, end: int, is_part: bool = False, weight: float = 1.0) -> Piece:
    return Piece((key,), (f":{key}",), start, end, False, False, is_part, weight)


def _pairs(word: str, classes: str) -> Iterator[Piece]:
    """Pairs of neighbouring characters, each with its marks; a single one by itself."""
    units = [found.span() for found in _UNIT.finditer(classes)]
    last = units[1:] or units
    for (start, _), (_, end) in zip(units, last, strict=False):
        key = folded(match_key(word[start:end]))
        stop = key in _KANA_STOP or (classes[0] == HAN and key in _HAN_STOP)
        yield _neutral(key, start, end, weight=KANA_WEIGHT if classes[0] == HIRAGANA else 1.0)._replace(stop=stop)


def _symbol(word: str, classes: str) -> str:
    """An emoji without what only varies it: skin tone, presentation."""
    return "".join(character for character, kind in zip(word, classes, strict=True) if kind in (SYMBOL, "r")) or word


def _is_number(word: str) -> bool:
    return word.isascii() and not word.isalnum() and all(one in "0123456789.,:" for one in word)


def _number(word: str) -> str:
    """One way of writing a number: no thousands separator, a decimal point, no zeros after it that say nothing."""
    if _THOUSANDS.fullmatch(word):
        word = word.replace(",", "")
    if _DECIMAL.fullmatch(word):
        whole, _, fraction = word.replace(",", ".").partition(".")
        # three digits behind a point may be thousands or a fraction: as written
        kept = fraction if len(fraction) == 3 else fraction.rstrip("0")
        return f"{whole}.{kept}" if kept else whole
    return word


def _silent_parts(word: str, classes: str, kept: Sequence[tuple[int, int]] = ()) -> Iterator[Piece]:
    """The parts of a token, but those `kept`: runs of letters or digits that nobody looks for but word for word."""
    for found in _PART.finditer(classes):
        if found.span() not in kept:
            start, end = found.span()
            plain = match_key(word[start:end])
            yield _neutral(_digits(plain) if plain.isdecimal() else folded(plain), start, end, True, 0.0)


def _date(dated: re.Match[str]) -> Iterator[Piece]:
    """A date by its year, the name of its month and its day, so that `May 2023` and `2023-05-07` meet."""
    year, month, day = dated.groups()
    yield _neutral(dated.group().replace("-", ""), 0, dated.end())
    yield _neutral(year, 0, 4, True, PART_WEIGHT)
    yield _plain(english.MONTHS[int(month) - 1], DEFAULT, 5, 7, True)
    if day is not None:
        yield _neutral(str(int(day)), 8, 10, True, PART_WEIGHT)


def _word(word: str, classes: str, language: str) -> tuple[Piece, ...]:
    spans = [found.span() for found in _PART.finditer(classes)]
    if len(spans) == 1:
        if spans[0][1] < len(word):
            # C++, C#
            return (_neutral(match_key(word), 0, len(word)), *_silent_parts(word, classes))
        plain = match_key(word)
        return (
            tuple(_hangul(plain, word))
            if "\uac00" <= plain[:1] <= "\ud7a3"
            else (_plain(plain, language, 0, len(word)),)
        )
    of = language_of_word(word, language)
    written = match_key(word).replace("\u2019", "'")
    if is_stop_word_of(written, of):
        return (_plain(written, language, 0, len(word)), *_silent_parts(word, classes))
    names = [match_key(word[start:end]) for start, end in spans]
    if set(classes) <= set("wdmj'"):
        first, last = _without_elisions(names, of)
        if last - first == 1:
            silent = _silent_parts(word, classes, spans[first:last])
            return (_plain(names[first], language, 0, len(word)), *silent)
    twenty_one = english.compound_number(*names) if len(names) == 2 else None
    if twenty_one is not None:
        return (_neutral(twenty_one, 0, len(word)), *_silent_parts(word, classes))
    whole = _neutral(folded("".join(names)), 0, len(word))
    if all(len(name) == 1 for name in names):
        return (whole, *_silent_parts(word, classes))
    spelled = [_plain(name, language, start, end, True) for name, (start, end) in zip(names, spans, strict=True)]
    return (whole, *spelled)


def _without_elisions(names: list[str], language: str) -> tuple[int, int]:
    """[first, last) of the parts around apostrophes that are the word: `l'école`, `Dana's`, `Ankara'da`."""
    first, last = 0, len(names)
    if language == "turkish":
        return 0, 1
    while last - first > 1 and names[first] in _ELIDED:
        first += 1
    if last - first > 1 and (names[last - 1] in _ENGLISH_ENDINGS or (names[last - 1] == "t" and language == "english")):
        last -= 1
    return first, last


def _plain(plain: str, language: str, start: int, end: int, is_part: bool = False) -> Piece:
    """The piece of one word without joints, given its match key."""
    of = language_of_word(plain, language)
    weight = PART_WEIGHT if is_part else 1.0
    if plain.isdecimal():
        return _neutral(_digits(plain), start, end, is_part, weight)
    stop, left_out = is_stop_word_of(plain, of), is_left_out(plain, of)
    if of == "english":
        counted = english.number(plain)
        if counted is not None:
            return _neutral(counted, start, end, is_part, weight)
        plain = english.lemma(plain)
    bare = folded(plain)
    stemmed = is_stemmed(of) and not any(map(str.isdecimal, plain))
    keys: tuple[str, ...] = (folded(stem(plain, of)),) if stemmed else (bare,)
    if stemmed and bare != plain:
        keys = tuple(dict.fromkeys((*keys, folded(stem(bare, of)))))
    tag = of if stemmed else ""
    tagged = tuple(f"{tag}:{key}" for key in keys)
    return Piece(keys, tagged, start, end, stop, left_out, is_part, weight)


def _digits(plain: str) -> str:
    """Digits of any script as 0 to 9, without zeros in front."""
    if not plain.isascii():
        plain = "".join(str(int(one)) for one in plain)
    return plain.lstrip("0") or "0"


def _hangul(plain: str, word: str) -> Iterator[Piece]:
    """A Korean word without its particle, and the pairs of its syllables, which meet where the particle is unsure."""
    ending = next((one for one in _PARTICLES if plain.endswith(one) and len(plain) > len(one) + 1), "")
    bare = plain[: len(plain) - len(ending)]
    yield _neutral(bare, 0, len(word))
    if len(bare) > 2 and len(plain) == len(word):
        for start in range(len(bare) - 1):
            yield _neutral(bare[start : start + 2], start, start + 2, True, PART_WEIGHT)
