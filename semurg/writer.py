"""The one task that writes: it decides every waiting command, commits them together, then answers.

While the log syncs in its thread, the loop serves reads and the next batch gathers: N concurrent writers cost about one
fsync. Staged rows carry a later recorded_at than `published_at`, so no reader sees what is not durable yet.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from semurg.domain.commands import Forget, Remember
from semurg.domain.decide_forget import Forgotten, decide_forget
from semurg.domain.decide_remember import Decision, decide_relate, decide_remember
from semurg.domain.errors import Refusal
from semurg.domain.events import Event, ScopeOpened
from semurg.domain.limits import WAITING_COMMANDS_MAX
from semurg.erasure import with_redactions
from semurg.eventlog.protocol import Commit, ExpectedVersion, Log, Recorded, ReplyMemo, StoredPayload
from semurg.projections.projector import Projector
from semurg.projections.scope import ScopeProjection

logger = logging.getLogger("semurg.writer")

NODE_STREAM = "node"
BATCH_COMMANDS_MAX = 256
RETRY_AFTER_FAILURE_US = 1_000_000
REBUILD_PAGE = 10_000
NO_PAYLOADS: Mapping[int, StoredPayload] = {}
Clock = Callable[[], int]


class Order(NamedTuple):
    """A command on its way: what to decide, where, who asked, and on what condition."""

    verb: str
    command: Remember | Forget | tuple[Event, ...]
    stream: str
    user: str
    scope: str
    actor: str
    command_id: str
    expected_position: int | None = None
    memo_key: str | None = None
    memo_body: str | None = None


class Waiting(NamedTuple):
    """An order and where its answer goes."""

    order: Order
    answer: asyncio.Future[dict[str, Any]]


Encode = Callable[[dict[str, Any]], bytes]
Hash = Callable[..., str]


class Writer:
    """Drains the queue of commands, batch by batch. Everything but the log's own work runs on the event loop."""

    def __init__(self, log: Log, projector: Projector, clock: Clock, keyed: Hash, encode: Encode) -> None:
        self._log = log
        self._projector = projector
        self._clock = clock
        self._keyed = keyed
        self._encode = encode
        self._queue: deque[Waiting] = deque()
        self._wake = asyncio.Event()
        self._stopping = False
        self._last_instant = 0
        self._position = 0
        self._failure: Refusal | None = None
        self._failed_at = 0
        self._broken: Exception | None = None
        self._unfinished: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self, position: int, recorded_at: int) -> None:
        """Begin after the log's head."""
        self._position, self._last_instant = position, recorded_at
        self._task = asyncio.get_running_loop().create_task(self._run(), name="semurg-writer")

    async def stop(self) -> None:
        """Finish what waits, then end."""
        self._stopping = True
        self._wake.set()
        if self._task is not None:
            await self._task

    @property
    def waiting(self) -> int:
        """How many commands wait to be decided."""
        return len(self._queue)

    @property
    def failure(self) -> Refusal | None:
        """Why the last commit failed; None while writing works."""
        return self._failure

    async def submit(self, order: Order) -> dict[str, Any]:
        """Queue a command and wait until it is durable. The command is carried out even if the caller goes away."""
        if self._broken is not None:
            raise self._broken
        if self._stopping:
            raise Refusal("warming", "The node is stopping.", "Send the call again in a moment.", retry_after=1)
        if len(self._queue) >= WAITING_COMMANDS_MAX:
            raise Refusal("busy", "The write queue is full.", "Send the call again in a second.", retry_after=1)
        if self._failure is not None and self._clock() < self._failed_at + RETRY_AFTER_FAILURE_US:
            raise self._failure
        waiting = Waiting(order, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        self._wake.set()
        return await asyncio.shield(waiting.answer)

    def next_instant(self) -> int:
        """The instant of the next commit: the clock, but always later than the one before."""
        return max(self._clock(), self._last_instant + 1)

    async def _run(self) -> None:
        while True:
            while not self._queue:
                if self._stopping:
                    return
                self._wake.clear()
                await self._wake.wait()
            batch = self._take()
            try:
                if batch[0].order.verb == "forget":
                    await self._forget(batch[0])
                else:
                    await self._write(batch)
            except Exception as error:
                logger.exception("the writer stopped: a failed batch could not be undone")
                self._broken = error
                for waiting in (*batch, *self._queue):
                    _fail(waiting, error)
                return

    def _take(self) -> list[Waiting]:
        """The next batch. A forget is a batch of its own: what it erases must be in the log already."""
        batch = [self._queue.popleft()]
        if batch[0].order.verb == "forget":
            return batch
        while self._queue and len(batch) < BATCH_COMMANDS_MAX and self._queue[0].order.verb != "forget":
            batch.append(self._queue.popleft())
        return batch

    async def _write(self, batch: Sequence[Waiting]) -> None:
        """Decide the batch, stage it, commit it with one sync, publish it, answer."""
        commits: list[Commit] = []
        answers: list[tuple[Waiting, dict[str, Any]]] = []
        touched: dict[str, None] = {}
        try:
            for waiting in batch:
                try:
                    decision = self._decide(waiting.order)
                except Refusal as refusal:
                    _fail(waiting, refusal)
                    continue
                answers.append((waiting, decision.reply))
                if decision.events or waiting.order.memo_key is not None:
                    touched[waiting.order.stream] = None
                    commit = self._commit(waiting.order, decision)
                    self._apply(commit)
                    commits.append(commit)
            if commits:
                await self._log.append(commits)
        except Exception as error:
            await self._undo(batch, touched, error)
            return
        self._publish(answers)

    async def _forget(self, waiting: Waiting) -> None:
        """Decide a forget; commit it with its redactions; erase; answer. Readers see it go when it is durable."""
        order = waiting.order
        try:
            decision = self._decide(order)
            decision.reply["erased"] = True
            if decision.events:
                decision, payloads = await self._with_redactions(order, decision)
                commit = self._commit(order, decision, payloads)
                await self._log.append([commit])
                self._apply(commit)
                self._unfinished[order.stream] = self._position
        except Exception as error:
            await self._undo([waiting], {order.stream: None}, error)
            return
        try:
            await self._finish_erasure(order.stream)
        except Refusal as refusal:
            # Forgotten and durable, but bytes may be left: the call must not answer that they are gone. A repeat
            # of it, or the next start, finishes the work.
            logger.error("an erasure is not finished: %s", refusal)
            self._publish([])
            _fail(waiting, refusal)
        else:
            self._publish([(waiting, decision.reply)])

    async def _finish_erasure(self, stream: str) -> None:
        through = self._unfinished.get(stream)
        if through is not None:
            await self._log.finish_erasure(stream, through)
            del self._unfinished[stream]

    def _publish(self, answers: Sequence[tuple[Waiting, dict[str, Any]]]) -> None:
        self._failure = None
        self._projector.publish(self._last_instant)
        for waiting, reply in answers:
            if not waiting.answer.done():
                waiting.answer.set_result(reply)

    def _decide(self, order: Order) -> Decision:
        if isinstance(order.command, tuple):
            return Decision(order.command, {"ok": True})
        existing = self._projector.scope(order.user, order.scope)
        view = (existing or ScopeProjection(order.stream, self._keyed)).view
        if order.expected_position is not None and view.position > order.expected_position:
            raise Refusal(
                "position_conflict",
                f"The scope has changed since position {order.expected_position}: it is at {view.position}.",
                "Read the scope again and send the call with its new position.",
                position=str(view.position),
            )
        now = self.next_instant()
        if isinstance(order.command, Remember):
            opening = ScopeOpened(order.user, order.scope, self._projector.catalogue.next_number)
            decide = decide_relate if order.verb == "relate" else decide_remember
            decision = decide(view, order.command, now, opening)
        elif existing is None and self._projector.catalogue.was_forgotten(order.stream):
            decision = Decision((), {"ok": True, "already_forgotten": True})
        else:
            decision = decide_forget(view, order.command, lambda *parts: self._keyed(order.stream, *parts))
        position = self._position + len(decision.events) if decision.events else view.position
        decision.reply.update(scope=order.scope, position=str(position))
        return decision

    async def _with_redactions(
        self, order: Order, decision: Decision
    ) -> tuple[Decision, Mapping[int, StoredPayload]]:
        """A decided forget with the redactions that make it physical."""
        scope = self._projector.scope(order.user, order.scope)
        (event,) = decision.events
        assert scope is not None and isinstance(event, Forgotten) and isinstance(order.command, Forget)
        event, payloads = await with_redactions(self._log, scope, event, order.command)
        return Decision((event,), decision.reply), payloads

    def _commit(
        self, order: Order, decision: Decision, payloads: Mapping[int, StoredPayload] = NO_PAYLOADS
    ) -> Commit:
        instant = self.next_instant()
        memo = None
        if order.memo_key is not None and order.memo_body is not None:
            memo = ReplyMemo(order.memo_key, order.memo_body, self._encode(decision.reply), order.stream, instant)
        return Commit(
            stream=order.stream,
            expected_version=ExpectedVersion.after(self._projector.catalogue.version_of(order.stream)),
            command_id=order.command_id,
            verb=order.verb,
            actor=order.actor,
            outcome="done",
            recorded_at=instant,
            events=decision.events,
            redactions=payloads,
            memo=memo,
            forget_memos=order.verb == "forget",
        )

    def _apply(self, commit: Commit) -> None:
        """Take the commit into the projections; readers see it when it is published."""
        version = self._projector.catalogue.version_of(commit.stream)
        for offset, event in enumerate(commit.events, start=1):
            self._projector.apply(
                Recorded(
                    self._position + offset, commit.stream, version + offset, commit.recorded_at, commit.verb, event
                )
            )
        self._position += len(commit.events)
        self._last_instant = commit.recorded_at

    async def _undo(self, batch: Sequence[Waiting], touched: dict[str, None], error: Exception) -> None:
        """Nothing of the batch is in the log: forget that it was staged, and tell every caller."""
        if isinstance(error, Refusal) and error.status == HTTPStatus.SERVICE_UNAVAILABLE:
            logger.error("a commit failed: %s", error)
            self._failure, self._failed_at = error, self._clock()
        elif isinstance(error, Refusal):
            _fail(batch[0], error)
            return
        else:
            logger.exception("a batch of %d commands failed", len(batch), exc_info=error)
        self._position = self._log.head().position
        for stream in touched:
            records: list[Recorded] = []
            while page := await self._log.read_stream(stream, records[-1].version if records else 0, REBUILD_PAGE):
                records.extend(page)
            self._projector.rebuild(stream, records)
        for waiting in batch:
            _fail(waiting, error)


def _fail(waiting: Waiting, error: BaseException) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)

