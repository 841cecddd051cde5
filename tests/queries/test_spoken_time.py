"""Which period a question speaks of. The present is Wednesday, 2024-05-15, 12:00 UTC, in every case."""

from __future__ import annotations

import pytest

from semurg.domain.instants import parse_date
from semurg.queries.spoken_time import spoken_time

NOW = parse_date("2024-05-15T12:00:00Z", "now").start
OPEN = None

CASES = [
    ("Where did Dana work in March 2024?", "2024-03-01", "2024-04-01"),
    ("Where did Dana work before 2020?", OPEN, "2020-01-01"),
    ("What did we decide after 2020?", "2021-01-01", OPEN),
    ("Who has led the team since 2019?", "2019-01-01", OPEN),
    ("What happened last summer?", "2023-06-01", "2023-09-01"),
    ("What happened last winter?", "2023-12-01", "2024-03-01"),
    ("Who owned it as of yesterday?", "2024-05-14", "2024-05-15"),
    ("What did I buy yesterday?", "2024-05-14", "2024-05-15"),
    ("What is on today?", "2024-05-15", "2024-05-16"),
    ("What is planned for tomorrow?", "2024-05-16", "2024-05-17"),
    ("What did we do last week?", "2024-05-06", "2024-05-13"),
    ("What did we do this week?", "2024-05-13", "2024-05-20"),
    ("What did we do last month?", "2024-04-01", "2024-05-01"),
    ("What did we do last year?", "2023-01-01", "2024-01-01"),
    ("What will we do next year?", "2025-01-01", "2026-01-01"),
    ("Where were we last weekend?", "2024-05-11", "2024-05-13"),
    ("What did she say two weeks ago?", "2024-04-29", "2024-05-06"),
    ("What did she say 3 days ago?", "2024-05-12", "2024-05-13"),
    ("Where did he live five years ago?", "2019-01-01", "2020-01-01"),
    ("What did she say a month ago?", "2024-04-01", "2024-05-01"),
    ("Whom did we meet last Friday?", "2024-05-10", "2024-05-11"),
    ("notes of 21 May 2023", "2023-05-21", "2023-05-22"),
    ("notes of May 21, 2023", "2023-05-21", "2023-05-22"),
    ("Which team did John sign with on 21st May, 2023?", "2023-05-21", "2023-05-22"),
    ("What was said on 2023-05-21?", "2023-05-21", "2023-05-22"),
    ("What was said in 2023-05?", "2023-05-01", "2023-06-01"),
    ("What was said in 2023?", "2023-01-01", "2024-01-01"),
    ("revenue in Q3 2023", "2023-07-01", "2023-10-01"),
    ("revenue of 2023 Q1", "2023-01-01", "2023-04-01"),
    ("What did bands wear in the 1990s?", "1990-01-01", "2000-01-01"),
    ("Where did she live between 2019 and 2021?", "2019-01-01", "2022-01-01"),
    ("Where did she live from 2019 to 2021?", "2019-01-01", "2022-01-01"),
    ("Who joined in summer 2022?", "2022-06-01", "2022-09-01"),
    ("What changed since March?", "2024-03-01", OPEN),
    ("What did we do in December?", "2023-12-01", "2024-01-01"),
    ("What did we do in April?", "2024-04-01", "2024-05-01"),
    ("Wo arbeitete Dana im März 2024?", "2024-03-01", "2024-04-01"),
    ("Wo arbeitete Dana im Jahr 2021?", "2021-01-01", "2022-01-01"),
    ("Was war gestern?", "2024-05-14", "2024-05-15"),
    ("Was war vorgestern?", "2024-05-13", "2024-05-14"),
    ("Was geschah letzte Woche?", "2024-05-06", "2024-05-13"),
    ("Was geschah letztes Jahr?", "2023-01-01", "2024-01-01"),
    ("Was geschah vor zwei Wochen?", "2024-04-29", "2024-05-06"),
    ("Was geschah vor 2020?", OPEN, "2020-01-01"),
    ("Seit 2019 wohnt sie wo?", "2019-01-01", OPEN),
    ("Où travaillait Dana en mars 2024 ?", "2024-03-01", "2024-04-01"),
    ("Où était-elle hier ?", "2024-05-14", "2024-05-15"),
    ("Qu'a-t-elle dit la semaine dernière ?", "2024-05-06", "2024-05-13"),
    ("Qu'a-t-elle dit il y a 3 jours ?", "2024-05-12", "2024-05-13"),
    ("Qui dirigeait l'équipe avant 2020 ?", OPEN, "2020-01-01"),
    ("¿Dónde trabajaba Dana en marzo de 2024?", "2024-03-01", "2024-04-01"),
    ("¿Qué dijo ayer?", "2024-05-14", "2024-05-15"),
    ("¿Qué pasó el año pasado?", "2023-01-01", "2024-01-01"),
    ("¿Qué pasó hace 2 semanas?", "2024-04-29", "2024-05-06"),
    ("Dove lavorava Dana a marzo 2024?", "2024-03-01", "2024-04-01"),
    ("Cosa ha detto ieri?", "2024-05-14", "2024-05-15"),
    ("Cosa è successo 3 giorni fa?", "2024-05-12", "2024-05-13"),
    ("Где работала Дана в марте 2024?", "2024-03-01", "2024-04-01"),
    ("Gdzie byliśmy 5 marca 2024?", "2024-03-05", "2024-03-06"),
    ("5 Mart 2024 neredeydik?", "2024-03-05", "2024-03-06"),
    ("Что было вчера?", "2024-05-14", "2024-05-15"),
    ("Что было в прошлом году?", "2023-01-01", "2024-01-01"),
    ("达娜2024年3月在哪里工作？", "2024-03-01", "2024-04-01"),
    ("达娜2024年3月5日在哪里？", "2024-03-05", "2024-03-06"),
    ("昨天发生了什么？", "2024-05-14", "2024-05-15"),
    ("去年她住在哪里？", "2023-01-01", "2024-01-01"),
    ("昨日は何をしましたか", "2024-05-14", "2024-05-15"),
    ("先週の会議は", "2024-05-06", "2024-05-13"),
    ("어제 무엇을 했나요", "2024-05-14", "2024-05-15"),
    ("작년에 어디에 살았나요", "2023-01-01", "2024-01-01"),
]

