"""What a fact and a passage cost in memory: the growth of a process, and the projections' own count.

`python -m benchmarks.resident DIRECTORY` replays a log in a process of its own and prints both as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import uvloop

from benchmarks.figures import Figure, Goal, figure
from benchmarks.workload import FACTS_AN_ENTITY, SCOPE, Memories, on_node
from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.sqlite_log import SqliteLog
from semurg.node import Node
from semurg.projections.kernels.jit import warm_up
from semurg.projections.projector import Projector
from semurg.projections.replay import replay

STATM = Path("/proc/self/statm")
PASSAGE_WORDS = 120
PASSAGES_A_CALL = 500


def measure(memories: Memories) -> list[Figure]:
    """Figures of memory. Without /proc there is nothing to measure with."""
    if not STATM.exists():
        return []
    sizes = memories.sizes
    passages = memories.fresh()
    on_node(passages, lambda node: _store_passages(node, sizes.passages))
    empty = memories.fresh()
    on_node(empty, _nothing)
    nothing = _resident(empty)
    found = []
    for facts in [facts for facts in sizes.scopes if facts >= max(sizes.scopes) // 10]:
        grown, counted = _resident(memories.of(facts))
        stated = {"facts": facts, "entities": facts // FACTS_AN_ENTITY}
        found += [
            figure(f"memory: a fact of {facts:,}, its share of entities included", "bytes",
                   [(grown - nothing[0]) / facts], goal=Goal("value", most=200), sizes=stated),
            figure(f"memory: a fact of {facts:,}, as the projections count", "bytes",
                   [counted / facts], goal=Goal("value", most=200), sizes=stated),
        ]  # fmt: skip
    grown, counted = _resident(passages)
    stated = {"passages": sizes.passages, "words": PASSAGE_WORDS}
    text = _passage_bytes()
    found += [
        figure("memory: a passage without its text", "bytes", [(grown - nothing[0]) / sizes.passages - text],
               goal=Goal("value", most=1_200), sizes={**stated, "text_bytes": text}),
        figure("memory: a passage without its text, as the projections count", "bytes",
               [counted / sizes.passages - text], goal=Goal("value", most=1_200), sizes={**stated, "text_bytes": text}),
    ]  # fmt: skip
    return found


def _resident(path: Path) -> tuple[int, int]:
    """(bytes by which a process grows as it replays the log, bytes the projections count)."""
    command = [sys.executable, "-m", "benchmarks.resident", str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    grown, counted = json.loads(answer)
    return grown, counted


def _text(number: int) -> str:
    words = " ".join(f"word{(number * 7 + nth * 13) % 5_000}" for nth in range(PASSAGE_WORDS - 4))
    return f"Person {number % 1_000:06d} wrote {words} {number}."


def _passage_bytes() -> int:
    return len(_text(12_345))


async def _nothing(node: Node) -> None:
    return None


async def _store_passages(node: Node, count: int) -> None:
    for first in range(0, count, PASSAGES_A_CALL):
        passages = [
            {"text": _text(number), "mentions": [f"Person {number % 1_000:06d}"]}
            for number in range(first, min(count, first + PASSAGES_A_CALL))
        ]
        await node.execute("remember", {"passages": passages}, scope=SCOPE)


def _now_resident() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _grow(path: Path) -> tuple[int, int]:
    directory = DataDirectory(path)
    directory.claim()
    log = SqliteLog(directory.log_path)
    await log.open()
    warm_up()
    projector = Projector(directory.keyed_hash)
    before = _now_resident()
    await replay(log, projector, lambda position: None)
    gc.collect()
    grown = _now_resident() - before
    await log.close()
    directory.release()
    return grown, projector.memory_bytes()


if __name__ == "__main__":
    print(json.dumps(uvloop.run(_grow(Path(sys.argv[1])))))
