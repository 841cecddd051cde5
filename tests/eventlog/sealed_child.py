"""Appends to a sealed log without end and says on standard output what is durable, until it is killed.

Started by test_seal.py. The seal follows as fast as it can, so that a kill meets it at any step. Every fifth commit
forgets an earlier event, and every hundredth the log is closed and opened again.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.payloads import erased
from semurg.eventlog.seal import Sealing
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, forget, named


async def write(directory: DataDirectory) -> None:
    while True:
        log = SqliteLog(directory.log_path, sealing=Sealing(directory, every_s=0.001))
        await log.open()
        for _ in range(100):
            at = log.head().recorded_at + 1
            if at % 5 == 0:
                await log.append([forget(at, {log.head().position: erased()})])
                await log.finish_erasure("s", log.head().position)
            else:
                await log.append([commit(at, named(f"name {at}"))])
            sys.stdout.write(f"{log.head().commit}\n")
            sys.stdout.flush()
        await log.close()


if __name__ == "__main__":
    with DataDirectory(Path(sys.argv[1])) as claimed:
        asyncio.run(write(claimed))
