"""Periods counted from now in a question: `yesterday`, `two weeks ago`, `last summer`, `this month`, `on Monday`."""

from __future__ import annotations

from collections.abc import Sequence

from semurg.queries.time_periods import Period, back_to_now, moment, months, related, shifted
from semurg.queries.time_tokens import Read, Tokens
from semurg.queries.time_words import (
    AGO_AFTER,
    AGO_BEFORE,
    COUNTS,
    MONTHS,
    NAMELIKE_MONTHS,
    TRAILING,
    UNITS,
    WEEKDAYS,
    WHICH,
    phrases_by_first,
)

_DAYS = phrases_by_first()
_SINCE = frozenset({"since", "seit", "depuis", "desde", "sinds"})
_FRENCH = frozenset(
    {"le", "la", "les", "est", "qui", "que", "qu", "quoi", "ou", "je", "j", "il", "elle", "nous", "vous", "on", "du",
     "et", "avec", "au", "c", "l", "t"}
)  # fmt: skip
_GERMAN = frozenset({"wer", "wie", "was", "wo", "ist", "der", "die", "das", "und", "wir", "ich", "sie", "es", "wohnt"})
_COUNT_MAX = 10_000


class RelativeReader(Tokens):
    """Reads what is counted from now at a token; None where it is something else."""

    def days(self, place: int) -> Read | None:
        """`yesterday`, `the day before yesterday`, `heute`."""
        for phrase, step in _DAYS.get(self._keys[place], ()):
            if all(self._key(place + offset) == word for offset, word in enumerate(phrase) if offset):
                if self._is_another_word(place, phrase[0]):
                    return None
                period = shifted("day", step, self._now)
                return None if period is None else Read(place + len(phrase), period)
        return None

    def _is_another_word(self, place: int, key: str) -> bool:
        """`hier` is German for here, `morgen` for morning."""
        words = set(self._keys)
        if key == "hier":
            return bool(words & _GERMAN) or not words & _FRENCH
        return key == "morgen" and place > 0 and self._keys[place - 1] in ("guten", "goede", "am", "jeden")

    def ago(self, place: int) -> Read | None:
        """`two weeks ago`, `vor zwei Wochen`, `il y a 3 jours`, `hace dos días`, `3 giorni fa`; `seit 3 Tagen`."""
        before = next((len(words) for words in AGO_BEFORE if self._starts(place, words)), 0)
        if before and self._keys[place] == "ha" and self._raw(place).lower() != "há":
            return None
        since = self._keys[place] in _SINCE
        at = place + (before or int(since))
        count = self._count_at(at) if at > place else self._count_here(at)
        if not 1 <= count <= _COUNT_MAX:
            return None
        if self._keys[at] == "a" and self._key(at + 1) in ("couple", "few"):
            at += 1
            count = COUNTS[self._keys[at]]
        at = self._past_of(at + 1)
        unit = UNITS.get(self._key(at), "")
        if not unit or unit == "weekend":
            return None
        if since:
            period = back_to_now(unit, count, self._now)
            return None if period is None else Read(at + 1, related(period, "since"))
        if not before:
            at += 1
            if self._key(at) not in AGO_AFTER:
                return None
        period = shifted(unit, -count, self._now)
        return None if period is None else Read(at + 1, period)

    def _starts(self, place: int, words: Sequence[str]) -> bool:
        if self._keys[place] != words[0]:
            return False
        return all(self._key(place + offset) == word for offset, word in enumerate(words) if offset)

    def which(self, place: int) -> Read | None:
        """`last week`, `next May`, `this summer`, `past 3 days`, `la semaine dernière`, `verano pasado`."""
        step = WHICH.get(self._keys[place])
        if step is None:
            step = WHICH.get(self._key(place + 1)) if self._key(place + 1) in TRAILING else None
            found = None if step is None else self._chosen(place, step)
            return None if found is None else Read(place + 2, found)
        count = self._count_at(place + 1)
        unit = UNITS.get(self._key(place + 2), "")
        if step == -1 and count and unit and unit != "weekend":
            period = back_to_now(unit, count, self._now)
            return None if period is None else Read(place + 3, period)
        key = self._key(place + 1)
        if not key or self._key(place + 2) in ("of", "des", "du", "del"):
            return None
        if key in NAMELIKE_MONTHS and step == 0 and not self._raw(place + 1)[:1].isupper():
            return None
        if self._keys[place] == "past" and UNITS.get(key) in ("week", "month", "year", "quarter", "decade"):
            found = back_to_now(UNITS[key], 1, self._now)
        else:
            found = self._chosen(place + 1, step)
        return None if found is None else Read(place + 2, found)

    def _chosen(self, place: int, step: int) -> Period | None:
        """The last, this or next unit, season, month or weekday that the token names."""
        key = self._keys[place]
        unit = UNITS.get(key, "")
        if unit in ("week", "weekend", "month", "quarter", "year", "decade"):
            return shifted(unit, step, self._now)
        first = self._season_at(place)
        if first:
            return self._turn(first, 3, "season", step)
        month = MONTHS.get(key, 0)
        if month:
            return self._turn(month, 1, "month", step)
        if key in WEEKDAYS:
            today = moment(self._now).weekday()
            away = (WEEKDAYS[key] - today) % 7
            return shifted(
                "day", WEEKDAYS[key] - today if step == 0 else (away or 7) if step > 0 else away - 7, self._now
            )
        return None

    def _turn(self, first: int, count: int, kind: str, step: int) -> Period | None:
        """The last such months that are over, those of this year (or not over yet), or the next to begin."""
        year = moment(self._now).year
        turns = [turn for one in (year - 2, year - 1, year, year + 1) if (turn := months(one, first, count, kind))]
        if step < 0:
            over = [turn for turn in turns if turn.end <= self._now]
            return over[-1] if over else None
        ahead = [turn for turn in turns if turn.start > self._now]
        if step > 0:
            return ahead[0] if ahead else None
        running = [turn for turn in turns if turn.start <= self._now < turn.end]
        return running[0] if running else months(year, first, count, kind)

    def weekday(self, place: int) -> Read | None:
        """A weekday alone, which needs a word before it: the latest one, today included."""
        wanted = WEEKDAYS.get(self._keys[place])
        if wanted is None:
            return None
        period = shifted("day", -((moment(self._now).weekday() - wanted) % 7), self._now)
        return None if period is None else Read(place + 1, period, "weekday")
