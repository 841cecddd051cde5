"""`semurg token create|list|revoke`: grants to other callers than the owner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from semurg.cli.owner import Owner
from semurg.cli.terminal import Reply, show_table

app = typer.Typer(
    name="token",
    help="Issue, list and revoke tokens; the owner's alone.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Url = Annotated[str | None, typer.Option(help="The node. [env: SEMURG_URL]")]
Data = Annotated[
    Path | None,
    typer.Option(help="The data directory: through the node that runs on it, or opened here. [env: SEMURG_DATA]"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the reply as JSON.")]


@app.command()
def create(
    name: Annotated[str | None, typer.Option(help="What lists and the audit call it.")] = None,
    user: Annotated[str | None, typer.Option(help="Pin it to this end user: it acts as that user alone.")] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope that it covers; may be repeated. [default: all]")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="It may read and not write.")] = False,
    expires: Annotated[
        str | None, typer.Option(help="When it ends: 30d, 12h, 8w from now, or an instant such as 2030-01-31.")
    ] = None,
    data: Data = None,
    url: Url = None,
) -> None:
    """Issue a token. Its secret goes to standard output, alone and this once; what it may do, to standard error."""
    fields: dict[str, Any] = {"name": name, "user_id": user, "expires": expires}
    fields |= {"scopes": scope or None, "read_only": read_only or None}
    with Owner(url, data) as owner:
        reply = owner.call("token_create", fields)
    typer.echo(reply["token"])
    sys.stdout.flush()
    whom = "any end user" if reply["user_id"] is None else f"end user {reply['user_id']}"
    scopes = "every scope" if reply["scopes"] is None else ", ".join(reply["scopes"])
    typer.echo(f"{reply['name']} ({reply['digest']}): {reply['access']}, {whom}, {scopes}, {_until(reply)}", err=True)


@app.command("list")
def list_tokens(data: Data = None, url: Url = None, as_json: AsJson = False) -> None:
    """Show the tokens in use; never a secret."""
    with Owner(url, data) as owner:
        reply = owner.call("token_list", {})
    if as_json:
        _show_json(reply)
        return
    columns = ("name", "digest", "user", "scopes", "access", "expires")
    show_table(columns, [_row(token) for token in reply["tokens"]])


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="Its name, or the first digits of its digest.")],
    data: Data = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a token: it is refused from the next request on."""
    with Owner(url, data) as owner:
        reply = owner.call("token_revoke", {"token": token})
    if as_json:
        _show_json(reply)
    else:
        typer.echo(f"Revoked {reply['revoked']['name']} ({reply['revoked']['digest']}).")


def _row(token: Reply) -> dict[str, str]:
    scopes = "all" if token["scopes"] is None else ", ".join(token["scopes"])
    whose = "-" if token["user_id"] is None else token["user_id"]
    return {
        "name": token["name"],
        "digest": token["digest"],
        "user": whose,
        "scopes": scopes,
        "access": token["access"],
        "expires": _until(token),
    }


def _until(token: Reply) -> str:
    if token["expires_at"] is None:
        return "never expires" if "token" in token else "never"
    return f"{'expired' if token['expired'] else 'until'} {token['expires_at']}"


def _show_json(reply: Reply) -> None:
    typer.echo(msgspec.json.encode(reply).decode())
