"""Idempotency-Key: the same key and body answer the first reply again, for a day, also after a restart.

The reply is kept by the log, in the transaction of the write itself; here is only who waits for whom.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

import msgspec

from semurg.domain.errors import Refusal
from semurg.eventlog.protocol import Log

Reply = dict[str, Any]
Write = Callable[[], Coroutine[Any, Any, Reply]]


class Idempotency(NamedTuple):
    """An Idempotency-Key and a digest of the body that came with it."""

    key: str
    body: str


class IdempotentCalls:
    """Calls under a key, one after the other, each seeing what the one before left. Keys are keyed hashes."""

    def __init__(self, log: Log, clock: Callable[[], int]) -> None:
        self._log = log
        self._clock = clock
        self._latest: dict[str, asyncio.Future[Reply]] = {}

    async def answer(self, key: str, body: str, write: Write) -> Reply:
        """The kept reply, else what the write answers. Raises Refusal idempotency_conflict for another body.

        The write is carried out even if the caller goes away.
        """
        call = asyncio.ensure_future(self._once(self._latest.get(key), key, body, write))
        self._latest[key] = call
        call.add_done_callback(lambda done: self._latest.pop(key) if self._latest.get(key) is done else None)
        return await asyncio.shield(call)

    async def _once(self, before: asyncio.Future[Reply] | None, key: str, body: str, write: Write) -> Reply:
        if before is not None:
            await asyncio.wait([before])
        kept = await self._log.memo(key, self._clock())
        if kept is None:
            return await write()
        if kept.body_hash != body:
            raise Refusal(
                "idempotency_conflict",
                "This Idempotency-Key came with another body before.",
                "Use a new key for a new call.",
            )
        reply: Reply = msgspec.json.decode(kept.reply)
        return reply
