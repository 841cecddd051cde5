"""Expressions of time in Chinese, Japanese and Korean, found anywhere in a text: these put no space between words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from semurg.queries.time_periods import Period, day, latest, latest_day, moment, months, related, shifted

CHARACTERS: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""A question without any of these has no such expression."""

_NUMERALS: Final = {numeral: number for number, numeral in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}
_UNITS: Final = {
    unit: name
    for name, every in (
        ("hour", "小时 小時 時間 시간"), ("day", "天 日 일"), ("week", "周 週 週間 星期 个星期 個星期 주"),
        ("month", "个月 個月 か月 ヶ月 ヵ月 カ月 개월 달"), ("year", "年 년"),
    )
    for unit in every.split()
}  # fmt: skip
_STEPS: Final = {
    word: (unit, step)
    for unit, step, every in (
        ("day", -2, "前天 一昨日 おととい 그저께"), ("day", -1, "昨天 昨日 昨晚 昨夜 きのう 어제"),
        ("day", 0, "今天 今日 きょう 오늘"), ("day", 1, "明天 明日 내일"),
        ("week", -1, "上周 上週 上星期 上个星期 上個星期 先週 지난주"), ("week", 0, "本周 这周 這週 今週 이번주"),
        ("week", 1, "下周 下週 下星期 来週 다음주"),
        ("month", -1, "上个月 上個月 上月 先月 지난달"), ("month", 0, "本月 这个月 這個月 今月 이번달"),
        ("month", 1, "下个月 下個月 来月 다음달"),
        ("year", -2, "前年 一昨年 재작년"), ("year", -1, "去年 昨年 작년 지난해"), ("year", 0, "今年 올해"),
        ("year", 1, "明年 来年 내년"),
    )
    for word in every.split()
}  # fmt: skip
_SEASONS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12, "봄": 3, "여름": 6, "가을": 9, "겨울": 12}
_RELATIONS: Final = {
    word: relation
    for relation, every in (
        ("before", "之前 以前 前 이전 전"), ("after", "之后 之後 以后 以後 后 後 이후"),
        ("since", "以来 以來 以降 から 起 부터"), ("until", "まで 为止 為止 까지"),
    )
    for word in every.split()
}  # fmt: skip


def _one_of(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


_AFTERWARDS: Final = rf"(?:\s?(?P<relation>{_one_of(_RELATIONS)}))?"
_TO: Final = r"\s?(?:至|到|から|부터|[-–—~〜])\s?"
_DATE: Final = re.compile(
    r"(?<![0-9])(?P<year>[0-9]{4})\s?[年년](?!代)(?:\s?(?:第?(?P<quarter>[一二三四1-4])(?:季度|四半期|분기)|"
    rf"(?P<month>[0-9]{{1,2}})\s?[月월](?:\s?(?P<day>[0-9]{{1,2}})\s?[日号號일])?|(?P<season>{_one_of(_SEASONS)})[天季]?))?"
    rf"{_AFTERWARDS}"
)
_YEARS: Final = re.compile(rf"(?<![0-9])(?P<year>[0-9]{{4}})\s?[年년]?{_TO}(?P<last>[0-9]{{4}})\s?[年년](?:まで|까지)?")
_DECADE: Final = re.compile(r"(?<![0-9])(?P<decade>(?:[0-9]{2})?[0-9]0)\s?年代|(?<![0-9])(?P<korean>[0-9]{3}0)\s?년대")
_AGO: Final = re.compile(
    rf"(?<![0-9一二三四五六七八九十百千万億亿两兩数數几幾])(?P<count>[0-9]{{1,4}}|[{''.join(_NUMERALS)}])\s?"
    rf"(?P<unit>{_one_of(_UNITS)})\s?(?:之前|以前|前|전)"
)
_STEP_WORDS: Final = re.sub("이번|지난|다음", lambda found: rf"{found.group()}\s?", _one_of(_STEPS))
_STEP: Final = re.compile(
    rf"(?P<step>{_STEP_WORDS})(?:\s?의?\s?(?:(?P<month>[0-9]{{1,2}})\s?[月월]|(?P<season>{_one_of(_SEASONS)})[天季]?))?"
)
_WEEKDAY: Final = re.compile("(?P<which>[上这這本下])(?:个|個)?(?:星期|周|週|礼拜|禮拜)(?P<weekday>[一二三四五六日天])")
_WEEKDAYS: Final = {numeral: number for number, numeral in enumerate("一二三四五六日")} | {"天": 6}
_DAY: Final = re.compile(
    r"(?<![0-9年년])(?P<month>[0-9]{1,2})\s?[月월](?:\s?(?P<day>[0-9]{1,2})\s?[日号號일])?" + _AFTERWARDS
)


class Found(NamedTuple):
    """An expression at [start, end) (code points) and its period."""

    start: int
    end: int
    period: Period


def expressions(query: str, now: int) -> Iterator[Found]:
    """Every expression in one of these scripts, a longer one before those inside it; they may overlap."""
    if CHARACTERS.search(query) is None:
        return
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], int], Period | None]], ...] = (
        (_YEARS, _years), (_DATE, _date), (_WEEKDAY, _weekday),
        (_DECADE, _decade), (_AGO, _ago), (_STEP, _step), (_DAY, _month_or_day),
    )  # fmt: skip
    for pattern, read in readers:
        for found in pattern.finditer(query):
            period = read(found, now)
            if period is not None:
                yield Found(found.start(), found.end(), period)


