"""From a caller's fields (shape already checked at the door) to a request: names cleaned, dates and values read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from semurg.domain.errors import Refusal
from semurg.domain.instants import parse_date
from semurg.domain.limits import (
    CONTEXT_K_DEFAULT,
    HOPS_DEFAULT,
    QUERY_BYTES_MAX,
    RECALL_K_DEFAULT,
    REPLY_TOKENS_DEFAULT,
)
from semurg.domain.names import check_text, clean_key, clean_name
from semurg.domain.values import canonical, read_value
from semurg.queries.context_plan import ContextRequest
from semurg.queries.instants import ReadInstants
from semurg.queries.recall import AttributeWanted, RecallRequest
from semurg.queries.spoken_time import spoken_time

Fields = Mapping[str, Any]


def read_instants(fields: Fields) -> ReadInstants:
    """as_of, valid_at and at_position of a read; a date stands for its last microsecond."""
    as_of, valid_at = fields.get("as_of"), fields.get("valid_at")
    return ReadInstants(
        as_of=None if as_of is None else parse_date(as_of, "as_of").end,
        valid_at=None if valid_at is None else parse_date(valid_at, "valid_at").end,
        at_position=fields.get("at_position"),
    )


def recall_request(fields: Fields) -> RecallRequest:
    """The request of a memory_recall. Raises Refusal, also subject_or_attribute."""
    subject, attribute = fields.get("subject"), fields.get("attribute")
    if (subject is None) == (attribute is None):
        raise Refusal(
            "subject_or_attribute",
            "A recall takes a subject or an attribute, one of them.",
            'Send subject: a name, or attribute: {"key": …, "value": …}.',
        )
    return RecallRequest(
        subject=None if subject is None else clean_name(subject, "subject"),
        attribute=None if attribute is None else _attribute(attribute),
        k=_given(fields, "k", RECALL_K_DEFAULT),
        max_tokens=_given(fields, "max_tokens", REPLY_TOKENS_DEFAULT),
        cursor=fields.get("cursor"),
        compact=bool(fields.get("compact")),
        instants=read_instants(fields),
    )


def context_request(fields: Fields, now: int) -> ContextRequest:
    """The request of a memory_context, at the instant `now` (µs) unless the call gives another. Raises Refusal."""
    query = fields["query"]
    check_text(query, "query")
    size = len(query.encode())
    if not query.strip() or size > QUERY_BYTES_MAX:
        raise Refusal(
            "query_invalid",
            f"query is blank or of {size} bytes of UTF-8.",
            f"Send a question or a few words, 1 to {QUERY_BYTES_MAX:,} bytes.",
        )
    given = fields.get("now")
    if given is not None:
        now = parse_date(given, "now").start
    instants = read_instants(fields)
    return ContextRequest(
        query=query,
        k=_given(fields, "k", CONTEXT_K_DEFAULT),
        hops=_given(fields, "hops", HOPS_DEFAULT),
        max_tokens=_given(fields, "max_tokens", REPLY_TOKENS_DEFAULT),
        compact=bool(fields.get("compact")),
        time=None if instants.valid_at is not None else spoken_time(query, now),
        instants=instants,
    )


def _attribute(attribute: Fields) -> AttributeWanted:
    key, wanted_type = clean_key(attribute["key"], "attribute.key"), attribute.get("type")
    raw = attribute["value"] if wanted_type is None else {"value": attribute["value"], "type": wanted_type}
    value = read_value(raw, "attribute.value")
    if value.is_set:
        raise Refusal("attribute_invalid", "attribute.value is a list.", "Search for one value at a time.")
    return AttributeWanted(key, canonical(value.types[0], value.texts[0]), wanted_type)


def _given(fields: Fields, key: str, otherwise: int) -> int:
    value = fields.get(key)
    return otherwise if value is None else value
