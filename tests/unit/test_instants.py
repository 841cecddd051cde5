"""Reading and writing instants: the table of accepted forms in the time contract, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.errors import Refusal
from semurg.domain.instants import (
    NO_END,
    UNKNOWN_START,
    date_from_text,
    format_bound,
    format_instant,
    has_offset,
    parse_date,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def us(*parts: int) -> int:
    return (datetime(*parts, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "first", "after_last"),
    [
        ("2026-05-17", us(2026, 5, 17), us(2026, 5, 18)),
        ("2026-05", us(2026, 5, 1), us(2026, 6, 1)),
        ("2026-12", us(2026, 12, 1), us(2027, 1, 1)),
        ("2024-02", us(2024, 2, 1), us(2024, 3, 1)),
        ("1900-02", us(1900, 2, 1), us(1900, 3, 1)),
        ("2026", us(2026, 1, 1), us(2027, 1, 1)),
        ("2024", us(2024, 1, 1), us(2025, 1, 1)),
        ("1969-12-31", us(1969, 12, 31), us(1970, 1, 1)),
        ("0001", us(1, 1, 1), us(2, 1, 1)),
    ],
)
def test_a_date_runs_from_its_first_instant_to_its_last_microsecond(text: str, first: int, after_last: int) -> None:
    found = parse_date(text, "date")
    assert (found.text, found.start, found.end) == (text, first, after_last - 1)


@pytest.mark.parametrize("text", ["9999", "9999-12", "9999-12-31"])
def test_the_last_year_ends_at_its_last_microsecond(text: str) -> None:
    assert parse_date(text, "date").end == us(9999, 12, 31, 23, 59, 59, 999999)


def test_one_instant_in_three_zones_is_one_date() -> None:
    sent = ["2026-03-29T01:30:00+01:00", "2026-03-29T00:30:00Z", "2026-03-28T17:30:00-07:00"]
    found = {parse_date(text, "date") for text in sent}
    assert len(found) == 1
    assert found.pop().text == "2026-03-29T00:30:00Z"


def test_the_two_half_past_twos_of_an_october_night_are_an_hour_apart() -> None:
    summer = parse_date("2026-10-25T02:30:00+02:00", "date").start
    winter = parse_date("2026-10-25T02:30:00+01:00", "date").start
    assert winter - summer == 3_600_000_000


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2026-03-29T02:30:00", "2026-03-29T02:30:00Z"),
        ("2026-03-29 02:30", "2026-03-29T02:30:00Z"),
        ("2026-03-29T02:30+02", "2026-03-29T00:30:00Z"),
        ("2026-03-29T02:30:00.5Z", "2026-03-29T02:30:00.500000Z"),
        ("2026-03-29T02:30:00,25Z", "2026-03-29T02:30:00.250000Z"),
        ("2026-03-29T02:30:00.1234569Z", "2026-03-29T02:30:00.123456Z"),
        ("2026-03-29T02:30:00.0000009Z", "2026-03-29T02:30:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ],
)
def test_a_date_time_becomes_utc_with_fractions_cut_at_the_microsecond(text: str, canonical: str) -> None:
    found = parse_date(text, "date")
    assert found.text == canonical
    assert found.start == found.end
    assert format_instant(found.start) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "", " 2026", "2026 ", "2026\n", "26", "0000", "10000", "99999999-01-01", "2026-1", "2026-13", "2026-00",
        "2026-02-30", "2023-02-29", "1900-02-29", "2026-05-00", "20260517", "2026-W20", "2026-W20-7", "2026-137",
        "2026-05-17T24:00", "2026-05-17T24:00:00Z", "2026-06-30T23:59:60Z", "2026-05-17T12:60", "2026-05-17T12",
        "2026-05-17T12:00:00z", "2026-05-17t12:00:00Z", "2026-05-17T12:00:00+0200", "2026-05-17T12:00:00+24:00",
        "2026-05-17T12:00:00+02:60", "2026-05-17T12:00:00.Z", "2026-05Z", "2026-05-17T12:00:00ZZ",
        "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01", "２０２６", "-2026", "+2026", "now", "yesterday",
        "2026-05-17  12:00",
    ],
)  # fmt: skip
def test_anything_else_is_refused_by_field_and_value(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse_date(text, "facts.relations[3].valid_from")
    assert caught.value.code == "date_invalid"
    assert "facts.relations[3].valid_from" in caught.value.detail
    assert repr(text) in caught.value.detail


def test_only_open_bounds_read_as_none() -> None:
    assert format_bound(UNKNOWN_START) is None
    assert format_bound(NO_END) is None
    assert format_bound(0) == "1970-01-01T00:00:00Z"


def test_a_stated_offset_is_seen() -> None:
    assert has_offset("2026-05-17T12:00:00Z")
    assert has_offset("2026-05-17T12:00-03:30")
    assert not has_offset("2026-05-17T12:00:00")
    assert not has_offset("2026-05-17")


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31, 23, 59, 59, 999999)))
def test_every_instant_survives_being_written_and_read(moment: datetime) -> None:
    instant = (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
    found = parse_date(format_instant(instant), "date")
    assert found.start == found.end == instant
    assert date_from_text(found.text) == found


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-1439, 1439))
def test_an_offset_is_subtracted_as_the_standard_library_does(moment: datetime, minutes: int) -> None:
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    text = f"{moment.isoformat()}{sign}{hours:02d}:{rest:02d}"
    expected = (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)
    assert parse_date(text, "date").start == expected


@given(st.text(max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        found = parse_date(text, "date")
    except Refusal as refusal:
        assert refusal.code == "date_invalid"
    else:
        assert found.start <= found.end


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30"])
def test_stored_text_that_is_no_date_is_a_programming_error(text: str) -> None:
    with pytest.raises(ValueError):
        date_from_text(text)
