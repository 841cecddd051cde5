"""The audit over HTTP: every write that was done and every write that was refused, without what was in it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from semurg.domain.errors import STATUS
from tests.conftest import RunningNode

FACT = {"from": "Dana", "to": "Acme", "type": "WORKS_AT"}
Entry = dict[str, Any]


@pytest.fixture
def owner(node: RunningNode) -> Iterator[httpx.Client]:
    with node.client() as client:
        yield client


@pytest.fixture
def audit(owner: httpx.Client) -> Callable[..., list[Entry]]:
    """Every entry of the audit under some filters, through all its pages."""

    def read(**fields: Any) -> list[Entry]:
        entries: list[Entry] = []
        cursor: str | None = None
        while True:
            reply = owner.post("/v1/memory/audit", json={**fields, "limit": 1_024, "cursor": cursor})
            assert reply.status_code == 200, reply.text
            entries.extend(reply.json()["entries"])
            cursor = reply.json()["next"]
            if cursor is None:
                return entries

    return read


def told(entries: list[Entry]) -> list[tuple[str, str, str]]:
    return [(entry["verb"], entry["who"], entry["outcome"]) for entry in entries]


def issued(owner: httpx.Client, **fields: Any) -> str:
    secret: str = owner.post("/v1/tokens/create", json=fields).json()["token"]
    return secret


def test_every_write_is_on_record_with_what_it_touched(
    client: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    stored = client.post("/v1/memory/remember", json={"content": "Dana works at Acme.", "facts": {"relations": [
        {"source": "Dana", "target": "Acme", "type": "WORKS_AT"}]}}).json()  # fmt: skip
    items = client.post("/v1/memory/recall", json={"subject": "Dana"}).json()["items"]
    dana = next(item["source_id"] for item in items if item["kind"] == "entity")
    gone = client.post("/v1/memory/forget", json={"passage": stored["doc_id"]}).json()
    first, second = audit(scope=scope)
    assert told([first, second]) == [("remember", "owner", "done"), ("forget", "owner", "done")]
    assert first["events"] == ["scope_opened", "entities_recorded", "documents_stored", "facts_recorded"]
    assert second["events"] == ["documents_forgotten"]
    assert dana in first["ids"]
    assert stored["doc_id"] in second["ids"]
    assert all(one.isdigit() for one in first["ids"] + second["ids"])
    assert (first["position"], second["position"]) == (stored["position"], gone["position"])
    assert first["user"] is None
    assert first["at"] < second["at"]


def test_a_write_that_changes_nothing_and_a_read_leave_no_entry(
    client: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    for _ in range(3):
        client.post("/v1/memory/relate", json=FACT).raise_for_status()
    client.post("/v1/memory/recall", json={"subject": "Dana"})
    client.post("/v1/memory/recall", json={"nonsense": "Dana"})
    assert told(audit(scope=scope)) == [("relate", "owner", "done")]


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("relate", {**FACT, "tpye": "X"}, "unknown_field"),
    ("relate", {"from": "Dana"}, "field_required"),
    ("relate", {**FACT, "type": 5}, "field_invalid"),
    ("relate", {**FACT, "from": "  "}, "name_empty"),
    ("relate", {**FACT, "date": "yesterday"}, "date_invalid"),
    ("remember", {}, "nothing_to_store"),
    ("remember", {"facts": {"entities": [{"name": "Dana"}] * 1_001}}, "limit_exceeded"),
    ("forget", {"subject": "Nobody"}, "not_found"),
    ("forget", {}, "one_form_only"),
    ("forget", {"passage": 17}, "id_invalid"),
    ("relate", {**FACT, "user_id": "a:b"}, "user_id_invalid"),
]


@pytest.mark.parametrize(("verb", "body", "code"), REFUSED)
def test_a_refused_write_is_on_record_by_its_code(
    owner: httpx.Client,
    client: httpx.Client,
    audit: Callable[..., list[Entry]],
    verb: str,
    body: dict[str, Any],
    code: str,
) -> None:
    before = audit()
    assert client.post(f"/v1/memory/{verb}", json=body).json()["error"] == code
    (entry,) = audit()[len(before) :]
    assert told([entry]) == [(verb, "owner", f"refused:{code}")]
    assert (entry["ids"], entry["events"]) == ([], [])
    assert code in STATUS


def test_a_refusal_is_found_by_the_scope_that_it_was_meant_for(
    owner: httpx.Client, client: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    client.post("/v1/memory/relate", content=b"{{{", headers={"Content-Type": "application/json"})
    client.post("/v1/memory/relate", content=b"{}", headers={"Content-Type": "text/plain"})
    client.post("/v1/memory/relate", content=b" " * (8 * 1024 * 1024 + 1), headers={"Content-Type": "application/json"})
    owner.post("/v1/memory/relate", json={**FACT, "scope": scope, "colour": "red"})
    client.post("/v1/memory/relate", json=FACT, headers={"Idempotency-Key": "x" * 256})
    client.post("/v1/memory/relate", json={**FACT, "expected_position": "0"}).raise_for_status()
    client.post("/v1/memory/relate", json={**FACT, "expected_position": "0"})
    codes = [outcome for _, _, outcome in told(audit(scope=scope))]
    assert codes == [
        "refused:bad_json", "refused:content_type_unsupported", "refused:too_large", "refused:unknown_field",
        "refused:field_invalid", "done", "refused:position_conflict",
    ]  # fmt: skip


def test_a_refusal_that_names_no_scope_is_on_record_without_one(
    owner: httpx.Client, audit: Callable[..., list[Entry]]
) -> None:
    before = len(audit())
    owner.post("/v1/memory/relate", json=FACT)
    owner.post("/v1/memory/relate", json={**FACT, "scope": "x" * 257})
    without, impossible = audit()[before:]
    assert [without["outcome"], impossible["outcome"]] == ["refused:scope_required", "refused:scope_invalid"]
    assert [without["scope"], impossible["scope"], without["user"]] == [None, None, None]


def test_who_is_the_tokens_name_also_when_it_is_revoked_and_nobody_else_is_on_record(
    node: RunningNode, owner: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    with node.client(issued(owner, name=f"{scope}-writer"), **{"X-Semurg-Scope": scope}) as writer:
        writer.post("/v1/memory/relate", json=FACT).raise_for_status()
    with node.client(issued(owner, name=f"{scope}-reader", read_only=True), **{"X-Semurg-Scope": scope}) as reader:
        assert reader.post("/v1/memory/forget", json={"all": True}).status_code == 403
    with node.client(issued(owner, name=f"{scope}-elsewhere", scopes=["elsewhere"])) as elsewhere:
        assert elsewhere.post("/v1/memory/relate", json={**FACT, "scope": scope}).status_code == 403
    owner.post("/v1/tokens/revoke", json={"token": f"{scope}-reader"}).raise_for_status()
    httpx.post(f"{node.url}/v1/memory/relate", json={**FACT, "scope": scope}, trust_env=False)
    with node.client("nobodys") as nobody:
        nobody.post("/v1/memory/relate", json={**FACT, "scope": scope})
    assert told(audit(scope=scope)) == [
        ("relate", f"{scope}-writer", "done"),
        ("forget", f"{scope}-reader", "refused:read_only_token"),
        ("relate", f"{scope}-elsewhere", "refused:scope_not_granted"),
    ]


def test_a_pinned_token_that_reaches_for_another_user_is_found_under_that_user(
    node: RunningNode, owner: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    alice, bob = f"{scope}-alice", f"{scope}-bob"
    with node.client(issued(owner, name=f"{scope}-a", user_id=alice), **{"X-Semurg-Scope": scope}) as client:
        client.post("/v1/memory/relate", json=FACT).raise_for_status()
        client.post("/v1/memory/relate", json={**FACT, "user_id": bob})
    assert told(audit(user_id=bob)) == [("relate", f"{scope}-a", "refused:user_mismatch")]
    assert told(audit(user_id=alice)) == [("token_create", "owner", "done"), ("relate", f"{scope}-a", "done")]
    assert audit(scope=scope) == []
    (entry,) = audit(scope=scope, user_id=alice)
    assert entry["user"] == audit(user_id=alice)[0]["user"]


def test_changes_of_tokens_are_on_record_the_refused_ones_too(
    node: RunningNode, owner: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    before = len(audit())
    secret = issued(owner, name=scope)
    owner.post("/v1/tokens/create", json={"name": scope})
    owner.post("/v1/tokens/create", json={"nmae": scope})
    with node.client(secret) as client:
        client.post("/v1/tokens/create", json={})
        client.post("/v1/tokens/list", json={})
    owner.post("/v1/tokens/revoke", json={"token": scope})
    assert told(audit()[before:]) == [
        ("token_create", "owner", "done"),
        ("token_create", "owner", "refused:token_name_taken"),
        ("token_create", "owner", "refused:unknown_field"),
        ("token_create", scope, "refused:owner_only"),
        ("token_revoke", "owner", "done"),
    ]


def test_pages_follow_each_other_and_give_every_entry_once(
    owner: httpx.Client, client: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    for number in range(7):
        client.post("/v1/memory/relate", json={**FACT, "to": f"Target {number}"})
        client.post("/v1/memory/relate", json={**FACT, "bad": number})
    entries: list[Entry] = []
    cursor: str | None = None
    pages = 0
    while pages == 0 or cursor is not None:
        reply = owner.post("/v1/memory/audit", json={"scope": scope, "limit": 4, "cursor": cursor}).json()
        assert len(reply["entries"]) <= 4
        entries, cursor, pages = entries + reply["entries"], reply["next"], pages + 1
    assert entries == audit(scope=scope)
    assert len(entries) == 14
    assert [entry["at"] for entry in entries] == sorted({entry["at"] for entry in entries})
    assert audit(scope=scope, since=entries[5]["at"]) == entries[5:]
    assert audit(scope=scope, since="2999") == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"limit": 0}, "field_invalid"),
        ({"limit": 1_025}, "limit_exceeded"),
        ({"limit": "5"}, "field_invalid"),
        ({"cursor": "x"}, "cursor_invalid"),
        ({"cursor": "-1"}, "cursor_invalid"),
        ({"cursor": "9" * 40}, "cursor_invalid"),
        ({"since": "soon"}, "date_invalid"),
        ({"scope": ""}, "scope_invalid"),
        ({"user_id": "a:b"}, "user_id_invalid"),
        ({"verb": "forget"}, "unknown_field"),
    ],
)
def test_what_an_audit_is_asked_is_checked(owner: httpx.Client, body: dict[str, Any], code: str) -> None:
    reply = owner.post("/v1/memory/audit", json=body)
    assert (reply.status_code, reply.json()["error"]) == (422, code)


@pytest.mark.parametrize("limit", [1, 1_024])
def test_a_limit_at_its_bounds_is_taken(owner: httpx.Client, limit: int) -> None:
    assert len(owner.post("/v1/memory/audit", json={"limit": limit}).json()["entries"]) <= limit


def test_a_cursor_past_the_end_gives_an_empty_last_page(owner: httpx.Client) -> None:
    assert owner.post("/v1/memory/audit", json={"cursor": "9" * 18}).json() == {"entries": [], "next": None}


def test_headers_that_place_a_call_do_not_narrow_the_audit(node: RunningNode, owner: httpx.Client, scope: str) -> None:
    owner.post("/v1/memory/relate", json={**FACT, "scope": scope})
    with node.client(**{"X-Semurg-Scope": "elsewhere", "X-Semurg-User": "alice"}) as client:
        assert client.post("/v1/memory/audit", json={"limit": 1}).json()["entries"] != []


def test_nothing_of_a_refused_write_reaches_the_data_directory(
    node: RunningNode, client: httpx.Client, scope: str, audit: Callable[..., list[Entry]]
) -> None:
    marks = [f"mark{uuid.uuid4().hex}" for _ in range(6)]
    for body in (
        {"from": marks[0], "to": "x", "type": "T", marks[1]: 1},
        {"from": marks[2], "to": "x", "type": "T", "date": marks[3]},
        {"from": "x", "to": "x", "type": "T", "scope": f"{marks[4]}\n"},
        {"from": "x", "to": "x", "type": "T", "user_id": f"{marks[5]}:"},
    ):
        assert client.post("/v1/memory/relate", json=body).status_code == 422
    audit()
    held = b"".join(path.read_bytes() for path in node.data.rglob("*") if path.is_file())
    for mark in (*marks, scope):
        assert mark.encode() not in held
        assert mark.encode("utf-16-le") not in held
