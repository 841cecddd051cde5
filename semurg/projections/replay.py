"""Rebuilding the projections from the log: page after page, in threads, so that the loop goes on answering meanwhile."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from semurg.eventlog.protocol import Log
from semurg.projections.projector import Projector

PAGE_EVENTS = 2_000
"""Few enough that a page's objects are still in the processor's cache when they are applied."""


async def replay(log: Log, projector: Projector, reached: Callable[[int], None]) -> None:
    """Apply every event of the log and publish. `reached` is told each position that the projections have come to."""
    with _no_collection():
        after = 0
        while records := await log.read(after, PAGE_EVENTS):
            await asyncio.to_thread(projector.apply_batch, records)
            after = records[-1].position
            reached(after)
        await asyncio.to_thread(projector.publish, log.head().recorded_at)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the cyclic collector: events form no cycles, and walking every live object again and again finds nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
