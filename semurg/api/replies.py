"""How a refusal, a fault or a reply becomes bytes, a status and headers of HTTP."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sanic.exceptions import (
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTimeout,
    SanicException,
    ServiceUnavailable,
)

from semurg.api.headers import JSON
from semurg.domain.errors import Refusal

RETRY_AFTER_S = {"busy": 1, "warming": 1, "read_only": 10, "disk_full": 10}
_RETRY_STATUSES = (429, 503)

# Replies hold what users stored: no cache keeps them, and no browser guesses another type.
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class Reply(NamedTuple):
    """What goes back to the caller. `error` is the refusal's code, for the log."""

    status: int
    body: bytes
    headers: dict[str, str]
    content_type: str = JSON
    error: str | None = None


def json_reply(value: dict[str, Any], status: int = 200) -> Reply:
    """A reply of JSON in UTF-8."""
    return Reply(status, msgspec.json.encode(value), dict(_HEADERS))


def text_reply(body: bytes, content_type: str, headers: dict[str, str]) -> Reply:
    """A reply that is the same for everyone: a description or a page."""
    return Reply(200, body, {"x-content-type-options": "nosniff", **headers}, content_type)


def refusal_reply(refusal: Refusal, **fields: Any) -> Reply:
    """The refusal as JSON; 401 says how to authenticate, 429 and 503 when to come back."""
    headers = dict(_HEADERS)
    if refusal.status == 401:
        invalid = ' error="invalid_token"' if refusal.code == "token_invalid" else ""
        headers["www-authenticate"] = f"Bearer{invalid}"
    if refusal.status in _RETRY_STATUSES:
        headers["retry-after"] = str(refusal.fields.get("retry_after", RETRY_AFTER_S.get(refusal.code, 1)))
    return Reply(refusal.status, msgspec.json.encode({**refusal.body(), **fields}), headers, JSON, refusal.code)


def internal_reply(reference: str) -> Reply:
    """A fault of ours: the reference leads to the trace in the node's log, and nothing of it is shown."""
    return refusal_reply(
        Refusal(
            "internal",
            f"The node failed to answer; its log has the trace under {reference}.",
            "Send the call again; if it fails again, report it with the reference.",
            reference=reference,
        )
    )


def method_reply(asked: str, allowed: list[str]) -> Reply:
    """405, or the bare list of methods when that is what was asked."""
    allow = {"allow": ", ".join(allowed)}
    if asked == "OPTIONS":
        return Reply(204, b"", allow)
    reply = refusal_reply(
        Refusal(
            "method_not_allowed", "The route does not take this method.", f"Send it as {allowed[0]}.", allow=allowed
        )
    )
    return reply._replace(headers={**reply.headers, **allow})


def refusal_of_transport(error: SanicException) -> Refusal | None:
    """What the HTTP layer objected to, as a refusal; None when the fault is not the caller's."""
    if isinstance(error, NotFound | MethodNotAllowed):
        return Refusal("no_such_route", "There is no such route.", "See GET /openapi.json for what there is.")
    if isinstance(error, PayloadTooLarge):
        return Refusal("too_large", "The request's headers are too large.", "Send less in the headers.")
    if isinstance(error, RequestTimeout):
        return Refusal("bad_request", "The request did not arrive whole in time.", "Send it again, without pauses.")
    if isinstance(error, ServiceUnavailable):
        return Refusal("busy", "The node did not answer in time.", "Send the call again in a second.", retry_after=1)
    if 400 <= error.status_code < 500:
        return Refusal("bad_request", "The request is not well-formed HTTP/1.1.", "Use an HTTP client library.")
    return None


def allowed_methods(error: MethodNotAllowed) -> list[str]:
    """The methods that a route takes, the useful one first."""
    named = {str(method) for method in error.allowed_methods or ()}
    return [method for method in ("GET", "POST", "HEAD") if method in named] + ["OPTIONS"]
