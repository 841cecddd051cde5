"""An order: a command on its way to the log, and what it comes to on the newest state of its scope or partition.

The writer takes orders one after the other; each sees what those before it did. Nothing here changes any state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from semurg.domain.commands import DeleteUser, Forget, Remember
from semurg.domain.decide_forget import Forgotten, decide_forget
from semurg.domain.decide_remember import Decision, decide_relate, decide_remember
from semurg.domain.errors import Refusal
from semurg.domain.events import Event, ScopeOpened
from semurg.erasure import ErasingCommit, deletion_of_user, with_redactions
from semurg.eventlog.protocol import Log
from semurg.projections.projector import Projector
from semurg.projections.scope import ScopeProjection

LARGE_CHARS = 20_000
"""Text that takes some ms to cut or to search for names."""

Hash = Callable[..., str]


class Order(NamedTuple):
    """A command on its way: what to decide, where, who asked, and on what condition."""

    verb: str
    command: Remember | Forget | DeleteUser | tuple[Event, ...]
    stream: str
    user: str
    scope: str
    actor: str
    command_id: str
    expected_position: int | None = None
    memo_key: str | None = None
    memo_body: str | None = None
    large: bool = False
    """Whether deciding it would hold up the loop: it is then decided in a thread, and a batch of its own."""

    @property
    def erases(self) -> bool:
        """Whether it takes away what the log holds: it is then a batch of its own."""
        return isinstance(self.command, Forget | DeleteUser)


class Deciding(NamedTuple):
    """Where decisions are taken: on the state of these projections, with the node's keyed hash."""

    log: Log
    projector: Projector
    keyed: Hash

    def is_large(self, order: Order) -> bool:
        """Whether deciding would hold up the loop: a large call, or one whose label is that of large texts."""
        command = order.command
        if order.large or not isinstance(command, Remember) or command.source is None or command.documents:
            return order.large
        scope = self.projector.scope(order.user, order.scope)
        return scope is not None and scope.text_under(command.source) > LARGE_CHARS

    def decide(self, order: Order, now: int, position: int) -> Decision:
        """The events and the reply of an order, at the instant `now` after `position`. Raises Refusal."""
        if isinstance(order.command, tuple):
            return Decision(order.command, {"ok": True})
        assert not isinstance(order.command, DeleteUser), "an end user is no scope"
        existing = self.projector.scope(order.user, order.scope)
        view = (existing or ScopeProjection(order.stream, self.keyed)).view
        if order.expected_position is not None and view.position > order.expected_position:
            raise Refusal(
                "position_conflict",
                f"The scope has changed since position {order.expected_position}: it is at {view.position}.",
                "Read the scope again and send the call with its new position.",
                position=str(view.position),
            )
        if isinstance(order.command, Remember):
            opening = ScopeOpened(order.user, order.scope, self.projector.catalogue.next_number)
            decide = decide_relate if order.verb == "relate" else decide_remember
            decision = decide(view, order.command, now, opening)
        elif existing is None and self.projector.catalogue.was_forgotten(order.stream):
            decision = Decision((), {"ok": True, "already_forgotten": True})
        else:
            decision = decide_forget(view, order.command, lambda *parts: self.keyed(order.stream, *parts))
        reached = position + len(decision.events) if decision.events else view.position
        decision.reply.update(scope=order.scope, position=str(reached))
        return decision

    async def decide_erasing(self, order: Order, now: int, position: int) -> tuple[dict[str, Any], list[ErasingCommit]]:
        """The reply and the commits, one event each, of an order that takes things away. Raises Refusal.

        Nothing may be written meanwhile; reads go on, because this may look at every text of a scope.
        """
        if isinstance(order.command, DeleteUser):
            reply, commits = await deletion_of_user(self.log, self.projector, order.user, self.keyed, order.stream)
            if commits:
                reply["position"] = str(position + len(commits))
        else:
            decision = await asyncio.to_thread(self.decide, order, now, position)
            reply, commits = decision.reply, []
            for event in decision.events:
                scope = self.projector.scope(order.user, order.scope)
                assert scope is not None and isinstance(event, Forgotten) and isinstance(order.command, Forget)
                commits.append(await with_redactions(self.log, scope, event, order.command))
        reply["erased"] = True
        return reply, commits
