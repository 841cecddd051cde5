"""The verbs through the door: what is stored is found, writes are safe to repeat, and conditions on writes hold."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.conftest import RunningNode, counts_of, held

DANA = {
    "facts": {
        "entities": [{"name": "Acme", "type": "Company"}, {"name": "Dana", "type": "Person"}],
        "relations": [{"source": "Dana", "target": "Acme", "type": "WORKS_AT"}],
    },
    "source": "curl example",
}


def post(client: httpx.Client, verb: str, **fields: object) -> dict[str, object]:
    reply = client.post(f"/v1/memory/{verb}", json=fields)
    assert reply.status_code == 200, reply.text
    body: dict[str, object] = reply.json()
    return body


def test_a_fact_stored_a_moment_ago_is_found(client: httpx.Client) -> None:
    stored = post(client, "remember", **DANA)
    assert stored["entities"] == {"new": 2, "known": 0}
    assert stored["relations"] == {"new": 1, "known": 0}
    recalled = client.post("/v1/memory/recall", json={"subject": "dana"}).json()
    assert recalled["state"] == "answered"
    assert "Dana WORKS_AT Acme" in [item["text"] for item in recalled["items"]]


def test_the_same_call_again_is_already_known(client: httpx.Client) -> None:
    first = post(client, "remember", **DANA)
    again = post(client, "remember", **DANA)
    assert (again["already"], again["position"]) == (True, first["position"])
    assert again["relations"] == {"new": 0, "known": 1}


def test_from_and_to_are_taken_for_source_and_target(client: httpx.Client) -> None:
    post(client, "remember", facts={"relations": [{"from": "A1", "to": "B1", "type": "LINKS"}]})
    reply = post(client, "relate", **{"from": "A1", "to": "B1", "type": "LINKS"})
    assert (reply["present"], reply["already"]) == (True, True)


def test_the_short_form_of_facts_is_one_entity(client: httpx.Client) -> None:
    assert post(client, "remember", facts={"subject": "Paris", "kind": "city"})["entities"] == {"new": 1, "known": 0}


def test_numbers_come_back_exactly(client: httpx.Client) -> None:
    body = b"""{"facts": {"entities": [{"name": "Badge", "attributes":
        {"badge": 9007199254740993, "low": -9223372036854775808, "price": 0.50, "big": 1.5e400}}]}}"""
    reply = client.post("/v1/memory/remember", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 200, reply.text
    recalled = client.post("/v1/memory/recall", json={"subject": "Badge"})
    values = {key: one["value"] for key, one in recalled.json()["items"][0]["attributes"].items()}
    assert values == {"badge": 9007199254740993, "low": -9223372036854775808, "price": "0.50", "big": "1.5e400"}


@pytest.mark.parametrize("number", ["9223372036854775808", "-9223372036854775809"])
def test_an_integer_past_64_bits_is_refused_by_name(client: httpx.Client, number: str) -> None:
    body = f'{{"facts": {{"entities": [{{"name": "n", "attributes": {{"badge": {number}}}}}]}}}}'
    reply = client.post("/v1/memory/remember", content=body, headers={"Content-Type": "application/json"})
    assert (reply.status_code, reply.json()["error"]) == (422, "integer_out_of_range")


@pytest.mark.parametrize(
    ("verb", "fields", "code"),
    [
        ("remember", {}, "nothing_to_store"),
        ("remember", {"content": " \n\t"}, "nothing_to_store"),
        ("remember", {"content": "..."}, "nothing_to_store"),
        ("remember", {"content": "\u200b"}, "nothing_to_store"),
        ("remember", {"messages": []}, "nothing_to_store"),
        ("remember", {"content": "a\u0000b"}, "control_character"),
        ("remember", {"content": "a", "messages": [{"content": "b"}]}, "one_text_only"),
        ("remember", {"facts": {}}, "facts_shape"),
        ("remember", {"passages": [{"text": "nothing here", "mentions": ["Dana"]}]}, "mention_not_in_text"),
        ("remember", {"content": "a b c", "date": "2026-02-30"}, "date_invalid"),
        ("remember", {"facts": {"entities": [{"name": "n", "attributes": {"phone": None}}]}}, "attribute_null"),
        ("remember", {"facts": {"entities": [{"name": "n", "attributes": {"tags": []}}]}}, "attribute_empty_list"),
        ("relate", {"from": "", "to": "b", "type": "T"}, "name_empty"),
        ("relate", {"from": "a", "to": "b\u0000", "type": "T"}, "control_character"),
        ("relate", {"from": "a", "to": "b\u202e", "type": "T"}, "name_invalid"),
        ("relate", {"from": "a", "to": "b", "type": "T", "attributes": {"valid_from": "2020", "valid_to": "2019"}},
         "interval_empty"),
        ("recall", {}, "subject_or_attribute"),
        ("recall", {"subject": "a", "attribute": {"key": "k", "value": 1}}, "subject_or_attribute"),
        ("recall", {"subject": "a", "as_of": "yesterday"}, "date_invalid"),
        ("recall", {"subject": "a", "cursor": "nonsense"}, "cursor_invalid"),
        ("forget", {}, "one_form_only"),
        ("forget", {"subject": "a", "all": True}, "one_form_only"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_name(
    client: httpx.Client, verb: str, fields: dict[str, object], code: str
) -> None:
    reply = client.post(f"/v1/memory/{verb}", json=fields)
    assert (reply.status_code, reply.json()["error"]) == (422, code)
    assert counts_of(client) is None


def test_forgetting_what_never_was_is_404_with_close_names(client: httpx.Client) -> None:
    post(client, "remember", **DANA)
    reply = client.post("/v1/memory/forget", json={"subject": "Dara"})
    assert (reply.status_code, reply.json()["error"]) == (404, "not_found")
    assert reply.json()["did_you_mean"] == ["Dana"]


def test_forgetting_twice_says_so(client: httpx.Client) -> None:
    post(client, "remember", **DANA)
    post(client, "forget", subject="Dana")
    assert post(client, "forget", subject="DANA")["already_forgotten"] is True
    assert post(client, "recall", subject="Dana")["state"] == "nothing_stored"


def test_forgetting_a_document_by_its_id(client: httpx.Client) -> None:
    doc_id = post(client, "remember", content="Dana met Rhys in the yard.")["doc_id"]
    assert isinstance(doc_id, str)
    number = client.post("/v1/memory/forget", json={"passage": int(doc_id)})
    assert (number.status_code, number.json()["error"]) == (422, "id_invalid")
    post(client, "forget", passage=doc_id)
    assert held(client, "documents") == 0


def test_an_idempotency_key_gets_the_first_reply_again(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "order-1"}
    first = client.post("/v1/memory/remember", json=DANA, headers=headers)
    again = client.post("/v1/memory/remember", json=DANA, headers=headers)
    assert again.content == first.content
    assert again.json()["already"] is False


def test_an_idempotency_key_with_another_body_or_scope_is_409(client: httpx.Client, scope: str) -> None:
    headers = {"Idempotency-Key": f"key of {scope}"}
    client.post("/v1/memory/remember", json=DANA, headers=headers).raise_for_status()
    for body, more in (({"content": "other text"}, {}), (DANA, {"X-Semurg-Scope": f"{scope}-2"})):
        reply = client.post("/v1/memory/remember", json=body, headers={**headers, **more})
        assert (reply.status_code, reply.json()["error"]) == (409, "idempotency_conflict")


def test_a_refused_call_leaves_its_idempotency_key_free(client: httpx.Client, scope: str) -> None:
    headers = {"Idempotency-Key": f"key of {scope}"}
    assert client.post("/v1/memory/remember", json={"content": "..."}, headers=headers).status_code == 422
    assert client.post("/v1/memory/remember", json=DANA, headers=headers).status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there"])
def test_an_idempotency_key_that_cannot_be_is_refused(client: httpx.Client, key: str) -> None:
    reply = client.post("/v1/memory/remember", json=DANA, headers={"Idempotency-Key": key})
    assert (reply.status_code, reply.json()["field"]) == (422, "Idempotency-Key")


def test_a_write_with_an_outdated_expected_position_is_409(client: httpx.Client) -> None:
    before = post(client, "remember", **DANA)["position"]
    after = post(client, "relate", **{"from": "Dana", "to": "Rhys", "type": "KNOWS"}, expected_position=before)
    late = {"from": "Dana", "to": "Ivo", "type": "KNOWS", "expected_position": before}
    reply = client.post("/v1/memory/relate", json=late)
    assert (reply.status_code, reply.json()["error"]) == (409, "position_conflict")
    post(client, "relate", **{**late, "expected_position": after["position"]})


def test_at_position_reads_the_same_again(client: httpx.Client) -> None:
    post(client, "remember", **DANA)
    then = client.post("/v1/memory/recall", json={"subject": "Dana"})
    post(client, "relate", **{"from": "Dana", "to": "Rhys", "type": "KNOWS"})
    again = {"subject": "Dana", "at_position": then.json()["position"]}
    assert client.post("/v1/memory/recall", json=again).content == then.content


def test_parallel_writes_are_all_there_once(node: RunningNode, scope: str) -> None:
    with node.client(**{"X-Semurg-Scope": scope}) as client, ThreadPoolExecutor(16) as pool:
        bodies = [{"from": "Hub Orla", "to": f"Node {number}", "type": "LINKS"} for number in range(40)]
        replies = list(pool.map(lambda body: client.post("/v1/memory/relate", json=body), bodies))
        assert [reply.status_code for reply in replies] == [200] * 40
        assert len({reply.json()["position"] for reply in replies}) == 40
        items = client.post("/v1/memory/recall", json={"subject": "Hub Orla", "k": 1000}).json()["items"]
    assert sum(item["kind"] == "fact" for item in items) == 40


def test_unicode_survives_the_door_byte_for_byte(client: httpx.Client) -> None:
    name = "Team 👩🏽‍🚀 “quotes” / % \\ '; DROP TABLE"
    body = json.dumps({"facts": {"entities": [{"name": name}]}}, ensure_ascii=True)
    client.post("/v1/memory/remember", content=body, headers={"Content-Type": "application/json"}).raise_for_status()
    assert client.post("/v1/memory/recall", json={"subject": name}).json()["items"][0]["subject"] == name


def test_node_status_says_what_it_is(client: httpx.Client) -> None:
    status = client.get("/v1/status").json()
    assert status["state"] == "ready"
    assert status["writable"] is True
    assert {"node", "version", "log", "projections", "models", "disk"} <= status.keys()


def test_health_says_alive_and_ready(client: httpx.Client) -> None:
    assert client.get("/api/health").json() == {"ok": True, "live": True, "ready": True, "state": "ready"}