def _years(found: re.Match[str], now: int) -> Period | None:
    first, last = months(int(found["year"]), 1, 12, "year"), months(int(found["last"]), 1, 12, "year")
    if first is None or last is None or first.start >= last.end:
        return None
    return Period(first.start, last.end, "range")


def _date(found: re.Match[str], now: int) -> Period | None:
    year = int(found["year"])
    if found["day"]:
        period = day(year, int(found["month"]), int(found["day"]))
    elif found["month"]:
        period = months(year, int(found["month"]), 1, "month")
    elif found["quarter"]:
        quarter = found["quarter"]
        period = months(year, 3 * (_NUMERALS.get(quarter) or int(quarter)) - 2, 3, "quarter")
    elif found["season"]:
        period = months(year, _SEASONS[found["season"]], 3, "season")
    else:
        period = months(year, 1, 12, "year")
    return None if period is None else related(period, _RELATIONS.get(found["relation"] or "", "in"))


def _decade(found: re.Match[str], now: int) -> Period | None:
    number = int(found["decade"] or found["korean"])
    return months(number if number >= 100 else 1_900 + number, 1, 120, "decade")


def _ago(found: re.Match[str], now: int) -> Period | None:
    count = _NUMERALS.get(found["count"]) or int(found["count"])
    return shifted(_UNITS[found["unit"]], -count, now)


def _step(found: re.Match[str], now: int) -> Period | None:
    unit, step = _STEPS["".join(found["step"].split())]
    if unit == "year" and (found["month"] or found["season"]):
        year = moment(now).year + step
        if found["month"]:
            return months(year, int(found["month"]), 1, "month")
        return months(year, _SEASONS[found["season"]], 3, "season")
    return shifted(unit, step, now)


def _weekday(found: re.Match[str], now: int) -> Period | None:
    step = {"上": -1, "下": 1}.get(found["which"], 0)
    away = 7 * step + _WEEKDAYS[found["weekday"]] - moment(now).weekday()
    return shifted("day", away, now)


def _month_or_day(found: re.Match[str], now: int) -> Period | None:
    month = int(found["month"])
    if not 1 <= month <= 12:
        return None
    period = latest_day(month, int(found["day"]), now) if found["day"] else latest(month, 1, "month", now)
    return None if period is None else related(period, _RELATIONS.get(found["relation"] or "", "in"))
