"""Tokens over HTTP: what each kind may do through every verb, when it ends, and who may issue it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.conftest import RunningNode, counts_of

FACT = {"from": "Dana", "to": "Acme", "type": "WORKS_AT"}
READS: list[tuple[str, dict[str, Any]]] = [("recall", {"subject": "Dana"})]
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"content": "Dana works at Acme."}),
    ("relate", FACT),
    ("forget", {"all": True}),
]
OWNERS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/tokens/create", {"name": "another"}),
    ("/v1/tokens/list", {}),
    ("/v1/tokens/revoke", {"token": "another"}),
    ("/v1/memory/audit", {}),
]
Issue = Callable[..., dict[str, Any]]


@pytest.fixture
def owner(node: RunningNode) -> Iterator[httpx.Client]:
    with node.client() as client:
        yield client


@pytest.fixture
def issue(owner: httpx.Client) -> Issue:
    """Issues a token; the reply."""

    def call(**fields: Any) -> dict[str, Any]:
        reply = owner.post("/v1/tokens/create", json=fields)
        assert reply.status_code == 200, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    return call


def refused(reply: httpx.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]


def test_whoami_tells_each_kind_of_token_what_it_is(node: RunningNode, scope: str, issue: Issue) -> None:
    for fields, expected in (
        ({}, {"user_id": None, "access": "write", "scopes": None}),
        ({"user_id": "alice"}, {"user_id": "alice", "access": "write", "scopes": None}),
        ({"read_only": True}, {"user_id": None, "access": "read", "scopes": None}),
        ({"scopes": ["b", "a"]}, {"user_id": None, "access": "write", "scopes": ["b", "a"]}),
    ):
        issued = issue(name=f"{scope}-{sorted(fields)}", **fields)
        with node.client(issued["token"]) as client:
            assert client.get("/v1/whoami").json() == {"identity": "token", "name": issued["name"], **expected}


def test_a_pinned_token_acts_exactly_as_its_end_user(
    node: RunningNode, owner: httpx.Client, scope: str, issue: Issue
) -> None:
    user = f"{scope}-alice"
    owner.post("/v1/memory/relate", json={**FACT, "scope": scope})
    with node.client(issue(user_id=user)["token"], **{"X-Semurg-Scope": scope}) as alice:
        assert alice.post("/v1/memory/recall", json={"subject": "Dana"}).json()["state"] == "nothing_stored"
        alice.post("/v1/memory/relate", json={**FACT, "to": "Beta"}).raise_for_status()
        asked = {"subject": "Dana"}
        assert (
            alice.post("/v1/memory/recall", json=asked).json()
            == alice.post("/v1/memory/recall", json={**asked, "user_id": user}).json()
            == owner.post("/v1/memory/recall", json={**asked, "user_id": user, "scope": scope}).json()
        )
        assert [one["scope"] for one in alice.get("/v1/memory/status").json()["scopes"]] == [scope]
        for other in ("bob", user.upper(), f"{user} "):
            for verb, body in (*READS, *WRITES):
                reply = alice.post(f"/v1/memory/{verb}", json={**body, "user_id": other})
                assert refused(reply) == (403, "user_mismatch")
                reply = alice.post(f"/v1/memory/{verb}", json=body, headers={"X-Semurg-User": other.replace(" ", "x")})
                assert refused(reply) == (403, "user_mismatch")
            assert alice.get("/v1/memory/status", params={"user_id": other}).status_code == 403
        alice.post("/v1/memory/forget", json={"all": True}).raise_for_status()
    with node.client(**{"X-Semurg-Scope": scope}) as client:
        assert counts_of(client) is not None


def test_a_read_only_token_reads_and_every_write_is_refused(
    node: RunningNode, owner: httpx.Client, scope: str, issue: Issue
) -> None:
    owner.post("/v1/memory/relate", json={**FACT, "scope": scope})
    with node.client(issue(read_only=True)["token"], **{"X-Semurg-Scope": scope}) as client:
        for verb, body in READS:
            assert client.post(f"/v1/memory/{verb}", json=body).json()["state"] == "answered"
        before = counts_of(client)
        for verb, body in WRITES:
            assert refused(client.post(f"/v1/memory/{verb}", json=body)) == (403, "read_only_token")
        assert counts_of(client) == before
        assert client.get("/v1/status").status_code == 200


def test_a_token_limited_to_scopes_meets_no_other(
    node: RunningNode, owner: httpx.Client, scope: str, issue: Issue
) -> None:
    inside, outside = f"{scope}-in", f"{scope}-out"
    for name in (inside, outside):
        owner.post("/v1/memory/relate", json={**FACT, "scope": name})
    with node.client(issue(scopes=[inside])["token"]) as client:
        for verb, body in (*READS, *WRITES):
            reply = client.post(f"/v1/memory/{verb}", json={**body, "scope": outside})
            assert refused(reply) == (403, "scope_not_granted")
            assert client.post(f"/v1/memory/{verb}", json={**body, "scope": inside}).status_code == 200
        assert refused(client.get("/v1/memory/status", params={"scope": outside})) == (403, "scope_not_granted")
        client.post("/v1/memory/relate", json={**FACT, "scope": inside})
        assert [one["scope"] for one in client.get("/v1/memory/status").json()["scopes"]] == [inside]


@pytest.mark.parametrize(("path", "body"), OWNERS)
def test_what_is_the_owners_is_refused_to_every_other_token(
    node: RunningNode, issue: Issue, path: str, body: dict[str, Any]
) -> None:
    for fields in ({}, {"user_id": "alice"}, {"read_only": True}):
        with node.client(issue(**fields)["token"]) as client:
            assert refused(client.post(path, json=body)) == (403, "owner_only")
    assert httpx.post(node.url + path, json=body, trust_env=False).status_code == 401


@pytest.mark.parametrize("path", [path for path, _ in OWNERS])
def test_what_a_token_may_not_do_is_told_before_what_is_wrong_with_the_call(
    node: RunningNode, issue: Issue, path: str
) -> None:
    wrong: list[Any] = [{"no_such_field": 1}, {"token": 7, "name": 7, "limit": "x"}, []]
    with node.client(issue()["token"]) as client:
        for body in wrong:
            assert refused(client.post(path, json=body)) == (403, "owner_only")
        assert refused(client.post(path, content=b"{", headers={"Content-Type": "application/json"}))[0] == 400


@pytest.mark.parametrize("verb", ["delete_user", "remember", "relate", "forget"])
def test_a_write_that_the_token_may_do_nowhere_is_refused_before_its_shape(
    node: RunningNode, scope: str, issue: Issue, verb: str
) -> None:
    for body in ({"no_such_field": 1}, {"user_id": 7}, []):
        with node.client(issue(read_only=True)["token"]) as client:
            assert refused(client.post(f"/v1/memory/{verb}", json=body)) == (403, "read_only_token")
        with node.client(issue(scopes=[scope])["token"]) as client:
            told = (403, "scope_not_granted") if verb == "delete_user" else (422, client_error(body))
            assert refused(client.post(f"/v1/memory/{verb}", json=body)) == told


def client_error(body: Any) -> str:
    return "unknown_field" if "no_such_field" in body else "field_invalid"


def test_a_revoked_token_is_refused_from_the_next_request_on(
    node: RunningNode, owner: httpx.Client, scope: str, issue: Issue
) -> None:
    issued = issue(name=scope)
    with node.client(issued["token"]) as client:
        assert client.get("/v1/whoami").status_code == 200
        gone = owner.post("/v1/tokens/revoke", json={"token": scope}).json()["revoked"]
        assert (gone["name"], gone["digest"]) == (scope, issued["digest"])
        assert refused(client.get("/v1/whoami")) == (401, "token_invalid")
    assert refused(owner.post("/v1/tokens/revoke", json={"token": scope})) == (404, "not_found")


def test_a_list_shows_every_token_in_use_and_never_a_secret(owner: httpx.Client, scope: str, issue: Issue) -> None:
    kept, gone = issue(name=f"{scope}-kept", expires="30d"), issue(name=f"{scope}-gone")
    owner.post("/v1/tokens/revoke", json={"token": gone["digest"]}).raise_for_status()
    reply = owner.post("/v1/tokens/list", json={})
    named = {token["name"]: token for token in reply.json()["tokens"]}
    assert named[f"{scope}-kept"] == {key: value for key, value in kept.items() if key not in ("ok", "token")}
    assert f"{scope}-gone" not in named
    assert named["owner"]["access"] == "owner"
    assert kept["token"] not in reply.text
    assert "token" not in named[f"{scope}-kept"]


def test_a_name_in_use_is_refused_and_free_again_after_its_revocation(
    owner: httpx.Client, scope: str, issue: Issue
) -> None:
    issue(name=scope)
    assert refused(owner.post("/v1/tokens/create", json={"name": scope})) == (409, "token_name_taken")
    owner.post("/v1/tokens/revoke", json={"token": scope}).raise_for_status()
    issue(name=scope)


def test_the_owner_token_is_not_revoked_by_name_or_digest(owner: httpx.Client) -> None:
    (digest,) = (
        token["digest"] for token in owner.post("/v1/tokens/list", json={}).json()["tokens"] if token["name"] == "owner"
    )
    for named in ("owner", digest):
        assert refused(owner.post("/v1/tokens/revoke", json={"token": named})) == (409, "token_is_owner")
    assert owner.get("/v1/whoami").json()["identity"] == "owner"


def test_the_fields_of_a_grant_are_checked_like_any_other(owner: httpx.Client) -> None:
    for path, body, error in (
        ("create", {"user": "alice"}, "unknown_field"),
        ("create", {"scope": "a"}, "unknown_field"),
        ("create", {"read_only": "yes"}, "field_invalid"),
        ("create", {"scopes": "a"}, "field_invalid"),
        ("create", {"expires": "2001-01-01"}, "field_invalid"),
        ("revoke", {}, "field_required"),
        ("list", {"all": True}, "unknown_field"),
    ):
        assert refused(owner.post(f"/v1/tokens/{path}", json=body)) == (422, error)
    assert owner.get("/v1/tokens/list").status_code == 405


def test_a_secret_is_in_no_file_of_the_data_directory(node: RunningNode, issue: Issue) -> None:
    # Idempotency keys keep replies, and must not keep this one.
    with node.client(**{"Idempotency-Key": "once"}) as client:
        secrets = [issue()["token"], client.post("/v1/tokens/create", json={}).json()["token"]]
    held = b"".join(path.read_bytes() for path in node.data.rglob("*") if path.is_file())
    assert not [secret for secret in secrets if secret.encode() in held or secret[7:].encode() in held]
