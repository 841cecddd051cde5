"""Bulk remember: many entities and facts a call, in the process and over HTTP."""

from __future__ import annotations

import itertools
import json
import time

import msgspec
import uvloop

from benchmarks.bare import BareStore
from benchmarks.figures import Figure, Goal, figure, timed
from benchmarks.http_load import one_by_one, request_bytes
from benchmarks.processes import bare_server, semurg_server
from benchmarks.workload import FACTS_AN_ENTITY, SCOPE, Memories, bulk_calls
from semurg.node import Node


def measure(memories: Memories) -> list[Figure]:
    """Figures of bulk writes."""
    return [*uvloop.run(_embedded(memories)), *_over_http(memories)]


async def _embedded(memories: Memories) -> list[Figure]:
    sizes = memories.sizes
    facts_a_call = sizes.bulk_entities * FACTS_AN_ENTITY
    node, store = Node(memories.fresh()), BareStore(memories.fresh())
    await node.start()
    todo = bulk_calls(facts_a_call * sizes.bulk_calls * sizes.rounds, sizes.bulk_entities)
    ours, limits, worst = [], [], 0.0
    for _ in range(sizes.rounds):
        took, bare = [], []
        for call in itertools.islice(todo, sizes.bulk_calls):
            payload = msgspec.msgpack.encode(call)
            bare.append(timed(lambda payload=payload: store.append([payload])))  # type: ignore[misc]
            started = time.perf_counter()
            await node.execute("remember", call, scope=SCOPE)
            took.append(time.perf_counter() - started)
        ours.append(facts_a_call * sizes.bulk_calls / sum(took))
        limits.append(facts_a_call * sizes.bulk_calls / sum(bare))
        worst = max(worst, *took)
    await node.stop()
    store.close()
    return [
        figure("bulk: remember in the engine", "facts/s", ours, limits=limits,
               limit_is="bare sqlite3, each call's input as one row", goal=Goal("value", least=50_000),
               sizes=_stated(sizes.bulk_entities, sizes.bulk_calls)),
        figure("bulk: remember in the engine, the longest call", "ms", [worst * 1_000],
               sizes=_stated(sizes.bulk_entities, sizes.bulk_calls)),
    ]  # fmt: skip


def _over_http(memories: Memories) -> list[Figure]:
    sizes = memories.sizes
    facts_a_call = sizes.bulk_entities * FACTS_AN_ENTITY
    bodies = [
        json.dumps({"scope": SCOPE, **call}).encode()
        for call in bulk_calls(facts_a_call * sizes.bulk_calls * sizes.rounds, sizes.bulk_entities)
    ]
    ours, limits = [], []
    with semurg_server(memories.fresh()) as semurg, bare_server(memories.fresh(), 0) as bare:
        for first in range(0, len(bodies), sizes.bulk_calls):
            part = bodies[first : first + sizes.bulk_calls]
            limit = one_by_one(bare, [request_bytes(bare, "/write", body) for body in part])
            limits.append(limit.rate * facts_a_call)
            load = one_by_one(semurg, [request_bytes(semurg, "/v1/memory/remember", body) for body in part])
            ours.append(load.rate * facts_a_call)
    return [
        figure("bulk: remember over HTTP, 1 connection", "facts/s", ours, limits=limits,
               limit_is="bare Sanic handler, body decoded and committed", goal=Goal("value", least=30_000),
               sizes=_stated(sizes.bulk_entities, sizes.bulk_calls)),
    ]  # fmt: skip


def _stated(entities: int, calls: int) -> dict[str, int]:
    return {"entities_a_call": entities, "facts_a_call": entities * FACTS_AN_ENTITY, "calls_a_round": calls}
