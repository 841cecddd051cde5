"""Attribute values: reading what a caller sent, telling two apart, the stored form and the form in a reply.

A value never changes its type on the way: what does not parse as the declared type is refused, not coerced.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import msgspec

from semurg.domain.characters import check_text
from semurg.domain.errors import Refusal, quoted
from semurg.domain.instants import has_offset, parse_date
from semurg.domain.limits import ATTRIBUTE_BYTES_MAX

TYPES = ("string", "integer", "decimal", "boolean", "date", "datetime")
INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
# Python refuses to write out integers much longer than this, and no value may be that long anyway.
_INTEGER_BITS_MAX = 13_600


class Number(str):
    """A JSON number with a fraction or an exponent, as the digits that were sent. The strict JSON reader makes it."""

    __slots__ = ()


class Value(msgspec.Struct, frozen=True):
    """A typed value, or a set of them: `types` and `texts` side by side, one of each when `is_set` is False.

    A set is sorted by (type, canonical text) and holds no two equal values.
    """

    types: tuple[str, ...]
    texts: tuple[str, ...]
    is_set: bool = False


def read_value(raw: Any, field: str) -> Value:
    """The value that a caller sent: a JSON scalar, a list of them, or {"value": …, "type": …}.

    Raises Refusal attribute_null, attribute_empty_list, integer_out_of_range, limit_exceeded, control_character,
    bad_json, or attribute_invalid, each naming the field.
    """
    declared: str | None = None
    if isinstance(raw, dict):
        raw, declared = _declaration(raw, field)
    if isinstance(raw, (list, tuple)):
        return _read_set(raw, declared, field)
    kind, text = _read_one(raw, declared, field)
    return Value((kind,), (text,), False)


def canonical(type: str, text: str) -> str:
    """The text under which two values of a type are the same: the UTC form of a date-time, else the text itself."""
    return parse_date(text, "value").text if type == "datetime" else text


def same_value(a: Value, b: Value) -> bool:
    """Whether two values are equal: both sets or neither, the same types and canonical texts."""
    return a.is_set == b.is_set and a.types == b.types and _canonicals(a) == _canonicals(b)


def dump(value: Value) -> str:
    """The stored form: a JSON array of type and text, or an array of such arrays for a set."""
    pairs = list(zip(value.types, value.texts, strict=True))
    return msgspec.json.encode(pairs if value.is_set else pairs[0]).decode()


def load(stored: str) -> Value:
    """The value of a stored form that dump made."""
    found = msgspec.json.decode(stored)
    if isinstance(found[0], str):
        return Value((found[0],), (found[1],), False)
    return Value(tuple(pair[0] for pair in found), tuple(pair[1] for pair in found), True)


def reply(value: Value) -> dict[str, Any]:
    """The value in a full reply: {"value", "type"}; a set {"values", "type"}, "types" side by side when they differ."""
    if not value.is_set:
        return {"value": _native(value.types[0], value.texts[0]), "type": value.types[0]}
    values = [_native(kind, text) for kind, text in zip(value.types, value.texts, strict=True)]
    if len(set(value.types)) == 1:
        return {"values": values, "type": value.types[0]}
    return {"values": values, "types": list(value.types)}


def plain(value: Value) -> Any:
    """The value in a compact reply: the scalar, or a list of them."""
    values = [_native(kind, text) for kind, text in zip(value.types, value.texts, strict=True)]
    return values if value.is_set else values[0]


def _canonicals(value: Value) -> tuple[str, ...]:
    if "datetime" not in value.types:
        return value.texts
    return tuple(canonical(kind, text) for kind, text in zip(value.types, value.texts, strict=True))


def _native(kind: str, text: str) -> Any:
    if kind == "integer":
        return int(text)
    return text == "true" if kind == "boolean" else text


def _declaration(raw: dict[Any, Any], field: str) -> tuple[Any, str]:
    if set(raw) != {"value", "type"}:
        raise _invalid(field, 'is an object other than {"value": …, "type": …}')
    declared = raw["type"]
    if declared not in TYPES:
        shown = quoted(declared) if isinstance(declared, str) else f"a {_json_name(declared)}"
        raise Refusal(
            "attribute_invalid", f"{field} declares {shown} as its type.", f"Declare one of {', '.join(TYPES)}."
        )
    return raw["value"], declared


def _read_set(raw: list[Any] | tuple[Any, ...], declared: str | None, field: str) -> Value:
    if not raw:
        raise Refusal(
            "attribute_empty_list",
            f"{field} is an empty list.",
            "Send at least one value; to remove the attribute, use memory_forget with subject and attribute.",
        )
    members: dict[tuple[str, str], str] = {}
    for index, item in enumerate(raw):
        place, item_type = f"{field}[{index}]", declared
        if isinstance(item, dict):
            item, item_type = _declaration(item, place)
        kind, text = _read_one(item, item_type, place)
        members.setdefault((kind, canonical(kind, text)), text)
    ordered = sorted(members)
    return Value(tuple(kind for kind, _ in ordered), tuple(members[member] for member in ordered), True)


def _read_one(raw: Any, declared: str | None, field: str) -> tuple[str, str]:
    """(type, text) of one scalar."""
    if raw is None:
        raise Refusal(
            "attribute_null",
            f"{field} is null.",
            "Leave the key out, or forget the attribute with memory_forget (subject and attribute).",
        )
    kind, text = _scalar(raw, field)
    if len(text) > ATTRIBUTE_BYTES_MAX or len(text.encode()) > ATTRIBUTE_BYTES_MAX:
        raise Refusal(
            "limit_exceeded",
            f"{field} is longer than {ATTRIBUTE_BYTES_MAX} bytes of UTF-8.",
            "Send a shorter value; longer text belongs in content, where it is cut into passages.",
        )
    if declared is None:
        kind = _inferred(text, kind, field)
    else:
        kind = _as_declared(text, kind, declared, field)
    if kind == "integer":
        text = _checked_integer(text, field)
    return kind, text


def _scalar(raw: Any, field: str) -> tuple[str, str]:
    """(JSON type, text) of a scalar before any declaration is looked at."""
    if isinstance(raw, bool):
        return "boolean", "true" if raw else "false"
    if isinstance(raw, int):
        if raw.bit_length() > _INTEGER_BITS_MAX:
            raise _out_of_range(field)
        return "integer", str(raw)
    if isinstance(raw, float | Decimal):
        if not math.isfinite(raw):
            raise _invalid(field, "is not a finite number")
        raw = Number(raw if isinstance(raw, Decimal) else repr(raw))
    if isinstance(raw, Number):
        if _DECIMAL.fullmatch(raw) is None:
            raise _invalid(field, f"{quoted(raw)} is not a number")
        return "decimal", str(raw)
    if isinstance(raw, str):
        check_text(raw, field)
        return "string", raw
    raise _invalid(field, f"is a {_json_name(raw)} where a single value belongs")


def _inferred(text: str, kind: str, field: str) -> str:
    if kind != "string" or not (_DAY.fullmatch(text) or has_offset(text)):
        return kind
    try:
        parse_date(text, field)
    except Refusal:
        # looks like a date and is none: a bare string is a string
        return kind
    return "date" if _DAY.fullmatch(text) else "datetime"


def _as_declared(text: str, kind: str, declared: str, field: str) -> str:
    if kind == declared:
        return kind
    if kind == "string":
        if declared == "integer" and _INTEGER.fullmatch(text) and text != "-0":
            return declared
        if declared == "decimal" and _DECIMAL.fullmatch(text):
            return declared
        if (declared == "date" and _DATE.fullmatch(text)) or (declared == "datetime" and has_offset(text)):
            try:
                parse_date(text, field)
            except Refusal as problem:
                raise Refusal("attribute_invalid", problem.detail, problem.fix) from problem
            return declared
    if kind == "integer" and declared == "decimal":
        return declared
    sent = "number" if kind in ("integer", "decimal") else kind
    raise Refusal(
        "attribute_invalid",
        f"{field}: {quoted(text)}, sent as a JSON {sent}, does not read as {declared}.",
        _FIXES[declared],
    )


_FIXES = {
    "string": "Send the text as a JSON string.",
    "integer": "Send a whole number, or its digits as a string.",
    "decimal": 'Send a number, or its digits as a string such as "0.50".',
    "boolean": "Send true or false.",
    "date": 'Send a string such as "2026", "2026-05" or "2026-05-17".',
    "datetime": 'Send a string with an offset, such as "2026-05-17T09:30:00+02:00" or "2026-05-17T07:30:00Z".',
}


def _checked_integer(text: str, field: str) -> str:
    # 20 characters hold every 64-bit integer with its sign
    if len(text) > 20 or not INTEGER_MIN <= int(text) <= INTEGER_MAX:
        raise _out_of_range(field)
    return text


def _out_of_range(field: str) -> Refusal:
    return Refusal(
        "integer_out_of_range",
        f"{field} is an integer beyond 64 bits, signed.",
        f'Send {INTEGER_MIN} to {INTEGER_MAX}, or declare it: {{"value": "<digits>", "type": "decimal"}}.',
    )


def _invalid(field: str, why: str) -> Refusal:
    return Refusal(
        "attribute_invalid",
        f"{field} {why}.",
        'Send a string, number, true or false, a list of these, or {"value": …, "type": …}.',
    )


def _json_name(raw: Any) -> str:
    if isinstance(raw, dict):
        return "object"
    if isinstance(raw, list | tuple):
        return "list"
    return type(raw).__name__
