"""Attribute values: what is read as what, what is refused, and that nothing is lost on the way to the reply."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.errors import Refusal
from semurg.domain.values import Number, Value, canonical, dump, load, plain, read_value, reply, same_value


@pytest.mark.parametrize(
    ("raw", "kind", "text"),
    [
        ("engineer", "string", "engineer"),
        ("", "string", ""),
        (True, "boolean", "true"),
        (False, "boolean", "false"),
        (7, "integer", "7"),
        (9007199254740993, "integer", "9007199254740993"),
        (-(2**63), "integer", "-9223372036854775808"),
        (2**63 - 1, "integer", "9223372036854775807"),
        (Number("0.50"), "decimal", "0.50"),
        (Number("1e5"), "decimal", "1e5"),
        (Number("-0.0"), "decimal", "-0.0"),
        (2.5, "decimal", "2.5"),
        (Decimal("0.50"), "decimal", "0.50"),
        ("2026-05-17", "date", "2026-05-17"),
        ("2026", "string", "2026"),
        ("2026-05", "string", "2026-05"),
        ("2026-02-30", "string", "2026-02-30"),
        ("2026-05-17T09:30:00+02:00", "datetime", "2026-05-17T09:30:00+02:00"),
        ("2026-05-17T09:30:00Z", "datetime", "2026-05-17T09:30:00Z"),
        ("2026-05-17T09:30:00", "string", "2026-05-17T09:30:00"),
        ("0.50", "string", "0.50"),
        ("true", "string", "true"),
        ({"value": "2026", "type": "date"}, "date", "2026"),
        ({"value": "2026-05", "type": "date"}, "date", "2026-05"),
        ({"value": "2026-05-17", "type": "string"}, "string", "2026-05-17"),
        ({"value": 5, "type": "decimal"}, "decimal", "5"),
        ({"value": "0.50", "type": "decimal"}, "decimal", "0.50"),
        ({"value": "9007199254740993", "type": "integer"}, "integer", "9007199254740993"),
        ({"value": str(2**70), "type": "decimal"}, "decimal", str(2**70)),
        ({"value": False, "type": "boolean"}, "boolean", "false"),
        ("x" * 4096, "string", "x" * 4096),
    ],
)
def test_a_value_gets_its_type_from_json_or_its_declaration(raw: Any, kind: str, text: str) -> None:
    assert read_value(raw, "role") == Value((kind,), (text,), False)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (None, "attribute_null"),
        ([], "attribute_empty_list"),
        (["a", None], "attribute_null"),
        ({"value": None, "type": "string"}, "attribute_null"),
        (2**63, "integer_out_of_range"),
        (-(2**63) - 1, "integer_out_of_range"),
        pytest.param(10**5000, "integer_out_of_range", id="5001 digits"),
        ({"value": str(2**63), "type": "integer"}, "integer_out_of_range"),
        ({"value": 5, "type": "string"}, "attribute_invalid"),
        ({"value": 2026, "type": "date"}, "attribute_invalid"),
        ({"value": "true", "type": "boolean"}, "attribute_invalid"),
        ({"value": 1, "type": "boolean"}, "attribute_invalid"),
        ({"value": True, "type": "integer"}, "attribute_invalid"),
        ({"value": Number("5.0"), "type": "integer"}, "attribute_invalid"),
        ({"value": "5x", "type": "integer"}, "attribute_invalid"),
        ({"value": "007", "type": "integer"}, "attribute_invalid"),
        ({"value": " 5", "type": "integer"}, "attribute_invalid"),
        ({"value": "٥", "type": "integer"}, "attribute_invalid"),
        ({"value": "1,5", "type": "decimal"}, "attribute_invalid"),
        ({"value": "NaN", "type": "decimal"}, "attribute_invalid"),
        ({"value": "2026-02-30", "type": "date"}, "attribute_invalid"),
        ({"value": "2026-05-17T09:30:00Z", "type": "date"}, "attribute_invalid"),
        ({"value": "2026-05-17T09:30:00", "type": "datetime"}, "attribute_invalid"),
        ({"value": "2026-05-17", "type": "datetime"}, "attribute_invalid"),
        ({"value": "x", "type": "text"}, "attribute_invalid"),
        ({"value": "x", "type": ["string"]}, "attribute_invalid"),
        ({"value": "x"}, "attribute_invalid"),
        ({"value": "x", "type": "string", "unit": "m"}, "attribute_invalid"),
        ({"street": "x"}, "attribute_invalid"),
        ([["a"]], "attribute_invalid"),
        ([{"a": 1}], "attribute_invalid"),
        (float("nan"), "attribute_invalid"),
        (Decimal("Infinity"), "attribute_invalid"),
        ("a\0b", "control_character"),
        ("a\ud800", "bad_json"),
        ("x" * 4097, "limit_exceeded"),
        ("é" * 2049, "limit_exceeded"),
    ],
)
def test_what_does_not_parse_is_refused_by_name_and_never_coerced(raw: Any, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_value(raw, "attributes.role")
    assert caught.value.code == code
    assert "attributes.role" in caught.value.detail


def test_a_list_is_a_set_in_no_order() -> None:
    one, other = read_value(["b", "a", "b"], "tags"), read_value(["a", "b"], "tags")
    assert one == other
    assert same_value(one, other)
    assert reply(one) == {"values": ["a", "b"], "type": "string"}
    assert plain(one) == ["a", "b"]
    assert not same_value(read_value(["a"], "tags"), read_value("a", "tags"))


def test_a_mixed_set_names_the_type_of_each() -> None:
    found = read_value([1, "1", Number("1.0"), True, {"value": "2026", "type": "date"}], "tags")
    assert reply(found) == {
        "values": [True, "2026", "1.0", 1, "1"],
        "types": ["boolean", "date", "decimal", "integer", "string"],
    }


def test_one_instant_in_two_zones_is_one_value_and_reads_back_as_given() -> None:
    one, other = read_value("2026-03-29T01:30:00+01:00", "at"), read_value("2026-03-29T00:30:00Z", "at")
    assert same_value(one, other)
    assert canonical("datetime", one.texts[0]) == "2026-03-29T00:30:00Z"
    assert reply(one) == {"value": "2026-03-29T01:30:00+01:00", "type": "datetime"}
    assert len(read_value(["2026-03-29T01:30:00+01:00", "2026-03-29T00:30:00Z"], "at").texts) == 1


def test_values_of_other_digits_or_types_are_other_values() -> None:
    assert not same_value(read_value(Number("0.50"), "x"), read_value(Number("0.5"), "x"))
    assert not same_value(read_value(1, "x"), read_value("1", "x"))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(7, 7), (True, True), (Number("0.50"), "0.50"), ("note", "note"), ("", ""), (-(2**63), -(2**63))],
)
def test_a_reply_gives_integers_and_booleans_as_such_and_the_rest_as_text(raw: Any, expected: Any) -> None:
    found = read_value(raw, "x")
    assert plain(found) == expected
    assert type(plain(found)) is type(expected)
    assert reply(found)["value"] == expected


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40),
    st.dates().map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
)


@given(st.one_of(SCALARS, st.lists(SCALARS, min_size=1, max_size=5)))
def test_every_value_survives_being_stored(raw: Any) -> None:
    found = read_value(raw, "x")
    assert load(dump(found)) == found
    assert same_value(load(dump(found)), found)
