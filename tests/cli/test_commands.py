"""The `semurg` command against a real node: what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunningNode

Shell = Callable[..., subprocess.CompletedProcess[str]]
FACTS = """{"entities": [{"name": "Dana", "type": "Person"}],
            "relations": [{"source": "Dana", "target": "Acme", "type": "WORKS_AT"}]}"""


def run(*arguments: str, environment: dict[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SEMURG_")}
    return subprocess.run(
        [sys.executable, "-m", "semurg", *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        timeout=60,
        env={**kept, "NO_COLOR": "1", "COLUMNS": "200", **environment},
    )


@pytest.fixture
def shell(node: RunningNode, scope: str) -> Shell:
    """Runs the command on the shared node, in the test's own scope."""

    def call(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        own = {"SEMURG_URL": node.url, "SEMURG_API_TOKEN": node.token, "SEMURG_SCOPE": scope}
        return run(*arguments, environment={**own, **environment}, stdin=stdin)

    return call


def reply_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


def test_what_is_remembered_is_recalled_with_its_source(shell: Shell) -> None:
    stored = shell(
        "remember", "Dana works at Acme in Oslo.", "--facts", FACTS, "--source", "a note", "--date", "2020-01-01"
    )
    assert stored.returncode == 0, stored.stderr
    assert "entities: 2 new" in stored.stdout
    recalled = shell("recall", "dana")
    assert recalled.returncode == 0, recalled.stderr
    assert "Dana WORKS_AT Acme  from 2020-01-01T00:00:00Z" in recalled.stdout
    assert "source: a note, 2020-01-01" in recalled.stdout
    assert "“Dana works at Acme in Oslo.”" in recalled.stdout


def test_the_same_again_says_that_nothing_is_new(shell: Shell) -> None:
    shell("remember", "--facts", FACTS)
    assert "Nothing new" in shell("remember", "--facts", FACTS).stdout


def test_text_comes_from_an_argument_a_file_or_standard_input(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Zoë met Rhys — in Århus.", "utf-8")
    for done in (
        shell("remember", "Text of an argument.", "--json"),
        shell("remember", "--file", str(tmp_path / "note.txt"), "--json"),
        shell("remember", "-", "--json", stdin="Text of standard input."),
    ):
        assert reply_of(done)["passages"] == 1


def test_facts_come_from_a_file_with_the_digits_they_were_written_with(shell: Shell, tmp_path: Path) -> None:
    facts = '{"entities": [{"name": "Seal", "attributes": {"price": 0.50, "part": 9007199254740993}}]}'
    (tmp_path / "facts.json").write_text(facts)
    reply_of(shell("remember", "--facts", f"@{tmp_path / 'facts.json'}", "--json"))
    values = reply_of(shell("recall", "Seal", "--json"))["items"][0]["attributes"]
    assert {key: one["value"] for key, one in values.items()} == {"price": "0.50", "part": 9007199254740993}


def test_relate_stores_a_fact_with_attributes_and_dates(shell: Shell) -> None:
    done = shell("relate", "Dana", "WORKS_AT", "Beta", "--valid-from", "2024-03-01", "--attribute", "role=engineer",
                 "--attribute", "days=4", "--replaces", "--json")  # fmt: skip
    assert reply_of(done)["fact"]["valid_from"] == "2024-03-01T00:00:00Z"
    fact = next(item for item in reply_of(shell("recall", "Dana", "--json"))["items"] if item["kind"] == "fact")
    assert fact["attributes"]["role"] == {"value": "engineer", "type": "string"}
    assert fact["attributes"]["days"] == {"value": 4, "type": "integer"}


def test_replaces_shows_what_ended(shell: Shell) -> None:
    shell("relate", "Dana", "WORKS_AT", "Acme", "--date", "2020-01-01")
    done = shell("relate", "Dana", "WORKS_AT", "Beta", "--date", "2024-03-01", "--replaces")
    assert "ended: Acme (2024-03-01T00:00:00Z)" in done.stdout


def test_recall_reads_other_instants_and_by_attribute(shell: Shell) -> None:
    shell("relate", "Dana", "WORKS_AT", "Acme", "--date", "2020-01-01")
    shell("relate", "Dana", "WORKS_AT", "Beta", "--date", "2024-03-01", "--replaces")
    shell("remember", "--facts", '{"entities": [{"name": "Dana", "attributes": {"badge": 17}}]}')
    assert "Dana WORKS_AT Acme" in shell("recall", "Dana", "--valid-at", "2021").stdout
    assert "nothing_stored" in shell("recall", "Dana", "--as-of", "1999").stdout
    found = shell("recall", "--attribute", "badge=17")
    assert "Dana WORKS_AT Beta" in found.stdout


def test_pages_follow_the_cursor(shell: Shell) -> None:
    relations = ", ".join(f'{{"source": "Hub", "target": "N{number}", "type": "LINKS"}}' for number in range(5))
    shell("remember", "--facts", f'{{"relations": [{relations}]}}')
    first = shell("recall", "Hub", "-k", "3")
    assert "2 more; read on with --cursor " in first.stdout
    cursor = first.stdout.rsplit("--cursor ", 1)[1].strip()
    second = shell("recall", "Hub", "-k", "3", "--cursor", cursor)
    assert "more; read on" not in second.stdout
    lines = [line for line in (first.stdout + second.stdout).splitlines() if line.startswith("Hub LINKS")]
    assert len(set(lines)) == len(lines) == 5


def test_forget_removes_and_status_counts(shell: Shell, scope: str) -> None:
    shell("remember", "--facts", FACTS)
    assert scope in shell("status").stdout
    assert "WORKS_AT" in shell("status").stdout
    assert "Forgotten." in shell("forget", "--fact", "Dana", "WORKS_AT", "Acme").stdout
    assert "forgotten before" in shell("forget", "--fact", "Dana", "WORKS_AT", "Acme").stdout
    assert "Forgotten." in shell("forget", "Dana").stdout
    assert "nothing_stored" in shell("recall", "Dana").stdout


def test_forgetting_everything_must_be_meant(shell: Shell) -> None:
    shell("remember", "--facts", FACTS)
    assert shell("forget", "--all").returncode == 2
    assert "answered" in shell("recall", "Dana", "--json").stdout
    assert shell("forget", "--all", "--yes").returncode == 0
    assert "nothing_stored" in shell("recall", "Dana").stdout


def test_a_refusal_goes_to_standard_error_with_the_fix_and_exits_1(shell: Shell) -> None:
    done = shell("relate", "Dana", "WORKS_AT", "Acme", "--date", "2026-02-30")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("date_invalid: ")
    assert len(done.stderr.strip().splitlines()) == 2


def test_a_refusal_offers_close_names(shell: Shell) -> None:
    shell("remember", "--facts", FACTS)
    done = shell("forget", "Dara")
    assert done.returncode == 1
    assert "Close names: Dana" in done.stderr


def test_a_refusal_is_json_when_json_was_asked_for(shell: Shell) -> None:
    done = shell("forget", "Nobody at all", "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(done.stderr)["error"] == "not_found"


def test_json_is_the_nodes_reply_as_it_came(shell: Shell) -> None:
    shell("remember", "--facts", FACTS)
    reply = reply_of(shell("recall", "Dana", "--json"))
    assert reply["state"] == "answered"
    assert len(shell("recall", "Dana", "--json").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("relate", "Dana"),
        ("recall", "Dana", "-k", "many"),
        ("recall", "--attribute", "no equals sign"),
        ("remember", "--facts", "{not json"),
        ("remember", "text", "--file", "x.txt"),
        ("remember", "--file", "does-not-exist.txt"),
        ("serve", "--port", "70000"),
    ],
)
def test_wrong_usage_exits_2_and_says_what(shell: Shell, arguments: tuple[str, ...]) -> None:
    done = shell(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_no_node_at_the_url_exits_3_and_says_how_to_start_one(shell: Shell) -> None:
    done = shell("recall", "Dana", SEMURG_URL="http://127.0.0.1:9")
    assert done.returncode == 3
    assert "semurg serve" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("url", ["nonsense", "ftp://x", "http://", "http://127.0.0.1:99999"])
def test_a_url_that_cannot_be_exits_3(shell: Shell, url: str) -> None:
    done = shell("status", SEMURG_URL=url)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_a_wrong_token_is_a_refusal(shell: Shell) -> None:
    done = shell("status", SEMURG_API_TOKEN="wrong")
    assert done.returncode == 1
    assert done.stderr.startswith("token_invalid: ")


def test_without_a_token_in_the_environment_the_local_nodes_own_is_used(node: RunningNode, scope: str) -> None:
    environment = {"SEMURG_URL": node.url, "SEMURG_DATA": str(node.data), "SEMURG_SCOPE": scope}
    assert run("status", environment=environment).returncode == 0
    nowhere = run("status", environment={**environment, "SEMURG_DATA": "/nonexistent"})
    assert nowhere.returncode == 1
    assert nowhere.stderr.startswith("token_required: ")


def test_options_win_over_the_environment(shell: Shell, scope: str) -> None:
    shell("remember", "--facts", FACTS, "--scope", f"{scope}-other")
    assert "nothing_stored" in shell("recall", "Dana").stdout
    assert "Dana WORKS_AT Acme" in shell("recall", "Dana", SEMURG_SCOPE=f"{scope}-other").stdout


def test_an_end_users_memory_is_apart(shell: Shell, scope: str) -> None:
    shell("remember", "--facts", FACTS, "--user", f"u-{scope}")
    assert "nothing_stored" in shell("recall", "Dana").stdout
    assert "Dana WORKS_AT Acme" in shell("recall", "Dana", SEMURG_USER=f"u-{scope}").stdout


def test_stored_escape_sequences_do_not_reach_the_terminal(shell: Shell) -> None:
    facts = {"entities": [{"name": "Dana", "attributes": {"note": "\u001b[2J\u001b]0;x\u0007 [bold]plain[/bold]"}}]}
    assert shell("remember", "--facts", json.dumps(facts)).returncode in (0, 1)
    shown = shell("recall", "Dana").stdout
    assert "\u001b" not in shown
    assert "\u0007" not in shown


def test_the_version_is_one_line() -> None:
    done = run("--version", environment={})
    assert done.returncode == 0
    assert len(done.stdout.split()) == 1


@pytest.mark.parametrize("command", ["serve", "remember", "recall", "relate", "forget", "status"])
def test_every_command_explains_itself(command: str) -> None:
    done = run(command, "--help", environment={})
    assert done.returncode == 0
    assert "Usage" in done.stdout
    assert command in run("--help", environment={}).stdout
