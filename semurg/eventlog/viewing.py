"""The log opened to be looked at: beside the node that writes it, or at rest. Nothing of it is ever written.

Synchronous, for the shell: `semurg verify`, `log` and `replay`. No lock is taken, and no read lasts, so that a running
node is never kept from emptying its write-ahead log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from semurg.domain.errors import Refusal
from semurg.eventlog.chain import OrderedRedaction
from semurg.eventlog.connection import BUSY_MS, refusal_of
from semurg.eventlog.migrate import missing, shipped
from semurg.eventlog.protocol import Head, Recorded
from semurg.eventlog.sqlite_read import AFTER, OF_STREAM, read_at, read_digest, read_events, read_head
from semurg.eventlog.walk import redactions_after

PAGE_EVENTS = 2_000

_KIND_AT = """
    SELECT event.kind, "commit".recorded_at FROM event JOIN "commit" ON number = commit_number WHERE event.position = ?
"""


class LogView:
    """The log in the file at `path`, open for reading. Use it as a context manager.

    Raises Refusal not_found when there is no log, log_newer when another semurg wrote it, log_corrupt, read_only.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Refusal(
                "not_found",
                f"There is no memory in {path.parent}.",
                "Name the data directory that a node was started with.",
            )
        with _refusals():
            self.connection = _connected(path)
            try:
                due = missing(self.connection, shipped())
            except BaseException:
                self.connection.close()
                raise
        if due:
            self.connection.close()
            raise Refusal(
                "log_newer",
                "The log is of an earlier semurg.",
                "Start a node on the data directory once: it migrates it.",
            )

    def close(self) -> None:
        """Let go of the file. Closing twice is harmless."""
        self.connection.close()

    def __enter__(self) -> LogView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def head(self) -> Head:
        """Where the log ends."""
        with _refusals():
            return read_head(self.connection)

    def digest_at(self, commit: int) -> bytes | None:
        """The digest of a commit, that of the empty log for 0; None when there is no such commit."""
        with _refusals():
            return read_digest(self.connection, commit)

    def events(self, after: int = 0) -> Iterator[list[Recorded]]:
        """The events with a position > after, in order, page by page, to the end as it then is."""
        while page := self._page(AFTER, (after, PAGE_EVENTS)):
            yield page
            after = page[-1].position

    def events_of(self, stream: str, after_version: int = 0) -> Iterator[list[Recorded]]:
        """The events of one stream with a version > after_version, in order, page by page."""
        while page := self._page(OF_STREAM, (stream, after_version, PAGE_EVENTS)):
            yield page
            after_version = page[-1].version

    def event_at(self, position: int) -> Recorded | None:
        """The event at a position."""
        with _refusals():
            found = read_at(self.connection, [position])
        return found[0] if found else None

    def redactions(self, after: int = 0) -> list[OrderedRedaction]:
        """Those that forget events with a position > after order, in the order of these."""
        with _refusals():
            return redactions_after(self.connection, after)[0]

    def kinds_at(self, positions: Iterable[int]) -> dict[int, tuple[str, int]]:
        """The kind of the event at each of the positions, and when it was recorded (µs): envelopes alone."""
        with _refusals():
            rows = ((position, self.connection.execute(_KIND_AT, (position,)).fetchone()) for position in positions)
            return {position: (row[0], row[1]) for position, row in rows if row is not None}

    def _page(self, sql: str, parameters: tuple[object, ...]) -> list[Recorded]:
        with _refusals():
            return read_events(self.connection, sql, parameters)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise refusal_of(error) from error


def _connected(path: Path) -> sqlite3.Connection:
    """A read-only connection. In a directory that may not be written, the file alone is read, where that is all."""
    try:
        return _open(path, "mode=ro")
    except sqlite3.OperationalError as error:
        primary = (error.sqlite_errorcode or 0) & 0xFF
        ahead = Path(f"{path}-wal")
        at_rest = not ahead.exists() or ahead.stat().st_size == 0
        if primary not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or not at_rest:
            raise
        return _open(path, "immutable=1")


def _open(path: Path, how: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{how}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_MS / 1_000, check_same_thread=False)
    try:
        # The first statement opens the file and its write-ahead log; a temporary table must not go to a file.
        connection.execute("PRAGMA temp_store = MEMORY").close()
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
