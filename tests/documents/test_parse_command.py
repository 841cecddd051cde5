"""`semurg parse`: no node, exact JSON, an exit code that tells whether all could be read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.documents.word_files import paragraph, styled, word_file

STYLES = '<w:style w:type="paragraph" w:styleId="Top"><w:name w:val="heading 1"/></w:style>'


def parse(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "semurg", "parse", *arguments], input=stdin, capture_output=True)


def test_every_file_is_an_object_with_exact_places(tmp_path: Path) -> None:
    word, empty = tmp_path / "a.bin", tmp_path / "b.txt"
    word.write_bytes(word_file(styled("Soil", "Top") + paragraph("Sand 🐟."), styles=STYLES))
    empty.write_bytes(b"")
    done = parse("--json", str(word), str(empty), "-", stdin=b"<p>From a pipe.")
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1
    assert isinstance(first.pop("seconds"), float)
    assert first == {
        "file": str(word),
        "status": "stored",
        "kind": "docx",
        "text": "Soil\n\nSand 🐟.",
        "blocks": [
            {"kind": "heading", "level": 1, "text": "Soil", "start": 0, "end": 4},
            {"kind": "paragraph", "text": "Sand 🐟.", "start": 6, "end": 13},
        ],
    }
    assert (second["status"], second["detail"]) == ("document_empty", "the file is empty.")
    assert (third["file"], third["status"], third["kind"]) == ("-", "stored", "html")


def test_people_read_the_text_itself_and_all_went_well(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Soil\n\nSand.")
    done = parse(str(note))
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines() == [f"{note} (text)", "Soil", "Sand."]


def test_a_file_over_the_limit_or_that_is_not_there_is_told_by_name(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    large.write_bytes(b"a" * 5_000_001)
    assert json.loads(parse("--json", str(large)).stdout)["status"] == "too_large"
    missing = parse(str(tmp_path / "nothing.txt"))
    assert missing.returncode == 2
    assert b"nothing.txt" in missing.stderr.replace(b"\n", b"")
