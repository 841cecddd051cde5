"""Plain text, and telling kinds of files apart by their bytes."""

from __future__ import annotations

import pytest

from semurg.documents.formats.detect import family
from semurg.documents.formats.model import Block, DocumentFault
from semurg.documents.formats.read import read_document
from semurg.documents.formats.text import read_text
from tests.documents.word_files import paragraph, word_file


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read_text(text.encode()).blocks]


def fault(content: bytes) -> str:
    with pytest.raises(DocumentFault) as caught:
        read_document(content)
    assert caught.value.detail
    return caught.value.code


def test_markdown_is_read_as_what_it_shows() -> None:
    text = (
        "# Soil #\n\nSand\nand clay.\n\n- Peat\n  moss\n- Loam\n1. One\n\n| Bed | Crop |\n|---|---|\n| 1 | Leeks |\n\n"
    )
    text += "```py\nif x:\n    y\n```\n\nBeds\n----\n\n***\n\nLast."
    assert read_text(text.encode()).blocks == [
        Block("heading", "Soil", 1),
        Block("paragraph", "Sand\nand clay."),
        Block("list_item", "Peat\nmoss"),
        Block("list_item", "Loam"),
        Block("list_item", "1. One"),
        Block("table_row", "Bed\tCrop"),
        Block("table_row", "1\tLeeks"),
        Block("code", "if x:\n    y"),
        Block("heading", "Beds", 2),
        Block("paragraph", "Last."),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_ends_lines(line_end: str) -> None:
    assert blocks(f"One.{line_end}{line_end}Two.") == [("paragraph", "One."), ("paragraph", "Two.")]


def test_a_fence_that_nothing_closes_is_text() -> None:
    assert blocks("```\nwords\n\nmore") == [("paragraph", "```\nwords"), ("paragraph", "more")]


def test_lines_longer_than_anybody_wraps_at_are_paragraphs() -> None:
    long = "A sentence that goes on. " * 8
    assert blocks(f"{long}\n{long}") == [("paragraph", long.strip())] * 2


def test_controls_do_not_come_through() -> None:
    assert blocks("\ufeffBell \x07and \x1b[31mred\x1b[0m so\u00adft") == [("paragraph", "Bell and red soft")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_under_a_byte_order_mark_is_text(encoding: str) -> None:
    parsed = read_document("Grüße, Welt".encode(encoding))
    assert (parsed.kind, [block.text for block in parsed.blocks]) == ("text", ["Grüße, Welt"])


@pytest.mark.parametrize(
    "content",
    [
        "Sixteen bits".encode("utf-16-le"), "Sixteen bits".encode("utf-32"), b"caf\xe9 au lait", b"{\\rtf1 words}",
        b"a\x00b", b"\x89PNG\r\n\x1a\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), bytes(range(256)),
        b"\x1f\x8b\x08\x00rest",
    ],
)  # fmt: skip
def test_other_kinds_are_unsupported(content: bytes) -> None:
    assert fault(content) == "document_kind_unsupported"


def test_refusals_that_have_names_of_their_own() -> None:
    assert fault(b"") == fault(b" \n ") == fault(b"-- ... --") == "document_empty"
    assert fault("Zoë said na".encode() + "ï".encode()[:1]) == "document_corrupt"
    encrypted = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512) + "EncryptedPackage".encode("utf-16-le")
    assert fault(encrypted) == "document_not_readable"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"junk first\n%PDF-1.4\n1 0 obj\n<<>>\nendobj", "pdf"),
        (b"A PDF begins with the sign %PDF-1.7 and a line end.", "text"),
        (word_file(paragraph("x")), "zip"),
        (b"<!-- a --><!DOCTYPE html><p>x", "html"),
        (b"<?xml version='1.0'?><html><body>x</body></html>", "html"),
        (b"<p>A fragment.</p>", "html"),
        (b"Dear all,<br>\nplease see<br>below.<br> <b>Thanks</b>", "html"),
        (b"<- an arrow, and a < b && b > c", "text"),
        (b"<h1 align=center>Name</h1>\n\n## Install\n\n- run it\n", "text"),
        (b"# Title\n\nUse <br> and </p> and </div> and </p> in pages.", "text"),
    ],
)
def test_kinds_are_told_by_the_bytes(content: bytes, kind: str) -> None:
    assert family(content) == kind
