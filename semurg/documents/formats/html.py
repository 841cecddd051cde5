"""Reading web pages: what a reader of the page sees, block by block, without what is there for browsing the site.

The tree is made by Beautiful Soup over libxml2's HTML parser: it follows the tokeniser of the HTML standard, closes
what pages leave open, and is the only one of the three parsers that stays linear on unclosed and deeply nested tags.
"""

from __future__ import annotations

import warnings
from typing import Any

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, XMLParsedAsHTMLWarning
from bs4.element import Tag

from semurg.documents.formats.cleaning import clean
from semurg.documents.formats.decoding import decode_html
from semurg.documents.formats.html_blocks import PageWriter
from semurg.documents.formats.html_hidden import hides
from semurg.documents.formats.html_navigation import navigation
from semurg.documents.formats.model import Block, DocumentFault, Parsed

NESTED_MAX = 256
_TAGS_MAX = 400_000
# Tags that only change how letters look: no node is made for them, so that pages which never close them stay flat.
_LOOKS = frozenset((
    "b", "i", "u", "s", "em", "strong", "font", "small", "big", "tt", "strike", "del", "ins", "mark", "sub", "sup",
    "span", "cite", "dfn", "var", "abbr", "acronym", "q", "kbd", "samp", "code", "bdi", "bdo", "time", "data",
    "label", "nobr", "blink", "basefont",
))  # fmt: skip


def read_html(content: bytes) -> Parsed:
    """The blocks of a page's bytes, in order.

    Raises DocumentFault: `document_corrupt` for letters that are not in the declared encoding, `document_too_complex`
    for boxes nested past 256 levels, `document_empty` where nothing is left to read.
    """
    soup = parse(clean(decode_html(content)))
    blocks = PageWriter(navigation(soup)).write(soup)
    if not _says_something(blocks):
        blocks = PageWriter(frozenset()).write(soup)
    if not _says_something(blocks):
        raise DocumentFault("document_empty", "the page shows no text.")
    return Parsed("html", blocks)


def _says_something(blocks: list[Block]) -> bool:
    return any(character.isalnum() for block in blocks for character in block.text)


def parse(page: str) -> BeautifulSoup:
    """The page as a tree of boxes and links. Raises DocumentFault `document_too_complex`."""
    with warnings.catch_warnings():
        # Pages that are XHTML, or as short as a file's name, are read all the same.
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        return _Boxes(page, "lxml")


class _Boxes(BeautifulSoup):
    """A soup without tags that only change how letters look, and with a limit to how deep boxes may nest."""

    def __init__(self, page: str, features: str) -> None:
        self._kept: list[bool] = []
        self._tags = 0
        super().__init__(page, features)

    def handle_starttag(self, name: str, *arguments: Any, **named: Any) -> Tag | None:
        """Open a tag, or pass over one that only changes how letters look."""
        self._tags += 1
        attributes = named["attrs"] if "attrs" in named else arguments[2]
        kept = name not in _LOOKS or hides(name, attributes)
        self._kept.append(kept)
        if not kept:
            return None
        if len(self.tagStack) > NESTED_MAX:
            raise DocumentFault("document_too_complex", f"the page nests its boxes past {NESTED_MAX} levels.")
        if self._tags > _TAGS_MAX:
            raise DocumentFault("document_too_complex", f"the page has over {_TAGS_MAX} tags.")
        return super().handle_starttag(name, *arguments, **named)

    def handle_endtag(self, name: str, nsprefix: str | None = None) -> None:
        """Close the tag that was opened last; the parser below sends every end in its place."""
        if not self._kept or self._kept.pop():
            super().handle_endtag(name, nsprefix)
