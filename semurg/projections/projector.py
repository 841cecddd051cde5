"""Hands every recorded event to the catalogue and to the projection of its scope; says what is published.

The writer applies an event before it is durable and publishes when it is: a reader at or before `published_at` sees
only what is durable. When a commit fails, the writer drops the scopes that it touched and has them rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from semurg.domain.events import ScopeForgotten, ScopeOpened
from semurg.eventlog.protocol import Recorded
from semurg.projections.catalogue import Catalogue, ScopeEntry
from semurg.projections.scope import Hash, ScopeProjection

Load = Callable[[ScopeEntry], ScopeProjection]


class Projector:
    """Every projection of the node.

    Without `load`, each open scope stays in memory. With it, a scope may be dropped at any time, or never be built at
    all: events then only move the catalogue, and `load` brings it, up to the last event applied, when it is asked for.
    """

    def __init__(self, keyed: Hash, load: Load | None = None) -> None:
        self._keyed = keyed
        self._load = load
        self.catalogue = Catalogue()
        self.position = 0
        self.published_at = 0
        self._scopes: dict[str, ScopeProjection] = {}
        self._touched: set[str] = set()
        self.changed: set[str] = set()
        """Streams of scopes that changed since whoever embeds their texts last looked."""

    def apply(self, recorded: Recorded) -> None:
        """Take in the next event of the log."""
        projection = self._concerned(recorded)
        if projection is not None:
            projection.apply(recorded.event, recorded.position, recorded.recorded_at)

    def apply_in_steps(self, recorded: Recorded) -> Iterator[None]:
        """`apply` for an event that may be large, done when it is iterated to its end. Reads may come in between."""
        projection = self._concerned(recorded)
        if projection is not None:
            yield from projection.apply_in_steps(recorded.event, recorded.position, recorded.recorded_at)

    def _concerned(self, recorded: Recorded) -> ScopeProjection | None:
        """Move the catalogue; the projection that must take the event in too, None when none is there for it."""
        event, stream = recorded.event, recorded.stream
        self.position = recorded.position
        self.catalogue.apply(event, stream, recorded.version, recorded.position, recorded.recorded_at)
        if isinstance(event, ScopeForgotten):
            self.drop(stream)
            return None
        if isinstance(event, ScopeOpened):
            # a stream that was forgotten and is opened again starts from nothing
            self._scopes[stream] = ScopeProjection(stream, self._keyed)
        projection = self._scopes.get(stream)
        if projection is not None:
            self._touched.add(stream)
        return projection

    def apply_batch(self, batch: Iterable[Recorded]) -> None:
        """Take in the next events of the log, in order."""
        for recorded in batch:
            self.apply(recorded)

    def publish(self, published_at: int) -> None:
        """What was recorded up to this instant, µs, is durable."""
        self.published_at = published_at
        for stream in self._touched:
            self._scopes[stream].publish()
        self.changed |= self._touched
        self._touched.clear()

    def scope(self, user: str, scope: str) -> ScopeProjection | None:
        """The scope's projection, loaded when it is not in memory; None when there is no such scope."""
        entry = self.catalogue.entry(user, scope)
        return None if entry is None else self.by_stream(entry.stream)

    def by_stream(self, stream: str) -> ScopeProjection | None:
        """The projection of the open scope of a stream, loaded when it is not in memory; None when none is open."""
        projection = self._scopes.get(stream)
        entry = self.catalogue.entry_of(stream)
        if projection is None and entry is not None and self._load is not None:
            projection = self._scopes[stream] = self._load(entry)
            projection.publish()
        return projection

    def loaded(self, stream: str) -> ScopeProjection | None:
        """The projection of a stream if it is in memory."""
        return self._scopes.get(stream)

    def drop(self, stream: str) -> None:
        """Let go of a scope's projection. The catalogue keeps its entry."""
        self._scopes.pop(stream, None)
        self._touched.discard(stream)

    def build(self, stream: str, records: Iterable[Recorded]) -> ScopeProjection | None:
        """The projection that all events of a stream make, for `put_back`; changes nothing here."""
        return build(stream, records, self._keyed)

    def rebuild(self, stream: str, records: Iterable[Recorded]) -> ScopeProjection | None:
        """Build what is known of a stream again from all its events, in order: its projection and the catalogue's part.

        What was staged of it and never became durable is gone then. None when no scope of the stream is open.
        """
        stored = list(records)
        return self.put_back(stream, stored, self.build(stream, stored))

    def put_back(
        self, stream: str, records: Iterable[Recorded], projection: ScopeProjection | None
    ) -> ScopeProjection | None:
        """`rebuild` with a projection that is built already."""
        self.drop(stream)
        self.catalogue.reset(stream)
        for recorded in records:
            self.catalogue.apply(recorded.event, stream, recorded.version, recorded.position, recorded.recorded_at)
        if projection is not None:
            projection.publish()
            self._scopes[stream] = projection
            self.changed.add(stream)
        return projection

    def memory_bytes(self) -> int:
        """Bytes held by the projections in memory, the catalogue not counted."""
        return sum(projection.memory_bytes() for projection in self._scopes.values())


def build(stream: str, records: Iterable[Recorded], keyed: Hash) -> ScopeProjection | None:
    """The projection that a stream's events make; None when it ends forgotten, or holds no opening."""
    projection: ScopeProjection | None = None
    for recorded in records:
        if isinstance(recorded.event, ScopeForgotten):
            projection = None
            continue
        if isinstance(recorded.event, ScopeOpened):
            projection = ScopeProjection(stream, keyed)
        if projection is not None:
            projection.apply(recorded.event, recorded.position, recorded.recorded_at)
    return projection
