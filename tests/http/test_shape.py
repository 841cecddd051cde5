"""What fits a verb's input, and how the first thing that does not is named."""

from __future__ import annotations

from typing import Any

import pytest

from semurg.api.models import SHAPES, validated
from semurg.domain.errors import Refusal
from semurg.domain.values import Number


def refused(verb: str, body: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        validated(verb, body)
    return caught.value


def relation(**fields: Any) -> dict[str, Any]:
    return {"facts": {"relations": [{"source": "a", "target": "b"}, fields]}}


@pytest.mark.parametrize(
    ("verb", "body", "field"),
    [
        ("recall", {"subjct": "Dana"}, "subjct"),
        ("remember", {"content": "x", "Scope": "a"}, "Scope"),
        ("remember", relation(source="a", target="b", kind="x"), "facts.relations[1].kind"),
        ("remember", {"facts": {"entities": [{"name": "a", "attribute": {}}]}}, "facts.entities[0].attribute"),
        ("remember", {"messages": [{"content": "x", "text": "y"}]}, "messages[0].text"),
        ("relate", {"from": "a", "to": "b", "type": "c", "target": "d"}, "target"),
        ("forget", {"fact": {"from": "a", "to": "b", "type": "c", "source": "d"}}, "fact.source"),
        ("status", {"k": "1"}, "k"),
        ("recall", {"subject": "a", "query": "b"}, "query"),
        ("recall", {"": 1}, "''"),
        ("recall", {"a b\n": 1}, "'a b\\n'"),
    ],
)
def test_an_unknown_field_is_refused_by_its_path(verb: str, body: Any, field: str) -> None:
    refusal = refused(verb, body)
    assert (refusal.code, refusal.fields["field"]) == ("unknown_field", field)


def test_an_unknown_field_close_to_a_known_one_gets_it_suggested() -> None:
    assert "subject" in refused("recall", {"subjct": "Dana"}).fix
    assert "valid_from" in refused("remember", relation(source="a", target="b", validfrom="2020")).fix


def test_a_long_unknown_field_is_quoted_cut() -> None:
    refusal = refused("recall", {"x" * 5_000: 1})
    assert "x" * 200 + "…" in refusal.detail
    assert "x" * 201 not in refusal.detail


@pytest.mark.parametrize(
    ("verb", "body", "field"),
    [
        ("relate", {"from": "a", "to": "b"}, "type"),
        ("relate", {"to": "b", "type": "c"}, "from"),
        ("remember", relation(source="a"), "facts.relations[1].target"),
        ("remember", {"facts": {"entities": [{"type": "Person"}]}}, "facts.entities[0].name"),
        ("remember", {"messages": [{"role": "user"}]}, "messages[0].content"),
        ("forget", {"fact": {"from": "a", "type": "b"}}, "fact.to"),
        ("forget", {"attribute": {"subject": "a"}}, "attribute.key"),
        ("recall", {"attribute": {"key": "a"}}, "attribute.value"),
    ],
)
def test_a_missing_field_is_named_by_its_path(verb: str, body: Any, field: str) -> None:
    refusal = refused(verb, body)
    assert (refusal.code, refusal.fields["field"]) == ("field_required", field)


@pytest.mark.parametrize(
    ("verb", "body", "field", "detail"),
    [
        ("recall", {"subject": 7}, "subject", "subject is a number."),
        ("recall", {"subject": Number("7.5")}, "subject", "subject is a number."),
        ("recall", {"subject": ["a"]}, "subject", "subject is a list."),
        ("recall", {"k": True}, "k", "k is true."),
        ("recall", {"k": "20"}, "k", "k is a string."),
        ("recall", {"k": Number("20.0")}, "k", "k is a number."),
        ("recall", {"compact": 1}, "compact", "compact is a number."),
        ("recall", {"compact": "true"}, "compact", "compact is a string."),
        ("recall", {"attribute": "badge=1"}, "attribute", "attribute is a string."),
        ("remember", {"content": {"a": 1}}, "content", "content is an object."),
        ("remember", {"messages": "hello"}, "messages", "messages is a string."),
        ("remember", {"messages": ["hello"]}, "messages[0]", "messages[0] is a string."),
        ("remember", {"passages": [{"text": "x", "mentions": [None]}]}, "passages[0].mentions[0]", None),
        ("remember", relation(source="a", target=None), "facts.relations[1].target", None),
        ("remember", {"facts": {"entities": [{"name": "a", "attributes": []}]}}, "facts.entities[0].attributes", None),
        ("relate", {"from": "a", "to": "b", "type": "c", "replaces": 0}, "replaces", None),
        ("forget", {"all": "true"}, "all", None),
        ("recall", {"k": 0}, "k", "k is 0."),
        ("recall", {"k": -1}, "k", "k is -1."),
        ("recall", {"max_tokens": 0}, "max_tokens", "max_tokens is 0."),
        ("remember", {"content": "x", "expected_position": -1}, "expected_position", None),
        ("remember", {"content": "x", "expected_position": "1e3"}, "expected_position", None),
        ("recall", {"subject": "a", "at_position": True}, "at_position", None),
    ],
)
def test_a_field_of_another_type_is_named_with_what_was_sent(
    verb: str, body: Any, field: str, detail: str | None
) -> None:
    refusal = refused(verb, body)
    assert (refusal.code, refusal.fields["field"]) == ("field_invalid", field)
    assert detail is None or refusal.detail == detail


@pytest.mark.parametrize("body", [[], "x", 1, None, True])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    refusal = refused("recall", body)
    assert refusal.code == "field_invalid"
    assert refusal.detail.startswith("The body is ")


@pytest.mark.parametrize("facts", [[], "Paris is a city", 1, True])
def test_facts_that_are_no_object_are_refused_as_such(facts: Any) -> None:
    assert refused("remember", {"facts": facts}).code == "facts_shape"


@pytest.mark.parametrize("sent", [1042, 18446744073709551615, Number("1.5e3")])
def test_an_id_sent_as_a_number_is_refused_with_the_reason(sent: Any) -> None:
    refusal = refused("forget", {"passage": sent})
    assert refusal.code == "id_invalid"
    assert "number" in refusal.detail


@pytest.mark.parametrize("sent", ["", "abc", "-1", "1 ", "١٢", "18446744073709551616", "0x1f"])
def test_an_id_that_is_no_decimal_64_bit_string_is_refused(sent: str) -> None:
    assert refused("forget", {"passage": sent}).code == "id_invalid"


def test_the_biggest_id_is_taken() -> None:
    assert validated("forget", {"passage": "18446744073709551615"}) == {"passage": "18446744073709551615"}


def test_aliases_arrive_under_the_first_name() -> None:
    assert validated("recall", {"query": "Dana"}) == {"subject": "Dana"}
    body = validated("remember", {"facts": {"relations": [{"from": "a", "to": "b", "type": "c"}]}})
    assert body == {"facts": {"relations": [{"source": "a", "target": "b", "type": "c"}]}}
    fact = validated("forget", {"fact": {"source": "a", "target": "b", "type": "c"}})
    assert fact == {"fact": {"from": "a", "to": "b", "type": "c"}}


def test_the_short_form_of_facts_fits() -> None:
    body = {"facts": {"subject": "Paris", "kind": "city"}}
    assert validated("remember", body) == body


def test_positions_arrive_as_numbers() -> None:
    assert validated("recall", {"subject": "a", "at_position": "1042"})["at_position"] == 1042
    assert validated("remember", {"content": "a", "expected_position": 7})["expected_position"] == 7


def test_attribute_values_pass_through_untouched() -> None:
    values = {"a": Number("0.50"), "b": None, "c": [1, "x"], "d": {"value": "5", "type": "integer"}, "__proto__": True}
    body = validated("remember", {"facts": {"entities": [{"name": "n", "attributes": values}]}})
    kept = body["facts"]["entities"][0]["attributes"]
    assert kept == values
    assert type(kept["a"]) is Number


def test_null_in_an_optional_field_is_no_error() -> None:
    assert validated("recall", {"subject": "a", "k": None, "as_of": None, "compact": None})["subject"] == "a"


@pytest.mark.parametrize("verb", SHAPES)
def test_a_schema_says_object_at_the_top_and_refuses_more(verb: str) -> None:
    schema = SHAPES[verb].schema()
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not {"anyOf", "oneOf", "allOf"} & schema.keys()


@pytest.mark.parametrize("verb", ["remember", "relate", "recall", "forget", "status"])
def test_every_call_on_one_memory_takes_a_scope_and_a_user(verb: str) -> None:
    assert {"scope", "user_id"} <= SHAPES[verb].schema()["properties"].keys()


def test_every_field_of_the_contract_is_there() -> None:
    expected = {
        "remember": {"content", "messages", "passages", "facts", "date", "source", "expected_position"},
        "relate": {"from", "to", "type", "attributes", "date", "source", "replaces", "expected_position"},
        "recall": {"subject", "attribute", "k", "cursor", "max_tokens", "compact", "as_of", "valid_at", "at_position"},
        "forget": {"subject", "fact", "passage", "source", "attribute", "all", "reason", "expected_position"},
        "status": {"as_of", "valid_at", "at_position"},
        "audit": {"cursor", "limit", "scope", "user_id", "since"},
        "token_create": {"name", "user_id", "scopes", "read_only", "expires"},
        "token_revoke": {"token"},
    }
    for verb, fields in expected.items():
        assert fields <= SHAPES[verb].schema()["properties"].keys(), verb
