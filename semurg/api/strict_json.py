"""JSON as the contract reads it: one meaning or a refusal.

The standard parser is lenient where two readers could disagree: it keeps the last of two equal keys, takes NaN, lets
lone surrogates through, and turns 0.50 into 0.5. Here each of these is refused by name, and a number with a fraction or
an exponent keeps its digits. Called by every door that takes JSON from outside.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from semurg.domain.errors import Refusal, quoted
from semurg.domain.limits import JSON_DEPTH_MAX
from semurg.domain.values import Number

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_FIX = "Send one JSON document in UTF-8, each key once, with finite numbers."


def loads(body: bytes, depth_max: int = JSON_DEPTH_MAX) -> Any:
    """The value that a JSON document holds; objects as dict, numbers as int or domain.values.Number.

    Raises Refusal bad_json, saying where, for anything that is not JSON in UTF-8 (a byte order mark included), NaN and
    Infinity, a key given twice in one object, nesting deeper than `depth_max`, and lone surrogates.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(f"The body is not UTF-8: byte {error.start} cannot be read.")
    if not text.strip(" \t\r\n"):
        _refuse("The body is empty.")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at").lower()
        _refuse(f"The body is not JSON: {what} at line {error.lineno}, column {error.colno}.")
    except RecursionError:
        _refuse(f"The body nests deeper than {depth_max} levels.")
    except ValueError:
        # The interpreter limits how many digits it turns into an integer; nothing that semurg stores is that long.
        _refuse("The body holds an integer of too many digits.")
    if _may_nest_deeper(body, depth_max):
        _check_depth(value, depth_max)
    if _SURROGATE_ESCAPE.search(body):
        _check_surrogates(value, "")
    return value


def _refuse(detail: str) -> NoReturn:
    raise Refusal("bad_json", detail, _FIX)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                _refuse(f"The key {quoted(key)} stands twice in one object.")
            seen.add(key)
    return members


def _constant(name: str) -> NoReturn:
    _refuse(f"{name} is not a JSON number.")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=Number, parse_constant=_constant)


def _may_nest_deeper(body: bytes, depth_max: int) -> bool:
    """False when the nesting is certainly within bounds; cheap, because almost every body is flat.

    With everything but brackets taken out, each pass removes the innermost pairs: one level, or two where an object
    stands in a list. Brackets inside strings can leave a rest behind, which only means that the exact walk decides.
    """
    brackets = body.translate(None, _NOT_BRACKETS)
    for _ in range(depth_max // 2):
        shorter = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if not shorter:
            return False
        if len(shorter) == len(brackets):
            return True
        brackets = shorter
    return True


def _check_depth(value: Any, depth_max: int) -> None:
    level = [value]
    for _ in range(depth_max):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return
    if any(isinstance(one, (dict, list)) for one in level):
        _refuse(f"The body nests deeper than {depth_max} levels.")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _check_surrogates(value: Any, path: str) -> None:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            _refuse(f"The text at {path or 'the top'} holds half of a surrogate pair.")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            _check_surrogates(one, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, one in value.items():
            _check_surrogates(key, f"{path}, a key" if path else "a key")
            _check_surrogates(one, f"{path}.{_shown(key)}" if path else _shown(key))


def _shown(key: str) -> str:
    return quoted(key)[1:-1]
