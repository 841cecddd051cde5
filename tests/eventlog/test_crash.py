"""kill -9 at any instant: all that was acknowledged is there, nothing half-done is, the chain verifies."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, named, with_log

SEED = int(os.environ.get("SEMURG_TEST_SEED", "20260502"))
ROOT = Path(__file__).parents[2]
KILLS = 6


def killed_after(path: Path, acknowledgements: int) -> tuple[int, int, str]:
    """Start a writer on the log, kill it after so many acknowledgements, and give the last one it wrote."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.eventlog.crash_child", str(path / "log.db")],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert child.stdout is not None
    with child.stdout:
        lines = [child.stdout.readline() for _ in range(acknowledgements)]
        child.kill()
        # What was in the pipe when the child died was acknowledged too; the last line may be torn.
        lines += child.stdout.readlines()
    child.wait()
    position, number, digest = [line for line in lines if line.endswith("\n")][-1].split()
    return int(position), int(number), digest


def test_what_a_killed_writer_acknowledged_is_there_and_the_chain_verifies(tmp_path: Path) -> None:
    pick = random.Random(SEED)
    for _ in range(KILLS):
        position, number, digest = killed_after(tmp_path, pick.randint(1, 40))

        async def check(log: SqliteLog, position: int = position, number: int = number, digest: str = digest) -> None:
            assert log.head().position >= position, f"seed {SEED}"
            verification = await log.verify()
            assert verification.first_break is None, f"seed {SEED}"
            assert verification.commits == log.head().commit >= number
            chained = log.head().digest.hex() if log.head().commit == number else None
            assert chained in (None, digest)
            for pending in await log.pending_erasures():
                await log.finish_erasure(pending.stream, pending.through)
            assert await log.pending_erasures() == []
            read = await log.read(0, 1_000_000)
            assert [each.position for each in read] == list(range(1, log.head().position + 1))
            await log.append([commit(log.head().recorded_at + 1, named("after"))])

        with_log(tmp_path, check)
