"""Events as bytes and back, whatever version of their schema they were written in.

Fields are msgpack maps by name (https://msgpack.org), so that a field can be added; lists inside events are arrays.
A changed event class raises its VERSION and adds one upcaster here: a function from the fields of the version before.
Pure; called by the log alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast, get_args

import msgspec

from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import ANY_EVENT, Event

Fields = dict[str, Any]
Upcaster = Callable[[Fields], Fields]

ERASED_VERSION = 0
ERASED_PAYLOAD = b""


class Erased(Event, frozen=True, tag="erased"):
    """What reads back where a redaction left nothing. `kind` is that of the event that was there. Never appended."""

    kind: str


class Encoded(NamedTuple):
    """An event as it is stored: its kind, the version of its schema, and its fields."""

    kind: str
    version: int
    payload: bytes


UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(kind, version) → the fields of version + 1. Every version below a class's VERSION has one."""


class Codec:
    """Encodes and decodes the events of some classes. `encode` and `decode` below are those over ANY_EVENT."""

    def __init__(self, classes: tuple[type[Event], ...], upcasters: Mapping[tuple[str, int], Upcaster]) -> None:
        self._kinds = {kind_of(each): each for each in classes}
        self._upcasters = upcasters
        self._encoder = msgspec.msgpack.Encoder()
        self._encoded_as = {each: (kind, each.VERSION) for kind, each in self._kinds.items()}
        self._decoders = {
            (kind, each.VERSION): msgspec.msgpack.Decoder(each).decode for kind, each in self._kinds.items()
        }
        missing = [
            (kind, version)
            for kind, each in self._kinds.items()
            for version in range(1, each.VERSION)
            if (kind, version) not in upcasters
        ]
        if missing:
            raise ValueError(f"no upcaster for {missing}")

    def encode(self, event: Event) -> Encoded:
        """The stored form of an event. Raises KeyError for a class that is none of the codec's."""
        kind, version = self._encoded_as[type(event)]
        return Encoded(kind, version, self._encoder.encode(event))

    def decode(self, kind: str, version: int, payload: bytes) -> Event:
        """The event, upcast to today's schema.

        Raises Refusal log_newer for a kind or version that a later semurg wrote, log_corrupt for bytes that are no
        such event.
        """
        decode = self._decoders.get((kind, version))
        try:
            return decode(payload) if decode is not None else self._decode_other(kind, version, payload)
        except msgspec.MsgspecError as error:
            raise Refusal(
                "log_corrupt",
                f"A stored event of kind {quoted(kind)} cannot be read: {type(error).__name__}.",
                "Restore the data directory from a backup.",
            ) from error

    def _decode_other(self, kind: str, version: int, payload: bytes) -> Event:
        if version == ERASED_VERSION:
            return Erased(kind)
        known = self._kinds.get(kind)
        if known is None or version > known.VERSION:
            raise Refusal(
                "log_newer",
                f"The log holds an event of kind {quoted(kind)}, version {version}, which this semurg does not know.",
                "Open this data directory with the newer semurg that wrote it.",
            )
        fields: Fields = msgspec.msgpack.decode(payload)
        for step in range(version, known.VERSION):
            fields = self._upcasters[kind, step](fields)
        return msgspec.convert(fields, known)


class _Tagged(msgspec.Struct):
    event: str


def kind_of(event: type[Event]) -> str:
    """The kind under which events of a class are stored: the class's tag."""
    return cast(str, event.__struct_config__.tag)


def encoded_kind(payload: bytes) -> str:
    """The kind that encoded fields carry in themselves."""
    return msgspec.msgpack.decode(payload, type=_Tagged).event


REDACTING_KINDS = frozenset(kind_of(each) for each in get_args(ANY_EVENT) if "redactions" in each.__struct_fields__)
"""The kinds of forget events. They are never redacted: the chain checks rewritten payloads by what they list."""

_CODEC = Codec(get_args(ANY_EVENT), UPCASTERS)
encode = _CODEC.encode
decode = _CODEC.decode
