"""Where a page of recall stopped, as an opaque token that the node signs and keeps nowhere.

A cursor does not count items: it says, for each relation, which fact was shown last. A page that follows goes on
behind it, so that what is forgotten between two pages moves nothing past the reader, and what is written meanwhile
does not show (the instants of the first page are pinned).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

import msgspec

from semurg.domain.errors import Refusal
from semurg.domain.visibility import At
from semurg.queries.instants import ReadInstants

_SIGNATURE_BYTES = 16
_FINGERPRINT_BYTES = 16
_FORMAT = 1
NAME_CHARS_MAX = 64


class GroupMark(msgspec.Struct, frozen=True, array_like=True):
    """How far one relation was shown: `shown` facts, the last of them by recency, other end's name and numbers.

    The name is cut at NAME_CHARS_MAX; the numbers are (fact, 0), or (source, target) of a derived fact.
    """

    derived: bool
    relation: str
    shown: int
    recency: int
    name: str
    first: int
    second: int


class PassageMark(msgspec.Struct, frozen=True, array_like=True):
    """The last passage shown: its instant and its number."""

    recency: int
    number: int


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """A page's end: the scope's number, the pinned instants, the stage that found the seeds, and what was shown.

    `asked` are the instants as the first call asked for them. `seeds` are the entities of the stage as found by the
    first page, of `matched` in all; `entities` of them were shown as items, and `items` items of every kind. `passage`
    is None while no passage was shown.
    """

    scope: int
    known: int
    true: int
    asked: ReadInstants
    stage: str
    seeds: list[int]
    matched: int
    entities: int
    items: int
    groups: list[GroupMark]
    passage: PassageMark | None = None

    @property
    def at(self) -> At:
        """The instants of the first page."""
        return At(self.known, self.true)


def fingerprint(*parts: object) -> bytes:
    """16 bytes that stand for what a cursor belongs to: partition, scope, subject or attribute."""
    return hashlib.blake2b(msgspec.msgpack.encode(parts), digest_size=_FINGERPRINT_BYTES).digest()


def write_cursor(cursor: Cursor, belongs_to: bytes, key: bytes) -> str:
    """The token for a cursor. Only this node can make one, and it goes on with nothing but `belongs_to`."""
    payload = bytes([_FORMAT]) + msgspec.msgpack.encode(cursor)
    return _token(_signature(payload, belongs_to, key) + payload)


def read_cursor(token: str, belongs_to: bytes, key: bytes) -> Cursor:
    """The cursor of a token. Raises Refusal cursor_invalid for one that is not ours or belongs to another read."""
    try:
        raw = base64.b64decode(token.encode("ascii") + b"=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _invalid() from None
    signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    if not payload or not hmac.compare_digest(signature, _signature(payload, belongs_to, key)):
        raise _invalid()
    if payload[0] != _FORMAT or _token(raw) != token:
        raise _invalid()
    try:
        return msgspec.msgpack.decode(payload[1:], type=Cursor)
    except msgspec.DecodeError:
        raise _invalid() from None


def _token(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _signature(payload: bytes, belongs_to: bytes, key: bytes) -> bytes:
    return hmac.digest(key, belongs_to + payload, "sha256")[:_SIGNATURE_BYTES]


def _invalid() -> Refusal:
    return Refusal(
        "cursor_invalid",
        "The cursor was not given by this node for this scope and this subject or attribute.",
        "Send the cursor as `next` gave it, with the fields of the call that gave it, or leave it out to begin again.",
    )
