"""Reading plain text and Markdown: paragraphs, headings, list items, tables row by row, fenced code.

Lines that a paragraph was wrapped into stay in one block, with their line breaks: nobody can tell a wrapped line from
a verse. Only lines longer than anybody wraps at are taken for paragraphs of their own.
"""

from __future__ import annotations

import re
from textwrap import dedent

from semurg.documents.formats.cleaning import clean, one_line, width
from semurg.documents.formats.decoding import decode_text
from semurg.documents.formats.model import Block, DocumentFault, Parsed

_WIDEST_WRAP = 120
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^`]*$")
_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_ADORNMENT = re.compile(r"^[ ]{0,3}([=\-~^*+\"'`#_:.])\1{2,}[ \t]*$")
_RULE = re.compile(r"^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:=[ \t]*){3,})$")
_BULLET = re.compile(r"^([ \t]*)[-*+•‣◦▪●○■–—·\uf0b7][ \t]+(?=\S)")
_NUMBER = re.compile(r"^([ \t]*)(?=(\(?(?:[0-9]{1,3}(?:\.[0-9]{1,3})*|[A-Za-z])[.)])[ \t]+\S)")
_FIRST_NUMBERS = frozenset(("1.", "1)", "(1)", "a)", "A)", "(a)", "(A)", "a.", "A."))
_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL_END = re.compile(r"(?<!\\)\|")
_NAMED_PART = re.compile(r"^(?:chapter|part|book|section|article|appendix|act|scene|canto)\s+(?:\d+|[IVXLC]+)\b", re.I)
_SENTENCE_END = re.compile(r"[.!?…:;。！？：][\"'”’)\]]*$")
_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4, "*": 2, "+": 3, "#": 1}


def read_text(content: bytes) -> Parsed:
    """The blocks of a text's bytes, in order.

    Raises DocumentFault: `document_kind_unsupported` and `document_corrupt` as decode_text does, `document_empty` where
    no letter shows.
    """
    blocks = _Lines(clean(decode_text(content).text).expandtabs(4).split("\n")).read()
    if not any(character.isalnum() for block in blocks for character in block.text):
        raise DocumentFault("document_empty", "the file holds no text.")
    return Parsed("text", blocks)


