"""A forget of very much is carried out in steps: reads are answered in between, and see nothing half taken apart."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from semurg.node import Node
from semurg.projections import erasing

DOCUMENTS = 120
FORMS: list[dict[str, Any]] = [{"source": "log of the harbour"}, {"subject": "Harbour Master"}]


async def filled(path: Path) -> Node:
    node = Node(path)
    await node.start()
    for number in range(DOCUMENTS):
        await node.execute(
            "remember",
            {
                "content": f"Berth {number} was taken, the Harbour Master wrote.",
                "source": "log of the harbour",
                "facts": {"relations": [{"source": "Harbour Master", "target": f"Berth {number}", "type": "NOTED"}]},
            },
            scope="s",
        )
    return node


@pytest.mark.parametrize("form", FORMS, ids=["source", "subject"])
def test_reads_come_in_between_and_each_sees_a_whole_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: dict[str, Any]
) -> None:
    monkeypatch.setattr(erasing, "STEP", 8)
    monkeypatch.setattr(erasing, "PASSAGES_STEP", 8)

    async def story() -> tuple[list[int], dict[str, Any]]:
        node = await filled(tmp_path / "memory")
        seen = []
        applying = node._projector.apply_in_steps

        def watched(recorded: Any) -> Any:
            # What runs between two steps is what any other task would: a read of the very scope.
            for _ in applying(recorded):
                reply = node.read("recall", {"subject": "Harbour Master", "k": 1000}, scope="s")
                for item in reply["items"]:
                    span = (item["citation"] or {}).get("span")
                    assert span is None or "Harbour Master" in span["text"]
                seen.append(sum(item["kind"] != "entity" for item in reply["items"]))
                yield

        monkeypatch.setattr(node._projector, "apply_in_steps", watched)
        reply = await node.execute("forget", form, scope="s")
        await node.stop()
        return seen, reply

    seen, reply = asyncio.run(story())
    assert reply["erased"] is True
    assert len(seen) >= 2 * DOCUMENTS / 8, "each step erases a few and lets others in"
    assert seen == sorted(seen, reverse=True), "what is gone stays gone"


def test_other_tasks_run_while_a_scope_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "STEP", 8)
    monkeypatch.setattr(erasing, "PASSAGES_STEP", 8)

    async def story() -> int:
        node = await filled(tmp_path / "memory")
        await node.execute("relate", {"from": "Zora", "to": "Acme", "type": "WORKS_AT"}, scope="other", user="ben")
        forgetting = asyncio.ensure_future(node.execute("forget", FORMS[0], scope="s"))
        reads = 0
        while not forgetting.done():
            assert node.read("recall", {"subject": "Zora"}, scope="other", user="ben")["state"] == "answered"
            reads += 1
            await asyncio.sleep(0)
        await forgetting
        await node.stop()
        return reads

    assert asyncio.run(story()) > 2 * DOCUMENTS / 8
