"""memory_audit: every write, change and delete of an authenticated caller, the refused ones too, oldest first.

Made from the log's commits alone, envelopes first: what is forgotten since shows as kinds of events and the ids that
they still name. Scopes and end users show as keyed hashes, the same for good; so one is looked up by hashing its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from semurg.domain.actors import NODE, SCOPE_STREAM, Actor
from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import (
    AttributesRecorded,
    DocumentsForgotten,
    DocumentsLabelled,
    DocumentsStored,
    EntitiesRecorded,
    EntityForgotten,
    Event,
    FactForgotten,
    FactsRecorded,
    PassagesLinked,
)
from semurg.domain.ids import Kind, encode_id
from semurg.domain.instants import format_instant
from semurg.eventlog.protocol import Log, StoredCommit

UNKNOWN = "unknown"
_CURSOR_DIGITS = 18

NumberAt = Callable[[str, int], int | None]
Named = tuple[Kind, int]


class AuditRequest(NamedTuple):
    """Which entries: `after` a commit's number, at most `limit`, recorded from `since` (µs) on, of one stream or user.

    `stream` is a scope's stream, `user` an end user's keyed hash; None for every one.
    """

    after: int
    limit: int
    since: int | None = None
    stream: str | None = None
    user: str | None = None

    def wants(self, commit: StoredCommit) -> bool:
        """Whether a commit is one of a caller's, and in what was asked for."""
        if self.stream is not None and commit.stream != self.stream:
            return False
        actor = Actor.of(commit.actor)
        return actor.who != NODE and (self.user is None or actor.user == self.user)


class AuditNames(NamedTuple):
    """What entries are told with: token names by the keyed hash that stands for them, and the numbers of scopes."""

    names: Mapping[str, str]
    number_at: NumberAt


def read_cursor(cursor: str | None) -> int:
    """The commit after which a page begins. Raises Refusal cursor_invalid."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _CURSOR_DIGITS):
        raise Refusal(
            "cursor_invalid",
            f"{quoted(cursor)} is not a cursor of this audit.",
            "Send the cursor as `next` gave it, or leave it out to begin again.",
        )
    return int(cursor)


async def read_page(log: Log, request: AuditRequest) -> tuple[list[StoredCommit], int | None]:
    """The commits of a page, and the number to read on after; None where the log has no further commit.

    A page may hold fewer than asked for before the end: it is bounded in bytes and in how far it looks, too.
    """
    end = log.head().commit
    after = request.after
    if request.since is not None:
        after = max(after, await log.last_commit_before(request.since))
    found: list[StoredCommit] = []
    while after < end and not found:
        found, after = await log.commits(after, request.limit, request.wants)
    return found, after if after < end else None


def entries(commits: Sequence[StoredCommit], names: AuditNames) -> list[dict[str, Any]]:
    """The entries of a page, one a commit."""
    return [_entry(commit, names) for commit in commits]


def _entry(commit: StoredCommit, names: AuditNames) -> dict[str, Any]:
    actor = Actor.of(commit.actor)
    scope = commit.stream.removeprefix(SCOPE_STREAM) if commit.stream.startswith(SCOPE_STREAM) else None
    return {
        "position": str(commit.position),
        "at": format_instant(commit.recorded_at),
        "verb": commit.verb,
        "who": names.names.get(actor.who, UNKNOWN),
        "scope": scope,
        "user": actor.user or None,
        "outcome": commit.outcome,
        "ids": _ids(commit, names.number_at),
        "events": list(commit.kinds),
    }


def _ids(commit: StoredCommit, number_at: NumberAt) -> list[str]:
    """Ids of the things that the commit's events name, each once, in the order of the events."""
    if not commit.events:
        return []
    number = number_at(commit.stream, commit.position)
    if number is None:
        return []
    named = dict.fromkeys(one for recorded in commit.events for one in _named(recorded.event))
    return [encode_id(number, kind, ordinal) for kind, ordinal in named]


def _named(event: Event) -> list[Named]:
    """What an event names, as kinds and numbers within its scope."""
    match event:
        case EntitiesRecorded():
            return _all(Kind.ENTITY, event.numbers, event.typed)
        case DocumentsStored():
            return _all(Kind.DOCUMENT, [document.number for document in event.documents])
        case DocumentsLabelled():
            return _all(Kind.DOCUMENT, event.documents)
        case PassagesLinked():
            return _all(Kind.PASSAGE, event.passages) + _all(Kind.ENTITY, event.entities)
        case FactsRecorded():
            return _all(Kind.FACT, event.numbers, event.stated, event.changed)
        case AttributesRecorded():
            return [(Kind.FACT if one.on_fact else Kind.ENTITY, one.owner) for one in event.histories]
        case EntityForgotten():
            gone = _all(Kind.ENTITY, [event.entity]) + _all(Kind.FACT, event.facts)
            return gone + _all(Kind.PASSAGE, event.passages) + _all(Kind.DOCUMENT, event.documents)
        case FactForgotten():
            return _all(Kind.FACT, [event.fact])
        case DocumentsForgotten():
            return _all(Kind.DOCUMENT, event.documents, event.unlabelled) + _all(Kind.PASSAGE, event.passages)
        case _:
            return []


def _all(kind: Kind, *columns: Sequence[int]) -> list[Named]:
    return [(kind, number) for column in columns for number in column]
