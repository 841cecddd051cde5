"""Word files made for the tests, part by part."""

from __future__ import annotations

import io
import zipfile

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
NAMESPACES = (
    f'xmlns:w="{WORD}" xmlns:r="{OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph of one run."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def styled(text: str, style: str) -> str:
    """A paragraph of a style."""
    return paragraph(text, f'<w:pStyle w:val="{style}"/>')


def table(*rows: tuple[str, ...]) -> str:
    """A table of plain cells."""
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def word_file(body: str, main_type: str = MAIN_TYPE, before: str = "", **parts: str) -> bytes:
    """A .docx with the body and further parts (styles, footnotes, endnotes, numbering) given by their XML."""
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/></Types>',
        "_rels/.rels": _links({"officeDocument": "word/document.xml"}),
        "word/document.xml": f"{before}<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _links({name: f"{name}.xml" for name in parts}),
    }
    for name, content in parts.items():
        files[f"word/{name}.xml"] = f"<w:{name} {NAMESPACES}>{content}</w:{name}>"
    return zipped(files)


def zipped(files: dict[str, str] | dict[str, bytes]) -> bytes:
    """A zip archive of the files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


def _links(targets: dict[str, str]) -> str:
    links = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{name}" Target="{target}"/>' for name, target in targets.items()
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{links}</Relationships>'
    )
