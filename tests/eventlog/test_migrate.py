"""The schema goes forward only: each numbered file once, in order; a store from a later semurg is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from semurg.domain.errors import Refusal
from semurg.eventlog.migrate import Migration, migrate, migrations_in, shipped

FIRST = Migration(1, "first", "CREATE TABLE a (x); INSERT INTO a VALUES (1);")
SECOND = Migration(2, "second", "ALTER TABLE a ADD COLUMN y DEFAULT 5;")


def store() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)


def test_steps_are_applied_once_and_later_ones_join(tmp_path: Path) -> None:
    connection = store()
    migrate(connection, [FIRST])
    migrate(connection, [FIRST, SECOND])
    migrate(connection, [FIRST, SECOND])
    assert connection.execute("SELECT * FROM a").fetchall() == [(1, 5)]
    recorded = connection.execute("SELECT number, name, checksum FROM migration").fetchall()
    assert recorded == [(1, "first", FIRST.checksum), (2, "second", SECOND.checksum)]


def test_a_store_with_a_step_that_is_not_shipped_is_newer() -> None:
    connection = store()
    migrate(connection, [FIRST, SECOND])
    with pytest.raises(Refusal) as refused:
        migrate(connection, [FIRST])
    assert refused.value.code == "log_newer"
    assert "0002_second" in refused.value.detail


def test_a_step_that_differs_from_the_one_applied_is_refused_and_nothing_is_applied() -> None:
    connection = store()
    migrate(connection, [FIRST])
    with pytest.raises(Refusal) as refused:
        migrate(connection, [FIRST._replace(sql="CREATE TABLE b (x);"), SECOND])
    assert refused.value.code == "log_newer"
    assert connection.execute("SELECT * FROM a").fetchall() == [(1,)]


def test_a_step_that_fails_leaves_the_store_as_it_was() -> None:
    connection = store()
    migrate(connection, [FIRST])
    broken = Migration(2, "broken", "INSERT INTO a VALUES (2); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, [FIRST, broken])
    assert connection.execute("SELECT * FROM a").fetchall() == [(1,)]
    assert not connection.in_transaction
    migrate(connection, [FIRST, SECOND])
    assert connection.execute("SELECT * FROM a").fetchall() == [(1, 5)]


def test_files_are_taken_by_number_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "0002_b.sql").write_text("second")
    (tmp_path / "0001_a.sql").write_text("first")
    (tmp_path / "notes.txt").write_text("no step")
    assert migrations_in(tmp_path) == [Migration(1, "a", "first"), Migration(2, "b", "second")]


@pytest.mark.parametrize("names", [[], ["0002_b.sql"], ["0001_a.sql", "0003_c.sql"], ["0001_a.sql", "0001_b.sql"]])
def test_a_gap_or_a_number_given_twice_is_refused(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    with pytest.raises(ValueError, match="numbered"):
        migrations_in(tmp_path)


def test_the_shipped_steps_begin_with_the_log() -> None:
    assert (shipped()[0].number, shipped()[0].name) == (1, "log")
