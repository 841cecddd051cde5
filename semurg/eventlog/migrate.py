"""The store's schema, brought forward by numbered files: `0001_log.sql`, `0002_….sql`, each applied once, in order.

What was applied is recorded with its checksum. There is no way back: a store with a step that this semurg does not have
was written by a later one and is refused. The files lie in `migrations/` of a checkout, in the package when installed.
"""

from __future__ import annotations

import re
import sqlite3
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from semurg.domain.errors import Refusal

_FILE_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")
_RECORD = (
    "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)"
)


class Migration(NamedTuple):
    """One numbered file."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, hex."""
        return sha256(self.sql.encode()).hexdigest()


def shipped() -> list[Migration]:
    """The migrations that came with this semurg, by number. Raises FileNotFoundError when they are missing."""
    installed = files("semurg").joinpath("_migrations")
    folder = installed if installed.is_dir() else Path(__file__).parents[2] / "migrations"
    return migrations_in(folder)


def migrations_in(folder: Traversable) -> list[Migration]:
    """The migrations in a folder, numbered 1, 2, 3 … without a gap, or ValueError."""
    found = [(match, each) for each in folder.iterdir() if (match := _FILE_NAME.fullmatch(each.name)) is not None]
    steps = sorted(Migration(int(match[1]), match[2], each.read_text("utf-8")) for match, each in found)
    if [step.number for step in steps] != list(range(1, len(steps) + 1)) or not steps:
        raise ValueError(f"migrations are not numbered from 1 without a gap: {[step.number for step in steps]}")
    return steps


def migrate(connection: sqlite3.Connection, steps: list[Migration]) -> None:
    """Apply the steps that the store does not have, each in a transaction of its own.

    Raises Refusal log_newer when the store has a step that is not in `steps`, or another one under the same number.
    """
    connection.execute(_RECORD)
    for step in missing(connection, steps):
        _apply(connection, step)


def missing(connection: sqlite3.Connection, steps: list[Migration]) -> list[Migration]:
    """The steps that the store does not have, in order. Raises Refusal log_newer as `migrate` does."""
    applied = connection.execute("SELECT number, name, checksum FROM migration ORDER BY number").fetchall()
    for (number, name, checksum), step in zip(applied, steps, strict=False):
        if (number, checksum) != (step.number, step.checksum):
            raise _newer(f"{number:04}_{name}, which differs from the {step.number:04}_{step.name} of this semurg")
    if len(applied) > len(steps):
        number, name, _ = applied[len(steps)]
        raise _newer(f"{number:04}_{name}, which this semurg does not have")
    return steps[len(applied) :]


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    # Number, name and checksum are digits, [a-z0-9_] and hex; executescript takes no parameters.
    record = f"INSERT INTO migration VALUES ({step.number}, '{step.name}', '{step.checksum}');"
    try:
        connection.executescript(f"BEGIN IMMEDIATE;\n{step.sql}\n{record}\nCOMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _newer(what: str) -> Refusal:
    return Refusal(
        "log_newer",
        f"The log's schema has the step {what}.",
        "Open this data directory with the semurg that wrote it, or a newer one.",
    )
