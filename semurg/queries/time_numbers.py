"""Dates written in figures: ISO 8601, 21.05.2023, 21/05/2023, 2023/05/21. What cannot be a date is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from semurg.domain.errors import Refusal
from semurg.domain.instants import parse_date
from semurg.queries.time_periods import Period, day
from semurg.queries.time_scripts import Found

_EDGE = r"(?<![\w.,/:+#$€£-])"
_AFTER = r"(?![\w/:+-]|[.,][0-9])"
_ISO = re.compile(
    rf"{_EDGE}[0-9]{{4}}-[0-9]{{2}}(?:-[0-9]{{2}}(?:[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,9}})?)?"
    rf"(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})?)?)?{_AFTER}"
)
_DAY_FIRST = re.compile(rf"{_EDGE}([0-9]{{1,2}})([./])([0-9]{{1,2}})\2([0-9]{{4}}){_AFTER}")
_YEAR_FIRST = re.compile(rf"{_EDGE}([0-9]{{4}})([./])([0-9]{{1,2}})\2([0-9]{{1,2}}){_AFTER}")
_US_A_SECOND = 1_000_000
_NUMBERED = re.compile(r"(?i)\b(?:v|version|release|build|ver|ip|serial)\.?\s?$")


def numeric_dates(query: str) -> Iterator[Found]:
    """Every date in figures, in no order. The day of 05/06/2023 is taken to be the 5th; 05/21/2023 reads one way."""
    for found in _ISO.finditer(query):
        period = _iso(found.group())
        if period is not None:
            yield Found(found.start(), found.end(), period)
    for pattern, order in ((_DAY_FIRST, (4, 3, 1)), (_YEAR_FIRST, (1, 3, 4))):
        for found in pattern.finditer(query):
            year, month, day_of_month = (int(found[group]) for group in order)
            if _NUMBERED.search(query[max(0, found.start() - 12) : found.start()]):
                continue
            if month > 12 and found[2] == "/" and pattern is _DAY_FIRST:
                month, day_of_month = day_of_month, month
            period = day(year, month, day_of_month) if year >= 1_000 else None
            if period is not None:
                yield Found(found.start(), found.end(), period)


def _iso(text: str) -> Period | None:
    try:
        stated = parse_date(text, "query")
    except Refusal:
        return None
    if len(text) <= 10:
        return Period(stated.start, stated.end + 1, "month" if len(text) == 7 else "day")
    # an instant stands for what it was told to: the minute or the second
    told_seconds = text[16:17] == ":"
    return Period(stated.start, stated.start + (1 if told_seconds else 60) * _US_A_SECOND, "instant")
