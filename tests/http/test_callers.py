"""Who asks and where: tokens, scopes and end users, in headers and bodies, however they are sent."""

from __future__ import annotations

import httpx
import pytest

from tests.conftest import RunningNode, counts_of
from tests.http.raw_client import RawConnection

GUARDED = [
    ("GET", "/v1/whoami"),
    ("GET", "/v1/status"),
    ("GET", "/v1/memory/status"),
    ("POST", "/v1/memory/remember"),
    ("POST", "/v1/memory/recall"),
    ("POST", "/v1/memory/relate"),
    ("POST", "/v1/memory/forget"),
    ("POST", "/v1/memory/delete_user"),
]
FACT = {"from": "Dana", "to": "Acme", "type": "WORKS_AT"}


def stored(client: httpx.Client, **fields: str) -> str:
    reply = client.post("/v1/memory/recall", json={"subject": "Dana", **fields})
    assert reply.status_code == 200, reply.text
    state: str = reply.json()["state"]
    return state


@pytest.mark.parametrize(("method", "path"), GUARDED)
@pytest.mark.parametrize("value", [None, "", "Bearer", "Bearer ", "Basic b3duZXI6eA==", "{token}", "token {token}"])
def test_a_request_without_a_bearer_token_is_401(node: RunningNode, method: str, path: str, value: str | None) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request(
            method, path, {} if value is None else {"Authorization": value.format(token=node.token)}
        )
        reply = connection.read_reply()
    assert (reply.status, reply.json()["error"]) == (401, "token_required")
    assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("wrong", ["x", "{token}x", "{cut}", "{upper}", "é", "a b", "../../etc", "'; DROP TABLE"])
def test_a_wrong_token_is_401_and_says_nothing_more(node: RunningNode, wrong: str) -> None:
    token = wrong.format(token=node.token, cut=node.token[:-1], upper=node.token.swapcase())
    headers = {b"Authorization": b"Bearer " + token.encode()}
    reply = httpx.get(node.url + "/v1/whoami", headers=headers, trust_env=False)
    assert (reply.status_code, reply.json()["error"]) == (401, "token_invalid")
    assert reply.headers["www-authenticate"].startswith("Bearer")
    assert token not in reply.text or len(token) == 1


def test_a_wrong_token_is_told_before_anything_about_the_body(node: RunningNode) -> None:
    headers = {"Authorization": "Bearer no", "Content-Type": "text/plain"}
    reply = httpx.post(node.url + "/v1/memory/recall", headers=headers, content=b"{{{", trust_env=False)
    assert reply.status_code == 401


def test_two_authorization_headers_are_refused(node: RunningNode) -> None:
    with RawConnection(node.port) as connection:
        connection.send(
            f"GET /v1/whoami HTTP/1.1\r\nAuthorization: Bearer {node.token}\r\nAuthorization: Bearer x\r\n\r\n".encode()
        )
        assert connection.read_reply().status == 401


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer ", "Bearer  "])
def test_the_scheme_is_read_in_any_case_and_spacing(node: RunningNode, scheme: str) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request("GET", "/v1/whoami", {"Authorization": f"{scheme} {node.token} "})
        assert connection.read_reply().status == 200


def test_a_token_in_the_query_string_does_not_count(node: RunningNode) -> None:
    reply = httpx.get(f"{node.url}/v1/whoami?token={node.token}&access_token={node.token}", trust_env=False)
    assert reply.status_code == 401


def test_whoami_of_the_owner(client: httpx.Client) -> None:
    assert client.get("/v1/whoami").json() == {
        "identity": "owner",
        "name": "owner",
        "user_id": None,
        "access": "owner",
        "scopes": None,
    }


@pytest.mark.parametrize("path", ["/api/health", "/openapi.json", "/docs"])
def test_health_and_the_description_need_no_token(node: RunningNode, path: str) -> None:
    assert httpx.get(node.url + path, trust_env=False).status_code == 200


def test_the_scope_of_the_body_wins_over_the_headers(node: RunningNode, scope: str) -> None:
    with node.client(**{"X-Semurg-Scope": f"{scope}-header"}) as client:
        client.post("/v1/memory/relate", json={**FACT, "scope": scope}).raise_for_status()
        assert stored(client, scope=scope) == "answered"
        assert stored(client) == "nothing_stored"


def test_without_a_scope_a_verb_is_refused_and_status_lists_the_scopes(node: RunningNode, scope: str) -> None:
    with node.client() as client:
        for path, body in (("recall", {"subject": "Dana"}), ("relate", FACT), ("forget", {"all": True})):
            reply = client.post(f"/v1/memory/{path}", json=body)
            assert (reply.status_code, reply.json()["error"]) == (422, "scope_required")
        client.post("/v1/memory/relate", json={**FACT, "scope": scope}).raise_for_status()
        assert counts_of(client, scope) is not None


