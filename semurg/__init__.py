"""semurg: shared memory for AI agents, on your own machine.

`semurg.open(path)` gives the memory inside this process; `semurg serve` gives it to many agents over HTTP.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from semurg.domain.errors import Refusal

if TYPE_CHECKING:
    from semurg.embedded import Memory

__all__ = ["Refusal", "open"]


def open(path: str | Path, *, clock: Callable[[], int] | None = None) -> Memory:  # noqa: A001 - the public name
    """Open the memory in the directory `path`, made when it is not there.

    Raises Refusal node_in_use when a node has it.

    `clock` gives the present in µs since 1970 UTC, for tests; the wall clock without it.
    """
    # Imported here: `import semurg` alone must stay fast, and numba and numpy are not.
    from semurg.embedded import Memory
    from semurg.node import system_clock

    return Memory(path, clock or system_clock)
