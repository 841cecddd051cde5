"""Reading Word files: what the document says once its tracked changes are accepted, in reading order.

python-docx opens the package; its own list of paragraphs leaves out tables, text boxes, content controls, insertions
and notes, so the body is walked here, without recursion: a stack of what is still to be visited.
"""

from __future__ import annotations

import io
from typing import Any

from docx import Document
from docx.document import Document as OpenDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml import etree

from semurg.documents.formats.cleaning import clean, folded_lines, one_line
from semurg.documents.formats.docx_package import open_package
from semurg.documents.formats.docx_styles import Styles
from semurg.documents.formats.html import read_html
from semurg.documents.formats.model import Block, BlockKind, DocumentFault, Parsed

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_LEFT_OUT = frozenset(
    qn(name)
    for name in (
        "w:del", "w:moveFrom", "w:delText", "w:instrText", "w:delInstrText", "w:rt", "w:sdtPr", "w:sdtEndPr", "w:pPr",
        "w:rPr", "w:tblPr", "w:tblGrid", "w:tcPr", "w:sectPr", "w:commentReference", "w:annotationRef",
        "w:fldData", "w:ffData",
    )
)  # fmt: skip
_LETTERS = {qn("w:tab"): "\t", qn("w:ptab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_NOTES = {qn("w:footnoteReference"): "footnotes", qn("w:endnoteReference"): "endnotes"}
_P, _R, _T, _TBL, _TR, _TC, _BOX = (qn(f"w:{name}") for name in ("p", "r", "t", "tbl", "tr", "tc", "txbxContent"))


def read_docx(content: bytes) -> Parsed:
    """The blocks of a Word file's bytes, in order: paragraphs, headings, list items, tables row by row, each
    paragraph's notes and text boxes after it.

    Raises DocumentFault: `document_corrupt`, `document_kind_unsupported` for any other package,
    `document_not_readable` under a password, `document_too_complex`, `document_empty`.
    """
    package = open_package(content)
    try:
        document = Document(io.BytesIO(package.content))
    except etree.XMLSyntaxError as error:
        if "depth" in str(error):
            raise DocumentFault("document_too_complex", "the file nests past 256 levels.") from error
        if "huge" in str(error).lower() or "too long" in str(error):
            raise DocumentFault("document_too_complex", "a piece of text in the file is over 10 MB long.") from error
        raise DocumentFault("document_corrupt", "the document part of the Word file is not well-formed.") from error
    except (OpcError, KeyError, ValueError) as error:
        raise DocumentFault("document_corrupt", "the Word file cannot be opened.") from error
    blocks = _Body(document, package.chunks).read()
    if not any(character.isalnum() for block in blocks for character in block.text):
        raise DocumentFault("document_empty", "the Word file holds no text.")
    return Parsed("docx", blocks)


class _Body:
    """Walks the parts of one document and gathers blocks."""

    def __init__(self, document: OpenDocument, chunks: dict[str, bytes]) -> None:
        self._styles = Styles(document)
        self._body = document.element.body
        self._notes = {kind: _notes(document, kind) for kind in _NOTES.values()}
        self._chunks = chunks
        self._blocks: list[Block] = []
        self._carried = ""

    def read(self) -> list[Block]:
        """All blocks of the body."""
        if self._body is None:
            raise DocumentFault("document_corrupt", "the Word file has no body.")
        self._read(self._body)
        self._end_carried()
        return self._blocks

    def _read(self, root: Any) -> None:
        stack = [root]
        while stack:
            element = stack.pop()
            if not isinstance(element.tag, str) or element.tag in _LEFT_OUT:
                continue
            if element.tag == _P:
                stack.extend(reversed(self._paragraph(element)))
            elif element.tag == _TR:
                stack.extend(reversed(self._row(element)))
            elif element.tag == qn("w:altChunk"):
                self._chunk(element)
            else:
                stack.extend(reversed(_children(element)))

    def _paragraph(self, paragraph: Any) -> list[Any]:
        """Write a paragraph; what hangs on it (text boxes, notes) is returned, to be read after it."""
        text, hanging = self._text_of(paragraph)
        text = self._carried + text
        self._carried = ""
        if _mark_is_deleted(paragraph) and not hanging:
            # With its end deleted, a paragraph runs on into the next.
            self._carried = text
            return []
        level = self._styles.heading_level(paragraph)
        if level is not None:
            self._add("heading", one_line(text), level)
        elif self._styles.is_contents(paragraph):
            self._add("list_item", one_line(text))
        else:
            self._add("list_item" if self._styles.is_listed(paragraph) else "paragraph", folded_lines(text))
        return hanging

    def _text_of(self, paragraph: Any) -> tuple[str, list[Any]]:
        letters: list[str] = []
        hanging: list[Any] = []
        stack = _children(paragraph)[::-1]
        while stack:
            element = stack.pop()
            tag = element.tag
            if not isinstance(tag, str) or tag in _LEFT_OUT:
                continue
            if tag == _R and self._styles.is_hidden(element, paragraph):
                continue
            if tag == _BOX:
                hanging.append(element)
            elif tag in (_T, _MATH_TEXT):
                letters.append(element.text or "")
            elif tag in _LETTERS:
                letters.append(_LETTERS[tag])
            elif tag == qn("w:sym"):
                letters.append(_symbol(element))
            elif tag in _NOTES:
                hanging.extend(self._note(_NOTES[tag], element.get(qn("w:id"))))
            else:
                stack.extend(reversed(_children(element)))
        return clean("".join(letters)), hanging

    def _note(self, kind: str, identifier: str | None) -> list[Any]:
        """A note's element, the first time it is referred to."""
        note = self._notes[kind].pop(identifier or "", None)
        return [] if note is None else [note]

    def _row(self, row: Any) -> list[Any]:
        """Write a row of plain cells as one block; a row with tables, lists or headings in it is read cell by cell."""
        properties = row.find(qn("w:trPr"))
        if properties is not None and properties.find(qn("w:del")) is not None:
            return []
        cells = [cell for cell in _cells(row) if not _is_deleted_cell(cell)]
        if any(self._is_rich(cell) for cell in cells):
            return cells
        texts: list[str] = []
        hanging: list[Any] = []
        for cell in cells:
            read = [self._text_of(paragraph) for paragraph in _paragraphs(cell)]
            texts.append(one_line(" ".join(text for text, _ in read)))
            hanging.extend(one for _, more in read for one in more)
        self._end_carried()
        self._add("table_row", "\t".join(text for text in texts if text))
        return hanging

    def _is_rich(self, cell: Any) -> bool:
        if cell.find(f".//{_TBL}") is not None:
            return True
        paragraphs = _paragraphs(cell)
        if sum(1 for one in paragraphs if self._styles.is_listed(one)) > 1:
            return True
        return any(self._styles.heading_level(one) is not None and self._text_of(one)[0].strip() for one in paragraphs)

    def _chunk(self, element: Any) -> None:
        """Text that was put in as a web page and is shown as part of the document."""
        data = self._chunks.get(element.get(qn("r:id")) or "")
        if data is not None and b"<" in data[:4096]:
            try:
                self._blocks.extend(read_html(data).blocks)
            except DocumentFault as fault:
                if fault.code == "document_too_complex":
                    raise

    def _end_carried(self) -> None:
        text, self._carried = self._carried, ""
        self._add("paragraph", folded_lines(text))

    def _add(self, kind: BlockKind, text: str, level: int | None = None) -> None:
        if text.strip():
            self._blocks.append(Block(kind, text.strip(), level))


def _children(element: Any) -> list[Any]:
    """An element's children; of alternatives the first that says anything; of a control still empty, none."""
    if element.tag == f"{_MC}AlternateContent":
        options = [one for one in element if one.tag in (f"{_MC}Choice", f"{_MC}Fallback")]
        chosen = next((one for one in options if _says_something(one)), None)
        return [] if chosen is None else list(chosen)
    if element.tag == qn("w:sdt"):
        properties = element.find(qn("w:sdtPr"))
        if properties is not None and properties.find(qn("w:showingPlcHdr")) is not None:
            return []
    return list(element)


def _says_something(element: Any) -> bool:
    return any((one.text or "").strip() for one in element.iter(_T, _MATH_TEXT))


def _cells(row: Any) -> list[Any]:
    """A row's own cells, those in content controls and custom mark-up included."""
    found: list[Any] = []
    stack = list(row)[::-1]
    while stack:
        element = stack.pop()
        if element.tag == _TC:
            found.append(element)
        elif isinstance(element.tag, str) and element.tag not in _LEFT_OUT:
            stack.extend(reversed(_children(element)))
    return found


def _paragraphs(cell: Any) -> list[Any]:
    """The paragraphs of a cell, in order, not those of text boxes in them."""
    found: list[Any] = []
    stack = _children(cell)[::-1]
    while stack:
        element = stack.pop()
        if element.tag == _P:
            found.append(element)
        elif isinstance(element.tag, str) and element.tag not in _LEFT_OUT:
            stack.extend(reversed(_children(element)))
    return found


def _is_deleted_cell(cell: Any) -> bool:
    properties = cell.find(qn("w:tcPr"))
    return properties is not None and properties.find(qn("w:cellDel")) is not None


def _mark_is_deleted(paragraph: Any) -> bool:
    properties = paragraph.find(qn("w:pPr"))
    mark = None if properties is None else properties.find(qn("w:rPr"))
    return mark is not None and (mark.find(qn("w:del")) is not None or mark.find(qn("w:moveFrom")) is not None)


def _symbol(element: Any) -> str:
    """A sign given by its number; those of picture fonts mean nothing in text."""
    try:
        code = int(element.get(qn("w:char")) or "", 16)
    except ValueError:
        return ""
    return chr(code) if 0x20 <= code < 0xD800 else ""


def _notes(document: OpenDocument, kind: str) -> dict[str, Any]:
    """A part's notes by id; the lines that separate notes from text are none."""
    found: dict[str, Any] = {}
    for related in document.part.rels.values():
        if related.reltype.endswith(f"/{kind}") and not related.is_external:
            tree = etree.fromstring(
                related.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            )
            for note in tree:
                kind_of_note = note.get(qn("w:type"))
                if isinstance(note.tag, str) and kind_of_note in (None, "normal"):
                    found[note.get(qn("w:id")) or ""] = note
    return found
