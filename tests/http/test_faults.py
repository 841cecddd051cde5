"""What the door does when the node is warming, full, read-only or broken, and when a caller leaves a write behind."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
import pytest
from sanic import Sanic

from semurg.access import OWNER, Caller
from semurg.api.http import HttpDoor
from semurg.api.logs import JsonLines
from semurg.domain.errors import Refusal
from semurg.node import Node

FACT = {"scope": "s", "from": "Dana", "to": "Acme", "type": "WORKS_AT"}
HEADERS = {"Authorization": "Bearer right"}


class NodeInTrouble:
    """Answers as a node would that is in `state`, or that fails with `failure`, or that waits for `gate`."""

    version = "1.2.3"

    def __init__(self, state: str = "ready", failure: Exception | None = None) -> None:
        self.state = state
        self.failure = failure
        self.began = asyncio.Event()
        self.gate: asyncio.Event | None = None
        self.finished = 0

    def authenticate(self, secret: str) -> Caller | None:
        return OWNER if secret == "right" and self.state != "warming" else None

    async def execute(self, *_: object) -> dict[str, Any]:
        self.began.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        self.finished += 1
        return {"ok": True}

    def read(self, *_: object) -> dict[str, Any]:
        if self.failure is not None:
            raise self.failure
        return {"ok": True}


@asynccontextmanager
async def door_to(node: NodeInTrouble) -> AsyncIterator[tuple[HttpDoor, httpx.AsyncClient]]:
    """The real door before the node, on a real socket."""
    door = HttpDoor(cast(Node, node))
    # Sanic rewrites its own classes when it starts, which works once a process; a test process starts it many times.
    door.app.config.TOUCHUP = False
    listener = socket.create_server(("127.0.0.1", 0))
    server: Any = await door.app.create_server(sock=listener, return_asyncio_server=True)
    try:
        await server.startup()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=url, headers=HEADERS, trust_env=False) as client:
            yield door, client
    finally:
        server.server.close()
        for connection in list(server.connections):
            connection.abort()
        Sanic.unregister_app(door.app)


def asked(
    node: NodeInTrouble, ask: Callable[[httpx.AsyncClient], Coroutine[Any, Any, httpx.Response]]
) -> httpx.Response:
    """One question and its answer."""

    async def run() -> httpx.Response:
        async with door_to(node) as (_, client):
            return await ask(client)

    return asyncio.run(run())


@pytest.fixture
def json_log() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What the door logs, in the form that a node writes when its standard error is no terminal."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    door = logging.getLogger("semurg.http")
    door.addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    door.removeHandler(handler)


def test_a_bug_is_500_with_a_reference_and_no_trace_in_the_reply(json_log: Callable[[], list[dict[str, Any]]]) -> None:
    node = NodeInTrouble(failure=KeyError("Dana's secret"))
    reply = asked(node, lambda client: client.post("/v1/memory/relate", json=FACT))
    assert (reply.status_code, reply.json()["error"]) == (500, "internal")
    assert "Dana" not in reply.text
    assert "KeyError" not in reply.text
    fault = next(one for one in json_log() if one["message"] == "fault")
    assert fault["request_id"] == reply.json()["reference"] == reply.headers["x-request-id"]
    assert fault["trace"][-1] == "builtins.KeyError"
    assert any("in execute" in line for line in fault["trace"])
    assert "Dana" not in json.dumps(fault)


def test_a_bug_in_a_read_is_500_too() -> None:
    node = NodeInTrouble(failure=ZeroDivisionError())
    reply = asked(node, lambda client: client.post("/v1/memory/recall", json={"scope": "s", "subject": "a"}))
    assert (reply.status_code, reply.json()["error"]) == (500, "internal")


@pytest.mark.parametrize(
    ("code", "status"), [("busy", 429), ("warming", 503), ("read_only", 503), ("disk_full", 503), ("log_corrupt", 503)]
)
def test_a_node_that_cannot_now_says_when_to_come_back(code: str, status: int) -> None:
    node = NodeInTrouble(failure=Refusal(code, "Not now.", "Later."))
    reply = asked(node, lambda client: client.post("/v1/memory/relate", json=FACT))
    assert (reply.status_code, reply.json()["error"]) == (status, code)
    assert int(reply.headers["retry-after"]) >= 1


def test_an_answer_that_the_server_gives_up_on_is_no_bug_and_the_write_goes_on() -> None:
    async def run() -> tuple[httpx.Response, int]:
        node = NodeInTrouble()
        node.gate = asyncio.Event()
        async with door_to(node) as (door, client):
            # read when the connection is made; a real node waits a day
            door.app.config.RESPONSE_TIMEOUT = 0.01
            reply = await client.post("/v1/memory/relate", json=FACT, timeout=30)
            node.gate.set()
            assert await door.drain(30)
            return reply, node.finished

    reply, finished = asyncio.run(run())
    assert (reply.status_code, reply.json()["error"]) == (429, "busy")
    assert finished == 1


def test_while_it_warms_health_is_alive_but_not_ready() -> None:
    reply = asked(NodeInTrouble(state="warming"), lambda client: client.get("/api/health"))
    assert reply.status_code == 503
    assert int(reply.headers["retry-after"]) >= 1
    body = reply.json()
    assert (body["error"], body["live"], body["ready"], body["state"]) == ("warming", True, False, "warming")


@pytest.mark.parametrize("path", ["/v1/whoami", "/v1/status", "/v1/memory/status"])
def test_while_it_warms_no_token_is_called_invalid(path: str) -> None:
    reply = asked(NodeInTrouble(state="warming"), lambda client: client.get(path))
    assert (reply.status_code, reply.json()["error"]) == (503, "warming")


def test_a_node_that_cannot_write_still_reads_and_says_so() -> None:
    reply = asked(NodeInTrouble(state="read_only"), lambda client: client.get("/api/health"))
    assert (reply.status_code, reply.json()["state"]) == (200, "read_only")


def test_a_write_goes_on_when_its_caller_leaves_and_stopping_waits_for_it() -> None:
    node = NodeInTrouble()

    async def run() -> None:
        node.gate = asyncio.Event()
        async with door_to(node) as (door, client):
            call = asyncio.ensure_future(client.post("/v1/memory/relate", json=FACT))
            await node.began.wait()
            call.cancel()
            await asyncio.wait([call])
            drained = asyncio.ensure_future(door.drain(30))
            assert node.finished == 0
            node.gate.set()
            await drained
            assert node.finished == 1

    asyncio.run(run())


def test_a_failed_write_whose_caller_left_is_not_reported_as_unhandled() -> None:
    node = NodeInTrouble(failure=ValueError())
    unhandled: list[object] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        node.gate = asyncio.Event()
        async with door_to(node) as (door, client):
            call = asyncio.ensure_future(client.post("/v1/memory/relate", json=FACT))
            await node.began.wait()
            call.cancel()
            await asyncio.wait([call])
            node.gate.set()
            await door.drain(30)

    asyncio.run(run())
    assert unhandled == []
