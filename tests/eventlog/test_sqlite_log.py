"""The SQLite log keeps the contract, and its file the settings that durability and erasure rest on."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

import pytest

from semurg.eventlog.connection import Channel, connect
from semurg.eventlog.payloads import erased
from semurg.eventlog.protocol import Log
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, forget, named, with_log
from .contract import LogContract


class TestSqliteLog(LogContract):
    """The contract, on SQLite."""

    def log(self, path: Path) -> AbstractAsyncContextManager[Log]:
        @asynccontextmanager
        async def opened() -> AsyncIterator[Log]:
            log = SqliteLog(path / "log.db")
            await log.open()
            try:
                yield log
            finally:
                await log.close()

        return opened()


def test_every_connection_syncs_at_commit_and_overwrites_what_it_frees(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "log.db")) as connection:
        settings = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "wal_autocheckpoint")
        }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "wal_autocheckpoint": 0}


def test_the_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    async def use(log: SqliteLog) -> set[int]:
        await log.append([commit(1, named("Dana"))])
        return {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}

    assert with_log(tmp_path, use) == {0o600}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE \"commit\" SET actor = 'someone'",
        'DELETE FROM "commit"',
        "UPDATE event SET kind = 'other'",
        "DELETE FROM event",
        "UPDATE payload SET stored = x'00'",
        "UPDATE payload SET position = position + 1",
        "DELETE FROM payload",
    ],
)
def test_the_store_itself_refuses_to_change_what_is_final(tmp_path: Path, statement: str) -> None:
    async def use(log: SqliteLog) -> None:
        await log.append([commit(1, named("Dana")), commit(2, named("Evi")), forget(3, {2: erased()})])
        await log.finish_erasure("s", 3)

    with_log(tmp_path, use)
    with closing(connect(tmp_path / "log.db")) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


def test_a_read_stops_once_it_holds_enough_bytes_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semurg.eventlog.sqlite_read.READ_BYTES_MAX", 2_500)

    async def use(log: SqliteLog) -> None:
        await log.append([commit(at, named("n" * 1_000)) for at in range(1, 6)])
        assert [each.position for each in await log.read(0, 10)] == [1, 2, 3]
        assert [each.position for each in await log.read(3, 10)] == [4, 5]

    with_log(tmp_path, use)


def test_the_write_ahead_log_is_emptied_by_closing(tmp_path: Path) -> None:
    async def use(log: SqliteLog) -> None:
        await log.append([commit(1, named("Dana"))])

    with_log(tmp_path, use)
    assert [each.name for each in tmp_path.iterdir()] == ["log.db"]


def test_past_some_bytes_the_log_checkpoints_beside_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semurg.eventlog.checkpoints.PASSIVE_BYTES", 1)

    async def use(log: SqliteLog) -> int:
        await log.append([commit(1, named("n" * 100_000))])
        await log._checkpoints.stop()
        return (tmp_path / "log.db").stat().st_size

    assert with_log(tmp_path, use) > 100_000


def test_an_idle_log_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("semurg.eventlog.checkpoints.IDLE_S", 0.0)

    async def use(log: SqliteLog) -> int:
        await log.append([commit(1, named("n" * 100_000))])
        while (timer := log._checkpoints._timer) is not None:
            await log.memo("nothing", 0)
            assert not timer.cancelled()
        await log._checkpoints.stop()
        return (tmp_path / "log.db").stat().st_size

    assert with_log(tmp_path, use) > 100_000


@pytest.mark.parametrize("commits", [1, 200])
def test_a_batch_of_any_size_is_one_hop_to_the_writers_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
    hops = []
    execute = Channel._execute

    async def counted(self: Channel, *work: object) -> object:
        hops.append(work)
        return await execute(self, *work)  # type: ignore[no-untyped-call]

    async def use(log: SqliteLog) -> int:
        monkeypatch.setattr(Channel, "_execute", counted)
        await log.append([commit(at, named("Dana")) for at in range(1, commits + 1)])
        return len(hops)

    assert with_log(tmp_path, use) == 1
