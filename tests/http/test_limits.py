"""The limits of one call: what is at the limit is accepted, one past it is refused by name and nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.conftest import counts_of

Body = Callable[[int], dict[str, Any]]


def entities(count: int) -> dict[str, Any]:
    return {"facts": {"entities": [{"name": f"entity {number}"} for number in range(count)]}}


def relations(count: int) -> dict[str, Any]:
    pairs = ({"source": f"a {number % 70}", "target": f"b {number // 70}", "type": "T"} for number in range(count))
    return {"facts": {"relations": list(pairs)}}


def content(size: int) -> dict[str, Any]:
    line = "The pump in hall seven was checked by Rhys and needs a new seal before June. "
    return {"content": (line * (size // len(line) + 1))[:size]}


def wide_content(size: int) -> dict[str, Any]:
    """As many bytes in half as many characters: the limit counts bytes."""
    return {"content": "é" * (size // 2) + "x" * (size % 2)}


def messages(size: int) -> dict[str, Any]:
    half = size // 2
    return {"messages": [{"role": "user", "content": "a" * half}, {"content": "b" * (size - half)}]}


def passages(count: int) -> dict[str, Any]:
    return {"passages": [{"text": f"Note number {number}.", "mentions": []} for number in range(count)]}


def passage_bytes(size: int) -> dict[str, Any]:
    return {"passages": [{"text": "x" * size, "mentions": []}]}


def passages_together(size: int) -> dict[str, Any]:
    sizes = [65_000] * (size // 65_000) + [size % 65_000]
    texts = (f"{number} ".ljust(length, "y") for number, length in enumerate(sizes))
    return {"passages": [{"text": text, "mentions": []} for text in texts]}


def mentions(count: int) -> dict[str, Any]:
    half = [f"name{number}" for number in range(count)]
    lists = half[:600], half[600:]
    return {"passages": [{"text": " ".join(names), "mentions": names} for names in lists]}


def attributes(count: int) -> dict[str, Any]:
    return {"facts": {"entities": [{"name": "n", "attributes": {f"key {number}": number for number in range(count)}}]}}


def entity_name(size: int) -> dict[str, Any]:
    return {"facts": {"entities": [{"name": "é" * (size // 2) + "x" * (size % 2)}]}}


def mention_name(size: int) -> dict[str, Any]:
    return {"passages": [{"text": "n" * size, "mentions": ["n" * size]}]}


def attribute_key(size: int) -> dict[str, Any]:
    return {"facts": {"entities": [{"name": "n", "attributes": {"k" * size: 1}}]}}


def attribute_value(size: int) -> dict[str, Any]:
    return {"facts": {"entities": [{"name": "n", "attributes": {"k": "v" * size}}]}}


def passage_key(size: int) -> dict[str, Any]:
    return {"passages": [{"text": "some text", "mentions": [], "key": "k" * size}]}


def relation_type(size: int) -> dict[str, Any]:
    return {"facts": {"relations": [{"source": "a", "target": "b", "type": "T" * size}]}}


def entity_type(size: int) -> dict[str, Any]:
    return {"facts": {"entities": [{"name": "n", "type": "T" * size}]}}


def source_label(size: int) -> dict[str, Any]:
    return {"content": "some text", "source": "s" * size}


CASES: list[tuple[Body, int, str, str]] = [
    (entities, 1_000, "limit_exceeded", "facts.entities"),
    (relations, 5_000, "limit_exceeded", "facts.relations"),
    (content, 1_048_576, "limit_exceeded", "content"),
    (wide_content, 1_048_576, "limit_exceeded", "content"),
    (messages, 1_048_576, "limit_exceeded", "messages"),
    (passages, 1_000, "limit_exceeded", "passages"),
    (passage_bytes, 65_536, "limit_exceeded", "passages[0].text"),
    (passages_together, 1_048_576, "limit_exceeded", "passages"),
    (mentions, 1_000, "limit_exceeded", "passages[1].mentions"),
    (attributes, 256, "limit_exceeded", "facts.entities[0].attributes"),
    (attribute_value, 4_096, "limit_exceeded", "facts.entities[0].attributes.k"),
    (entity_name, 1_024, "name_too_long", "facts.entities[0].name"),
    (mention_name, 1_024, "name_too_long", "passages[0].mentions[0]"),
    (attribute_key, 1_024, "name_too_long", "facts.entities[0].attributes"),
    (passage_key, 1_024, "name_too_long", "passages[0].key"),
    (relation_type, 1_024, "name_too_long", "facts.relations[0].type"),
    (entity_type, 1_024, "name_too_long", "facts.entities[0].type"),
    (source_label, 1_024, "name_too_long", "source"),
]
NAMES = [case[0].__name__ for case in CASES]


@pytest.mark.parametrize(("body", "limit", "code", "field"), CASES, ids=NAMES)
def test_at_the_limit_it_is_stored(client: httpx.Client, body: Body, limit: int, code: str, field: str) -> None:
    reply = client.post("/v1/memory/remember", json=body(limit))
    assert reply.status_code == 200, reply.text[:500]
    assert reply.json()["already"] is False


@pytest.mark.parametrize(("body", "limit", "code", "field"), CASES, ids=NAMES)
def test_one_past_the_limit_is_refused_by_name(
    client: httpx.Client, body: Body, limit: int, code: str, field: str
) -> None:
    reply = client.post("/v1/memory/remember", json=body(limit + 1))
    assert (reply.status_code, reply.json()["error"]) == (422, code)
    assert field in reply.json()["detail"]
    assert counts_of(client) is None


@pytest.mark.parametrize(("body", "first"), [(entities, 1_000), (relations, 5_000), (passages, 1_000)])
def test_a_list_that_is_too_long_names_the_first_item_past_the_limit(
    client: httpx.Client, body: Body, first: int
) -> None:
    reply = client.post("/v1/memory/remember", json=body(first + 7)).json()
    assert (reply["index"], reply["limit"]) == (first, first)


@pytest.mark.parametrize(("k", "status"), [(1, 200), (1_000, 200), (1_001, 422), (0, 422), (-1, 422)])
def test_recall_takes_a_k_of_1_to_1000(client: httpx.Client, k: int, status: int) -> None:
    reply = client.post("/v1/memory/recall", json={"subject": "a", "k": k})
    assert reply.status_code == status
    assert status == 200 or (reply.json()["field"], k in (0, -1)) == ("k", reply.json()["error"] == "field_invalid")


def test_an_integer_of_thousands_of_digits_is_a_named_refusal(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    body = b'{"subject": "a", "k": ' + b"7" * 4_000 + b"}"
    reply = client.post("/v1/memory/recall", content=body, headers=headers)
    assert (reply.status_code, reply.json()["error"]) == (422, "limit_exceeded")
