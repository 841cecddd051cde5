"""A crash at any step of an erasure: what is committed is finished at the next start, what is not never happened."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import semurg
from semurg.embedded import Memory
from semurg.eventlog.sqlite_log import SqliteLog

from .erased_bytes import encodings, everything_on_disk, still_there
from .erasure_child import FORMS, GOING, STAYING, STEPS, SUBJECT, USER

ROOT = Path(__file__).parents[2]
NEVER_HAPPENED = STEPS[:2]


def killed_at(directory: Path, form: str, step: str) -> None:
    child = subprocess.run(
        [sys.executable, "-m", "tests.node.erasure_child", str(directory), form, step],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, "it died at the step, not before or after"


def on_loop(memory: Memory, work: Any) -> Any:
    return asyncio.run_coroutine_threadsafe(work, memory._loop).result()


def forgotten_in(form: str) -> list[str]:
    return {"subject": [SUBJECT, GOING], "all": [SUBJECT, GOING], "delete_user": [SUBJECT, GOING, USER]}[form]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("form", FORMS)
def test_what_a_crash_interrupted_is_finished_before_the_node_serves(tmp_path: Path, form: str, step: str) -> None:
    directory = tmp_path / "memory"
    killed_at(directory, form, step)
    gone = forgotten_in(form)
    if step == "after the erasure":
        assert still_there(directory, gone) == [], "the caller could have been answered: all was erased"
    with semurg.open(directory) as memory:
        recalled = memory.recall(scope="one", user_id=USER, subject=SUBJECT, k=100)
        if step in NEVER_HAPPENED:
            assert len(recalled["items"]) == 32, "the entity, its 30 facts and its passage"
            assert still_there(directory, gone) == gone
            assert not FORMS[form](memory).get("already_forgotten")
        else:
            assert recalled["state"] == "nothing_stored"
        assert still_there(directory, gone) == []
        assert on_loop(memory, memory.node._log.pending_erasures()) == []
        repeated = FORMS[form](memory)
        assert repeated.get("already_forgotten") is True or repeated.get("state") == "already_deleted"
        assert len(memory.recall(scope="two", subject=STAYING)["items"]) == 2
        assert any(encoded in everything_on_disk(directory) for encoded in encodings(STAYING))
        assert on_loop(memory, memory.node._log.verify()).first_break is None


def test_the_node_does_not_serve_before_the_erasure_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "memory"
    killed_at(directory, "subject", "after the append")
    states: list[str] = []
    finish = SqliteLog.finish_erasure
    memory: list[semurg.node.Node] = []  # type: ignore[name-defined]

    async def watched(self: SqliteLog, stream: str, through: int) -> None:
        states.extend(node.state for node in memory)
        await finish(self, stream, through)

    monkeypatch.setattr(SqliteLog, "finish_erasure", watched)

    async def story() -> str:
        node = semurg.node.Node(directory)  # type: ignore[attr-defined]
        memory.append(node)
        await node.start()
        try:
            return str(node.state)
        finally:
            await node.stop()

    assert asyncio.run(story()) == "ready"
    assert states == ["warming"]
