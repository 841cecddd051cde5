"""A disk that refuses: the caller is told by name, nothing of the batch is there, and the log works on when it can."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from semurg.domain.errors import Refusal
from semurg.eventlog.connection import connect, refusal_of
from semurg.eventlog.protocol import Head
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, named, with_log

PAGES = 40


def small_disk(path: Path) -> sqlite3.Connection:
    """A connection whose file may not grow past some pages."""
    connection = connect(path)
    connection.execute(f"PRAGMA max_page_count = {PAGES}")
    return connection


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Writes past `size` fail in the operating system, as they do on a failing disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_refuses_the_whole_batch_and_the_log_goes_on_with_what_fits(tmp_path: Path) -> None:
    async def use(log: SqliteLog) -> None:
        await log.append([commit(1, named("Dana"))])
        before = log.head()
        with pytest.raises(Refusal) as refused:
            await log.append([commit(2, named("small")), commit(3, named("n" * 4096 * PAGES))])
        assert refused.value.code == "disk_full"
        assert log.head() == before
        assert [each.event for each in await log.read(0, 10)] == [named("Dana")]
        await log.append([commit(2, named("fits"))])
        assert [each.event for each in await log.read(0, 10)] == [named("Dana"), named("fits")]
        assert (await log.verify()).first_break is None

    with_log(tmp_path, use, connector=small_disk)


@pytest.mark.parametrize("allowed", [0, 1, 5_000, 20_000, 60_000])
def test_a_write_that_fails_in_the_middle_leaves_nothing_of_its_batch(tmp_path: Path, allowed: int) -> None:
    async def use(log: SqliteLog) -> Head:
        await log.append([commit(1, named("Dana"))])
        before = log.head()
        size = (tmp_path / "log.db-wal").stat().st_size
        with no_file_larger_than(size + allowed), pytest.raises(Refusal) as refused:
            await log.append([commit(at, named("n" * 10_000)) for at in range(2, 12)])
        assert refused.value.code in ("disk_full", "read_only")
        assert log.head() == before
        await log.append([commit(2, named("after"))])
        assert [each.event for each in await log.read(0, 99)] == [named("Dana"), named("after")]
        return log.head()

    head = with_log(tmp_path, use)

    async def again(log: SqliteLog) -> None:
        assert log.head() == head
        assert (await log.verify()).first_break is None

    with_log(tmp_path, again)


def test_a_file_that_is_no_log_is_refused_as_corrupt(tmp_path: Path) -> None:
    (tmp_path / "log.db").write_bytes(b"this is not a database, and long enough to be seen as none" * 100)

    async def use(log: SqliteLog) -> None:
        raise AssertionError("it opened")

    with pytest.raises(Refusal) as refused:
        with_log(tmp_path, use)
    assert refused.value.code == "log_corrupt"


def test_a_damaged_page_is_refused_as_corrupt_by_reading_and_by_verifying(tmp_path: Path) -> None:
    async def fill(log: SqliteLog) -> None:
        await log.append([commit(at, named("n" * 500)) for at in range(1, 200)])

    with_log(tmp_path, fill)
    path = tmp_path / "log.db"
    whole = path.read_bytes()
    middle = whole.index(b"n" * 400, len(whole) // 2) // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])

    async def use(log: SqliteLog) -> None:
        with pytest.raises(Refusal) as refused:
            await log.read(0, 1_000)
        assert refused.value.code == "log_corrupt"
        with pytest.raises(Refusal) as refused:
            await log.verify()
        assert refused.value.code == "log_corrupt"

    with_log(tmp_path, use)


def test_a_missing_payload_is_refused_as_corrupt_and_not_read_over(tmp_path: Path) -> None:
    async def fill(log: SqliteLog) -> None:
        await log.append([commit(at, named("n")) for at in range(1, 4)])

    with_log(tmp_path, fill)
    connection = sqlite3.connect(tmp_path / "log.db")
    connection.execute("DROP TRIGGER payload_is_not_deleted")
    connection.execute("DELETE FROM payload WHERE position = 2")
    connection.commit()
    connection.close()

    async def use(log: SqliteLog) -> None:
        with pytest.raises(Refusal) as refused:
            await log.read(0, 10)
        assert refused.value.code == "log_corrupt"
        assert "position 2" in refused.value.detail

    with_log(tmp_path, use)


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.db").mkdir()

    async def use(log: SqliteLog) -> None:
        raise AssertionError("it opened")

    with pytest.raises(Refusal) as refused:
        with_log(tmp_path, use)
    assert refused.value.code == "read_only"


@pytest.mark.parametrize(
    ("code", "means"),
    [
        (sqlite3.SQLITE_FULL, "disk_full"),
        (sqlite3.SQLITE_READONLY, "read_only"),
        (sqlite3.SQLITE_IOERR_FSYNC, "read_only"),
        (sqlite3.SQLITE_CORRUPT, "log_corrupt"),
        (sqlite3.SQLITE_NOTADB, "log_corrupt"),
        (sqlite3.SQLITE_BUSY, "node_in_use"),
        (sqlite3.SQLITE_MISUSE, "internal"),
    ],
)
def test_each_error_of_the_store_means_one_refusal(code: int, means: str) -> None:
    error = sqlite3.OperationalError("text that no caller sees")
    error.sqlite_errorcode = code
    error.sqlite_errorname = "SQLITE_SOMETHING"
    refusal = refusal_of(error)
    assert refusal.code == means
