"""Who did something to whose memory, as a commit's envelope keeps it for good: keyed hashes, and no text of anyone's.

Written by the node with every commit and every refusal, read back by the audit. Envelopes are never erased, so neither
a token's name nor an end user's id is in here; the name is found again through the events that issued the tokens.
"""

from __future__ import annotations

from typing import NamedTuple

from semurg.domain.errors import Refusal

NODE = "node"
NOWHERE = "nowhere"
SCOPE_STREAM = "scope-"
REFUSED = "refused:"
_BETWEEN = "/"


class Actor(NamedTuple):
    """`who` is the keyed hash of a token, or NODE; `user` that of the end user, "" for the owner's own partition."""

    who: str
    user: str = ""

    def text(self) -> str:
        """As it stands in a commit."""
        return self.who + _BETWEEN + self.user if self.user else self.who

    @classmethod
    def of(cls, text: str) -> Actor:
        """From a commit's text."""
        who, _, user = text.partition(_BETWEEN)
        return cls(who, user)


class Refused(NamedTuple):
    """A write that was refused, as it goes on record: nothing of what it held.

    `stream` is that of the scope it was for, NOWHERE when it named none that can be.
    """

    verb: str
    actor: str
    stream: str
    code: str

    @property
    def outcome(self) -> str:
        """What the commit says of it."""
        return REFUSED + self.code


def must_be_recorded(refusal: Refusal) -> bool:
    """Whether a refusal goes on record: all do but that of a node that is not ready, which has no log to write to."""
    return refusal.code != "warming"
