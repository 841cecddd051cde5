"""From a document's bytes to characters: byte order marks, declared encodings, UTF-8; never a replacement character."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from semurg.documents.formats.model import DocumentFault

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_MARKS_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_COMMENTS = re.compile(rb"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE)
_META = re.compile(rb"<meta\b[^>]{0,1000}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{1,40})", re.IGNORECASE)
_PROLOG = re.compile(rb"\A\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.+-]{1,40})", re.IGNORECASE)
_DECLARED_WITHIN = 65_536
# What browsers read under these labels, by the encoding standard of the web: the wider set of letters each time.
_READ_AS = {
    "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "l1": "cp1252",
    "us-ascii": "cp1252", "ascii": "cp1252", "windows-1252": "cp1252", "x-cp1252": "cp1252", "ansi": "cp1252",
    "iso-8859-9": "cp1254", "latin5": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874", "windows-874": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030", "chinese": "gb18030",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "ms_kanji": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "ksc5601": "cp949", "korean": "cp949",
    "windows-949": "cp949", "big5": "big5hkscs", "x-x-big5": "big5hkscs", "cn-big5": "big5hkscs",
    "iso-8859-8-i": "iso-8859-8", "logical": "iso-8859-8", "unicode-1-1-utf-8": "utf-8", "x-euc-jp": "euc_jp",
    "macintosh": "mac_roman", "x-mac-roman": "mac_roman", "x-mac-cyrillic": "mac_cyrillic", "koi8": "koi8_r",
    # A declaration that could itself be read as single bytes is not in UTF-16.
    "utf-16": "utf-8", "utf-16le": "utf-8", "utf-16be": "utf-8", "unicode": "utf-8", "ucs-2": "utf-8",
}  # fmt: skip


class Decoded(NamedTuple):
    """Characters without the byte order mark, and whether one was there."""

    text: str
    marked: bool


def decode_text(content: bytes) -> Decoded:
    """Plain text: UTF-8, or UTF-16 under a byte order mark.

    Raises DocumentFault: `document_kind_unsupported` for anything else, `document_corrupt` for a text cut within
    its last character.
    """
    marked = decode_marked(content)
    if marked is not None:
        return marked
    if b"\x00" in content:
        raise DocumentFault("document_kind_unsupported", "the file holds NUL bytes, which no text does.")
    try:
        return Decoded(content.decode("utf-8"), marked=False)
    except UnicodeDecodeError as error:
        if _cut_at_the_end(content, error):
            raise DocumentFault("document_corrupt", "the text is cut within its last character.") from error
        detail = f"the file is no UTF-8 text: byte {error.start} is {content[error.start]:#04x}."
        raise DocumentFault("document_kind_unsupported", detail) from error


def decode_marked(content: bytes) -> Decoded | None:
    """The text of a file that starts with a byte order mark; None where there is none."""
    if content.startswith(_MARKS_32) and len(content) % 4 == 0:
        raise DocumentFault("document_kind_unsupported", "the file is UTF-32 text; UTF-8 or UTF-16 is read.")
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                text = content[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                detail = f"the file's byte order mark says {encoding}, but byte {error.start + len(mark)} is not."
                raise DocumentFault("document_corrupt", detail) from error
            if "\x00" in text:
                raise DocumentFault("document_kind_unsupported", "the file holds NUL characters, which no text does.")
            return Decoded(text, marked=True)
    return None


def decode_html(content: bytes) -> str:
    """A web page's characters: its byte order mark, else what it declares outside comments, else UTF-8, else
    windows-1252, which is what browsers take a page without a declaration for.

    Raises DocumentFault `document_corrupt` where the bytes are not what they are declared to be.
    """
    marked = decode_marked(content)
    if marked is not None:
        return marked.text
    declared = declared_encoding(content)
    # UTF-8 that says more than ASCII hardly ever comes about by chance, so it overrules a single-byte declaration.
    if declared in (None, "utf-8", "cp1252"):
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            if declared is None and not _cut_at_the_end(content, error):
                declared = "cp1252"
            elif declared != "cp1252":
                if _cut_at_the_end(content, error):
                    return content[: error.start].decode("utf-8")
                detail = f"the page says that it is UTF-8, but byte {error.start} is {content[error.start]:#04x}."
                raise DocumentFault("document_corrupt", detail) from error
    return _decode_as(content, declared)


def _decode_as(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        if (error.end == len(content) and "unexpected end" in error.reason) or "incomplete" in error.reason:
            return content[: error.start].decode(encoding)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            detail = f"the page cannot be read as {encoding}: byte {error.start} is {content[error.start]:#04x}."
            raise DocumentFault("document_corrupt", detail) from error


def declared_encoding(content: bytes) -> str | None:
    """The Python codec for the encoding that a page declares in its XML prolog or a `meta`, comments aside."""
    head = content[:_DECLARED_WITHIN]
    found = _META.search(_COMMENTS.sub(b"", head)) or _PROLOG.search(head)
    if found is None:
        return None
    label = found[1].decode("ascii").lower()
    try:
        name = codecs.lookup(_READ_AS.get(label, label)).name
    except LookupError:
        return None
    # Codecs that turn bytes into bytes, and those that run escapes, are no encodings of pages.
    return name if _is_text_codec(name) else None


def _is_text_codec(name: str) -> bool:
    return not name.startswith(("utf-7", "unicode", "raw", "idna", "punycode", "mbcs", "oem", "undefined")) and bool(
        getattr(codecs.lookup(name), "_is_text_encoding", True)
    )


def _cut_at_the_end(content: bytes, error: UnicodeDecodeError) -> bool:
    """Whether UTF-8 breaks off in its last character only: other letters beyond ASCII came through before it."""
    return error.reason == "unexpected end of data" and not content[: error.start].isascii()
