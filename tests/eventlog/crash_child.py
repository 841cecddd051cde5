"""Appends without end and says on standard output what is durable, until it is killed. Started by test_crash.py.

Each batch is one to five commits; every third batch forgets an earlier event and finishes its erasure.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from semurg.eventlog.payloads import erased
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, forget, named


async def write(path: Path) -> None:
    log = SqliteLog(path)
    await log.open()
    at = log.head().recorded_at
    names: list[int] = []
    while True:
        batch = [commit(at + each, named(f"name {at + each}"), named("x" * 3_000)) for each in range(1, at % 5 + 2)]
        names.append(log.head().position + 1)
        await log.append(batch)
        at += len(batch)
        acknowledge(log)
        if at % 3 == 0:
            at += 1
            await log.append([forget(at, {names.pop(len(names) // 2): erased()})])
            await log.finish_erasure("s", log.head().position)
            acknowledge(log)


def acknowledge(log: SqliteLog) -> None:
    head = log.head()
    sys.stdout.write(f"{head.position} {head.commit} {head.digest.hex()}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
