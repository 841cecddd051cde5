"""The visible structure of a plain or Markdown text: paragraphs, headings, list items, table rows, fenced code.

Only what the eye sees at the start of lines; nothing is parsed further and no character is changed.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["prose", "heading", "item", "row", "code"]


class Block(NamedTuple):
    """One block: code points [start, end) of the text, line breaks at its end included."""

    kind: Kind
    start: int
    end: int


_LINE = re.compile(
    r"""^(?:
        (?P<blank>[ \t\r\f\v\u3000]*)$
      | [ ]{0,3}(?P<fence>`{3,}|~{3,})[^`\n]*$
      | [ ]{0,3}(?P<heading>\#{1,6})[ \t]+\S
      | [ \t]*(?P<row>\|)[^|\n]*\|
      | [ \t]*(?P<rule>:?-+:?[ \t]*\|)[ \t:|-]*\r?$
      | [ \t]*(?P<bullet>[-*+•‣◦▪·])[ \t]+\S
      | [ \t]*(?P<number>\(?[0-9]{1,3}(?:\.[0-9]{1,3})*[.)]|\(?[A-Za-z]\))[ \t]+\S
    )""",
    re.MULTILINE | re.VERBOSE,
)
_TERMINALS = ".!?…:;,。！？：；，"
_FIRST_NUMBERS = ("1.", "1)", "(1)", "a)", "A)", "(a)", "(A)")


_OTHER_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")


def with_line_feeds(text: str) -> str:
    """The text with every other line break as a line feed; no offset changes (CR LF stays as it is)."""
    return _OTHER_BREAK.sub("\n", text)


def blocks(text: str) -> list[Block]:
    """The blocks of a text (of with_line_feeds), in order; lines of white space alone are in none. Linear in length."""
    return _Reader(text).read()


class _Reader:
    """One pass over the lines that carry a mark; everything between two of them belongs to the open block."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[Block] = []
        self._kind: Kind = "prose"
        self._start = 0
        self._read_to = 0

    def read(self) -> list[Block]:
        for line in _LINE.finditer(self._text):
            if line.start() >= self._read_to:
                self._line(line)
        self._close(len(self._text))
        return self._found

    def _line(self, line: re.Match[str]) -> None:
        at = line.start()
        match line.lastgroup:
            case "blank":
                self._open("prose", at, line.end())
            case "fence":
                self._whole("code", at, self._code_end(line.group("fence"), self._line_end(at)))
            case "heading":
                self._whole("heading", at, self._line_end(at))
            case "row":
                self._whole("row", at, self._line_end(at))
            case "rule":
                self._table_without_edges(at)
            case "bullet":
                self._open("item", at, at)
            case "number" if self._may_number(line):
                self._open("item", at, at)

    def _close(self, end: int) -> None:
        if self._text[self._start : end].strip():
            self._found.append(Block(self._kind, self._start, end))

    def _open(self, kind: Kind, end: int, start: int) -> None:
        self._close(end)
        self._kind, self._start = kind, start

    def _whole(self, kind: Kind, start: int, end: int) -> None:
        """A block of its own; prose goes on after it."""
        self._open(kind, start, start)
        self._open("prose", end, end)
        self._read_to = end

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end + 1

    def _code_end(self, fence: str, after: int) -> int:
        """The end of the line that closes the fence; a fence that nothing closes runs to the end of the text."""
        closing = re.compile(rf"^[ ]{{0,3}}{fence[0]}{{{len(fence)},}}[ \t\r]*$", re.MULTILINE).search(
            self._text, after
        )
        return len(self._text) if closing is None else self._line_end(closing.start())

    def _table_without_edges(self, rule: int) -> None:
        """`a | b` over `--|--`: the line before the rule is the header, the lines after it with a bar are rows."""
        header = self._text.rfind("\n", 0, max(0, rule - 1)) + 1
        if header < self._start or "|" not in self._text[header:rule]:
            return
        self._whole("row", header, rule)
        at = rule
        while at < len(self._text):
            end = self._line_end(at)
            if "|" not in self._text[at:end]:
                break
            self._whole("row", at, end)
            at = end

    def _may_number(self, line: re.Match[str]) -> bool:
        """A number at the start of a line opens an item, unless it looks like the middle of a wrapped sentence."""
        before = self._text[self._start : line.start()].rstrip()
        return self._kind == "item" or not before or before[-1] in _TERMINALS or line.group("number") in _FIRST_NUMBERS
