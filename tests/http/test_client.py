"""The Python client: the same verbs, the node's refusals as exceptions, and a plain word when no node is there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from semurg.client import Client, NodeUnreachableError, is_loopback
from semurg.domain.errors import Refusal
from tests.conftest import RunningNode


@pytest.fixture
def memory(node: RunningNode, scope: str) -> Iterator[Client]:
    with Client(node.url, node.token, scope) as opened:
        yield opened


def test_the_verbs_do_what_the_routes_do(memory: Client, scope: str) -> None:
    stored = memory.remember(content="Dana joined Acme.", facts={"entities": [{"name": "Dana"}]})
    assert stored["passages"] == 1
    assert memory.relate(frm="Dana", type="WORKS_AT", to="Acme")["present"] is True
    assert memory.recall(subject="dana")["state"] == "answered"
    assert scope in [one["scope"] for one in memory.memory_status()["scopes"]]
    assert memory.forget(subject="Dana")["already_forgotten"] is False
    assert memory.call("whoami", {})["identity"] == "owner"
    assert memory.call("health", {})["ready"] is True
    assert memory.call("node_status", {})["state"] == "ready"


def test_a_refusal_is_raised_as_the_node_said_it(memory: Client) -> None:
    with pytest.raises(Refusal) as caught:
        memory.recall(subjct="Dana")
    assert (caught.value.code, caught.value.fields["field"]) == ("unknown_field", "subjct")
    assert caught.value.fix


def test_a_call_may_name_another_scope_than_the_clients(memory: Client, scope: str) -> None:
    memory.relate(frm="Dana", type="WORKS_AT", to="Acme", scope=f"{scope}-2")
    assert memory.recall(subject="Dana")["state"] == "nothing_stored"
    assert memory.recall(subject="Dana", scope=f"{scope}-2")["state"] == "answered"


class _SomethingElse(BaseHTTPRequestHandler):
    reply: tuple[int, bytes] = (404, b"<html>not here</html>")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.reply[0])
        self.end_headers()
        self.wfile.write(self.reply[1])

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test's output is the test's own."""


@pytest.mark.parametrize(
    ("reply", "raised"),
    [
        ((404, b"<html>not here</html>"), NodeUnreachableError),
        ((500, b"[]"), NodeUnreachableError),
        ((404, b'{"error": "x"}'), NodeUnreachableError),
        ((418, b'{"error": "of_tomorrow", "detail": "d", "fix": "f", "code": 1}'), Refusal),
    ],
)
def test_what_is_no_node_or_a_newer_one_is_told_apart(reply: tuple[int, bytes], raised: type[Exception]) -> None:
    handler = type("Handler", (_SomethingElse,), {"reply": reply})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with Client(f"http://127.0.0.1:{server.server_port}", "t") as client, pytest.raises(raised):
            client.recall(subject="a", scope="s")
        thread.join()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:4000", True),
        ("http://127.8.9.1", True),
        ("http://localhost:1", True),
        ("http://[::1]:4000", True),
        ("http://localhost.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://10.0.0.1", False),
        ("nonsense", False),
    ],
)
def test_only_this_machine_is_loopback(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected
