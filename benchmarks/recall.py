"""Recall of one entity with 20 quoted facts, in scopes of growing size, at now and in the past."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.figures import Figure, Goal, each_ms, figure, percentile
from benchmarks.http_load import one_by_one, request_bytes
from benchmarks.processes import bare_server, semurg_server
from benchmarks.workload import FACTS_AN_ENTITY, PROBE_FACTS, PROBES, SCOPE, Memories, probe_name
from semurg.domain.instants import format_instant
from semurg.node import Node, system_clock

GROWTH = 1.2
WARM_UP = 50


def measure(memories: Memories) -> list[Figure]:
    """Figures of recall."""
    found: list[Figure] = []
    smallest: dict[str, float] = {}
    for facts in memories.sizes.scopes:
        path = memories.of(facts)
        engine = uvloop.run(_engine(memories, path, facts))
        http = _over_http(memories, path, facts)
        for kind, one in (("engine", engine[0]), ("HTTP", http[0])):
            base = smallest.setdefault(kind, one.value)
            if one.value != base:
                found.append(
                    figure(f"recall: {kind} p50 at {facts:,} facts, beside the smallest scope", "ms", [one.value],
                           limits=[base], limit_is=f"at {memories.sizes.scopes[0]:,} facts",
                           goal=Goal("ratio", most=GROWTH), sizes=one.sizes)
                )  # fmt: skip
        found += [*engine, *http]
    return found


async def _engine(memories: Memories, path: Path, facts: int) -> list[Figure]:
    sizes = memories.sizes
    node = Node(path)
    await node.start()
    gc.collect()
    past = format_instant(system_clock() - 1)
    variants: dict[str, dict[str, Any]] = {"now": {}, "as_of": {"as_of": past}, "valid_at": {"valid_at": past}}
    _check(node)

    def read(fields: dict[str, Any], number: int) -> None:
        node.read("recall", {"subject": probe_name(number % PROBES), **fields}, scope=SCOPE)

    for fields in variants.values():
        each_ms(lambda number, fields=fields: read(fields, number), WARM_UP)  # type: ignore[misc]
    rounds: dict[str, list[list[float]]] = {name: [] for name in variants}
    for _ in range(sizes.rounds):
        for name, fields in variants.items():
            rounds[name].append(
                each_ms(lambda number, fields=fields: read(fields, number), sizes.reads)  # type: ignore[misc]
            )
    await node.stop()
    medians = {name: [percentile(one, 0.5) for one in taken] for name, taken in rounds.items()}
    every = [one for taken in rounds["now"] for one in taken]
    stated = _stated(facts, sizes.reads)
    return [
        figure(f"recall: engine, {facts:,} facts", "ms", medians["now"], p99=percentile(every, 0.99),
               goal=Goal("value", most=0.3), sizes=stated),
        *(
            figure(f"recall: engine, {facts:,} facts, {name}", "ms", medians[name], limits=medians["now"],
                   limit_is="the same at now", goal=Goal("ratio", most=1.3), sizes=stated)
            for name in ("as_of", "valid_at")
        ),
    ]  # fmt: skip


def _check(node: Node) -> None:
    """What is timed must be the real thing: every fact there, and each with a sentence of the text."""
    reply = node.read("recall", {"subject": probe_name(0), "k": PROBE_FACTS}, scope=SCOPE)
    facts = [item for item in reply["items"] if item["kind"] == "fact"]
    quoted = [item for item in facts if item["citation"]["span"]["text"]]
    if len(facts) != PROBE_FACTS or len(quoted) != PROBE_FACTS:
        raise RuntimeError(f"recall gave {len(facts)} facts, {len(quoted)} of them quoted")


def _over_http(memories: Memories, path: Path, facts: int) -> list[Figure]:
    sizes = memories.sizes
    bodies = [
        json.dumps({"scope": SCOPE, "subject": probe_name(number % PROBES)}).encode() for number in range(sizes.reads)
    ]
    ours, limits, samples = [], [], list[float]()
    with semurg_server(path) as semurg, bare_server(memories.fresh(), 1) as bare:
        recalls = [request_bytes(semurg, "/v1/memory/recall", body) for body in bodies]
        empties = [request_bytes(bare, "/empty", body) for body in bodies]
        one_by_one(semurg, recalls[:WARM_UP])
        one_by_one(bare, empties[:WARM_UP])
        for _ in range(sizes.rounds):
            limits.append(percentile(one_by_one(bare, empties).each_ms, 0.5))
            load = one_by_one(semurg, recalls)
            samples += load.each_ms
            ours.append(percentile(load.each_ms, 0.5))
    return [
        figure(f"recall: HTTP, {facts:,} facts", "ms", ours, p99=percentile(samples, 0.99), limits=limits,
               limit_is="empty Sanic JSON route", goal=Goal("ratio", most=3.0), sizes=_stated(facts, sizes.reads)),
    ]  # fmt: skip


def _stated(facts: int, reads: int) -> dict[str, Any]:
    return {"facts": facts, "entities": facts // FACTS_AN_ENTITY, "facts_recalled": PROBE_FACTS, "reads": reads}
