"""Time in questions: which period an expression such as `last summer`, `im März 2024` or `before 2020` speaks of.

A question that holds no digit and no word of time costs one look at its words. Expressions in eleven languages are
read here, by words (time_words, time_scripts) and calendar (time_periods); a date in a further language goes to
dateparser (https://dateparser.readthedocs.io), imported when the first such question comes, or ahead by warm_up. What
merely may be a year is kept apart as uncertain: it ranks, and excludes nothing.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from semurg.domain.instants import NO_END, UNKNOWN_START, format_bound
from semurg.queries import time_scripts
from semurg.queries.time_expressions import bases
from semurg.queries.time_numbers import numeric_dates
from semurg.queries.time_periods import Period, latest, latest_day, moment, related, third
from semurg.queries.time_tokens import Base, Token, tokens_of
from semurg.queries.time_words import (
    CONNECTORS,
    COUNTS,
    DAY_WORDS,
    FILLERS,
    FURTHER_AGO,
    FURTHER_DAYS,
    MONTHS,
    NAMELIKE_MONTHS,
    ONWARD,
    OPENERS,
    UNITS,
    WORDS,
    phrases_by_last,
)

NEAR_US = 30 * 86_400_000_000
_DIGIT = re.compile("[0-9]")
_DASH = re.compile(r"\s?[-–—~]\s?")
_YEARS = re.compile("[0-9]{4}")
_GAP = re.compile(r"[\s,.'’]{1,3}")
_BEFORE_BY_LAST = phrases_by_last()
# words that also introduce much else: they do not make a month with the name of a person a time
_LOOSE_LEADS = frozenset(
    {"of", "for", "from", "by", "de", "du", "do", "del", "a", "no", "na", "le", "o", "за", "на", "around"}
)
_LOOSE_FOR_YEARS = frozenset({"a", "no", "na", "le", "o", "by", "am", "um"})
_WEEKDAY_LEADS = frozenset(
    {"on", "am", "op", "el", "since", "until", "before", "after", "seit", "bis", "depuis", "desde", "в", "во"}
)


class SpokenTime(NamedTuple):
    """What a question says of time: the expression at [start, end) (code points) and its period, half-open, µs.

    `from_us` and `to_us` are UNKNOWN_START and NO_END where the expression leaves an end open. `kind` is the unit of
    the period, "range", or its relation to one (before, until, after, since). Not `certain`: it may be no time at all.
    """

    expression: str
    start: int
    end: int
    from_us: int
    to_us: int
    kind: str
    certain: bool

    def nearness(self, instant: int) -> float:
        """1 inside the period, less with distance, 0 for an instant that is unknown."""
        if instant == UNKNOWN_START:
            return 0.0
        gap = max(self.from_us - instant, instant - self.to_us + 1, 0)
        if gap == 0:
            return 1.0
        is_open = self.from_us == UNKNOWN_START or self.to_us == NO_END
        return math.exp(-gap / (NEAR_US if is_open else max(self.to_us - self.from_us, NEAR_US)))

    def report(self, applied: bool) -> dict[str, Any]:
        """The `time` of a reply; `applied`: facts were read, or passages ranked, by it."""
        bounds = {"from": format_bound(self.from_us), "to": format_bound(self.to_us)}
        return {"expression": self.expression, **bounds, "applied": applied}


class _Placed(NamedTuple):
    """An expression with what stands before it taken in, at [start, end)."""

    start: int
    end: int
    period: Period
    certain: bool


def spoken_time(query: str, now_us: int) -> SpokenTime | None:
    """The first expression of time in a question that is certain, else the first that may be one; None: there is none.

    Relative ones are counted from `now_us`; the calendar is UTC's, and a month or day without a year is the latest one.
    """
    tokens = tokens_of(query)
    may = _DIGIT.search(query) is not None or any(token.key in WORDS for token in tokens)
    if not may and time_scripts.CHARACTERS.search(query) is None:
        return None
    found = _Question(query, now_us).expressions()
    best = next((one for one in found if one.certain), found[0] if found else None)
    if best is None:
        return None
    period = best.period
    expression = query[best.start : best.end]
    return SpokenTime(expression, best.start, best.end, period.start, period.end, period.kind, best.certain)


def warm_up() -> None:
    """Import dateparser and read its languages: the first question that needs it takes some tenths of a second else."""
    from semurg.queries.time_further import read

    read("5 marca 2024", 0)


class _Question:
    """One question being read."""

    def __init__(self, query: str, now: int) -> None:
        self._query = query
        self._now = now
        self._tokens = tokens_of(query)

    def expressions(self) -> list[_Placed]:
        """All expressions in order of place, none overlapping another."""
        bases = self._bases()
        placed: list[_Placed] = []
        taken: set[int] = set()
        for index in range(len(bases) - 1):
            joined = None if index in taken else self._range(bases[index], bases[index + 1])
            if joined is not None:
                placed.append(joined)
                taken.update((index, index + 1))
        placed += [one for index, base in enumerate(bases) if index not in taken and (one := self._single(base))]
        if not any(one.certain for one in placed):
            placed += self._further()
        return sorted(placed)

    def _bases(self) -> list[Base]:
        """What names a period by itself, in order of place."""
        query, now = self._query, self._now
        taken = bytearray(len(query))
        found: list[Base] = []
        for one in [*numeric_dates(query), *time_scripts.expressions(query, now)]:
            if not any(taken[one.start : one.end]):
                found.append(self._with_tokens(Base(one.start, one.end, -1, -1, one.period, "sure", "")))
                taken[one.start : one.end] = b"\1" * (one.end - one.start)
        for base in bases(query, self._tokens, now):
            if not any(taken[base.start : base.end]):
                found.append(base)
        return sorted(found, key=lambda base: base.start)

    def _with_tokens(self, base: Base) -> Base:
        first = bisect_right(self._tokens, base.start, key=lambda token: token.end)
        last = bisect_left(self._tokens, base.end, key=lambda token: token.start)
        return base._replace(first=first, last=last)

    # two of them

    def _range(self, one: Base, other: Base) -> _Placed | None:
        """From the start of one period to the end of another that follows it: `between 2019 and 2021`, `2019–2021`."""
        between = self._query[one.end : other.start]
        opener = self._opener(one)
        if _DASH.fullmatch(between):
            if not (one.period.kind == other.period.kind and one.period.kind in ("year", "month", "day")):
                return None
        elif opener is None or not self._is_connector(between):
            return None
        first, last = one.period, other.period
        if one.word in MONTHS and one.strength == "month":
            # the month of the same year, or of the one before
            first = latest(MONTHS[one.word], 1, "month", last.start) or first
        elif (
            first.kind == "day" and first.start >= last.end and _YEARS.search(self._query[one.start : one.end]) is None
        ):
            spoken = moment(first.start)
            first = latest_day(spoken.month, spoken.day, last.start) or first
        if first.start >= last.end:
            return None
        start = one.start if opener is None else self._tokens[opener].start
        return _Placed(start, other.end, Period(first.start, last.end, "range"), True)

    def _opener(self, base: Base) -> int | None:
        if base.first < 0:
            return None
        for place in range(base.first - 1, max(-1, base.first - 4), -1):
            if self._tokens[place].key in OPENERS:
                return place
            if self._tokens[place].key not in FILLERS:
                return None
        return None

    @staticmethod
    def _is_connector(between: str) -> bool:
        words = [token.key for token in tokens_of(between)]
        return (
            bool(words)
            and len(words) <= 3
            and words[0] in CONNECTORS
            and all(word in FILLERS or word in CONNECTORS or word in ("en", "in") for word in words[1:])
        )

    # one of them

    def _single(self, base: Base) -> _Placed | None:
        """The expression with the words before it that change or bound its period; None when it is none without."""
        period, start = base.period, base.start
        lead, place = "", base.first
        relation = "in"
        for _ in range(2):
            found = self._phrase_before(place, base.word in DAY_WORDS)
            if found is None:
                break
            first, what, meaning, lead_word = found
            place, start = first, self._tokens[first].start
            if what == "part" and isinstance(meaning, int):
                period, lead = third(period, meaning), lead_word
                continue
            relation, lead = str(meaning), lead_word
            if relation in ("before", "after") and self._is_counted(first):
                # two days before yesterday: of another time
                return None
            break
        end = base.end
        if relation == "in" and lead in ("from", "von", "vanaf", "ab") and self._onward(base.last):
            relation, end = "since", self._tokens[base.last].end
        strength = self._strength(base, lead, relation)
        if strength is None:
            return None
        return _Placed(start, end, related(period, relation), strength)

    def _phrase_before(self, place: int, is_day: bool) -> tuple[int, str, int | str, str] | None:
        """(its first token, what it is, its meaning, its words) of the phrase that ends at the token `place`.

        `on` goes with a weekday or a date, and no French article after it.
        """
        for fillers in range(3):
            last = place - 1 - fillers
            if last < 0 or not self._adjoins(last):
                return None
            for phrase, what, meaning in _BEFORE_BY_LAST.get(self._tokens[last].key, ()):
                first = last - len(phrase) + 1
                if first < 0 or tuple(token.key for token in self._tokens[first : last + 1]) != phrase:
                    continue
                if phrase != ("on",) or (not is_day and self._tokens[place - 1].key in ("on", "the")):
                    return first, what, meaning, " ".join(phrase)
            if self._tokens[last].key not in FILLERS:
                return None
        return None

    def _adjoins(self, place: int) -> bool:
        """Whether nothing but space or an apostrophe stands between a token and the next."""
        after = self._tokens[place + 1].start if place + 1 < len(self._tokens) else len(self._query)
        gap = self._query[self._tokens[place].end : after]
        return gap == "" or (_GAP.fullmatch(gap) is not None and "." not in gap and "," not in gap)

    def _is_counted(self, place: int) -> bool:
        return (
            place >= 2
            and self._tokens[place - 1].key in UNITS
            and (self._tokens[place - 2].key in COUNTS or self._tokens[place - 2].key.isdigit())
        )

    def _onward(self, place: int) -> bool:
        return 0 <= place < len(self._tokens) and self._tokens[place].key in ONWARD and self._adjoins(place - 1)

    def _strength(self, base: Base, lead: str, relation: str) -> bool | None:
        """Whether the expression is certain; None when what stands before it does not make it one."""
        if base.strength == "sure":
            return True
        if base.strength == "year":
            return lead != "" and lead not in _LOOSE_FOR_YEARS
        if base.strength == "led":
            # in 1600 Pennsylvania Avenue
            follows = base.last < len(self._tokens) and self._adjoins(base.last - 1)
            is_name = follows and self._query[self._tokens[base.last].start].isupper()
            return not is_name if lead else None
        if base.strength == "weekday":
            return True if lead in _WEEKDAY_LEADS else None
        if base.strength == "month":
            if base.word not in NAMELIKE_MONTHS:
                return lead != ""
            if lead == "" or lead in _LOOSE_LEADS:
                return None
            return relation in ("in", "since")
        return bool(lead)

    # in other languages

    def _further(self) -> Iterator[_Placed]:
        """A day or month with its year, or a relative day, in a language that dateparser reads."""
        for first, last in _further_places(self._tokens):
            from semurg.queries.time_further import read

            start, end = self._tokens[first].start, self._tokens[last - 1].end
            period = read(self._query[start:end], self._now)
            if period is not None:
                yield _Placed(start, end, period, True)


def _further_places(tokens: Sequence[Token], most: int = 4) -> list[tuple[int, int]]:
    """Where such an expression may stand, as tokens [first, last): the first few."""
    places: list[tuple[int, int]] = []
    for place, token in enumerate(tokens):
        if len(places) == most:
            break
        if token.key in FURTHER_DAYS:
            places.append((place, place + 1))
        elif token.key in FURTHER_AGO:
            back = [first for first in range(place - 1, max(-1, place - 4), -1) if tokens[first].key.isdigit()]
            places += [(first, place + 1) for first in back[:1] if place - first >= 2]
        elif token.key.isalpha() and len(token.key) >= 3 and 0 < place < len(tokens) - 1:
            day, year = tokens[place - 1].key, tokens[place + 1].key
            if day.isdigit() and len(day) <= 2 and year.isdigit() and len(year) == 4 and year[0] in "12":
                places.append((place - 1, place + 2))
    return places
