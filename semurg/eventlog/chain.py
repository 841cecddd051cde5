"""The chain: each commit's digest covers the one before it, so that no commit can be changed, left out or moved unseen.

    digest(n) = SHA-256( digest(n - 1) | msgpack of the envelope ),  digest(0) = 32 zero bytes

The envelope names each event by the digest its payload had when it was written. A redaction leaves that untouched: the
payload then answers to the digest in the latest forget event that lists its position. Pure; the stores feed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

import msgspec

from semurg.eventlog.payloads import StoredPayload

GENESIS = bytes(32)
_canonical = msgspec.msgpack.Encoder()


class EventEnvelope(NamedTuple):
    """What the chain holds of an event; `digest` is that of the payload as first written."""

    position: int
    version: int
    kind: str
    digest: bytes


class CommitEnvelope(NamedTuple):
    """What the chain holds of a commit, in the order that is hashed. `position` is the log's once it is written."""

    number: int
    position: int
    command_id: str
    verb: str
    actor: str
    stream: str
    outcome: str
    recorded_at: int
    events: list[EventEnvelope]


class ChainedCommit(NamedTuple):
    """A commit as a store keeps it. `payloads` goes with `envelope.events`; None where one is missing or unreadable."""

    envelope: CommitEnvelope
    digest: bytes
    payloads: list[StoredPayload | None]


class OrderedRedaction(NamedTuple):
    """A rewritten payload: where it is, the digest it must have, and the position of the forget event that says so."""

    position: int
    digest: bytes
    ordered_by: int


class ChainBreak(NamedTuple):
    """The first thing that does not hold, and the commit in which it was found."""

    commit: int
    what: str


class Verification(NamedTuple):
    """What a walk saw: how far it came, the last digest, the redactions in force, the first break (None: all holds)."""

    commits: int
    position: int
    digest: bytes
    redactions: list[OrderedRedaction]
    first_break: ChainBreak | None


def commit_digest(previous: bytes, envelope: CommitEnvelope) -> bytes:
    """The digest of a commit, given that of the one before it."""
    return sha256(previous + _canonical.encode(envelope)).digest()


class Walk:
    """A walk along the chain from the first commit on, commit by commit, until its end or the first break.

    `redactions` holds the latest one for each position, and may grow between steps. They are read from the very log
    that is verified, which is sound: the forget events they come from are checked by the same walk.
    """

    def __init__(self, redactions: Mapping[int, OrderedRedaction]) -> None:
        self.number = 0
        self.position = 0
        self.digest = GENESIS
        self.first_break: ChainBreak | None = None
        self._redactions = redactions
        self._recorded_at = 0
        self._versions: dict[str, int] = {}

    def step(self, commit: ChainedCommit) -> bool:
        """Check the next commit; whether it holds."""
        envelope = commit.envelope
        what = self._fault_of_envelope(envelope) or _fault_of_payloads(commit, self._redactions)
        if what is None and commit_digest(self.digest, envelope) != commit.digest:
            what = "its digest does not follow from its envelope and the commit before it"
        if what is not None:
            self.break_at(self.number + 1, what)
            return False
        self.number, self.position = envelope.number, envelope.position
        self._recorded_at, self.digest = envelope.recorded_at, commit.digest
        return True

    def break_at(self, commit: int, what: str) -> None:
        """Put on record what does not hold; the first break stays."""
        self.first_break = self.first_break or ChainBreak(commit, what)

    def seen(self) -> Verification:
        """What the walk saw so far."""
        return Verification(self.number, self.position, self.digest, _in_order(self._redactions), self.first_break)

    def _fault_of_envelope(self, envelope: CommitEnvelope) -> str | None:
        if not _is_typed(envelope):
            return "its envelope holds something that is not of its type"
        if envelope.number != self.number + 1:
            return f"commit {self.number + 1} is missing; the next one there is {envelope.number}"
        if envelope.recorded_at <= self._recorded_at:
            return "its time is not after that of the commit before it"
        position = self.position
        for event in envelope.events:
            position += 1
            if event.position != position:
                return f"the event at position {position} is missing"
            if event.version != self._versions.get(envelope.stream, 0) + 1:
                return f"the event at position {position} is out of order in its stream"
            self._versions[envelope.stream] = event.version
        if envelope.position != position:
            return f"it says that it ends at position {envelope.position}, and ends at {position}"
        return None


def verify(commits: Iterable[ChainedCommit], redactions: Mapping[int, OrderedRedaction]) -> Verification:
    """Walk the commits from the first one and stop at the first break."""
    walk = Walk(redactions)
    for commit in commits:
        if not walk.step(commit):
            break
    return walk.seen()


def _is_typed(envelope: CommitEnvelope) -> bool:
    """Whether every field is of its type: a store that was changed from outside may hold anything."""
    numbers = (envelope.number, envelope.position, envelope.recorded_at)
    return (
        all(isinstance(one, int) for one in numbers)
        and all(isinstance(one, str) for one in envelope[2:7])
        and all(
            isinstance(one.version, int) and isinstance(one.kind, str) and isinstance(one.digest, bytes)
            for one in envelope.events
        )
    )


def _fault_of_payloads(commit: ChainedCommit, redactions: Mapping[int, OrderedRedaction]) -> str | None:
    for event, payload in zip(commit.envelope.events, commit.payloads, strict=True):
        redaction = redactions.get(event.position)
        due = event.digest if redaction is None else redaction.digest
        if payload is None:
            return f"the payload at position {event.position} is missing or torn"
        if payload.digest != due:
            by = "its envelope" if redaction is None else f"the forget event at position {redaction.ordered_by}"
            return f"the payload at position {event.position} is not the one that {by} names"
    return None


def _in_order(redactions: Mapping[int, OrderedRedaction]) -> list[OrderedRedaction]:
    return [redactions[position] for position in sorted(redactions)]
