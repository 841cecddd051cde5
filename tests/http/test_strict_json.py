"""JSON has one meaning or is refused: every body that two readers could read differently is bad_json."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from semurg.api.strict_json import loads
from semurg.domain.errors import Refusal
from semurg.domain.values import Number
from tests.conftest import counts_of

BROKEN: dict[str, bytes] = {
    "nothing": b"",
    "white space alone": b" \n",
    "cut off": b'{"a": ',
    "a trailing comma": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "text after it": b'{"a": 1} x',
    "two documents": b"{}{}",
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": Infinity}',
    "minus Infinity": b'{"a": -Infinity}',
    "a leading zero": b'{"a": 01}',
    "a bare fraction": b'{"a": .5}',
    "a byte that is no UTF-8": b'{"a": "\xc3\x28"}',
    "an overlong encoding": b'{"a": "\xc0\xaf"}',
    "an encoded surrogate": b'{"a": "\xed\xa0\x80"}',
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "UTF-16 with a mark": '{"a": 1}'.encode("utf-16"),
    "UTF-16 without a mark": '{"a": 1}'.encode("utf-16-le"),
    "gzip": b"\x1f\x8b\x08\x00\x00garbage",
    "a raw control character": b'{"a": "x\x01y"}',
    "a raw NUL": b'{"a": "x\x00y"}',
    "a lone high surrogate": b'{"a": "\\ud800"}',
    "a lone low surrogate": b'{"a": "\\uDC00 b"}',
    "a lone surrogate in a key": b'{"\\ud800": 1}',
    "surrogates the wrong way round": b'{"a": "\\udc00\\ud800"}',
    "a key twice": b'{"a": 1, "a": 1}',
    "a key twice, deeper": b'{"a": [{"b": {"c": 1, "d": 2, "c": 3}}]}',
    "a key twice by escape": b'{"a": 1, "\\u0061": 2}',
    "an integer of 10,000 digits": b'{"a": ' + b"9" * 10_000 + b"}",
    "a million brackets": b"[" * 1_000_000,
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_a_body_that_is_not_strict_json_is_refused(body: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        loads(body)
    assert caught.value.code == "bad_json"


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_the_node_answers_such_a_body_with_400_and_stores_nothing(client: httpx.Client, body: bytes) -> None:
    reply = client.post("/v1/memory/remember", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 400
    assert reply.json()["error"] == "bad_json"
    assert counts_of(client) is None


def _nested(depth: int, kind: str) -> bytes:
    opening, closing = {"lists": ("[", "]"), "objects": ('{"a":', "}")}.get(kind, ('[{"a":', "}]"))
    times = depth if kind != "both" else depth // 2
    rest = "[]" if kind == "both" and depth % 2 else "1"
    return (opening * times + rest + closing * times).encode()


@pytest.mark.parametrize("kind", ["lists", "objects", "both"])
def test_nesting_of_64_levels_is_read_and_of_65_refused(kind: str) -> None:
    assert loads(_nested(64, kind)) is not None
    with pytest.raises(Refusal) as caught:
        loads(_nested(65, kind))
    assert "64" in caught.value.detail


def test_an_empty_list_at_the_65th_level_counts_as_a_level() -> None:
    with pytest.raises(Refusal):
        loads(b"[" * 65 + b"]" * 65)


def test_brackets_inside_strings_are_no_levels() -> None:
    body = json.dumps({"a": "[{" * 500, "b": ["]}" * 500] * 3}).encode()
    assert loads(body)["a"] == "[{" * 500


def test_numbers_keep_the_digits_that_were_sent() -> None:
    value = loads(b'{"a": 0.50, "b": 1e5, "c": -9223372036854775809, "d": 1.0E+2, "e": 7}')
    assert value == {"a": "0.50", "b": "1e5", "c": -9223372036854775809, "d": "1.0E+2", "e": 7}
    assert [type(value[key]) for key in "abcde"] == [Number, Number, int, Number, int]


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
        (b'"\\\\ud800"', "\\ud800"),
        (b' \r\n\t{"a":\t1}\n', {"a": 1}),
        (b'"\\u0000"', "\0"),
        (b"-0", 0),
        ('{"ключ": "值"}'.encode(), {"ключ": "值"}),
        (b"[[], {}, null, true, false]", [[], {}, None, True, False]),
    ],
)
def test_what_is_json_is_read(body: bytes, value: Any) -> None:
    assert loads(body) == value


def test_a_refusal_says_where() -> None:
    with pytest.raises(Refusal) as syntax:
        loads(b'{"a": 1,\n "b" 2}')
    assert "line 2, column 6" in syntax.value.detail
    with pytest.raises(Refusal) as surrogate:
        loads(b'{"facts": {"entities": [{"name": "\\ud800"}]}}')
    assert "facts.entities[0].name" in surrogate.value.detail
    with pytest.raises(Refusal) as twice:
        loads(b'{"scope": "a", "scope": "b"}')
    assert "'scope'" in twice.value.detail
