"""Refused writes on their way into the log: each becomes a commit without events, in whatever batch comes next.

The writer takes them along, so that they cost no sync of their own while anything is written; when nothing is, they
wait LINGER_S for company and then go alone. A refused caller is answered at once and does not wait for any of it: a
crash can lose the refusals of the last moment, never an acknowledged write.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import deque
from collections.abc import Callable, Sequence

from semurg.domain.actors import Refused
from semurg.eventlog.protocol import Commit, ExpectedVersion

LINGER_S = 0.05
TAKEN_MAX = 1_000
PENDING_MAX = 10_000

logger = logging.getLogger("semurg.refusals")


class PendingRefusals:
    """Refusals that are not in the log yet, in the order of their calls. Used on the event loop alone."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._pending: deque[Refused] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._added = self._recorded = self._lost = 0
        self.due = False
        """Whether they are to be written now, also if nothing else is."""
        self._closed = False

    def add(self, refused: Refused) -> None:
        """Put one on record. While the disk refuses writes they are kept, up to PENDING_MAX; the rest is counted."""
        if self._closed or len(self._pending) >= PENDING_MAX:
            self._lost += 1
            return
        self._pending.append(refused)
        self._added += 1
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER_S, self.hurry)

    def hurry(self) -> None:
        """Have what is pending written now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pending:
            self.due = True
            self._wake()

    async def flush(self) -> None:
        """Wait until every refusal added so far is in the log, or could not be put there for now."""
        if self._recorded < self._added and not self._closed:
            waiter = (self._added, asyncio.get_running_loop().create_future())
            self._waiters.append(waiter)
            self.hurry()
            await waiter[1]

    # For the writer

    @property
    def pending(self) -> bool:
        """Whether any is not in the log yet."""
        return bool(self._pending)

    def take(self) -> list[Refused]:
        """The next ones to write."""
        taken = [self._pending.popleft() for _ in range(min(TAKEN_MAX, len(self._pending)))]
        self.due = bool(self._pending)
        return taken

    def recorded(self, taken: Sequence[Refused]) -> None:
        """What was taken is durable."""
        self._recorded += len(taken)
        self._release(self._recorded)
        if self._lost:
            logger.error("%d refusals are not on record: the disk refused writes for too long", self._lost)
            self._lost = 0

    def put_back(self, taken: Sequence[Refused]) -> None:
        """What was taken is not in the log; it goes with the next write that is tried. Whoever waits is let go."""
        self._pending.extendleft(reversed(taken))
        self.due = False
        self._release(self._added)

    def close(self) -> None:
        """The writer is gone: nothing more is recorded, and nobody waits for it."""
        self._closed = True
        self._release(self._added)

    def _release(self, reached: int) -> None:
        for target, waiter in self._waiters:
            if target <= reached and not waiter.done():
                waiter.set_result(None)
        self._waiters = [each for each in self._waiters if not each[1].done()]


def commit_of(refused: Refused, instant: int) -> Commit:
    """The commit that puts a refusal on record at an instant, µs."""
    return Commit(
        stream=refused.stream,
        expected_version=ExpectedVersion.any(),
        command_id=uuid.uuid4().hex,
        verb=refused.verb,
        actor=refused.actor,
        outcome=refused.outcome,
        recorded_at=instant,
    )
