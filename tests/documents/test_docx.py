"""Word files: the text as a reader sees it with every tracked change accepted, block by block."""

from __future__ import annotations

import io
import zipfile

import pytest

from semurg.documents.formats.docx import read_docx
from semurg.documents.formats.model import Block, DocumentFault
from tests.documents.word_files import paragraph, run, styled, table, word_file, zipped

STYLES = (
    '<w:style w:type="paragraph" w:styleId="Top"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="Top"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Bullets"><w:name w:val="List Bullet"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>'
    '<w:style w:type="character" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>'
)
GHOST = run("ghost", '<w:rStyle w:val="Ghost"/>')
SHOWN = run("shown", '<w:vanish w:val="0"/>')


def blocks(body: str, **parts: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read_docx(word_file(body, **parts)).blocks]


def fault(content: bytes) -> str:
    with pytest.raises(DocumentFault) as caught:
        read_docx(content)
    assert caught.value.detail
    return caught.value.code


def test_headings_lists_and_tables_come_in_the_order_of_the_page() -> None:
    body = styled("Soil", "Top") + paragraph("Sand and clay.") + table(("Bed", "Crop"), ("1", "Leeks"))
    body += styled("Peat", "Bullets") + styled("Beds", "Mine") + styled("Odd", "Loop")
    body += paragraph("Deep", '<w:outlineLvl w:val="2"/>')
    assert read_docx(word_file(body, styles=STYLES)).blocks == [
        Block("heading", "Soil", 1),
        Block("paragraph", "Sand and clay."),
        Block("table_row", "Bed\tCrop"),
        Block("table_row", "1\tLeeks"),
        Block("list_item", "Peat"),
        Block("heading", "Beds", 1),
        Block("paragraph", "Odd"),
        Block("heading", "Deep", 3),
    ]


def test_deleted_and_moved_away_text_is_left_out_and_what_was_put_in_is_kept() -> None:
    body = (
        f'<w:p>{run("The lease runs for ")}<w:del w:id="1"><w:r><w:delText>seven</w:delText></w:r></w:del>'
        f'<w:ins w:id="2">{run("nine")}</w:ins>{run(" years.")}</w:p>'
        f'<w:p><w:moveFrom w:id="3">{run("Moved.")}</w:moveFrom></w:p>'
        f'<w:p><w:moveTo w:id="4">{run("Moved.")}</w:moveTo></w:p>'
        f'<w:p><w:pPr><w:rPr><w:del w:id="5"/></w:rPr></w:pPr>{run("Joined ")}</w:p>{paragraph("to this.")}'
    )
    assert blocks(body) == [("paragraph", "The lease runs for nine years."), ("paragraph", "Moved."),
                            ("paragraph", "Joined to this.")]  # fmt: skip


def test_hidden_runs_fields_and_annotations_of_sounds_are_left_out() -> None:
    body = (
        f"<w:p>{run('Seen ')}{run('hidden', '<w:vanish/>')}{GHOST}"
        f"{SHOWN}<w:r><w:instrText> PAGEREF x </w:instrText></w:r>"
        "<w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>"
        "<w:r><w:noBreakHyphen/><w:softHyphen/><w:t>x</w:t></w:r></w:p>"
    )
    assert blocks(body, styles=STYLES) == [("paragraph", "Seen shown東京-x")]


def test_notes_and_text_boxes_come_once_after_their_paragraph() -> None:
    box = f"<w:txbxContent>{paragraph('In a box.')}</w:txbxContent>"
    body = (
        f"<w:p>{run('Main')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><v:textbox>{box}</v:textbox></mc:Fallback></mc:AlternateContent></w:r>"
        f"<w:r><w:footnoteReference w:id='2'/></w:r></w:p>{paragraph('Next.')}"
    )
    notes = f'<w:footnote w:type="separator" w:id="0">{paragraph("---")}</w:footnote>'
    notes += f'<w:footnote w:id="2">{paragraph("A note.")}</w:footnote>'
    assert [text for _, text in blocks(body, footnotes=notes)] == ["Main", "In a box.", "A note.", "Next."]


def test_text_in_links_controls_and_nested_tables_is_found() -> None:
    body = f"<w:p>{run('One ')}<w:hyperlink>{run('awesome')}</w:hyperlink>{run(' link.')}</w:p>"
    body += f"<w:sdt><w:sdtContent>{paragraph('In a control.')}</w:sdtContent></w:sdt>"
    body += (
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
        + paragraph("Click here.")
        + "</w:sdtContent></w:sdt>"
    )
    inner = table(("a", "b"))
    body += f"<w:tbl><w:tr><w:tc>{paragraph('Before')}{inner}</w:tc><w:tc>{paragraph('Beside')}</w:tc></w:tr></w:tbl>"
    assert blocks(body) == [("paragraph", "One awesome link."), ("paragraph", "In a control."), ("paragraph", "Before"),
                            ("table_row", "a\tb"), ("paragraph", "Beside")]  # fmt: skip


def test_a_strict_a_macro_and_a_template_file_are_read_as_the_documents_they_are() -> None:
    for kind in ("document.macroEnabled", "template.macroEnabledTemplate"):
        content = word_file(paragraph("Text."), main_type=f"application/vnd.ms-word.{kind}.main+xml")
        assert [block.text for block in read_docx(content).blocks] == ["Text."]
    with zipfile.ZipFile(io.BytesIO(word_file(paragraph("Text.")))) as plain:
        files = {name: plain.read(name).decode() for name in plain.namelist()}
    transitional, strict = "schemas.openxmlformats.org/{}/2006/{}", "purl.oclc.org/ooxml/{}/{}"
    for pair in (("wordprocessingml", "main"), ("officeDocument", "relationships")):
        files = {name: text.replace(transitional.format(*pair), strict.format(*pair)) for name, text in files.items()}
    assert strict.format("wordprocessingml", "main") in files["word/document.xml"]
    assert [block.text for block in read_docx(zipped(files)).blocks] == ["Text."]


@pytest.mark.parametrize("doctype", ['<!DOCTYPE w [<!ENTITY e "x">]>', '<!DOCTYPE w SYSTEM "file:///etc/passwd">'])
def test_a_document_that_declares_entities_is_refused(doctype: str) -> None:
    assert fault(word_file(paragraph("&lt;"), before=doctype)) == "document_corrupt"


def test_a_file_that_expands_past_the_limit_is_refused_before_it_is_expanded() -> None:
    assert fault(word_file(paragraph(" " * (65 * 1024 * 1024)))) == "document_too_complex"


def test_a_file_that_nests_past_the_limit_is_refused() -> None:
    deep = "<w:sdt><w:sdtContent>" * 200 + paragraph("x") + "</w:sdtContent></w:sdt>" * 200
    assert fault(word_file(deep)) == "document_too_complex"


def test_broken_and_foreign_packages_are_refused_by_name() -> None:
    whole = word_file(paragraph("Some words. " * 50))
    assert fault(whole[: len(whole) // 2]) == "document_corrupt"
    assert fault(word_file("<w:p>")) == "document_corrupt"
    assert fault(word_file(paragraph(" "))) == "document_empty"
    assert fault(zipped({"a.txt": "words"})) == "document_kind_unsupported"
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    assert fault(word_file(paragraph("x"), main_type=sheet)) == "document_kind_unsupported"