NO_TIME = [
    "what did we do 八十万年前",
    "did we meet Mar",
    "in the year 0",
    "99999999-01-01",
    "who will march with us",
    "May I come in?",
    "Will Apple win in court?",
    "the second version",
    "call +49 2024 5551",
    "it costs $2000",
    "2,024 items were sold",
    "version 3.2024 of the tool",
    "part K-2024-B",
    "the day of the dragon",
    "How long is the bridge?",
    "what happened on 2023-02-30",
    "fall in love",
    "",
    "???",
    "1 2 3 4 5",
]


@pytest.mark.parametrize(("query", "start", "end"), CASES, ids=[case[0] for case in CASES])
def test_the_period_is_what_was_said(query: str, start: str | None, end: str | None) -> None:
    found = spoken_time(query, NOW)
    assert found is not None
    report = found.report()
    assert report["from"] == (None if start is None else f"{start}T00:00:00Z")
    assert report["to"] == (None if end is None else f"{end}T00:00:00Z")
    assert found.certain
    assert query[found.start : found.end].strip() == found.expression


@pytest.mark.parametrize("query", NO_TIME)
def test_no_time_is_invented(query: str) -> None:
    assert spoken_time(query, NOW) is None


@pytest.mark.parametrize("query", ["the 2024 budget of Unit 7", "Unit 2024", "Blade Runner 2049"])
def test_a_number_that_merely_looks_like_a_year_is_uncertain(query: str) -> None:
    found = spoken_time(query, NOW)
    assert found is not None and not found.certain


def test_nearness_falls_with_distance() -> None:
    found = spoken_time("in March 2024", NOW)
    assert found is not None
    inside, near, far = (
        found.nearness(parse_date(date, "date").start) for date in ("2024-03-10", "2024-04-10", "2020-01-01")
    )
    assert inside == 1.0 > near > far >= 0.0


def test_eight_kilobytes_of_words_of_time_are_read_in_bounded_steps() -> None:
    assert spoken_time("last " * 1_600, NOW) is None
    assert spoken_time("9" * 8_000, NOW) is None
