"""Short ways to write commits in tests, and to run a coroutine against an open log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from semurg.domain.events import EntitiesRecorded, EntityForgotten, Event, Redaction
from semurg.eventlog.protocol import Commit, ExpectedVersion, ReplyMemo, StoredPayload
from semurg.eventlog.sqlite_log import SqliteLog

T = TypeVar("T")
ANY = ExpectedVersion.any()


def named(name: str, number: int = 1) -> EntitiesRecorded:
    """An event that holds a name."""
    return EntitiesRecorded(numbers=[number], names=[name], sources=[-1])


def commit(
    at: int,
    *events: Event,
    stream: str = "s",
    expected: ExpectedVersion = ANY,
    redactions: Mapping[int, StoredPayload] | None = None,
    memo: ReplyMemo | None = None,
    forget_memos: bool = False,
) -> Commit:
    """A commit at an instant; everything else is of no matter."""
    memos_of = (stream,) if forget_memos else ()
    return Commit(
        stream, expected, f"command-{at}", "remember", "owner", "done", at, events, redactions or {}, memo, memos_of
    )


def forget(at: int, left: Mapping[int, StoredPayload], stream: str = "s") -> Commit:
    """A forget that leaves `left` at these positions, with what its event must say of them."""
    redactions = [Redaction(position, stored.digest) for position, stored in left.items()]
    return commit(at, EntityForgotten("hash", 1, [], [], [], redactions), stream=stream, redactions=left)


def with_log(path: Path, use: Callable[[SqliteLog], Awaitable[T]], **options: object) -> T:
    """What `use` answers with the log in `path` open; it is closed whatever happens."""

    async def run() -> T:
        log = SqliteLog(path / "log.db", **options)  # type: ignore[arg-type]
        await log.open()
        try:
            return await use(log)
        finally:
            await log.close()

    return asyncio.run(run())


def files_holding(path: Path, text: bytes) -> list[str]:
    """Names of the files under `path` that hold these bytes."""
    return sorted(each.name for each in path.rglob("*") if each.is_file() and text in each.read_bytes())
