"""Attribute histories, and finding entities by what they have."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import AttributeEpisode, AttributeHistory
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.values import dump, read_value
from semurg.domain.visibility import At
from semurg.projections.attributes import Attributes


def value(raw: object) -> str:
    return dump(read_value(raw, "value"))


def history(
    number: int, owner: int, key: str, *episodes: tuple[int, int, object], on_fact: bool = False
) -> AttributeHistory:
    return AttributeHistory(
        number, on_fact, owner, key, [AttributeEpisode(start, end, value(raw), -1) for start, end, raw in episodes]
    )


def always(number: int, owner: int, key: str, raw: object) -> AttributeHistory:
    return history(number, owner, key, (UNKNOWN_START, NO_END, raw))


NOW = At(100, 50)


def test_a_later_value_replaces_and_the_older_stays_readable_on_both_axes() -> None:
    attributes = Attributes()
    attributes.record(always(0, 7, "role", "engineer"), 10)
    attributes.record(history(0, 7, "role", (UNKNOWN_START, 40, "engineer"), (40, NO_END, "director")), 20)
    assert attributes.at(False, 7, At(20, 50)) == [("role", value("director"))]
    assert attributes.at(False, 7, At(20, 39)) == [("role", value("engineer"))]
    assert attributes.at(False, 7, At(19, 50)) == [("role", value("engineer"))]
    assert attributes.at(False, 7, At(9, 50)) == []
    assert [episode.value for episode in attributes.episodes(0)] == [value("engineer"), value("director")]
    known = attributes.history(False, 7, "role", At(20, 0))
    assert [(one.valid_from, one.valid_to, one.known_from) for one in known] == [
        (UNKNOWN_START, 40, 20),
        (40, NO_END, 20),
    ]


def test_keys_are_compared_exactly_and_owners_of_both_kinds_apart() -> None:
    attributes = Attributes()
    attributes.record(always(0, 7, "userId", "a"), 10)
    attributes.record(always(1, 7, "user_id", "b"), 10)
    attributes.record(history(2, 7, "userId", (UNKNOWN_START, NO_END, "c"), on_fact=True), 10)
    assert attributes.at(False, 7, NOW) == [("userId", value("a")), ("user_id", value("b"))]
    assert attributes.at(True, 7, NOW) == [("userId", value("c"))]
    assert (attributes.find(False, 7, "userId"), attributes.find(False, 7, "userid")) == (0, -1)
    assert attributes.of_owner(False, 8) == []


def test_a_value_is_found_by_type_and_canonical_text() -> None:
    attributes = Attributes()
    attributes.record(always(0, 1, "n", 5), 10)
    attributes.record(always(1, 2, "n", "5"), 10)
    attributes.record(always(2, 3, "n", ["5", "6"]), 10)
    attributes.record(always(3, 4, "m", "5"), 10)
    attributes.record(history(4, 5, "n", (UNKNOWN_START, NO_END, "5"), on_fact=True), 10)
    assert attributes.entities_with("n", "5", None, NOW) == [1, 2, 3]
    assert attributes.entities_with("n", "5", "integer", NOW) == [1]
    assert attributes.entities_with("n", "5", "string", NOW) == [2, 3]
    assert attributes.entities_with("n", "6", None, NOW) == [3]
    assert attributes.entities_with("n", "7", None, NOW) == []
    assert attributes.entities_with("n", "5", None, At(9, 50)) == []


def test_two_spellings_of_one_date_time_are_found_by_its_utc_form() -> None:
    attributes = Attributes()
    attributes.record(always(0, 1, "at", "2026-05-17T09:30:00+02:00"), 10)
    assert attributes.entities_with("at", "2026-05-17T07:30:00Z", None, NOW) == [1]


def test_a_replaced_value_is_not_found_now_but_then() -> None:
    attributes = Attributes()
    attributes.record(always(0, 1, "role", "engineer"), 10)
    attributes.record(history(0, 1, "role", (UNKNOWN_START, 40, "engineer"), (40, NO_END, "director")), 20)
    assert attributes.entities_with("role", "engineer", None, NOW) == []
    assert attributes.entities_with("role", "engineer", None, At(100, 39)) == [1]


def test_a_forgotten_key_is_gone_at_every_instant_and_comes_back_under_a_new_number() -> None:
    attributes = Attributes()
    attributes.record(always(0, 1, "role", "spy"), 10)
    attributes.erase(0)
    assert attributes.at(False, 1, At(10, 0)) == []
    assert attributes.history(False, 1, "role", At(10, 0)) == []
    assert attributes.entities_with("role", "spy", None, At(10, 0)) == []
    assert attributes.find(False, 1, "role") == -1
    attributes.erase(0)
    # not even the hash under which the value was found is left
    assert len(attributes._by_value) == 0
    attributes.record(always(1, 1, "role", "clerk"), 20)
    assert attributes.at(False, 1, NOW) == [("role", value("clerk"))]
    assert len(attributes) == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(("a", "b"))), unique=True, max_size=12), st.data())
def test_erasing_one_owner_leaves_the_others(owners: list[tuple[int, str]], data: st.DataObject) -> None:
    attributes = Attributes()
    for number, (owner, key) in enumerate(owners):
        attributes.record(always(number, owner, key, ["x", key]), 10)
    gone = data.draw(st.integers(0, 5))
    attributes.erase_owner(False, gone)
    for owner in range(6):
        keys = sorted(key for one, key in owners if one == owner != gone)
        assert [key for key, _ in attributes.at(False, owner, NOW)] == keys
    for key in ("a", "b"):
        left = sorted(owner for owner, one in owners if one == key and owner != gone)
        assert attributes.entities_with(key, "x", None, NOW) == left
        assert attributes.entities_with(key, key, None, NOW) == left
