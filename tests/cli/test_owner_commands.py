"""`semurg token` and `semurg audit`: through a running node, and on a data directory where none runs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import semurg
from tests.cli.test_commands import Shell, reply_of, run
from tests.conftest import RunningNode

FACT = ("relate", "Dana", "WORKS_AT", "Acme")


@pytest.fixture
def shell(node: RunningNode, scope: str) -> Shell:
    """Runs the command on the shared node; a scope in the environment, which owner's commands must not mind."""

    def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        own = {"SEMURG_URL": node.url, "SEMURG_API_TOKEN": node.token, "SEMURG_SCOPE": scope, "SEMURG_USER": "alice"}
        return run(*arguments, environment={**own, **environment})

    return call


@pytest.fixture
def at_rest(tmp_path: Path) -> Path:
    """A data directory with one fact in it and no node on it."""
    with semurg.open(tmp_path / "memory") as memory:
        memory.relate(scope="t", frm="Dana", to="Acme", type="WORKS_AT")
    return tmp_path / "memory"


def whoami(node: RunningNode, secret: str) -> httpx.Response:
    with node.client(secret) as client:
        return client.get("/v1/whoami")


def test_create_prints_the_secret_alone_and_the_rest_on_standard_error(
    node: RunningNode, shell: Shell, scope: str
) -> None:
    done = shell("token", "create", "--name", scope, "--user", "bob", "--scope", "a", "--scope", "b", "--read-only",
                 "--expires", "30d")  # fmt: skip
    assert done.returncode == 0, done.stderr
    secret = done.stdout.removesuffix("\n")
    assert secret and not any(char.isspace() for char in secret)
    assert scope in done.stderr
    assert secret not in done.stderr
    assert whoami(node, secret).json() == {
        "identity": "token", "name": scope, "user_id": "bob", "access": "read", "scopes": ["a", "b"],
    }  # fmt: skip
    assert whoami(node, shell("token", "create").stdout.strip()).json()["access"] == "write"


def test_list_shows_what_there_is_and_revoke_ends_it(node: RunningNode, shell: Shell, scope: str) -> None:
    secret = shell("token", "create", "--name", scope, "--user", "bob").stdout.strip()
    listed = shell("token", "list")
    (line,) = (line for line in listed.stdout.splitlines() if scope in line)
    (token,) = (one for one in reply_of(shell("token", "list", "--json"))["tokens"] if one["name"] == scope)
    assert line.split() == [scope, token["digest"], "bob", "all", "write", "never"]
    assert secret not in listed.stdout
    revoked = shell("token", "revoke", token["digest"])
    assert revoked.stdout == f"Revoked {scope} ({token['digest']}).\n"
    assert whoami(node, secret).status_code == 401
    again = shell("token", "revoke", scope)
    assert (again.returncode, again.stdout) == (1, "")
    assert "not_found" in again.stderr


def test_another_token_than_the_owners_is_refused(shell: Shell) -> None:
    secret = shell("token", "create").stdout.strip()
    for command in (("token", "list"), ("token", "create"), ("audit",)):
        done = shell(*command, SEMURG_API_TOKEN=secret)
        assert (done.returncode, done.stdout) == (1, "")
        assert "owner_only" in done.stderr


def test_tokens_are_made_and_ended_while_no_node_runs(at_rest: Path, start_node: Callable[..., RunningNode]) -> None:
    made = [run("token", "create", "--name", name, "--data", str(at_rest), environment={}) for name in ("one", "two")]
    assert [done.returncode for done in made] == [0, 0], made[0].stderr
    assert run("token", "revoke", "one", environment={"SEMURG_DATA": str(at_rest)}).returncode == 0
    listed = run("token", "list", "--json", environment={"SEMURG_DATA": str(at_rest)})
    assert [one["name"] for one in json.loads(listed.stdout)["tokens"]] == ["owner", "two"]
    node = start_node(at_rest).wait_ready()
    assert whoami(node, made[0].stdout.strip()).status_code == 401
    assert whoami(node, made[1].stdout.strip()).json()["name"] == "two"


