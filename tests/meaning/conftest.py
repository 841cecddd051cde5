"""A memory with the fake model armed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import semurg.embedding
from semurg.embedded import Memory
from tests.meaning.fake_model import FakeEmbedder

Opened = Callable[[], Memory]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """The model that the next node arms."""
    fake = FakeEmbedder()
    monkeypatch.setenv("SEMURG_MEANING", "bundled")
    monkeypatch.setattr(semurg.embedding, "open_model", lambda _environment: fake)
    return fake


@pytest.fixture
def opened(model: FakeEmbedder, tmp_path: Path) -> Iterator[Opened]:
    """Opens the memory, again after it was closed; waits until the model is armed."""
    memories: list[Memory] = []

    def open_memory() -> Memory:
        memory = semurg.open(tmp_path / "data")
        memories.append(memory)
        until(lambda: memory.memory_status()["meaning"]["state"] == "armed")
        return memory

    yield open_memory
    for memory in memories:
        memory.close()


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something is so; AssertionError when it is not in time."""
    waiting = threading.Event()
    for _ in range(int(seconds * 100)):
        if true():
            return
        waiting.wait(0.01)
    raise AssertionError("it did not come to be so")


def settled(memory: Memory) -> Memory:
    """The memory, once nothing waits for its vector any more."""
    until(lambda: memory.memory_status()["meaning"]["waiting"] == 0)
    return memory
