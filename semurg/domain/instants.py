"""Instants and stated dates: how ISO 8601 text becomes microseconds, and how microseconds become text again.

An instant is an int, microseconds since 1970-01-01T00:00:00Z. Nothing here reads a clock or the machine's time zone.
"""

from __future__ import annotations

import re
from datetime import date

import msgspec

from semurg.domain.errors import Refusal, quoted

Instant = int

UNKNOWN_START = -(2**63)
NO_END = 2**63 - 1

_US_A_SECOND = 1_000_000
_US_A_MINUTE = 60 * _US_A_SECOND
_US_A_DAY = 86_400 * _US_A_SECOND
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_FIRST_INSTANT = (date(1, 1, 1).toordinal() - _EPOCH_ORDINAL) * _US_A_DAY
_LAST_INSTANT = (date(9999, 12, 31).toordinal() - _EPOCH_ORDINAL + 1) * _US_A_DAY - 1

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]"
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(Z|([+-])([0-9]{2})(?::([0-9]{2}))?)?"
)
_FIX = (
    "Send an ISO 8601 date (2026, 2026-10 or 2026-10-01) or date-time (2026-10-01T09:30:00Z, or with an offset such as "
    "+02:00), years 0001 to 9999."
)


class StatedDate(msgspec.Struct, frozen=True):
    """A date as it was stated: canonical text, and the first and last microsecond of what it names.

    A date of day, month or year precision keeps its text; a date-time is its UTC form, and its `end` is its `start`.
    """

    text: str
    start: Instant
    end: Instant


def parse_date(text: str, field: str) -> StatedDate:
    """What an ISO 8601 date or date-time names; no offset means UTC, and digits past the microsecond are cut off.

    Raises Refusal date_invalid, naming the field and the value, for every other form and for dates that do not exist.
    """
    try:
        found = _from_text(text)
    except ValueError as problem:
        raise _refused(text, field, f"names no instant that exists ({problem})") from problem
    if found is None:
        raise _refused(text, field, "is not an ISO 8601 date or date-time")
    return found


def date_from_text(text: str) -> StatedDate:
    """The bounds of a canonical text that parse_date made. Raises ValueError on anything else."""
    found = _from_text(text)
    if found is None:
        raise ValueError(f"not a stated date: {text!r}")
    return found


def has_offset(text: str) -> bool:
    """Whether the text has the form of a date-time that states its offset (`Z` counts)."""
    matched = _DATE_TIME.fullmatch(text)
    return matched is not None and matched.group(8) is not None


def format_instant(us: Instant) -> str:
    """The instant as UTC text: 2020-01-01T00:00:00Z, with six digits of fraction when it is not a whole second.

    Raises ValueError outside the years 0001 to 9999 (open bounds included: see format_bound).
    """
    days, in_day = divmod(us, _US_A_DAY)
    day = date.fromordinal(days + _EPOCH_ORDINAL)
    seconds, fraction = divmod(in_day, _US_A_SECOND)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    tail = f".{fraction:06d}Z" if fraction else "Z"
    return f"{day.isoformat()}T{hour:02d}:{minute:02d}:{second:02d}{tail}"


def format_bound(us: Instant) -> str | None:
    """The instant as UTC text, None for an open bound (UNKNOWN_START, NO_END)."""
    return None if us in (UNKNOWN_START, NO_END) else format_instant(us)


def _from_text(text: str) -> StatedDate | None:
    """The stated date, None when the text has neither form. Raises ValueError when it has but does not exist."""
    matched = _DATE.fullmatch(text)
    if matched is not None:
        return _whole_date(text, *matched.groups())
    matched = _DATE_TIME.fullmatch(text)
    return None if matched is None else _date_time(matched)


def _whole_date(text: str, year: str, month: str | None, day: str | None) -> StatedDate:
    first = date(int(year), int(month or 1), int(day or 1))
    if day is not None:
        days = 1
    elif month is not None:
        # the day after the 31st of the same month lies in the next one, also in the last month of year 9999
        days = next(n for n in (31, 30, 29, 28) if _exists(first.year, first.month, n))
    else:
        days = 366 if _exists(first.year, 2, 29) else 365
    start = (first.toordinal() - _EPOCH_ORDINAL) * _US_A_DAY
    return StatedDate(text, start, start + days * _US_A_DAY - 1)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _date_time(matched: re.Match[str]) -> StatedDate:
    year, month, day, hour, minute, second, fraction, _, sign, offset_hours, offset_minutes = matched.groups()
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("the time of day runs from 00:00:00 to 23:59:59")
    ahead_hours, ahead_minutes = int(offset_hours or 0), int(offset_minutes or 0)
    if ahead_hours > 23 or ahead_minutes > 59:
        raise ValueError("an offset runs from -23:59 to +23:59")
    days = date(int(year), int(month), int(day)).toordinal() - _EPOCH_ORDINAL
    local = days * _US_A_DAY + (hours * 60 + minutes) * _US_A_MINUTE + seconds * _US_A_SECOND
    ahead = (ahead_hours * 60 + ahead_minutes) * _US_A_MINUTE
    us = local - (-ahead if sign == "-" else ahead) + int((fraction or "")[:6].ljust(6, "0"))
    if not _FIRST_INSTANT <= us <= _LAST_INSTANT:
        raise ValueError("its offset takes it out of the years 0001 to 9999")
    return StatedDate(format_instant(us), us, us)


def _refused(text: str, field: str, why: str) -> Refusal:
    return Refusal("date_invalid", f"{field}: {quoted(text)} {why}.", _FIX)
