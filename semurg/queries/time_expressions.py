"""Periods that a question names by the calendar: dates, months, years, quarters, seasons, decades, centuries.

Read word by word, each by its folded form, in one pass: the cost is that of the question's words. What stands before
an expression and bounds it (`before`, `since`) is queries.spoken_time's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from semurg.queries.time_periods import Period, day, latest, latest_day, moment, months
from semurg.queries.time_relative import RelativeReader
from semurg.queries.time_tokens import YEAR, Base, Read, Token, Tokens
from semurg.queries.time_words import (
    CONNECTORS,
    COUNTED,
    FOREIGN_ALIKE,
    MONTHS,
    NAMELIKE_MONTHS,
    NUMBERED,
    ORDINALS,
    SHORT_MONTHS,
    UNITS,
)

_QUARTER = re.compile("([qth])([1-4])")
_DECADE = re.compile("([0-9]{3}0|[2-9]0)(s|er|ern)")
_CENTURY = re.compile("([0-9]{1,2})(st|nd|rd|th|e|eme)?")
_YEAR_FIRST, _YEAR_LAST = 1_900, 2_100


def bases(query: str, tokens: Sequence[Token], now: int) -> Iterator[Base]:
    """Every period that words of the question name by themselves, in order of place, none overlapping another."""
    by_calendar, from_now = DateReader(query, tokens, now), RelativeReader(query, tokens, now)
    readers: tuple[Callable[[int], Read | None], ...] = (
        from_now.ago, from_now.days, by_calendar.days_of_month, by_calendar.day_and_month, by_calendar.month,
        by_calendar.quarter, by_calendar.season, by_calendar.decade, by_calendar.century, from_now.which,
        from_now.weekday, by_calendar.year,
    )  # fmt: skip
    place = 0
    while place < len(tokens):
        read = next((found for reader in readers if (found := reader(place)) is not None), None)
        if read is None or place in by_calendar.spoilt:
            place += 1
            continue
        start, end = tokens[place].start, tokens[read.last - 1].end
        yield Base(start, end, place, read.last, read.period, read.strength, tokens[place].key)
        place = read.last


class DateReader(Tokens):
    """Reads what the calendar names at a token; None where it is something else. `spoilt`: what is no day at all."""

    def __init__(self, query: str, tokens: Sequence[Token], now: int) -> None:
        super().__init__(query, tokens, now)
        self.spoilt: set[int] = set()

    def days_of_month(self, place: int) -> Read | None:
        """`21 to 23 May 2023`, `21-23 May`."""
        first, join = self._day_at(place), place + 1
        if not first or not self._is_free_day(place):
            return None
        if self._key(join) in CONNECTORS:
            join += 1
        elif self._query[self._tokens[place].end : self._tokens[place].end + 1] not in ("-", "–"):
            return None
        if not self._day_at(join):
            return None
        found = self._dated(join)
        if found is None or found.period.kind != "day":
            return None
        until = moment(found.period.start)
        begins = day(until.year, until.month, first)
        if begins is None or begins.start >= found.period.end:
            return None
        return Read(found.last, Period(begins.start, found.period.end, "range"))

    def _is_free_day(self, place: int) -> bool:
        token = self._tokens[place]
        return token.start == 0 or self._query[token.start - 1] not in "$€£#.,/:+-"

    def day_and_month(self, place: int) -> Read | None:
        """`21 May 2023`, `21st of May`, `5. März`."""
        return self._dated(place) if self._is_free_day(place) else None

    def _dated(self, place: int) -> Read | None:
        number = self._day_at(place)
        if not number:
            return None
        at = self._past_of(place + 1)
        month = self._month_at(at)
        if not month:
            return None
        year = self._year_at(self._past_of(at + 1))
        if year:
            period = day(year, month, number)
            if period is None:
                # 31 February 2023 is neither February nor 2023
                self.spoilt.update((at, self._past_of(at + 1)))
                return None
            return Read(self._past_of(at + 1) + 1, period)
        period = latest_day(month, number, self._now)
        if period is None or not self._is_date_like(at, suffixed=not self._keys[place].isdigit()):
            return None
        return Read(at + 1, period)

    def _is_date_like(self, month_at: int, suffixed: bool) -> bool:
        """Whether a month with a day and no year is meant as one: `2 may be right`, `unit 3 May fail` are not."""
        key, raw = self._keys[month_at], self._raw(month_at)
        if key not in NAMELIKE_MONTHS and key not in SHORT_MONTHS:
            return True
        return raw[:1].isupper() and (suffixed or self._key(month_at + 1) == "" or key not in ("may", "march", "mar"))

    def month(self, place: int) -> Read | None:
        """`March 2024`, `May 21, 2023`, `May 21st`, and a month alone, which needs a word before it."""
        key, month = self._key(place) or self._keys[place], self._month_at(place)
        month = month or MONTHS.get(key) or SHORT_MONTHS.get(key, 0)
        if not month:
            return None
        at = self._past_of(place + 1)
        year = self._year_at(at)
        if year:
            period = months(year, month, 1, "month")
            strength = "year" if key in FOREIGN_ALIKE else "sure"
            return None if period is None else Read(at + 1, period, strength)
        number = self._day_at(place + 1)
        if number:
            dated = self._month_day(place, month, number)
            if dated is not None:
                return dated
        period = latest(month, 1, "month", self._now)
        if key in SHORT_MONTHS and key not in MONTHS:
            return None
        return None if period is None else Read(place + 1, period, "month")

    def _month_day(self, place: int, month: int, number: int) -> Read | None:
        year = self._year_at(place + 2)
        if year:
            period = day(year, month, number)
            return None if period is None else Read(place + 3, period)
        suffixed = not self._keys[place + 1].isdigit()
        counted = self._key(place + 2) in COUNTED
        if counted or not self._raw(place)[:1].isupper() or not (suffixed or self._is_free(place + 1)):
            return None
        period = latest_day(month, number, self._now)
        return None if period is None else Read(place + 2, period)

    def year(self, place: int) -> Read | None:
        """A number that may be a year."""
        year = self._year_at(place)
        if not year and place < len(self._keys) and YEAR.fullmatch(self._keys[place]):
            year = int(self._keys[place])
        if not year or not self._is_free(place):
            return None
        beside = (self._key(place + 1), self._keys[place - 1] if place and self._key(place) else "")
        if any(key.isdigit() for key in beside) or beside[0] in COUNTED or beside[1] in NUMBERED:
            return None
        period = months(year, 1, 12, "year")
        if period is None:
            return None
        return Read(place + 1, period, "year" if _YEAR_FIRST <= year <= _YEAR_LAST else "led")

    # parts of years and more than years

    def quarter(self, place: int) -> Read | None:
        """`Q3 2023`, `2023 Q3`, `third quarter of 2023`, `H1 2024`, `first half of 2024`; `in Q3`."""
        keys, year = self._keys, self._year_at(place)
        if year:
            found = _QUARTER.fullmatch(self._key(place + 1))
            return None if found is None else self._part_of_year(year, found[1], int(found[2]), place + 2)
        found = _QUARTER.fullmatch(keys[place])
        if found is not None:
            at = self._past_of(place + 1)
            year = self._year_at(at)
            if year:
                return self._part_of_year(year, found[1], int(found[2]), at + 1)
            if found[1] != "q":
                return None
            period = latest(3 * int(found[2]) - 2, 3, "quarter", self._now)
            return None if period is None else Read(place + 1, period, "led")
        number, what = ORDINALS.get(keys[place], 0), self._key(place + 1)
        at = self._past_of(place + 2)
        if number and self._year_at(at) and (UNITS.get(what) == "quarter" or what in ("half", "halbjahr", "semestre")):
            kind = "q" if UNITS.get(what) == "quarter" else "h"
            return self._part_of_year(self._year_at(at), kind, number, at + 1)
        return None

    @staticmethod
    def _part_of_year(year: int, kind: str, number: int, last: int) -> Read | None:
        if kind == "h" and number > 2:
            return None
        count, name = (6, "half") if kind == "h" else (3, "quarter")
        period = months(year, count * (number - 1) + 1, count, name)
        return None if period is None else Read(last, period)

    def season(self, place: int) -> Read | None:
        """`summer 2022`, `winter of 2019`, `im Sommer des Jahres 2020`."""
        first = self._season_at(place)
        at = self._past_of(place + 1)
        year = self._year_at(at) if first else 0
        period = months(year, first, 3, "season") if year else None
        return None if period is None else Read(at + 1, period)

    def decade(self, place: int) -> Read | None:
        """`1990s`, `the 90s`, `1990er`, `90er Jahre`, `années 90`, `anni '90`."""
        keys = self._keys
        if keys[place] in ("annees", "anni", "anos", "jaren"):
            number = self._key(place + 1)
            if number.isdigit() and len(number) in (2, 4) and number.endswith("0"):
                return self._tens(int(number), place + 2)
            return None
        found = _DECADE.fullmatch(keys[place])
        if found is None or not self._is_free(place):
            return None
        short = len(found[1]) == 2
        before = keys[place - 1] if place else ""
        if (
            short
            and before not in ("the", "early", "late", "mid", "den", "der", "die")
            and self._key(place + 1) != "jahre"
        ):
            return None
        last = place + 2 if self._key(place + 1) in ("jahre", "jahren") else place + 1
        return self._tens(int(found[1]), last)

    @staticmethod
    def _tens(number: int, last: int) -> Read | None:
        period = months(number if number >= 100 else 1_900 + number, 1, 120, "decade")
        return None if period is None else Read(last, period)

    def century(self, place: int) -> Read | None:
        """`19th century`, `19. Jahrhundert`, `19e siècle`."""
        if self._key(place + 1) not in ("century", "jahrhundert", "jahrhunderts", "siecle", "secolo", "eeuw"):
            return None
        found = _CENTURY.fullmatch(self._keys[place])
        number = int(found[1]) if found is not None else 0
        period = months(100 * number - 99, 1, 1_200, "century") if 1 <= number <= 21 else None
        return None if period is None else Read(place + 2, period)
