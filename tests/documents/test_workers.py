"""The processes that read documents: killed when late or lost, started again, and kept from files and network."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from semurg.documents.formats.model import Block, DocumentFault
from semurg.documents.formats.pool import WorkerPool
from semurg.documents.formats.worker import answer

# Stand-ins for readers that hang, die or eat memory: they speak the worker's protocol up to the document.
HANGS = "import sys, time; sys.stdin.buffer.read(8); time.sleep(600)"
DIES = "import os, sys, signal; sys.stdin.buffer.read(8); os.kill(os.getpid(), signal.SIGKILL)"


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(workers=2)
    yield pool
    pool.close()


def fault(pool: WorkerPool, content: bytes) -> tuple[str, str]:
    with pytest.raises(DocumentFault) as caught:
        pool.read(content)
    return caught.value.code, caught.value.detail


def test_documents_are_read_and_faults_are_told_across_processes(pool: WorkerPool) -> None:
    assert pool.read(b"# Soil\n\nSand.").blocks == [Block("heading", "Soil", 1), Block("paragraph", "Sand.")]
    assert fault(pool, b"")[0] == "document_empty"
    assert fault(pool, b"\x00\x01\x02")[0] == "document_kind_unsupported"


def test_a_reader_that_takes_too_long_is_killed_and_another_takes_its_place() -> None:
    pool = WorkerPool(workers=1, seconds=0.2, command=(sys.executable, "-c", HANGS))
    try:
        assert fault(pool, b"words") == ("document_too_complex", "reading the document takes longer than 0.2 seconds.")
        pool._command, pool._seconds = WorkerPool()._command, 30
        assert pool.read(b"words").blocks == [Block("paragraph", "words")]
    finally:
        pool.close()


def test_a_reader_that_dies_is_told_as_a_document_that_takes_too_much() -> None:
    pool = WorkerPool(workers=1, command=(sys.executable, "-c", DIES))
    try:
        assert fault(pool, b"words")[0] == "document_too_complex"
        assert fault(pool, b"words")[0] == "document_too_complex"
    finally:
        pool.close()


def test_closing_ends_a_reader_in_the_midst_of_a_document() -> None:
    pool = WorkerPool(workers=1, command=(sys.executable, "-c", HANGS))
    future = pool._submit(b"words")
    while not pool._workers:
        assert not future.done()
    (worker,) = pool._workers
    pool.close()
    assert worker._process.poll() is not None
    assert isinstance(future.exception(), DocumentFault)
    pool.close()


def test_a_loop_goes_on_while_documents_are_read() -> None:
    """Two readers hang; the loop answers a hundred other tasks, and only then are they ended."""
    pool = WorkerPool(workers=2, command=(sys.executable, "-c", HANGS))

    async def main() -> None:
        reading = [asyncio.ensure_future(pool.read_off_loop(b"words")) for _ in range(10)]
        for _ in range(100):
            await asyncio.sleep(0)
        assert not any(one.done() for one in reading)
        assert pool.waiting == 10
        threading.Thread(target=pool.close).start()
        for one in reading:
            with pytest.raises((DocumentFault, asyncio.CancelledError, RuntimeError)):
                await one

    asyncio.run(main())
    assert pool.waiting == 0


def test_whatever_a_library_raises_is_a_broken_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(error: Exception) -> str | None:
        def read(_: bytes) -> None:
            raise error

        monkeypatch.setattr("semurg.documents.formats.read.read_document", read)
        return answer(b"words").fault

    assert broken(KeyError("x")) == "document_corrupt"
    assert broken(RecursionError()) == broken(MemoryError()) == "document_too_complex"


RESTRICTED = """
import socket, sys, tempfile
from semurg.documents.formats.worker import answer, restrict
path = tempfile.mkdtemp() + "/secret.txt"
open(path, "w").write("secret")
restrict()
refused = []
for act in (lambda: open(path).read(), lambda: open(path, "w"), lambda: open("/etc/passwd").read(),
            lambda: socket.create_connection(("127.0.0.1", 9)), lambda: __import__("subprocess").run(["true"]),
            lambda: __import__("os").remove(path), lambda: bytearray(2 << 30)):
    try:
        act()
    except (PermissionError, MemoryError) as error:
        refused.append(type(error).__name__)
print(refused, answer("<meta charset=windows-1251><p>Привет".encode("cp1251")).blocks[0].text)
"""


def test_a_reader_opens_no_file_no_connection_and_no_program() -> None:
    done = subprocess.run([sys.executable, "-c", RESTRICTED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{['PermissionError'] * 6 + ['MemoryError']} Привет"
