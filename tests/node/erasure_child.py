"""Fills a memory, then forgets and dies by its own hand at one step of it. Started by test_erasure_crash.py."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import semurg
from semurg.embedded import Memory
from semurg.eventlog import sqlite_log, sqlite_write

USER = "ann-quillfeather-71"
SUBJECT = "Zora Polkinghorne"
GOING = "Hesketh-Arbuthnot"
STAYING = "Tresco Abbey Gardens"
FORMS: dict[str, Callable[[Memory], dict[str, Any]]] = {
    "subject": lambda memory: memory.forget(scope="one", user_id=USER, subject=SUBJECT),
    "all": lambda memory: memory.forget(scope="one", user_id=USER, all=True),
    "delete_user": lambda memory: memory.delete_user(USER),
}
STEPS = (
    "before the append",
    "in the transaction",
    "after the append",
    "after the projections",
    "before the checkpoint",
    "after the checkpoint",
    "after the erasure",
)


def fill(memory: Memory) -> None:
    """What goes with each form in scope "one", and in another partition and scope what stays."""
    for number in range(30):
        memory.relate(scope="one", user_id=USER, frm=SUBJECT, to=f"Place {number}", type=f"NEAR {GOING}")
    memory.remember(scope="one", user_id=USER, content=f"{SUBJECT} wrote to {GOING}.", source=f"mail of {GOING}")
    memory.forget(scope="one", user_id=USER, source=f"mail of {GOING}")
    memory.remember(scope="one", user_id=USER, content=f"{SUBJECT} met {GOING}.")
    memory.relate(scope="two", user_id=None, frm=STAYING, to="Scilly", type="IN")


def die() -> None:
    """At once, with nothing flushed, as a machine without power does."""
    os.kill(os.getpid(), signal.SIGKILL)


def arm(step: str) -> None:
    """Have the process die at this step of whatever erases next."""
    log = sqlite_log.SqliteLog
    append, finish, truncate, redact = log.append, log.finish_erasure, sqlite_log.truncate, sqlite_write._redact

    async def dying_append(self: Any, batch: Any) -> None:
        if step == "before the append":
            die()
        await append(self, batch)
        if step == "after the append":
            die()

    async def dying_finish(self: Any, stream: str, through: int) -> None:
        if step == "after the projections":
            die()
        await finish(self, stream, through)
        die()

    def dying_truncate(connection: Any) -> bool:
        if step == "before the checkpoint":
            die()
        done = truncate(connection)
        if step == "after the checkpoint":
            die()
        return done

    def dying_redact(connection: Any, commit: Any, ordered_by: int) -> None:
        redact(connection, commit, ordered_by)
        if step == "in the transaction":
            die()

    log.append, log.finish_erasure = dying_append, dying_finish  # type: ignore[method-assign]
    sqlite_log.truncate, sqlite_write._redact = dying_truncate, dying_redact


if __name__ == "__main__":
    directory, form, step = sys.argv[1:]
    with semurg.open(directory) as opened:
        fill(opened)
        arm(step)
        FORMS[form](opened)
