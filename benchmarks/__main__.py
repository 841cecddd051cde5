"""`python -m benchmarks [NAME…] [--quick] [--json FILE]`: measure, print, keep as JSON."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks import bulk, erasing, forgetting, recall, replay, resident, starting, words, writes
from benchmarks.figures import Figure, machine, printed
from benchmarks.workload import FULL, QUICK, Memories, Sizes

BENCHMARKS: Mapping[str, Callable[[Memories], list[Figure]]] = {
    "writes": writes.measure,
    "bulk": bulk.measure,
    "recall": recall.measure,
    "replay": replay.measure,
    "memory": resident.measure,
    "forget": forgetting.measure,
    "erase": erasing.measure,
    "start": starting.measure,
    "words": words.measure,
}
RESULTS = Path(__file__).parent / "results"


def run(names: Sequence[str], sizes: Sizes) -> dict[str, list[Figure]]:
    """Measure what is named, in order, printing each figure as it comes."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="semurg-benchmarks-") as root:
        memories = Memories(Path(root), sizes)
        for name in names:
            found[name] = BENCHMARKS[name](memories)
            for one in found[name]:
                print(printed(one), flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmarks that the command line names."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description="Measure semurg beside the limits of its parts."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all of them without one: {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that it runs, and no more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the figures (benchmarks/results/)")
    parsed = parser.parse_args(arguments)
    unknown = [name for name in parsed.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    where = machine()
    print("  ".join(f"{name} {value}" for name, value in where.items()), flush=True)
    sizes = QUICK if parsed.quick else FULL
    found = run(parsed.names or list(BENCHMARKS), sizes)
    kept: Path = parsed.json or RESULTS / f"{time.strftime('%Y%m%dT%H%M%S')}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    report = {"machine": where, "quick": parsed.quick, "sizes": sizes._asdict(), "figures": found}
    kept.write_text(json.dumps(msgspec.to_builtins(report), indent=2) + "\n", "utf-8")
    print(f"kept in {kept}")


if __name__ == "__main__":
    main()
