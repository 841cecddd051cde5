"""Routes, methods and media types: what is refused before a token is even looked at, and what comes after."""

from __future__ import annotations

import httpx
import pytest

from semurg.api.operations import OPERATIONS
from tests.conftest import RunningNode
from tests.http.raw_client import RawConnection

JSON = {"Content-Type": "application/json"}
POSTS = [operation.path for operation in OPERATIONS if operation.method == "POST"]
GETS = [operation.path for operation in OPERATIONS if operation.method == "GET"]


def refusal(reply: httpx.Response, status: int, code: str) -> dict[str, object]:
    assert reply.status_code == status, reply.text
    body: dict[str, object] = reply.json()
    assert body["error"] == code
    for part in ("detail", "fix"):
        assert isinstance(body[part], str)
        assert body[part]
    assert reply.headers["content-type"] == "application/json"
    return body


@pytest.mark.parametrize(
    "path",
    ["/", "/v1", "/v1/memory", "/v1/memory/recal", "/v1/memory/recall/", "/V1/whoami", "/v1/memory/contexts", "/%ff"],
)
def test_an_unknown_route_is_404(client: httpx.Client, path: str) -> None:
    refusal(client.get(path), 404, "no_such_route")
    refusal(client.post(path, json={}), 404, "no_such_route")


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "PROPFIND"])
def test_another_method_on_a_post_route_is_405_with_allow(client: httpx.Client, path: str, method: str) -> None:
    reply = client.request(method, path)
    refusal(reply, 405, "method_not_allowed")
    assert reply.headers["allow"] == "POST, OPTIONS"


@pytest.mark.parametrize("path", GETS)
def test_another_method_on_a_get_route_is_405_with_allow(client: httpx.Client, path: str) -> None:
    reply = client.post(path, json={})
    refusal(reply, 405, "method_not_allowed")
    assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", GETS)
def test_head_answers_as_get_does_without_the_body(client: httpx.Client, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert head.status_code == got.status_code == 200
    assert head.content == b""
    assert head.headers["content-type"] == got.headers["content-type"]


def test_head_on_a_post_route_is_405_without_a_body(client: httpx.Client) -> None:
    reply = client.head("/v1/memory/recall")
    assert (reply.status_code, reply.content) == (405, b"")


@pytest.mark.parametrize("path", [*POSTS, *GETS])
def test_options_lists_the_methods_and_lets_no_foreign_page_in(node: RunningNode, path: str) -> None:
    reply = httpx.options(node.url + path, headers={"Origin": "https://example.org"}, trust_env=False)
    assert (reply.status_code, reply.content) == (204, b"")
    assert "OPTIONS" in reply.headers["allow"]
    assert not [name for name in reply.headers if name.startswith("access-control-")]


def test_a_wrong_method_is_told_before_a_missing_token(node: RunningNode) -> None:
    refusal(httpx.get(node.url + "/v1/memory/recall", trust_env=False), 405, "method_not_allowed")


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
    ],
)
def test_a_body_that_is_not_announced_as_json_is_415(client: httpx.Client, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    refusal(
        client.post("/v1/memory/recall", content=b'{"subject": "a"}', headers=headers), 415, "content_type_unsupported"
    )


def test_a_compressed_body_is_415(client: httpx.Client) -> None:
    headers = {**JSON, "Content-Encoding": "gzip"}
    refusal(client.post("/v1/memory/recall", content=b"x", headers=headers), 415, "content_type_unsupported")


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        "application/json ; charset = utf-8",
    ],
)
def test_json_in_utf8_is_taken_however_it_is_written(client: httpx.Client, kind: str) -> None:
    reply = client.post("/v1/memory/recall", content='{"subject": "Zoë"}'.encode(), headers={"Content-Type": kind})
    assert (reply.status_code, reply.json()["state"]) == (200, "nothing_stored")


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml, text/*", "application/json;q=0", "*/*;q=0", "application/json;q=0, */*"]
)
def test_accept_that_rules_json_out_is_406(client: httpx.Client, accept: str) -> None:
    headers = {"Accept": accept}
    refusal(client.post("/v1/memory/recall", json={"subject": "a"}, headers=headers), 406, "not_acceptable")
    refusal(client.get("/v1/memory/status", headers=headers), 406, "not_acceptable")
    refusal(client.get("/v1/whoami", headers=headers), 406, "not_acceptable")


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*",
        "application/json",
        "text/html, */*;q=0.1",
        "APPLICATION/JSON",
        "text/html,application/json;q=0.5",
    ],
)
def test_accept_that_allows_json_is_answered(client: httpx.Client, accept: str) -> None:
    assert client.get("/v1/whoami", headers={"Accept": accept}).status_code == 200


def test_no_accept_header_at_all_is_answered(node: RunningNode) -> None:
    with RawConnection(node.port) as connection:
        connection.send_request("GET", "/v1/whoami", {"Authorization": f"Bearer {node.token}"})
        assert connection.read_reply().status == 200


def test_query_parameters_on_a_post_route_are_refused_by_name(client: httpx.Client) -> None:
    refusal(client.post("/v1/memory/recall?scope=other", json={"subject": "a"}), 422, "unknown_field")


def test_unknown_and_doubled_query_parameters_of_status_are_refused(client: httpx.Client) -> None:
    body = refusal(client.get("/v1/memory/status?scop=a"), 422, "unknown_field")
    assert body["field"] == "scop"
    refusal(client.get("/v1/memory/status?scope=a&scope=b"), 422, "field_invalid")


def test_a_reply_is_neither_cached_nor_sniffed_and_names_its_request(client: httpx.Client) -> None:
    reply = client.get("/v1/whoami")
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert len(reply.headers["x-request-id"]) == 16


def test_a_callers_own_request_id_comes_back_when_it_is_harmless(client: httpx.Client) -> None:
    assert client.get("/v1/whoami", headers={"X-Request-Id": "job-17.a_b"}).headers["x-request-id"] == "job-17.a_b"
    assert client.get("/v1/whoami", headers={"X-Request-Id": "a b"}).headers["x-request-id"] != "a b"
    assert len(client.get("/v1/whoami", headers={"X-Request-Id": "a" * 65}).headers["x-request-id"]) == 16