def test_a_data_directory_on_which_a_node_runs_is_reached_through_that_node(
    tmp_path: Path, start_node: Callable[..., RunningNode]
) -> None:
    node = start_node(tmp_path / "memory").wait_ready()
    done = run("token", "create", "--name", "ci", "--data", str(node.data), environment={})
    assert done.returncode == 0, done.stderr
    assert whoami(node, done.stdout.strip()).json()["name"] == "ci"
    assert "token_create" in run("audit", environment={"SEMURG_DATA": str(node.data)}).stdout


def test_a_directory_without_a_memory_is_refused_and_not_made(tmp_path: Path) -> None:
    done = run("token", "create", "--data", str(tmp_path / "none"), environment={})
    assert (done.returncode, done.stdout) == (1, "")
    assert "not_found" in done.stderr
    assert not (tmp_path / "none").exists()


def test_a_directory_held_by_a_process_that_serves_nothing_is_refused_by_name(at_rest: Path) -> None:
    with semurg.open(at_rest):
        done = run("token", "list", "--data", str(at_rest), environment={})
    assert done.returncode == 1
    assert "node_in_use" in done.stderr


def test_audit_shows_one_scope_as_a_table_and_as_json(shell: Shell, scope: str) -> None:
    shell(*FACT)
    shell(*FACT, "--date", "yesterday")
    shell(*FACT, SEMURG_USER="")
    table = shell("audit", "--scope", scope, "--user", "alice").stdout.splitlines()
    assert table[0].split() == ["at", "who", "verb", "outcome", "scope", "user", "events", "ids"]
    assert [line.split()[1:4] for line in table[1:]] == [
        ["owner", "relate", "done"],
        ["owner", "relate", "refused:date_invalid"],
    ]
    reply = reply_of(shell("audit", "--scope", scope, "--json"))
    assert [(entry["verb"], entry["user"], entry["outcome"]) for entry in reply["entries"]] == [
        ("relate", None, "done")
    ]
    assert reply["next"] is None


def test_in_a_pipe_a_row_is_a_line_however_long_and_its_cells_are_between_tabs(shell: Shell, scope: str) -> None:
    long = f"{scope} {'n' * 300}"
    scopes = [f"{scope}-{number:02}-{'s' * 60}" for number in range(5)]
    named = (option for name in scopes for option in ("--scope", name))
    assert shell("token", "create", "--name", long, "--user", "bob", *named, "--read-only").returncode == 0
    listed = shell("token", "list", COLUMNS="40").stdout.splitlines()
    assert listed[0].split("\t") == ["name", "digest", "user", "scopes", "access", "expires"]
    (row,) = (line.split("\t") for line in listed[1:] if line.startswith(long))
    assert [row[0], *row[2:]] == [long, "bob", ", ".join(scopes), "read", "never"]
    shell(*FACT)
    audited = shell("audit", "--scope", scope, "--user", "alice", COLUMNS="40").stdout.splitlines()
    assert [line.count("\t") for line in audited] == [7, 7]
    status = shell("status", COLUMNS="40").stdout.splitlines()
    assert [scope, "2", "1", "0", "0"] in [line.split("\t") for line in status]


def test_audit_is_cut_by_limit_and_since(shell: Shell, scope: str) -> None:
    for target in ("Acme", "Beta", "Gamma"):
        shell("relate", "Dana", "KNOWS", target, SEMURG_USER="")
    entries = reply_of(shell("audit", "--scope", scope, "--json"))["entries"]
    cut = shell("audit", "--scope", scope, "--limit", "2")
    assert len(cut.stdout.splitlines()) == 3
    since = reply_of(shell("audit", "--scope", scope, "--since", entries[1]["at"], "--json"))["entries"]
    assert since == entries[1:]


def test_audit_reads_a_data_directory_at_rest(at_rest: Path) -> None:
    entries = reply_of(run("audit", "--data", str(at_rest), "--json", environment={}))["entries"]
    assert [(entry["verb"], entry["who"]) for entry in entries] == [("relate", "owner")]
