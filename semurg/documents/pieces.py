"""Pieces: the smallest parts of a text that a passage is put together from, each with its size.

A piece is a sentence, a table row, a code block (or a line of a long one), or a part of a sentence that is itself over
the size of a passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from semurg.documents.blocks import Block
from semurg.domain.characters import JOINER, MARK, UNSPACED, text_classes

# What stands before a piece: a heading's start, a block's, a line's within a list or table, a sentence's within a
# block, or nothing at all (the piece goes on inside a sentence). `rule` is the line under a table's header.
Edge = Literal["heading", "block", "line", "rule", "sentence", "inside"]


class Piece(NamedTuple):
    """Code points [start, end) without white space at either end; `size` in halves of a word.

    `heads`: the piece introduces what follows (a heading, the header of a table, a line before a list).
    """

    start: int
    end: int
    size: int
    edge: Edge
    heads: bool = False


# A row is one row even when it is long, up to this many times the size of a passage.
_ROW_SIZES_MAX = 10
# An unbroken run of letters counts as one more word each so many characters: base64 is not one word.
_WORD_CHARS_MAX = 200
_TOKEN = re.compile(r"\S+")
_BY_CHARACTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u2e80-\u2fdf\u3001-\u9fff\ua960-\ua97f"
    "\ua9e0-\ua9ff\uaa60-\uaadf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U0001aff0-\U0001b16f\U00020000-\U0003ffff]"
)


# Punctuation that belongs to what stands before it.
_NEVER_FIRST = frozenset("、。，．！？：；」』）】〉》’”ー々")
# A row of nothing but this divides a table's header from its rows.
_RULE = re.compile(r"[|:\-\s]+")


def size_of(text: str) -> int:
    """The size of a text in halves of a word: 2 a word; in tokens of scripts counted by characters 1 a character, and
    1 for the space behind such a token."""
    tokens = text.split()
    if text.isascii() or _BY_CHARACTER.search(text) is None:
        size = 2 * len(tokens)
        if len(text) > _WORD_CHARS_MAX:
            size += 2 * sum(len(token) // _WORD_CHARS_MAX for token in tokens if len(token) >= _WORD_CHARS_MAX)
        return size
    return sum(map(_token_size, tokens)) + sum(1 for token in tokens[:-1] if _is_by_character(token))


def _is_by_character(token: str) -> bool:
    return not token.isascii() and _BY_CHARACTER.search(token) is not None


def _token_size(token: str) -> int:
    return len(token) if _is_by_character(token) else 2 + 2 * (len(token) // _WORD_CHARS_MAX)


def pieces(text: str, block: Block, sentences: list[int], size_max: int) -> Iterator[Piece]:
    """The pieces of one block, in order. `sentences` are the starts of its sentences, as offsets of the text."""
    if block.kind in ("row", "code") or not sentences:
        yield from _uncut(text, block, sentences, size_max)
        return
    edge: Edge = "heading" if block.kind == "heading" else "line" if block.kind == "item" else "block"
    for start, following in zip(sentences, [*sentences[1:], block.end], strict=True):
        end = _trimmed(text, start, following)
        heads = block.kind == "heading" or (following == block.end and text[end - 1] in ":：")
        size = size_of(text[start:end])
        if size <= size_max:
            yield Piece(start, end, size, edge, heads)
        else:
            yield from _parts(text, start, end, size, size_max, edge)
        edge = "sentence"


def _uncut(text: str, block: Block, lines: list[int], size_max: int) -> Iterator[Piece]:
    """A table row whole; a code block whole when it is under the size, else by lines."""
    start = lines[0] if lines else block.start
    end = _trimmed(text, start, block.end)
    size = size_of(text[start:end])
    if block.kind == "row":
        if _RULE.fullmatch(text, start, end):
            yield Piece(start, end, size, "rule", heads=True)
        elif size <= _ROW_SIZES_MAX * size_max:
            yield Piece(start, end, size, "line")
        else:
            yield from _parts(text, start, end, size, size_max, "line")
        return
    if size < size_max:
        yield Piece(start, end, size, "block")
        return
    edge: Edge = "block"
    for line, following in zip(lines, [*lines[1:], block.end], strict=True):
        line_end = _trimmed(text, line, following)
        size = size_of(text[line:line_end])
        if size <= size_max:
            yield Piece(line, line_end, size, edge)
        else:
            yield from _parts(text, line, line_end, size, size_max, edge)
        edge = "line"


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start + 1 and text[end - 1].isspace():
        end -= 1
    return end


def _parts(text: str, start: int, end: int, size: int, size_max: int, edge: Edge) -> Iterator[Piece]:
    """A stretch over the size in nearly equal parts, cut at white space, or inside a token that is too long itself."""
    count = -(-size // size_max)
    aim = -(-size // count)
    part_start = part_end = start
    part_size = 0
    for token_start, token_end, token_size in _tokens(text, start, end, size_max):
        if part_size and (part_size >= aim or part_size + token_size > size_max):
            yield Piece(part_start, part_end, part_size, edge)
            edge, part_start, part_size = "inside", token_start, 0
        part_size += token_size
        part_end = token_end
    if part_size:
        yield Piece(part_start, part_end, part_size, edge)


def _tokens(text: str, start: int, end: int, size_max: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, size) of the tokens between white space, those too long for a passage cut further."""
    for found in _TOKEN.finditer(text, start, end):
        token = found.group()
        size = _token_size(token)
        if size <= size_max // 4:
            yield found.start(), found.end(), size
        elif token.isascii() or _BY_CHARACTER.search(token) is None:
            step = _WORD_CHARS_MAX * (size_max // 2 - 1)
            for at in range(found.start(), found.end(), step):
                until = min(at + step, found.end())
                yield at, until, _token_size(text[at:until])
        else:
            yield from _characters(token, found.start())


def _characters(token: str, offset: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, size) of what a long token without spaces may be cut into: single characters where the script is
    counted by characters, whole runs of anything else, so that no cut falls inside a URL or a number."""
    start = 0
    for at in range(1, len(token) + 1):
        if at == len(token) or may_cut(token, at):
            yield offset + start, offset + at, at - start
            start = at


def may_cut(text: str, at: int) -> bool:
    """Whether a text without spaces may be cut before `at`, 0 < at < len(text): behind a character of a script counted
    by characters, not before its marks and closing punctuation, not inside a number."""
    left, right = text[at - 1], text[at]
    if right in _NEVER_FIRST or _BY_CHARACTER.match(left) is None:
        return False
    classes = text_classes(left + right)
    return classes[1] not in (MARK, JOINER) and (classes[0] == UNSPACED or not right.isdigit())
