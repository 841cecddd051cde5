"""From `semurg serve` on an empty directory to ready, kernels compiled and cached by an earlier start."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.figures import Figure, Goal, figure, timed
from benchmarks.processes import semurg_server
from benchmarks.workload import Memories

IMPORTS = "import numpy, numba, sanic, pydantic, aiosqlite, msgspec, typer"


def measure(memories: Memories) -> list[Figure]:
    """Figures of starting."""
    with semurg_server(memories.fresh()):
        pass
    ours, limits = [], []
    for _ in range(memories.sizes.starts):
        limits.append(timed(lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True)))
        with semurg_server(memories.fresh()) as server:
            ours.append(server.ready_s)
    return [
        figure("start: empty node to ready", "s", ours, limits=limits, limit_is="Python importing the same libraries",
               goal=Goal("value", most=2.5), sizes={"starts": memories.sizes.starts}),
    ]  # fmt: skip
