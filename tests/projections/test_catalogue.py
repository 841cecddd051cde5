"""What the node knows across scopes."""

from __future__ import annotations

from semurg.domain.events import (
    EntitiesRecorded,
    Event,
    NodeFounded,
    ScopeForgotten,
    ScopeOpened,
    TokenIssued,
    TokenRevoked,
    UserDeleted,
)
from semurg.projections.catalogue import Catalogue


def catalogue_of(*events: tuple[str, Event]) -> Catalogue:
    catalogue, versions = Catalogue(), dict[str, int]()
    for position, (stream, event) in enumerate(events, 1):
        versions[stream] = versions.get(stream, 0) + 1
        catalogue.apply(event, stream, versions[stream], position, position * 10)
    return catalogue


def test_scopes_are_found_by_partition_and_name_and_listed_by_name() -> None:
    catalogue = catalogue_of(
        ("s1", ScopeOpened("", "b", 1)), ("s2", ScopeOpened("ann", "b", 2)), ("s3", ScopeOpened("", "a", 3))
    )
    entry = catalogue.entry("", "b")
    assert entry is not None
    assert tuple(entry) == ("s1", "", "b", 1, 10, 1)
    assert [one.scope for one in catalogue.scopes_of("")] == ["a", "b"]
    assert [one.stream for one in catalogue.scopes_of("ann")] == ["s2"]
    assert catalogue.entry("ann", "a") is None
    assert catalogue.scopes_of("nobody") == []
    assert (len(catalogue), catalogue.next_number) == (3, 4)


def test_a_forgotten_scope_leaves_its_hash_and_its_number_is_never_used_again() -> None:
    # a redaction took the opening out of the log: only the forget still knows the number
    catalogue = catalogue_of(("s1", EntitiesRecorded()), ("s1", ScopeForgotten(8)))
    assert catalogue.was_forgotten("s1")
    assert not catalogue.was_forgotten("s2")
    assert catalogue.next_number == 9


def test_a_scope_that_is_forgotten_is_no_longer_listed_until_it_is_opened_again() -> None:
    events = (("s1", ScopeOpened("ann", "a", 1)), ("s1", ScopeForgotten(1)))
    catalogue = catalogue_of(*events)
    assert catalogue.entry("ann", "a") is None
    assert catalogue.scopes_of("ann") == []
    assert catalogue.entry_of("s1") is None
    again = catalogue_of(*events, ("s1", ScopeOpened("ann", "a", 2))).entry("ann", "a")
    assert again is not None
    assert again.number == 2


def test_a_stream_stands_at_its_last_event() -> None:
    catalogue = catalogue_of(
        ("s1", ScopeOpened("", "a", 1)), ("s2", ScopeOpened("", "b", 2)), ("s1", EntitiesRecorded())
    )
    assert (catalogue.version_of("s1"), catalogue.position_of("s1")) == (2, 3)
    assert catalogue.head("s1").recorded_at == 30
    assert (catalogue.version_of("s9"), catalogue.position_of("s9")) == (0, 0)


def test_tokens_are_in_use_until_revoked() -> None:
    issued = TokenIssued("d1", "laptop", user="ann", read_only=True, scopes=["a"])
    catalogue = catalogue_of(
        ("node", NodeFounded("abc")),
        ("node", TokenIssued("d0", "owner", owner=True)),
        ("node", issued),
        ("node", TokenRevoked("d0")),
    )
    assert catalogue.node == "abc"
    assert catalogue.token("d0") is None
    token = catalogue.token("d1")
    assert token is not None
    assert (token.name, token.user, token.read_only, token.scopes, token.issued_at) == (
        "laptop",
        "ann",
        True,
        ("a",),
        30,
    )
    assert catalogue.tokens() == [token]


def test_resetting_a_stream_takes_back_what_its_events_said_and_no_more() -> None:
    catalogue = catalogue_of(
        ("node", NodeFounded("abc")),
        ("node", TokenIssued("d0", "owner")),
        ("s1", ScopeOpened("", "a", 1)),
        ("s2", ScopeOpened("", "b", 2)),
    )
    catalogue.reset("s1")
    assert catalogue.entry("", "a") is None
    assert catalogue.version_of("s1") == 0
    assert catalogue.entry("", "b") is not None
    assert catalogue.token("d0") is not None
    catalogue.reset("node")
    assert (catalogue.node, catalogue.tokens()) == (None, [])


def test_a_deleted_user_leaves_a_hash_and_no_token_of_any_time() -> None:
    events = (
        ("node", TokenIssued("d1", "phone", user="ann")),
        ("node", TokenIssued("d2", "desk", user="ann")),
        ("node", TokenRevoked("d2")),
        ("node", TokenIssued("d3", "lamp", user="ben")),
    )
    catalogue = catalogue_of(*events)
    assert [(token.digest, token.position) for token in catalogue.issued_to("ann")] == [("d1", 1), ("d2", 2)]
    catalogue = catalogue_of(*events, ("node", UserDeleted("hash of ann", ["d1", "d2"])))
    assert catalogue.issued_to("ann") == [] and catalogue.token("d1") is None
    assert [token.name for token in catalogue.issued()] == ["lamp"]
    assert catalogue.was_deleted("hash of ann") and not catalogue.was_deleted("hash of ben")
    catalogue.reset("node")
    assert not catalogue.was_deleted("hash of ann")
