"""The instants of a read, and the table of right answers read through recall."""

from __future__ import annotations

import pytest

from semurg.domain import events
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.visibility import At
from semurg.queries.instants import NOT_ASKED, ReadInstants, read_at

from .scopes import NOW, Scope, start_of, texts

PUBLISHED = NOW - 5_000_000


class Commits:
    """A scope with commits at positions 3 and 8."""

    def recorded_at(self, position: int) -> int | None:
        return None if position < 3 else PUBLISHED - 100 if position < 8 else PUBLISHED - 10


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (NOT_ASKED, At(PUBLISHED, NOW)),
        (ReadInstants(as_of=PUBLISHED - 50), At(PUBLISHED - 50, PUBLISHED - 50)),
        (ReadInstants(as_of=PUBLISHED + 50), At(PUBLISHED, PUBLISHED + 50)),
        (ReadInstants(as_of=NOW), At(PUBLISHED, NOW)),
        (ReadInstants(as_of=NOW + 1), At(PUBLISHED, NOW)),
        (ReadInstants(valid_at=5), At(PUBLISHED, 5)),
        (ReadInstants(as_of=PUBLISHED - 50, valid_at=NOW + 7), At(PUBLISHED - 50, NOW + 7)),
        (ReadInstants(at_position=8), At(PUBLISHED - 10, PUBLISHED - 10)),
        (ReadInstants(at_position=7), At(PUBLISHED - 100, PUBLISHED - 100)),
        (ReadInstants(at_position=999), At(PUBLISHED - 10, PUBLISHED - 10)),
        (ReadInstants(at_position=2), At(UNKNOWN_START, UNKNOWN_START)),
        (ReadInstants(at_position=7, valid_at=5), At(PUBLISHED - 100, 5)),
        (ReadInstants(as_of=PUBLISHED - 200, at_position=7), At(PUBLISHED - 200, PUBLISHED - 200)),
    ],
)
def test_a_read_is_bound_to_the_instants_that_the_contract_says(asked: ReadInstants, expected: At) -> None:
    assert read_at(asked, NOW, PUBLISHED, Commits()) == expected


def test_a_clock_behind_the_log_reads_at_the_newest_commit() -> None:
    assert read_at(NOT_ASKED, PUBLISHED - 999, PUBLISHED, None) == At(PUBLISHED, PUBLISHED)


def test_a_position_of_a_scope_that_does_not_exist_reads_nothing() -> None:
    assert read_at(ReadInstants(at_position=5), NOW, PUBLISHED, None).known_at == UNKNOWN_START


def job_changes() -> tuple[Scope, list[int]]:
    """The history behind the table: Acme, then Beta, then the correction that Gamma was in between."""
    scope = Scope()
    acme = scope.fact("Dana", "WORKS_AT", "Acme", "2020-01-01")
    known = [scope.recorded_at]
    t2022, t2024 = start_of("2022-06-01"), start_of("2024-03-01")

    def ends(fact: int, start: int, end: int) -> events.FactsRecorded:
        return events.FactsRecorded(changed=[fact], episodes=[1], episode_from=[start], episode_to=[end])

    def starts(fact: int, source: int, target: int, start: int, end: int) -> events.FactsRecorded:
        return events.FactsRecorded(
            type_names=["WORKS_AT"], numbers=[fact], sources=[0], types=[0], targets=[target], stated=[fact],
            stated_by=[source], stated_from=[start], stated_to=[NO_END], span_passage=[-1], span_start=[0],
            span_end=[0], changed=[fact], episodes=[1], episode_from=[start], episode_to=[end],
        )  # fmt: skip

    source, changes = scope.source("news", "2024-03-01")
    changes += scope.named(["Beta"], source)
    began = start_of("2020-01-01")
    known.append(scope.commit(*changes, ends(acme, began, t2024), starts(1, source, 2, t2024, NO_END)))
    source, changes = scope.source("news", "2022-06-01")
    changes += scope.named(["Gamma"], source)
    known.append(scope.commit(*changes, ends(acme, began, t2022), starts(2, source, 3, t2022, t2024)))
    return scope, known


@pytest.mark.parametrize(
    ("as_of", "valid_at", "employer"),
    [
        (None, None, "Beta"),
        (None, "2021-01-01", "Acme"),
        (None, "2022-06-01", "Gamma"),
        (None, "2023-12-31", "Gamma"),
        (None, "2024-02-29", "Gamma"),
        (None, "2024-03-01", "Beta"),
        (None, "2019-12-31", None),
        (0, None, "Acme"),
        (1, "2023-01-01", "Acme"),
        (2, "2023-01-01", "Gamma"),
    ],
)
def test_the_table_of_right_answers(as_of: int | None, valid_at: str | None, employer: str | None) -> None:
    scope, known = job_changes()
    reply = scope.recall("Dana", instants=scope.at(None if as_of is None else known[as_of], valid_at))
    assert texts(reply, "fact") == ([] if employer is None else [f"Dana WORKS_AT {employer}"])


def test_before_the_first_commit_nothing_is_stored() -> None:
    scope, known = job_changes()
    reply = scope.recall("Dana", instants=scope.at(known[0] - 1))
    assert reply["state"] == "nothing_stored"
    # the commit that opened the scope is known by then, and nothing else
    assert reply["position"] == "1"


def test_at_position_gives_the_same_bytes_again_whatever_was_written_since() -> None:
    scope = Scope()
    scope.fact("Dana", "WORKS_AT", "Acme", "2020-01-01")
    before = scope.recall("Dana", instants=scope.at(position=scope.position))
    position = int(before["position"])
    scope.fact("Dana", "LIKES", "Tea")
    scope.entity("Dana", "Person", role="engineer")
    assert scope.recall("Dana", instants=scope.at(position=position)) == before
    assert scope.recall("Dana") != before


def test_a_fact_of_the_future_shows_only_from_its_start_on() -> None:
    scope = Scope()
    scope.fact("Dana", "JOINS", "Acme", "2027-01-01")
    assert texts(scope.recall("Dana"), "fact") == []
    assert texts(scope.recall("Dana", instants=scope.at(valid_at="2027-01-01")), "fact") == ["Dana JOINS Acme"]


def test_a_passage_shows_from_its_date_on() -> None:
    scope = Scope()
    scope.document(("Dana rows.", [0], {"Dana": 0}), date="2020-05-17")
    assert texts(scope.recall("Dana", instants=scope.at(valid_at="2020-05-16")), "passage") == []
    assert texts(scope.recall("Dana", instants=scope.at(valid_at="2020-05-17")), "passage") == ["Dana rows."]


def test_a_replay_of_the_events_up_to_an_instant_answers_what_as_of_answers() -> None:
    scope, known = job_changes()
    again, _ = job_changes()
    assert scope.recall("Dana") == again.recall("Dana")
    replayed = Scope()
    replayed.fact("Dana", "WORKS_AT", "Acme", "2020-01-01")
    asked = scope.at(known[0])
    assert scope.recall("Dana", instants=asked) == replayed.recall("Dana", instants=asked)
