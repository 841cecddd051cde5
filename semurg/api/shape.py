"""What makes a model into a door's input: validation whose refusals name the first offender, and a plain schema.

Paths are written as a caller would: facts.relations[17].source. Nothing of the offending value is quoted here but the
name of an unknown field.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import ErrorDetails, core_schema

from semurg.domain.errors import Refusal, quoted
from semurg.domain.values import Number

_EXPECTED = {
    "string_type": "a string",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
}
_FACTS_FIX = 'Send {"entities": [{"name": …, "type": …}], "relations": [{"source": …, "target": …, "type": …}]}.'

Location = Sequence[int | str]


class _PlainSchema(GenerateJsonSchema):
    """The schema a caller reads: no titles made from field names, and optional fields shown by their type alone."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class Shape:
    """One verb's input: reads a decoded body and describes itself as JSON Schema 2020-12."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(model)

    def read(self, body: Any) -> dict[str, Any]:
        """The body with canonical field names. Raises Refusal when it does not fit.

        Codes: unknown_field, field_required, field_invalid, limit_exceeded, id_invalid, facts_shape; `field` is the
        path, `index` the place in the innermost list. An unknown field is named before anything else is.
        """
        try:
            return self._adapter.validate_python(body)
        except ValidationError as error:
            found = error.errors(include_url=False)
        unknown = next((one for one in found if one["type"] == "extra_forbidden"), None)
        raise _refusal(unknown or found[0], self.schema)

    def schema(self, ref_template: str = "#/$defs/{model}") -> dict[str, Any]:
        """The JSON schema; nested objects under $defs."""
        return self._adapter.json_schema(ref_template=ref_template, schema_generator=_PlainSchema)


def _refusal(error: ErrorDetails, schema: Callable[[], dict[str, Any]]) -> Refusal:
    location, kind = error["loc"], error["type"]
    path = _path(location)
    place = _place(location)
    if kind == "extra_forbidden":
        return _unknown_field(location, schema())
    if kind == "missing":
        return Refusal("field_required", f"{path} is missing.", f"Send {path}.", **place)
    if kind in ("too_long", "less_than_equal"):
        return _over_limit(error, path, place)
    if kind == "greater_than_equal":
        least = error["ctx"]["ge"]
        detail = f"{path} is {_short(error['input'])}."
        return Refusal("field_invalid", detail, f"Send {path} as {least} or more.", **place)
    if kind in ("id_invalid", "field_invalid"):
        fix = "Send it exactly as a reply gave it: digits in a string."
        return Refusal(kind, f"{path} {error['msg']}.", fix, **place)
    expected = _EXPECTED.get(kind, "another type")
    if path == "facts":
        return Refusal("facts_shape", f"facts is {_json_type(error['input'])}.", _FACTS_FIX, **place)
    detail = f"{path or 'The body'} is {_json_type(error['input'])}."
    return Refusal("field_invalid", detail, f"Send {path or 'the body'} as {expected}.", **place)


def _over_limit(error: ErrorDetails, path: str, place: dict[str, Any]) -> Refusal:
    if error["type"] == "less_than_equal":
        most = error["ctx"]["le"]
        detail = f"{path} is {_short(error['input'])}; at most {most:,} is taken."
        return Refusal("limit_exceeded", detail, f"Send {path} as 1 to {most:,}.", **place, limit=most)
    most, sent = error["ctx"]["max_length"], error["input"]
    if isinstance(sent, dict):
        first = quoted(list(sent)[most])
        detail = f"{path} has {len(sent):,} keys; at most {most:,} are taken, and {first} is one too many."
        return Refusal("limit_exceeded", detail, "Send fewer keys.", **place, limit=most)
    detail = f"{path} has {len(sent):,} items; at most {most:,} are taken, so {path}[{most}] is one too many."
    return Refusal("limit_exceeded", detail, "Split it over several calls.", field=path, index=most, limit=most)


def _unknown_field(location: Location, schema: dict[str, Any]) -> Refusal:
    name = str(location[-1])
    parent = _path(location[:-1])
    known = _fields_at(schema, location[:-1])
    close = difflib.get_close_matches(name, known, n=1)
    fix = (
        f"Did you mean {close[0]}?"
        if close
        else f"Leave it out; {parent or 'the body'} takes {', '.join(known) or 'no field'}."
    )
    where = f" in {parent}" if parent else ""
    return Refusal("unknown_field", f"There is no field {quoted(name)}{where}.", fix, **_place(location))


def _fields_at(schema: dict[str, Any], location: Location) -> list[str]:
    """The fields that an object at this place takes."""
    node = schema
    for step in location:
        node = node["items"] if isinstance(step, int) else node["properties"][step]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return list(node["properties"])


def _path(location: Location) -> str:
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            shown = step if step.isidentifier() and len(step) <= 64 else quoted(step)
            path += f".{shown}" if path else shown
    return path


def _place(location: Location) -> dict[str, Any]:
    place: dict[str, Any] = {"field": _path(location)} if location else {}
    index = next((step for step in reversed(location) if isinstance(step, int)), None)
    return place if index is None else {**place, "index": index}


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Number)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def _short(number: int) -> str:
    # Writing out an integer of thousands of digits would fail, and helps nobody.
    return f"{number:,}" if number.bit_length() <= 64 else "a number of more than 64 bits"
