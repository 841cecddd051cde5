"""What a reader of files makes of one: its blocks in reading order, or the one reason why there are none."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["pdf", "docx", "html", "text"]
BlockKind = Literal["heading", "paragraph", "list_item", "table_row", "code"]
FaultCode = Literal[
    "document_kind_unsupported",
    "document_corrupt",
    "document_not_readable",
    "document_empty",
    "document_too_complex",
]


class Block(NamedTuple):
    """One block of a document's text: never empty, no white space at its ends.

    `level` is a heading's, 1 to 6; `page` counts from 1 and is known of a PDF only.
    """

    kind: BlockKind
    text: str
    level: int | None = None
    page: int | None = None


class Parsed(NamedTuple):
    """A document that could be read; `pages` is the number of a PDF's pages."""

    kind: Kind
    blocks: list[Block]
    pages: int | None = None


class DocumentFault(Exception):
    """The one reason why a document is not read: a code of `FaultCode` and a sentence that names what is wrong."""

    def __init__(self, code: FaultCode, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
