"""`python -m benchmarks.context_quality`: how much of the evidence memory_context finds, through HTTP alone.

Starts a node, remembers the open retrieval data (laid beside the checkout) through HTTP, waits until all is embedded,
asks every question through HTTP and runs the data's own scorer on the answers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.processes import semurg_server
from semurg.client import Client

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
SETS = {"dialogue": DATA, "musique": DATA / "musique"}
PASSAGES_A_CALL = 60
K = 100
SAYS_YES = ("grounded", "grounded_by_meaning")

Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    """The objects of a file with one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def by_conversation(turns: list[Record]) -> dict[str, list[Record]]:
    """Turns by the scope that they are stored in, in order."""
    grouped: dict[str, list[Record]] = {}
    for turn in turns:
        grouped.setdefault(turn["conv"], []).append(turn)
    return grouped


def calls(turns: list[Record], with_facts: bool) -> Iterator[Record]:
    """The remember calls that store turns of one scope as passages with their mentions and keys."""
    for first in range(0, len(turns), PASSAGES_A_CALL):
        part = turns[first : first + PASSAGES_A_CALL]
        names = ("text", "mentions", "key", "date")
        passages = [{name: turn[name] for name in names if turn.get(name) is not None} for turn in part]
        call: Record = {"passages": passages}
        relations = [
            {"source": source, "type": relation, "target": target}
            for turn in part
            for source, relation, target in turn.get("facts") or ()
            if source.strip() and relation.strip() and target.strip()
        ]
        if with_facts and relations:
            call["facts"] = {"relations": relations}
        yield call


def measure(name: str, with_facts: bool, out: Path) -> None:
    """Store one set, ask its questions, print the scores and how long the answers took."""
    folder = SETS[name]
    with (
        tempfile.TemporaryDirectory(prefix="semurg-quality-") as root,
        semurg_server(Path(root) / "data") as server,
        Client(f"http://127.0.0.1:{server.port}", token=server.token) as client,
    ):
        for scope, turns in by_conversation(records(folder / "turns.jsonl")).items():
            for call in calls(turns, with_facts):
                client.remember(scope=scope, **call)
        embedded(client)
        took = []
        with out.open("w", encoding="utf-8") as sink:
            for question in records(folder / "questions.jsonl"):
                started = time.perf_counter()
                reply = client.context(scope=question["conv"], query=question["question"], k=K, max_tokens=100_000)
                took.append(time.perf_counter() - started)
                keys = [item["key"] for item in reply["items"] if item["kind"] == "passage" and item["key"]]
                said = {"id": question["id"], "keys": keys, "grounded": reply["grounding"]["verdict"] in SAYS_YES}
                sink.write(json.dumps(said) + "\n")
    took.sort()
    middle, last = took[len(took) // 2] * 1e3, took[int(len(took) * 0.99)] * 1e3
    print(f"{name}: {len(took)} questions, p50 {middle:.1f} ms, p99 {last:.1f} ms")
    scorer = [sys.executable, str(DATA / "score.py"), str(out), "--questions", str(folder / "questions.jsonl")]
    subprocess.run(scorer, check=True)


def embedded(client: Client) -> None:
    """Wait until every text has its vector; returns at once when no model is armed."""
    deadline = time.monotonic() + 20
    while True:
        meaning = client.memory_status()["meaning"]
        if meaning["state"] == "armed" and meaning["waiting"] == 0:
            return
        if meaning["state"] != "armed" and time.monotonic() > deadline:
            print(f"no model is armed: {meaning.get('reason')}")
            return
        time.sleep(0.5)


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser("python -m benchmarks.context_quality", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"both without one: {', '.join(SETS)}")
    parser.add_argument("--facts", action="store_true", help="store the facts that come with the texts, too")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()), help="where to leave the answers")
    parsed = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"the retrieval data is not at {DATA}")
    for name in parsed.sets or list(SETS):
        measure(name, parsed.facts, parsed.keep / f"semurg-{name}.jsonl")


if __name__ == "__main__":
    main()
