"""The one task that writes: it decides every waiting command, commits them together, then answers.

While the log syncs in its thread, the loop serves reads and the next batch gathers: N concurrent writers cost about one
fsync. Staged rows carry a later recorded_at than `published_at`, so no reader sees what is not durable yet.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import msgspec

from semurg.domain.commands import DeleteUser, Remember
from semurg.domain.decide_remember import Decision
from semurg.domain.errors import Refusal
from semurg.domain.limits import WAITING_COMMANDS_MAX
from semurg.erasure import ErasingCommit, Erasures
from semurg.eventlog.protocol import AppendConflict, Commit, ExpectedVersion, Log, Recorded, ReplyMemo
from semurg.orders import Deciding, Hash
from semurg.orders import Order as Order
from semurg.projections.projector import Projector
from semurg.refusals import PendingRefusals, commit_of

logger = logging.getLogger("semurg.writer")

NODE_STREAM = "node"
BATCH_COMMANDS_MAX = 256
RETRY_AFTER_FAILURE_US = 1_000_000
REBUILD_PAGE = 10_000
HOLD_S = 0.005
Clock = Callable[[], int]


class Published(Protocol):
    """Who makes derived data of what is published, behind the replies."""

    def wake(self) -> None:
        """Something was published."""

    async def forgotten(self, streams: Sequence[str]) -> None:
        """These scopes have forgotten something: no file of derived data may hold it when this returns."""


class Waiting(NamedTuple):
    """An order and where its answer goes."""

    order: Order
    answer: asyncio.Future[dict[str, Any]]


Encode = Callable[[dict[str, Any]], bytes]


class Writer:
    """Drains the queue of commands, batch by batch. All but the log's work and large decisions is on the event loop."""

    def __init__(
        self, log: Log, projector: Projector, clock: Clock, keyed: Hash, encode: Encode, published: Published
    ) -> None:
        self._published = published
        self._log = log
        self._projector = projector
        self._clock = clock
        self._deciding = Deciding(log, projector, keyed)
        self._encode = encode
        self._queue: deque[Waiting] = deque()
        self._wake = asyncio.Event()
        self.refusals = PendingRefusals(self._wake.set)
        self._stopping = False
        self._last_instant = 0
        self._position = 0
        self._failure: Refusal | None = None
        self._failed_at = 0
        self._broken: Exception | None = None
        self._erasures = Erasures(log, published.forgotten)
        self._task: asyncio.Task[None] | None = None

    def start(self, position: int, recorded_at: int) -> None:
        """Begin after the log's head."""
        self._position, self._last_instant = position, recorded_at
        self._task = asyncio.get_running_loop().create_task(self._run(), name="semurg-writer")

    async def stop(self, abandon: bool = False) -> None:
        """Finish what waits, then end; or with `abandon` end at once, and leave unanswered what is not in the log."""
        self._stopping = True
        self.refusals.hurry()
        self._wake.set()
        if self._task is not None and abandon:
            self._task.cancel()
            await asyncio.wait([self._task])
        elif self._task is not None:
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
        # A caller who goes away cancels the answer alone: the order stays in the queue.
        return await waiting.answer

    def next_instant(self) -> int:
        """The instant of the next commit: the clock, but always later than the one before."""
        return max(self._clock(), self._last_instant + 1)

    async def _run(self) -> None:
        while True:
            while not self._queue and not self.refusals.due:
                if self._stopping:
                    return
                self._wake.clear()
                await self._erasures.finish_until(self._wake)
            batch = self._take()
            try:
                if batch and batch[0].order.erases:
                    if self.refusals.pending:
                        await self._write([])
                    await self._forget(batch[0])
                else:
                    await self._write(batch)
            except Exception as error:
                logger.exception("the writer stopped: a failed batch could not be undone")
                self._broken = error
                self.refusals.close()
                for waiting in (*batch, *self._queue):
                    _fail(waiting, error)
                return

    def _take(self) -> list[Waiting]:
        """The next batch. A forget is a batch of its own: what it erases must be in the log already.

        So is a large command, that the small ones before it need not wait. An empty batch writes the refusals due.
        """
        if not self._queue:
            return []
        batch = [self._queue.popleft()]
        if _is_alone(batch[0]):
            return batch
        while self._queue and len(batch) < BATCH_COMMANDS_MAX and not _is_alone(self._queue[0]):
            batch.append(self._queue.popleft())
        return batch

    async def _write(self, batch: Sequence[Waiting]) -> None:
        """Decide the batch, stage it, commit it with one sync, publish it, answer."""
        commits: list[Commit] = []
        answers: list[tuple[Waiting, dict[str, Any]]] = []
        touched: dict[str, None] = {}
        refused = self.refusals.take()
        try:
            for one in refused:
                commits.append(commit_of(one, self.next_instant()))
                self._apply(commits[-1])
            held_since = perf_counter()
            for waiting in batch:
                if perf_counter() - held_since > HOLD_S:
                    await asyncio.sleep(0)
                    held_since = perf_counter()
                large = self._deciding.is_large(waiting.order)
                try:
                    decision = await self._decide(waiting.order, large)
                except Refusal as refusal:
                    _fail(waiting, refusal)
                    continue
                answers.append((waiting, decision.reply))
                if decision.events or waiting.order.memo_key is not None:
                    touched[waiting.order.stream] = None
                    commit = self._commit(waiting.order, decision, self.next_instant())
                    if large:
                        await self._apply_in_steps(commit)
                    else:
                        self._apply(commit)
                    commits.append(commit)
            if commits:
                await self._log.append(commits)
        except Exception as error:  # noqa: BLE001 - whatever it was, it is undone, told and logged
            self.refusals.put_back(refused)
            await self._undo(batch, touched, error)
            return
        self._publish(answers)
        self.refusals.recorded(refused)

    async def _decide(self, order: Order, large: bool) -> Decision:
        # Nobody changes what a decision reads but the writer, which waits for it.
        work = partial(self._deciding.decide, order, self.next_instant(), self._position)
        return await asyncio.to_thread(work) if large else work()

    async def _forget(self, waiting: Waiting) -> None:
        """Decide what goes; commit it with its redactions; erase; answer. Readers see it go when it is durable."""
        order = waiting.order
        touched: dict[str, None] = {}
        try:
            reply, parts = await self._deciding.decide_erasing(order, self.next_instant(), self._position)
            if isinstance(order.command, DeleteUser):
                reply["written_during_delete"] = self._writes_waiting(order.user)
            if parts:
                commits = await asyncio.to_thread(self._erasing_commits, order, reply, parts)
                await self._log.append(commits)
                touched = dict.fromkeys(part.stream for part in parts)
                for commit in commits:
                    await self._apply_in_steps(commit)
                self._erasures.begin(order.stream, self._position, touched)
        except Exception as error:  # noqa: BLE001 - whatever it was, it is undone, told and logged
            await self._undo([waiting], touched, error)
            return
        reply["erased"] = await self._erasures.finish(order.stream)
        if order.memo_key is None and isinstance(order.command, DeleteUser):
            reply["written_during_delete"] = self._writes_waiting(order.user)
        self._publish([(waiting, reply)])

    def _writes_waiting(self, user: str) -> int:
        """How many writes of an end user came after the deletion that is under way; they begin afresh."""
        return sum(
            1 for waiting in self._queue if waiting.order.user == user and isinstance(waiting.order.command, Remember)
        )

    def _erasing_commits(self, order: Order, reply: dict[str, Any], parts: Sequence[ErasingCommit]) -> list[Commit]:
        """The commits of one erasing command, an event each, in one transaction; the last one keeps its memo."""
        first = self.next_instant()
        decided = [(order._replace(stream=part.stream), Decision(part.events, reply)) for part in parts]
        commits = [self._commit(*one, first + offset) for offset, one in enumerate(decided)]
        return [_erasing(*one, last=one[1] is parts[-1]) for one in zip(commits, parts, strict=True)]

    def _publish(self, answers: Sequence[tuple[Waiting, dict[str, Any]]]) -> None:
        self._failure = None
        self._projector.publish(self._last_instant)
        self._published.wake()
        for waiting, reply in answers:
            if not waiting.answer.done():
                waiting.answer.set_result(reply)

    def _commit(self, order: Order, decision: Decision, instant: int) -> Commit:
        version = self._projector.catalogue.version_of(order.stream)
        return commit_of_order(order, decision, instant, version, self._encode)

    def _apply(self, commit: Commit) -> None:
        """Take the commit into the projections; readers see it when it is published."""
        for recorded in self._recorded(commit):
            self._projector.apply(recorded)

    async def _apply_in_steps(self, commit: Commit) -> None:
        """The same for a commit that may be large: the loop answers reads in between."""
        for recorded in self._recorded(commit):
            for _ in self._projector.apply_in_steps(recorded):
                await asyncio.sleep(0)
        await asyncio.sleep(0)

    def _recorded(self, commit: Commit) -> list[Recorded]:
        """The commit's events in their places; the next commit comes after them."""
        version = self._projector.catalogue.version_of(commit.stream)
        before = self._position
        self._position += len(commit.events)
        self._last_instant = commit.recorded_at
        return [
            Recorded(before + offset, commit.stream, version + offset, commit.recorded_at, commit.verb, event)
            for offset, event in enumerate(commit.events, start=1)
        ]

    async def _undo(self, batch: Sequence[Waiting], touched: dict[str, None], error: Exception) -> None:
        """Nothing of the batch is in the log: forget that it was staged, and tell every caller."""
        if isinstance(error, AppendConflict):
            error = written_by_another(error)
        if isinstance(error, Refusal) and error.status == HTTPStatus.SERVICE_UNAVAILABLE:
            logger.error("a commit failed: %s", error)
            self._failure, self._failed_at = error, self._clock()
        elif isinstance(error, Refusal) and error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            _fail(batch[0], error)
            return
        else:
            logger.exception("a batch of %d commands failed", len(batch), exc_info=error)
        head = self._log.head()
        self._position, self._last_instant = head.position, max(self._last_instant, head.recorded_at)
        for stream in touched:
            records = await _all_of(self._log, stream)
            built = await asyncio.to_thread(self._projector.build, stream, records)
            self._projector.put_back(stream, records, built)
        for waiting in batch:
            _fail(waiting, error)


