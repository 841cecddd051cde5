"""Documents as one text: exact places of blocks, and sections with the headings above them."""

from __future__ import annotations

from semurg.documents.formats.model import Block
from semurg.documents.sections import laid_out, sections

BLOCKS = [
    Block("paragraph", "Before."),
    Block("heading", "Garden", 1),
    Block("heading", "Soil", 2),
    Block("paragraph", "Sand 🐟."),
    Block("list_item", "Peat"),
    Block("list_item", "Loam"),
    Block("heading", "Beds", 2),
    Block("table_row", "1\tLeeks"),
    Block("heading", "House", 1),
    Block("paragraph", "Walls."),
]


def test_each_blocks_slice_of_the_text_is_the_block() -> None:
    text, placed = laid_out(BLOCKS)
    assert [text[one.start : one.end] for one in placed] == [block.text for block in BLOCKS]
    assert text == "Before.\n\nGarden\n\nSoil\n\nSand 🐟.\n\nPeat\nLoam\n\nBeds\n\n1\tLeeks\n\nHouse\n\nWalls."


def test_sections_end_at_headings_and_know_those_above_them() -> None:
    _, placed = laid_out(BLOCKS)
    found = [(section.path, [one.block.text for one in section.blocks]) for section in sections(placed)]
    assert found == [
        (None, ["Before."]),
        ("Garden › Soil", ["Garden", "Soil", "Sand 🐟.", "Peat", "Loam"]),
        ("Garden › Beds", ["Beds", "1\tLeeks"]),
        ("House", ["House", "Walls."]),
    ]


def test_a_path_of_endless_headings_keeps_the_innermost() -> None:
    blocks = [Block("heading", f"{letter}" * 400, level) for level, letter in enumerate("abcd", start=1)]
    _, placed = laid_out([*blocks, Block("paragraph", "x")])
    (section,) = sections(placed)
    assert section.path == "d" * 400
