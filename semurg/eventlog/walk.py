"""The walk of the chain over a SQLite store, some thousand commits at a time.

Each page is one read transaction of its own: a long one would keep the write-ahead log from being emptied, and so a
running node from finishing an erasure. What was walked cannot change but by a redaction, and the redactions of a page
are read in its own transaction. Called by the log itself and by verification.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

from semurg.domain.errors import Refusal
from semurg.domain.events import Redaction
from semurg.eventlog.chain import ChainedCommit, CommitEnvelope, EventEnvelope, OrderedRedaction, Verification, Walk
from semurg.eventlog.codec import REDACTING_KINDS, decode
from semurg.eventlog.payloads import StoredPayload, unpack

COMMITS_PER_PAGE = 2_000
PAGE_BYTES_MAX = 16 * 1024 * 1024

_MARKS = ", ".join("?" * len(REDACTING_KINDS))
# CROSS keeps SQLite from going through the payloads, all of them, to find the events.
_FORGETS = f"""
    SELECT event.position, kind, stored FROM event CROSS JOIN payload ON payload.position = event.position
    WHERE event.position > ? AND kind IN ({_MARKS}) ORDER BY event.position
"""
_COMMITS = """
    SELECT number, position, command_id, verb, actor, stream, outcome, recorded_at, digest
    FROM "commit" WHERE number > ? ORDER BY number LIMIT ?
"""
_ENVELOPES = """
    SELECT event.commit_number, event.stream, event.position, event.version, event.kind, event.payload_digest,
        payload.stored
    FROM event LEFT JOIN payload ON payload.position = event.position
    WHERE event.position > ? ORDER BY event.position
"""
# One query each: SQLite finds a single minimum at the edge of the table, and scans for anything more.
_FIRST = (
    ('SELECT min(number) FROM "commit"', "commit"),
    ("SELECT min(position) FROM event", "event at position"),
    ("SELECT min(position) FROM payload", "payload at position"),
)

Watch = Callable[[ChainedCommit], None]


def walk_store(connection: sqlite3.Connection, watch: Watch | None = None) -> Verification:
    """Walk the whole chain. `watch` is told each commit that holds. A damaged file raises sqlite3.DatabaseError."""
    walker = Walker(connection, watch)
    while walker.page():
        pass
    return walker.walk.seen()


class Walker:
    """A walk in pages; `walk` is how far it came, so that it can be told even when the file gives out."""

    def __init__(self, connection: sqlite3.Connection, watch: Watch | None = None) -> None:
        # A byte that is not UTF-8 must show as a changed text, at its commit.
        connection.text_factory = _text
        self._connection = connection
        self._watch = watch
        self._redactions: dict[int, OrderedRedaction] = {}
        self._forgets_through = 0
        self.walk = Walk(self._redactions)

    def page(self) -> bool:
        """Walk some commits further; False at the end and at a break."""
        connection = self._connection
        connection.execute("BEGIN")
        try:
            if self.walk.number == 0:
                self._look_before_the_first()
            self._read_redactions()
            return self.walk.first_break is None and self._step()
        finally:
            connection.execute("ROLLBACK")

    def _step(self) -> bool:
        before, read = self.walk.number, 0
        for commit in self._commits():
            if not self.walk.step(commit):
                return False
            if self._watch is not None:
                self._watch(commit)
            read += sum(len(stored.payload) for stored in commit.payloads if stored is not None)
            if read >= PAGE_BYTES_MAX:
                break
        if self.walk.number == before:
            self._look_behind_the_last()
            return False
        return True

    def _commits(self) -> Iterator[ChainedCommit]:
        """The next commits with their events. One that names another commit or stream is left out, and so missed."""
        heads = self._connection.execute(_COMMITS, (self.walk.number, COMMITS_PER_PAGE)).fetchall()
        with closing(self._connection.execute(_ENVELOPES, (self.walk.position,))) as rows:
            row = rows.fetchone()
            for *fields, digest in heads:
                number, position, stream = fields[0], fields[1], fields[5]
                events: list[EventEnvelope] = []
                payloads: list[StoredPayload | None] = []
                while row is not None and isinstance(position, int) and row[2] <= position:
                    if row[:2] == (number, stream):
                        events.append(EventEnvelope(*row[2:6]))
                        payloads.append(_whole(row[6]))
                    row = rows.fetchone()
                yield ChainedCommit(CommitEnvelope._make((*fields, events)), digest, payloads)

    def _read_redactions(self) -> None:
        """The latest redaction of each position."""
        found, self._forgets_through = redactions_after(self._connection, self._forgets_through)
        self._redactions.update((each.position, each) for each in found)

    def _look_before_the_first(self) -> None:
        for query, what in _FIRST:
            first = self._connection.execute(query).fetchone()[0]
            if first is not None and first < 1:
                self.walk.break_at(1, f"the {what} {first} comes before the first one")

    def _look_behind_the_last(self) -> None:
        for table, what in (("event", "no commit covers the event"), ("payload", "no event covers the payload")):
            last = self._connection.execute(f"SELECT max(position) FROM {table}").fetchone()[0] or 0
            if last != self.walk.position:
                self.walk.break_at(self.walk.number, f"{what} at position {last}")


def redactions_after(connection: sqlite3.Connection, after: int) -> tuple[list[OrderedRedaction], int]:
    """Those ordered by forget events with a position > after, in the order of these; the position of the last of these.

    What does not decode is left to the walk, which finds it.
    """
    found: list[OrderedRedaction] = []
    for position, kind, blob in connection.execute(_FORGETS, (after, *REDACTING_KINDS)):
        found.extend(OrderedRedaction(each.position, each.digest, position) for each in _listed(kind, blob))
        after = position
    return found, after


def _listed(kind: str, blob: bytes | None) -> list[Redaction]:
    stored = _whole(blob)
    if stored is None:
        return []
    try:
        event = decode(kind, stored.schema_version, stored.payload)
    except Refusal:
        return []
    listed: list[Redaction] = getattr(event, "redactions", [])
    return listed


def _whole(blob: bytes | None) -> StoredPayload | None:
    """The payload in a blob, None when it is missing or torn."""
    try:
        return unpack(blob) if isinstance(blob, bytes) else None
    except ValueError:
        return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
