"""The node as a process: how it starts, what it writes where, and how it ends."""

from __future__ import annotations

import json
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import RunningNode
from tests.http.raw_client import RawConnection

Start = Callable[..., RunningNode]
FACT = {"scope": "s", "from": "Dana", "to": "Acme", "type": "WORKS_AT"}


def test_the_first_start_makes_a_private_directory_and_prints_the_token_once(start_node: Start, tmp_path: Path) -> None:
    first = start_node(tmp_path / "data").wait_ready()
    assert first.stop() == 0
    assert any(first.token in line for line in first.output)
    assert first.token not in "\n".join(first.lines)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "semurg.env").stat().st_mode) == 0o600
    again = start_node(tmp_path / "data").wait_ready()
    assert again.token == first.token
    assert again.stop() == 0
    assert again.token not in "\n".join(again.output + again.lines)


def test_what_was_acknowledged_is_there_after_a_restart(start_node: Start, tmp_path: Path) -> None:
    first = start_node(tmp_path / "data").wait_ready()
    with first.client() as client:
        client.post("/v1/memory/relate", json=FACT).raise_for_status()
        before = client.post("/v1/memory/recall", json={"scope": "s", "subject": "Dana"}).content
    assert first.stop() == 0
    again = start_node(tmp_path / "data").wait_ready()
    with again.client() as client:
        assert client.post("/v1/memory/recall", json={"scope": "s", "subject": "Dana"}).content == before


def test_sigterm_lets_a_request_in_flight_finish_and_exits_0_within_5_seconds(
    start_node: Start, tmp_path: Path
) -> None:
    node = start_node(tmp_path / "data").wait_ready()
    body = json.dumps(FACT).encode()
    headers = {
        "Authorization": f"Bearer {node.token}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Expect": "100-continue",
    }
    with RawConnection(node.port) as connection, RawConnection(node.port) as idle:
        idle.send_request("GET", "/api/health", {})
        idle.read_reply()
        connection.send_request("POST", "/v1/memory/relate", headers)
        assert connection.read_head()[0] == 100
        asked = time.monotonic()
        node.process.send_signal(signal.SIGTERM)
        assert idle.is_closed_by_peer()
        connection.send(body)
        reply = connection.read_reply()
        assert (reply.status, reply.json()["present"]) == (200, True)
        assert reply.headers["connection"] == "close"
        assert node.finish() == 0
    assert time.monotonic() - asked < 5
    again = start_node(tmp_path / "data").wait_ready()
    with again.client() as client:
        assert client.post("/v1/memory/recall", json={"scope": "s", "subject": "Dana"}).json()["state"] == "answered"


def test_sigterm_does_not_wait_for_a_client_that_never_finishes(start_node: Start, tmp_path: Path) -> None:
    node = start_node(tmp_path / "data").wait_ready()
    with RawConnection(node.port) as connection:
        connection.send(b"POST /v1/memory/relate HTTP/1.1\r\nContent-Length: 100\r\nHalf: a hea")
        asked = time.monotonic()
        assert node.stop() == 0
    assert time.monotonic() - asked < 5


