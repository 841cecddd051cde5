"""What kind of document some bytes are: read from the bytes alone, never from a name."""

from __future__ import annotations

import re
from typing import Literal

from semurg.documents.formats.decoding import decode_marked
from semurg.documents.formats.model import DocumentFault

Family = Literal["pdf", "zip", "html", "text"]
_PDF_WITHIN = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_NAMED = (
    (b"{\\rtf", "rich text (RTF)"), (b"\x89PNG\r\n", "a PNG picture"), (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"), (b"\x1f\x8b", "gzip data"), (b"BZh", "bzip2 data"), (b"\xfd7zXZ\x00", "xz data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"), (b"Rar!\x1a\x07", "a RAR archive"), (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"), (b"%!PS", "PostScript"), (b"SQLite format 3\x00", "a database"),
    (b"II*\x00", "a TIFF picture"), (b"MM\x00*", "a TIFF picture"), (b"\xdb\xa5\x2d\x00", "an old Word file"),
    (b"\xcf\xad\x12\xfe", "an Outlook file"), (b"AT&TFORM", "a DjVu file"), (b"ITSF", "compiled help"),
)  # fmt: skip
_BEFORE_MARKUP = re.compile(r"(?:\s+|<!--.*?-->|<\?xml\b[^>]*\?>)*", re.DOTALL)
_PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body|title|meta|link|style|script|base)\b", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"<(?:h[1-6]|p|div|table|ul|ol|dl|article|section|main|header|nav|aside|footer|blockquote|pre|span|font|center|"
    r"a|b|i|em|strong|br|hr|img|form|iframe|figure|details)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"</(?:html|body|p|div|table|td|tr|ul|li|h[1-6]|blockquote|span|a)\s*>|<br\s*/?>", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|~~~|[-*] \S|\|.*\|\s*$|\[[^\]]+\]: )", re.MULTILINE)
_CLOSED_ENOUGH, _SAMPLE = 3, 200_000


def family(content: bytes) -> Family:
    """pdf, zip (a Word file or some other package), html or text.

    Raises DocumentFault: `document_empty` for no bytes, `document_not_readable` for a password-protected Office file,
    `document_kind_unsupported` for kinds that are known by their first bytes.
    """
    if not content.strip():
        raise DocumentFault("document_empty", "the file is empty.")
    if _is_pdf(content):
        return "pdf"
    if content.startswith(_ZIP_STARTS):
        return "zip"
    if content.startswith(_OLE):
        if _ENCRYPTED_PACKAGE in content:
            detail = "the file is protected by a password (an encrypted Office file)."
            raise DocumentFault("document_not_readable", detail)
        detail = "the file is in the old binary Office format (.doc, .xls, .ppt)."
        raise DocumentFault("document_kind_unsupported", detail)
    for start, name in _NAMED:
        if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(start):
            raise DocumentFault("document_kind_unsupported", f"the file is {name}.")
    return "html" if _is_html(content) else "text"


def _is_pdf(content: bytes) -> bool:
    if content.lstrip(b"\xef\xbb\xbf \t\r\n\x00").startswith(b"%PDF-"):
        return True
    at = content.find(b"%PDF-", 0, _PDF_WITHIN)
    # A text may speak of the mark; a file with something before it is one only if the parts of one follow.
    return at >= 0 and any(sign in content[at:] for sign in (b"endobj", b"startxref", b" obj"))


def _is_html(content: bytes) -> bool:
    marked = decode_marked(content) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else None
    if marked is None and b"\x00" in content[:_SAMPLE] and b"<html" not in content[:_SAMPLE].lower():
        return False
    text = marked.text[:_SAMPLE] if marked else content[:_SAMPLE].decode("latin-1").removeprefix("ï»¿")
    before = _BEFORE_MARKUP.match(text)
    start = before.end() if before else 0
    if _PAGE.match(text, start):
        return True
    outside = text[start:]
    markdown = bool(_MARKDOWN.search(outside))
    if _FRAGMENT.match(outside):
        return not markdown
    # Mail bodies and snippets begin with words; only markup that closes again and again tells them from prose.
    closed = sum(1 for _ in zip(range(_CLOSED_ENOUGH), _CLOSED.finditer(outside), strict=False))
    return not markdown and closed >= _CLOSED_ENOUGH and bool(_FRAGMENT.search(outside))
