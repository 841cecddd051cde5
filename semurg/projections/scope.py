"""One scope as its events made it: every event handed to the parts that keep what it says.

Applying decides nothing and looks nothing up: an event says which numbers, rows and intervals there are. Whatever is
forgotten leaves every part here, and no read at any instant sees it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b

from semurg.domain.events import Event, ScopeOpened
from semurg.domain.limits import LABEL_DOCUMENTS_MAX
from semurg.domain.redact import Gone
from semurg.domain.view import MemoryView
from semurg.projections.erasing import Erasing
from semurg.projections.holding import positions_holding
from semurg.projections.parts import Parts
from semurg.projections.reads import Reads
from semurg.projections.recording import Recording
from semurg.projections.rows import Counts
from semurg.projections.view import Opening, ScopeView

Hash = Callable[..., str]
"""The node's keyed hash of (stream, kind, parts…): tells which label a forget event means, without naming it."""


class ScopeProjection:
    """The read model of one scope: `view` for decisions, `reads` for queries, `published` counts for status."""

    def __init__(self, stream: str, keyed: Hash) -> None:
        self.stream = stream
        self._keyed = keyed
        self._opening = Opening()
        self.parts = Parts()
        self.view: MemoryView = ScopeView(self.parts, self._opening)
        self.reads = Reads(self.parts)
        self.published = Counts(0, 0, 0, 0)
        self._recording = Recording(self.parts)
        self._erasing = Erasing(self.parts, self._opening, self._is_label, self.text_key)

    @property
    def exists(self) -> bool:
        """Whether the scope was opened."""
        return self._opening.exists

    @property
    def number(self) -> int:
        """Its number, part of every id in it."""
        return self._opening.number

    @property
    def user(self) -> str:
        """Whose it is: "" for the owner's own partition."""
        return self._opening.user

    @property
    def scope(self) -> str:
        """Its name."""
        return self._opening.scope

    def apply(self, event: Event, position: int, recorded_at: int) -> None:
        """Take in the next event of the scope's stream; events of one commit share `recorded_at` (µs).

        An event of which a redaction left nothing only takes its place on the timeline. ValueError when out of order.
        """
        for _ in self.apply_in_steps(event, position, recorded_at):
            continue

    def apply_in_steps(self, event: Event, position: int, recorded_at: int) -> Iterator[None]:
        """`apply`, which is done when it is iterated to its end. Between steps the scope may be read, not changed."""
        number = self.parts.timeline.add(position, recorded_at)
        kind = type(event)
        if kind in self._recording.steps:
            yield from self._recording.steps[kind](event, number, recorded_at)
        elif kind in self._erasing.steps:
            yield from self._erasing.steps[kind](event)
        elif isinstance(event, ScopeOpened):
            opening = self._opening
            opening.exists, opening.number, opening.user, opening.scope = True, event.number, event.user, event.scope

    def publish(self) -> None:
        """Let readers count what has been applied."""
        self.published = self.parts.live()

    def positions(self) -> list[int]:
        """Log positions of the scope's events since it was opened, ascending."""
        return self.parts.timeline.positions()

    def positions_holding(self, gone: Gone) -> list[int]:
        """Log positions of the events that may hold what is gone, ascending; asked before the forget is applied."""
        return positions_holding(self.parts, gone)

    def text_under(self, label: str) -> int:
        """Code points of the documents under a label that facts without text attach to; 0 when they do not attach."""
        documents = self.parts.documents.under(label)
        return sum(map(self.parts.documents.length, documents)) if len(documents) <= LABEL_DOCUMENTS_MAX else 0

    def text_key(self, text: str) -> bytes:
        """The 16 bytes under which the vector of a text of this scope is kept: nothing can be guessed back from it."""
        return blake2b(self._keyed(self.stream, "vector", text).encode(), digest_size=16).digest()

    def memory_bytes(self) -> int:
        """Bytes held, spare room included."""
        return sum(self.parts.memory_bytes().values())

    def _is_label(self, label: str, hashed: str | None) -> bool:
        return self._keyed(self.stream, "source", label) == hashed
