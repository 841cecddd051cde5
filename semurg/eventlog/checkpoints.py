"""When the write-ahead log is copied into the database file: past some MiB, or when nothing was written for a while.

Never on the commit path: a checkpoint takes tens of ms. It runs in the readers' thread, beside the writer.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Coroutine
from typing import Any

from semurg.domain.errors import Refusal

logger = logging.getLogger("semurg.eventlog")

PASSIVE_BYTES = 4 * 1024 * 1024
BLOCKING_BYTES = 64 * 1024 * 1024
IDLE_S = 1.0
# A small commit dirties a page of each table and of the index of streams.
COMMIT_OVERHEAD_BYTES = 5 * 4096

Checkpoint = Callable[[], Coroutine[Any, Any, bool]]


def passive(connection: sqlite3.Connection) -> bool:
    """Copy what can be copied without waiting for anyone; whether that was everything."""
    return _checkpoint(connection, "PASSIVE")


def truncate(connection: sqlite3.Connection) -> bool:
    """Copy everything and empty the write-ahead log, waiting for readers a while; whether it is done."""
    return _checkpoint(connection, "TRUNCATE")


def _checkpoint(connection: sqlite3.Connection, mode: str) -> bool:
    busy, pages, copied = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    return not busy and pages == copied


class Checkpoints:
    """Counts what was written and starts checkpoints, at most one at a time.

    `beside` runs one beside the writer; `between` one in the writer's thread, for a write-ahead log that never rests.
    """

    def __init__(self, beside: Checkpoint, between: Checkpoint) -> None:
        self._beside = beside
        self._between = between
        self._written = 0
        self._last_write_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        # SQLite does not wait for another checkpoint, it fails: `alone` is for whoever truncates.
        self.alone = asyncio.Lock()

    def wrote(self, size: int, commits: int) -> None:
        """A batch of `commits` with `size` bytes of payload is in the write-ahead log."""
        loop = asyncio.get_running_loop()
        self._written += size + commits * COMMIT_OVERHEAD_BYTES
        self._last_write_s = loop.time()
        if self._written >= PASSIVE_BYTES:
            self._start()
        elif self._timer is None:
            self._timer = loop.call_later(IDLE_S, self._idle)

    async def stop(self) -> None:
        """Start none any more and wait for the one that runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            await self._task

    def _idle(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None
        rest_s = self._last_write_s + IDLE_S - loop.time()
        if rest_s > 0:
            self._timer = loop.call_later(rest_s, self._idle)
        elif self._written:
            self._start()

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="semurg-checkpoint")

    async def _run(self) -> None:
        try:
            async with self.alone:
                due = self._written
                whole = await self._beside()
                if not whole and due >= BLOCKING_BYTES:
                    whole = await self._between()
            if whole:
                self._written = max(0, self._written - due)
        except Refusal as refusal:
            # Nothing is lost: what is committed is durable in the write-ahead log, and the next write tries again.
            logger.warning("a checkpoint failed: %s", refusal)
        finally:
            self._task = None
