"""Requests that no library sends: cut off, malformed, too large, and clients that leave. Never a 500, never a hang."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.conftest import RunningNode, held
from tests.http.raw_client import RawConnection

LIMIT = 8 * 1024 * 1024


def sent_with(node: RunningNode, **headers: str) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {node.token}",
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }


def padded(scope: str, size: int) -> bytes:
    body = json.dumps({"scope": scope, "subject": "a"}).encode()
    return body + b" " * (size - len(body))


def is_alive(node: RunningNode) -> bool:
    return httpx.get(node.url + "/api/health", trust_env=False).status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        b"HELLO\r\n\r\n",
        b"GET /v1/whoami\r\n\r\n",
        b"GET /v1/whoami HTTP/9.9\r\n\r\n",
        b"GET /v1/whoami HTTP/1.1\r\nno colon here\r\n\r\n",
        b"POST /v1/memory/recall HTTP/1.1\r\nContent-Length: ten\r\n\r\n",
        b"POST /v1/memory/recall HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/memory/recall HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /v1/memory/recall HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        b"GET /\xff\xfe HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_is_not_http_is_400_and_the_connection_ends(node: RunningNode, head: bytes) -> None:
    with RawConnection(node.port) as connection:
        connection.send(head)
        reply = connection.read_reply()
        assert (reply.status, reply.json()["error"]) == (400, "bad_request")
        assert connection.is_closed_by_peer()
    assert is_alive(node)


def test_headers_past_their_limit_are_413(node: RunningNode) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request("GET", "/v1/whoami", sent_with(node, X_Long="x" * 20_000))
        reply = connection.read_reply()
    assert (reply.status, reply.json()["error"]) == (413, "too_large")


def test_a_broken_chunk_is_400(node: RunningNode, scope: str) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request("POST", "/v1/memory/recall", sent_with(node, Transfer_Encoding="chunked"))
        connection.send(b"zz\r\nhello\r\n0\r\n\r\n")
        reply = connection.read_reply()
    assert (reply.status, reply.json()["error"]) == (400, "bad_request")


def test_a_body_at_the_limit_is_read(node: RunningNode, scope: str) -> None:
    with node.client() as client:
        headers = {"Content-Type": "application/json"}
        reply = client.post("/v1/memory/recall", content=padded(scope, LIMIT), headers=headers)
    assert (reply.status_code, reply.json()["state"]) == (200, "nothing_stored")


def test_a_body_one_byte_past_the_limit_is_413(node: RunningNode, scope: str) -> None:
    with node.client() as client:
        headers = {"Content-Type": "application/json"}
        reply = client.post("/v1/memory/recall", content=padded(scope, LIMIT + 1), headers=headers)
    assert (reply.status_code, reply.json()["error"], reply.json()["limit"]) == (413, "too_large", LIMIT)


def test_an_announced_length_past_the_limit_is_refused_before_the_body_comes(node: RunningNode) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request("POST", "/v1/memory/remember", sent_with(node, Content_Length=str(10**12)))
        reply = connection.read_reply()
        assert (reply.status, reply.json()["error"]) == (413, "too_large")
        assert reply.headers["connection"] == "close"


def test_a_streamed_body_is_refused_while_it_arrives(node: RunningNode) -> None:
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    with RawConnection(node.port) as connection:
        connection.send_request("POST", "/v1/memory/remember", sent_with(node, Transfer_Encoding="chunked"))
        for _ in range(9):
            connection.send(chunk)
        # The body never ends, and yet it is answered.
        reply = connection.read_reply()
    assert (reply.status, reply.json()["error"]) == (413, "too_large")


def test_a_streamed_body_within_the_limit_is_read(client: httpx.Client) -> None:
    parts = [b'{"subj', b'ect": "no', b'body"}']
    reply = client.post("/v1/memory/recall", content=iter(parts), headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["state"]) == (200, "nothing_stored")


def test_a_caller_who_asks_first_is_told_to_go_on(node: RunningNode, scope: str) -> None:
    body = padded(scope, 100)
    with RawConnection(node.port) as connection:
        headers = sent_with(node, Content_Length=str(len(body)), Expect="100-continue")
        connection.send_request("POST", "/v1/memory/recall", headers)
        assert connection.read_head()[0] == 100
        connection.send(body)
        assert connection.read_reply().status == 200


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Content-Length": str(LIMIT + 1)}, 413),
        ({"Authorization": "Bearer no"}, 401),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_caller_who_asks_first_is_refused_without_sending_the_body(
    node: RunningNode, change: dict[str, str], status: int
) -> None:
    with RawConnection(node.port) as connection:
        headers = {**sent_with(node, Content_Length="1000", Expect="100-continue"), **change}
        connection.send_request("POST", "/v1/memory/recall", headers)
        assert connection.read_head()[0] == status


def test_a_refused_request_leaves_the_connection_usable(node: RunningNode, scope: str) -> None:
    body = padded(scope, 200)
    with RawConnection(node.port) as connection:
        headers = sent_with(node, Content_Length=str(len(body)))
        connection.send_request("POST", "/v1/memory/recall", {**headers, "Authorization": "Bearer no"}, body)
        assert connection.read_reply().status == 401
        connection.send_request("POST", "/v1/memory/recall", headers, body)
        assert connection.read_reply().status == 200


def test_two_requests_sent_at_once_are_answered_in_order(node: RunningNode) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request("GET", "/v1/whoami", sent_with(node))
        connection.send_request("GET", "/api/health", {})
        assert connection.read_reply().json()["identity"] == "owner"
        assert connection.read_reply().json()["ready"] is True


def test_clients_that_leave_early_do_no_harm(node: RunningNode, scope: str) -> None:
    body = padded(scope, 1_000)
    whole = sent_with(node, Content_Length=str(len(body)))
    for sent in (b"", b"POST /v1/mem", b"POST /v1/memory/recall HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345"):
        with RawConnection(node.port) as connection:
            connection.send(sent)
    for cut in (0, 500, 1_000):
        with RawConnection(node.port) as connection:
            connection.send_request("POST", "/v1/memory/recall", whole, body[:cut])
    assert is_alive(node)


def test_a_write_whose_caller_left_is_all_there_or_not_there(node: RunningNode, scope: str) -> None:
    relations = [{"source": "Hub", "target": f"Node {number}", "type": "LINKS"} for number in range(200)]
    body = json.dumps({"scope": scope, "facts": {"relations": relations}}).encode()
    with RawConnection(node.port) as connection:
        connection.send_request("POST", "/v1/memory/remember", sent_with(node, Content_Length=str(len(body))), body)
    with node.client(**{"X-Semurg-Scope": scope}) as client:
        # A later write of the same scope is decided after the abandoned one, whatever became of that.
        client.post("/v1/memory/relate", json={"from": "a", "to": "b", "type": "C"}).raise_for_status()
        assert held(client, "facts") in (1, 201)
