"""`semurg audit`: who changed what, and who was refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from semurg.cli.owner import Owner
from semurg.cli.terminal import Reply, show_table

PAGE = 1_024
HASH_SHOWN = 12


def audit(
    scope: Annotated[
        str | None, typer.Option(help="Only this scope: --user's when that is given, else the owner's own.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Only what concerns this end user.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from this instant on, such as 2026-05-17.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Show at most this many entries. [default: all]")] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The data directory: through the node that runs on it, or opened here. [env: SEMURG_DATA]"),
    ] = None,
    url: Annotated[str | None, typer.Option(help="The node. [env: SEMURG_URL]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the entries as one JSON object.")] = False,
) -> None:
    """Show every write, change and delete, the refused ones too, oldest first; the owner's alone."""
    with Owner(url, data) as owner:
        entries, after = _entries(owner, {"scope": scope, "user_id": user, "since": since}, limit)
    if as_json:
        typer.echo(msgspec.json.encode({"entries": entries, "next": after}).decode())
        return
    show_table(("at", "who", "verb", "outcome", "scope", "user", "events", "ids"), [_row(each) for each in entries])
    if after is not None:
        typer.echo("There are more; raise --limit or set --since.", err=True)


def _entries(owner: Owner, filters: dict[str, Any], limit: int | None) -> tuple[list[Reply], str | None]:
    """The entries of as many pages as are wanted, and where to read on."""
    entries: list[Reply] = []
    after: str | None = None
    while True:
        left = PAGE if limit is None else min(PAGE, limit - len(entries))
        page = owner.call("audit", {**filters, "limit": left, "cursor": after})
        entries.extend(page["entries"])
        after = page["next"]
        if after is None or len(entries) == limit:
            return entries, after


def _row(entry: Reply) -> dict[str, str]:
    ids = entry["ids"]
    further = f" +{len(ids) - 1}" if len(ids) > 1 else ""
    return {
        **{name: entry[name] for name in ("at", "who", "verb", "outcome")},
        **{name: (entry[name] or "-")[:HASH_SHOWN] for name in ("scope", "user")},
        "events": ", ".join(_counted(entry["events"])),
        "ids": ids[0] + further if ids else "",
    }


def _counted(kinds: list[str]) -> Iterator[str]:
    """Each kind once, with how often it is there."""
    for kind in dict.fromkeys(kinds):
        times = kinds.count(kind)
        yield kind if times == 1 else f"{kind} ×{times}"
