"""Given what was remembered, when a command is decided, then these events and this reply: without a log or a node."""

from __future__ import annotations

import hashlib
from typing import Any

from semurg.commands.prepare import prepare_forget, prepare_relate, prepare_remember
from semurg.domain.decide_forget import decide_forget
from semurg.domain.decide_remember import Decision, decide_relate, decide_remember
from semurg.domain.events import Event, ScopeOpened
from semurg.domain.instants import parse_date
from semurg.domain.visibility import At
from semurg.projections.scope import ScopeProjection


def keyed(*parts: str) -> str:
    """A stand-in for the node's keyed hash."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def instant(text: str) -> int:
    """A date as the instant it begins."""
    return parse_date(text, "test").start


class Story:
    """One scope over which commands are decided one after the other, each a day later than the one before."""

    DAY = 24 * 60 * 60 * 1_000_000

    def __init__(self, now: str = "2026-01-01") -> None:
        self.scope = ScopeProjection("stream", keyed)
        self.now = instant(now)
        self.position = 0

    def remember(self, **fields: Any) -> Decision:
        """Decide a remember and apply its events."""
        return self._done(decide_remember(self.scope.view, prepare_remember(fields), self.now, self._opening()))

    def relate(self, source: str, type_name: str, target: str, /, **fields: Any) -> Decision:
        """Decide a relate and apply its events."""
        command = prepare_relate({"from": source, "to": target, "type": type_name, **fields})
        return self._done(decide_relate(self.scope.view, command, self.now, self._opening()))

    def forget(self, **fields: Any) -> Decision:
        """Decide a forget and apply its event."""
        return self._done(
            decide_forget(self.scope.view, prepare_forget(fields), lambda *parts: keyed("stream", *parts))
        )

    def episodes(self, source: str, type_name: str, target: str) -> list[tuple[int, int]]:
        """The episodes of a fact as they stand."""
        view = self.scope.view
        ends = view.entities_by_key([source.casefold(), target.casefold()])
        (fact,) = view.facts_by_triple([ends[0]], [type_name], [ends[1]])
        return [tuple(episode) for episode in view.fact_episodes(fact)]

    def at(self, valid_at: str) -> At:
        """Known now, true then."""
        return At(self.now, instant(valid_at))

    def _opening(self) -> ScopeOpened:
        return ScopeOpened("", "story", 1)

    def _done(self, decision: Decision) -> Decision:
        for event in decision.events:
            self.apply(event)
        self.now += self.DAY
        return decision

    def apply(self, event: Event) -> None:
        """Take in one event at the present instant."""
        self.position += 1
        self.scope.apply(event, self.position, self.now)
