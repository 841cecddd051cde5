"""The OpenAPI description and the page made from it: complete, valid, and self-contained."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from semurg.api.models import SHAPES
from semurg.api.openapi import openapi_document
from semurg.api.operations import OPERATIONS, Access
from semurg.client import ROUTES
from tests.conftest import RunningNode

DOCUMENT = openapi_document("1.2.3")


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the components it refers to beside it, as a validator needs them."""
    return {**schema, "components": DOCUMENT["components"]}


def every(node: Any, key: str) -> list[Any]:
    if isinstance(node, dict):
        own = [node[key]] if key in node else []
        return own + [found for value in node.values() for found in every(value, key)]
    return [found for value in node for found in every(value, key)] if isinstance(node, list) else []


def test_every_operation_of_the_table_is_described() -> None:
    described = {
        (operation["operationId"], method.upper(), path)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    assert described == {(operation.name, operation.method, operation.path) for operation in OPERATIONS}


def test_the_document_has_the_parts_that_openapi_3_1_requires() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert DOCUMENT["info"]["title"]
    assert DOCUMENT["info"]["version"] == "1.2.3"
    for path, methods in DOCUMENT["paths"].items():
        assert path.startswith("/")
        for operation in methods.values():
            assert operation["summary"]
            assert operation["description"]
            assert operation["responses"]
            for status, response in operation["responses"].items():
                assert re.fullmatch("[1-5][0-9]{2}", status)
                assert response["description"]
            for parameter in operation.get("parameters", []):
                assert parameter["in"] in ("header", "query")
                Draft202012Validator.check_schema(parameter["schema"])


def test_every_reference_leads_somewhere_and_every_schema_is_valid() -> None:
    for reference in every(DOCUMENT, "$ref"):
        assert reference.startswith("#/components/schemas/")
        assert reference.rsplit("/", 1)[1] in DOCUMENT["components"]["schemas"]
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_operations_without_a_token_are_exactly_those_marked_so() -> None:
    open_to_all = {
        operation["operationId"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        if operation.get("security") == []
    }
    assert open_to_all == {operation.name for operation in OPERATIONS if operation.access is Access.NONE}


@pytest.mark.parametrize(
    ("verb", "body", "fits"),
    [
        ("Remember", {"content": "x", "facts": {"relations": [{"source": "a", "target": "b"}]}}, True),
        ("Remember", {"content": "x", "contents": "y"}, False),
        ("Remember", {"facts": {"entities": [{"name": "a"}] * 1_001}}, False),
        ("Relate", {"from": "a", "to": "b", "type": "c", "attributes": {"since": 2020, "tags": ["x"]}}, True),
        ("Relate", {"from": "a", "to": "b"}, False),
        ("Recall", {"subject": "a", "k": 1_000}, True),
        ("Recall", {"subject": "a", "k": 1_001}, False),
        ("Forget", {"passage": 5}, False),
    ],
)
def test_the_schemas_say_what_the_door_does(verb: str, body: dict[str, Any], fits: bool) -> None:
    validator = Draft202012Validator(resolved({"$ref": f"#/components/schemas/{verb}"}))
    assert validator.is_valid(body) is fits


def test_the_status_fields_are_query_parameters() -> None:
    parameters = DOCUMENT["paths"]["/v1/memory/status"]["get"]["parameters"]
    named = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
    assert named == SHAPES["status"].schema()["properties"].keys()


def test_the_clients_routes_are_those_of_the_table() -> None:
    table = {operation.name: (operation.method, operation.path) for operation in OPERATIONS}
    assert ROUTES.items() <= table.items()


def test_the_node_serves_the_description(node: RunningNode) -> None:
    served = httpx.get(node.url + "/openapi.json", trust_env=False).json()
    assert served["paths"] == DOCUMENT["paths"]
    assert served["components"] == DOCUMENT["components"]


def test_the_page_loads_nothing_from_elsewhere(node: RunningNode) -> None:
    reply = httpx.get(node.url + "/docs", headers={"Accept": "text/html"}, trust_env=False)
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.findall(r"(?:src|href)=[\"']?(?:https?:)?//", reply.text)
    assert "http" not in re.sub(r"https?://127\.0\.0\.1", "", reply.text).replace("http-equiv", "")
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_page_is_refused_to_who_wants_json(node: RunningNode) -> None:
    assert httpx.get(node.url + "/docs", headers={"Accept": "application/json"}, trust_env=False).status_code == 406
