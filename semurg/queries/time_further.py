"""Dates in further languages, as dateparser reads them. Imported by queries.spoken_time when one may be there."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

from dateparser.date import DateDataParser

from semurg.queries.time_periods import Period, moment, shifted
from semurg.queries.time_words import FURTHER_LANGUAGES

_UNITS = {"day": "day", "week": "week", "month": "month", "year": "year", "time": "day"}


def read(text: str, now: int) -> Period | None:
    """The day, week, month or year that a short text names, counted from `now` (µs); None when it names none."""
    base = moment(now).astimezone(UTC).replace(tzinfo=None)
    settings: dict[str, Any] = {
        "RELATIVE_BASE": base,
        "TIMEZONE": "UTC",
        "DATE_ORDER": "DMY",
        "PREFER_DATES_FROM": "past",
        "RETURN_TIME_AS_PERIOD": False,
    }
    try:
        found = DateDataParser(languages=FURTHER_LANGUAGES, settings=settings).get_date_data(text)
    except (ValueError, OverflowError):
        # a count of years that leads out of the calendar
        return None
    when = found.date_obj
    if when is None:
        return None
    instant = (when.replace(tzinfo=UTC) - moment(0)) // timedelta(microseconds=1)
    return shifted(_UNITS.get(found.period, "day"), 0, instant)
