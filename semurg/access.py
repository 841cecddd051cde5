"""Who may do what, where: a caller is a token's grants, checked against the partition and scope of a call."""

from __future__ import annotations

from typing import NamedTuple

from semurg.commands.tokens import TokenInUse
from semurg.domain.errors import Refusal, quoted
from semurg.domain.names import clean_scope, clean_user


class Caller(NamedTuple):
    """An authenticated caller. `user` is the end user the token is pinned to; `scopes` None means every scope."""

    identity: str
    name: str
    user: str | None
    access: str
    scopes: tuple[str, ...] | None
    token_digest: str | None

    @classmethod
    def of(cls, token: TokenInUse) -> Caller:
        """The caller that holds this token."""
        if token.owner:
            return cls("owner", token.name, None, "owner", None, token.digest)
        access = "read" if token.read_only else "write"
        return cls("token", token.name, token.user, access, token.scopes, token.digest)

    def body(self) -> dict[str, object]:
        """The reply of GET /v1/whoami."""
        return {
            "identity": self.identity,
            "name": self.name,
            "user_id": self.user,
            "access": self.access,
            "scopes": None if self.scopes is None else list(self.scopes),
        }


OWNER = Caller("owner", "owner", None, "owner", None, None)


def resolve_user(caller: Caller, user: str | None) -> str:
    """The partition of a call: "" is the owner's own. Raises Refusal user_mismatch for another's than the token's."""
    if user is not None:
        clean_user(user, "user_id")
    if caller.user is None:
        return user or ""
    if user is not None and user != caller.user:
        raise Refusal(
            "user_mismatch",
            f"The token is pinned to another end user than {quoted(user)}.",
            "Leave user_id out, or use that user's own token.",
        )
    return caller.user


def place_of(caller: Caller, scope: str | None, user: str | None) -> tuple[str, str]:
    """The partition and the scope of a call. Raises Refusal scope_required, and those of either."""
    if scope is None:
        raise Refusal(
            "scope_required", "The call names no scope.", "Send scope in the body, or the X-Semurg-Scope header."
        )
    return resolve_user(caller, user), clean_scope(scope, "scope")


def require_read(caller: Caller, scope: str | None) -> None:
    """Raise Refusal scope_not_granted when the token does not cover the scope."""
    if scope is not None and caller.scopes is not None and scope not in caller.scopes:
        raise Refusal(
            "scope_not_granted",
            f"The token does not cover the scope {quoted(scope)}.",
            "Use a scope that GET /v1/whoami lists, or another token.",
        )


def require_write(caller: Caller, scope: str | None) -> None:
    """Raise Refusal when the token may not write in the scope."""
    require_read(caller, scope)
    if caller.access == "read":
        raise Refusal("read_only_token", "The token is read-only.", "Use a token that may write.")


def require_owner(caller: Caller) -> None:
    """Raise Refusal owner_only for anyone but the owner."""
    if caller.access != "owner":
        raise Refusal("owner_only", "This is the owner's alone.", "Use the owner token, which semurg.env holds.")


def admit(caller: Caller, verb: str, owner_only: bool, writes: bool) -> None:
    """What the token alone forbids, whatever the call says: told before the shape of the call is looked at.

    Raises Refusal owner_only, read_only_token, scope_not_granted.
    """
    if owner_only:
        require_owner(caller)
    elif writes:
        require_write(caller, None)
    if verb == "delete_user":
        _require_every_scope(caller)


def _require_every_scope(caller: Caller) -> None:
    if caller.scopes is not None:
        raise Refusal(
            "scope_not_granted",
            "The token covers some scopes; deleting an end user takes all of them.",
            "Use a token that is not limited to scopes.",
        )


def place_of_write(verb: str, caller: Caller, scope: str | None, user: str | None) -> tuple[str, str]:
    """The partition and the scope that a write is for, "" as the scope of delete_user. Raises Refusal.

    Deleting takes an explicit user, also from a token that is pinned to one, and a token for every scope of it.
    """
    if verb != "delete_user":
        partition, scope = place_of(caller, scope, user)
        require_write(caller, scope)
        return partition, scope
    admit(caller, verb, owner_only=False, writes=True)
    if user is None:
        raise Refusal("field_required", "user_id is missing.", "Send user_id: whom to delete.", field="user_id")
    return resolve_user(caller, user), ""