def commit_of_order(order: Order, decision: Decision, instant: int, version: int, encode: Encode) -> Commit:
    """The commit of a decided order, whose stream is at `version`, at an instant (µs)."""
    memo = None
    if order.memo_key is not None and order.memo_body is not None:
        # The scope's name is not kept: it would outlive the scope when this very command forgets it.
        kept = encode({key: None if key == "scope" else value for key, value in decision.reply.items()})
        memo = ReplyMemo(order.memo_key, order.memo_body, kept, order.stream, instant)
    return Commit(
        stream=order.stream,
        expected_version=ExpectedVersion.after(version),
        command_id=order.command_id,
        verb=order.verb,
        actor=order.actor,
        outcome="done",
        recorded_at=instant,
        events=decision.events,
        memo=memo,
    )


def _erasing(commit: Commit, part: ErasingCommit, last: bool) -> Commit:
    memo = commit.memo if last else None
    return msgspec.structs.replace(commit, redactions=part.payloads, forget_memos_of=part.memos_of, memo=memo)


async def _all_of(log: Log, stream: str) -> list[Recorded]:
    """Every event of a stream that is in the log."""
    records: list[Recorded] = []
    while page := await log.read_stream(stream, records[-1].version if records else 0, REBUILD_PAGE):
        records.extend(page)
    return records


def _is_alone(waiting: Waiting) -> bool:
    return waiting.order.erases or waiting.order.large


def written_by_another(conflict: AppendConflict) -> Refusal:
    """There is one writer: when the log does not continue where it left off, something else wrote into it."""
    logger.error("the log does not continue as this node wrote it: %s", conflict)
    return Refusal(
        "log_corrupt",
        "The log does not continue as this node wrote it: something else has written into it.",
        "Stop the node and run semurg verify on its data directory.",
    )


def _fail(waiting: Waiting, error: BaseException) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)
