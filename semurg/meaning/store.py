"""Vectors on disk: derived data, keyed by a keyed hash of the text they were made from, never computed twice for it.

A file of its own beside the log, which may be deleted at any time. `secure_delete` overwrites what is deleted. Holds
the vectors of one model: those of another are dropped when it is opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

FILE = "vectors.db"
_SCHEMA = """
    create table if not exists model (digest text primary key);
    create table if not exists vector (
        stream text not null, key blob not null, scale real not null, cells blob not null, primary key (stream, key)
    ) without rowid;
"""
_ASK_MAX = 500


class StoredVector(NamedTuple):
    """A vector as eight-bit cells: the component i is cells[i] * scale."""

    key: bytes
    scale: float
    cells: bytes


class VectorStore:
    """The file of vectors. Used by one thread at a time, whichever."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        try:
            self._connection = self._open()
        except sqlite3.DatabaseError:
            # derived, and unreadable: made again
            self.path.unlink(missing_ok=True)
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
        connection.execute("pragma secure_delete = on")
        connection.execute("pragma journal_mode = delete")
        connection.execute("pragma synchronous = normal")
        connection.executescript(_SCHEMA)
        self.path.chmod(0o600)
        return connection

    def keep_only(self, digest: str) -> None:
        """Drop the vectors of every model but this one."""
        held = [row[0] for row in self._connection.execute("select digest from model")]
        if held == [digest]:
            return
        with self._transaction() as connection:
            connection.execute("delete from vector")
            connection.execute("delete from model")
            connection.execute("insert into model values (?)", (digest,))

    def add(self, stream: str, vectors: Iterable[StoredVector]) -> None:
        """Keep vectors of one scope."""
        with self._transaction() as connection:
            connection.executemany(
                "insert or replace into vector values (?, ?, ?, ?)", [(stream, *vector) for vector in vectors]
            )

    def find(self, stream: str, keys: Sequence[bytes]) -> dict[bytes, StoredVector]:
        """Those of the keys that there are vectors for."""
        found: dict[bytes, StoredVector] = {}
        for first in range(0, len(keys), _ASK_MAX):
            asked = keys[first : first + _ASK_MAX]
            marks = ",".join("?" * len(asked))
            query = f"select key, scale, cells from vector where stream = ? and key in ({marks})"
            for row in self._connection.execute(query, (stream, *asked)):
                found[row[0]] = StoredVector(*row)
        return found

    def delete(self, stream: str, keys: Iterable[bytes]) -> None:
        """Overwrite the vectors of these texts."""
        with self._transaction() as connection:
            connection.executemany("delete from vector where stream = ? and key = ?", [(stream, key) for key in keys])

    def keep_streams(self, streams: Iterable[str]) -> None:
        """Overwrite the vectors of every scope but these."""
        held = {row[0] for row in self._connection.execute("select distinct stream from vector")}
        for stream in held.difference(streams):
            self.delete_stream(stream)

    def delete_stream(self, stream: str) -> None:
        """Overwrite every vector of a scope."""
        with self._transaction() as connection:
            connection.execute("delete from vector where stream = ?", (stream,))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _transaction(self) -> _Transaction:
        return _Transaction(self._connection)


class _Transaction:
    """begin … commit, or rollback when the body fails."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self._connection.execute("begin immediate")
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("rollback" if kind else "commit")
