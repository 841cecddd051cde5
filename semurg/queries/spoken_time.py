"""Time in questions: which period an expression such as `last summer` or `im März 2024` speaks of.

Expressions are found by patterns in English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese,
Japanese and Korean, so that most questions cost one look for a digit or a telling word. A day, a word and a year in any
other language are read by dateparser (https://dateparser.readthedocs.io), imported when the first one is met. A number that merely looks
like a year is kept apart as uncertain: it ranks and narrows nothing.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from semurg.domain.instants import NO_END, UNKNOWN_START, format_bound

SCANNED_CHARS = 2_000
DAY_US = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_MONTHS = (
    "january|jan|januar|janvier|enero|gennaio|janeiro|januari|января|январе|январь",
    "february|feb|februar|février|fevrier|febrero|febbraio|fevereiro|februari|февраля|феврале|февраль",
    "march|mar|märz|maerz|mars|marzo|março|maart|марта|марте|март",
    "april|apr|avril|abril|aprile|апреля|апреле|апрель",
    "may|mai|mayo|maggio|maio|mei|мая|мае|май",
    "june|jun|juni|juin|junio|giugno|junho|июня|июне|июнь",
    "july|jul|juli|juillet|julio|luglio|julho|июля|июле|июль",
    "august|aug|août|aout|agosto|augustus|августа|августе|август",
    "september|sept|sep|septembre|septiembre|settembre|setembro|сентября|сентябре|сентябрь",
    "october|oct|oktober|octobre|octubre|ottobre|outubro|октября|октябре|октябрь",
    "november|nov|novembre|noviembre|novembro|ноября|ноябре|ноябрь",
    "december|dec|dezember|décembre|decembre|diciembre|dicembre|dezembro|декабря|декабре|декабрь",
)
_MONTH_NUMBER = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split("|")}
_MONTH = "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True))
_YEAR = r"(?:1[5-9]|20)\d\d"
_OF = r"(?:of|de|del|di|van|do|da)\s+"

_BEFORE = r"before|until|till|by|prior\s+to|up\s+to|vor(?!\s+\d{1,2}\s)|bis|avant|jusqu['’]en|antes\s+de|hasta|prima\s+d[ei]l?|fino\s+al?|voor|tot|до"
_AFTER = r"after|later\s+than|nach|après|después\s+de|dopo(?:\s+il)?|depois\s+de|na|после"
_SINCE = r"since|from|seit|ab|depuis|desde|da|dal|sinds|с"
_IN = (
    r"in|during|on|around|as\s+of|at|throughout|im|am|um|in\s+the\s+year|im\s+jahr|en|au|au\s+mois\s+de|pendant|le|"
    r"durante|nel|nell['’]|em|no|в|во"
)
_LEAD = rf"(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER})|(?P<since>{_SINCE})|(?P<in>{_IN}))\s+(?:the\s+|the\s+year\s+|year\s+)?"

_DATE = (
    rf"(?P<iso>{_YEAR}-\d\d(?:-\d\d)?)(?![\d-])"
    rf"|(?P<cjk>(?:{_YEAR})年(?:\s?\d{{1,2}}月(?:\s?\d{{1,2}}日)?)?)"
    rf"|(?P<full>(?:(?:\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:{_OF})?)?(?:{_MONTH})\b\.?,?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?(?:{_OF})?{_YEAR})"
    rf"|(?P<quarter>q[1-4][\s/]+(?:of\s+)?{_YEAR}|{_YEAR}[\s/-]?q[1-4])"
    rf"|(?P<season>(?:spring|summer|autumn|fall|winter|frühling|sommer|herbst|été|verano|invierno|estate)\s+(?:{_OF}|des\s+jahres\s+)?{_YEAR})"
    r"|(?P<decade>(?:1[5-9]|20)\d0['’]?s\b)"
)
_LAST = r"last|past|previous"
_RELATIVE: tuple[tuple[str, str, int], ...] = (
    (r"the\s+day\s+before\s+yesterday|vorgestern|avant-hier|anteayer|eergisteren|позавчера|前天|一昨日|그저께", "day", -2),
    (r"yesterday|gestern|hier|ayer|ieri|ontem|gisteren|вчера|昨天|昨日|어제", "day", -1),
    (r"today|tonight|this\s+morning|heute|aujourd['’]hui|hoy|oggi|hoje|vandaag|сегодня|今天|今日|오늘", "day", 0),
    (r"tomorrow|morgen(?!s)|demain|mañana|domani|amanhã|завтра|明天|明日|내일", "day", 1),
    (rf"(?:{_LAST})\s+week|letzte[rn]?\s+woche|vorige\s+woche|la\s+semaine\s+dernière|la\s+semana\s+pasada|la\s+settimana\s+scorsa|"
     r"semana\s+passada|vorige\s+week|на\s+прошлой\s+неделе|上周|上个星期|先週|지난주", "week", -1),
    (r"this\s+week|diese[rn]?\s+woche|cette\s+semaine|esta\s+semana|questa\s+settimana|本周|这周|今週|이번\s?주", "week", 0),
    (rf"(?:{_LAST})\s+weekend|letztes\s+wochenende|le\s+week-end\s+dernier", "weekend", -1),
    (rf"(?:{_LAST})\s+month|letzte[nrm]?\s+monat|le\s+mois\s+dernier|el\s+mes\s+pasado|il\s+mese\s+scorso|mês\s+passado|vorige\s+maand|"
     r"в\s+прошлом\s+месяце|上个月|上個月|先月|지난달", "month", -1),
    (r"this\s+month|diesen\s+monat|ce\s+mois(?:-ci)?|este\s+mes|questo\s+mese|本月|今月|이번\s?달", "month", 0),
    (rf"(?:{_LAST})\s+year|letzte[sn]?\s+jahr|voriges\s+jahr|l['’]année\s+dernière|l['’]an\s+dernier|el\s+año\s+pasado|l['’]anno\s+scorso|"
     r"ano\s+passado|vorig\s+jaar|в\s+прошлом\s+году|去年|昨年|작년", "year", -1),
    (r"this\s+year|dieses\s+jahr|cette\s+année|este\s+año|quest['’]anno|今年|올해", "year", 0),
    (r"next\s+year|nächstes\s+jahr|l['’]année\s+prochaine|el\s+año\s+que\s+viene|明年|来年|내년", "year", 1),
    (r"next\s+month|nächsten\s+monat|le\s+mois\s+prochain|下个月|来月", "month", 1),
    (r"next\s+week|nächste\s+woche|la\s+semaine\s+prochaine|下周|来週", "week", 1),
)  # fmt: skip
_UNITS = (
    ("day", r"days?|tage?n?|jours?|d[ií]as?|giorn[io]|dagen|дн(?:я|ей)|день"),
    ("week", r"weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|недел[юиь]|недель"),
    ("month", r"months?|monate?n?|mois|mes(?:es)?|mes[ei]|maanden|месяц(?:а|ев)?"),
    ("year", r"years?|jahre?n?|ans?|années?|años?|ann[io]|anos?|jaar|год(?:а)?|лет"),
)
_UNIT = "|".join(f"(?P<{name}s>{pattern})" for name, pattern in _UNITS)
_COUNT = r"(?P<count>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a\s+couple\s+of|a\s+few|ein(?:em|er)?|zwei|drei|vier|fünf|deux|trois|une?|dos|tres|due|tre|два|две|три)"
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "ein": 1, "einem": 1, "einer": 1, "un": 1, "une": 1, "two": 2, "zwei": 2, "deux": 2,
    "dos": 2, "due": 2, "два": 2, "две": 2, "three": 3, "drei": 3, "trois": 3, "tres": 3, "tre": 3, "три": 3, "four": 4,
    "vier": 4, "five": 5, "fünf": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_AGO = rf"{_COUNT}\s+(?:{_UNIT})\s+(?:ago|fa|atrás|geleden|назад)|(?:vor|il\s+y\s+a|hace)\s+{_COUNT.replace('count', 'counted')}\s+(?:{_UNIT.replace('s>', 's_>')})\b"
_SEASONS = {
    "spring": 3, "frühling": 3, "summer": 6, "sommer": 6, "été": 6, "verano": 6, "estate": 6, "autumn": 9, "fall": 9,
    "herbst": 9, "winter": 12, "invierno": 12,
}  # fmt: skip
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_FILTER = _compiled(
    rf"\d{{4}}|\bq[1-4]\b|\bago\b|yesterday|today|tonight|tomorrow|\b(?:{_LAST}|this|next|ce|cette|este|esta|diese\w*|letzte\w*|vorige?\w*)\s|"
    rf"dernière?|pasad[ao]|scors[ao]|passad[ao]|gestern|heute|morgen|\bhier\b|demain|ayer|hoy|mañana|ieri|oggi|domani|"
    rf"ontem|hoje|vandaag|gisteren|\bvor\s|il\s+y\s+a|\bhace\s|\bfa\b|вчера|сегодня|завтра|прошло|назад|"
    rf"[昨今明前去上先]|어제|오늘|지난|작년|올해|내년|\b(?:{_MONTH})\b"
)
_BETWEEN = _compiled(
    rf"\b(?:between|from|zwischen|von|entre|tra|van|с)\s+(?P<one>{_YEAR}|(?:{_MONTH})\s+{_YEAR})\s+"
    rf"(?:and|to|until|till|und|bis|et|y|e|en|tot|по)\s+(?P<other>{_YEAR}|(?:{_MONTH})\s+{_YEAR})\b"
)
_DATED = _compiled(rf"(?<![A-Za-zÀ-ӿ0-9_-])(?:{_LEAD})?(?:{_DATE})")


def _whole_words(pattern: str) -> re.Pattern[str]:
    """The alternatives as whole words; those in scripts without spaces, or with particles that cling, anywhere."""
    every = pattern.split("|")
    spaced = "|".join(one for one in every if ord(one[0]) < 0x2E80 or one.startswith("(?"))
    unspaced = [one for one in every if ord(one[0]) >= 0x2E80]
    return _compiled("|".join([rf"(?<!\w)(?:{spaced})(?!\w)", *unspaced]))


_RELATIVES = [(_whole_words(pattern), unit, away) for pattern, unit, away in _RELATIVE]
_AGO_FOUND = _compiled(rf"(?<!\w)(?:{_AGO})")
_SEASON_FOUND = _compiled(rf"\b(?P<which>{_LAST}|this|next)\s+(?P<name>spring|summer|autumn|fall|winter)\b")
_WEEKDAY_FOUND = _compiled(rf"\b(?:{_LAST})\s+(?P<name>{_WEEKDAYS})\b")
_MONTH_FOUND = _compiled(
    rf"\b(?:(?P<before>before|until|by|vor|avant|antes\s+de)|(?P<after>after|nach|après)|(?P<since>since|seit|depuis|desde)|"
    rf"(?P<in>in|during|last|this|im|letzten|en|au\s+mois\s+de|a|in\s+early|in\s+late))\s+(?P<name>{_MONTH})\b(?!\s+\d)"
)
_YEAR_FOUND = _compiled(rf"(?<![\w.,$€£#-])(?<!\d\s)(?:{_LEAD})?(?P<year>{_YEAR})(?![\w%-]|[.,]\d|\s\d)")
_OTHER_DATE = _compiled(rf"(?<!\w)(?P<day>\d{{1,2}})\.?\s+(?P<month>[^\W\d_]{{3,12}})\s+(?P<year>{_YEAR})(?!\w)")


class Period(NamedTuple):
    """[start, end) in µs."""

    start: int
    end: int


class SpokenTime(NamedTuple):
    """What a question says of time: the expression, where (code points), the period, and whether it is one for sure.

    `applied` is set by whoever reads facts for the period.
    """

    expression: str
    start: int
    end: int
    period: Period
    certain: bool
    applied: bool = False

    def nearness(self, instant: int) -> float:
        """1 inside the period, less with distance, 0 for what has no date."""
        if instant == UNKNOWN_START:
            return 0.0
        start, end = self.period
        gap = max(start - instant, instant - end + 1, 0)
        if gap == 0:
            return 1.0
        open_ended = start == UNKNOWN_START or end == NO_END
        span = 30 * DAY_US if open_ended else max(end - start, 30 * DAY_US)
        return math.exp(-gap / span)

    def report(self) -> dict[str, Any]:
        """The `time` of a reply."""
        return {
            "expression": self.expression,
            "from": format_bound(self.period.start),
            "to": format_bound(self.period.end),
            "applied": self.applied,
        }


def spoken_time(query: str, now: int) -> SpokenTime | None:
    """The first expression of time in a question, relative ones counted from `now` (µs). None: there is none."""
    text = query[:SCANNED_CHARS]
    if _FILTER.search(text) is None:
        return None
    for find in (_between, _dated, _other_date, _ago, _relative, _season, _weekday, _month, _year):
        found = find(text, now)
        if found is not None:
            return found
    return None


def _between(text: str, now: int) -> SpokenTime | None:
    found = _BETWEEN.search(text)
    if found is None:
        return None
    one, other = _read(found["one"], now), _read(found["other"], now)
    if one is None or other is None or one.start > other.start:
        return None
    return _spoken(found, Period(one.start, other.end))


def _dated(text: str, now: int) -> SpokenTime | None:
    for found in _DATED.finditer(text):
        kind = next(name for name in ("iso", "cjk", "full", "quarter", "season", "decade") if found[name])
        period = _PERIODS[kind](found[kind].lower(), now)
        if period is not None:
            return _spoken(found, _bounded(found, period))
    return None


def _other_date(text: str, now: int) -> SpokenTime | None:
    """A day with its month in a language that the patterns do not know, as dateparser reads it."""
    found = _OTHER_DATE.search(text)
    if found is None:
        return None
    import dateparser

    settings = {"DATE_ORDER": "DMY", "STRICT_PARSING": True}
    read = dateparser.parse(f"{found['day']} {found['month']} {found['year']}", settings=settings)
    period = None if read is None else _day(read.year, read.month, read.day)
    return None if period is None else SpokenTime(found.group(), found.start(), found.end(), period, True)


def _ago(text: str, now: int) -> SpokenTime | None:
    found = _AGO_FOUND.search(text)
    if found is None:
        return None
    written = (found["count"] or found["counted"]).lower()
    count = int(written) if written.isdigit() else _COUNTS.get(written, 2 if "couple" in written else 3)
    unit = next(name for name, _ in _UNITS if found[f"{name}s"] or found[f"{name}s_"])
    return _spoken(found, _shifted(unit, -count, now))


def _relative(text: str, now: int) -> SpokenTime | None:
    for pattern, unit, away in _RELATIVES:
        found = pattern.search(text)
        if found is not None:
            return _spoken(found, _shifted(unit, away, now))
    return None


def _season(text: str, now: int) -> SpokenTime | None:
    found = _SEASON_FOUND.search(text)
    if found is None:
        return None
    today, first = _moment(now), _SEASONS[found["name"].lower()]
    which = found["which"].lower()
    year = today.year + (1 if which == "next" else 0)
    period = _months(year, first, 3)
    while which not in ("this", "next") and period is not None and period.end > now:
        year -= 1
        period = _months(year, first, 3)
    return None if period is None else _spoken(found, period)


def _weekday(text: str, now: int) -> SpokenTime | None:
    found = _WEEKDAY_FOUND.search(text)
    if found is None:
        return None
    wanted = _WEEKDAYS.split("|").index(found["name"].lower())
    back = (_moment(now).weekday() - wanted) % 7 or 7
    return _spoken(found, _shifted("day", -back, now))


def _month(text: str, now: int) -> SpokenTime | None:
    found = _MONTH_FOUND.search(text)
    if found is None:
        return None
    today, month = _moment(now), _MONTH_NUMBER[found["name"].lower()]
    later = month > today.month or ((found["in"] or "").lower() == "last" and month == today.month)
    period = _months(today.year - later, month, 1)
    return None if period is None else _spoken(found, _bounded(found, period))


def _year(text: str, now: int) -> SpokenTime | None:
    for found in _YEAR_FOUND.finditer(text):
        period = _months(int(found["year"]), 1, 12)
        if period is not None:
            led = any(found[name] for name in ("before", "after", "since", "in"))
            return _spoken(found, _bounded(found, period), certain=led)
    return None


def _iso(text: str, now: int) -> Period | None:
    year, month, *day = map(int, text.split("-"))
    return _day(year, month, day[0]) if day else _months(year, month, 1)


def _cjk(text: str, now: int) -> Period | None:
    year, month, day = (
        int(part) if part else 0 for part in re.findall(r"(\d+)年(?:\s?(\d+)月)?(?:\s?(\d+)日)?", text)[0]
    )
    if day:
        return _day(year, month, day)
    return _months(year, month, 1) if month else _months(year, 1, 12)


def _full(text: str, now: int) -> Period | None:
    year = int(re.findall(_YEAR, text)[-1])
    month = _MONTH_NUMBER[re.findall(rf"(?:{_MONTH})(?!\w)", text)[0]]
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", text)
    return _months(year, month, 1) if day is None else _day(year, month, int(day.group()))


def _quarter(text: str, now: int) -> Period | None:
    number = int(re.findall(r"q([1-4])", text)[0])
    return _months(int(re.findall(_YEAR, text)[0]), 3 * number - 2, 3)


def _season_of_year(text: str, now: int) -> Period | None:
    return _months(int(re.findall(_YEAR, text)[0]), _SEASONS[text.split()[0]], 3)


def _decade(text: str, now: int) -> Period | None:
    return _months(int(text[:4]), 1, 120)


_PERIODS = {
    "iso": _iso, "cjk": _cjk, "full": _full, "quarter": _quarter, "season": _season_of_year, "decade": _decade,
}  # fmt: skip


def _read(text: str, now: int) -> Period | None:
    return _months(int(text), 1, 12) if text.isdigit() else _full(text.lower(), now)


def _bounded(found: re.Match[str], period: Period) -> Period:
    """The period that a word before it makes of a date: before 2020, after March, since Friday."""
    if found["before"]:
        return Period(UNKNOWN_START, period.start)
    if found["after"]:
        return Period(period.end, NO_END)
    return Period(period.start, NO_END) if found["since"] else period


def _spoken(found: re.Match[str], period: Period, certain: bool = True) -> SpokenTime:
    return SpokenTime(found.group().strip(), found.start(), found.end(), period, certain)


def _shifted(unit: str, away: int, now: int) -> Period:
    """The day, week (from Monday), weekend, month or year that lies so many away from the one of `now`."""
    today = _moment(now).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if unit == "day":
            first = today + timedelta(days=away)
            return Period(_us(first), _us(first + timedelta(days=1)))
        if unit in ("week", "weekend"):
            monday = today - timedelta(days=today.weekday()) + timedelta(weeks=away)
            first = monday + timedelta(days=5) if unit == "weekend" else monday
            return Period(_us(first), _us(monday + timedelta(days=7)))
        months = today.year * 12 + today.month - 1 + (away if unit == "month" else 0)
        shifted = _months(months // 12, months % 12 + 1, 1) if unit == "month" else _months(today.year + away, 1, 12)
    except OverflowError:
        shifted = None
    return shifted or Period(UNKNOWN_START, _us(today))


def _months(year: int, month: int, count: int) -> Period | None:
    last = year * 12 + month - 1 + count
    if not (year >= 1 and 1 <= month <= 12 and last // 12 <= 9999):
        return None
    return Period(_us(datetime(year, month, 1, tzinfo=UTC)), _us(datetime(last // 12, last % 12 + 1, 1, tzinfo=UTC)))


def _day(year: int, month: int, day: int) -> Period | None:
    try:
        first = datetime(year, month, day, tzinfo=UTC)
        return Period(_us(first), _us(first + timedelta(days=1)))
    except (ValueError, OverflowError):
        return None


def _moment(now: int) -> datetime:
    return _EPOCH + timedelta(microseconds=now)


def _us(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
