"""Rebuilding the projections from the log, page after page, in threads: the loop goes on answering meanwhile."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from semurg.eventlog.protocol import Log
from semurg.projections.projector import Projector

PAGE_EVENTS = 2_000
"""Few enough that a page's objects are still in the processor's cache when they are applied."""


async def replay(log: Log, projector: Projector, reached: Callable[[int], None]) -> None:
    """Apply every event of the log and publish. `reached` is told each position that the projections have come to."""
    with no_collection():
        after = 0
        while records := await log.read(after, PAGE_EVENTS):
            await asyncio.to_thread(projector.apply_batch, records)
            after = records[-1].position
            reached(after)
        await asyncio.to_thread(projector.publish, log.head().recorded_at)
    await asyncio.to_thread(_give_back_memory)


def _give_back_memory() -> None:
    """Return to the system what pages of events and outgrown columns have left free: a quarter of what a fact takes.

    glibc keeps it otherwise (malloc_trim(3)); other C libraries have no such call, and need none.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)


@contextmanager
def no_collection() -> Iterator[None]:
    """Without the cyclic collector: events form no cycles, and it would walk every live object to find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
