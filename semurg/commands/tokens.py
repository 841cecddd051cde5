"""Issuing and revoking tokens: what a call asks, judged against the tokens in use, as the event that records it.

Called by semurg/administration.py, one change at a time. Pure: the clock's instant and the secret are given. A token in
use is one that is not revoked; an expired one still holds its name, so that a list says whose it was.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import TokenIssued, TokenRevoked
from semurg.domain.instants import format_instant, parse_date
from semurg.domain.limits import TOKEN_SCOPES_MAX
from semurg.domain.names import clean_label, clean_scope, clean_user

SECRET_PREFIX = "semurg_"
DIGEST_SHOWN = 12
DIGEST_PREFIX_MIN = 4
RESERVED_NAMES = frozenset(["owner", "node", "unknown"])

_DURATION = re.compile(r"([1-9][0-9]{0,8})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_DIGEST = re.compile(rf"[0-9a-f]{{{DIGEST_PREFIX_MIN},64}}")
_LAST_INSTANT = parse_date("9999-12-31", "expires").end
_EXPIRES_FIX = "Send an instant to come, such as 2030-01-31T12:00:00Z, or a time from now: 90m, 12h, 30d, 8w."


class TokenInUse(Protocol):
    """What is known of a token that is not revoked. Instants in µs."""

    @property
    def digest(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def owner(self) -> bool: ...
    @property
    def user(self) -> str | None: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def scopes(self) -> tuple[str, ...] | None: ...
    @property
    def expires_at(self) -> int | None: ...
    @property
    def issued_at(self) -> int: ...


def digest_of(secret: str) -> str:
    """SHA-256 of a token's secret, hex: all that is ever stored of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def issue(fields: Mapping[str, Any], tokens: Sequence[TokenInUse], now: int, secret: str) -> TokenIssued:
    """The event that grants what token_create asks for to the bearer of `secret`.

    Raises Refusal: token_name_taken, scope_invalid, user_id_invalid, date_invalid, field_invalid, limit_exceeded and
    those of a label.
    """
    digest = digest_of(secret)
    user, scopes, expires = fields.get("user_id"), fields.get("scopes"), fields.get("expires")
    return TokenIssued(
        digest=digest,
        name=_name(fields.get("name"), digest, tokens),
        user=None if user is None else clean_user(user),
        read_only=bool(fields.get("read_only")),
        scopes=None if scopes is None else _scopes(scopes),
        expires_at=None if expires is None else _expiry(expires, now),
    )


def _name(given: str | None, digest: str, tokens: Sequence[TokenInUse]) -> str:
    if given is None:
        return f"token-{digest[:DIGEST_SHOWN]}"
    name = clean_label(given, "name")
    if name.casefold() in RESERVED_NAMES or any(token.name == name for token in tokens):
        raise Refusal(
            "token_name_taken",
            f"A token in use has the name {quoted(name)}, or nothing but the node itself may have it.",
            "Choose another name, or revoke that token first.",
            field="name",
        )
    return name


def _scopes(given: Sequence[str]) -> list[str]:
    if not given:
        raise Refusal(
            "field_invalid",
            "scopes is an empty list.",
            "Name a scope, or leave scopes out for all of them.",
            field="scopes",
        )
    if len(given) > TOKEN_SCOPES_MAX:
        raise Refusal(
            "limit_exceeded",
            f"scopes has {len(given):,} items; at most {TOKEN_SCOPES_MAX} are taken.",
            "Leave scopes out for all of them.",
            field="scopes",
            limit=TOKEN_SCOPES_MAX,
        )
    return list(dict.fromkeys(clean_scope(scope, f"scopes[{index}]") for index, scope in enumerate(given)))


def _expiry(given: str, now: int) -> int:
    """The first instant at which the token is refused: `given` from now, or then; a day counts to its end."""
    duration = _DURATION.fullmatch(given)
    if duration is not None:
        expires_at = now + int(duration[1]) * _SECONDS[duration[2]] * 1_000_000
    else:
        date = parse_date(given, "expires")
        expires_at = date.end if date.start == date.end else date.end + 1
    if expires_at <= now:
        raise _expires_refused(given, "is past")
    if expires_at > _LAST_INSTANT:
        raise _expires_refused(given, "is after the year 9999")
    return expires_at


def _expires_refused(given: str, why: str) -> Refusal:
    return Refusal("field_invalid", f"expires: {quoted(given)} {why}.", _EXPIRES_FIX, field="expires")


def find(wanted: str, tokens: Sequence[TokenInUse]) -> TokenInUse:
    """The token in use with this name, or whose digest begins so. Raises Refusal not_found, token_ambiguous."""
    prefix = wanted.casefold()
    by_digest = _DIGEST.fullmatch(prefix) is not None
    found = [token for token in tokens if token.name == wanted or (by_digest and token.digest.startswith(prefix))]
    if not found:
        raise Refusal(
            "not_found",
            f"No token in use has the name {quoted(wanted)} or a digest that begins so.",
            f"Look for it in the list of tokens; a digest takes at least {DIGEST_PREFIX_MIN} digits.",
        )
    if len(found) > 1:
        raise Refusal(
            "token_ambiguous",
            f"{quoted(wanted)} means {len(found)} tokens.",
            "Send more digits of the digest of the one that is meant.",
            digests=[token.digest[: max(DIGEST_SHOWN, len(wanted) + 4)] for token in found],
        )
    return found[0]


def revoke(wanted: str, tokens: Sequence[TokenInUse]) -> tuple[TokenRevoked, TokenInUse]:
    """The event that ends the token, and the token. Raises Refusal as `find`, and token_is_owner."""
    token = find(wanted, tokens)
    if token.owner:
        raise Refusal(
            "token_is_owner",
            "The owner token cannot be revoked.",
            "Stop the node, delete SEMURG_API_TOKEN from its semurg.env and start it: it makes a new owner token.",
        )
    return TokenRevoked(token.digest), token


def described(token: TokenInUse, now: int) -> dict[str, Any]:
    """A token as lists show it, never its secret."""
    access = "owner" if token.owner else "read" if token.read_only else "write"
    return {
        "name": token.name,
        "digest": token.digest[:DIGEST_SHOWN],
        "user_id": token.user,
        "scopes": None if token.scopes is None else list(token.scopes),
        "access": access,
        "issued_at": format_instant(token.issued_at),
        "expires_at": None if token.expires_at is None else format_instant(token.expires_at),
        "expired": token.expires_at is not None and now >= token.expires_at,
    }
