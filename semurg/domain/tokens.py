"""Where the words of a text are, for search: letters and digits of every script, with what joins them inside.

Finer than domain.characters: `K-77`, `user_id` and `Dana's` are one token each, `3.5` and `1,000` are numbers, a run of
a script without spaces is one token for each of its kinds of character, and an emoji with its modifiers is a token.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from semurg.domain.characters import INVISIBLE, JOINERS, is_unspaced

_APOSTROPHES: Final = "'\u2019\u02bc\uff07\u2018"
_HYPHENS: Final = "-\u2010\u2011\uff0d\ufe63"
_AS_THEY_ARE: Final = ".,:&@_+#"
_TABLE_ENTRIES_MAX: Final = 50_000

LETTER, DIGIT, HAN, HIRAGANA, KATAKANA, UNSPACED, SYMBOL = "wdHhkue"
_MARK, _JOINER, _TONE, _REGION, _OTHER = "mjtr "

# a plain word comes first, because most are; nothing is ever given back, so that no text takes long
_PLAIN = "w++(?![dmj'.&@_+#-])"
_NUMBER = "d++(?:[.,:]d++)++"
_PLUS = r"w(?:\+\+|#)(?![wdm])"
_WORD = "[wd][wdm]*+(?:j++[wdm]++)*+"
_TOKEN = re.compile(
    f"{_PLAIN}|{_NUMBER}|{_PLUS}|{_WORD}(?:(?:['.&@-]|_++){_WORD})*+"
    "|(?:H[mj]*+)++|(?:h[mj]*+)++|(?:k[mj]*+)++|(?:u[mj]*+)++|rr?|e[mt]*+(?:j++e[mt]*+)*+"
)
# the same grammar for plain ASCII, which needs no table
_ASCII_TOKEN = re.compile(
    r"[A-Za-z]++(?![0-9'.&@_+#-])|[0-9]++(?:[.,:][0-9]++)++|[A-Za-z](?:\+\+|#)(?![A-Za-z0-9])"
    r"|[A-Za-z0-9]++(?:(?:['.&@-]|_++)[A-Za-z0-9]++)*+"
)


class _Classes(dict[int, str]):
    """Code point to class letter, worked out on first meeting; bounded, so that no text makes it grow without end."""

    def __missing__(self, code: int) -> str:
        found = _class_of(code)
        if len(self) < _TABLE_ENTRIES_MAX:
            self[code] = found
        return found


def _class_of(code: int) -> str:
    character = chr(code)
    if character in _APOSTROPHES:
        return "'"
    if character in _HYPHENS:
        return "-"
    if character in _AS_THEY_ARE:
        return character
    if character in JOINERS or character in INVISIBLE:
        return _JOINER
    if 0x1F3FB <= code <= 0x1F3FF:
        return _TONE
    if 0x1F1E6 <= code <= 0x1F1FF:
        return _REGION
    category = unicodedata.category(character)
    if category[0] == "M" or 0xE0020 <= code <= 0xE007F:
        return _MARK
    if category == "Nd":
        return DIGIT
    if category == "So" and code > 0xFF:
        return SYMBOL
    if category[0] not in "LN":
        return _OTHER
    return _unspaced_class(code) if is_unspaced(code) else LETTER


def _unspaced_class(code: int) -> str:
    if 0x3041 <= code <= 0x309F:
        return HIRAGANA
    if 0x30A0 <= code <= 0x30FF or 0x31F0 <= code <= 0x31FF or 0xFF66 <= code <= 0xFF9F:
        return KATAKANA
    if 0x2E80 <= code <= 0x3007 or 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or code >= 0x20000:
        return HAN
    return UNSPACED


_classes = _Classes()


def token_classes(text: str) -> str:
    """One class letter a code point; what joins or divides inside a token stands for itself."""
    return text.translate(_classes)


def token_spans(text: str) -> list[tuple[int, int]]:
    """The tokens of a text in order, as code points [start, end)."""
    if text.isascii():
        return [found.span() for found in _ASCII_TOKEN.finditer(text)]
    return [found.span() for found in _TOKEN.finditer(token_classes(text))]


def tokens(text: str) -> list[str]:
    """The tokens of a text in order, exactly as written."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    return [text[found.start() : found.end()] for found in _TOKEN.finditer(token_classes(text))]


def plain_tokens(text: str) -> list[str]:
    """The tokens of a text in its compatibility form (NFKC): what search compares. They may not occur in the text."""
    return tokens(text if text.isascii() else unicodedata.normalize("NFKC", text))
