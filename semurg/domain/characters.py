"""What single characters are: white space, invisible, part of a word, of a script written without spaces.

Names, linking and the cutting of text share these tables, so that a word is the same thing everywhere. Built from the
Unicode database of the running Python; filled in as characters are met, so importing costs nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from semurg.domain.errors import Refusal

# White_Space of Unicode (Python's str.isspace also takes U+001C..001F, which are control characters here).
WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
LINE_BREAKS: Final = "\t\n\v\f\r\x85\u2028\u2029"
# Characters that do not show and that a match key leaves out.
INVISIBLE: Final = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
JOINERS: Final = "\u200c\u200d"
BIDI_CONTROLS: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

# Letters and symbols by category that nevertheless leave nothing on the page.
_BLANKS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")

# Scripts that put no space between words: a name matches inside a longer run.
_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19FF),  # Tai Le, New Tai Lue, Khmer symbols
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # CJK radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x303C),
    (0x3041, 0x312F),  # kana, bopomofo
    (0x31A0, 0x31FF),  # bopomofo, small kana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAADF),  # Myanmar, Tai Viet
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),  # half-width kana
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # Han
)
_TABLE_ENTRIES_MAX: Final = 50_000

# Classes of characters, as text_classes writes them.
WORD, UNSPACED, MARK, JOINER, TONE, REGION, SPACE, OTHER = "wumjkrso"

_ATOM = re.compile("w[wm]*(?:j+[wm]+)*|um*|rr?m*|[^s][mk]*(?:j[or][mk]*)*")
_WORD = re.compile("w[wm]*(?:j+[wm]+)*|u[um]*")


class _Classes(dict[int, str]):
    """Code point to class, worked out on first meeting; bounded, so that no text can make it grow without end."""

    def __missing__(self, code: int) -> str:
        found = _class_of(code)
        if len(self) < _TABLE_ENTRIES_MAX:
            self[code] = found
        return found


def _class_of(code: int) -> str:
    character = chr(code)
    if character in WHITE_SPACE:
        return SPACE
    if character in JOINERS:
        return JOINER
    if 0x1F3FB <= code <= 0x1F3FF:
        return TONE
    if 0x1F1E6 <= code <= 0x1F1FF:
        return REGION
    category = unicodedata.category(character)
    if category[0] == "M" or 0xE0020 <= code <= 0xE007F:
        return MARK
    if category[0] not in "LN":
        return OTHER
    if category != "Nd" and is_unspaced(code):
        return UNSPACED
    return WORD


_classes = _Classes()


def is_unspaced(code: int) -> bool:
    """Whether the code point lies in a script that is written without spaces between words."""
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED)


def text_classes(text: str) -> str:
    """One class letter a code point: word, unspaced, mark, joiner, tone, region, space or other."""
    return text.translate(_classes)


def atom_spans(text: str) -> list[tuple[int, int]]:
    """The atoms of a text in order, as code points [start, end).

    An atom is a maximal run of word characters with their marks; or one character of a script without spaces, with its
    marks; or one other character that is not white space. An emoji with its modifiers and all it is joined to is one.
    """
    return [found.span() for found in _ATOM.finditer(text_classes(text))]


def word_spans(text: str) -> list[tuple[int, int]]:
    """The words of a text as code points [start, end); a whole run of a script without spaces is one word."""
    return [found.span() for found in _WORD.finditer(text_classes(text))]


def shows(character: str) -> bool:
    """Whether the character is a letter, digit or symbol that can be seen: no space, mark, punctuation or control."""
    category = unicodedata.category(character)
    if category[0] in "LNS":
        return character not in _BLANKS
    if category == "Co":
        return True
    # not assigned in this Python's Unicode: newer emoji and scripts, but no noncharacter and none that never shows
    code = ord(character)
    return category == "Cn" and code & 0xFFFE != 0xFFFE and not (0xFDD0 <= code <= 0xFDEF) and code < 0xE0000


def check_text(text: str, field: str) -> None:
    """Refuses what no stored text may hold: NUL (control_character) and lone surrogates (bad_json)."""
    at = text.find("\0")
    if at >= 0:
        raise Refusal(
            "control_character",
            f"{field} holds a NUL (U+0000) at character {at}.",
            "Send the text without NUL characters.",
        )
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise Refusal(
            "bad_json",
            f"{field} holds half of a surrogate pair at character {problem.start}, which is no Unicode text.",
            "Send well-formed Unicode: both halves of the pair, or neither.",
        ) from problem
