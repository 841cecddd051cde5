"""Durable writes: one fact a call, from one caller and from many, in the process and over HTTP."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.bare import BareStore, GroupCommit
from benchmarks.figures import Figure, Goal, each_ms, figure, percentile
from benchmarks.http_load import concurrently, one_by_one, request_bytes
from benchmarks.processes import bare_server, semurg_server
from benchmarks.workload import RELATIONS, SCOPE, Memories, entity_name
from semurg.eventlog.directory import DataDirectory
from semurg.node import Node

POOL = 1_000
EMBEDDED_CALLERS = 64
HTTP_CALLERS = 32
_STORED = """
    SELECT sum(length(stored) + length(event.payload_digest) + length(event.stream) + length(event.kind)) * 1.0
        / (SELECT count(*) FROM "commit" WHERE verb = 'relate')
    FROM event JOIN payload USING (position) JOIN "commit" ON "commit".number = event.commit_number
    WHERE "commit".verb = 'relate'
"""


def calls(first: int = 0) -> Iterator[dict[str, Any]]:
    """Inputs of relate, each a new fact between two of the pool's entities."""
    for number in itertools.count(first):
        turn, source = divmod(number, POOL)
        yield {
            "from": entity_name(source),
            "to": entity_name((source + 1 + turn) % POOL),
            "type": RELATIONS[turn % len(RELATIONS)],
        }


def measure(memories: Memories) -> list[Figure]:
    """Figures of durable writes."""
    size = _stored_bytes(memories.fresh())
    return [*uvloop.run(_embedded(memories, size)), *_over_http(memories, size)]


def _stored_bytes(path: Path) -> int:
    """Bytes that the log keeps of one relate between known entities, keys and envelopes of the commit aside."""

    async def store() -> None:
        node = Node(path)
        await node.start()
        await _fill_pool(node)
        for call in itertools.islice(calls(), 50):
            await node.execute("relate", call, scope=SCOPE)
        await node.stop()

    uvloop.run(store())
    connection = sqlite3.connect(DataDirectory(path).log_path)
    try:
        bytes_a_fact: float = connection.execute(_STORED).fetchone()[0]
        return round(bytes_a_fact)
    finally:
        connection.close()


async def _fill_pool(node: Node) -> None:
    entities = [{"name": entity_name(number)} for number in range(POOL)]
    await node.execute("remember", {"facts": {"entities": entities}}, scope=SCOPE)


async def _embedded(memories: Memories, size: int) -> list[Figure]:
    sizes = memories.sizes
    payload = bytes(size)
    node = Node(memories.fresh())
    await node.start()
    await _fill_pool(node)
    store, group = BareStore(memories.fresh()), GroupCommit(memories.fresh())
    todo = calls()

    async def relate() -> None:
        await node.execute("relate", next(todo), scope=SCOPE)

    async def commit() -> None:
        await group.append(payload)

    single: dict[str, list[float]] = {"bare": [], "ours": [], "bare many": [], "ours many": []}
    samples: list[float] = []
    for _ in range(sizes.rounds):
        bare = each_ms(lambda _: store.append([payload]), sizes.single_writes)
        single["bare"].append(1_000 / percentile(bare, 0.5))
        ours = await _one_after_another(relate, sizes.single_writes)
        samples += ours
        single["ours"].append(1_000 / percentile(ours, 0.5))
        single["bare many"].append(await _together(commit, sizes.grouped_writes, EMBEDDED_CALLERS))
        single["ours many"].append(await _together(relate, sizes.grouped_writes, EMBEDDED_CALLERS))
    await node.stop()
    store.close()
    group.close()
    stated = {"stored_bytes_a_fact": size, "writes": sizes.single_writes}
    return [
        figure("writes: bare sqlite3, 1 writer", "facts/s", single["bare"], sizes=stated),
        figure("writes: embedded relate, 1 caller", "facts/s", single["ours"], limits=single["bare"],
               limit_is="bare sqlite3", sizes=stated),
        figure("writes: embedded relate, 1 caller, time of one", "ms", [percentile(samples, 0.5)],
               p99=percentile(samples, 0.99), sizes=stated),
        figure(f"writes: embedded relate, {EMBEDDED_CALLERS} callers", "facts/s", single["ours many"],
               limits=single["bare many"], limit_is="bare group commit, as many callers",
               goal=Goal("ratio", least=0.25),
               sizes={**stated, "writes": sizes.grouped_writes}),
    ]  # fmt: skip


async def _one_after_another(work: Callable[[], Awaitable[None]], count: int) -> list[float]:
    samples = []
    for _ in range(count):
        started = time.perf_counter_ns()
        await work()
        samples.append((time.perf_counter_ns() - started) / 1e6)
    return samples


async def _together(work: Callable[[], Awaitable[None]], count: int, callers: int) -> float:
    """Calls a second, of callers that each wait for their answer before they call again."""

    async def call(turns: int) -> None:
        for _ in range(turns):
            await work()

    started = time.perf_counter()
    await asyncio.gather(*(call(count // callers) for _ in range(callers)))
    return count // callers * callers / (time.perf_counter() - started)


def _over_http(memories: Memories, size: int) -> list[Figure]:
    sizes = memories.sizes
    single: dict[str, list[float]] = {"bare": [], "ours": [], "bare many": [], "ours many": []}
    samples: list[float] = []
    path = memories.fresh()
    with semurg_server(path) as semurg, bare_server(memories.fresh(), size) as bare:
        pool = {"scope": SCOPE, "facts": {"entities": [{"name": entity_name(number)} for number in range(POOL)]}}
        one_by_one(semurg, [request_bytes(semurg, "/v1/memory/remember", json.dumps(pool).encode())])
        todo = calls()
        for _ in range(sizes.rounds):
            bodies = [json.dumps({"scope": SCOPE, **next(todo)}).encode() for _ in range(sizes.single_writes)]
            limit = one_by_one(bare, [request_bytes(bare, "/write", body) for body in bodies])
            ours = one_by_one(semurg, [request_bytes(semurg, "/v1/memory/relate", body) for body in bodies])
            single["bare"].append(1_000 / percentile(limit.each_ms, 0.5))
            single["ours"].append(1_000 / percentile(ours.each_ms, 0.5))
            bodies = [json.dumps({"scope": SCOPE, **next(todo)}).encode() for _ in range(sizes.http_writes)]
            limit = concurrently(bare, [request_bytes(bare, "/write", body) for body in bodies], HTTP_CALLERS)
            ours = concurrently(
                semurg, [request_bytes(semurg, "/v1/memory/relate", body) for body in bodies], HTTP_CALLERS
            )
            samples += ours.each_ms
            single["bare many"].append(limit.rate)
            single["ours many"].append(ours.rate)
    stated = {"stored_bytes_a_fact": size, "writes": sizes.http_writes}
    return [
        figure("writes: HTTP relate, 1 connection", "facts/s", single["ours"], limits=single["bare"],
               limit_is="bare Sanic handler, group commit", goal=Goal("ratio", least=0.6),
               sizes={**stated, "writes": sizes.single_writes}),
        figure(f"writes: HTTP relate, {HTTP_CALLERS} connections", "facts/s", single["ours many"],
               limits=single["bare many"], limit_is="bare Sanic handler, group commit",
               goal=Goal("ratio", least=0.5), sizes=stated),
        figure(f"writes: HTTP relate, {HTTP_CALLERS} connections, beside 1", "facts/s", single["ours many"],
               p99=percentile(samples, 0.99), limits=single["ours"], limit_is="its own rate on 1 connection",
               goal=Goal("ratio", least=3.0), sizes=stated),
    ]  # fmt: skip
