"""The OpenAPI 3.1 description, made from the operations table and the models."""

from __future__ import annotations

from typing import Any

from semurg.api.headers import IDEMPOTENCY_HEADER, SCOPE_HEADER, USER_HEADER
from semurg.api.operations import OPERATIONS, Access, Operation
from semurg.domain.errors import STATUS

_REF = "#/components/schemas/{model}"
_ABOUT = (
    "Shared memory for AI agents: facts and texts with two time axes, every answer cited. Bodies are JSON in UTF-8; "
    "null in an optional field reads as absent, and an unknown field is refused by name. Ids and positions are decimal "
    "strings."
)
_REFUSALS_BY_ACCESS = {
    Access.NONE: (406, 500),
    Access.TOKEN: (401, 406, 500, 503),
    Access.READ: (400, 401, 403, 404, 406, 413, 415, 422, 500, 503),
    Access.WRITE: (400, 401, 403, 404, 406, 409, 413, 415, 422, 429, 500, 503),
    Access.OWNER_READ: (400, 401, 403, 406, 413, 415, 422, 500, 503),
    Access.OWNER_WRITE: (400, 401, 403, 404, 406, 409, 413, 415, 422, 429, 500, 503),
}


def openapi_document(version: str) -> dict[str, Any]:
    """The description of every operation, as GET /openapi.json serves it."""
    schemas: dict[str, Any] = {"Refusal": _refusal_schema()}
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "semurg", "version": version, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.description,
        "responses": _responses(operation),
    }
    if operation.access is Access.NONE:
        described["security"] = []
    if operation.shape is None:
        return described
    schema = operation.shape.schema(ref_template=_REF)
    schemas.update(schema.pop("$defs", {}))
    parameters = []
    if not operation.owner_only:
        parameters.append(_header(SCOPE_HEADER, "The scope, when the call names none."))
        parameters.append(_header(USER_HEADER, "Pins the end user."))
    if operation.method == "GET":
        parameters += [_query(name, field, schema) for name, field in schema["properties"].items()]
    else:
        schemas[operation.shape.name] = schema
        content = {"application/json": {"schema": {"$ref": _REF.format(model=operation.shape.name)}}}
        described["requestBody"] = {"required": True, "content": content}
    if operation.writes and not operation.owner_only:
        parameters.append(_header(IDEMPOTENCY_HEADER, "Kept for a day: the same key and body get the same reply."))
    described["parameters"] = parameters
    return described


def _header(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": {"type": "string"}}


def _query(name: str, field: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in field.items() if key != "description"}
    return {
        "name": name,
        "in": "query",
        "required": name in schema.get("required", ()),
        "description": field.get("description", ""),
        "schema": plain,
    }


def _responses(operation: Operation) -> dict[str, Any]:
    media = "text/html" if operation.name == "docs" else "application/json"
    schema = {"type": "string"} if media == "text/html" else {"type": "object"}
    responses: dict[str, Any] = {"200": {"description": operation.title, "content": {media: {"schema": schema}}}}
    if operation.name == "health":
        responses["503"] = _refusal(503)
    for status in _REFUSALS_BY_ACCESS[operation.access]:
        if operation.method == "POST" or status not in (413, 415):
            responses[str(status)] = _refusal(status)
    return responses


def _refusal(status: int) -> dict[str, Any]:
    codes = ", ".join(sorted(code for code, its in STATUS.items() if its == status))
    return {
        "description": f"Refused: {codes}",
        "content": {"application/json": {"schema": {"$ref": _REF.format(model="Refusal")}}},
    }


def _refusal_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "Why a call was not carried out. Nothing of a refused call is stored.",
        "properties": {
            "error": {"type": "string", "enum": sorted(STATUS), "description": "A stable code."},
            "detail": {"type": "string", "description": "What is wrong, with the name or index of the offender."},
            "fix": {"type": "string", "description": "What to send instead."},
            "field": {"type": "string", "description": "The path of the offending field."},
            "index": {"type": "integer", "description": "Its place in the innermost list."},
            "did_you_mean": {"type": "array", "items": {"type": "string"}, "description": "Close stored names."},
        },
        "required": ["error", "detail", "fix"],
    }
