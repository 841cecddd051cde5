"""Physical forgetting, the part that the log needs: which payloads a forget rewrites, and what is left of each.

The forget event names every position it redacts and the digest of what stays there, so the chain still verifies. The
log rewrites the payloads in the transaction of that event; the projections erase their own bytes when they apply it.

A forget may touch hundreds of thousands of events. The work goes in pages and in threads, so that the loop answers
reads meanwhile; nothing of the scope changes in between, because the writer waits.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from semurg.domain.commands import Forget, ForgetSource
from semurg.domain.decide_delete_user import Partition, decide_delete_user
from semurg.domain.decide_forget import Forgotten
from semurg.domain.errors import Refusal
from semurg.domain.events import Event, Redaction, ScopeForgotten
from semurg.domain.redact import Gone, gone_by, redact
from semurg.eventlog.codec import Erased
from semurg.eventlog.protocol import Log, Recorded, StoredPayload, erased, rewritten
from semurg.projections.projector import Projector
from semurg.projections.scope import ScopeProjection

logger = logging.getLogger("semurg.erasure")

RETRY_S = 15.0
"""How long an unfinished erasure rests between two tries: each may wait for a reader and hold up writes."""
READ_POSITIONS = 256
READ_BYTES = 256 * 1024
"""Events read whole at once: few enough objects that the collector finds no reason to walk everything there is."""
ERASE_POSITIONS = 500
"""Events of which nothing is left: they are not even read, so that a page takes a few ms."""
NO_PAYLOADS: Mapping[int, StoredPayload] = {}

Hash = Callable[..., str]
Derived = Callable[[Sequence[str]], Awaitable[None]]


class Redactions(NamedTuple):
    """The redactions as the forget event lists them, and the new payload for each position."""

    listed: list[Redaction]
    payloads: dict[int, StoredPayload]

    def put(self, position: int, payload: StoredPayload) -> None:
        """Leave this payload at the position."""
        self.listed.append(Redaction(position, payload.digest))
        self.payloads[position] = payload


class ErasingCommit(NamedTuple):
    """A commit to be: its stream and events, what it leaves of earlier payloads, whose memos go with it."""

    stream: str
    events: tuple[Event, ...]
    payloads: Mapping[int, StoredPayload] = NO_PAYLOADS
    memos_of: tuple[str, ...] = ()


async def with_redactions(log: Log, scope: ScopeProjection, event: Forgotten, command: Forget) -> ErasingCommit:
    """The commit of a decided forget. The cost follows what is forgotten: only the events that recorded it are read."""
    redactions = Redactions([], {})
    if isinstance(event, ScopeForgotten):
        await _erase_whole(log, scope.positions(), redactions)
    else:
        label = command.label if isinstance(command, ForgetSource) else None
        gone = await asyncio.to_thread(gone_by, event, label)
        positions = await asyncio.to_thread(scope.positions_holding, gone)
        done = 0
        while page := await log.read_at(positions[done : done + READ_POSITIONS], READ_BYTES):
            await asyncio.to_thread(_redact_page, page, gone, redactions)
            done = bisect_right(positions, page[-1].position)
    event = msgspec.structs.replace(event, redactions=redactions.listed)
    return ErasingCommit(scope.stream, (event,), redactions.payloads, (scope.stream,))


async def deletion_of_user(
    log: Log, projector: Projector, user: str, keyed: Hash, stream: str
) -> tuple[dict[str, Any], list[ErasingCommit]]:
    """The reply to a delete_user and its commits: one for each scope, and at last one on `stream` that erases them all.

    Raises Refusal not_found for an end user who never was. No commits: there is nothing left to delete.
    """
    catalogue, user_hash = projector.catalogue, keyed("deleted user", user)
    scopes = [scope for entry in catalogue.scopes_of(user) if (scope := projector.by_stream(entry.stream)) is not None]
    tokens = catalogue.issued_to(user)
    partition = Partition(
        {scope.stream: scope.view for scope in scopes},
        [token.digest for token in tokens],
        catalogue.was_deleted(user_hash),
    )
    decision = await asyncio.to_thread(decide_delete_user, partition, user, user_hash)
    if decision.deleted is None:
        return decision.reply, []
    redactions = Redactions([], {})
    positions = [position for scope in scopes for position in scope.positions()]
    await _erase_whole(log, [*positions, *(token.position for token in tokens)], redactions)
    deleted = msgspec.structs.replace(decision.deleted, redactions=redactions.listed)
    commits = [ErasingCommit(stream, (event,)) for stream, event in decision.forgotten.items()]
    commits.append(ErasingCommit(stream, (deleted,), redactions.payloads, tuple(decision.forgotten)))
    return decision.reply, commits


async def _erase_whole(log: Log, positions: Sequence[int], redactions: Redactions) -> None:
    """Leave nothing of the events at these positions."""
    for first in range(0, len(positions), ERASE_POSITIONS):
        for position in await log.erasable(positions[first : first + ERASE_POSITIONS]):
            redactions.put(position, erased())


def _redact_page(page: Sequence[Recorded], gone: Gone, redactions: Redactions) -> None:
    """Leave of these events what is not gone."""
    for recorded in page:
        if isinstance(recorded.event, Erased | Forgotten):
            continue
        left = redact(recorded.event, gone)
        if left is not recorded.event:
            redactions.put(recorded.position, rewritten(left))


class Erasures:
    """Erasures that are committed but whose old bytes may still be in a file: of the log, or of derived data.

    `derived(streams)` takes what these scopes have forgotten out of the files of derived data; it comes first, so that
    a crash in between leaves the erasure marked as unfinished in the log.
    """

    def __init__(self, log: Log, derived: Derived) -> None:
        self._log = log
        self._derived = derived
        self._through: dict[str, int] = {}
        self._scopes: dict[str, set[str]] = {}

    def begin(self, stream: str, through: int, scopes: Iterable[str]) -> None:
        """The forget at this position of `stream`, which took things out of these scopes, is committed."""
        self._through[stream] = through
        self._scopes.setdefault(stream, set()).update(scopes)

    async def finish(self, stream: str) -> bool:
        """Make the files free of what the stream forgot; whether they are.

        When another program holds the log open, or the disk refuses, what is forgotten stays unreachable and the
        bytes are tried again: by the next forget, in a quiet moment, or at the next start.
        """
        through = self._through.get(stream)
        if through is None:
            return True
        try:
            await self._derived(sorted(self._scopes.get(stream, ())))
            await self._log.finish_erasure(stream, through)
        except Refusal as refusal:
            logger.error("an erasure is not finished: %s", refusal)
            return False
        del self._through[stream]
        self._scopes.pop(stream, None)
        return True

    async def finish_until(self, wake: asyncio.Event) -> None:
        """Wait to be woken, and meanwhile, now and then, try what is not finished."""
        while self._through:
            try:
                await asyncio.wait_for(wake.wait(), RETRY_S)
                return
            except TimeoutError:
                await self.finish(next(iter(self._through)))
        await wake.wait()
