"""After an erasure no file of the log holds the bytes, wherever SQLite had put them; until then the work is marked."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from semurg.domain.errors import Refusal
from semurg.domain.events import EntitiesRecorded
from semurg.eventlog.connection import connect
from semurg.eventlog.payloads import StoredPayload, erased, rewritten
from semurg.eventlog.protocol import Commit, ReplyMemo
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, files_holding, forget, named, with_log

SEED = 20260501


def marked(number: int, length: int) -> EntitiesRecorded:
    """An event whose text shows its number every few bytes, so that any copied part of it can be found."""
    mark = f"<secret {number}>"
    return named((mark * (length // len(mark) + 1))[: max(length, len(mark))])


def test_a_forgotten_payload_of_any_size_is_in_no_file_while_its_neighbours_are(tmp_path: Path) -> None:
    random_sizes = random.Random(SEED)
    sizes = [random_sizes.choice([20, 200, 900, 2_000, 5_000, 40_000]) for _ in range(150)]
    forgotten = random_sizes.sample(range(1, len(sizes) + 1), 60)

    async def use(log: SqliteLog) -> None:
        for position, size in enumerate(sizes, start=1):
            await log.append([commit(position, marked(position, size))])
        for at, position in enumerate(forgotten, start=len(sizes) + 1):
            left = erased() if at % 2 else rewritten(EntitiesRecorded())
            await log.append([forget(at, {position: left})])
            await log.finish_erasure("s", at)
            assert files_holding(tmp_path, f"<secret {position}>".encode()) == []
        assert (await log.verify()).first_break is None

    with_log(tmp_path, use)
    for position in range(1, len(sizes) + 1):
        gone = position in forgotten
        assert files_holding(tmp_path, f"<secret {position}>".encode()) == ([] if gone else ["log.db"])


def test_payloads_that_grow_are_erased_too_and_so_is_what_their_moves_copied(tmp_path: Path) -> None:
    sizes = random.Random(SEED)
    count, forgets = 60, 150
    latest = {position: f"<secret {position}>" for position in range(1, count + 1)}

    async def use(log: SqliteLog) -> None:
        await log.append([commit(at, marked(at, 300)) for at in range(1, count + 1)])
        for at in range(count + 1, count + forgets + 1):
            position = sizes.randint(1, count)
            latest[position] = f"<secret {at}>"
            await log.append(
                [forget(at, {position: rewritten(marked(at, sizes.choice([30, 400, 900, 1_900, 5_000])))})]
            )
        await log.finish_erasure("s", log.head().position)
        assert (await log.verify()).first_break is None

    with_log(tmp_path, use)
    every = {f"<secret {number}>" for number in range(1, count + forgets + 1)}
    left = {text for text in every if files_holding(tmp_path, text.encode())}
    assert left == set(latest.values()), f"seed {SEED}"


def replied(at: int, stream: str, size: int) -> Commit:
    mark = f"<reply {at}>".encode()
    return commit(at, stream=stream, memo=ReplyMemo(f"k{at}", "b", mark * size, stream, at))


def test_forgotten_memos_are_in_no_file_while_those_of_other_streams_are(tmp_path: Path) -> None:
    async def use(log: SqliteLog) -> None:
        for at in range(1, 61):
            await log.append([replied(at, "ab"[at % 2], size=1 + at * 7 % 200)])
        await log.append([commit(61, stream="a", forget_memos=True)])
        await log.finish_erasure("a", log.head().position)
        for at in range(1, 61):
            assert files_holding(tmp_path, f"<reply {at}>".encode()) == (["log.db"] if at % 2 else [])

    with_log(tmp_path, use)


def test_forgotten_memos_are_marked_as_work_until_the_write_ahead_log_is_empty(tmp_path: Path) -> None:
    async def use(log: SqliteLog) -> None:
        await log.append([replied(1, "a", 5)])
        await log.append([commit(2, named("x"), stream="a", forget_memos=True)])
        assert await log.pending_erasures() == [("a", 1)]
        await log.finish_erasure("a", 1)
        assert await log.pending_erasures() == []

    with_log(tmp_path, use)


def test_a_memo_of_the_day_before_yesterday_is_in_no_file(tmp_path: Path) -> None:
    day = 24 * 60 * 60 * 1_000_000

    async def use(log: SqliteLog) -> None:
        await log.append([commit(1, memo=ReplyMemo("k1", "b", b"<reply of day 0>", "s", 1))])
        await log.append([commit(day, memo=ReplyMemo("k2", "b", b"<reply of day 1>", "s", day))])
        await log.append([commit(2 * day, memo=ReplyMemo("k3", "b", b"<reply of day 2>", "s", 2 * day))])

    with_log(tmp_path, use)
    assert files_holding(tmp_path, b"<reply of day 0>") == []
    assert files_holding(tmp_path, b"<reply of day 1>") == ["log.db"]


def test_an_erasure_that_a_reader_keeps_from_finishing_says_so_and_stays_pending(tmp_path: Path) -> None:
    def impatient(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.execute("PRAGMA busy_timeout = 1")
        return connection

    async def use(log: SqliteLog) -> None:
        await log.append([commit(1, marked(1, 100))])
        with closing(connect(tmp_path / "log.db")) as other:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM event").fetchone()
            await log.append([forget(2, {1: erased()})])
            with pytest.raises(Refusal) as refused:
                await log.finish_erasure("s", 2)
            assert refused.value.code == "busy"
            assert await log.pending_erasures() == [("s", 2)]
        await log.finish_erasure("s", 2)
        assert await log.pending_erasures() == []
        assert files_holding(tmp_path, b"<secret 1>") == []

    with_log(tmp_path, use, connector=impatient)


def test_redacting_overwrites_the_row_where_it_lies(tmp_path: Path) -> None:
    """The premise of the padding: no page but those that held the payload changes its place or its number."""

    async def use(log: SqliteLog) -> None:
        await log.append([commit(at, marked(at, 700)) for at in range(1, 31)])

    with_log(tmp_path, use)
    before = (tmp_path / "log.db").read_bytes()
    place = before.index(b"<secret 15>")

    async def erase(log: SqliteLog) -> StoredPayload:
        await log.append([forget(31, {15: erased()})])
        await log.finish_erasure("s", 31)
        return (await log.payloads([15]))[15]

    left = with_log(tmp_path, erase)
    after = (tmp_path / "log.db").read_bytes()
    assert after[place : place + 600] == bytes(600)
    assert 0 < place - after.rindex(left.salt, 0, place) < 100
