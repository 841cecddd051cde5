"""What `semurg verify` answers: a log's whole chain, held to its seal and to a digest that was noted elsewhere.

Reads only, beside a running node or without one. The seal is read before the log: it may lag behind, never lead.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from semurg.domain.errors import Refusal
from semurg.eventlog.chain import GENESIS, ChainBreak, ChainedCommit, Verification
from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.protocol import Head
from semurg.eventlog.seal import Seal, fault_of_seal, read_seal
from semurg.eventlog.viewing import LogView
from semurg.eventlog.walk import Walker

Progress = Callable[[int, int], None]
"""Told how many commits are walked, and how many there were at the start."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
"""The last is what SQLite says of a table or column that is not there."""
LOST = ("log_corrupt", "not_found", "internal")
"""Refusals to open a log that is damaged, or that is gone though a seal says what it held."""


class SealFound(NamedTuple):
    """The seal of a directory: `fault` says why it does not hold, or that it is not there; None when it holds.

    `checked` is False when the chain broke before the commit that is sealed.
    """

    seal: Seal | None
    fault: str | None
    checked: bool = True


class Expected(NamedTuple):
    """A digest that was printed earlier, and the commit that has it; None when the log does not contain it."""

    digest: bytes
    commit: int | None


class Verified(NamedTuple):
    """All that a verification saw. `ordered` is the kind and time (µs) of each event that ordered a redaction."""

    chain: Verification
    recorded_at: int
    seal: SealFound
    expected: Expected | None
    ordered: dict[int, tuple[str, int]]

    @property
    def holds(self) -> bool:
        """Whether nothing was altered, reordered, dropped, inserted or cut off."""
        expected = self.expected is None or self.expected.commit is not None
        return self.chain.first_break is None and self.seal.fault is None and expected


class _Watch:
    """What a walk passed that matters to the seal and to the digest expected."""

    def __init__(self, sealed: int | None, expected: bytes | None) -> None:
        self._sealed, self._expected = sealed, expected
        self.sealed_digest = GENESIS if sealed == 0 else None
        self.expected_at = 0 if expected == GENESIS else None
        self.recorded_at = 0

    def saw(self, commit: ChainedCommit) -> None:
        number = commit.envelope.number
        self.recorded_at = commit.envelope.recorded_at
        if number == self._sealed:
            self.sealed_digest = commit.digest
        if commit.digest == self._expected:
            self.expected_at = number


def verify_directory(path: Path, expect: bytes | None = None, progress: Progress | None = None) -> Verified:
    """Verify the log in a data directory; `expect` is the digest of a head that was noted earlier.

    Raises Refusal not_found when there is no log, log_newer, read_only; a file that is damaged is a break like others.
    """
    directory = DataDirectory(path)
    seal, fault = _read_seal(directory)
    try:
        view = LogView(directory.log_path)
    except Refusal as refusal:
        was_there = seal is not None and seal.commit > 0
        if refusal.code != "log_corrupt" and not (was_there and refusal.code in LOST):
            raise
        why = "the log's file is damaged" if refusal.code != "not_found" else "the log is gone"
        chain = Verification(0, 0, GENESIS, [], ChainBreak(1, why))
        return Verified(chain, 0, SealFound(seal, fault, False), _expected(expect, None), {})
    with closing(view):
        watch = _Watch(None if seal is None else seal.commit, expect)
        chain = _walk(view, watch, progress)
        ordered = {} if chain.first_break else view.kinds_at({each.ordered_by for each in chain.redactions})
    found = SealFound(seal, fault)
    if seal is not None and fault is None:
        found = _held_to(seal, chain, watch.sealed_digest, directory)
    return Verified(chain, watch.recorded_at, found, _expected(expect, watch.expected_at), ordered)


def _read_seal(directory: DataDirectory) -> tuple[Seal | None, str | None]:
    if not directory.seal_path.exists():
        return None, f"{directory.seal_path.name} is missing"
    try:
        directory.look()
        return read_seal(directory.seal_path, directory.keyed_hash), None
    except Refusal as refusal:
        return None, f"{directory.seal_path.name} cannot be checked: {refusal.detail}"
    except ValueError as error:
        return None, str(error)
    except OSError as error:
        return None, f"{directory.seal_path.name} cannot be read: {error.strerror}"


def _walk(view: LogView, watch: _Watch, progress: Progress | None) -> Verification:
    walker = Walker(view.connection, watch.saw)
    try:
        total = view.head().commit if progress is not None else 0
        while walker.page():
            if progress is not None:
                progress(walker.walk.number, max(total, walker.walk.number))
    except (sqlite3.DatabaseError, Refusal) as error:
        if not _is_damage(error):
            raise
        walker.walk.break_at(walker.walk.number + 1, "the log's file is damaged there")
    return walker.walk.seen()


def _is_damage(error: sqlite3.DatabaseError | Refusal) -> bool:
    if isinstance(error, Refusal):
        return error.code == "log_corrupt"
    return (getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF) in DAMAGED


def _held_to(seal: Seal, chain: Verification, sealed_digest: bytes | None, directory: DataDirectory) -> SealFound:
    if chain.first_break is not None and chain.commits < seal.commit:
        return SealFound(seal, None, checked=False)
    fault = fault_of_seal(seal, Head(chain.position, 0, chain.digest, chain.commits), sealed_digest)
    if fault is not None and seal.closed and _read_seal(directory)[0] not in (None, seal):
        # A node was started while the log was walked, and has opened the seal since.
        fault = fault_of_seal(
            seal._replace(closed=False), Head(chain.position, 0, chain.digest, chain.commits), sealed_digest
        )
    return SealFound(seal, fault)


def _expected(digest: bytes | None, commit: int | None) -> Expected | None:
    return None if digest is None else Expected(digest, commit)
