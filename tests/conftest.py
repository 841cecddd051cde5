"""A real node for tests: its own process in its own session, a free port, a temporary data directory."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import settings

# A model is armed by the tests that are about it, and by no other.
os.environ.setdefault("SEMURG_MEANING", "off")

# How long an example takes says more about the machine than about the code.
settings.register_profile("semurg", deadline=None)
settings.load_profile("semurg")

START_S = 90.0
STOP_S = 10.0


class RunningNode:
    """One `semurg serve` process, or another program's that ends in one.

    `lines` collects the JSON log; `output` is what it printed.
    """

    def __init__(
        self,
        data: Path,
        *options: str,
        environment: dict[str, str] | None = None,
        program: Sequence[str] = ("-m", "semurg"),
    ) -> None:
        self.data = data
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SEMURG_")}
        self.process = subprocess.Popen(
            [sys.executable, *program, "serve", "--data", str(data), "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**kept, **(environment or {})},
            # A session of its own: no signal meant for the node can reach the tests, nor the other way round.
            start_new_session=True,
        )
        self.lines: list[str] = []
        self.output: list[str] = []
        self._events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_log, self._read_output)]
        for reader in self._readers:
            reader.start()

    def wait_for(self, event: str) -> dict[str, Any]:
        """The log line of this event; fails with the log when the process ends before it."""
        while True:
            found = self._events.get(timeout=START_S)
            if found is None:
                raise AssertionError(f"the node ended before {event}:\n" + "\n".join(self.lines))
            if found.get("event") == event:
                return found

    def wait_ready(self) -> RunningNode:
        """Wait until it serves; sets url, port and token."""
        ready = self.wait_for("ready")
        self.url: str = ready["url"]
        self.port: int = ready["port"]
        environment = (self.data / "semurg.env").read_text("utf-8")
        self.token = environment.partition("=")[2].strip()
        return self

    def client(self, token: str | None = None, **headers: str) -> httpx.Client:
        """A client that sends the owner's token, or another."""
        sent = {"Authorization": f"Bearer {token or self.token}", **headers}
        return httpx.Client(base_url=self.url, headers=sent, timeout=30.0, trust_env=False)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop, and its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.finish()

    def finish(self) -> int:
        """Wait for its end, and its exit code."""
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_S)
            raise
        finally:
            for reader in self._readers:
                reader.join(STOP_S)
            for stream in (self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("{"):
                self._events.put(json.loads(line))
        self._events.put(None)

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line.rstrip("\n"))


def counts_of(client: httpx.Client, scope: str | None = None) -> dict[str, Any] | None:
    """What status counts in a scope (the client's own without one); None when there is no such scope."""
    named = client.headers["X-Semurg-Scope"] if scope is None else scope
    listed = client.get("/v1/memory/status", params={"scope": named}).json()["scopes"]
    return next((one for one in listed if one["scope"] == named), None)


def held(client: httpx.Client, what: str) -> int:
    """How many of `what` (facts, documents, …) the client's scope holds."""
    counts = counts_of(client)
    assert counts is not None
    count: int = counts[what]
    return count


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningNode]:
    """One ready node, shared by the tests; each test uses a scope of its own."""
    running = RunningNode(tmp_path_factory.mktemp("node") / "data")
    try:
        yield running.wait_ready()
    finally:
        running.stop()


@pytest.fixture
def start_node() -> Iterator[Callable[..., RunningNode]]:
    """Starts nodes of a test's own, which are stopped after it."""
    started: list[RunningNode] = []

    def start(data: Path, *options: str, **settings: Any) -> RunningNode:
        started.append(RunningNode(data, *options, **settings))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture
def scope() -> str:
    """A scope that no other test uses."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def client(node: RunningNode, scope: str) -> Iterator[httpx.Client]:
    """The owner's client on the shared node, in the test's own scope."""
    with node.client(**{"X-Semurg-Scope": scope}) as opened:
        yield opened
