"""Ids as callers see them: 64-bit unsigned integers written as decimal strings, stable across rebuilds and restores.

An id is a bijective mix of (scope number, kind, number within the scope), so it needs no column and no table, and
does not tell one partition how much another one holds. The mix is the finaliser of SplitMix64 (Steele, Lea and
Flood 2014), whose steps are invertible.
"""

from __future__ import annotations

from enum import IntEnum

from semurg.domain.errors import Refusal, quoted

_MASK = (1 << 64) - 1
_NUMBER_BITS = 33
_KIND_BITS = 3
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_FIRST_INVERSE = pow(_FIRST, -1, 1 << 64)
_SECOND_INVERSE = pow(_SECOND, -1, 1 << 64)


class Kind(IntEnum):
    """What an id names."""

    ENTITY = 1
    FACT = 2
    DOCUMENT = 3
    PASSAGE = 4


def encode_id(scope_number: int, kind: Kind, number: int) -> str:
    """The id of thing `number` of `kind` in the scope, as a decimal string."""
    mixed = (scope_number << (_NUMBER_BITS + _KIND_BITS)) | (kind << _NUMBER_BITS) | number
    mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _MASK
    return str(mixed ^ (mixed >> 31))


def decode_id(text: str) -> tuple[int, int, int]:
    """(scope number, kind, number) of an id. Raises Refusal id_invalid when it is no decimal 64-bit integer."""
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and int(text) <= _MASK):
        raise Refusal(
            "id_invalid", f"{quoted(text)} is not an id.", "Send the id exactly as a reply gave it: a decimal string."
        )
    mixed = int(text)
    mixed = _unshift(mixed, 31)
    mixed = (mixed * _SECOND_INVERSE) & _MASK
    mixed = _unshift(mixed, 27)
    mixed = (mixed * _FIRST_INVERSE) & _MASK
    mixed = _unshift(mixed, 30)
    number = mixed & ((1 << _NUMBER_BITS) - 1)
    kind = (mixed >> _NUMBER_BITS) & ((1 << _KIND_BITS) - 1)
    return mixed >> (_NUMBER_BITS + _KIND_BITS), kind, number


def _unshift(value: int, bits: int) -> int:
    """Inverse of value ^ (value >> bits) on 64 bits."""
    result = value
    for _ in range(64 // bits):
        result = value ^ (result >> bits)
    return result
