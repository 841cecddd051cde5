"""What a paragraph is by its own properties and its style's: a heading and its level, a list item, hidden."""

from __future__ import annotations

import re
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn

_HEADING = re.compile(r"^heading\s*([1-9])$", re.IGNORECASE)
_LISTED = re.compile(r"^list (?:bullet|number)(?: [2-5])?$", re.IGNORECASE)
_STYLES_DEEP = 32
_OFF = frozenset(("0", "false", "off", "none"))


class Styles:
    """Looks styles up by id, each with what it takes over from those that it is based on."""

    def __init__(self, document: Document) -> None:
        self._styles: dict[str, Any] = {}
        self._default: str | None = None
        for style in document.styles.element.iter(qn("w:style")):
            identifier = style.get(qn("w:styleId"))
            if identifier is not None:
                self._styles[identifier] = style
                if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default")) in ("1", "true", "on"):
                    self._default = identifier

    def heading_level(self, paragraph: Any) -> int | None:
        """1 to 6 of a heading, None of any other paragraph. A title is of level 1."""
        own = _value(paragraph, "w:pPr/w:outlineLvl")
        if own is not None:
            return _outline(own)
        for style in self._chain(paragraph, "w:pPr/w:pStyle"):
            name = _value(style, "w:name") or ""
            if found := _HEADING.match(name.strip()):
                return min(int(found[1]), 6)
            if name.strip().lower() == "title":
                return 1
            outline = _value(style, "w:pPr/w:outlineLvl")
            if outline is not None:
                return _outline(outline)
        return None

    def is_listed(self, paragraph: Any) -> bool:
        """Whether a paragraph carries a bullet or a number."""
        for holder in (paragraph, *self._chain(paragraph, "w:pPr/w:pStyle")):
            properties = holder.find(qn("w:pPr"))
            numbered = None if properties is None else properties.find(qn("w:numPr"))
            if numbered is not None:
                # Number 0 takes a bullet away that the style gives.
                return (_value(numbered, "w:numId") or "1") != "0"
            if holder is not paragraph and _LISTED.match((_value(holder, "w:name") or "").strip()):
                return True
        return False

    def is_contents(self, paragraph: Any) -> bool:
        """Whether a paragraph is a line of a table of contents, which repeats the headings with their pages."""
        return any(
            re.match(r"^toc \d$", (_value(style, "w:name") or "").strip(), re.IGNORECASE)
            for style in self._chain(paragraph, "w:pPr/w:pStyle")
        )

    def is_hidden(self, run: Any, paragraph: Any) -> bool:
        """Whether a run is hidden text, by itself or by its or its paragraph's style."""
        holders = (run, *self._chain(run, "w:rPr/w:rStyle"), *self._chain(paragraph, "w:pPr/w:pStyle"))
        for holder in holders:
            properties = holder.find(qn("w:rPr"))
            vanish = None if properties is None else properties.find(qn("w:vanish"))
            if vanish is not None:
                return (vanish.get(qn("w:val")) or "1") not in _OFF
        return False

    def _chain(self, holder: Any, path: str) -> list[Any]:
        identifier = _value(holder, path)
        if identifier is None and path.startswith("w:pPr"):
            identifier = self._default
        chain: list[Any] = []
        while identifier is not None and len(chain) < _STYLES_DEEP:
            style = self._styles.get(identifier)
            if style is None:
                break
            chain.append(style)
            identifier = _value(style, "w:basedOn")
        return chain


def _outline(value: str) -> int | None:
    """An outline level counts from 0; 9 is body text."""
    return min(int(value) + 1, 6) if value.isdigit() and int(value) < 9 else None


def _value(holder: Any, path: str) -> str | None:
    element = holder
    for step in path.split("/"):
        element = element.find(qn(step))
        if element is None:
            return None
    value = element.get(qn("w:val"))
    return None if value is None else str(value)
