"""Erasing a very large partition, and how long another end user's reads wait meanwhile."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.figures import Figure, Goal, figure
from benchmarks.workload import Memories
from semurg.domain.limits import PASSAGES_MAX
from semurg.node import Node

DOCUMENTS_A_PASSAGE = 5
SCOPE, SINGLES, LABEL, SUBJECT = "bench", "singles", "the harbour's own log", "Harbour Master"
LARGE, OTHER = "user-large", "user-other"
GATHERED = 256
MEASURED: Mapping[str, tuple[str, dict[str, Any], str | None]] = {
    "forget: a source": ("forget", {"source": LABEL}, SCOPE),
    "forget: an entity that every text names": ("forget", {"subject": SUBJECT}, SCOPE),
    "forget: a whole scope": ("forget", {"all": True}, SINGLES),
    "delete_user": ("delete_user", {}, None),
}


def measure(memories: Memories) -> list[Figure]:
    """Figures of erasing."""
    documents = memories.sizes.passages * DOCUMENTS_A_PASSAGE
    made = memories.made(f"documents-{documents}", lambda node: _fill(node, documents))
    return [
        found
        for name, call in MEASURED.items()
        for found in uvloop.run(_erase(memories.copy(made), name, call, documents))
    ]


async def _fill(node: Node, documents: int) -> None:
    """One scope that was filled a thousand documents a call, under one label, and one filled document by document."""
    texts = [
        f"Berth {number} was taken, the {SUBJECT} wrote. It rained on day {number % 365}."
        for number in range(documents)
    ]
    for first in range(0, documents, PASSAGES_MAX):
        passages = [{"text": text, "mentions": [SUBJECT]} for text in texts[first : first + PASSAGES_MAX]]
        await node.execute("remember", {"passages": passages, "source": LABEL}, scope=SCOPE, user=LARGE)
    for first in range(0, documents, GATHERED):
        calls = ({"content": text} for text in texts[first : first + GATHERED])
        await asyncio.gather(*(node.execute("remember", call, scope=SINGLES, user=LARGE) for call in calls))
    await node.execute("relate", {"from": "Zora", "to": "Acme", "type": "WORKS_AT"}, scope=SCOPE, user=OTHER)


async def _erase(path: Path, name: str, call: tuple[str, dict[str, Any], str | None], documents: int) -> list[Figure]:
    verb, fields, scope = call
    node = Node(path)
    await node.start()
    # As the server does: what is loaded by now need not be walked by the collector.
    gc.collect()
    gc.freeze()
    started = time.perf_counter()
    erasing = asyncio.ensure_future(node.execute(verb, fields, scope=scope, user=LARGE))
    waits = []
    while not erasing.done():
        # A read that comes in while the loop is held waits for it: the pause between two reads counts as waiting.
        asked = time.perf_counter()
        await asyncio.sleep(0.001)
        node.read("recall", {"subject": "Zora"}, scope=SCOPE, user=OTHER)
        waits.append((time.perf_counter() - asked) * 1_000)
    seconds = time.perf_counter() - started
    reply = await erasing
    await node.stop()
    gc.unfreeze()
    if not reply["erased"]:
        raise RuntimeError(f"nothing was erased: {reply}")
    sizes = {"documents": documents, "reads": len(waits)}
    return [
        figure(f"{name}, {documents:,} documents", "s", [seconds], sizes=sizes),
        figure(
            f"{name}, {documents:,} documents: longest read of another user", "ms", [max(waits)],
            goal=Goal("value", most=50), sizes=sizes,
        ),
    ]  # fmt: skip
