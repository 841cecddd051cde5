"""`semurg log`: the events of the log in words, beside a running node or without one. It only reads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import typer

from semurg.cli import terminal
from semurg.cli.settings import data_directory
from semurg.domain.actors import SCOPE_STREAM
from semurg.domain.errors import Refusal
from semurg.domain.instants import format_instant, parse_date
from semurg.domain.names import clean_scope, clean_user

if TYPE_CHECKING:
    from semurg.eventlog.directory import DataDirectory
    from semurg.eventlog.protocol import Recorded
    from semurg.eventlog.viewing import LogView
    from semurg.queries.history import History

FOLLOW_EVERY_S = 0.5
LINES_SHOWN = 12
STREAM_DIGITS = 12

Entry = dict[str, Any]


def log(
    data: Annotated[Path | None, typer.Option(help="The data directory to look into. [env: SEMURG_DATA]")] = None,
    scope: Annotated[str | None, typer.Option(help="Only this scope's events.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this end user's events.")] = None,
    since: Annotated[str | None, typer.Option(metavar="T", help="Only events from this date or instant on.")] = None,
    position: Annotated[
        int | None, typer.Option(min=1, help="Only the event at this position, as a citation gives it.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with events as they come.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line, complete.")] = False,
) -> None:
    """Show what happened, event by event: position, instant, verb, kind, and what it says."""
    if position is not None and (follow or since or scope or user):
        raise typer.BadParameter("--position shows one event; it goes with --data and --json alone")
    # Imported here: the shell starts fast, and the log's reader is needed by few commands.
    from semurg.eventlog.directory import DataDirectory
    from semurg.eventlog.viewing import LogView

    directory = DataDirectory(data_directory(data))
    with LogView(directory.log_path) as view:
        reader = Reader(view, _wanted(directory, scope, user, since))
        if position is not None:
            _show([reader.at(position)], as_json)
            return
        for entries in reader.entries():
            _show(entries, as_json)
        while follow:
            try:
                time.sleep(FOLLOW_EVERY_S)
                for entries in reader.entries():
                    _show(entries, as_json)
            except KeyboardInterrupt:
                return


class Wanted(NamedTuple):
    """Which events: those of a stream, of an end user's scopes, recorded from `since` (µs) on; None for every one."""

    stream: str | None
    user: str | None
    since: int | None


def _wanted(directory: DataDirectory, scope: str | None, user: str | None, since: str | None) -> Wanted:
    if user is not None:
        clean_user(user)
    instant = None if since is None else parse_date(since, "since").start
    if scope is None:
        return Wanted(None, user, instant)
    directory.look()
    stream = SCOPE_STREAM + directory.keyed_hash("scope", user or "", clean_scope(scope))
    return Wanted(stream, None, instant)


class Reader:
    """Reads on in the log from where it last came to. Events that are not wanted are read for the names they bring."""

    def __init__(self, view: LogView, wanted: Wanted) -> None:
        from semurg.queries.history import History

        self._view = view
        self._wanted = wanted
        self._history: History = History()
        self._after = 0
        self._redactions: dict[int, int] = {}
        self._redactions_through = 0

    def at(self, position: int) -> Entry:
        """The event at a position. Raises Refusal not_found."""
        found = self._view.event_at(position)
        if found is None:
            raise Refusal(
                "not_found",
                f"The log has no event at position {position}; it ends at {self._view.head().position}.",
                "Give a position as a reply or a citation has it.",
            )
        self._read_redactions()
        for page in self._view.events_of(found.stream):
            for one in page:
                entry = self._entry(one)
                if one.position == position:
                    return entry
        raise RuntimeError("an event is not in its own stream")

    def entries(self) -> Iterator[list[Entry]]:
        """The wanted events up to the log's end as it then is, page by page."""
        stream = self._wanted.stream
        pages = self._view.events(self._after) if stream is None else self._view.events_of(stream, self._after)
        for page in pages:
            # Read after the page: what it shows erased is told with the event that ordered it.
            self._read_redactions()
            entries = [(one, self._entry(one)) for one in page]
            yield [entry for one, entry in entries if self._is_wanted(one, entry)]
            self._after = page[-1].position if stream is None else page[-1].version

    def _read_redactions(self) -> None:
        for each in self._view.redactions(self._redactions_through):
            self._redactions[each.position] = each.ordered_by
            self._redactions_through = each.ordered_by

    def _entry(self, one: Recorded) -> Entry:
        from semurg.eventlog.codec import Erased, kind_of

        before = self._history.places.get(one.stream)
        says = self._history.tell(one)
        # A scope that ends is told by the name it had.
        place = self._history.places.get(one.stream, before)
        kind = one.event.kind if isinstance(one.event, Erased) else kind_of(type(one.event))
        redacted_by = self._redactions.get(one.position)
        return {
            "position": str(one.position),
            "at": format_instant(one.recorded_at),
            "verb": one.verb,
            "kind": kind,
            "stream": one.stream,
            "scope": place.scope if place else None,
            "user_id": (place.user or None) if place else None,
            "says": says,
            "redacted_by": None if redacted_by is None else str(redacted_by),
        }

    def _is_wanted(self, one: Recorded, entry: Entry) -> bool:
        since, user = self._wanted.since, self._wanted.user
        return (since is None or one.recorded_at >= since) and (user is None or entry["user_id"] == user)


def _show(entries: list[Entry], as_json: bool) -> None:
    if as_json:
        for entry in entries:
            terminal.show_raw(msgspec.json.encode(entry))
    else:
        terminal.show_lines(line for entry in entries for line in _told(entry))


def _told(entry: Entry) -> Iterator[tuple[str, str]]:
    place = "/".join(part for part in (entry["user_id"], entry["scope"]) if part)
    if not place and entry["stream"].startswith(SCOPE_STREAM):
        place = entry["stream"][: len(SCOPE_STREAM) + STREAM_DIGITS] + "…"
    where = f"  {place}" if place else ""
    yield f"{entry['position']:>7}  {entry['at']}  {entry['verb']}  {entry['kind']}{where}", "bold"
    says = entry["says"]
    for line in says[:LINES_SHOWN]:
        yield f"         {' '.join(line.splitlines())}", ""
    if len(says) > LINES_SHOWN:
        yield f"         … {len(says) - LINES_SHOWN:,} more; --json shows all", "dim"
    if entry["redacted_by"] is not None:
        yield f"         rewritten by the event at position {entry['redacted_by']}: what it forgot is gone", "dim"
