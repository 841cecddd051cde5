"""Reading documents in processes that can be killed: a few workers, each started when first needed and again when lost.

Threads wait for the workers, one for each, so that an event loop never does.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, cast

import msgspec

from semurg.documents.formats.model import DocumentFault, FaultCode, Parsed
from semurg.documents.formats.worker import LENGTH_BYTES, SECONDS_MAX, Answer

WORKERS_MAX = 2
DOCUMENTS_A_WORKER = 200
"""After so many a worker is replaced: libraries keep more and more."""
COMMAND = (sys.executable, "-m", "semurg.documents.formats.worker")


class WorkerPool:
    """Readers of documents in processes of their own. Used from any thread; `close` ends them all."""

    def __init__(
        self, workers: int = WORKERS_MAX, seconds: float = SECONDS_MAX, command: tuple[str, ...] = COMMAND
    ) -> None:
        self._seconds = seconds
        self._command = command
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="semurg-documents")
        self._local = threading.local()
        self._workers: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False
        self.waiting = 0

    def read(self, content: bytes) -> Parsed:
        """What a document says. Raises DocumentFault; past the time or the memory, `document_too_complex`."""
        return self._submit(content).result()

    async def read_off_loop(self, content: bytes) -> Parsed:
        """`read` for an event loop: it goes on with other things meanwhile."""
        return await asyncio.wrap_future(self._submit(content))

    def close(self) -> None:
        """End every worker, whatever it is at. Documents that wait or are being read fail. Again is harmless."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.release()
        self._workers.clear()

    def _submit(self, content: bytes) -> Future[Parsed]:
        with self._lock:
            self.waiting += 1
        future = self._threads.submit(self._read, content)
        future.add_done_callback(self._done)
        return future

    def _done(self, _: Future[Parsed]) -> None:
        with self._lock:
            self.waiting -= 1

    def _read(self, content: bytes) -> Parsed:
        """On a thread of the pool, each of which has one worker."""
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is None or not worker.usable:
            worker = self._local.worker = self._start(worker)
        reply = worker.ask(content, self._seconds)
        if reply.fault is not None:
            raise DocumentFault(cast(FaultCode, reply.fault), reply.detail)
        assert reply.kind is not None
        return Parsed(reply.kind, reply.blocks, reply.pages)

    def _start(self, before: _Worker | None) -> _Worker:
        with self._lock:
            if before is not None:
                self._workers.discard(before)
                before.release()
            if self._closed:
                raise RuntimeError("the pool of document readers is closed")
            worker = _Worker(self._command)
            self._workers.add(worker)
            return worker


class _Worker:
    """One process and the pipes to it."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._process = subprocess.Popen(  # a group of its own, so that it is killed with whatever it may have started
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={
                name: value
                for name, value in os.environ.items()
                if name in ("PATH", "PYTHONPATH", "LANG", "SYSTEMROOT")
            },
        )
        self._read = 0

    @property
    def usable(self) -> bool:
        """Whether it can be given another document."""
        return self._process.poll() is None and self._read < DOCUMENTS_A_WORKER

    def ask(self, content: bytes, seconds: float) -> Answer:
        """What comes of a document; the process is killed when that takes too long."""
        self._read += 1
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            reply = self._exchange(content)
        finally:
            timer.cancel()
        if reply is not None:
            return msgspec.msgpack.decode(reply, type=Answer)
        self.release()
        if late.is_set():
            detail = f"reading the document takes longer than {seconds:g} seconds."
        else:
            detail = "reading the document takes more memory or time than a document may."
        return Answer(fault="document_too_complex", detail=detail)

    def _exchange(self, content: bytes) -> bytes | None:
        """The reply's bytes; None when the process was lost."""
        requests, replies = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        try:
            requests.write(len(content).to_bytes(LENGTH_BYTES, "little"))
            requests.write(content)
            requests.flush()
        except OSError:
            return None
        head = replies.read(LENGTH_BYTES)
        if len(head) < LENGTH_BYTES:
            return None
        length = int.from_bytes(head, "little")
        reply = replies.read(length)
        return reply if len(reply) == length else None

    def kill(self) -> None:
        """End the process and all that it started. Again is harmless."""
        if self._process.poll() is None:
            _end_group(self._process)
        self._process.wait()

    def release(self) -> None:
        """End the process and let go of the pipes; only once nobody waits at them."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    end_group: Callable[[int, int], None] | None = getattr(os, "killpg", None)
    if end_group is None:
        process.kill()
        return
    try:
        end_group(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.wait()
