"""The chain finds every change made behind the log's back, and only those: redactions of any kind leave it whole."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import EntitiesRecorded
from semurg.eventlog.chain import GENESIS, CommitEnvelope, EventEnvelope, Verification, commit_digest
from semurg.eventlog.payloads import StoredPayload, erased, pack, payload_digest, rewritten, unpack
from semurg.eventlog.sqlite_log import SqliteLog

from .builders import commit, forget, named, with_log


def test_the_digest_of_a_commit_covers_the_one_before_and_the_envelope_in_order() -> None:
    event = EventEnvelope(1, 1, "scope_opened", bytes(32))
    envelope = CommitEnvelope(1, 1, "id", "remember", "owner", "s", "done", 9, [event])
    plain = [1, 1, "id", "remember", "owner", "s", "done", 9, [[1, 1, "scope_opened", bytes(32)]]]
    assert commit_digest(GENESIS, envelope) == sha256(bytes(32) + msgspec.msgpack.encode(plain)).digest()


def test_the_digest_of_a_payload_covers_salt_version_length_and_fields() -> None:
    salt = bytes(range(16))
    assert payload_digest(salt, 1, b"abc") == sha256(salt + b"\x00\x01" + b"\x00\x00\x00\x03" + b"abc").digest()


@given(st.integers(0, 65_535), st.binary(min_size=16, max_size=16), st.binary(max_size=64), st.integers(0, 128))
def test_a_packed_payload_comes_back_whatever_its_padding(version: int, salt: bytes, fields: bytes, size: int) -> None:
    stored = StoredPayload(version, salt, fields)
    blob = pack(stored, size)
    assert unpack(blob) == stored
    assert len(blob) == max(size, 22 + len(fields))


@pytest.mark.parametrize("damage", [lambda blob: blob[:10], lambda blob: blob[:-1], lambda blob: blob + b"x"])
def test_a_torn_payload_is_told_from_a_whole_one(damage: object) -> None:
    with pytest.raises(ValueError, match="stored payload"):
        unpack(damage(pack(rewritten(named("Dana")))))  # type: ignore[operator]


async def filled(log: SqliteLog) -> None:
    """Five commits; the fourth orders the redaction of position 2."""
    await log.append([commit(1, named("Dana"), named("Evi", 2)), commit(2), commit(3, named("Finn", 3))])
    await log.append([forget(4, {2: rewritten(EntitiesRecorded())})])
    await log.append([commit(5, named("Gro", 4))])


def verified(path: Path) -> Verification:
    return with_log(path, lambda log: log.verify())


ENVELOPE_CHANGES = [
    ("UPDATE \"commit\" SET actor = 'x' WHERE number = 3", 3, "digest"),
    ("UPDATE \"commit\" SET outcome = 'x' WHERE number = 2", 2, "digest"),
    ('UPDATE "commit" SET recorded_at = 2 WHERE number = 3', 3, "time"),
    ('UPDATE "commit" SET digest = zeroblob(32) WHERE number = 1', 1, "digest"),
    ('UPDATE "commit" SET position = position + 1 WHERE number = 3', 3, "ends at"),
    ('DELETE FROM "commit" WHERE number = 2', 2, "missing"),
    ('DELETE FROM "commit" WHERE number = 5', 4, "no commit covers"),
    ("DELETE FROM event WHERE position = 3", 3, "ends at"),
    ("UPDATE event SET kind = 'facts_recorded' WHERE position = 1", 1, "digest"),
    ("UPDATE event SET version = 9 WHERE position = 3", 3, "out of order"),
    ("UPDATE event SET stream = 't' WHERE position = 3", 3, "ends at"),
    ("UPDATE event SET commit_number = 1 WHERE position = 3", 3, "ends at"),
    ("UPDATE event SET payload_digest = zeroblob(32) WHERE position = 3", 3, "not the one"),
    ("DELETE FROM payload WHERE position = 3", 3, "missing"),
    ("UPDATE payload SET stored = CAST(stored || x'00' AS BLOB) WHERE position = 3", None, ""),
    ("UPDATE payload SET stored = CAST(stored || x'01' AS BLOB) WHERE position = 3", 3, "torn"),
    (
        "UPDATE payload SET stored = (SELECT stored FROM payload WHERE position = 1) WHERE position = 3",
        3,
        "not the one",
    ),
    ("UPDATE payload SET stored = (SELECT stored FROM payload WHERE position = 1) WHERE position = 2", 1, "position 4"),
    ("UPDATE payload SET stored = x'00' WHERE position = 4", 1, "its envelope"),
]


@pytest.mark.parametrize(("statement", "number", "what"), ENVELOPE_CHANGES, ids=range(len(ENVELOPE_CHANGES)))
def test_a_change_behind_the_logs_back_is_found_where_it_is(
    tmp_path: Path, statement: str, number: int | None, what: str
) -> None:
    with_log(tmp_path, filled)
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        assert connection.execute(statement).rowcount == 1
    found = verified(tmp_path).first_break
    if number is None:
        assert found is None
    else:
        assert found is not None
        assert found.commit == number
        assert what in found.what


def test_a_whole_log_verifies_and_each_redaction_names_the_event_that_ordered_it(tmp_path: Path) -> None:
    with_log(tmp_path, filled)
    verification = verified(tmp_path)
    assert verification.first_break is None
    assert (verification.commits, verification.position) == (5, 5)
    assert [(each.position, each.ordered_by) for each in verification.redactions] == [(2, 4)]


NAMES = st.lists(st.text(max_size=30), max_size=4)


@settings(max_examples=25, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8), st.lists(st.tuples(st.integers(0, 99), NAMES | st.none()), max_size=6))
def test_any_redactions_in_any_order_leave_the_chain_whole(
    events: list[list[str]], forgets: list[tuple[int, list[str] | None]]
) -> None:
    def of(names: list[str]) -> EntitiesRecorded:
        return EntitiesRecorded(list(range(len(names))), names, [-1] * len(names))

    async def use(log: SqliteLog) -> Verification:
        await log.append([commit(at, of(names)) for at, names in enumerate(events, start=1)])
        for at, (pick, names) in enumerate(forgets, start=len(events) + 1):
            left = erased() if names is None else rewritten(of(names))
            await log.append([forget(at, {pick % len(events) + 1: left})])
            await log.finish_erasure("s", at)
        return await log.verify()

    with tempfile.TemporaryDirectory() as path:
        verification = with_log(Path(path), use)
    assert verification.first_break is None
    assert {each.position for each in verification.redactions} == {pick % len(events) + 1 for pick, _ in forgets}
