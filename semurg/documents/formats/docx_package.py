"""Opening a Word file safely: the zip is measured before anything is kept, and only the parts with text go on.

What python-docx opens is a package made anew from those parts: no macros, pictures or linked files come near it, and
macro-enabled, template and ISO Strict files look like any other document.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from typing import NamedTuple

from lxml import etree

from semurg.documents.formats.model import DocumentFault

EXPANDED_MAX = 64 * 1024 * 1024
_MEMBERS_MAX = 20_000
_PARAGRAPHS_MAX = 200_000
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_MAIN_TYPES = frozenset(
    (
        f"{_WORD_TYPES}document.main+xml",
        f"{_WORD_TYPES}template.main+xml",
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    )
)
_KEPT = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes", "endnotes": "endnotes"}
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/([A-Za-z]+)/([A-Za-z]+)")
_DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Package(NamedTuple):
    """A package that python-docx can open, and the HTML parts that its text draws in, by relationship id."""

    content: bytes
    chunks: dict[str, bytes]


def open_package(content: bytes) -> Package:
    """The text parts of a Word file. Raises DocumentFault as read_docx does."""
    members = _members(content)
    main = _main_part(members)
    parts = {"document": members[main]}
    chunks: dict[str, bytes] = {}
    for identifier, kind, target in _relationships(members, main):
        if kind in _KEPT and target in members:
            parts.setdefault(kind, members[target])
        elif kind == "aFChunk" and target in members:
            chunks[identifier] = members[target]
    checked = {name: _checked(name, part) for name, part in parts.items()}
    return Package(_written(checked), chunks)


def _members(content: bytes) -> dict[str, bytes]:
    """Every member's bytes by name, each read whole so that damage shows, none past the limit."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            listed = archive.infolist()
            if len(listed) > _MEMBERS_MAX or sum(one.file_size for one in listed) > EXPANDED_MAX:
                raise DocumentFault("document_too_complex", "the file expands past 64 MiB.")
            if any(one.flag_bits & 0x1 for one in listed):
                raise DocumentFault("document_not_readable", "the file is protected by a password.")
            return _inflated(archive, listed)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        if _speaks_of_word(content):
            raise DocumentFault("document_corrupt", "the Word file is cut short or damaged.") from error
        detail = "the file is a zip archive that is damaged, and no Word file as far as can be read."
        raise DocumentFault("document_kind_unsupported", detail) from error


def _inflated(archive: zipfile.ZipFile, listed: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    names = {one.filename for one in listed}
    if "[Content_Types].xml" not in names and "[content_types].xml" not in {name.lower() for name in names}:
        raise DocumentFault("document_kind_unsupported", "the file is a zip archive and no Word file.")
    left = EXPANDED_MAX
    members: dict[str, bytes] = {}
    for one in listed:
        with archive.open(one) as member:
            # A declared size may lie: no more is asked for than the whole file may still expand to.
            data = member.read(left + 1)
        left -= len(data)
        if left < 0:
            raise DocumentFault("document_too_complex", "the file expands past 64 MiB.")
        members.setdefault(one.filename.lstrip("/").replace("\\", "/"), data)
    return members


def _speaks_of_word(content: bytes) -> bool:
    """Whether a damaged zip shows names that Word files have."""
    return any(sign in content for sign in (b"word/", b"[Content_Types].xml", b"_rels/.rels", b"docProps/"))


def _main_part(members: dict[str, bytes]) -> str:
    """The name of the document's own part: found by its declared type, for names are free."""
    types = next((data for name, data in members.items() if name.lower() == "[content_types].xml"), b"")
    declared: set[str] = set()
    mains: list[str] = []
    for element in _tree(types, "the list of content types").iter():
        kind = str(element.get("ContentType") or "")
        declared.add(kind)
        if kind in _MAIN_TYPES and element.get("PartName"):
            mains.append(str(element.get("PartName")).lstrip("/"))
    for name in (*mains, "word/document.xml"):
        if name in members and (mains or declared & _MAIN_TYPES):
            return name
    linked = [
        target for _, kind, target in _relationships(members, "") if kind == "officeDocument" and target in members
    ]
    if linked and (
        declared & _MAIN_TYPES or not any("spreadsheet" in one or "presentation" in one for one in declared)
    ):
        return linked[0]
    if mains or declared & _MAIN_TYPES:
        raise DocumentFault("document_corrupt", "the Word file has no document part.")
    detail = "the file is an Office or zip package, but no Word document."
    raise DocumentFault("document_kind_unsupported", detail)


def _relationships(members: dict[str, bytes], part: str) -> list[tuple[str, str, str]]:
    """(id, last word of the kind, target's name) of what a part is related to inside the package."""
    folder, name = posixpath.split(part)
    data = members.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    if data is None:
        return []
    found = []
    for one in _tree(data, "the list of relationships").iter(_RELATIONSHIP):
        if one.get("TargetMode") != "External":
            target = str(one.get("Target") or "")
            path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found.append((str(one.get("Id")), str(one.get("Type") or "").rsplit("/", 1)[-1], path))
    return found


def _tree(data: bytes, what: str) -> etree._Element:
    if _has_doctype(data):
        raise DocumentFault("document_corrupt", f"{what} of the Word file declares entities, which no Word file does.")
    try:
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DocumentFault("document_corrupt", f"{what} of the Word file is not well-formed.") from error


def _has_doctype(data: bytes) -> bool:
    return bool(_DOCTYPE.search(data) or _DOCTYPE.search(data[:4096].replace(b"\x00", b"")))


def _checked(name: str, data: bytes) -> bytes:
    """A part in the namespaces of the transitional form, without a declaration of types, not too long to walk."""
    if _has_doctype(data):
        raise DocumentFault("document_corrupt", f"the {name} part of the Word file declares entities (a DOCTYPE).")
    if data.count(b"<w:p ") + data.count(b"<w:p>") + data.count(b"<w:p/>") > _PARAGRAPHS_MAX:
        raise DocumentFault("document_too_complex", f"the file has more than {_PARAGRAPHS_MAX} paragraphs.")
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", data)


def _written(parts: dict[str, bytes]) -> bytes:
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_WORD_TYPES}'
        f'{"document.main" if name == "document" else name}+xml"/>'
        for name in parts
    )
    links = "".join(
        f'<Relationship Id="kept{number}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for number, name in enumerate(parts)
        if name != "document"
    )
    relationships = "http://schemas.openxmlformats.org/package/2006/relationships"
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{relationships}"><Relationship Id="main" Type="{_OFFICE}/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{relationships}">{links}</Relationships>'
        )
        for name, data in parts.items():
            archive.writestr(f"word/{name}.xml", data)
    return written.getvalue()