def test_a_read_creates_no_scope(node: RunningNode, scope: str) -> None:
    with node.client() as client:
        assert stored(client, scope=scope) == "nothing_stored"
        assert counts_of(client, scope) is None
        assert scope not in [one["scope"] for one in client.get("/v1/memory/status").json()["scopes"]]


@pytest.mark.parametrize("bad", ["", "a\u0001b", "x" * 257, "é" * 129, "  "])
def test_a_scope_that_cannot_be_is_refused_by_name(node: RunningNode, bad: str) -> None:
    with node.client() as client:
        reply = client.post("/v1/memory/relate", json={**FACT, "scope": bad})
    assert (reply.status_code, reply.json()["error"]) == (422, "scope_invalid")


@pytest.mark.parametrize("good", ["x" * 256, "é" * 128, "a:b/c %00 ' \" \\", "範囲", "👩🏽‍🚀"])
def test_a_scope_at_the_limit_or_with_odd_characters_is_taken(node: RunningNode, good: str) -> None:
    with node.client() as client:
        assert client.post("/v1/memory/relate", json={**FACT, "scope": good}).json()["ok"] is True
        counts = counts_of(client, good)
    assert counts is not None
    assert counts["facts"] == 1


def test_header_values_are_read_as_utf8_without_outer_white_space(node: RunningNode, scope: str) -> None:
    named = f"範囲-{scope}"
    with node.client() as client:
        client.post("/v1/memory/relate", json={**FACT, "scope": named}).raise_for_status()
    with RawConnection(node.port) as connection:
        headers = {"Authorization": f"Bearer {node.token}", "X-Semurg-Scope": f"\t {named} \t"}
        connection.send_request("GET", "/v1/memory/status", headers)
        ontology = connection.read_reply().json()["ontology"]
    assert [one["type"] for one in ontology["relations"]] == ["WORKS_AT"]


def test_a_header_that_is_no_utf8_is_refused(node: RunningNode) -> None:
    with RawConnection(node.port) as connection:
        head = f"GET /v1/memory/status HTTP/1.1\r\nAuthorization: Bearer {node.token}\r\nX-Semurg-Scope: ".encode()
        connection.send(head + b"\xff\xfe\r\n\r\n")
        reply = connection.read_reply()
    assert (reply.status, reply.json()["error"]) == (422, "scope_invalid")


def test_end_users_never_meet_each_other_or_the_owner(node: RunningNode, scope: str) -> None:
    with node.client(**{"X-Semurg-Scope": scope}) as client:
        client.post("/v1/memory/relate", json={**FACT, "user_id": f"{scope}-alice"}).raise_for_status()
        assert stored(client, user_id=f"{scope}-alice") == "answered"
        assert stored(client, user_id=f"{scope}-bob") == "nothing_stored"
        assert stored(client) == "nothing_stored"
        assert client.get("/v1/memory/status", params={"user_id": f"{scope}-bob"}).json()["scopes"] == []
        assert counts_of(client) is None
    with node.client(**{"X-Semurg-Scope": scope, "X-Semurg-User": f"{scope}-alice"}) as alice:
        assert stored(alice) == "answered"
        assert [one["scope"] for one in alice.get("/v1/memory/status").json()["scopes"]] == [scope]


def test_the_user_header_pins_the_connection(node: RunningNode, scope: str) -> None:
    with node.client(**{"X-Semurg-Scope": scope, "X-Semurg-User": "alice"}) as client:
        assert stored(client, user_id="alice") == "nothing_stored"
        for path, body in (("recall", {"subject": "Dana"}), ("relate", FACT), ("forget", {"all": True})):
            reply = client.post(f"/v1/memory/{path}", json={**body, "user_id": "bob"})
            assert (reply.status_code, reply.json()["error"]) == (403, "user_mismatch")
        assert client.get("/v1/memory/status?user_id=bob").status_code == 403


@pytest.mark.parametrize("bad", ["", "a:b", "x" * 257, "a\u0007"])
def test_a_user_that_cannot_be_is_refused_by_name(node: RunningNode, scope: str, bad: str) -> None:
    with node.client(**{"X-Semurg-Scope": scope}) as client:
        reply = client.post("/v1/memory/recall", json={"subject": "Dana", "user_id": bad})
    assert (reply.status_code, reply.json()["error"]) == (422, "user_id_invalid")


def test_an_empty_or_doubled_user_header_never_reads_as_the_owner(node: RunningNode, scope: str) -> None:
    head = f"GET /v1/memory/status HTTP/1.1\r\nAuthorization: Bearer {node.token}\r\nX-Semurg-Scope: {scope}\r\n"
    for users in ("X-Semurg-User: \r\n", "X-Semurg-User: alice\r\nX-Semurg-User: alice\r\n"):
        with RawConnection(node.port) as connection:
            connection.send(f"{head}{users}\r\n".encode())
            reply = connection.read_reply()
        assert (reply.status, reply.json()["error"]) == (422, "user_id_invalid")
