"""The characters that a document's text may hold: what does not show, or stands for nothing, is taken out."""

from __future__ import annotations

import re
import sys
import unicodedata

_ESCAPES = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")
_BREAKS = dict.fromkeys(map(ord, "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
_NOTHING = dict.fromkeys([0x00AD, 0x200B, 0xFEFF, 0xFFF9, 0xFFFA, 0xFFFB, 0xFFFC, 0xFFFD])
_NONCHARACTERS = dict.fromkeys(
    [*range(0xFDD0, 0xFDF0), *(plane + low for plane in range(0, 0x110000, 0x10000) for low in (0xFFFE, 0xFFFF))]
)
_CONTROLS = dict.fromkeys(code for code in [*range(0x20), *range(0x7F, 0xA0)] if chr(code) not in "\n\t")
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000))
_CLEAN = {**_CONTROLS, **_NOTHING, **_NONCHARACTERS, **_SURROGATES, **_BREAKS}
_ALL_IN_TABLE = re.compile("[" + "".join(re.escape(chr(code)) for code in sorted(_CLEAN)) + "]")
# A tag character or a variation of a sign shows nothing of its own, yet flags and emoji are made with them: kept.
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")


def clean(text: str) -> str:
    """The text with line feeds for every line break, and without terminal escapes, controls, soft hyphens, zero-width
    spaces, byte order marks, replacement characters, noncharacters and lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return text.translate(_CLEAN) if _ALL_IN_TABLE.search(text) else text


def one_line(text: str) -> str:
    """Every run of white space as one space, none at the ends."""
    return " ".join(text.split())


def folded_lines(text: str) -> str:
    """Runs of spaces as one space, line breaks kept (several as one), no white space at the ends of a line."""
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def width(line: str) -> int:
    """How many columns a line takes on a terminal, near enough to tell a wrapped line by: East Asian letters two."""
    if line.isascii():
        return len(line)
    return sum(2 if unicodedata.east_asian_width(sys.intern(letter)) in "WF" else 1 for letter in line)
