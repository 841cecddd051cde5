"""Connections to the SQLite file: how they are opened, the thread each has, and what its errors mean to a caller.

No statement of the log's own lives here. Used by sqlite_log.py alone.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import aiosqlite

from semurg.domain.errors import Refusal

T = TypeVar("T")
Connect = Callable[[Path], sqlite3.Connection]

BUSY_MS = 5_000
FILE_MODE = 0o600
_PRAGMAS = (
    # NORMAL does not sync at commit in WAL mode, and an acknowledged write would be lost with the power.
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    # Checkpoints take tens of ms; they are run where no caller waits.
    "PRAGMA wal_autocheckpoint = 0",
    # Statement journals hold old pages: they must not go to a file outside the data directory.
    "PRAGMA temp_store = MEMORY",
)


def connect(path: Path) -> sqlite3.Connection:
    """A connection with the log's settings, transactions by hand. Makes a missing file, for its owner alone."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1_000, check_same_thread=False)
    try:
        for pragma in _PRAGMAS:
            connection.execute(pragma).close()
    except BaseException:
        connection.close()
        raise
    return connection


class Channel(aiosqlite.Connection):
    """A connection in a thread of its own, which is handed a whole piece of work at once: one hop, not many."""

    def __init__(self, path: Path, connector: Connect) -> None:
        super().__init__(lambda: connector(path), iter_chunk_size=64)
        # A loop that died without closing must not keep the process alive.
        self._thread.daemon = True

    async def start(self) -> None:
        """Connect. Raises Refusal."""
        try:
            await self
        except (sqlite3.Error, OSError) as error:
            # aiosqlite has told its thread to end and does not wait for it: the loop may be closed before it does.
            await asyncio.to_thread(self._thread.join)
            raise refusal_of(error) from error

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of `work` in the connection's thread; SQLite's errors come back as a Refusal.

        The work goes on to its end when the caller is cancelled.
        """
        try:
            # aiosqlite logs what it executes at DEBUG: `work` is a closure, whose repr shows no stored text.
            return cast(T, await self._execute(work, self._conn))  # type: ignore[no-untyped-call]
        except sqlite3.Error as error:
            raise refusal_of(error) from error


def refusal_of(error: sqlite3.Error | OSError) -> Refusal:
    """What an error of the store means to a caller: disk_full, read_only, log_corrupt, node_in_use; else internal."""
    if isinstance(error, OSError):
        return _read_only(error.strerror or "the operating system refused")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None and isinstance(error, sqlite3.OperationalError):
        # Not SQLite's own: Python could not read a stored value as the text that it says it is.
        code = sqlite3.SQLITE_CORRUPT
    primary = (code or 0) & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return Refusal("disk_full", "The disk is full.", "Free some space and send the call again.", retry_after=5)
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM):
        return _read_only(error.sqlite_errorname)
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Refusal("log_corrupt", "The log's file is damaged.", "Restore the data directory from a backup.")
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Refusal("node_in_use", "Another program holds the log's file.", "Close it and send the call again.")
    return Refusal("internal", f"The log's store failed: {error}.", "Look at the node's log.")


def _read_only(why: str) -> Refusal:
    return Refusal(
        "read_only",
        f"The disk refuses the log's writes ({why}).",
        "Check the disk and the rights of the data directory, then send the call again.",
        retry_after=5,
    )
