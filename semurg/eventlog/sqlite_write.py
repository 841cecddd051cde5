"""What an append does in the connection's thread: check the batch, write its rows, rewrite what it redacts.

Synchronous; called by sqlite_log.py inside one thread hop. The checks come first; rows go in table by table.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence

from semurg.eventlog.chain import CommitEnvelope, EventEnvelope, commit_digest
from semurg.eventlog.codec import REDACTING_KINDS, encode, encoded_kind
from semurg.eventlog.payloads import SALT_BYTES, StoredPayload, pack
from semurg.eventlog.protocol import MEMO_LIFE_US, AppendConflict, Commit, Head, ReplyMemo

MEMO_TABLES = ("reply_memo_even", "reply_memo_odd")

_COMMIT = 'INSERT INTO "commit" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
_EVENT = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)"
_PAYLOAD = "INSERT INTO payload VALUES (?, ?)"
_LAST_VERSION = "SELECT max(version) FROM event WHERE stream = ?"
_OLD_PAYLOAD = "SELECT event.kind, length(payload.stored) FROM event JOIN payload USING (position) WHERE position = ?"
# A position forgotten twice before the first erasure is finished belongs to the later one, and stays grown.
_ERASURE = """
    INSERT INTO erasure VALUES (?, ?, ?, ?)
    ON CONFLICT (position) DO UPDATE SET ordered_by = excluded.ordered_by, grown = max(grown, excluded.grown)
"""


class Batch:
    """The rows of a batch, gathered and checked. `head` is where the log then ends; `bytes` their payloads' size."""

    def __init__(self, connection: sqlite3.Connection, head: Head) -> None:
        self._connection = connection
        self._versions: dict[str, int] = {}
        self.head = head
        self.commits: list[tuple[int, int, str, str, str, str, str, int, bytes]] = []
        self.events: list[tuple[int, int, str, int, str, bytes]] = []
        self.payloads: list[tuple[int, bytes]] = []
        self.bytes = 0

    def add(self, commit: Commit) -> None:
        """Take a commit in. Raises AppendConflict when it does not continue the log."""
        if commit.recorded_at <= self.head.recorded_at:
            raise AppendConflict(f"recorded_at {commit.recorded_at} is not after {self.head.recorded_at}")
        _check_redactions(commit, self.head.position)
        number = self.head.commit + 1
        position = self.head.position
        version = self._version(commit)
        envelopes: list[EventEnvelope] = []
        salts = os.urandom(SALT_BYTES * len(commit.events))
        for index, event in enumerate(commit.events):
            position, version = position + 1, version + 1
            kind, schema_version, payload = encode(event)
            stored = StoredPayload(schema_version, salts[index * SALT_BYTES : (index + 1) * SALT_BYTES], payload)
            digest = stored.digest
            envelopes.append(EventEnvelope(position, version, kind, digest))
            self.events.append((position, number, commit.stream, version, kind, digest))
            self.payloads.append((position, pack(stored)))
            self.bytes += len(payload)
        self._versions[commit.stream] = version
        envelope = CommitEnvelope(
            number,
            position,
            commit.command_id,
            commit.verb,
            commit.actor,
            commit.stream,
            commit.outcome,
            commit.recorded_at,
            envelopes,
        )
        chained = commit_digest(self.head.digest, envelope)
        self.commits.append((*envelope[:-1], chained))
        self.head = Head(position, commit.recorded_at, chained, number)

    def _version(self, commit: Commit) -> int:
        """The version of the stream's last event, which the commit must expect."""
        last = self._versions.get(commit.stream)
        if last is None:
            last = self._connection.execute(_LAST_VERSION, (commit.stream,)).fetchone()[0] or 0
        expected = commit.expected_version.next
        if expected is not None and expected != last + 1:
            raise AppendConflict(f"stream {commit.stream} is at version {last}, its next event was to be {expected}")
        return last


