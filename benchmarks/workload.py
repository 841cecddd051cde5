"""Made-up memories of a given size: bulk calls of entities and facts, and a few entities with 20 quoted facts each."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import uvloop

from semurg.node import Node

SCOPE = "bench"
FACTS_AN_ENTITY = 5
PROBE_FACTS = 20
PROBES = 50
SEED = 20_260
_ROLES = ("ADVISES", "FUNDS", "SUPPLIES", "REVIEWS", "MENTORS", "HIRES", "AUDITS", "SPONSORS", "VISITS", "TEACHES")
RELATIONS = tuple(f"{role}_{rank}" for role in _ROLES for rank in ("FIRST", "SECOND", "THIRD", "FOURTH"))
_CLASSES = ("Person", "Company", "Project", "Place")


class Sizes(NamedTuple):
    """How much of everything a run measures."""

    rounds: int
    single_writes: int
    grouped_writes: int
    http_writes: int
    bulk_calls: int
    bulk_entities: int
    scopes: tuple[int, ...]
    reads: int
    single_fact_events: int
    passages: int
    forgets: int
    forget_scopes: tuple[int, ...]
    starts: int
    word_scopes: tuple[int, ...]


FULL = Sizes(3, 1_000, 10_000, 3_000, 10, 1_000, (10_000, 100_000, 500_000, 1_000_000), 500, 50_000, 20_000, 20,
             (10_000, 100_000, 500_000), 5, (10_000, 100_000))  # fmt: skip
QUICK = Sizes(1, 20, 128, 64, 2, 20, (200, 400), 20, 100, 50, 2, (200,), 1, (500,))


def entity_name(number: int) -> str:
    """The name of a made-up entity."""
    return f"{_CLASSES[number % len(_CLASSES)]} {number:06d}"


def probe_name(number: int) -> str:
    """The name of an entity with exactly PROBE_FACTS facts."""
    return f"Probe {number:03d}"


def bulk_calls(facts: int, entities_a_call: int, first: int = 0) -> Iterator[dict[str, Any]]:
    """Inputs of remember: each lists new entities and FACTS_AN_ENTITY new facts for every one of them."""
    chance = random.Random(SEED)
    known = first
    for _ in range(facts // (entities_a_call * FACTS_AN_ENTITY)):
        new = range(known, known + entities_a_call)
        known += entities_a_call
        relations = [
            {
                "source": entity_name(source),
                "target": entity_name(chance.randrange(first, known)),
                "type": RELATIONS[(source * FACTS_AN_ENTITY + nth) % len(RELATIONS)],
            }
            for source in new
            for nth in range(FACTS_AN_ENTITY)
        ]
        entities = [{"name": entity_name(one), "type": _CLASSES[one % len(_CLASSES)]} for one in new]
        yield {"facts": {"entities": entities, "relations": relations}, "source": "bulk", "date": "2026-01-05"}


def probe_call(number: int) -> dict[str, Any]:
    """A remember of one entity whose facts each have a sentence to be cited with."""
    name = probe_name(number)
    facts = [(RELATIONS[nth], entity_name(nth)) for nth in range(PROBE_FACTS)]
    sentences = [f"On the record, {name} {verb.lower().replace('_', ' ')} {target}." for verb, target in facts]
    relations = [
        {"source": name, "target": target, "type": verb, "valid_from": f"2026-01-{nth + 1:02d}"}
        for nth, (verb, target) in enumerate(facts)
    ]
    return {"content": " ".join(sentences), "facts": {"relations": relations}, "source": f"record {number}"}


def on_node(path: Path, work: Callable[[Node], Awaitable[Any]]) -> Any:
    """The result of `work` with a node over the directory, on an event loop like the server's."""

    async def run() -> Any:
        node = Node(path)
        await node.start()
        try:
            return await work(node)
        finally:
            await node.stop()

    return uvloop.run(run())


class Memories:
    """Data directories under one temporary directory: a scope of each size is made once a run and then copied."""

    def __init__(self, root: Path, sizes: Sizes) -> None:
        self.root = root
        self.sizes = sizes
        self._made: dict[int, Path] = {}
        self._number = 0

    def fresh(self) -> Path:
        """A path that nothing was stored under yet."""
        self._number += 1
        return self.root / f"fresh-{self._number}"

    def of(self, facts: int) -> Path:
        """A directory whose scope holds about this many facts, and the probes. It is not to be written to."""
        if facts not in self._made:
            self._made[facts] = self.fresh()
            on_node(self._made[facts], lambda node: self._fill(node, facts))
        return self._made[facts]

    def copy_of(self, facts: int) -> Path:
        """The same, to be written to."""
        return self.copy(self.of(facts))

    def made(self, name: str, fill: Callable[[Node], Awaitable[Any]]) -> Path:
        """A directory filled in another way, made once a run. It is not to be written to."""
        path = self.root / name
        if not path.exists():
            on_node(path, fill)
        return path

    def copy(self, path: Path) -> Path:
        """A copy of a directory, to be written to."""
        copy = self.fresh()
        shutil.copytree(path, copy)
        return copy

    async def _fill(self, node: Node, facts: int) -> None:
        for call in bulk_calls(facts, self.sizes.bulk_entities):
            await node.execute("remember", call, scope=SCOPE)
        await asyncio.gather(*(node.execute("remember", probe_call(one), scope=SCOPE) for one in range(PROBES)))
