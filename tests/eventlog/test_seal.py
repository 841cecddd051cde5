"""The seal follows the log, never leads it, and is kept as it is once it tells that something is wrong."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from semurg.eventlog import checkpoints, seal
from semurg.eventlog.chain import GENESIS
from semurg.eventlog.protocol import Head
from semurg.eventlog.seal import Seal, Sealing, fault_of_seal
from semurg.eventlog.sqlite_log import SqliteLog
from semurg.eventlog.verification import verify_directory

from .builders import commit, named, with_log
from .sealed import fill, seal_of, tamper, with_sealed

SEED = int(os.environ.get("SEMURG_TEST_SEED", "20260502"))
ROOT = Path(__file__).parents[2]
KILLS = 8
DIGEST, OTHER = bytes(32), bytes(31) + b"x"


def add(at: int) -> object:
    return commit(at, named(f"name {at}"))


async def sealed_at(path: Path, number: int) -> Seal:
    """The seal, once it has come to a commit."""
    async with asyncio.timeout(10):
        while (found := seal_of(path)) is None or found.commit < number:
            await asyncio.to_thread(os.sched_yield)
    return found


@pytest.mark.parametrize(
    ("sealed", "ends_at", "digest", "fault"),
    [
        (Seal(3, 5, DIGEST, 0, False), 3, DIGEST, None),
        (Seal(3, 5, DIGEST, 0, False), 9, DIGEST, None),
        (Seal(3, 5, DIGEST, 0, True), 3, DIGEST, None),
        (Seal(3, 5, DIGEST, 0, True), 4, DIGEST, "closed at commit 3, and goes on to commit 4"),
        (Seal(3, 5, DIGEST, 0, False), 9, OTHER, "commit 3 is not the one"),
        (Seal(3, 5, DIGEST, 0, False), 2, None, "ends at commit 2 and was sealed at commit 3"),
    ],
)
def test_a_log_is_held_to_its_seal(sealed: Seal, ends_at: int, digest: bytes | None, fault: str | None) -> None:
    found = fault_of_seal(sealed, Head(0, 0, OTHER, ends_at), digest)
    assert (found is None) if fault is None else (found is not None and fault in found)


def test_an_empty_log_is_sealed_before_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[bool] = []
    written = seal.write_seal

    def watched(path: Path, *rest: object) -> None:
        order.append((tmp_path / "log.db").exists())
        written(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(seal, "write_seal", watched)

    async def use(log: SqliteLog, sealing: Sealing) -> None:
        assert seal_of(tmp_path) == Seal(0, 0, GENESIS, 0, False)

    with_sealed(tmp_path, use)
    assert order[0] is False
    assert seal_of(tmp_path) == Seal(0, 0, GENESIS, 0, True)


def test_the_seal_is_opened_before_a_write_follows_it_and_is_closed_at_the_end(tmp_path: Path) -> None:
    fill(tmp_path)
    closed = seal_of(tmp_path)
    assert closed is not None and closed.closed

    async def use(log: SqliteLog, sealing: Sealing) -> None:
        assert seal_of(tmp_path) == closed._replace(closed=False)
        await log.append([add(8)])  # type: ignore[list-item]
        assert seal_of(tmp_path) == closed._replace(closed=False)
        sealed = await sealed_at(tmp_path, log.head().commit)
        assert sealed == Seal(log.head().commit, log.head().position, log.head().digest, 0, False)

    with_sealed(tmp_path, use, every_s=0.01)
    ended = seal_of(tmp_path)
    assert ended is not None and (ended.commit, ended.position, ended.closed) == (8, 9, True)


def test_a_checkpoint_seals_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "IDLE_S", 0.01)

    async def use(log: SqliteLog, sealing: Sealing) -> None:
        await log.append([add(1), add(2)])  # type: ignore[list-item]
        assert (await sealed_at(tmp_path, 2)).commit == 2

    with_sealed(tmp_path, use, every_s=3_600.0)


def test_a_seal_that_the_disk_refuses_is_written_later_and_refuses_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, refusals = seal.write_seal, [OSError(28, "No space left on device")] * 2

    def failing(path: Path, *rest: object) -> None:
        if refusals and rest[0].commit:  # type: ignore[attr-defined]
            raise refusals.pop()
        written(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(seal, "write_seal", failing)

    async def use(log: SqliteLog, sealing: Sealing) -> None:
        await log.append([add(1)])  # type: ignore[list-item]
        assert (await sealed_at(tmp_path, 1)).commit == 1

    with_sealed(tmp_path, use, every_s=0.001)
    assert refusals == []


@pytest.mark.parametrize("harm", ["cut off", "gone", "goes on", "torn"])
def test_a_seal_that_does_not_hold_is_left_as_it_is_by_a_node_that_writes_on(
    tmp_path: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    fill(tmp_path)
    if harm == "cut off":
        tamper(tmp_path, 'DELETE FROM "commit" WHERE number = 7', "DELETE FROM event WHERE position = 8",
               "DELETE FROM payload WHERE position = 8")  # fmt: skip
    elif harm == "gone":
        (tmp_path / "log.db").unlink()
    elif harm == "goes on":
        with_log(tmp_path, lambda log: log.append([add(8)]))  # type: ignore[list-item]
    else:
        (tmp_path / "head.seal").write_bytes(b"{}")
    before = (tmp_path / "head.seal").read_bytes()

    async def use(log: SqliteLog, sealing: Sealing) -> None:
        assert sealing.broken is not None
        await log.append([add(100), add(101), add(102)])  # type: ignore[list-item]
        await sealing.seal()

    with caplog.at_level(logging.ERROR):
        with_sealed(tmp_path, use)
    assert "semurg verify" in caplog.text
    assert (tmp_path / "head.seal").read_bytes() == before
    assert not verify_directory(tmp_path).holds


def test_a_seal_that_was_taken_away_is_made_anew_and_says_from_where(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(tmp_path)
    (tmp_path / "head.seal").unlink()

    async def use(log: SqliteLog, sealing: Sealing) -> None:
        await log.append([add(8)])  # type: ignore[list-item]

    with_sealed(tmp_path, use)
    found = verify_directory(tmp_path)
    assert found.holds
    assert found.seal.seal is not None and (found.seal.seal.commit, found.seal.seal.begun) == (8, 7)
    assert "no seal" in caplog.text


def test_a_kill_at_any_instant_never_looks_like_tampering(tmp_path: Path) -> None:
    pick = random.Random(SEED)
    for _ in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.eventlog.sealed_child", str(tmp_path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
        )
        assert child.stdout is not None
        with child.stdout:
            lines = [child.stdout.readline() for _ in range(pick.randint(1, 120))]
            child.kill()
            lines += [line for line in child.stdout.readlines() if line.endswith("\n")]
        child.wait()
        found = verify_directory(tmp_path)
        assert found.holds, f"seed {SEED}: {found.chain.first_break} {found.seal}"
        assert found.seal.seal is not None and found.seal.seal.commit <= found.chain.commits
        assert found.chain.commits >= int(lines[-1])
        assert found.seal.seal.begun == 0
    fill_more(tmp_path)
    assert [each.name for each in tmp_path.glob(".*")] == []


def fill_more(path: Path) -> None:
    """Open and close the log once more."""

    async def nothing(log: SqliteLog, sealing: Sealing) -> None:
        pass

    with_sealed(path, nothing)
