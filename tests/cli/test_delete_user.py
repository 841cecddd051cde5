"""`semurg delete-user` against a real node."""

from __future__ import annotations

import json

from tests.cli.test_commands import Shell, reply_of
from tests.cli.test_commands import shell as shell


def test_a_user_is_deleted_once_it_is_meant(shell: Shell) -> None:
    reply_of(shell("relate", "Dana", "WORKS_AT", "Acme", "--user", "ann of the shell", "--json"))
    asked = shell("delete-user", "ann of the shell")
    assert asked.returncode == 2 and "--yes" in asked.stderr
    done = shell("delete-user", "ann of the shell", "--yes")
    assert done.returncode == 0, done.stderr
    assert "Deleted, and erased from the disk." in done.stdout and "facts: 1" in done.stdout
    again = reply_of(shell("delete-user", "ann of the shell", "--yes", "--json"))
    assert again["state"] == "already_deleted"
    assert "nothing left" in shell("delete-user", "ann of the shell", "--yes").stdout


def test_the_default_user_is_not_deleted_and_an_unknown_one_is_refused(shell: Shell) -> None:
    reply_of(shell("relate", "Dana", "WORKS_AT", "Acme", "--user", "ben of the shell", "--json"))
    nobody = shell("delete-user", "--yes", SEMURG_USER="ben of the shell")
    assert nobody.returncode == 2
    unknown = shell("delete-user", "nobody of the shell", "--yes", "--json", SEMURG_USER="ben of the shell")
    assert unknown.returncode == 1 and json.loads(unknown.stderr)["error"] == "not_found"
    assert reply_of(shell("status", "--user", "ben of the shell", "--json"))["scopes"]
