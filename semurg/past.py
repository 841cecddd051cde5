"""A past state of a memory: built from the log's events up to an instant, answering reads, and writing nothing.

What is forgotten since is not in it: the log holds it no more. By the law of time a read here answers what the same
read with `as_of` of that instant answers on the running node. Used by `semurg replay`; needs no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from semurg.access import OWNER, Caller
from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.protocol import Recorded
from semurg.eventlog.viewing import LogView
from semurg.projections.projector import Projector
from semurg.projections.replay import no_collection
from semurg.reading import Reading

Progress = Callable[[int, int], None]
"""Told the position that the replay has come to, and that of the log's end."""


class Past:
    """The state at `until` (µs); `position` is that of the last event in it, 0 when there is none."""

    def __init__(self, projector: Projector, until: int, cursor_key: bytes) -> None:
        self.until = until
        self.position = projector.position
        self._reading = Reading(projector, lambda: until)
        self._reading.cursor_key = cursor_key

    def read(
        self,
        verb: str,
        fields: Mapping[str, Any],
        caller: Caller = OWNER,
        scope: str | None = None,
        user: str | None = None,
    ) -> dict[str, Any]:
        """The reply to a read verb (recall, status) as Node.read would have given it then. Raises Refusal."""
        return self._reading.answer(verb, fields, caller, scope, user)


def open_past(path: Path, until: int, clock: Callable[[], int], progress: Progress | None = None) -> Past:
    """The state of the memory in a data directory at an instant (µs); an instant to come is now.

    Raises Refusal not_found when there is no log, log_newer, log_corrupt, read_only.
    """
    directory = DataDirectory(path)
    with LogView(directory.log_path) as view:
        directory.look()
        head = view.head()
        until = min(until, max(clock(), head.recorded_at))
        projector = Projector(directory.keyed_hash)
        with no_collection():
            for page in _up_to(view, until):
                projector.apply_batch(page)
                if progress is not None:
                    progress(page[-1].position, head.position)
        projector.publish(min(until, head.recorded_at))
        return Past(projector, until, directory.cursor_key)


def _up_to(view: LogView, until: int) -> Iterator[list[Recorded]]:
    """The events recorded at or before the instant, page by page."""
    for page in view.events():
        if page[-1].recorded_at > until:
            yield from filter(None, [[each for each in page if each.recorded_at <= until]])
            return
        yield page
