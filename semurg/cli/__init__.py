"""The `semurg` command. Exit codes: 0 done, 1 refused, 2 wrong usage, 3 no node answers.

This package starts fast: the server, numba and numpy are imported by `serve` alone.
"""

from __future__ import annotations


def main() -> None:
    """Run the command line and exit."""
    # Imported here, so that importing semurg.cli for its name costs nothing.
    from semurg.cli.shell import run

    run()
