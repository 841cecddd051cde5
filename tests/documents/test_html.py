"""Web pages: what their readers see, block by block, in whatever encoding."""

from __future__ import annotations

import pytest

from semurg.documents.formats.html import read_html
from semurg.documents.formats.model import Block, DocumentFault


def blocks(page: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read_html(page.encode()).blocks]


def texts(page: str | bytes) -> list[str]:
    return [block.text for block in read_html(page if isinstance(page, bytes) else page.encode()).blocks]


def fault(page: bytes) -> str:
    with pytest.raises(DocumentFault) as caught:
        read_html(page)
    assert caught.value.detail
    return caught.value.code


def test_blocks_come_in_the_order_of_the_page() -> None:
    page = (
        "<h2>Soil</h2>Loose <b>words</b><p>Sand\n and   <i>cl</i>ay.<ul><li>Peat<ul><li>Moss</ul><li>Loam</ul>"
        "<table><tr><th>Bed<th>Crop<tr><td>1<td><p>Leeks</table><pre>a  b\n  c</pre>"
    )
    assert read_html(page.encode()).blocks == [
        Block("heading", "Soil", 2),
        Block("paragraph", "Loose words"),
        Block("paragraph", "Sand and clay."),
        Block("list_item", "Peat"),
        Block("list_item", "Moss"),
        Block("list_item", "Loam"),
        Block("table_row", "Bed\tCrop"),
        Block("table_row", "1\tLeeks"),
        Block("code", "a  b\n  c"),
    ]


def test_one_line_break_stays_in_its_paragraph_and_two_end_it() -> None:
    assert texts("<div>one<br>two<br> <br>three</div>") == ["one\ntwo", "three"]


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>x</script>", "<style>x</style>", "<template><p>x</template>", "<noscript>x</noscript>",
        "<p hidden>x</p>", "<p style='color:red; display : NONE'>x</p>", "<span style='visibility:hidden'>x</span>",
        "<!-- x -->", "<svg><text>x</text></svg>", "<select><option>x</select>", "<dialog>x</dialog>",
        "<span class='sr-only'>x</span>", "<textarea>x</textarea>",
    ],
)  # fmt: skip
def test_what_a_page_does_not_show_is_not_read(unseen: str) -> None:
    assert texts(f"<p>Before</p>{unseen}<p>After</p>") == ["Before", "After"]


def test_navigation_is_left_out_and_a_page_of_nothing_else_is_kept() -> None:
    menu = "<li><a href=/>Home</a><li><a href=/a>About us</a><li><a href=/b>Prices</a><li><a href=/c>Contact</a>"
    body = "<main><h1>Leeks</h1><p>They want deep soil and much patience from the gardener.</p></main>"
    for around in (f"<nav>{menu}</nav>", f"<div class='site-menu'>{menu}</div>", f"<ul>{menu}</ul>",
                   f"<div role=navigation>{menu}</div>"):  # fmt: skip
        page = f"{around}{body}<footer>Copyright</footer>"
        assert texts(page) == ["Leeks", "They want deep soil and much patience from the gardener."]
    assert texts(f"<nav><ul>{menu}</ul></nav>") == ["Home", "About us", "Prices", "Contact"]


def test_a_list_of_links_in_the_text_is_text() -> None:
    links = "".join(f"<li><a href=/{name}>{name}</a>" for name in ("Allium", "Porrum", "Ursinum", "Cepa"))
    assert "Porrum" in texts(f"<main><p>See also the following.</p><ul>{links}</ul></main>")


@pytest.mark.parametrize(
    ("encoding", "declaration", "words"),
    [
        ("windows-1251", "<meta charset=windows-1251>", "Привет, мир"),
        ("shift_jis", "<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", "吾輩は猫である"),
        ("cp1252", "<meta charset='ISO-8859-1'>", "€12 “naïve”"),
        ("gb18030", "<meta charset=gb2312>", "中文字符"),
        ("utf-8", "", "Fluß — 東京"),
        ("utf-8", "<!-- <meta charset=windows-1251> -->", "Zoë"),
        ("utf-8-sig", "<meta charset=iso-8859-1>", "Façade"),
        ("utf-16", "<meta charset=utf-8>", "Sechzehn für alle"),
        ("cp1252", "", "schöne 45,90 €"),
    ],
)
def test_letters_come_out_as_they_were_written(encoding: str, declaration: str, words: str) -> None:
    page = f"<html><head>{declaration}</head><body><p>{words}</p></body></html>"
    assert texts(page.encode(encoding)) == [words]


def test_a_page_that_is_not_in_its_encoding_is_refused_rather_than_filled_with_signs() -> None:
    assert fault(b"<meta charset=utf-8><p>caf\xe9 au lait</p>") == "document_corrupt"
    assert fault(b"<meta charset=shift_jis><p>\x81\xff\xff \xfe words</p>") == "document_corrupt"


def test_entities_are_resolved_once_and_bad_ones_leave_no_replacement_sign() -> None:
    assert texts("<p>&amp;lt; a&nbsp;b &#x1F600; un&shy;broken &#0;&#xD800;end</p>") == ["&lt; a b 😀 unbroken end"]


def test_boxes_nested_too_deep_are_refused_and_letters_that_never_end_are_not() -> None:
    assert fault(b"<div>" * 300 + b"x") == "document_too_complex"
    assert texts("<p>" + "<b><font color=red>" * 5000 + "words") == ["words"]


def test_a_hidden_tag_around_another_of_its_name_hides_to_its_own_end() -> None:
    assert texts("<p>a<span style='display:none'>b<span>c</span>d</span>e</p>") == ["ae"]


def test_a_page_without_text_is_empty() -> None:
    assert fault(b"<html><body><img src=a.png></body></html>") == "document_empty"
