"""`semurg parse`: what the readers make of documents, with no node and nothing stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import msgspec
import typer

from semurg.cli.progress import bar
from semurg.cli.terminal import show_lines
from semurg.documents.formats.model import DocumentFault
from semurg.documents.formats.pool import WORKERS_MAX, WorkerPool
from semurg.documents.sections import laid_out
from semurg.domain.limits import DOCUMENT_BYTES_MAX

STDIN = "-"


def parse(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Documents to read; - reads standard input.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a file, a line each.")] = False,
) -> None:
    """Read documents and show what is in them. Needs no node and stores nothing."""
    missing = [name for name in files if name != STDIN and not Path(name).is_file()]
    if missing:
        raise typer.BadParameter(f"there is no file {missing[0]!r}")
    refused = 0
    with bar("reading") as tell:
        for done, result in enumerate(_results(files), start=1):
            refused += result["status"] != "stored"
            if tell is not None:
                tell(done, len(files))
            if as_json:
                sys.stdout.write(msgspec.json.encode(result).decode() + "\n")
            else:
                _show(result)
    sys.stdout.flush()
    if refused:
        raise typer.Exit(1)


def _results(files: Sequence[str]) -> Iterator[dict[str, Any]]:
    pool = WorkerPool()
    try:
        with ThreadPoolExecutor(WORKERS_MAX) as threads:
            yield from threads.map(lambda name: _result(pool, name), files)
    finally:
        pool.close()


def _result(pool: WorkerPool, name: str) -> dict[str, Any]:
    """The object that stands for one file."""
    try:
        content = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        return {"file": name, "status": "unreadable", "detail": f"the file cannot be read: {error.strerror}."}
    started = perf_counter()
    try:
        if len(content) > DOCUMENT_BYTES_MAX:
            detail = f"the file has {len(content):,} bytes; a document has at most {DOCUMENT_BYTES_MAX:,}."
            return {"file": name, "status": "too_large", "detail": detail, "seconds": 0.0}
        parsed = pool.read(content)
    except DocumentFault as fault:
        seconds = round(perf_counter() - started, 4)
        return {"file": name, "status": fault.code, "detail": fault.detail, "seconds": seconds}
    text, placed = laid_out(parsed.blocks)
    blocks = [
        {**block_fields(one.block.kind, one.block.level, one.block.page), "text": one.block.text}
        | {"start": one.start, "end": one.end}
        for one in placed
    ]
    known = {"pages": parsed.pages} if parsed.pages is not None else {}
    result = {"file": name, "status": "stored", "kind": parsed.kind, **known, "text": text, "blocks": blocks}
    return {**result, "seconds": round(perf_counter() - started, 4)}


def block_fields(kind: str, level: int | None, page: int | None) -> dict[str, Any]:
    """Kind, level and page of a block as replies show them: what is not known is left out."""
    known = {"level": level, "page": page}
    return {"kind": kind, **{name: value for name, value in known.items() if value is not None}}


def _show(result: dict[str, Any]) -> None:
    if result["status"] != "stored":
        show_lines([(f"{result['file']}: {result['status']}: {result['detail']}", "bold red")])
        return
    lines = [(f"{result['file']} ({result['kind']})", "bold")]
    for block in result["blocks"]:
        lines.append((block["text"], "bold" if block["kind"] == "heading" else ""))
    show_lines(lines)
