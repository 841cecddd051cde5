"""Servers in processes of their own: a semurg node, and the bare server that is its limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

START_S = 300.0
STOP_S = 20.0
POLL_S = 0.01


class Server(NamedTuple):
    """Where a server listens, and the token it wants ("" for none)."""

    port: int
    token: str
    ready_s: float


@contextmanager
def semurg_server(data: Path) -> Iterator[Server]:
    """`semurg serve` over a data directory, from ready on; its log goes to a file beside the directory."""
    log = data.with_suffix(".log")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SEMURG_")}
    command = [sys.executable, "-m", "semurg", "serve", "--data", str(data), "--port", "0"]
    started = time.perf_counter()
    with log.open("wb") as sink:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sink, env=kept, start_new_session=True)
    try:
        port = _ready_port(process, log, started)
        ready_s = time.perf_counter() - started
        token = (data / "semurg.env").read_text("utf-8").partition("=")[2].strip()
        yield Server(port, token, ready_s)
    finally:
        _stop(process)


@contextmanager
def bare_server(database: Path, size: int) -> Iterator[Server]:
    """The bare server, storing `size` bytes a write."""
    command = [sys.executable, "-m", "benchmarks.bare_server", str(database), str(size)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Server(port, "", time.perf_counter() - started)
    finally:
        _stop(process)
        if process.stdout is not None:
            process.stdout.close()


def _ready_port(process: subprocess.Popen[bytes], log: Path, started: float) -> int:
    while time.perf_counter() < started + START_S:
        for line in log.read_text("utf-8").splitlines():
            if line.startswith("{") and '"ready"' in line:
                return int(json.loads(line)["port"])
        if process.poll() is not None:
            break
        time.sleep(POLL_S)
    raise RuntimeError(f"the node did not become ready:\n{log.read_text('utf-8')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
