"""Start a node, load examples/project_history.json through its public verbs, and say what to try.

    python examples/demo.py [--data DIR] [--port PORT]

The node runs until you press Ctrl-C. Run again, it finds everything stored already.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any

import httpx

HERE = Path(__file__).resolve().parent
TOKEN_NAME = "SEMURG_API_TOKEN"


def main() -> int:
    """Run the demonstration; the exit status is the node's."""
    options = argparse.ArgumentParser(description="Start a node with an example memory.")
    options.add_argument("--data", type=Path, default=HERE.parent / ".demo", help="data directory (default: .demo)")
    options.add_argument("--port", type=int, default=4000, help="port to serve on, 0 for any (default: 4000)")
    chosen = options.parse_args()
    # However the demonstration is ended, its node must not be left running.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)
    node = subprocess.Popen(
        [sys.executable, "-m", "semurg", "serve", "--data", str(chosen.data), "--port", str(chosen.port)],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        url = _wait_for_url(node)
        token = _token(chosen.data)
        scope = _load(url, token)
        _say_what_to_try(url, token, scope)
        return node.wait()
    except KeyboardInterrupt:
        node.send_signal(signal.SIGTERM)
        return node.wait()
    finally:
        if node.poll() is None:
            node.terminate()
            node.wait()


def _wait_for_url(node: subprocess.Popen[str]) -> str:
    """The address the node serves on, once it is ready; what it said is passed on when it fails to start."""
    assert node.stderr is not None
    seen = []
    for line in node.stderr:
        seen.append(line)
        if line.startswith("{") and (said := json.loads(line)).get("event") == "ready":
            # Nobody reads the node's log from here on, and a full pipe would hold it up.
            threading.Thread(target=deque, args=(node.stderr, 0), daemon=True).start()
            return str(said["url"])
    sys.stderr.writelines(seen)
    raise SystemExit(node.wait() or 1)


def _token(data: Path) -> str:
    lines = (data / "semurg.env").read_text().splitlines()
    return next(line.split("=", 1)[1] for line in lines if line.startswith(TOKEN_NAME + "="))


def _load(url: str, token: str) -> str:
    """Send the history, call by call. Returns its scope."""
    history: dict[str, Any] = json.loads((HERE / "project_history.json").read_text())
    headers = {"Authorization": f"Bearer {token}", "X-Semurg-Scope": history["scope"]}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for call in history["calls"]:
            reply = client.post(f"/v1/memory/{call['verb']}", json=call["body"])
            reply.raise_for_status()
            known = "stored already" if reply.json()["already"] else "stored"
            print(f"  {known:14} {call['about']}")
    return str(history["scope"])


def _say_what_to_try(url: str, token: str, scope: str) -> None:
    auth = f'-H "Authorization: Bearer ${TOKEN_NAME}" -H "Content-Type: application/json"'
    print(f"\nThe node serves {url} (Ctrl-C stops it). In another shell:\n\nexport {TOKEN_NAME}={token}\n")
    for note, body in (
        ("where Dana works now", {"scope": scope, "subject": "Dana", "compact": True}),
        ("where she worked in May 2025", {"scope": scope, "subject": "Dana", "compact": True, "valid_at": "2025-05"}),
        ("what is known of the pier, with sources", {"scope": scope, "subject": "Pier 4"}),
    ):
        print(f"# {note}\ncurl -sS {url}/v1/memory/recall {auth} -d '{json.dumps(body)}'\n", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
