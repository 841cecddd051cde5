"""What a log is: the values that go in and come out, and the `Log` protocol that every implementation keeps.

Called by the writer (append), by replay (read) and by the doors that look back (read_stream, memo). No I/O here. SQLite
(sqlite_log.py) is the first implementation; tests/eventlog/contract.py holds any further one to the same behaviour.

Three counters, all from 1 and without gaps: an event has a *position* in the log and a *version* in its stream; a
commit has a *number*, because it may hold no event (a refusal that is audited) and then moves no position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from semurg.domain.events import Event
from semurg.eventlog.chain import Verification
from semurg.eventlog.payloads import StoredPayload as StoredPayload
from semurg.eventlog.payloads import erased as erased
from semurg.eventlog.payloads import rewritten as rewritten

MEMO_LIFE_US = 24 * 60 * 60 * 1_000_000
READ_BYTES_MAX = 2 * 1024 * 1024


class AppendConflict(Exception):
    """The batch does not continue the log: a wrong version, time, or redaction. Nothing of it was written.

    There is one writer, which counts itself, so this is a fault of the program and never an answer to a caller.
    """


class ExpectedVersion(msgspec.Struct, frozen=True):
    """Where the writer believes a stream to be: `next` is the version its next event takes, None for any."""

    next: int | None

    @classmethod
    def new_stream(cls) -> ExpectedVersion:
        """The stream holds nothing yet."""
        return cls(1)

    @classmethod
    def after(cls, version: int) -> ExpectedVersion:
        """The stream's last event has this version (0: it has none)."""
        return cls(version + 1)

    @classmethod
    def any(cls) -> ExpectedVersion:
        """Wherever the stream is: for commits without events, and for streams that nothing is decided upon."""
        return cls(None)


class ReplyMemo(msgspec.Struct, frozen=True):
    """The reply to a write that came with an Idempotency-Key, for a day.

    `key_hash` and `body_hash` must be keyed hashes. `stream` says which scope's forgetting removes it. `at` in µs.
    """

    key_hash: str
    body_hash: str
    reply: bytes
    stream: str
    at: int


class Commit(msgspec.Struct, frozen=True):
    """One command's outcome, as it is written. Everything but `events` is the envelope, which is never erased.

    So `stream`, `actor` and `outcome` hold no text of a user's: the stream of a scope is a keyed hash. `redactions`
    holds the new payload for each earlier position that the events' own `redactions` list, with the same digests.
    Every memo of the streams in `forget_memos_of` is removed before this commit's own `memo` is written.
    """

    stream: str
    expected_version: ExpectedVersion
    command_id: str
    verb: str
    actor: str
    outcome: str
    recorded_at: int
    events: tuple[Event, ...] = ()
    redactions: Mapping[int, StoredPayload] = {}
    memo: ReplyMemo | None = None
    forget_memos_of: tuple[str, ...] = ()


class Recorded(NamedTuple):
    """An event as read back, upcast to today's schema. `event` is `codec.Erased` where a redaction left nothing."""

    position: int
    stream: str
    version: int
    recorded_at: int
    verb: str
    event: Event


class Head(NamedTuple):
    """Where the log ends: the last event's position, the last commit's time (µs), digest and number. All 0 when new."""

    position: int
    recorded_at: int
    digest: bytes
    commit: int


class PendingErasure(NamedTuple):
    """A redaction that is committed but whose old bytes may still be in some file. `through`: the forget's position."""

    stream: str
    through: int


class StoredCommit(NamedTuple):
    """A commit as read back; `kinds` and `events` side by side, both empty where a refusal is on record.

    `position` is that of the log once the commit was written. A kind is there also when its event is erased.
    """

    number: int
    position: int
    verb: str
    actor: str
    stream: str
    outcome: str
    recorded_at: int
    kinds: list[str]
    events: list[Recorded]


class CommitPage(NamedTuple):
    """Commits in order, and the number of the last one that was looked at: where to read on."""

    commits: list[StoredCommit]
    through: int


CommitWanted = Callable[[StoredCommit], bool]


class Log(Protocol):
    """The only truth. One writer appends; anything may read.

    Every method raises Refusal disk_full, read_only, log_corrupt, log_newer or node_in_use as the store makes it
    necessary. After a failed append nothing of the batch is there, and the log can be used as before.
    """

    async def open(self) -> None:
        """Open, create or migrate the store. Raises Refusal log_newer when a later semurg wrote it."""

    async def close(self) -> None:
        """Let go of the store, everything checkpointed. Closing twice is harmless."""

    def head(self) -> Head:
        """Where the log ends, from memory; moves when an append is durable."""

    async def append(self, batch: Sequence[Commit]) -> None:
        """Write the commits in one transaction, durable when it returns.

        The events of the batch take the positions from head().position + 1 on, in order. Raises AppendConflict when a
        stream is not where the commit expects it, when recorded_at does not increase from each commit to the next, when
        a redacted position does not exist, holds a forget event, or is not listed in the commit's events with the same
        digest.
        """

    async def read(self, after: int, limit: int) -> list[Recorded]:
        """Events with position > after, in order: at most `limit`, fewer past 2 MiB; empty only at the end."""

    async def read_stream(self, stream: str, after_version: int, limit: int) -> list[Recorded]:
        """Events of one stream with version > after_version, in order, with the limits of `read`."""

    async def read_at(self, positions: Sequence[int], bytes_max: int | None = None) -> list[Recorded]:
        """The events at these positions, ascending; positions that do not exist are left out.

        With `bytes_max` (of payloads), no further one is read once they pass it: go on after the last one's position.
        """

    async def erasable(self, positions: Sequence[int]) -> list[int]:
        """Those of the positions, ascending, whose payload holds anything a redaction may take; nothing is decoded.

        Forget events may not be redacted, and what is erased already holds nothing.
        """

    async def commits(self, after: int, limit: int, wanted: CommitWanted) -> CommitPage:
        """The commits with number > `after` of which `wanted` says so (it sees no events): at most `limit`.

        A page may have fewer, even none, before the end: the end is where `through` is the head's commit number.
        """

    async def last_commit_before(self, instant: int) -> int:
        """The number of the last commit recorded before the instant (µs), 0 when there is none."""

    async def payloads(self, positions: Sequence[int]) -> dict[int, StoredPayload]:
        """The stored payloads at these positions, undecoded; positions that do not exist are left out."""

    async def memo(self, key_hash: str, now: int) -> ReplyMemo | None:
        """The remembered reply under the key, None when there is none or it is a day old at `now` (µs)."""

    async def pending_erasures(self) -> list[PendingErasure]:
        """Redactions not yet reported finished, in order: to be resumed at the start, before serving."""

    async def finish_erasure(self, stream: str, through: int) -> None:
        """Make the log's own files free of what redactions of the stream up to position `through` replaced.

        Call it when everything else that held the bytes is rewritten; the reply may go out when it returns.
        """

    async def verify(self) -> Verification:
        """Walk the whole chain: what was checked, each redaction with the event that ordered it, the first break."""
