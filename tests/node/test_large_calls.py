"""A large call is decided in a thread and applied in steps: others are answered meanwhile, and see nothing of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semurg.node import Node
from semurg.orders import Deciding
from semurg.projections import recording
from semurg.projections.projector import Projector

WAIT_S = 60.0
TEXT = "The harbour log names Dana and nobody else. " * 600
LARGE: list[dict[str, Any]] = [
    {"content": TEXT},
    {"messages": [{"content": f"Dana wrote line {line}."} for line in range(200)]},
    {"facts": {"entities": [{"name": "Dana", "types": [f"type {number}" for number in range(1_200)]}]}},
    {"facts": {"entities": [{"name": f"e{number}", "attributes": {"a": 1, "b": 2}} for number in range(120)]}},
    {"facts": {"relations": [{"source": "Dana", "target": f"t{number}", "type": "KNOWS"} for number in range(600)]}},
]
SMALL: dict[str, Any] = {"facts": {"relations": [{"source": "Dana", "target": "Acme", "type": "WORKS_AT"}]}}


class Watch:
    """Stands before every decision, notes the thread of each, and holds those off the loop until let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads: list[threading.Thread] = []
        self.begun, self.let_go = threading.Event(), threading.Event()
        decide = Deciding.decide

        def watched(deciding: Deciding, *arguments: Any) -> Any:
            self._note()
            return decide(deciding, *arguments)

        monkeypatch.setattr(Deciding, "decide", watched)

    def _note(self) -> None:
        self.threads.append(threading.current_thread())
        if self.threads[-1] is not threading.main_thread():
            self.begun.set()
            assert self.let_go.wait(WAIT_S)


async def started(path: Path) -> Node:
    node = Node(path)
    await node.start()
    await node.execute("remember", SMALL, scope="s")
    return node


@pytest.mark.parametrize("call", LARGE, ids=["content", "messages", "types", "attributes", "relations"])
def test_a_read_is_answered_while_a_large_call_is_being_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: dict[str, Any]
) -> None:
    async def story() -> None:
        node = await started(tmp_path / "memory")
        deciding = Watch(monkeypatch)
        write = asyncio.ensure_future(node.execute("remember", call, scope="s"))
        assert await asyncio.to_thread(deciding.begun.wait, WAIT_S)
        assert node.read("recall", {"subject": "Dana"}, scope="s")["state"] == "answered"
        assert not write.done(), "the read was answered first"
        deciding.let_go.set()
        assert (await write)["already"] is False
        await node.stop()

    asyncio.run(story())


def test_a_small_call_is_decided_without_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        node = await started(tmp_path / "memory")
        deciding = Watch(monkeypatch)
        await node.execute("remember", {"content": "Dana left Acme."}, scope="s")
        assert deciding.threads == [threading.main_thread()]
        await node.stop()

    asyncio.run(story())


def test_facts_that_attach_to_a_large_stored_text_are_decided_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        node = await started(tmp_path / "memory")
        await node.execute("remember", {"content": TEXT, "source": "log"}, scope="s")
        deciding = Watch(monkeypatch)
        deciding.let_go.set()
        await node.execute("remember", {**SMALL, "source": "log"}, scope="s")
        assert threading.main_thread() not in deciding.threads
        await node.stop()

    asyncio.run(story())


def test_small_calls_that_came_before_a_large_one_are_answered_before_it_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        node = await started(tmp_path / "memory")
        deciding = Watch(monkeypatch)
        small = asyncio.ensure_future(node.execute("remember", {"content": "Dana left."}, scope="s"))
        large = asyncio.ensure_future(node.execute("remember", LARGE[0], scope="s"))
        await asyncio.wait_for(small, WAIT_S)
        assert not large.done()
        deciding.let_go.set()
        await large
        await node.stop()

    asyncio.run(story())


def test_a_large_call_is_applied_in_steps_and_no_read_between_them_sees_any_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("ATTRIBUTES_STEP", "NAMES_STEP", "TYPES_STEP", "PASSAGES_STEP", "MENTIONS_STEP"):
        monkeypatch.setattr(recording, step, 8)

    async def story() -> None:
        node = await started(tmp_path / "memory")
        applying = Projector.apply_in_steps
        seen: list[tuple[Any, Any]] = []

        def asked() -> tuple[Any, Any]:
            return (
                node.read("recall", {"subject": "Dana", "as_of": "2999", "k": 1000}, scope="s")["items"],
                node.read("status", {"scope": "s"}, scope="s")["scopes"][0]["entities"],
            )

        def watched(projector: Projector, recorded: Any) -> Iterator[None]:
            for _ in applying(projector, recorded):
                seen.append(asked())
                yield

        monkeypatch.setattr(Projector, "apply_in_steps", watched)
        for call in LARGE:
            before = asked()
            seen.clear()
            await node.execute("remember", call, scope="s")
            assert len(seen) > 8, "it took many steps"
            assert all(one == before for one in seen)
        await node.stop()

    asyncio.run(story())


def test_stopping_may_give_up_what_is_being_decided_and_loses_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        node = await started(tmp_path / "memory")
        deciding = Watch(monkeypatch)
        write = asyncio.ensure_future(node.execute("remember", LARGE[0], scope="s"))
        assert await asyncio.to_thread(deciding.begun.wait, WAIT_S)
        await node.stop(abandon=True)
        assert not write.done(), "it was never acknowledged"
        write.cancel()
        deciding.let_go.set()
        again = Node(tmp_path / "memory")
        await again.start()
        scopes = again.read("status", {"scope": "s"}, scope="s")["scopes"]
        assert [(one["facts"], one["documents"]) for one in scopes] == [(1, 0)]
        await again.stop()

    asyncio.run(story())