class _Lines:
    """One pass over the lines; `_open` are those of the paragraph or list item that has not ended yet."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._blocks: list[Block] = []
        self._open: list[str] = []
        self._in_item = False
        self._item_indent = 0
        self._closed_fences = _closed_fences(lines)

    def read(self) -> list[Block]:
        """All blocks of the lines."""
        at = 0
        while at < len(self._lines):
            at = self._read_one(at)
        self._end()
        return self._blocks

    def _read_one(self, at: int) -> int:
        line = self._lines[at]
        if not line.strip():
            self._end()
            return at + 1
        for special in (self._fence, self._heading, self._table):
            after = special(at, line)
            if after > at:
                return after
        if self._starts_item(line):
            self._end()
            bullet = _BULLET.match(line)
            self._in_item, self._item_indent = True, _indent(line)
            self._open = [line[bullet.end() :] if bullet else line]
            return at + 1
        if self._leaves_open(line):
            self._end()
        self._open.append(line)
        return at + 1

    def _fence(self, at: int, line: str) -> int:
        end = self._closed_fences.get(at)
        if end is None:
            return at
        self._end()
        self._add("code", dedent("\n".join(self._lines[at + 1 : end])).strip())
        return end + 1

    def _heading(self, at: int, line: str) -> int:
        if atx := _ATX.match(line):
            self._end()
            self._add("heading", one_line(atx[2]), level=len(atx[1]))
            return at + 1
        following = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        after = self._lines[at + 2] if at + 2 < len(self._lines) else ""
        above = _ADORNMENT.match(line)
        if above and not self._open and following.strip() and _ADORNMENT.match(after) and after.strip() == line.strip():
            self._add("heading", one_line(following), level=_LEVELS.get(above[1], 3))
            return at + 3
        if _RULE.match(line):
            self._end()
            return at + 1
        under = _ADORNMENT.match(following)
        if under and not self._open and _underlines(line, following, under[1]):
            self._add("heading", one_line(line), level=_LEVELS.get(under[1], 3))
            return at + 2
        if not self._open and not following.strip() and _text_follows(self._lines, at + 1) and _reads_as_heading(line):
            self._add("heading", one_line(line), level=2)
            return at + 1
        return at

    def _table(self, at: int, line: str) -> int:
        following = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        headed = "|" in line and "|" in following and bool(_TABLE_RULE.match(following))
        if not headed and not _ROW.match(line):
            return at
        self._end()
        while at < len(self._lines) and "|" in self._lines[at] and (headed or _ROW.match(self._lines[at])):
            if not _TABLE_RULE.match(self._lines[at]):
                self._add("table_row", _cells(self._lines[at]))
            at += 1
        return at

    def _starts_item(self, line: str) -> bool:
        if _BULLET.match(line):
            return True
        number = _NUMBER.match(line)
        if number is None:
            return False
        # A wrapped line may begin with a number or an initial: only where a list can begin, or goes on, is it an item.
        if self._in_item or not self._open:
            return self._in_item or not number[2][0].isupper() or len(line.split()) > 1
        return self._open[-1].rstrip().endswith(":") or number[2] in _FIRST_NUMBERS

    def _leaves_open(self, line: str) -> bool:
        """Whether a line begins a paragraph of its own right under the open one."""
        if not self._open:
            return False
        last = self._open[-1]
        if self._in_item:
            return _indent(line) <= self._item_indent and not (width(last) > 55 and line.lstrip()[0].islower())
        if max(width(last), width(line)) > _WIDEST_WRAP:
            return True
        ended = bool(_SENTENCE_END.search(last.rstrip()))
        return ended and _indent(line) > _indent(last) and len(self._open) > 1 and _indent(line) < 12

    def _end(self) -> None:
        if self._open:
            lines = "\n".join(one_line(line) for line in self._open)
            self._add("list_item" if self._in_item else "paragraph", lines.strip())
        self._open, self._in_item = [], False

    def _add(self, kind: str, text: str, level: int | None = None) -> None:
        if text:
            self._blocks.append(Block(kind, text, level))  # type: ignore[arg-type]


def _text_follows(lines: list[str], start: int) -> bool:
    """Whether a line with a sign in it follows, within a few lines."""
    return any(line.strip() for line in lines[start : start + 4])


def _closed_fences(lines: list[str]) -> dict[int, int]:
    """Opening fence line: its closing one. A fence that nothing closes is a line of text."""
    found: dict[int, int] = {}
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = (number, fence[1])
        elif fence[1].startswith(opened[1]) and line.strip() == fence[1]:
            found[opened[0]] = number
            opened = None
    return found


def _underlines(line: str, under: str, mark: str) -> bool:
    """An underline is of a line's own length or so; dashes and equals signs may be shorter, as Markdown lets them."""
    long_enough = len(under.strip()) >= len(line.strip()) * 0.6
    return (mark in "=-" or long_enough) and len(line.strip()) <= 120 and not _BULLET.match(line) and long_enough


def _reads_as_heading(line: str) -> bool:
    """A line alone that names a numbered part, or is written in capitals."""
    text = line.strip()
    if len(text) > 80 or _SENTENCE_END.search(text):
        return False
    return bool(_NAMED_PART.match(text)) or (
        text.isupper() and sum(map(str.isalpha, text)) >= 4 and len(text.split()) > 1
    )


def _cells(line: str) -> str:
    row = line.strip().removeprefix("|").removesuffix("|")
    return "\t".join(one_line(cell.replace("\\|", "|")) for cell in _CELL_END.split(row)).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