def _check_redactions(commit: Commit, position: int) -> None:
    """A rewritten payload whose digest no event of the commit records would break the chain for good."""
    listed = {
        redaction.position: redaction.digest
        for event in commit.events
        for redaction in getattr(event, "redactions", ())
    }
    given = {position: stored.digest for position, stored in commit.redactions.items()}
    if listed != given:
        raise AppendConflict(f"the events of {commit.command_id} do not list the redactions that come with it")
    if listed and max(listed) > position:
        raise AppendConflict(f"{commit.command_id} redacts position {max(listed)}, which is not before it")


def write_batch(connection: sqlite3.Connection, head: Head, commits: Sequence[Commit]) -> tuple[Head, int]:
    """Write the commits in one transaction: (the new head, bytes of payload). Raises AppendConflict or sqlite3.Error.

    Whatever is raised, the transaction is rolled back and the connection can be used again.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        batch = Batch(connection, head)
        for commit in commits:
            batch.add(commit)
        connection.executemany(_COMMIT, batch.commits)
        connection.executemany(_EVENT, batch.events)
        connection.executemany(_PAYLOAD, batch.payloads)
        for commit, row in zip(commits, batch.commits, strict=True):
            _redact(connection, commit, ordered_by=row[1])
            _keep_memos(connection, commit, ordered_by=row[1])
        connection.execute("COMMIT")
    except BaseException as error:
        # SQLite has rolled back by itself after a full disk or a failed write.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError):
            raise AppendConflict(f"the store holds something else already: {error}") from error
        raise
    return batch.head, batch.bytes


def _redact(connection: sqlite3.Connection, commit: Commit, ordered_by: int) -> None:
    for position, stored in commit.redactions.items():
        row = connection.execute(_OLD_PAYLOAD, (position,)).fetchone()
        if row is None:
            raise AppendConflict(f"there is no position {position} to redact")
        kind, size = row
        if kind in REDACTING_KINDS:
            raise AppendConflict(f"the event at position {position} is a {kind}, which the chain needs whole")
        if stored.payload and encoded_kind(stored.payload) != kind:
            raise AppendConflict(f"the event at position {position} is a {kind}, and its redaction is not")
        blob = pack(stored, size)
        connection.execute(_ERASURE, (position, ordered_by, commit.stream, int(len(blob) > size)))
        connection.execute("UPDATE payload SET stored = ? WHERE position = ?", (blob, position))


def _keep_memos(connection: sqlite3.Connection, commit: Commit, ordered_by: int) -> None:
    if sum([_forget_memos(connection, stream) for stream in commit.forget_memos_of]):
        # The write-ahead log holds them still: a crash now must find that there is work left.
        connection.execute(_ERASURE, (ordered_by, ordered_by, commit.stream, 0))
    if commit.memo is not None:
        _insert_memo(connection, commit.memo)


def _forget_memos(connection: sqlite3.Connection, stream: str) -> int:
    """Overwrite the stream's memos where they lie, and say how many.

    A row of the same size is not moved, so that no copy stays behind.
    """
    return sum(
        connection.execute(
            f"UPDATE {table} SET live = 0, reply = zeroblob(length(reply)) WHERE stream = ? AND live = 1", (stream,)
        ).rowcount
        for table in MEMO_TABLES
    )


def _insert_memo(connection: sqlite3.Connection, memo: ReplyMemo) -> None:
    day = memo.at // MEMO_LIFE_US
    table = MEMO_TABLES[day % 2]
    first = connection.execute(f"SELECT at FROM {table} ORDER BY number LIMIT 1").fetchone()
    if first is not None and first[0] // MEMO_LIFE_US != day:
        # What is in here is of the day before yesterday or earlier.
        connection.execute(f"DELETE FROM {table}")
    connection.execute(
        f"INSERT INTO {table} (key_hash, body_hash, stream, at, live, reply) VALUES (?, ?, ?, ?, 1, ?)",
        (memo.key_hash, memo.body_hash, memo.stream, memo.at, memo.reply),
    )
