"""The one entry to the readers: bytes in, a parsed document out, or the one reason why not."""

from __future__ import annotations

from semurg.documents.formats.detect import family
from semurg.documents.formats.model import DocumentFault, Parsed


def read_document(content: bytes) -> Parsed:
    """What a document's bytes say, whatever kind they are of. Pure: opens no file and no connection.

    Each reader is imported when first needed, so that only a process which reads documents pays for their libraries.
    Raises DocumentFault.
    """
    found = family(content)
    if found == "pdf":
        raise DocumentFault("document_kind_unsupported", "PDF files are not read yet.")
    if found == "zip":
        from semurg.documents.formats.docx import read_docx

        return read_docx(content)
    if found == "html":
        from semurg.documents.formats.html import read_html

        return read_html(content)
    from semurg.documents.formats.text import read_text

    return read_text(content)
