"""Issuing and revoking tokens, judged against those in use: names, ends, digests."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from semurg.commands.tokens import described, digest_of, find, issue, revoke
from semurg.domain.errors import Refusal
from semurg.domain.events import TokenIssued, TokenRevoked

NOON = 1_764_590_400_000_000  # 2025-12-01T12:00:00Z
SECOND, HOUR, DAY = 1_000_000, 3_600_000_000, 86_400_000_000


class Known(NamedTuple):
    """A token in use."""

    name: str = "ci"
    digest: str = "ab" * 32
    owner: bool = False
    user: str | None = None
    read_only: bool = False
    scopes: tuple[str, ...] | None = None
    expires_at: int | None = None
    issued_at: int = NOON


def issued(*tokens: Known, **fields: Any) -> TokenIssued:
    return issue(fields, tokens, NOON, "secret")


def code_of(error: pytest.ExceptionInfo[Refusal]) -> str:
    return error.value.code


def test_a_token_grants_what_was_asked_for_and_keeps_its_digest_alone() -> None:
    event = issued(name="ci", user_id="alice", scopes=["a", "b", "a"], read_only=True, expires="30d")
    assert event == TokenIssued(
        digest=digest_of("secret"),
        name="ci",
        user="alice",
        read_only=True,
        scopes=["a", "b"],
        expires_at=NOON + 30 * DAY,
    )
    assert not event.owner


def test_a_token_asked_for_plainly_writes_everywhere_for_good_under_a_name_of_its_own() -> None:
    event = issued()
    assert (event.user, event.scopes, event.read_only, event.expires_at) == (None, None, False, None)
    assert event.name == f"token-{digest_of('secret')[:12]}"


@pytest.mark.parametrize(
    ("given", "expires_at"),
    [
        ("1s", NOON + SECOND),
        ("90m", NOON + 90 * 60 * SECOND),
        ("12h", NOON + 12 * HOUR),
        ("30d", NOON + 30 * DAY),
        ("8w", NOON + 56 * DAY),
        ("2025-12-01T12:00:01Z", NOON + SECOND),
        ("2025-12-01T14:00:00+01:00", NOON + HOUR),
        # a whole day counts to its end: it was noon, so twelve hours are left
        ("2025-12-01", NOON + 12 * HOUR),
        ("2025-12-02", NOON + 36 * HOUR),
    ],
)
def test_an_end_is_a_time_from_now_or_an_instant(given: str, expires_at: int) -> None:
    assert issued(expires=given).expires_at == expires_at


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("2025-12-01T12:00:00Z", "field_invalid"),
        ("2025-11-30", "field_invalid"),
        ("999999999w", "field_invalid"),
        ("0d", "date_invalid"),
        ("-1d", "date_invalid"),
        ("30", "date_invalid"),
        ("30 d", "date_invalid"),
        ("30D", "date_invalid"),
        ("tomorrow", "date_invalid"),
        ("", "date_invalid"),
    ],
)
def test_an_end_that_is_past_or_makes_no_sense_is_refused(given: str, code: str) -> None:
    with pytest.raises(Refusal) as error:
        issued(expires=given)
    assert code_of(error) == code


@pytest.mark.parametrize("name", ["ci", "owner", "Owner", "node", "unknown"])
def test_a_name_in_use_or_kept_for_the_node_is_refused(name: str) -> None:
    with pytest.raises(Refusal) as error:
        issued(Known("ci"), name=name)
    assert code_of(error) == "token_name_taken"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "a\nb"}, "control_character"),
        ({"scopes": []}, "field_invalid"),
        ({"scopes": ["a", ""]}, "scope_invalid"),
        ({"scopes": [str(number) for number in range(257)]}, "limit_exceeded"),
        ({"user_id": "a:b"}, "user_id_invalid"),
        ({"user_id": ""}, "user_id_invalid"),
    ],
)
def test_grants_that_cannot_be_are_refused_by_name(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(Refusal) as error:
        issued(**fields)
    assert code_of(error) == code


def test_256_scopes_are_taken() -> None:
    assert len(issued(scopes=[str(number) for number in range(256)]).scopes or ()) == 256


def test_a_token_is_found_by_its_name_or_by_the_first_digits_of_its_digest() -> None:
    first, second = Known("one", "abcd1" + "0" * 59), Known("two", "abcd2" + "0" * 59)
    both = [first, second]
    assert find("one", both) is first
    assert find("abcd2", both) is second
    assert find("ABCD2", both) is second
    assert find(second.digest, both) is second


def test_digits_that_begin_two_digests_are_refused_and_both_are_told_apart() -> None:
    both = [Known("one", "abcd1" + "0" * 59), Known("two", "abcd2" + "0" * 59)]
    with pytest.raises(Refusal) as error:
        find("abcd", both)
    assert code_of(error) == "token_ambiguous"
    assert error.value.fields["digests"] == ["abcd10000000", "abcd20000000"]


def test_a_name_that_begins_anothers_digest_is_refused() -> None:
    both = [Known("beef", "1" * 64), Known("two", "beef" + "0" * 60)]
    with pytest.raises(Refusal) as error:
        revoke("beef", both)
    assert code_of(error) == "token_ambiguous"


@pytest.mark.parametrize("wanted", ["three", "", "abc", "ab" * 32 + "a", "ONE"])
def test_what_names_no_token_is_not_found(wanted: str) -> None:
    with pytest.raises(Refusal) as error:
        find(wanted, [Known("one", "ab" * 32)])
    assert code_of(error) == "not_found"


def test_revoking_names_the_digest_and_the_owners_token_is_spared() -> None:
    one = Known("one", "cd" * 32)
    assert revoke("one", [one]) == (TokenRevoked("cd" * 32), one)
    with pytest.raises(Refusal) as error:
        revoke("owner", [Known("owner", owner=True)])
    assert code_of(error) == "token_is_owner"


def test_a_list_shows_the_grant_and_twelve_digits_of_the_digest() -> None:
    shown = described(Known(user="alice", scopes=("a",), read_only=True, expires_at=NOON + DAY), NOON + DAY)
    assert shown == {
        "name": "ci",
        "digest": "abababababab",
        "user_id": "alice",
        "scopes": ["a"],
        "access": "read",
        "issued_at": "2025-12-01T12:00:00Z",
        "expires_at": "2025-12-02T12:00:00Z",
        "expired": True,
    }
