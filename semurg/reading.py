"""The read verbs over a set of projections: of a running node, or of a past state opened by itself (past.py).

Called by both for every door. A read sees what is published and nothing else; it creates nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from semurg.access import OWNER, Caller, place_of, require_read, resolve_user
from semurg.domain.names import clean_scope
from semurg.domain.visibility import At
from semurg.embedding import QueryVector
from semurg.projections.projector import Projector
from semurg.queries.context import Call, context
from semurg.queries.context_plan import Meaning, plan
from semurg.queries.instants import read_at
from semurg.queries.recall import RecallContext, recall
from semurg.queries.requests import context_request, read_instants, recall_request
from semurg.queries.spoken_time import warm_up
from semurg.queries.status import NamedScope, StatusRequest, status

Fields = Mapping[str, Any]
SETTLED_S = 1.0
"""How long after a start the reader of rare dates is imported: not while the first callers are answered."""
NOT_ARMED = Meaning(None, "not_armed", None, None, None)


async def warm_questions() -> None:
    """Import in a thread what the first question with a date in a rare language would wait for."""
    await asyncio.sleep(SETTLED_S)
    await asyncio.to_thread(warm_up)


class Embedding(Protocol):
    """Who makes vectors of questions, and knows how far those of texts have come."""

    async def query(self, text: str) -> QueryVector:
        """The vector of a question, or why there is none."""

    def status(self, streams: Sequence[str]) -> dict[str, object]:
        """The `meaning` of a status over these scopes."""


class Reading:
    """Answers recall, context and status. `cursor_key`, 32 bytes, signs cursors; to be set before the first recall.

    Without `embedding`, questions are answered by names, words and the graph.
    """

    def __init__(self, projector: Projector, clock: Callable[[], int], embedding: Embedding | None = None) -> None:
        self._projector = projector
        self._clock = clock
        self._embedding = embedding
        self.cursor_key = b""

    async def context(
        self, fields: Fields, caller: Caller = OWNER, scope: str | None = None, user: str | None = None
    ) -> dict[str, Any]:
        """The reply to a context, with the question's vector when there is a model. Raises Refusal."""
        asked = self._asked(fields, caller, scope, user)
        meaning = NOT_ARMED
        if self._embedding is not None and asked.planned is not None:
            found = await self._embedding.query(asked.planned.to_embed)
            meaning = Meaning(found.vector, found.state, found.reason, found.floor, found.model)
            # what was forgotten while the model worked is gone from here too: what was planned is planned again
            asked = self._asked(fields, caller, scope, user, asked.at)
        return context(asked, meaning)

    def _asked(self, fields: Fields, caller: Caller, scope: str | None, user: str | None, at: At | None = None) -> Call:
        now, published_at = self._clock(), self._projector.published_at
        user, scope = place_of(caller, scope, user)
        require_read(caller, scope)
        projection = self._projector.scope(user, scope)
        request = context_request(fields, now)
        if at is None:
            at = read_at(request.instants, now, published_at, None if projection is None else projection.reads)
        planned = None if projection is None else plan(projection, request, at)
        return Call(projection, scope, request, planned, at)

    def answer(
        self, verb: str, fields: Fields, caller: Caller = OWNER, scope: str | None = None, user: str | None = None
    ) -> dict[str, Any]:
        """The reply to a read verb (recall, context, status), without a model. Raises Refusal."""
        if verb == "context":
            return context(self._asked(fields, caller, scope, user), NOT_ARMED)
        now, published_at = self._clock(), self._projector.published_at
        if verb == "status":
            return self._status(fields, caller, scope, user, now)
        user, scope = place_of(caller, scope, user)
        require_read(caller, scope)
        projection = self._projector.scope(user, scope)
        request = recall_request(fields)
        at = read_at(request.instants, now, published_at, None if projection is None else projection.reads)
        return recall(projection, request, at, RecallContext(user, scope, self.cursor_key))

    def _status(self, fields: Fields, caller: Caller, scope: str | None, user: str | None, now: int) -> dict[str, Any]:
        user = resolve_user(caller, user)
        if scope is not None:
            require_read(caller, clean_scope(scope, "scope"))
        listed = []
        for entry in self._projector.catalogue.scopes_of(user):
            if caller.scopes is not None and entry.scope not in caller.scopes:
                continue
            projection = self._projector.scope(user, entry.scope)
            if projection is not None:
                listed.append(NamedScope(entry.scope, projection))
        streams = [one.projection.stream for one in listed]
        meaning: Mapping[str, object] = {"state": "not_armed", "model": None, "waiting": 0}
        if self._embedding is not None:
            meaning = self._embedding.status(streams)
        request = StatusRequest(scope, read_instants(fields), now, self._projector.published_at, meaning)
        return status(listed, request)
