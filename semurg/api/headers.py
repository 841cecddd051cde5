"""What request headers say, read strictly: token, media types, scope, end user, idempotency key.

Pure functions over the headers' values. A header that decides who or where and is sent twice is refused rather than
read one way or the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from semurg.domain.errors import Refusal, quoted

JSON = "application/json"
SCOPE_HEADER = "X-Semurg-Scope"
USER_HEADER = "X-Semurg-User"
IDEMPOTENCY_HEADER = "Idempotency-Key"
REQUEST_ID_HEADER = "X-Request-Id"
IDEMPOTENCY_BYTES_MAX = 255

_WHITE = " \t"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TOKEN_FIX = "Send Authorization: Bearer followed by the token; the node wrote the owner's into semurg.env."


class Headers(Protocol):
    """Request headers; names in any case, each with all its values."""

    def getall(self, name: str, default: list[str], /) -> Sequence[str]:
        """Every value of a header."""


def only(headers: Headers, name: str, code: str) -> str | None:
    """The value of a header without outer white space; None when it is not sent. Sent twice: a refusal of `code`."""
    values = headers.getall(name, [])
    if not values:
        return None
    if len(values) > 1:
        raise Refusal(code, f"The header {name} is sent {len(values)} times.", f"Send {name} once.")
    return values[0].strip(_WHITE)


def bearer_secret(headers: Headers) -> str:
    """The token of a request. Raises Refusal token_required or token_invalid."""
    value = only(headers, "Authorization", "token_invalid")
    if not value:
        raise Refusal("token_required", "The request carries no token.", _TOKEN_FIX)
    scheme, _, secret = value.partition(" ")
    secret = secret.strip(_WHITE)
    if scheme.lower() != "bearer" or not secret:
        raise Refusal("token_required", "The Authorization header is not of the form Bearer TOKEN.", _TOKEN_FIX)
    return secret


def token_refused() -> Refusal:
    """The refusal of a token that is nobody's; it says nothing of why."""
    return Refusal("token_invalid", "The token is not one of this node's, or no longer.", _TOKEN_FIX)


def check_accept(headers: Headers, produced: str) -> None:
    """Raise Refusal not_acceptable when the Accept header rules out the media type that the route produces."""
    values = headers.getall("Accept", [])
    if not values or values[0] in ("*/*", produced):
        return
    best: tuple[int, float] | None = None
    kind = produced.split("/")[0]
    for media in ",".join(values).split(","):
        name, *parameters = (part.strip(_WHITE).lower() for part in media.split(";"))
        precision = {produced: 2, f"{kind}/*": 1, "*/*": 0}.get(name)
        if precision is not None and (best is None or precision > best[0]):
            best = (precision, _quality(parameters))
    if best is None or best[1] <= 0:
        raise Refusal(
            "not_acceptable", f"This route answers in {produced}, which Accept rules out.", f"Send Accept: {produced}."
        )


def _quality(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip(_WHITE) == "q":
            try:
                return float(value)
            except ValueError:
                return 1.0
    return 1.0


def check_json_body(headers: Headers) -> None:
    """Raise Refusal content_type_unsupported unless the body is announced as plain JSON in UTF-8."""
    fix = f"Send Content-Type: {JSON}, the body in UTF-8 and not compressed."
    values = headers.getall("Content-Type", [])
    if len(values) != 1:
        what = "no Content-Type" if not values else "several Content-Types"
        raise Refusal("content_type_unsupported", f"The request has {what}.", fix)
    name, *parameters = (part.strip(_WHITE) for part in values[0].split(";"))
    if name.lower() != JSON:
        raise Refusal("content_type_unsupported", f"The body is announced as {quoted(name)}.", fix)
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip(_WHITE).lower() == "charset" and value.strip(_WHITE).strip('"').lower() not in ("utf-8", "utf8"):
            raise Refusal("content_type_unsupported", f"The body is announced in {quoted(value)}.", fix)
    encoding = ",".join(headers.getall("Content-Encoding", [])).strip(_WHITE).lower()
    if encoding not in ("", "identity"):
        raise Refusal("content_type_unsupported", f"The body is encoded as {quoted(encoding)}.", fix)


def scope_of(headers: Headers, sent: str | None) -> str | None:
    """The scope of a call: what the body or query says, else the header's."""
    return sent if sent is not None else only(headers, SCOPE_HEADER, "scope_invalid")


def user_of(headers: Headers, sent: str | None) -> str | None:
    """The end user of a call. The header pins the connection: another user in the body or query is refused."""
    pinned = only(headers, USER_HEADER, "user_id_invalid")
    if pinned is not None and sent is not None and sent != pinned:
        raise Refusal(
            "user_mismatch",
            f"{USER_HEADER} pins this connection to another end user than {quoted(sent)}.",
            "Leave user_id out, or send the user that the header names.",
        )
    return sent if pinned is None else pinned


def idempotency_key_of(headers: Headers) -> str | None:
    """The Idempotency-Key of a write. Raises Refusal field_invalid."""
    key = only(headers, IDEMPOTENCY_HEADER, "field_invalid")
    if key is not None and not (key.isascii() and key.isprintable() and 1 <= len(key) <= IDEMPOTENCY_BYTES_MAX):
        raise Refusal(
            "field_invalid",
            f"The {IDEMPOTENCY_HEADER} is empty, too long, or not printable ASCII.",
            f"Send 1 to {IDEMPOTENCY_BYTES_MAX} printable ASCII characters.",
            field=IDEMPOTENCY_HEADER,
        )
    return key


def request_id_of(headers: Headers) -> str | None:
    """The caller's own request id, when it is one that can go into a log as it is."""
    values = headers.getall(REQUEST_ID_HEADER, [])
    return values[0] if len(values) == 1 and _REQUEST_ID.fullmatch(values[0]) else None
