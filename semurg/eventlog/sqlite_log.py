"""The log in one SQLite file, the first implementation of protocol.Log.

Two connections, each in a thread of its own: one writes, one reads and checkpoints. A batch is one hop to the writer's
thread and one fsync there. The head is kept in memory and moves in that thread, so that a caller who is cancelled while
a batch is written leaves it right.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from semurg.domain.errors import Refusal
from semurg.eventlog import sqlite_read
from semurg.eventlog.chain import GENESIS, Verification
from semurg.eventlog.checkpoints import Checkpoints, passive, truncate
from semurg.eventlog.commits import last_commit_before, read_commits
from semurg.eventlog.connection import Channel, Connect, T, connect, refusal_of
from semurg.eventlog.migrate import Migration, migrate, shipped
from semurg.eventlog.payloads import StoredPayload
from semurg.eventlog.protocol import (
    Commit,
    CommitPage,
    CommitWanted,
    Head,
    PendingErasure,
    Recorded,
    ReplyMemo,
)
from semurg.eventlog.seal import Sealing
from semurg.eventlog.sqlite_read import AFTER, OF_STREAM, read_events
from semurg.eventlog.sqlite_write import write_batch
from semurg.eventlog.walk import walk_store


class SqliteLog:
    """The events in the file at `path`, their head sealed by `sealing` when there is one.

    `connector` and `steps` are there for tests of failing disks and migrations.
    """

    def __init__(
        self,
        path: Path,
        connector: Connect = connect,
        steps: Sequence[Migration] | None = None,
        sealing: Sealing | None = None,
    ) -> None:
        self._path = path
        self._connector = connector
        self._steps = steps
        self._writer: Channel | None = None
        self._reader: Channel | None = None
        self._head = Head(0, 0, GENESIS, 0)
        self._sealing = sealing
        self._checkpoints = Checkpoints(self._checkpoint, lambda: self._write(passive))

    async def open(self) -> None:
        """Make or migrate the file and find its head. Raises Refusal log_newer, log_corrupt, read_only, node_in_use."""
        steps = list(self._steps) if self._steps is not None else shipped()
        try:
            if self._sealing is not None and not self._path.exists():
                await self._sealing.before_the_first()
            self._writer = await self._channel()
            await self._write(lambda connection: migrate(connection, steps))
            self._reader = await self._channel()
            self._head = await self._read(sqlite_read.read_head)
            if self._sealing is not None:
                await self._sealing.begin(self.head, self._digest_at)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Checkpoint and let go of the file. Closing twice, or what was never opened, is harmless."""
        await self._checkpoints.stop()
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        # SQLite checkpoints and removes the write-ahead log when its last connection closes.
        for channel in (reader, writer):
            if channel is not None:
                await channel.close()
        if self._sealing is not None:
            await self._sealing.end()

    def head(self) -> Head:
        """Where the log ends, from memory."""
        return self._head

    async def append(self, batch: Sequence[Commit]) -> None:
        """Write the commits in one transaction, one fsync, one thread hop. As protocol.Log.append."""
        if not batch:
            return

        def work(connection: sqlite3.Connection) -> int:
            self._head, size = write_batch(connection, self._head, batch)
            return size

        self._checkpoints.wrote(await self._write(work), len(batch))
        if self._sealing is not None:
            self._sealing.wrote()

    async def read(self, after: int, limit: int) -> list[Recorded]:
        """Events after a position, decoded in the reader's thread. As protocol.Log.read."""
        return await self._read(lambda connection: read_events(connection, AFTER, (after, limit)))

    async def read_stream(self, stream: str, after_version: int, limit: int) -> list[Recorded]:
        """Events of one stream after a version. As protocol.Log.read_stream."""
        parameters = (stream, after_version, limit)
        return await self._read(lambda connection: read_events(connection, OF_STREAM, parameters))

    async def read_at(self, positions: Sequence[int], bytes_max: int | None = None) -> list[Recorded]:
        """The events at these positions, ascending, until they pass `bytes_max`."""
        return await self._read(lambda connection: sqlite_read.read_at(connection, positions, bytes_max))

    async def erasable(self, positions: Sequence[int]) -> list[int]:
        """Those of the positions whose payloads hold anything to erase. As protocol.Log.erasable."""
        return await self._read(lambda connection: sqlite_read.read_erasable(connection, positions))

    async def commits(self, after: int, limit: int, wanted: CommitWanted) -> CommitPage:
        """Commits after a number, those without events included. As protocol.Log.commits."""
        return await self._read(lambda connection: read_commits(connection, after, limit, wanted))

    async def last_commit_before(self, instant: int) -> int:
        """The number of the last commit recorded before the instant, 0 when there is none."""
        return await self._read(lambda connection: last_commit_before(connection, instant))

    async def payloads(self, positions: Sequence[int]) -> dict[int, StoredPayload]:
        """The stored payloads at these positions, undecoded."""
        return await self._read(lambda connection: sqlite_read.read_payloads(connection, positions))

    async def memo(self, key_hash: str, now: int) -> ReplyMemo | None:
        """The reply remembered under the key, less than a day old at `now`."""
        return await self._read(lambda connection: sqlite_read.read_memo(connection, key_hash, now))

    async def pending_erasures(self) -> list[PendingErasure]:
        """Streams with redactions whose erasure is not finished, in order of the forget event."""
        return await self._read(sqlite_read.read_pending)

    async def finish_erasure(self, stream: str, through: int) -> None:
        """Leave nothing of the replaced bytes in the file or its write-ahead log, then strike the work off.

        A crash before the end leaves it pending. Raises Refusal busy when some reader keeps the old pages alive.
        """
        async with self._checkpoints.alone:
            await self._write(lambda connection: _finish_erasure(connection, stream, through))

    async def verify(self) -> Verification:
        """Walk the whole chain on a connection of its own, so that other reads go on meanwhile."""

        def walk() -> Verification:
            with closing(self._connector(self._path)) as connection:
                return walk_store(connection)

        try:
            return await asyncio.to_thread(walk)
        except (sqlite3.Error, OSError) as error:
            raise refusal_of(error) from error

    async def _checkpoint(self) -> bool:
        whole = await self._read(passive)
        if self._sealing is not None:
            await self._sealing.seal()
        return whole

    async def _digest_at(self, commit: int) -> bytes | None:
        return await self._read(lambda connection: sqlite_read.read_digest(connection, commit))

    async def _channel(self) -> Channel:
        channel = Channel(self._path, self._connector)
        await channel.start()
        return channel

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await _opened(self._writer).run(work)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await _opened(self._reader).run(work)


def _opened(channel: Channel | None) -> Channel:
    if channel is None:
        raise RuntimeError("the log is not open")
    return channel


def _finish_erasure(connection: sqlite3.Connection, stream: str, through: int) -> None:
    due = "stream = ? AND ordered_by <= ?"
    grown, any_due = connection.execute(
        f"SELECT total(grown), count(*) FROM erasure WHERE {due}", (stream, through)
    ).fetchone()
    if grown:
        # A payload that moved may have left copies of itself or its neighbours in the gaps of pages.
        connection.execute("PRAGMA temp_store = FILE")
        connection.execute("VACUUM")
        connection.execute("PRAGMA temp_store = MEMORY")
    if not truncate(connection):
        raise Refusal(
            "busy",
            "Another program reads the log and keeps its old pages alive.",
            "Close it and call again.",
            retry_after=5,
        )
    if any_due:
        connection.execute(f"DELETE FROM erasure WHERE {due}", (stream, through))
