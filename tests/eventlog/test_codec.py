"""Events as stored: golden bytes of every kind and version decode, today's encoding is the golden one, old versions
are upcast step by step, and what this semurg does not know is refused by name.

Golden files are msgpack made from plain maps, not by the codec. A changed event gets a new file; the old one stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, get_args

import msgspec
import pytest

from semurg.domain.errors import Refusal
from semurg.domain.events import (
    ANY_EVENT,
    AssertionsCited,
    AttributeEpisode,
    AttributeForgotten,
    AttributeHistory,
    AttributesRecorded,
    DocumentsForgotten,
    DocumentsLabelled,
    DocumentsStored,
    EntitiesRecorded,
    EntityForgotten,
    Event,
    FactForgotten,
    FactsRecorded,
    NodeFounded,
    PassagesLinked,
    Redaction,
    ScopeForgotten,
    ScopeOpened,
    StoredDocument,
    StoredPassage,
    TokenIssued,
    TokenRevoked,
    UserDeleted,
)
from semurg.eventlog.codec import Codec, Erased, decode, encode, encoded_kind, kind_of

GOLDEN = Path(__file__).parent / "golden"
SALTED = [Redaction(4, bytes(range(32)))]

EVENTS: list[Event] = [
    NodeFounded("8f14e45f"),
    TokenIssued("ab12", "ci", True, "alice", True, ["team"], 1_767_225_600_000_000),
    TokenRevoked("ab12"),
    ScopeOpened("alice", "team", 3),
    EntitiesRecorded([1, 2], ["Dana", "Évi"], [5, -1], [1], ["Person"]),
    AssertionsCited([1, 2], ["crm", None], ["2026-05", None]),
    DocumentsStored(
        [
            StoredDocument(
                5,
                bytes(range(16)),
                "content",
                9,
                [StoredPassage(7, 0, "Dana. Évi", [0, 6], [1, 0, 4, 2, 6, 9], "2026-05-17", "row 1")],
                "2026",
                "mail",
            )
        ]
    ),
    DocumentsLabelled([5], ["crm"]),
    PassagesLinked([7], [2], [6], [9]),
    FactsRecorded(
        ["WORKS_AT"], [1], [1], [0], [2], [1], [-1], [-(2**63)], [2**63 - 1], [7], [0], [4], [1], [1], [-1], [2**63 - 1]
    ),
    AttributesRecorded([AttributeHistory(1, False, 2, "role", [AttributeEpisode(-(2**63), 2**63 - 1, '"x"', -1)])]),
    EntityForgotten("aa", 1, [1], [7], [5], SALTED, [3, 2, 6, 8, 3, 2]),
    FactForgotten("bb", 1, SALTED, [3, 2, 6, 8, 3, 2]),
    DocumentsForgotten("cc", [5], [7], "dd", [6], [1], SALTED, [3, 2, 6, 8, 3, 2]),
    AttributeForgotten("ee", 1, SALTED, [3, 2, 6, 8, 3, 2]),
    ScopeForgotten(3, SALTED, [3, 2, 6, 8, 3, 2]),
    UserDeleted("ff", ["ab12"], SALTED),
]
CURRENT = {kind_of(type(event)): event for event in EVENTS}


def test_every_kind_of_event_has_a_sample_and_a_golden_file_of_every_version() -> None:
    assert [type(event) for event in EVENTS] == list(get_args(ANY_EVENT))
    wanted = {f"{kind}.v{version}" for kind, event in CURRENT.items() for version in range(1, event.VERSION + 1)}
    assert {path.stem for path in GOLDEN.glob("*.msgpack")} == wanted


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.msgpack")), ids=lambda path: path.stem)
def test_golden_bytes_decode_to_the_event_they_were(path: Path) -> None:
    kind, _, version = path.stem.partition(".v")
    assert decode(kind, int(version), path.read_bytes()) == CURRENT[kind]


@pytest.mark.parametrize("kind", CURRENT)
def test_todays_encoding_is_the_golden_one(kind: str) -> None:
    event = CURRENT[kind]
    encoded = encode(event)
    assert encoded == (kind, event.VERSION, (GOLDEN / f"{kind}.v{event.VERSION}.msgpack").read_bytes())
    assert encoded_kind(encoded.payload) == kind


def test_fields_at_their_default_take_no_room_and_come_back() -> None:
    encoded = encode(EntitiesRecorded())
    assert msgspec.msgpack.decode(encoded.payload) == {"event": "entities_recorded"}
    assert decode(*encoded) == EntitiesRecorded()


class _Moved(Event, frozen=True, tag="moved"):
    """Version 1 said `place`, version 2 renamed it `city`, version 3 made it a list."""

    VERSION: ClassVar[int] = 3
    cities: list[str]


MOVED = Codec(
    (_Moved,),
    {
        ("moved", 1): lambda fields: {"event": fields["event"], "city": fields["place"]},
        ("moved", 2): lambda fields: {"event": fields["event"], "cities": [fields["city"]]},
    },
)


@pytest.mark.parametrize(
    ("version", "fields"), [(1, {"place": "Oslo"}), (2, {"city": "Oslo"}), (3, {"cities": ["Oslo"]})]
)
def test_every_older_version_is_upcast_step_by_step(version: int, fields: dict[str, object]) -> None:
    payload = msgspec.msgpack.encode({"event": "moved", **fields})
    assert MOVED.decode("moved", version, payload) == _Moved(["Oslo"])


def test_a_version_without_its_upcaster_is_found_at_once() -> None:
    with pytest.raises(ValueError, match="moved"):
        Codec((_Moved,), {})


@pytest.mark.parametrize(("kind", "version"), [("scope_opened", 2), ("dream_dreamt", 1)])
def test_what_a_later_semurg_wrote_is_refused_as_newer(kind: str, version: int) -> None:
    with pytest.raises(Refusal) as refused:
        decode(kind, version, msgspec.msgpack.encode({"event": kind}))
    assert refused.value.code == "log_newer"
    assert kind in refused.value.detail


@pytest.mark.parametrize(
    "payload",
    [
        b"\xc1",
        msgspec.msgpack.encode({"event": "scope_forgotten", "number": "secret"}),
        msgspec.msgpack.encode({"event": "scope_opened", "user": "", "scope": "secret", "number": 1}),
    ],
    ids=["no msgpack", "a wrong type", "another kind"],
)
def test_bytes_that_are_no_such_event_are_refused_without_their_content(payload: bytes) -> None:
    with pytest.raises(Refusal) as refused:
        decode("scope_forgotten", 1, payload)
    assert refused.value.code == "log_corrupt"
    assert "secret" not in str(refused.value)


def test_an_erased_payload_reads_as_erased_whatever_it_was() -> None:
    assert decode("documents_stored", 0, b"") == Erased("documents_stored")
