"""A parsed document as one text: where each block stands in it, and its sections with the headings above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from semurg.documents.formats.model import Block

_LINES = frozenset(("table_row", "list_item"))
HEADING_PATH_SEPARATOR = " › "
HEADING_PATH_CHARS_MAX = 500


class Placed(NamedTuple):
    """A block and its place in the document's text: code points [start, end), exactly the block's own text."""

    block: Block
    start: int
    end: int


class Section(NamedTuple):
    """What stands under one heading, itself first where there is one; `path`: the headings above, outermost first."""

    path: str | None
    blocks: Sequence[Placed]


def laid_out(blocks: Sequence[Block]) -> tuple[str, list[Placed]]:
    """The text of a document, an empty line between blocks but within lists and tables, and the place of each block."""
    parts: list[str] = []
    placed: list[Placed] = []
    at = 0
    for number, block in enumerate(blocks):
        if number:
            gap = "\n" if block.kind in _LINES and blocks[number - 1].kind == block.kind else "\n\n"
            parts.append(gap)
            at += len(gap)
        parts.append(block.text)
        placed.append(Placed(block, at, at + len(block.text)))
        at += len(block.text)
    return "".join(parts), placed


def sections(placed: Sequence[Placed]) -> Iterator[Section]:
    """The sections in order. A heading right under a higher one, nothing between them, is of one section with it."""
    above: list[Block] = []
    current: list[Placed] = []
    for one in placed:
        if one.block.kind == "heading":
            level = one.block.level or 1
            stacked = all(before.block.kind == "heading" for before in current) and above and _level(above[-1]) < level
            if current and not stacked:
                yield Section(_path(above), current)
                current = []
            above = [heading for heading in above if _level(heading) < level] + [one.block]
        current.append(one)
    if current:
        yield Section(_path(above), current)


def _level(heading: Block) -> int:
    return heading.level or 1


def _path(above: Sequence[Block]) -> str | None:
    """The innermost headings that fit; a path is for finding, not for reading."""
    path = ""
    for heading in reversed(above):
        text = " ".join(heading.text.split())[:HEADING_PATH_CHARS_MAX]
        longer = f"{text}{HEADING_PATH_SEPARATOR}{path}" if path else text
        if len(longer) > HEADING_PATH_CHARS_MAX:
            break
        path = longer
    return path or None
