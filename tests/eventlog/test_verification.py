"""Each way of tampering with a copied log is found and located; what a node did itself is never called tampering."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from semurg.domain.errors import Refusal
from semurg.eventlog import walk
from semurg.eventlog.chain import GENESIS, CommitEnvelope, EventEnvelope, commit_digest
from semurg.eventlog.payloads import pack, rewritten
from semurg.eventlog.seal import Sealing
from semurg.eventlog.sqlite_log import SqliteLog
from semurg.eventlog.verification import Verified, verify_directory
from semurg.eventlog.viewing import LogView

from .builders import commit, forget, named
from .sealed import fill, seal_of, tamper, with_sealed

COMMITS, EVENTS = 7, 8
OTHER_PAYLOAD = pack(rewritten(named("Mallory"), bytes(16))).hex()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "data"
    fill(path)
    return path


@pytest.fixture
def copied(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "data"))


def renumbered(first: int, by: int) -> list[str]:
    """What moves the commits from `first` on in the numbering: through the negative numbers, which are free."""
    return [
        f'UPDATE "commit" SET number = -(number + {by}) WHERE number >= {first}',
        'UPDATE "commit" SET number = -number WHERE number < 0',
        f"UPDATE event SET commit_number = commit_number + {by} WHERE commit_number >= {first}",
    ]


def test_a_whole_log_holds_and_lists_each_redaction_with_the_event_that_ordered_it(original: Path) -> None:
    found = verify_directory(original)
    assert found.holds
    assert (found.chain.commits, found.chain.position, found.recorded_at) == (COMMITS, EVENTS, 7)
    assert [(each.position, each.ordered_by) for each in found.chain.redactions] == [(2, 6), (4, 6)]
    assert found.ordered == {6: ("entity_forgotten", 5)}
    seal = found.seal.seal
    assert seal is not None and found.seal.fault is None
    assert (seal.commit, seal.position, seal.digest, seal.closed) == (COMMITS, EVENTS, found.chain.digest, True)


COPY = 'INSERT INTO "commit" SELECT {} FROM "commit" WHERE number = {}'
TAMPERED = {
    "an actor altered": (["UPDATE \"commit\" SET actor = 'mallory' WHERE number = 3"], 3, "digest"),
    "an instant altered": (['UPDATE "commit" SET recorded_at = 9 WHERE number = 7'], 7, "digest"),
    "a payload altered": ([f"UPDATE payload SET stored = x'{OTHER_PAYLOAD}' WHERE position = 3"], 3, "not the one"),
    "a payload altered with its digest": (
        [
            f"UPDATE payload SET stored = x'{OTHER_PAYLOAD}' WHERE position = 3",
            f"UPDATE event SET payload_digest = x'{rewritten(named('Mallory'), bytes(16)).digest.hex()}' "
            "WHERE position = 3",
        ],
        3,
        "digest",
    ),
    "a redacted payload put back": (
        [f"UPDATE payload SET stored = x'{OTHER_PAYLOAD}' WHERE position = 2"],
        1,
        "the forget event at position 6",
    ),
    "a redaction taken out of its forget": (
        [f"UPDATE payload SET stored = x'{OTHER_PAYLOAD}' WHERE position = 6"],
        1,
        "not the one that its envelope names",
    ),
    "a payload of zeros": (["UPDATE payload SET stored = zeroblob(9) WHERE position = 3"], 3, "missing or torn"),
    "a payload that is no blob": (["UPDATE payload SET stored = 'text' WHERE position = 3"], 3, "missing or torn"),
    "an instant that is no number": (["UPDATE \"commit\" SET recorded_at = 'x' WHERE number = 3"], 3, "of its type"),
    "a position that is no number": (["UPDATE \"commit\" SET position = 'x' WHERE number = 3"], 3, "of its type"),
    "a text that is not UTF-8": (["UPDATE \"commit\" SET verb = CAST(x'ff' AS TEXT) WHERE number = 4"], 4, "digest"),
    "two commits in each other's place": (
        [
            'UPDATE "commit" SET number = -number WHERE number IN (6, 7)',
            'UPDATE "commit" SET number = 13 + number WHERE number < 0',
        ],
        6,
        "ends at",
    ),
    "two events in each other's place": (
        [
            "UPDATE event SET position = -position WHERE position IN (4, 5)",
            "UPDATE event SET position = 9 + position WHERE position < 0",
        ],
        4,
        "out of order",
    ),
    "a commit without events dropped": (['DELETE FROM "commit" WHERE number = 2'], 2, "commit 2 is missing"),
    "a commit dropped and the rest renumbered": (
        ['DELETE FROM "commit" WHERE number = 2', *renumbered(3, -1)],
        2,
        "digest",
    ),
    "a commit dropped with its events": (
        ['DELETE FROM "commit" WHERE number = 3', "DELETE FROM event WHERE position = 3"],
        3,
        "commit 3 is missing",
    ),
    "an event dropped": (["DELETE FROM event WHERE position = 5"], 4, "ends at"),
    "a commit inserted between two": (
        [*renumbered(3, 1), COPY.format("3, position, 'x', verb, actor, stream, outcome, recorded_at, digest", 2)],
        3,
        "time",
    ),
    "a commit put before the first": (
        [COPY.format("0, 0, 'x', verb, actor, stream, outcome, 0, digest", 1)],
        1,
        "commit 0 comes before the first",
    ),
    "an event put before the first": (
        ["INSERT INTO event SELECT 0, 1, 'u', 1, kind, payload_digest FROM event WHERE position = 1"],
        1,
        "position 0 comes before the first",
    ),
    "an event put behind the last": (
        ["INSERT INTO event SELECT 9, 7, 'u', 1, kind, payload_digest FROM event WHERE position = 1"],
        COMMITS,
        "no commit covers the event at position 9",
    ),
    "a payload put behind the last": (
        ["INSERT INTO payload SELECT 9, stored FROM payload WHERE position = 1"],
        COMMITS,
        "no event covers the payload at position 9",
    ),
}


@pytest.mark.parametrize(("statements", "number", "what"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_found_and_located(copied: Path, statements: list[str], number: int, what: str) -> None:
    tamper(copied, *statements)
    found = verify_directory(copied)
    assert not found.holds
    assert found.chain.first_break is not None
    assert found.chain.first_break.commit == number
    assert what in found.chain.first_break.what


def cut_off(path: Path, commit: int, position: int) -> None:
    """Cut the log off as one would who knows how it is made: nothing in it tells."""
    tamper(
        path,
        f'DELETE FROM "commit" WHERE number > {commit}',
        f"DELETE FROM event WHERE position > {position}",
        f"DELETE FROM payload WHERE position > {position}",
    )


def test_a_log_cut_off_at_its_end_is_behind_its_seal(copied: Path) -> None:
    cut_off(copied, 6, 7)
    found = verify_directory(copied)
    assert found.chain.first_break is None
    assert not found.holds
    assert found.seal.fault == "the log ends at commit 6 and was sealed at commit 7: that one is gone"


def test_a_log_cut_off_before_a_forget_shows_what_the_forget_had_rewritten(copied: Path) -> None:
    cut_off(copied, 4, 5)
    found = verify_directory(copied).chain.first_break
    assert found is not None
    assert (found.commit, found.what) == (1, "the payload at position 2 is not the one that its envelope names")


def test_a_log_emptied_whole_is_behind_its_seal(copied: Path) -> None:
    cut_off(copied, 0, 0)
    fault = verify_directory(copied).seal.fault
    assert fault == "the log ends at commit 0 and was sealed at commit 7: commits 1 to 7 are gone"


def forged(path: Path, after: int, name: str) -> None:
    """Write a commit with one event as the log would, digests and all, after commit `after`, the last one there."""
    stored = rewritten(named(name))
    with closing(sqlite3.connect(path / "log.db")) as connection, connection:
        position, digest = connection.execute(
            'SELECT position, digest FROM "commit" WHERE number = ?', (after,)
        ).fetchone()
        envelope = CommitEnvelope(
            after + 1, position + 1, "x", "remember", "owner", "forged", "done", 1_000,
            [EventEnvelope(position + 1, 1, "entities_recorded", stored.digest)],
        )  # fmt: skip
        connection.execute(
            'INSERT INTO "commit" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', (*envelope[:-1], commit_digest(digest, envelope))
        )
        event = envelope.events[0]
        connection.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)",
            (event.position, after + 1, "forged", 1, event.kind, event.digest),
        )
        connection.execute("INSERT INTO payload VALUES (?, ?)", (event.position, pack(stored)))


def test_an_end_written_anew_with_right_digests_is_not_the_one_that_was_sealed(copied: Path) -> None:
    cut_off(copied, 6, 7)
    forged(copied, 6, "Mallory")
    found = verify_directory(copied)
    assert found.chain.first_break is None
    assert found.seal.fault == "commit 7 is not the one that was sealed"


def test_a_commit_inserted_behind_the_last_is_found_because_the_log_was_closed(copied: Path) -> None:
    forged(copied, COMMITS, "Mallory")
    found = verify_directory(copied)
    assert found.chain.first_break is None
    assert found.seal.fault == "the log was closed at commit 7, and goes on to commit 8"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda path: (path / "head.seal").unlink(), "head.seal is missing"),
        (lambda path: (path / "head.seal").write_bytes(b""), "head.seal is torn"),
        (lambda path: (path / "node.key").write_bytes(bytes(32)), "head.seal was not sealed with this node's key"),
        (lambda path: (path / "node.key").unlink(), "has no node.key"),
    ],
)
def test_a_seal_that_cannot_vouch_for_the_log_is_a_break(copied: Path, change: object, fault: str) -> None:
    change(copied)  # type: ignore[operator]
    found = verify_directory(copied)
    assert not found.holds
    assert found.seal.fault is not None and fault in found.seal.fault


def test_a_seal_whose_numbers_were_changed_is_not_of_the_key(copied: Path) -> None:
    cut_off(copied, 6, 7)
    seal = (copied / "head.seal").read_text()
    (copied / "head.seal").write_text(seal.replace('"commit":7', '"commit":6'))
    assert verify_directory(copied).seal.fault == "head.seal was not sealed with this node's key"


def test_a_digest_noted_earlier_must_be_in_the_log(copied: Path) -> None:
    noted = {number: digest_of(copied, number) for number in (1, 5, COMMITS)}
    for number, digest in noted.items():
        found = verify_directory(copied, digest)
        assert found.holds
        assert found.expected is not None and found.expected.commit == number
    assert verify_directory(copied, GENESIS).holds
    # The seal is taken away, and a node makes it anew for a shorter log: what was noted elsewhere tells all the same.
    cut_off(copied, 6, 7)
    (copied / "head.seal").unlink()

    async def nothing(log: SqliteLog, sealing: Sealing) -> None:
        pass

    with_sealed(copied, nothing)
    assert verify_directory(copied).holds
    found = verify_directory(copied, noted[COMMITS])
    assert not found.holds
    assert found.expected is not None and found.expected.commit is None
    assert found.seal.seal is not None and found.seal.seal.begun == 6


def digest_of(path: Path, commit: int) -> bytes:
    with LogView(path / "log.db") as view:
        digest = view.digest_at(commit)
    assert digest is not None
    return digest


def test_a_damaged_file_is_a_break_at_the_commit_that_cannot_be_read(tmp_path: Path) -> None:
    async def write(log: SqliteLog, sealing: Sealing) -> None:
        await log.append([commit(at, named("n" * 500)) for at in range(1, 200)])

    with_sealed(tmp_path, write)
    path = tmp_path / "log.db"
    whole = path.read_bytes()
    middle = whole.index(b"n" * 400, len(whole) // 2) // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])
    found = verify_directory(tmp_path)
    assert not found.holds
    assert found.chain.first_break is not None and "damaged" in found.chain.first_break.what
    assert 1 < found.chain.first_break.commit < 199
    path.write_bytes(b"\xff" * len(whole))
    assert not verify_directory(tmp_path).holds


def test_a_log_is_verified_beside_its_writer_and_its_seal_may_lag(tmp_path: Path) -> None:
    async def write(log: SqliteLog, sealing: Sealing) -> list[Verified]:
        found = []
        for at in range(1, 6):
            await log.append([commit(at, named(f"name {at}"))])
            found.append(await asyncio.to_thread(verify_directory, tmp_path))
        return found

    verified = with_sealed(tmp_path, write)
    assert [each.chain.commits for each in verified] == [1, 2, 3, 4, 5]
    assert all(each.holds for each in verified)
    seals = [each.seal.seal for each in verified]
    assert all(seal is not None and seal.commit == 0 and not seal.closed for seal in seals)


def test_a_redaction_between_two_pages_of_a_walk_is_no_break(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "COMMITS_PER_PAGE", 2)

    async def write(log: SqliteLog, sealing: Sealing) -> None:
        await log.append([commit(at, named(f"name {at}")) for at in range(1, 10)])
        with LogView(tmp_path / "log.db") as view:
            walker = walk.Walker(view.connection)
            assert walker.page()
            # An event that was walked already, and one that was not. The walk keeps no erasure from its end.
            await log.append([forget(10, {1: rewritten(named("", 1)), 8: rewritten(named("", 8))})])
            await log.finish_erasure("s", 10)
            while walker.page():
                pass
        seen = walker.walk.seen()
        assert seen.first_break is None
        assert (seen.commits, [each.position for each in seen.redactions]) == (10, [1, 8])

    with_sealed(tmp_path, write)


def test_progress_is_told_page_by_page(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "COMMITS_PER_PAGE", 3)
    told: list[tuple[int, int]] = []
    verify_directory(original, progress=lambda done, total: told.append((done, total)))
    assert told == [(3, 7), (6, 7), (7, 7)]


def test_where_there_is_no_log_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        verify_directory(tmp_path)
    assert refused.value.code == "not_found"
    assert list(tmp_path.iterdir()) == []


def test_looking_leaves_every_file_of_the_directory_as_it_was(copied: Path) -> None:
    before = {each.name: each.read_bytes() for each in copied.iterdir()}
    verify_directory(copied)
    after = {each.name: each.read_bytes() for each in copied.iterdir()}
    # SQLite puts its own bookkeeping beside a file that it reads: an index, and a write-ahead log without content.
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) <= {"log.db-shm", "log.db-wal"}
    assert after.get("log.db-wal", b"") == b""
    assert seal_of(copied) is not None


def test_a_directory_that_may_not_be_written_is_read(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = sqlite3.connect

    def refusing(path: str, **options: Any) -> sqlite3.Connection:
        # Where SQLite cannot make its index beside the file, it says that it cannot open the file.
        where = path.replace("/data/log.db", "/nowhere/log.db") if "mode=ro" in path else path
        return opened(where, **options)

    monkeypatch.setattr(sqlite3, "connect", refusing)
    assert verify_directory(copied).holds


def test_a_table_that_was_dropped_is_a_break(copied: Path) -> None:
    tamper(copied, "DROP TABLE event")
    verified = verify_directory(copied)
    assert verified.chain.first_break is not None and not verified.holds


@pytest.mark.parametrize("left", [None, b""], ids=["deleted", "emptied"])
def test_a_log_that_is_gone_though_its_seal_says_what_it_held_is_a_break(copied: Path, left: bytes | None) -> None:
    log = copied / "log.db"
    log.unlink()
    if left is not None:
        log.write_bytes(left)
    verified = verify_directory(copied)
    assert verified.chain.first_break is not None and not verified.holds


def test_a_seal_that_cannot_be_read_is_a_break(copied: Path) -> None:
    seal = copied / "head.seal"
    seal.unlink()
    seal.mkdir()
    verified = verify_directory(copied)
    assert verified.seal.fault is not None and not verified.holds
