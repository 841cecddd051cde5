"""The limits of storage: the same bytes committed by SQLite alone, one at a time or by one thread for many callers."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

BATCH_MAX = 256
DIGEST_BYTES = 32
_TABLE = """
    CREATE TABLE IF NOT EXISTS event (
        position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL, digest BLOB NOT NULL,
        payload BLOB NOT NULL, UNIQUE (stream, version)
    )
"""
_INSERT = "INSERT INTO event VALUES (?, 'scope', ?, ?, ?)"


class BareStore:
    """An append-only table in WAL mode that syncs at every commit."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        # No checkpoint while it is measured: the limit must not pay for what semurg keeps off the commit path.
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0"):
            self._connection.execute(f"PRAGMA {pragma}").close()
        self._connection.execute(_TABLE)
        self._position: int = self._connection.execute("SELECT coalesce(max(position), 0) FROM event").fetchone()[0]

    def append(self, payloads: Sequence[bytes]) -> None:
        """Commit the rows together, durably."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        rows = []
        for payload in payloads:
            self._position += 1
            rows.append((self._position, self._position, bytes(DIGEST_BYTES), payload))
        self._connection.executemany(_INSERT, rows)
        execute("COMMIT")

    def truncate(self) -> None:
        """Move the write-ahead log into the file and cut it to nothing, as an erasure must."""
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


class GroupCommit:
    """One thread that commits everything that waits, for callers on an event loop."""

    def __init__(self, path: Path) -> None:
        self._store = BareStore(path)
        self._waiting: queue.SimpleQueue[tuple[asyncio.Future[None], bytes] | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    async def append(self, payload: bytes) -> None:
        """Return when the payload is durable."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._waiting.put((done, payload))
        await done

    def close(self) -> None:
        """End the thread and let go of the file."""
        self._waiting.put(None)
        self._thread.join()
        self._store.close()

    def _run(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < BATCH_MAX and not self._waiting.empty():
                batch.append(self._waiting.get())
            real = [one for one in batch if one is not None]
            if real:
                self._store.append([payload for _, payload in real])
                self._loop.call_soon_threadsafe(_answer, [done for done, _ in real])
            if len(real) < len(batch):
                return


def _answer(futures: Sequence[asyncio.Future[None]]) -> None:
    for done in futures:
        if not done.done():
            done.set_result(None)
