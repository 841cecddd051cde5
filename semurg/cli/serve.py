"""`semurg serve`: run a node."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semurg.cli.settings import ENVIRONMENT_FILE, TOKEN_VARIABLE, data_directory

if TYPE_CHECKING:
    from semurg.node import Node

DEFAULT_PORT = 4000


def serve(
    data: Annotated[
        Path | None, typer.Option(help="The data directory, made when it is missing. [env: SEMURG_DATA]")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on. Anything but loopback opens it to others.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = DEFAULT_PORT,
) -> None:
    """Run a node until it is told to stop (SIGTERM or Ctrl-C)."""
    # Imported here: every other command must start without the server, numpy and numba.
    from semurg.api.logs import configure_logging
    from semurg.api.server import serve as serve_node

    configure_logging(readable=sys.stderr.isatty())
    serve_node(data_directory(data), host, port, os.environ.get(TOKEN_VARIABLE) or None, _banner)


def _banner(node: Node, url: str) -> None:
    """What a person wants to know at the start. It goes to standard output, apart from the logs."""
    kept = node.path / ENVIRONMENT_FILE
    lines = [f"semurg {node.version} serves {url}", f"  data   {node.path}"]
    if node.new_token is not None:
        lines.append(f"  token  {node.new_token}")
        lines.append(f"         shown this once; also kept in {kept}, readable by you alone")
    elif os.environ.get(TOKEN_VARIABLE):
        lines.append(f"  token  from {TOKEN_VARIABLE} in the environment")
    else:
        lines.append(f"  token  in {kept}")
    lines.append(f"  docs   {url}/docs")
    # Whoever closed standard output does not want the banner; the node serves all the same.
    with suppress(OSError):
        typer.echo("\n".join(lines))
        sys.stdout.flush()
