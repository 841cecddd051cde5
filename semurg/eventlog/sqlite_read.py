"""What the log reads from SQLite, in a connection's thread. Synchronous; called by sqlite_log.py, a hop each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from semurg.domain.errors import Refusal
from semurg.domain.events import Redaction
from semurg.eventlog.chain import (
    GENESIS,
    ChainBreak,
    ChainedCommit,
    CommitEnvelope,
    EventEnvelope,
    OrderedRedaction,
    Verification,
    verify,
)
from semurg.eventlog.codec import REDACTING_KINDS, decode
from semurg.eventlog.payloads import StoredPayload, unpack
from semurg.eventlog.protocol import MEMO_LIFE_US, READ_BYTES_MAX, Head, PendingErasure, Recorded, ReplyMemo
from semurg.eventlog.sqlite_write import MEMO_TABLES

_EVENTS = """
    SELECT event.position, event.stream, event.version, "commit".recorded_at, "commit".verb, event.kind, payload.stored
    FROM event
    LEFT JOIN payload ON payload.position = event.position
    LEFT JOIN "commit" ON "commit".number = event.commit_number
"""
AFTER = f"{_EVENTS} WHERE event.position > ? ORDER BY event.position LIMIT ?"
OF_STREAM = f"{_EVENTS} WHERE event.stream = ? AND event.version > ? ORDER BY event.version LIMIT ?"
_AT = f"{_EVENTS} WHERE event.position = ?"
_PAYLOAD = "SELECT stored FROM payload WHERE position = ?"
_HEAD = 'SELECT position, recorded_at, digest, number FROM "commit" ORDER BY number DESC LIMIT 1'
_MEMO = " UNION ALL ".join(
    f"SELECT key_hash, body_hash, reply, stream, at FROM {table} WHERE key_hash = :key AND live = 1 AND at > :after"
    for table in MEMO_TABLES
)
_COMMITS = 'SELECT * FROM "commit" ORDER BY number'
_ENVELOPES = """
    SELECT event.commit_number, event.stream, event.position, event.version, event.kind, event.payload_digest,
        payload.stored
    FROM event LEFT JOIN payload ON payload.position = event.position
    ORDER BY event.position
"""


def read_head(connection: sqlite3.Connection) -> Head:
    """Where the log ends."""
    row = connection.execute(_HEAD).fetchone()
    return Head(0, 0, GENESIS, 0) if row is None else Head(*row)


def read_events(connection: sqlite3.Connection, sql: str, parameters: Sequence[object]) -> list[Recorded]:
    """The rows of AFTER or OF_STREAM, decoded; stops early once their payloads pass READ_BYTES_MAX."""
    found: list[Recorded] = []
    read = 0
    with closing(connection.execute(sql, parameters)) as rows:
        for row in rows:
            found.append(_recorded(row))
            read += len(row[6])
            if read >= READ_BYTES_MAX:
                break
    return found


def read_at(connection: sqlite3.Connection, positions: Iterable[int]) -> list[Recorded]:
    """The events at these positions that exist, ascending."""
    rows = (connection.execute(_AT, (position,)).fetchone() for position in sorted(set(positions)))
    return [_recorded(row) for row in rows if row is not None]


def _recorded(row: tuple[int, str, int, int | None, str, str, bytes | None]) -> Recorded:
    position, stream, version, recorded_at, verb, kind, blob = row
    if recorded_at is None or blob is None:
        raise _corrupt(f"A part of the event at position {position} is missing.")
    stored = _unpacked(position, blob)
    event = decode(kind, stored.schema_version, stored.payload)
    return Recorded(position, stream, version, recorded_at, verb, event)


def read_payloads(connection: sqlite3.Connection, positions: Iterable[int]) -> dict[int, StoredPayload]:
    """The stored payloads at these positions that exist."""
    found: dict[int, StoredPayload] = {}
    for position in positions:
        row = connection.execute(_PAYLOAD, (position,)).fetchone()
        if row is not None:
            found[position] = _unpacked(position, row[0])
    return found


def _unpacked(position: int, blob: bytes) -> StoredPayload:
    try:
        return unpack(blob)
    except ValueError as error:
        raise _corrupt(f"The payload at position {position} is torn.") from error


def _corrupt(what: str) -> Refusal:
    return Refusal("log_corrupt", what, "Restore the data directory from a backup.")


def read_memo(connection: sqlite3.Connection, key_hash: str, now: int) -> ReplyMemo | None:
    """The latest reply remembered under the key that is less than a day old at `now`."""
    rows = connection.execute(_MEMO, {"key": key_hash, "after": now - MEMO_LIFE_US}).fetchall()
    memos = [ReplyMemo(*row) for row in rows]
    return max(memos, key=lambda memo: memo.at, default=None)


def read_pending(connection: sqlite3.Connection) -> list[PendingErasure]:
    """Each stream with redactions whose erasure is not finished, and the last forget that ordered one."""
    sql = "SELECT stream, max(ordered_by) FROM erasure GROUP BY stream ORDER BY max(ordered_by)"
    return [PendingErasure(*row) for row in connection.execute(sql)]


# The walk of the chain


def verify_store(connection: sqlite3.Connection) -> Verification:
    """Walk the whole chain in one read transaction, a commit at a time. A damaged file raises sqlite3.DatabaseError."""
    connection.execute("BEGIN")
    try:
        found = verify(_chained(connection), _redactions(connection))
        last = connection.execute("SELECT max(position) FROM event").fetchone()[0] or 0
        if found.first_break is None and last != found.position:
            return found._replace(
                first_break=ChainBreak(found.commits, f"no commit covers the event at position {last}")
            )
        return found
    finally:
        connection.execute("ROLLBACK")


def _redactions(connection: sqlite3.Connection) -> dict[int, OrderedRedaction]:
    """The latest redaction of each position. What does not decode is left to the walk, which finds it."""
    marks = ", ".join("?" * len(REDACTING_KINDS))
    sql = f"SELECT position, kind, stored FROM event JOIN payload USING (position) WHERE kind IN ({marks}) ORDER BY 1"
    latest: dict[int, OrderedRedaction] = {}
    for position, kind, blob in connection.execute(sql, tuple(REDACTING_KINDS)):
        stored = _whole(blob)
        if stored is None:
            continue
        try:
            event = decode(kind, stored.schema_version, stored.payload)
        except Refusal:
            continue
        listed: list[Redaction] = getattr(event, "redactions", [])
        latest.update((each.position, OrderedRedaction(each.position, each.digest, position)) for each in listed)
    return latest


def _chained(connection: sqlite3.Connection) -> Iterator[ChainedCommit]:
    """Every commit with its events. An event that names another commit or stream is left out, and so is missed."""
    rows = connection.execute(_ENVELOPES)
    row = rows.fetchone()
    for *fields, digest in connection.execute(_COMMITS):
        number, position, stream = fields[0], fields[1], fields[5]
        events: list[EventEnvelope] = []
        payloads: list[StoredPayload | None] = []
        while row is not None and row[2] <= position:
            if row[:2] == (number, stream):
                events.append(EventEnvelope(*row[2:6]))
                payloads.append(_whole(row[6]))
            row = rows.fetchone()
        yield ChainedCommit(CommitEnvelope._make((*fields, events)), digest, payloads)


def _whole(blob: bytes | None) -> StoredPayload | None:
    """The payload in a blob, None when it is missing or torn."""
    try:
        return None if blob is None else unpack(blob)
    except ValueError:
        return None
