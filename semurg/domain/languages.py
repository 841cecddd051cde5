"""Which language a text is in, as far as its words show; its stop words; and the stems of its words.

A language is its name in the Snowball and stop-words libraries ("english", "german", …); "" is none. The guess needs no
model: the language most of whose stop words a text holds, and where none is held, what its script is mostly used for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from semurg.domain.names import folded, is_stop_word, match_key

DEFAULT: Final = "english"
STEMMED_LENGTH_MAX: Final = 64

_LATIN, _CYRILLIC, _GREEK, _ARABIC, _DEVANAGARI, _TAMIL, _ARMENIAN = range(7)
_RANGES: Final = (
    (0x0041, 0x024F, _LATIN), (0x0370, 0x03FF, _GREEK), (0x0400, 0x052F, _CYRILLIC), (0x0531, 0x058F, _ARMENIAN),
    (0x0600, 0x06FF, _ARABIC), (0x0750, 0x077F, _ARABIC), (0x0900, 0x097F, _DEVANAGARI), (0x0B80, 0x0BFF, _TAMIL),
    (0x1E00, 0x1EFF, _LATIN), (0x1F00, 0x1FFF, _GREEK),
)  # fmt: skip
_OTHER_THAN_LATIN: Final = {
    "arabic": _ARABIC, "bulgarian": _CYRILLIC, "hindi": _DEVANAGARI, "russian": _CYRILLIC, "ukrainian": _CYRILLIC,
    "greek": _GREEK, "tamil": _TAMIL, "armenian": _ARMENIAN,
}  # fmt: skip
_DEFAULTS: Final = {
    _LATIN: DEFAULT, _CYRILLIC: "russian", _GREEK: "greek", _ARABIC: "arabic", _DEVANAGARI: "hindi",
    _TAMIL: "tamil", _ARMENIAN: "armenian",
}  # fmt: skip
# words that ask, which the lists of stop words lack
_ASKING: Final = {
    "german": "wer wen wem wessen wann woher wohin warum wieso weshalb",
    "french": "quoi combien lequel laquelle lesquels lesquelles",
    "spanish": "quién quiénes cuándo dónde adónde cómo cuál cuáles cuánto cuánta cuántos cuántas",
    "italian": "cosa quando quali",
    "portuguese": "onde aonde porque quais quanto quanta quantos quantas",
    "dutch": "wanneer waar waarom welke welk hoeveel",
    "russian": "откуда какие чей",
    "danish": "hvem hvornår hvordan hvorfor hvilken hvilket hvilke",
    "norwegian": "hvilket",
    "polish": "kogo komu który która które",
    "turkish": "kimin nereden nasıl hangi kaç",
    "arabic": "ماذا متى أين كيف لماذا كم أي",
    "indonesian": "dimana",
    "finnish": "milloin miten",
    "hungarian": "kit kinek hol hová honnan melyik mennyi",
    "czech": "koho",
    "hindi": "क्या कब कहाँ कैसे क्यों कितने",
    "romanian": "când cât câți",
}
# has a list of stop words, no stemmer
_UNSTEMMED: Final = frozenset(("bulgarian", "slovak", "ukrainian", "vietnamese"))
_LANE_BITS: Final = 24
# of two languages as likely, the one that is written more; the others follow by name
_MOST_WRITTEN: Final = (
    DEFAULT, "spanish", "german", "russian", "french", "portuguese", "italian", "arabic", "turkish", "dutch", "polish",
    "hindi", "indonesian",
)  # fmt: skip


@lru_cache(maxsize=1)
def listed() -> tuple[str, ...]:
    """The languages that a text can be told to be in: of two as likely, the first."""
    import stop_words

    return tuple(dict.fromkeys((*_MOST_WRITTEN, *sorted(stop_words.AVAILABLE_LANGUAGES))))


@lru_cache(maxsize=64)
def stop_words_of(language: str) -> frozenset[str]:
    """The stop words of a language as match keys, with and without accents; empty for one without a list."""
    import stop_words

    if language not in listed():
        return frozenset()
    words = {match_key(word).replace("\u2019", "'") for word in stop_words.get_stop_words(language)}
    words.update(map(match_key, _ASKING.get(language, "").split()))
    if language == "vietnamese":
        # most of its syllables without their marks are words of other languages
        return frozenset(word for word in words if not word.isascii())
    return frozenset(words | {folded(word) for word in words})


@lru_cache(maxsize=1)
def _lanes() -> dict[str, int]:
    """Each stop word with a one in the lane of every language that lists it, so that adding them up counts all."""
    lanes: dict[str, int] = {}
    for place, language in enumerate(listed()):
        for word in stop_words_of(language):
            lanes[word] = lanes.get(word, 0) | 1 << place * _LANE_BITS
    return lanes


def evidence(word: str) -> int:
    """What a lower-case word says of the language of its text: numbers to add up for `told_by`."""
    return _lanes().get(word, 0)


def told_by(total: int, preferred: Sequence[str] = ()) -> str:
    """The language of a text from the evidence of its distinct words, added up: whose stop words are most.

    Of several with as many: the first of the preferred ones, else English, else the one that is written more. A text
    without a stop word is in the first of the preferred languages, else in English.
    """
    if not total:
        return next((one for one in preferred if one in listed()), DEFAULT)
    mask = (1 << _LANE_BITS) - 1
    counts = [total >> place * _LANE_BITS & mask for place in range(len(listed()))]
    most = max(counts)
    likely = [language for language, count in zip(listed(), counts, strict=True) if count == most]
    if most == 1 and preferred and not set(likely).intersection(preferred):
        # one word alone tells nothing against the languages of the memory: `car` in "buy car" is no French
        return told_by(0, preferred)
    return next((one for one in preferred if one in likely), likely[0])


def language_of_word(word: str, language: str) -> str:
    """The language whose rules a word of a text in `language` follows: another when its script is another; "": none."""
    script = _script_of(ord(word[0]))
    if script == _OTHER_THAN_LATIN.get(language, _LATIN):
        return language
    return "" if script is None else _DEFAULTS[script]


def _script_of(code: int) -> int | None:
    if code < 0x0250:
        return _LATIN
    return next((script for first, last, script in _RANGES if first <= code <= last), None)


def is_stop_word_of(word: str, language: str) -> bool:
    """Whether a word, as a match key, is a stop word of the language."""
    return word in stop_words_of(language)


def is_left_out(word: str, language: str) -> bool:
    """Whether search keeps no word of this match key: a stop word of its language that can be no name by itself."""
    return is_stop_word_of(word, language) and is_stop_word(word)


def is_stemmed(language: str) -> bool:
    """Whether the language has a stemmer."""
    return language != "" and language not in _UNSTEMMED


_of_thread = threading.local()


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word by the Snowball stemmer of the language; the word itself when it has none."""
    if not is_stemmed(language) or len(word) > STEMMED_LENGTH_MAX:
        return word
    return _stemmer(language)(word)


def _stemmer(language: str) -> Callable[[str], str]:
    # a stemmer must not be shared by threads
    made: dict[str, Callable[[str], str]] = _of_thread.__dict__
    if language not in made:
        import Stemmer

        # no cache of its own: whoever asks keeps what it needs
        made[language] = Stemmer.Stemmer(language, 0).stemWord
    return made[language]
