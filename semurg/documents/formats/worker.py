"""The process that reads documents: one at a time, with no network, no files of its own to open, and bounded memory.

Run as `python -m semurg.documents.formats.worker` by `pool`, which speaks with it over its standard input and output: a
frame is 8 bytes of length (little end first) and that many bytes; a document goes in, an Answer as msgpack comes out.
What reads foreign bytes runs here alone, so that whatever these make a library do, the node goes on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec

try:
    import resource
except ImportError:  # not on Windows: there the limits of time and of the readers themselves must do
    resource = None  # type: ignore[assignment]

from semurg.documents.formats.model import Block, DocumentFault, Kind, Parsed

MEMORY_BYTES_MAX = 1024 * 1024 * 1024
TEXT_CHARS_MAX = 64 * 1024 * 1024
SECONDS_MAX = 30
LENGTH_BYTES = 8
_REFUSED_EVENTS = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork", "urllib.")
_CHANGING_EVENTS = frozenset(
    ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown")
)


class Answer(msgspec.Struct, array_like=True):
    """What came of a document: its blocks, or a fault's code and detail."""

    kind: Kind | None = None
    blocks: list[Block] = []
    pages: int | None = None
    fault: str | None = None
    detail: str = ""


def answer(content: bytes) -> Answer:
    """Read one document; whatever goes wrong is told, never raised."""
    from semurg.documents.formats.read import read_document

    try:
        return _checked(read_document(content))
    except DocumentFault as fault:
        return Answer(fault=fault.code, detail=fault.detail)
    except MemoryError:
        return Answer(fault="document_too_complex", detail="reading the document takes over 1 GiB of memory.")
    except RecursionError:
        return Answer(fault="document_too_complex", detail="the document nests too deep.")
    except Exception as error:  # noqa: BLE001 - a file that breaks a library is a broken file; told by name, not raised
        detail = f"the document is broken in a way that its reader does not know ({type(error).__name__})."
        return Answer(fault="document_corrupt", detail=detail)


def _checked(parsed: Parsed) -> Answer:
    if sum(len(block.text) for block in parsed.blocks) > TEXT_CHARS_MAX:
        raise DocumentFault("document_too_complex", "the document's text expands past 64 MiB.")
    return Answer(parsed.kind, parsed.blocks, parsed.pages)


def restrict() -> None:
    """From here on this process reaches no network, starts no process, changes no file and reads none but Python's."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    own = tuple(str(Path(place).resolve()) + os.sep for place in {sys.prefix, sys.base_prefix, *_package_places()})

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments[:3]
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) != 0
            if writes or not isinstance(path, str) or not os.path.realpath(path).startswith(own):
                raise PermissionError(f"a document's reader may not open {mode} files")
        elif event.startswith(_REFUSED_EVENTS) or event in _CHANGING_EVENTS:
            raise PermissionError(f"a document's reader may not do {event}")

    sys.addaudithook(watch)


def _package_places() -> list[str]:
    return [place for place in sys.path if place and os.path.isdir(place)]


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer documents until the other side hangs up."""
    encoder = msgspec.msgpack.Encoder()
    while True:
        head = requests.read(LENGTH_BYTES)
        if len(head) < LENGTH_BYTES:
            return
        content = requests.read(int.from_bytes(head, "little"))
        _give_seconds()
        reply = encoder.encode(answer(content))
        replies.write(len(reply).to_bytes(LENGTH_BYTES, "little") + reply)
        replies.flush()


def _give_seconds() -> None:
    """Should nobody be left to stop this process, the system does, when a document has had its time twice over."""
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 2 * SECONDS_MAX, -1))


def main() -> None:
    """Serve on standard input and output; what a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    restrict()
    serve(requests, replies)


if __name__ == "__main__":
    main()
