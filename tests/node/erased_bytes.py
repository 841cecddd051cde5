"""What a data directory holds as bytes, and the encodings in which a forgotten text might still be in it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path


def everything_on_disk(directory: Path) -> bytes:
    """Every file of the directory, one after the other."""
    return b"\n".join(path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file())


MARKER_CHARS_MIN = 12


def encodings(text: str) -> Iterator[bytes]:
    """UTF-8, JSON-escaped, UTF-16 both ways, base64 at each of its three offsets, less what its neighbours decide."""
    assert len(text) >= MARKER_CHARS_MIN, "so short a text may be found by chance"
    yield text.encode()
    yield json.dumps(text)[1:-1].encode()
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")
    for offset in range(3):
        yield base64.b64encode(b"x" * offset + text.encode())[4:-4]


def still_there(directory: Path, texts: list[str]) -> list[str]:
    """Those of the texts that some file holds in some encoding."""
    held = everything_on_disk(directory)
    return [text for text in texts if any(encoded in held for encoded in encodings(text))]
