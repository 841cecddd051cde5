"""The command line's root: global options, the commands, and how a failure reads."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from semurg.cli import memory, model, replay, tokens
from semurg.cli.audit import audit
from semurg.cli.log import log
from semurg.cli.parse import parse
from semurg.cli.serve import serve
from semurg.cli.terminal import show_failure, show_refusal
from semurg.cli.verify import verify
from semurg.client import NodeUnreachableError
from semurg.domain.errors import Refusal

EXIT_REFUSED = 1
EXIT_UNREACHABLE = 3

app = typer.Typer(
    name="semurg",
    help="Shared memory for AI agents, on your own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "SEMURG_URL, SEMURG_API_TOKEN, SEMURG_SCOPE and SEMURG_USER say which node, as whom, and where. Without a "
        "token in the environment, that of the node on this machine is read from its data directory (SEMURG_DATA)."
    ),
)


def _show_version(asked: bool) -> None:
    if asked:
        try:
            typer.echo(version("semurg"))
        except PackageNotFoundError:
            typer.echo("0+source")
        raise typer.Exit


@app.callback()
def root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Shared memory for AI agents, on your own machine."""


app.command()(serve)
app.command()(memory.remember)
app.command()(memory.recall)
app.command()(memory.context)
app.command()(memory.relate)
app.command()(memory.forget)
app.command()(memory.delete_user)
app.command()(memory.status)
app.command()(parse)
app.command()(audit)
app.command()(verify)
app.command()(log)
app.add_typer(replay.app)
app.add_typer(tokens.app)
app.add_typer(model.app)


def run() -> None:
    """Run one command line; refusals and failures become one message and an exit code."""
    try:
        app()
    except Refusal as refusal:
        show_refusal(refusal, as_json="--json" in sys.argv)
        sys.exit(EXIT_REFUSED)
    except NodeUnreachableError as failure:
        show_failure(
            "unreachable",
            str(failure),
            "Start a node with `semurg serve`, or set SEMURG_URL to one that runs.",
            as_json="--json" in sys.argv,
        )
        sys.exit(EXIT_UNREACHABLE)
