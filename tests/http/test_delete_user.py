"""POST /v1/memory/delete_user as callers send it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from semurg.client import Client
from semurg.domain.errors import Refusal
from tests.conftest import RunningNode

PATH = "/v1/memory/delete_user"
FACT = {"from": "Dana", "to": "Acme", "type": "WORKS_AT"}


@pytest.fixture
def user(client: httpx.Client, scope: str) -> str:
    """An end user with one fact in one scope."""
    name = f"user of {scope}"
    written = client.post("/v1/memory/relate", json={**FACT, "user_id": name})
    assert written.status_code == 200, written.text
    return name


@pytest.fixture
def pinned(client: httpx.Client, node: RunningNode, user: str) -> Iterator[httpx.Client]:
    """A client whose token is pinned to that user."""
    issued = client.post("/v1/tokens/create", json={"user_id": user}).json()["token"]
    headers = {"Authorization": f"Bearer {issued}"}
    with httpx.Client(base_url=node.url, headers=headers, trust_env=False) as own:
        yield own


def test_the_owner_deletes_a_user_and_the_reply_is_that_of_the_contract(client: httpx.Client, user: str) -> None:
    reply = client.post(PATH, json={"user_id": user})
    assert reply.status_code == 200, reply.text
    body: dict[str, Any] = reply.json()
    assert int(body.pop("position")) > 0
    assert body == {
        "ok": True,
        "state": "deleted",
        "scopes": 1,
        "entities": 2,
        "facts": 1,
        "documents": 0,
        "passages": 0,
        "written_during_delete": 0,
        "erased": True,
    }
    again = client.post(PATH, json={"user_id": user}).json()
    assert (again["state"], again["erased"]) == ("already_deleted", True)
    assert client.get("/v1/memory/status", params={"user_id": user}).json()["scopes"] == []


def test_the_header_names_the_user_as_well_and_another_one_in_the_body_is_refused(
    client: httpx.Client, user: str
) -> None:
    headers = {"X-Semurg-User": user}
    other = client.post(PATH, json={"user_id": "somebody else"}, headers=headers)
    assert (other.status_code, other.json()["error"]) == (403, "user_mismatch")
    assert client.post(PATH, json={}, headers=headers).json()["state"] == "deleted"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "field_required"),
        ({"user_id": None}, 422, "field_required"),
        ({"user_id": ""}, 422, "user_id_invalid"),
        ({"user_id": "a:b"}, 422, "user_id_invalid"),
        ({"user_id": 7}, 422, "field_invalid"),
        ({"user": "ann"}, 422, "unknown_field"),
        ({"user_id": "ann", "scope": "s"}, 422, "unknown_field"),
        ({"user_id": "nobody at all"}, 404, "not_found"),
    ],
)
def test_a_call_that_names_nobody_is_refused(client: httpx.Client, body: Any, status: int, code: str) -> None:
    reply = client.post(PATH, json=body)
    assert (reply.status_code, reply.json()["error"]) == (status, code)


def test_a_pinned_token_deletes_its_own_user_only_and_ends_with_it(pinned: httpx.Client, user: str) -> None:
    other = pinned.post(PATH, json={"user_id": "somebody else"})
    assert (other.status_code, other.json()["error"]) == (403, "user_mismatch")
    assert pinned.post(PATH, json={}).json()["error"] == "field_required"
    assert pinned.post(PATH, json={"user_id": user}).json()["state"] == "deleted"
    assert pinned.get("/v1/whoami").json()["error"] == "token_invalid"


def test_a_deletion_and_its_refusals_are_in_the_audit_without_the_user(client: httpx.Client, user: str) -> None:
    client.post(PATH, json={"user_id": user})
    client.post(PATH, json={"user_id": user, "scope": "s"})
    page = client.post("/v1/memory/audit", json={"user_id": user})
    entries = [entry for entry in page.json()["entries"] if entry["verb"] == "delete_user"]
    assert [entry["outcome"] for entry in entries] == ["done", "done", "refused:unknown_field"]
    assert [entry["events"] for entry in entries] == [["scope_forgotten"], ["user_deleted"], []]
    assert user not in page.text


def test_the_client_deletes_by_name_and_never_the_user_it_stands_for(node: RunningNode, user: str) -> None:
    with Client(node.url, token=node.token, scope="s", user="the default user") as client:
        assert client.delete_user(user)["state"] == "deleted"
        with pytest.raises(Refusal) as refused:
            client.call("memory_delete_user", {})
        assert refused.value.code == "field_required"