def test_others_are_answered_and_sigterm_ends_it_within_5_seconds_while_a_large_call_is_being_decided(
    start_node: Start, tmp_path: Path
) -> None:
    program = [str(Path(__file__).with_name("deciding_child.py"))]
    node = start_node(tmp_path / "data", program=program).wait_ready()
    body = json.dumps({"scope": "s", "content": "Dana left Acme. " * 5_000}).encode()
    headers = {
        "Authorization": f"Bearer {node.token}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    with RawConnection(node.port) as connection, node.client() as client:
        client.post("/v1/memory/relate", json=FACT).raise_for_status()
        connection.send_request("POST", "/v1/memory/remember", headers, body)
        node.wait_for("deciding")
        assert client.get("/api/health").status_code == 200
        assert client.post("/v1/memory/recall", json={"scope": "s", "subject": "Dana"}).json()["state"] == "answered"
        asked = time.monotonic()
        assert node.stop() == 0
        assert time.monotonic() - asked < 5
        assert connection.is_closed_by_peer()
    again = start_node(tmp_path / "data").wait_ready()
    with again.client() as client:
        counts = client.get("/v1/memory/status", params={"scope": "s"}).json()["scopes"]
    assert [(one["facts"], one["documents"]) for one in counts] == [(1, 0)]


def test_sigint_stops_it_as_sigterm_does(start_node: Start, tmp_path: Path) -> None:
    assert start_node(tmp_path / "data").wait_ready().stop(signal.SIGINT) == 0


def test_sigterm_while_it_still_starts_ends_it_cleanly(start_node: Start, tmp_path: Path) -> None:
    node = start_node(tmp_path / "data")
    node.wait_for("listening")
    asked = time.monotonic()
    assert node.stop() == 0
    assert time.monotonic() - asked < 5


def test_a_second_node_on_the_same_directory_is_refused_by_name(start_node: Start, tmp_path: Path) -> None:
    first = start_node(tmp_path / "data").wait_ready()
    second = start_node(tmp_path / "data")
    assert second.finish() == 1
    said = "\n".join(second.lines)
    assert "node_in_use" in said
    assert str(first.process.pid) in said
    with first.client() as client:
        assert client.get("/api/health").status_code == 200


def test_a_taken_port_is_refused_by_name(start_node: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        node = start_node(tmp_path / "data", "--port", str(taken.getsockname()[1]))
        assert node.finish() == 1
    assert "address_unavailable" in "\n".join(node.lines)


def test_a_directory_that_cannot_be_made_is_refused_by_name(start_node: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    node = start_node(tmp_path / "file" / "data")
    assert node.finish() == 1
    assert "Traceback" not in "\n".join(node.lines)


def test_the_log_holds_a_line_a_request_and_nothing_that_was_sent(start_node: Start, tmp_path: Path) -> None:
    node = start_node(tmp_path / "data").wait_ready()
    secret = "Zyzzyva-marker"
    with node.client(**{"X-Semurg-Scope": secret}) as client:
        requests = [
            client.post("/v1/memory/remember", json={"content": f"{secret} was here.", "source": secret}),
            client.post("/v1/memory/recall", json={"subject": secret}, headers={"X-Request-Id": "mine-1"}),
            client.get("/v1/memory/status", params={"scope": secret}),
            client.get(f"/{secret}?{secret}={secret}"),
            client.post("/v1/memory/recall", json={secret: secret}),
            client.get("/v1/whoami", headers={"Authorization": f"Bearer {secret}"}),
        ]
    assert node.stop() == 0
    assert secret not in "\n".join(node.lines)
    assert node.token not in "\n".join(node.lines)
    logged = [one for one in map(json.loads, node.lines) if one["message"] == "request"]
    assert (
        [one["status"] for one in logged] == [reply.status_code for reply in requests] == [200, 200, 200, 404, 422, 401]
    )
    assert logged[1]["request_id"] == "mine-1"
    assert [one["route"] for one in logged][:3] == [f"/v1/memory/{verb}" for verb in ("remember", "recall", "status")]


def test_a_token_in_the_environment_takes_the_place_of_the_owners(start_node: Start, tmp_path: Path) -> None:
    node = start_node(tmp_path / "data", environment={"SEMURG_API_TOKEN": "of my own choosing"})
    ready = node.wait_for("ready")
    node.url = ready["url"]
    with node.client("of my own choosing") as client:
        assert client.get("/v1/whoami").json()["identity"] == "owner"
    kept = (tmp_path / "data" / "semurg.env").read_text("utf-8") if (tmp_path / "data" / "semurg.env").exists() else ""
    with node.client(kept.partition("=")[2].strip() or "none") as client:
        assert client.get("/v1/whoami").status_code == 401


def test_importing_the_shell_imports_no_server_and_no_kernels() -> None:
    code = "import semurg.cli.shell, sys; print(sorted({'sanic', 'numba', 'numpy', 'pydantic'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
