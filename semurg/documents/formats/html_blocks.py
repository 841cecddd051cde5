"""From a page's tree to blocks: one walk without recursion; boxes end a block, letters' looks do not."""

from __future__ import annotations

import re
from textwrap import dedent

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from semurg.documents.formats.cleaning import clean, folded_lines, one_line
from semurg.documents.formats.html_hidden import hides
from semurg.documents.formats.model import Block, BlockKind

_BOXES = frozenset((
    "html", "body", "address", "article", "aside", "blockquote", "center", "details", "dialog", "dd", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "p", "plaintext", "pre",
    "search", "section", "summary", "table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th",
    "ul", "xmp",
))  # fmt: skip
_KEEPS_LINES = frozenset(("pre", "listing", "xmp", "plaintext"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTED = frozenset(("li", "dd"))
_BLOCK_STYLE = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|list-item|table)\b", re.I)
_ASCII_SPACES = re.compile("[ \t\n\r\f\xa0]+")
_BREAK = "\x00"
_BREAKS = re.compile(f" *{_BREAK}[ {_BREAK}]*")
_LONG_CELL_WORDS = 60


class PageWriter:
    """Writes the blocks of a tree, passing over the tags whose ids it is given."""

    def __init__(self, passed_over: frozenset[int]) -> None:
        self._passed_over = passed_over
        self._blocks: list[Block] = []
        self._letters: list[str] = []
        self._kind: BlockKind = "paragraph"
        self._level: int | None = None
        self._row: list[str] | None = None
        self._in_table = 0
        self._in_pre = 0
        self._items: list[bool] = []

    def write(self, soup: Tag) -> list[Block]:
        """All blocks, in the order of the page."""
        stack: list[tuple[PageElement, bool]] = [(soup, True)]
        while stack:
            node, opening = stack.pop()
            if not isinstance(node, Tag):
                self._text(str(node))
            elif not opening:
                self._close(node)
            elif id(node) not in self._passed_over and not hides(node.name, node.attrs):
                self._open(node)
                stack.append((node, False))
                stack.extend((child, True) for child in reversed(node.contents) if _shows(child))
        self._flush()
        return self._blocks

    def _text(self, text: str) -> None:
        # Cleaned here once more: references to characters may have brought in what the page itself did not hold.
        text = clean(text)
        self._letters.append(text if self._in_pre else _ASCII_SPACES.sub(" ", text))

    def _open(self, tag: Tag) -> None:
        name = tag.name
        if name == "br":
            self._letters.append("\n" if self._in_pre else _BREAK)
            return
        if not _is_box(tag):
            return
        if self._in_table:
            self._open_in_table(name)
            return
        self._flush()
        if name == "table" and _holds_data(tag):
            self._in_table = 1
        elif name in _HEADINGS:
            self._kind, self._level = "heading", _HEADINGS[name]
        elif name in _KEEPS_LINES:
            self._in_pre += 1
        elif name in _LISTED:
            self._items.append(True)

    def _close(self, tag: Tag) -> None:
        name = tag.name
        if not _is_box(tag):
            return
        if self._in_table:
            self._close_in_table(name)
            return
        self._flush()
        if name in _HEADINGS:
            self._kind, self._level = "paragraph", None
        elif name in _KEEPS_LINES:
            self._in_pre -= 1
        elif name in _LISTED and self._items:
            self._items.pop()

    def _open_in_table(self, name: str) -> None:
        if name == "tr":
            self._end_row()
            self._row = []
        elif name in ("td", "th"):
            self._end_cell()
            self._row = self._row if self._row is not None else []
        elif name == "caption":
            self._end_row()
        else:
            self._letters.append(" ")

    def _close_in_table(self, name: str) -> None:
        if name == "table":
            self._end_row()
            self._in_table = 0
        elif name in ("tr", "thead", "tbody", "tfoot"):
            self._end_row()
        elif name in ("td", "th"):
            self._end_cell()
        elif name == "caption":
            self._flush()
        else:
            self._letters.append(" ")

    def _end_cell(self) -> None:
        """What has gathered belongs to the cell that ends, or, outside any, is a paragraph of its own."""
        text = one_line("".join(self._letters).replace(_BREAK, " "))
        self._letters = []
        if not text:
            return
        if self._row is None:
            self._blocks.append(Block("paragraph", text))
        else:
            self._row.append(text)

    def _end_row(self) -> None:
        self._end_cell()
        if self._row is not None:
            text = "\t".join(cell for cell in self._row if cell)
            if text:
                self._blocks.append(Block("table_row", text))
        self._row = None

    def _flush(self) -> None:
        """End the open block. A break that follows another ends a paragraph; one alone is a line's end within it."""
        letters, self._letters = "".join(self._letters), []
        if self._in_pre:
            code = dedent(letters.replace(_BREAK, "\n").replace("\xa0", " ").expandtabs(4)).strip()
            if code:
                self._blocks.append(Block("code", code))
            return
        if self._kind == "heading":
            parts = [one_line(letters.replace(_BREAK, " "))]
        else:
            parts = _paragraphs(letters)
        for text in parts:
            if text:
                self._blocks.append(Block(self._block_kind(), text, self._level))

    def _block_kind(self) -> BlockKind:
        if self._kind == "paragraph" and self._items and self._items[-1]:
            self._items[-1] = False
            return "list_item"
        return self._kind


def _paragraphs(letters: str) -> list[str]:
    marked = _BREAKS.sub(lambda found: "\n\n" if found[0].count(_BREAK) > 1 else "\n", letters)
    return [folded_lines(part) for part in marked.split("\n\n")]


def _shows(node: object) -> bool:
    """Tags and text; comments, declarations and the like are no text."""
    return isinstance(node, Tag) or (isinstance(node, NavigableString) and not isinstance(node, PreformattedString))


def _is_box(tag: Tag) -> bool:
    return tag.name in _BOXES or ("style" in tag.attrs and bool(_BLOCK_STYLE.search(str(tag.attrs["style"]))))


def _holds_data(table: Tag) -> bool:
    """Whether a table is one of rows and columns, not a frame that puts parts of the page side by side."""
    if str(table.get("role") or "").lower() in ("presentation", "none"):
        return False
    rows = columns = 0
    for tag in table.find_all(True):
        if tag.name in ("table", "pre", "article", "section", "main", "form", *_HEADINGS):
            return False
        if tag.name == "tr":
            rows += 1
            columns = max(
                columns, sum(1 for cell in tag.contents if isinstance(cell, Tag) and cell.name in ("td", "th"))
            )
        elif tag.name == "td" and _is_prose(tag):
            return False
    return columns > 1


def _is_prose(cell: Tag) -> bool:
    """A cell of several paragraphs with many words."""
    return len(cell.find_all(("p", "div"), limit=2)) > 1 and len(cell.get_text(" ").split()) > _LONG_CELL_WORDS
