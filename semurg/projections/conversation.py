"""Who said a passage, and which passages stand before and after it: what a conversation is to a reader.

Worked out from texts, mentions and dates as they are; keeps nothing. Two passages are neighbours when they are parts
of one document, or when both are turns of a conversation (each begins with its speaker's label) stored one after the
other with the same date.
"""

from __future__ import annotations

import numpy as np

from semurg.domain.names import match_key
from semurg.domain.visibility import At
from semurg.projections.parts import Parts
from semurg.projections.rows import Int32s

NOBODY = -1
SPEAKS_LOOKED_AT = 24


class Conversation:
    """Reads of one reply, at its instants. What was looked up is remembered for as long as the reply takes."""

    def __init__(self, parts: Parts, at: At) -> None:
        self._parts = parts
        self._at = at
        self._horizon = parts.timeline.horizon(at.known_at)
        self._labels: dict[int, str | None] = {}
        self._speakers: dict[str, int] = {}

    def label(self, passage: int) -> str | None:
        """The speaker's label that a live passage begins with."""
        if passage not in self._labels:
            self._labels[passage] = self._parts.passages.labelled(passage)
        return self._labels[passage]

    def speaker(self, passage: int) -> int:
        """The entity that says a live passage, NOBODY when it has no label or the label names no entity."""
        label = self.label(passage)
        if label is None:
            return NOBODY
        if label not in self._speakers:
            self._speakers[label] = self._parts.names.find_exact(match_key(label), self._at)
        return self._speakers[label]

    def speaks(self, entity: int) -> bool:
        """Whether the entity says any of the passages that name it first."""
        passages, starts = self._parts.mentions.links_of(entity, self._horizon)
        labelled = passages[starts == 0][:SPEAKS_LOOKED_AT].tolist()
        return any(self._parts.passages.is_live(one) and self.speaker(one) == entity for one in labelled)

    def neighbours(self, passages: Int32s, away: int) -> Int32s:
        """The passage so many before (negative) or after each, in its conversation or document; -1: there is none."""
        follow = self._parts.passages.follow
        joined = np.ones(len(passages), dtype=np.bool_)
        for step in range(abs(away)):
            joined &= follow(passages - step if away < 0 else passages + step + 1, self._horizon)
        return np.where(joined, passages + away, -1).astype(np.int32)

    def group(self, passage: int) -> tuple[int, int]:
        """What passages of one session share: their date when they are turns, else their document."""
        passages = self._parts.passages
        if self.label(passage) is None:
            return (0, passages.document(passage))
        return (1, passages.begins(passage))
