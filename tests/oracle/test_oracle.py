"""The oracle itself against the contract's table of right answers and against cases reasoned out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from call_reading import RefusedError
from memory_oracle import Oracle
from reading_oracle import Reading, instants_of
from rules_of_time import Replacement, asserted, with_one_more
from text_rules import edit_distance, named_places, sentences

from semurg.domain.instants import NO_END, UNKNOWN_START, parse_date

HERE = (None, "work")
DAY = 86_400 * 1_000_000


def instant(text: str) -> int:
    return parse_date(text, "date").start


K1, K2, K3 = instant("2025-01-01"), instant("2025-01-02"), instant("2025-01-03")
NOW = instant("2025-06-01")


def said(target: str, date: str | None = None, replaces: bool = False, **more: Any) -> dict[str, Any]:
    relation = {"source": "Dana", "target": target, "type": "WORKS_AT", "replaces": replaces, **more}
    return {"facts": {"relations": [relation]}, **({"date": date} if date else {})}


@pytest.fixture
def table() -> Oracle:
    oracle = Oracle()
    oracle.remember(HERE, K1, said("Acme", "2020-01-01"))
    oracle.remember(HERE, K2, said("Beta", "2024-03-01", replaces=True))
    oracle.remember(HERE, K3, said("Gamma", "2022-06-01", replaces=True))
    return oracle


def objects(oracle: Oracle, as_of: str | None = None, valid_at: str | None = None, subject: str = "Dana") -> list[str]:
    reading = Reading(oracle, HERE, instants_of(oracle, NOW, as_of, valid_at))
    _, seeds = reading.seeds(subject, None)
    return [reading.fact_item(*one)["object"] for one in reading.facts_of(seeds)]


@pytest.mark.parametrize(
    ("as_of", "valid_at", "right"),
    [
        (None, None, ["Beta"]),
        (None, "2021-01-01", ["Acme"]),
        (None, "2022-06-01", ["Gamma"]),
        (None, "2023-12-31", ["Gamma"]),
        (None, "2024-02-29", ["Gamma"]),
        (None, "2024-03-01", ["Beta"]),
        (None, "2019-12-31", []),
        ("2025-01-01", None, ["Acme"]),
        ("2025-01-02", "2023-01-01", ["Acme"]),
        ("2025-01-03", "2023-01-01", ["Gamma"]),
        ("2024-12-31", None, []),
    ],
)
def test_the_table_of_right_answers_holds(
    table: Oracle, as_of: str | None, valid_at: str | None, right: list[str]
) -> None:
    assert objects(table, as_of, valid_at) == right


def test_a_correction_moves_an_end_that_older_reads_still_see_in_its_old_place(table: Oracle) -> None:
    def acme(as_of: str) -> str:
        reading = Reading(table, HERE, instants_of(table, NOW, as_of, "2021"))
        ((number, seed),) = reading.facts_of(reading.seeds("Dana", None)[1])
        return str(reading.fact_item(number, seed)["valid_to"])

    assert acme("2025-01-02") == "2024-03-01T00:00:00Z"
    assert acme("2025-01-03") == "2022-06-01T00:00:00Z"


def test_replies_name_what_ended_what_came_back_and_what_was_older() -> None:
    oracle = Oracle()
    oracle.remember(HERE, K1, said("Acme", "2020-01-01"))
    ended = oracle.remember(HERE, K2, said("Beta", "2024-03-01", replaces=True))["replaces"]
    older = oracle.remember(HERE, K3, said("Gamma", "2022-06-01", replaces=True))["replaces"]
    back = oracle.remember(HERE, K3 + 1, said("Acme", "2024-09-01", replaces=True))["replaces"]
    assert ended["ended"] == [{"target": "Acme", "ended_at": "2024-03-01T00:00:00Z"}]
    assert older["ended"] == [{"target": "Acme", "ended_at": "2022-06-01T00:00:00Z"}]
    assert older["older_than_stored"] == [{"target": "Gamma", "ended_at": "2024-03-01T00:00:00Z"}]
    assert back["ended"] == [{"target": "Beta", "ended_at": "2024-09-01T00:00:00Z"}]
    assert back["restored"] == [{"target": "Acme", "restored_at": "2024-09-01T00:00:00Z"}]


def test_a_call_sent_again_changes_nothing_and_says_so(table: Oracle) -> None:
    again = table.remember(HERE, K3 + DAY, said("Gamma", "2022-06-01", replaces=True))
    assert again["already"] is True
    assert table.commands == 3


def test_the_first_dated_statement_sent_again_does_not_undo_the_end_given_since(table: Oracle) -> None:
    assert table.remember(HERE, K3 + DAY, said("Acme", "2020-01-01"))["already"] is True
    assert objects(table) == ["Beta"]


def test_forgetting_an_entity_overrules_every_as_of(table: Oracle) -> None:
    assert table.forget(HERE, K3 + DAY, {"subject": "ACME"})["facts"] == 1
    assert objects(table, "2025-01-01") == []
    # Beta was said to have begun then, and forgetting Acme unsays nothing of it
    assert objects(table) == ["Beta"]


def test_forgetting_again_writes_nothing_and_what_never_was_is_not_found(table: Oracle) -> None:
    table.forget(HERE, K3 + DAY, {"subject": "Acme"})
    commands = table.commands
    assert table.forget(HERE, K3 + 2 * DAY, {"subject": "acme"})["already_forgotten"] is True
    assert table.commands == commands
    with pytest.raises(RefusedError, match="not_found"):
        table.forget(HERE, K3 + 2 * DAY, {"subject": "Omega"})


def test_naming_a_forgotten_thing_again_brings_back_only_what_is_said_then(table: Oracle) -> None:
    table.forget(HERE, K3 + DAY, {"subject": "Dana"})
    table.remember(HERE, K3 + 2 * DAY, said("Delta", "2025-01-05"))
    assert objects(table, valid_at="2025-01-06") == ["Delta"]
    assert objects(table, valid_at="2021") == []
    assert objects(table, as_of="2025-01-03") == []


def test_forgetting_all_ends_the_scope_in_every_past_state(table: Oracle) -> None:
    assert table.forget(HERE, K3 + DAY, {"all": True})["facts"] == 3
    table.remember(HERE, K3 + 2 * DAY, said("Delta"))
    assert objects(table) == ["Delta"]
    assert objects(table, "2025-01-03") == []


def test_an_undated_fact_holds_before_its_end_and_comes_back_with_a_new_episode() -> None:
    oracle = Oracle()
    oracle.remember(HERE, K1, said("Acme"))
    oracle.remember(HERE, K2, said("Beta", replaces=True))
    oracle.remember(HERE, K3, said("Acme"))
    assert objects(oracle, valid_at="1990") == ["Acme"]
    assert sorted(objects(oracle)) == ["Acme", "Beta"]
    assert objects(oracle, as_of="2025-01-02") == ["Beta"]


def test_touching_intervals_join_and_others_stay_apart() -> None:
    assert with_one_more([(10, 20)], (20, 30)) == [(10, 30)]
    assert with_one_more([(10, 20)], (21, 30)) == [(10, 20), (21, 30)]
    assert asserted([(10, 20)], None, None, now=15) == [(10, 20)]
    assert asserted([(10, 20)], None, None, now=20) == [(10, NO_END)]


def test_a_replacement_of_nothing_known_has_an_unknown_start() -> None:
    result = Replacement({7: []}, 7, 50, None, from_unknown=True)
    assert result.histories == {7: [(UNKNOWN_START, NO_END)]}


def test_an_episode_that_starts_when_it_is_replaced_vanishes() -> None:
    result = Replacement({7: [], 8: [(50, NO_END)]}, 7, 50, None, from_unknown=False)
    assert result.histories == {7: [(50, NO_END)], 8: []}
    assert result.ended == [8]


def test_an_interval_without_length_is_refused() -> None:
    with pytest.raises(RefusedError, match="interval_empty"):
        Oracle().remember(HERE, K1, said("Acme", "2024", valid_to="2024-01-01"))


def test_an_attribute_dated_earlier_becomes_history() -> None:
    oracle = Oracle()

    def set_role(clock: int, value: str, date: str | None) -> dict[str, Any]:
        facts = {"entities": [{"name": "Dana", "attributes": {"role": value}}]}
        return oracle.remember(HERE, clock, {"facts": facts, **({"date": date} if date else {})})

    set_role(K1, "lead", "2024")
    set_role(K2, "engineer", "2020")
    reading = Reading(oracle, HERE, instants_of(oracle, NOW, None, None))
    past = Reading(oracle, HERE, instants_of(oracle, NOW, None, "2021"))
    before = Reading(oracle, HERE, instants_of(oracle, NOW, None, "2019"))
    (dana,) = reading.state.entities
    assert reading.entity_item(dana)["attributes"] == {"role": ("lead", "string")}
    assert past.entity_item(dana)["attributes"] == {"role": ("engineer", "string")}
    assert before.entity_item(dana)["attributes"] == {}
    assert set_role(K3, "lead", None)["attributes"] == {"set": 0, "known": 1}


def test_a_document_is_held_once_and_facts_under_its_label_quote_it() -> None:
    oracle = Oracle()
    text = {"content": "It rained. Dana works at Acme.", "source": "note"}
    first = oracle.remember(HERE, K1, text)
    assert oracle.remember(HERE, K2, text)["already"] is True
    assert first["unlinked_passages"] == 1
    attached = oracle.remember(HERE, K3, said("Acme") | {"source": "note"})
    assert attached["source_label_state"] == "attached"
    reading = Reading(oracle, HERE, instants_of(oracle, NOW, None, None))
    ((number, seed),) = reading.facts_of(reading.seeds("Dana", None)[1])
    assert reading.fact_item(number, seed)["citation"]["span"] == ("Dana works at Acme.", 11, 30)
    oracle.forget(HERE, K3 + DAY, {"source": "note"})
    reading = Reading(oracle, HERE, instants_of(oracle, NOW, "2025-01-03", None))
    assert reading.fact_item(number, seed)["citation"]["state"] == "source_forgotten"
    assert reading.passages_of([seed]) == []


def test_the_longest_name_wins_and_only_whole_words_are_names() -> None:
    keys = {"new york": 1, "new york times": 2, "ann": 3, "霧島": 4}
    assert named_places("Ann reads the New York Times in New  York.", keys) == [(3, 0, 3), (2, 14, 28), (1, 32, 41)]
    assert named_places("Annika met Joann. 朝の霧島ダム。", keys) == [(4, 20, 22)]


def test_sentences_end_at_full_stops() -> None:
    assert sentences("One. Two two.  Three") == [(0, 4), (5, 13), (15, 20)]


def test_swapped_neighbours_are_one_edit() -> None:
    assert edit_distance("dnaa", "dana") == 1
    assert edit_distance("dan", "dana") == 1
    assert edit_distance("acme", "ace") == 1


def test_a_chain_of_parts_is_walked_to_six_links_and_no_further() -> None:
    oracle = Oracle()
    for n in range(8):
        oracle.relate(HERE, K1 + n, {"frm": f"P{n}", "to": f"P{n + 1}", "type": "part_of"})
    reading = Reading(oracle, HERE, instants_of(oracle, NOW, None, None))
    (first,) = reading.seeds("P0", None)[1]
    ends = [reading.state.entities[target].name for _, _, target in reading.derived_of([first])]
    assert ends == ["P2", "P3", "P4", "P5", "P6"]
