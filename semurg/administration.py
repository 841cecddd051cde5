"""What the owner alone may do: issue, list and revoke tokens, and read the audit.

Called by the node for every door. Changes of tokens are made one at a time, each durable before it is answered; the
catalogue that authenticates has them from then on, so they are effective at once.
"""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from semurg.access import Caller, require_owner
from semurg.commands import tokens as grants
from semurg.domain.actors import NOWHERE, SCOPE_STREAM, Actor, Refused, must_be_recorded
from semurg.domain.errors import Refusal
from semurg.domain.events import Event
from semurg.domain.instants import parse_date
from semurg.domain.limits import AUDIT_LIMIT_DEFAULT
from semurg.domain.names import clean_scope, clean_user
from semurg.eventlog.protocol import Log
from semurg.projections.catalogue import Catalogue
from semurg.queries import audit
from semurg.writer import NODE_STREAM, Clock, Order, Writer

SECRET_BYTES = 32
OWNER_CHANGES = frozenset(["token_create", "token_revoke"])

Fields = Mapping[str, Any]
Hash = Callable[..., str]


class Identities:
    """The keyed hashes by which commits name callers, end users and scopes."""

    def __init__(self, keyed: Hash) -> None:
        self._keyed = keyed

    def caller(self, digest: str | None) -> str:
        """The bearer of the token with this digest; None is the owner without one."""
        return self._keyed("actor", digest or "owner")

    def user(self, user: str) -> str:
        """An end user; "" for the owner's own partition."""
        return self._keyed("audit user", user) if user else ""

    def stream(self, user: str, scope: str) -> str:
        """The stream of a scope."""
        return SCOPE_STREAM + self._keyed("scope", user, scope)

    def actor(self, caller: Caller, user: str) -> str:
        """Who acts on whose memory, as a commit keeps it."""
        return Actor(self.caller(caller.token_digest), self.user(user)).text()


class Administration:
    """The owner's verbs over one node's parts."""

    def __init__(self, log: Log, catalogue: Catalogue, writer: Writer, identities: Identities, clock: Clock) -> None:
        self._log = log
        self._catalogue = catalogue
        self._writer = writer
        self._identities = identities
        self._clock = clock
        # Names are judged against the tokens in use: two changes must not judge at once.
        self._changing = asyncio.Lock()

    async def answer(self, verb: str, fields: Fields, caller: Caller) -> dict[str, Any]:
        """Carry out token_create, token_list, token_revoke or audit.

        Raises Refusal, owner_only first of all; that of a change is on record then.
        """
        try:
            return await self._answer(verb, fields, caller)
        except Refusal as refusal:
            if verb in OWNER_CHANGES:
                self.record_refusal(verb, refusal, caller, None, None)
            raise

    async def _answer(self, verb: str, fields: Fields, caller: Caller) -> dict[str, Any]:
        require_owner(caller)
        if verb == "token_list":
            return {"tokens": [grants.described(token, self._clock()) for token in self._catalogue.tokens()]}
        if verb == "audit":
            return await self._audit(fields)
        async with self._changing:
            return await (self._create if verb == "token_create" else self._revoke)(fields, caller)

    async def _create(self, fields: Fields, caller: Caller) -> dict[str, Any]:
        secret = grants.SECRET_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        event = grants.issue(fields, self._catalogue.tokens(), self._clock(), secret)
        await self._record("token_create", event, caller, event.user)
        issued = self._catalogue.token(event.digest)
        if issued is None:
            raise RuntimeError("a token is not there after it was recorded")
        return {"ok": True, "token": secret, **grants.described(issued, self._clock())}

    async def _revoke(self, fields: Fields, caller: Caller) -> dict[str, Any]:
        event, token = grants.revoke(fields["token"], self._catalogue.tokens())
        await self._record("token_revoke", event, caller, token.user)
        return {"ok": True, "revoked": grants.described(token, self._clock())}

    async def _record(self, verb: str, event: Event, caller: Caller, user: str | None) -> None:
        actor = self._identities.actor(caller, user or "")
        await self._writer.submit(Order(verb, (event,), NODE_STREAM, "", "", actor, uuid.uuid4().hex))

    async def _audit(self, fields: Fields) -> dict[str, Any]:
        request = self._request(fields)
        await self._writer.refusals.flush()
        commits, after = await audit.read_page(self._log, request)
        names = {self._identities.caller(token.digest): token.name for token in self._catalogue.issued()}
        names[self._identities.caller(None)] = "owner"
        told = audit.AuditNames(names, self._catalogue.number_at)
        entries = await asyncio.to_thread(audit.entries, commits, told)
        return {"entries": entries, "next": None if after is None else str(after)}

    def _request(self, fields: Fields) -> audit.AuditRequest:
        scope, user, since = fields.get("scope"), fields.get("user_id"), fields.get("since")
        if user is not None:
            clean_user(user)
        return audit.AuditRequest(
            after=audit.read_cursor(fields.get("cursor")),
            limit=fields.get("limit") or AUDIT_LIMIT_DEFAULT,
            since=None if since is None else parse_date(since, "since").start,
            stream=None if scope is None else self._identities.stream(user or "", clean_scope(scope)),
            user=None if user is None else self._identities.user(user),
        )

    def record_refusal(self, verb: str, refusal: Refusal, caller: Caller, scope: str | None, user: str | None) -> None:
        """Put a refused write on record, with the partition and scope that it named as far as these can be."""
        if not must_be_recorded(refusal):
            return
        partition, stream = "", NOWHERE
        with suppress(Refusal):
            named = caller.user if user is None else user
            partition = "" if named is None else clean_user(named)
            if scope is not None:
                stream = self._identities.stream(partition, clean_scope(scope))
        actor = self._identities.actor(caller, partition)
        self._writer.refusals.add(Refused(verb, actor, stream, refusal.code))
