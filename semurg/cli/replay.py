"""`semurg replay --until T recall|status`: the memory as it was at an instant, read from the log alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from semurg.cli import terminal
from semurg.cli.memory import AsJson, Scope, User, ValidAt, attribute_wanted
from semurg.cli.progress import bar
from semurg.cli.settings import data_directory
from semurg.domain.instants import parse_date

if TYPE_CHECKING:
    from semurg.past import Past

app = typer.Typer(name="replay", no_args_is_help=True)
_SHOWN = {"recall": terminal.show_recalled, "context": terminal.show_context, "status": terminal.show_status}


class Wanted:
    """Which state the commands below read: they get it from the group's own options."""

    def __init__(self, path: Path, until: str) -> None:
        self._path = path
        self._until = parse_date(until, "until").end

    def open(self) -> Past:
        """Build it; nothing of the data directory is changed."""
        # Imported here: the engine is started by few commands of the shell.
        from semurg.node import system_clock
        from semurg.past import open_past

        with bar("events") as progress:
            return open_past(self._path, self._until, system_clock, progress)


@app.callback()
def replay(
    context: typer.Context,
    until: Annotated[str, typer.Option(metavar="T", help="The instant: 2026-03-01 (to its end), or a date-time.")],
    data: Annotated[Path | None, typer.Option(help="The data directory to look into. [env: SEMURG_DATA]")] = None,
) -> None:
    """Read the memory as it was at an instant, from the log's events up to then; forgotten things stay forgotten."""
    context.obj = Wanted(data_directory(data), until)


@app.command()
def recall(
    context: typer.Context,
    subject: Annotated[str | None, typer.Argument(help="The name of the entity.")] = None,
    attribute: Annotated[
        str | None, typer.Option(metavar="KEY=VALUE", help="Find the entity by an attribute's value instead.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="How many items at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Bound of the items' text, 4 bytes a token.")] = None,
    compact: Annotated[bool, typer.Option("--compact", help="Items without diagnostics.")] = False,
    cursor: Annotated[str | None, typer.Option(help="The cursor that the page before ended with.")] = None,
    valid_at: ValidAt = None,
    scope: Scope = None,
    user: User = None,
    as_json: AsJson = False,
) -> None:
    """Show what was known of an entity, with sources."""
    fields: dict[str, Any] = {"subject": subject, "k": k, "max_tokens": max_tokens, "cursor": cursor}
    fields |= {"valid_at": valid_at, "compact": compact or None, "attribute": attribute_wanted(attribute)}
    _answer(context, "recall", fields, scope, user, as_json)


@app.command("context")
def ask(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="A question, or a few words.")],
    k: Annotated[int | None, typer.Option("-k", help="How many items at most.")] = None,
    hops: Annotated[int | None, typer.Option(help="How many steps to walk from what matches, 0 to 3.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Bound of the items' text, 4 bytes a token.")] = None,
    compact: Annotated[bool, typer.Option("--compact", help="Items without diagnostics.")] = False,
    now: Annotated[str | None, typer.Option(help="What `yesterday` in the question counts from.")] = None,
    valid_at: ValidAt = None,
    scope: Scope = None,
    user: User = None,
    as_json: AsJson = False,
) -> None:
    """Show what bore on a question then, by names, words and the graph; the past state has no model for meaning."""
    fields: dict[str, Any] = {"query": query, "k": k, "hops": hops, "max_tokens": max_tokens, "now": now}
    _answer(context, "context", fields | {"valid_at": valid_at, "compact": compact or None}, scope, user, as_json)


@app.command()
def status(
    context: typer.Context,
    valid_at: ValidAt = None,
    scope: Scope = None,
    user: User = None,
    as_json: AsJson = False,
) -> None:
    """Show the scopes there were and what they held; with a scope, its classes and relations."""
    _answer(context, "status", {"valid_at": valid_at}, scope, user, as_json)


def _answer(
    context: typer.Context, verb: str, fields: dict[str, Any], scope: str | None, user: str | None, as_json: bool
) -> None:
    from semurg.api.models import validated
    from semurg.api.strict_json import loads

    given = {name: value for name, value in fields.items() if value is not None}
    # Through JSON, so that a number is the very number that a node would have been sent.
    body = validated(verb, loads(msgspec.json.encode(given)))
    wanted: Wanted = context.obj
    scope = scope or os.environ.get("SEMURG_SCOPE") or None
    user = user or os.environ.get("SEMURG_USER") or None
    reply = wanted.open().read(verb, body, scope=scope, user=user)
    if as_json:
        terminal.show_raw(msgspec.json.encode(reply))
    else:
        _SHOWN[verb](reply)
