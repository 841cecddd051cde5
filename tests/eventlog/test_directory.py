"""The data directory: its rights, one holder at a time, a key that stays, and the environment file."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from semurg.domain.errors import Refusal
from semurg.eventlog.directory import DataDirectory, read_environment


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_claiming_makes_the_directory_and_its_key_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down"
    with DataDirectory(path):
        assert mode(path) == 0o700
        assert mode(path / "lock") == mode(path / "node.key") == 0o600
        assert len((path / "node.key").read_bytes()) == 32
        assert sorted(each.name for each in path.iterdir()) == ["lock", "node.key"]


def test_a_second_holder_is_refused_and_told_which_process_holds_it(tmp_path: Path) -> None:
    with DataDirectory(tmp_path), pytest.raises(Refusal) as refused:
        DataDirectory(tmp_path).claim()
    assert refused.value.code == "node_in_use"
    assert str(os.getpid()) in refused.value.detail
    with DataDirectory(tmp_path):
        pass


def test_a_holder_that_is_killed_lets_go(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys; from semurg.eventlog.directory import DataDirectory\n"
        f"DataDirectory(pathlib.Path({str(tmp_path)!r})).claim(); print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    assert child.stdout is not None and child.stdin is not None
    with child.stdout, child.stdin:
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(Refusal) as refused:
            DataDirectory(tmp_path).claim()
        assert str(child.pid) in refused.value.detail
        child.kill()
        child.wait()
    DataDirectory(tmp_path).claim()


def test_keyed_hashes_stay_over_a_restart_and_differ_from_node_to_node(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "a") as first:
        hashed, cursor_key = first.keyed_hash("scope", "alice", "team"), first.cursor_key
    with DataDirectory(tmp_path / "a") as again, DataDirectory(tmp_path / "b") as other:
        assert again.keyed_hash("scope", "alice", "team") == hashed
        assert again.cursor_key == cursor_key
        assert other.keyed_hash("scope", "alice", "team") != hashed
        assert other.cursor_key != cursor_key


def test_keyed_hashes_tell_kinds_and_the_borders_of_parts_apart(tmp_path: Path) -> None:
    with DataDirectory(tmp_path) as held:
        hashes = {
            held.keyed_hash("scope", "ab", "c"),
            held.keyed_hash("scope", "a", "bc"),
            held.keyed_hash("scope", "abc"),
            held.keyed_hash("scope", "abc", ""),
            held.keyed_hash("scopeabc"),
            held.keyed_hash("actor", "ab", "c"),
        }
    assert len(hashes) == 6


def test_a_directory_that_is_not_claimed_gives_no_hashes(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        DataDirectory(tmp_path).keyed_hash("scope", "x")


def test_a_damaged_key_is_refused_and_the_directory_let_go(tmp_path: Path) -> None:
    (tmp_path / "node.key").write_bytes(b"short")
    with pytest.raises(Refusal) as refused:
        DataDirectory(tmp_path).claim()
    assert refused.value.code == "log_corrupt"
    (tmp_path / "node.key").unlink()
    with DataDirectory(tmp_path):
        pass


def test_the_environment_file_keeps_what_is_not_set_anew_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    assert directory.read_environment() == {}
    (tmp_path / "semurg.env").write_text("# mine\nSEMURG_MEMORY = 2g\nSEMURG_API_TOKEN=old\n")
    directory.write_environment({"SEMURG_API_TOKEN": "new=er"})
    assert read_environment(tmp_path) == {"SEMURG_MEMORY": "2g", "SEMURG_API_TOKEN": "new=er"}
    assert (tmp_path / "semurg.env").read_text().startswith("# mine\n")
    assert mode(tmp_path / "semurg.env") == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["semurg.env"]


@pytest.mark.parametrize(("name", "value"), [("A B", "x"), ("A", "two\nlines"), ("A", " padded")])
def test_a_setting_that_is_not_one_line_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        DataDirectory(tmp_path).write_environment({name: value})


def test_a_path_that_is_a_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refusal) as refused:
        DataDirectory(tmp_path / "file").claim()
    assert refused.value.code == "read_only"
    assert "file" in refused.value.detail
