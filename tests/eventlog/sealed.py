"""A data directory with a sealed log in it, for tests of the seal and of verification."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from semurg.domain.events import EntitiesRecorded
from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.payloads import erased, rewritten
from semurg.eventlog.seal import Seal, Sealing, read_seal
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, forget, named

T = TypeVar("T")


def with_sealed(path: Path, use: Callable[[SqliteLog, Sealing], Awaitable[T]], every_s: float = 60.0) -> T:
    """What `use` answers with the directory claimed and its log open; all is closed as a node closes it."""

    async def run() -> T:
        with DataDirectory(path) as directory:
            sealing = Sealing(directory, every_s)
            log = SqliteLog(directory.log_path, sealing=sealing)
            await log.open()
            try:
                return await use(log, sealing)
            finally:
                await log.close()

    return asyncio.run(run())


def fill(path: Path) -> None:
    """Six commits, eight events; the fifth orders redactions of positions 2 (a part) and 4 (all)."""

    async def write(log: SqliteLog, sealing: Sealing) -> None:
        await log.append([commit(1, named("Dana"), named("Evi", 2)), commit(2), commit(3, named("Finn", 3))])
        await log.append([commit(4, named("Gro", 4), named("Hal", 5))])
        await log.append([forget(5, {2: rewritten(EntitiesRecorded()), 4: erased()})])
        await log.finish_erasure("s", log.head().position)
        await log.append([commit(6, named("Ida", 6), stream="t"), commit(7, named("Jon", 7))])

    with_sealed(path, write)


def seal_of(path: Path) -> Seal | None:
    """The seal in a data directory as it is on disk."""
    directory = DataDirectory(path)
    directory.look()
    return read_seal(directory.seal_path, directory.keyed_hash)


def tamper(path: Path, *statements: str) -> None:
    """Change the log behind its back, the triggers that would refuse it dropped first."""
    with closing(sqlite3.connect(path / "log.db")) as connection, connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement
