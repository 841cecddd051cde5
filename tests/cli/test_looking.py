"""verify, log and replay as a person runs them: at rest, beside a running node, on a log that was tampered with."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

import semurg
from tests.cli.test_commands import reply_of, run
from tests.conftest import RunningNode

DAY = 86_400_000_000
START = 1_767_225_600_000_000  # 2026-01-01
POSITIONS = 14


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dana at Acme (2 January), at Beta (3 January); Acme is forgotten (4 January); alice's Bo knows Cy (5 January)."""
    path, now = tmp_path_factory.mktemp("told") / "data", [START]
    with semurg.open(path, clock=lambda: now[0]) as memory:
        for verb, fields in (
            ("relate", {"frm": "Dana", "to": "Acme", "type": "WORKS_AT", "date": "2020", "source": "a note"}),
            ("relate", {"frm": "Dana", "to": "Beta", "type": "WORKS_AT", "date": "2024", "replaces": True}),
            ("forget", {"subject": "Acme"}),
        ):
            now[0] += DAY
            getattr(memory, verb)(scope="demo", **fields)
        now[0] += DAY
        memory.relate(scope="demo", user_id="alice", frm="Bo", to="Cy", type="KNOWS")
    return path


@pytest.fixture
def data(told: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(told, tmp_path / "data"))


def shell(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(*arguments, environment={"SEMURG_DATA": str(data), **environment})


def tampered(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "log.db")) as connection, connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        assert connection.execute(statement).rowcount == 1


# verify


def test_verify_says_that_a_log_holds_and_who_ordered_each_redaction(data: Path) -> None:
    done = shell(data, "verify")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The log holds: 5 commits, 14 events.\n")
    assert "seal     holds at commit 5, closed" in done.stdout
    assert "redacted 3 payloads, by order of 1 event:" in done.stdout
    assert "5–6, 9 by the entity_forgotten at position 10, 2026-01-04T00:00:00Z" in done.stdout
    assert done.stderr == "", "no bar where nobody looks on"


def test_verify_reports_in_json(data: Path) -> None:
    report = reply_of(shell(data, "verify", "--json"))
    assert (report["holds"], report["break"], report["expected"]) == (True, None, None)
    assert (report["commits"], report["position"]) == (5, str(POSITIONS))
    assert report["seal"]["digest"] == report["digest"]
    assert report["redactions"][0] == {
        "position": "5",
        "ordered_by": "10",
        "kind": "entity_forgotten",
        "at": "2026-01-04T00:00:00Z",
    }


def test_verify_ends_with_1_on_a_broken_log_and_says_where(data: Path) -> None:
    tampered(data, "UPDATE \"commit\" SET verb = 'remember' WHERE number = 3")
    done = shell(data, "verify")
    assert done.returncode == 1
    assert "The log is broken." in done.stdout
    assert "broken at commit 3: its digest does not follow" in done.stdout
    assert "all holds up to commit 2" in done.stdout
    done = shell(data, "verify", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["break"]["commit"] == 3


def test_verify_ends_with_1_on_a_log_without_its_seal(data: Path) -> None:
    (data / "head.seal").unlink()
    done = shell(data, "verify")
    assert done.returncode == 1
    assert "head.seal is missing" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [["--expect", "abc"], ["--expect", "g" * 64], ["--data", "/nowhere/at/all"], ["--nonsense"]],
)
def test_verify_ends_with_2_when_it_is_used_wrongly(data: Path, arguments: list[str]) -> None:
    done = shell(data, "verify", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr != ""


def test_a_head_noted_elsewhere_is_expected_later(data: Path) -> None:
    noted = reply_of(shell(data, "verify", "--head", "--json"))
    assert (noted["commit"], noted["position"], noted["at"]) == (5, str(POSITIONS), "2026-01-05T00:00:00Z")
    assert f"digest {noted['digest']}" in shell(data, "verify", "--head").stdout
    with semurg.open(data, clock=lambda: START + 9 * DAY) as memory:
        memory.relate(scope="demo", frm="Dana", to="Eli", type="KNOWS")
    done = shell(data, "verify", "--expect", noted["digest"].upper())
    assert done.returncode == 0, done.stdout
    assert "expected that of commit 5" in done.stdout
    done = shell(data, "verify", "--expect", "0" * 63 + "1")
    assert done.returncode == 1
    assert "expected the log does not contain it" in done.stdout


def test_a_node_killed_again_and_again_leaves_a_log_that_verifies(
    start_node: Callable[..., RunningNode], tmp_path: Path
) -> None:
    noted: list[str] = []
    for _ in range(3):
        running = start_node(tmp_path / "data").wait_ready()
        with running.client(**{"X-Semurg-Scope": "demo"}) as client:
            for number in range(20):
                sent = {"from": "Dana", "type": "KNOWS", "to": f"N{len(noted)} {number}"}
                client.post("/v1/memory/relate", json=sent).raise_for_status()
            client.post("/v1/memory/forget", json={"subject": f"N{len(noted)} 7"}).raise_for_status()
            noted.append(client.get("/v1/status").json()["log"]["digest"])
        running.stop(signal.SIGKILL)
        report = reply_of(shell(running.data, "verify", "--json", "--expect", noted[0]))
        assert report["holds"] and report["digest"] == noted[-1]
        assert not report["seal"]["closed"] and report["seal"]["commit"] <= report["commits"]


# log


def test_log_tells_every_event_in_words(data: Path) -> None:
    lines = shell(data, "log").stdout.splitlines()
    heads = [line for line in lines if line[:7].strip().isdigit()]
    assert [int(line[:7]) for line in heads] == list(range(1, POSITIONS + 1))
    assert "      9  2026-01-03T00:00:00Z  relate  facts_recorded  demo" in lines
    assert any("Dana WORKS_AT Beta from 2024-01-01T00:00:00Z" in line for line in lines)
    assert any(line.endswith("facts_recorded  alice/demo") for line in lines)
    assert "Bo KNOWS Cy" in "\n".join(lines)


def test_log_says_what_is_redacted_and_by_which_event_and_nothing_of_what_was_there(data: Path) -> None:
    done = shell(data, "log", "--position", "5")
    assert done.returncode == 0, done.stderr
    assert "Dana is named" in done.stdout
    assert "rewritten by the event at position 10" in done.stdout
    assert "Acme" not in shell(data, "log").stdout


def test_the_position_of_a_citation_leads_to_the_event_that_said_it(data: Path) -> None:
    recalled = reply_of(shell(data, "replay", "--until", "2027", "recall", "Dana", "--scope", "demo", "--json"))
    fact = next(item for item in recalled["items"] if item["kind"] == "fact")
    event = reply_of(shell(data, "log", "--json", "--position", fact["citation"]["position"]))
    assert (event["position"], event["kind"]) == (fact["citation"]["position"], "facts_recorded")
    assert event["says"][0].startswith(fact["text"])


def test_log_shows_the_events_of_one_scope_one_end_user_and_since_an_instant(data: Path) -> None:
    def positions(*arguments: str) -> list[int]:
        done = shell(data, "log", "--json", *arguments)
        assert done.returncode == 0, done.stderr
        return [int(json.loads(line)["position"]) for line in done.stdout.splitlines()]

    assert positions() == list(range(1, 15))
    assert positions("--scope", "demo") == list(range(3, 11))
    assert positions("--scope", "demo", "--user", "alice") == positions("--user", "alice") == list(range(11, 15))
    assert positions("--since", "2026-01-04") == list(range(10, 15))
    assert positions("--scope", "demo", "--since", "2026-01-03T00:00:00.000001Z") == [10]
    assert positions("--scope", "never") == []


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["--position", "99"], 1, "it ends at 14"),
        (["--position", "0"], 2, ""),
        (["--position", "3", "--follow"], 2, "--position"),
        (["--since", "yesterday"], 1, "date_invalid"),
        (["--data", "/nowhere/at/all"], 1, "not_found"),
    ],
)
def test_log_refuses_what_it_cannot_show(data: Path, arguments: list[str], code: int, word: str) -> None:
    done = shell(data, "log", *arguments)
    assert done.returncode == code
    assert word in done.stderr


def test_stored_escape_sequences_do_not_act_on_the_terminal(data: Path) -> None:
    with semurg.open(data, clock=lambda: START + 9 * DAY) as memory:
        memory.remember(scope="demo", content="before \x1b[31mred\x1b[0m after")
    shown = shell(data, "log", "--since", "2026-01-10").stdout
    assert "\x1b" not in shown
    assert "before" in shown


def test_log_follows_a_running_node(node: RunningNode, client: httpx.Client, scope: str) -> None:
    def relate(target: str) -> None:
        sent = {"from": "Dana", "type": "KNOWS", "to": target}
        assert client.post("/v1/memory/relate", json=sent).status_code == 200

    relate("Eli")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SEMURG_")}
    follower = subprocess.Popen(
        [sys.executable, "-m", "semurg", "log", "--data", str(node.data), "--scope", scope, "--follow", "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env=kept,
        start_new_session=True,
    )
    assert follower.stdout is not None
    with follower.stdout:
        seen: list[dict[str, Any]] = []
        while not any(line.startswith("Dana KNOWS Eli") for event in seen for line in event["says"]):
            seen.append(json.loads(follower.stdout.readline()))
        relate("Fay")
        while not any(line.startswith("Dana KNOWS Fay") for event in seen for line in event["says"]):
            seen.append(json.loads(follower.stdout.readline()))
        follower.send_signal(signal.SIGINT)
        follower.wait(10)
    assert follower.returncode == 0
    positions = [int(event["position"]) for event in seen]
    assert positions == sorted(set(positions))


# replay


def test_replay_answers_recall_on_the_past_state(data: Path) -> None:
    def texts(until: str) -> str:
        done = shell(data, "replay", "--until", until, "recall", "Dana", "--scope", "demo", "--valid-at", "2025")
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "nothing_stored" in texts("2026-01-01")
    assert "WORKS_AT" not in texts("2026-01-02"), "what was known of Acme then is forgotten since"
    assert "Dana WORKS_AT Beta" in texts("2026-01-03")


def test_replay_answers_status_on_the_past_state(data: Path) -> None:
    def scopes(until: str, **environment: str) -> list[dict[str, Any]]:
        reply = reply_of(shell(data, "replay", "--until", until, "status", "--json", **environment))
        listed: list[dict[str, Any]] = reply["scopes"]
        return listed

    assert scopes("2026-01-01") == []
    assert scopes("2026-01-03") == [{"scope": "demo", "entities": 2, "facts": 1, "documents": 0, "passages": 0}]
    assert scopes("2026-01-04", SEMURG_USER="alice") == []
    assert [one["facts"] for one in scopes("2026-01-05", SEMURG_USER="alice")] == [1]


def test_replay_takes_the_values_that_a_node_would_be_sent(data: Path) -> None:
    with semurg.open(data, clock=lambda: START + 9 * DAY) as memory:
        memory.remember(scope="demo", facts={"entities": [{"name": "Seal", "attributes": {"part": 9007199254740993}}]})
    done = shell(data, "replay", "--until", "2027", "recall", "--attribute", "part=9007199254740993", "--scope", "demo")
    assert "Seal" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["recall", "Dana"], 2, "--until"),
        (["--until", "soon", "recall", "Dana", "--scope", "demo"], 1, "date_invalid"),
        (["--until", "2026", "recall", "Dana"], 1, "scope_required"),
        (["--until", "2026", "remember", "Dana"], 2, "remember"),
        (["--until", "2026", "--data", "/nowhere/at/all", "status"], 1, "not_found"),
    ],
)
def test_replay_refuses_what_it_cannot_answer(data: Path, arguments: list[str], code: int, word: str) -> None:
    done = shell(data, "replay", *arguments)
    assert done.returncode == code
    assert word in done.stderr


def test_verify_and_replay_run_beside_a_node_and_change_nothing_of_it(
    node: RunningNode, client: httpx.Client, scope: str
) -> None:
    sent = {"from": "Dana", "type": "KNOWS", "to": "Eli"}
    position = client.post("/v1/memory/relate", json=sent).json()["position"]
    report = reply_of(shell(node.data, "verify", "--json"))
    assert report["holds"] and not report["seal"]["closed"]
    assert int(report["position"]) >= int(position)
    asked = ("recall", "Dana", "--scope", scope, "--json")
    replayed = reply_of(shell(node.data, "replay", "--until", "2999", *asked))
    live = client.post("/v1/memory/recall", json={"subject": "Dana"}).json()
    assert replayed == live
    forgotten = client.post("/v1/memory/forget", json={"all": True}).json()
    assert forgotten["erased"] is True
    assert reply_of(shell(node.data, "verify", "--json"))["holds"]
    status = client.get("/v1/status").json()
    assert status["log"]["seal"] == "holds"
    assert reply_of(shell(node.data, "verify", "--json", "--expect", status["log"]["digest"]))["expected"]["commit"]
