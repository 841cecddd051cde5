"""Forgetting one entity with 20 quoted facts, erased from the files before the call answers."""

from __future__ import annotations

import time
from pathlib import Path

import uvloop

from benchmarks.bare import BareStore
from benchmarks.figures import Figure, Goal, figure, percentile
from benchmarks.workload import FACTS_AN_ENTITY, PROBE_FACTS, SCOPE, Memories, probe_name
from semurg.node import Node

ROW_BYTES = 4_096


def measure(memories: Memories) -> list[Figure]:
    """Figures of forgetting."""
    return [uvloop.run(_forget(memories, memories.copy_of(facts), facts)) for facts in memories.sizes.forget_scopes]


async def _forget(memories: Memories, path: Path, facts: int) -> Figure:
    node, store = Node(path), BareStore(memories.fresh())
    await node.start()
    bare, ours = [], []
    for number in range(memories.sizes.forgets):
        started = time.perf_counter()
        store.append([bytes(ROW_BYTES)])
        store.truncate()
        bare.append((time.perf_counter() - started) * 1_000)
        started = time.perf_counter()
        reply = await node.execute("forget", {"subject": probe_name(number)}, scope=SCOPE)
        ours.append((time.perf_counter() - started) * 1_000)
        if not reply["erased"] or reply["facts"] != PROBE_FACTS:
            raise RuntimeError(f"nothing was forgotten: {reply}")
    await node.stop()
    store.close()
    return figure(
        f"forget: one entity of {facts:,} facts", "ms", [percentile(ours, 0.5)], p99=percentile(ours, 0.99),
        limits=[percentile(bare, 0.5)], limit_is=f"bare sqlite3: {ROW_BYTES} bytes committed, log truncated",
        goal=Goal("value", most=50),
        sizes={"facts": facts, "entities": facts // FACTS_AN_ENTITY, "facts_forgotten": PROBE_FACTS},
    )  # fmt: skip
