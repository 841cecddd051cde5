"""The one way semurg says no: a refusal with a stable code, what is wrong, and what to send instead.

Every code a caller can meet is listed in STATUS with its HTTP status. Doors (HTTP, MCP, embedded, shell) turn a
Refusal into their own form; nothing below them knows about status codes beyond this table.
"""

from __future__ import annotations

from typing import Any

QUOTE_CHARS_MAX = 200

STATUS: dict[str, int] = {
    # the request as bytes and shape
    "bad_json": 400,
    "bad_request": 400,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "content_type_unsupported": 415,
    "too_large": 413,
    "unknown_field": 422,
    "field_required": 422,
    "field_invalid": 422,
    "no_such_route": 404,
    # who asks
    "token_required": 401,
    "token_invalid": 401,
    "owner_only": 403,
    "read_only_token": 403,
    "scope_not_granted": 403,
    "user_mismatch": 403,
    # where
    "scope_required": 422,
    "scope_invalid": 422,
    "user_id_invalid": 422,
    # names, keys, values, dates
    "name_empty": 422,
    "name_too_long": 422,
    "name_invalid": 422,
    "control_character": 422,
    "attribute_null": 422,
    "attribute_empty_list": 422,
    "attribute_invalid": 422,
    "attribute_conflict": 422,
    "integer_out_of_range": 422,
    "date_invalid": 422,
    "interval_empty": 422,
    "id_invalid": 422,
    # writes
    "nothing_to_store": 422,
    "one_text_only": 422,
    "facts_shape": 422,
    "mention_not_in_text": 422,
    "replaces_conflict": 422,
    "limit_exceeded": 422,
    "position_conflict": 409,
    "idempotency_conflict": 409,
    # tokens
    "token_name_taken": 409,
    "token_ambiguous": 409,
    "token_is_owner": 409,
    # forgetting and reading
    "one_form_only": 422,
    "not_found": 404,
    "query_invalid": 422,
    "model_unavailable": 503,
    "subject_or_attribute": 422,
    "cursor_invalid": 422,
    # the node
    "busy": 429,
    "warming": 503,
    "read_only": 503,
    "disk_full": 503,
    "node_in_use": 503,
    "address_unavailable": 503,
    "log_corrupt": 503,
    "log_newer": 503,
    "internal": 500,
}


def quoted(text: str) -> str:
    """The caller's own text as it may appear in an error: cut at 200 characters, control characters escaped."""
    cut = text if len(text) <= QUOTE_CHARS_MAX else text[:QUOTE_CHARS_MAX] + "…"
    return repr(cut)


class Refusal(Exception):
    """A call that is not carried out. `code` is stable; `detail` names the offender; `fix` says what to send instead.

    `fields` are further keys of the reply, as the verb's contract names them (`did_you_mean`, `index`, …).
    """

    def __init__(self, code: str, detail: str, fix: str, **fields: Any) -> None:
        if code not in STATUS:
            raise ValueError(f"{code} is not a listed refusal code")
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.fix = fix
        self.fields = fields

    @property
    def status(self) -> int:
        """The HTTP status that goes with the code."""
        return STATUS[self.code]

    def body(self) -> dict[str, Any]:
        """The reply as every door serves it."""
        return {"error": self.code, "detail": self.detail, "fix": self.fix, **self.fields}
