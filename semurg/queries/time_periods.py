"""Calendar arithmetic of questions: half-open periods in µs, in UTC, years 1 to 9999.

Nothing here reads a clock. None stands for a period that does not exist or lies outside those years.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from semurg.domain.instants import NO_END, UNKNOWN_START

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS_OF = {"month": 1, "quarter": 3, "season": 3, "half": 6, "year": 12, "decade": 120, "century": 1_200}


class Period(NamedTuple):
    """[start, end) in µs, and what kind of period it is: a unit of the calendar, "range", or a relation to one."""

    start: int
    end: int
    kind: str

    @property
    def lasts(self) -> int:
        """How long, µs."""
        return self.end - self.start


def moment(us: int) -> datetime:
    """The instant as a date-time in UTC; the nearest that exists."""
    try:
        return _EPOCH + timedelta(microseconds=us)
    except OverflowError:
        return (datetime.min if us < 0 else datetime.max).replace(tzinfo=UTC)


def day(year: int, month: int, day_of_month: int) -> Period | None:
    """One day."""
    try:
        first = datetime(year, month, day_of_month, tzinfo=UTC)
        return Period(_us(first), _us(first + timedelta(days=1)), "day")
    except (ValueError, OverflowError):
        return None


def months(year: int, month: int, count: int, kind: str) -> Period | None:
    """So many months from one on."""
    last = year * 12 + month - 1 + count
    if not (year >= 1 and 1 <= month <= 12 and last // 12 <= 9_999):
        return None
    end = datetime(last // 12, last % 12 + 1, 1, tzinfo=UTC)
    return Period(_us(datetime(year, month, 1, tzinfo=UTC)), _us(end), kind)


def shifted(unit: str, away: int, now: int) -> Period | None:
    """The unit that lies so many away from the one that holds `now`; weeks begin on Monday."""
    today = moment(now)
    try:
        if unit in ("minute", "hour"):
            length = timedelta(minutes=1) if unit == "minute" else timedelta(hours=1)
            first = today.replace(second=0, microsecond=0, minute=today.minute if unit == "minute" else 0)
            first += away * length
            return Period(_us(first), _us(first + length), unit)
        first = today.replace(hour=0, minute=0, second=0, microsecond=0)
        if unit == "day":
            first += timedelta(days=away)
            return Period(_us(first), _us(first + timedelta(days=1)), unit)
        if unit in ("week", "weekend"):
            first += timedelta(days=7 * away - first.weekday())
            begins = first + timedelta(days=5) if unit == "weekend" else first
            return Period(_us(begins), _us(first + timedelta(days=7)), unit)
    except (OverflowError, ValueError):
        return None
    count = MONTHS_OF[unit]
    number = (today.year * 12 + today.month - 1) // count + away
    return months(number * count // 12, number * count % 12 + 1, count, unit)


def back_to_now(unit: str, count: int, now: int) -> Period | None:
    """The last so many units up to and with today."""
    today = shifted("day", 0, now)
    first = shifted("day", -count, now) if unit == "day" else _back(unit, count, now)
    return None if today is None or first is None else Period(first.start, today.end, "range")


def _back(unit: str, count: int, now: int) -> Period | None:
    if unit in ("minute", "hour"):
        return shifted(unit, -count, now)
    if unit == "week":
        return shifted("day", -7 * count, now)
    today = moment(now)
    before = today.year * 12 + today.month - 1 - count * MONTHS_OF.get(unit, 1)
    for day_of_month in range(today.day, 27, -1):
        found = day(before // 12, before % 12 + 1, day_of_month)
        if found is not None:
            return found
    return day(before // 12, before % 12 + 1, min(today.day, 27))


def latest(month: int, count: int, kind: str, now: int) -> Period | None:
    """The latest months, from `month` on, that have begun by `now`."""
    today = moment(now)
    return months(today.year - (month > today.month), month, count, kind)


def latest_day(month: int, day_of_month: int, now: int) -> Period | None:
    """The latest such day up to and with today, 29 February in a year that has one."""
    today = moment(now)
    later = (month, day_of_month) > (today.month, today.day)
    years = range(today.year - later, max(0, today.year - 9), -1)
    return next((found for year in years if (found := day(year, month, day_of_month)) is not None), None)


def third(period: Period, number: int) -> Period:
    """The first, middle or last third (0, 1, 2) of a year, by months, or of a month, by ten days."""
    first = moment(period.start)
    if period.kind == "year":
        return months(first.year, 4 * number + 1, 4, "range") or period
    if period.kind == "month":
        cuts = [day(first.year, first.month, one) for one in (1, 11, 21)]
        begins = cuts[number]
        ends = cuts[number + 1] if number < 2 else None
        if begins is not None:
            return Period(begins.start, period.end if ends is None else ends.start, "range")
    return period


def related(period: Period, relation: str) -> Period:
    """What a relation (before, until, after, since; anything else: in) makes of a period; open ends included."""
    if relation == "before":
        return Period(UNKNOWN_START, period.start, relation)
    if relation == "until":
        return Period(UNKNOWN_START, period.end, relation)
    if relation == "after":
        return Period(period.end, NO_END, relation)
    return Period(period.start, NO_END, relation) if relation == "since" else period


def _us(when: datetime) -> int:
    return (when - _EPOCH) // timedelta(microseconds=1)
