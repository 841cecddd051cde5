"""What the log reads from SQLite, in a connection's thread. Synchronous; called by sqlite_log.py, a hop each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing

from semurg.domain.errors import Refusal
from semurg.eventlog.chain import (
    GENESIS,
)
from semurg.eventlog.codec import ERASED_VERSION, REDACTING_KINDS, decode
from semurg.eventlog.payloads import SALT_BYTES, StoredPayload, unpack
from semurg.eventlog.protocol import MEMO_LIFE_US, READ_BYTES_MAX, Head, PendingErasure, Recorded, ReplyMemo
from semurg.eventlog.sqlite_write import MEMO_TABLES

EVENTS = """
    SELECT event.position, event.stream, event.version, "commit".recorded_at, "commit".verb, event.kind, payload.stored
    FROM event
    LEFT JOIN payload ON payload.position = event.position
    LEFT JOIN "commit" ON "commit".number = event.commit_number
"""
AFTER = f"{EVENTS} WHERE event.position > ? ORDER BY event.position LIMIT ?"
OF_STREAM = f"{EVENTS} WHERE event.stream = ? AND event.version > ? ORDER BY event.version LIMIT ?"
_AT = f"{EVENTS} WHERE event.position = ?"
# the two bytes after the salt are the version of the schema (payloads.py)
_KIND = f"""
    SELECT event.position, event.kind, substr(payload.stored, {SALT_BYTES + 1}, 2)
    FROM event JOIN payload USING (position) WHERE event.position = ?
"""
_ERASED = ERASED_VERSION.to_bytes(2, "big")
_PAYLOAD = "SELECT stored FROM payload WHERE position = ?"
_HEAD = 'SELECT position, recorded_at, digest, number FROM "commit" ORDER BY number DESC LIMIT 1'
_DIGEST = 'SELECT digest FROM "commit" WHERE number = ?'
_MEMO = " UNION ALL ".join(
    f"SELECT key_hash, body_hash, reply, stream, at FROM {table} WHERE key_hash = :key AND live = 1 AND at > :after"
    for table in MEMO_TABLES
)


def read_head(connection: sqlite3.Connection) -> Head:
    """Where the log ends."""
    row = connection.execute(_HEAD).fetchone()
    return Head(0, 0, GENESIS, 0) if row is None else Head(*row)


def read_digest(connection: sqlite3.Connection, commit: int) -> bytes | None:
    """The digest of a commit, that of the empty log for 0; None when there is no such commit."""
    if commit == 0:
        return GENESIS
    row = connection.execute(_DIGEST, (commit,)).fetchone()
    return None if row is None else bytes(row[0])


def read_events(connection: sqlite3.Connection, sql: str, parameters: Sequence[object]) -> list[Recorded]:
    """The rows of AFTER or OF_STREAM, decoded; stops early once their payloads pass READ_BYTES_MAX."""
    found: list[Recorded] = []
    read = 0
    with closing(connection.execute(sql, parameters)) as rows:
        for row in rows:
            found.append(recorded(row))
            read += len(row[6])
            if read >= READ_BYTES_MAX:
                break
    return found


def read_at(connection: sqlite3.Connection, positions: Iterable[int], bytes_max: int | None = None) -> list[Recorded]:
    """The events at these positions that exist, ascending; stops early once their payloads pass `bytes_max`."""
    found: list[Recorded] = []
    read = 0
    for position in sorted(set(positions)):
        row = connection.execute(_AT, (position,)).fetchone()
        if row is None:
            continue
        found.append(recorded(row))
        read += len(row[6])
        if bytes_max is not None and read >= bytes_max:
            break
    return found


def recorded(row: tuple[int, str, int, int | None, str, str, bytes | None]) -> Recorded:
    """A row of EVENTS, decoded. Raises Refusal log_corrupt when a part of it is missing."""
    position, stream, version, recorded_at, verb, kind, blob = row
    if recorded_at is None or blob is None:
        raise _corrupt(f"A part of the event at position {position} is missing.")
    stored = _unpacked(position, blob)
    event = decode(kind, stored.schema_version, stored.payload)
    return Recorded(position, stream, version, recorded_at, verb, event)


def read_erasable(connection: sqlite3.Connection, positions: Iterable[int]) -> list[int]:
    """The positions that hold something, forget events left out."""
    rows = (connection.execute(_KIND, (position,)).fetchone() for position in sorted(set(positions)))
    return [row[0] for row in rows if row is not None and row[1] not in REDACTING_KINDS and row[2] != _ERASED]


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
