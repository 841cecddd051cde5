"""delete_user: everything of one end user, decided on the newest state of the whole partition.

Each scope is forgotten as `all: true` forgets it; one event more says that the user is gone. None holds any text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import ScopeForgotten, UserDeleted
from semurg.domain.view import MemoryView, following_numbers


class Partition(NamedTuple):
    """What is there of an end user: open scopes by stream, digests of tokens, and whether one was deleted before."""

    scopes: Mapping[str, MemoryView]
    tokens: Sequence[str]
    deleted_before: bool


class UserDecision(NamedTuple):
    """The events of each scope's stream, the one that says that the user is gone (None: nothing changes), the reply."""

    forgotten: dict[str, ScopeForgotten]
    deleted: UserDeleted | None
    reply: dict[str, Any]


def decide_delete_user(partition: Partition, user: str, user_hash: str) -> UserDecision:
    """What goes with an end user. Raises Refusal not_found for one who never was."""
    views = partition.scopes.values()
    state = "deleted" if views or partition.tokens else "already_deleted"
    if state == "already_deleted" and not partition.deleted_before:
        raise Refusal(
            "not_found",
            f"No end user {quoted(user)} has anything here.",
            "Send the user_id exactly as the writes sent it.",
        )
    reply = {
        "ok": True,
        "state": state,
        "scopes": len(views),
        "entities": sum(view.live_entities for view in views),
        "facts": sum(view.live_facts for view in views),
        "documents": sum(view.live_documents for view in views),
        "passages": sum(view.live_passages for view in views),
        "written_during_delete": 0,
    }
    if state == "already_deleted":
        return UserDecision({}, None, reply)
    forgotten = {
        stream: ScopeForgotten(view.number, following=following_numbers(view))
        for stream, view in partition.scopes.items()
    }
    return UserDecision(forgotten, UserDeleted(user_hash, list(partition.tokens)), reply)
