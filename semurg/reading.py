"""The read verbs over a set of projections: of a running node, or of a past state opened by itself (past.py).

Called by both for every door. A read sees what is published and nothing else; it creates nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from semurg.access import OWNER, Caller, place_of, require_read, resolve_user
from semurg.domain.names import clean_scope
from semurg.projections.projector import Projector
from semurg.queries.instants import read_at
from semurg.queries.recall import RecallContext, recall
from semurg.queries.requests import read_instants, recall_request
from semurg.queries.status import NamedScope, StatusRequest, status

Fields = Mapping[str, Any]


class Reading:
    """Answers recall and status. `cursor_key`, 32 bytes, signs cursors and must be set before the first recall."""

    def __init__(self, projector: Projector, clock: Callable[[], int]) -> None:
        self._projector = projector
        self._clock = clock
        self.cursor_key = b""

    def answer(
        self, verb: str, fields: Fields, caller: Caller = OWNER, scope: str | None = None, user: str | None = None
    ) -> dict[str, Any]:
        """The reply to a read verb (recall, status). Raises Refusal."""
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
        return status(listed, StatusRequest(scope, read_instants(fields), now, self._projector.published_at))
