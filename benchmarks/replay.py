"""Rebuilding the projections from the log, beside reading and decoding it alone."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path

import uvloop

from benchmarks.figures import Figure, Goal, figure
from benchmarks.workload import SCOPE, Memories, bulk_calls, on_node
from benchmarks.writes import POOL, calls
from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.sqlite_log import SqliteLog
from semurg.node import Node
from semurg.projections.projector import Projector
from semurg.projections.replay import PAGE_EVENTS, replay


def measure(memories: Memories) -> list[Figure]:
    """Figures of replay."""
    sizes = memories.sizes
    facts = max(sizes.scopes)
    path = memories.of(facts)
    bulk = [uvloop.run(_round(path)) for _ in range(sizes.rounds)]
    events = bulk[0][2]
    singles = memories.fresh()
    on_node(singles, lambda node: _one_fact_a_call(node, sizes.single_fact_events))
    single = [uvloop.run(_round(singles)) for _ in range(sizes.rounds)]
    number = single[0][2]
    return [
        figure("replay: bulk events", "facts/s", [facts / took for took, _, _ in bulk],
               limits=[facts / read for _, read, _ in bulk], limit_is="reading and decoding alone",
               goal=Goal("value", least=150_000), sizes={"facts": facts, "events": events}),
        figure("replay: bulk events, by event", "events/s", [events / took for took, _, _ in bulk],
               sizes={"facts": facts, "events": events}),
        figure("replay: events of a single fact", "events/s", [number / took for took, _, _ in single],
               limits=[number / read for _, read, _ in single], limit_is="reading and decoding alone",
               sizes={"facts": number, "events": number}),
    ]  # fmt: skip


async def _one_fact_a_call(node: Node, count: int) -> None:
    (pool,) = bulk_calls(POOL, POOL // 5)
    pool["facts"] = {"entities": [{"name": one["from"]} for one, _ in zip(calls(), range(POOL), strict=False)]}
    await node.execute("remember", pool, scope=SCOPE)
    todo = calls()

    async def call(turns: int) -> None:
        for _ in range(turns):
            await node.execute("relate", next(todo), scope=SCOPE)

    callers = 100
    await asyncio.gather(*(call(count // callers) for _ in range(callers)))


async def _round(path: Path) -> tuple[float, float, int]:
    """(seconds to replay, seconds to read and decode, events)."""
    directory = DataDirectory(path)
    directory.claim()
    log = SqliteLog(directory.log_path)
    await log.open()
    try:
        # As replay itself does: reading alone must not look dearer than it is.
        gc.disable()
        started = time.perf_counter()
        after = 0
        while records := await log.read(after, PAGE_EVENTS):
            after = records[-1].position
        read = time.perf_counter() - started
        gc.enable()
        del records
        started = time.perf_counter()
        await replay(log, Projector(directory.keyed_hash), lambda position: None)
        return time.perf_counter() - started, read, after
    finally:
        await log.close()
        directory.release()
