"""Which period a question speaks of, told by hand. The present is Wednesday, 2024-05-15T12:00:00Z, in every case."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.instants import NO_END, UNKNOWN_START, format_bound, parse_date
from semurg.queries import time_words
from semurg.queries.spoken_time import spoken_time

NOW = parse_date("2024-05-15T12:00:00Z", "now").start

# question, expression, from, to (None: open), kind
CASES = [
    # dates and months
    ("Where did Dana work in March 2024?", "in March 2024", "2024-03-01", "2024-04-01", "month"),
    ("Where did Dana work in march 2024?", "in march 2024", "2024-03-01", "2024-04-01", "month"),
    ("notes of 21 May 2023", "of 21 May 2023", "2023-05-21", "2023-05-22", "day"),
    ("notes of May 21, 2023", "of May 21, 2023", "2023-05-21", "2023-05-22", "day"),
    ("the call on the 21st of May 2023", "on the 21st of May 2023", "2023-05-21", "2023-05-22", "day"),
    ("Feb 29, 2024 notes", "Feb 29, 2024", "2024-02-29", "2024-03-01", "day"),
    ("who left on 3 March?", "on 3 March", "2024-03-03", "2024-03-04", "day"),
    ("who left on June 3rd?", "on June 3rd", "2023-06-03", "2023-06-04", "day"),
    ("what was said on 2023-05-21?", "on 2023-05-21", "2023-05-21", "2023-05-22", "day"),
    ("status of 2023-05", "of 2023-05", "2023-05-01", "2023-06-01", "month"),
    ("log of 21.05.2023", "of 21.05.2023", "2023-05-21", "2023-05-22", "day"),
    ("log of 05/21/2023", "of 05/21/2023", "2023-05-21", "2023-05-22", "day"),
    ("log of 2023/05/21", "of 2023/05/21", "2023-05-21", "2023-05-22", "day"),
    ("what changed since May?", "since May", "2024-05-01", None, "since"),
    ("what did we do in December?", "in December", "2023-12-01", "2024-01-01", "month"),
    ("what did we do in April?", "in April", "2024-04-01", "2024-05-01", "month"),
    ("what did we do last May?", "last May", "2023-05-01", "2023-06-01", "month"),
    ("what happens next March?", "next March", "2025-03-01", "2025-04-01", "month"),
    # years and what is more or less than one
    ("Where did she live in 2021?", "in 2021", "2021-01-01", "2022-01-01", "year"),
    ("who ruled in 1066?", "in 1066", "1066-01-01", "1067-01-01", "year"),
    ("who led it before 2020?", "before 2020", None, "2020-01-01", "before"),
    ("who led it until 2020?", "until 2020", None, "2021-01-01", "until"),
    ("who led it after 2020?", "after 2020", "2021-01-01", None, "after"),
    ("who has led it since 2019?", "since 2019", "2019-01-01", None, "since"),
    ("rules from 2019 onwards", "from 2019 onwards", "2019-01-01", None, "since"),
    ("revenue in Q3 2023", "in Q3 2023", "2023-07-01", "2023-10-01", "quarter"),
    ("revenue 2023-Q1", "2023-Q1", "2023-01-01", "2023-04-01", "quarter"),
    ("the third quarter of 2023", "third quarter of 2023", "2023-07-01", "2023-10-01", "quarter"),
    ("revenue in Q4", "in Q4", "2023-10-01", "2024-01-01", "quarter"),
    ("revenue of H1 2024", "of H1 2024", "2024-01-01", "2024-07-01", "half"),
    ("music of the 1990s", "of the 1990s", "1990-01-01", "2000-01-01", "decade"),
    ("music in the 90s", "in the 90s", "1990-01-01", "2000-01-01", "decade"),
    ("novels of the 19th century", "of the 19th century", "1801-01-01", "1901-01-01", "century"),
    ("who joined in summer 2022?", "in summer 2022", "2022-06-01", "2022-09-01", "season"),
    ("the winter of 2019", "winter of 2019", "2019-12-01", "2020-03-01", "season"),
    ("hires in early 2023", "in early 2023", "2023-01-01", "2023-05-01", "range"),
    ("hires in late May 2023", "in late May 2023", "2023-05-21", "2023-06-01", "range"),
    # ranges
    ("Where did she live between 2019 and 2021?", "between 2019 and 2021", "2019-01-01", "2022-01-01", "range"),
    ("Where did she live from 2019 to 2021?", "from 2019 to 2021", "2019-01-01", "2022-01-01", "range"),
    ("the budget 2019–2021", "2019–2021", "2019-01-01", "2022-01-01", "range"),
    ("from May to July 2023", "from May to July 2023", "2023-05-01", "2023-08-01", "range"),
    ("from November to March 2024", "from November to March 2024", "2023-11-01", "2024-04-01", "range"),
    ("between 3 May 2023 and June 2023", "between 3 May 2023 and June 2023", "2023-05-03", "2023-07-01", "range"),
    ("on 21-23 May 2023", "on 21-23 May 2023", "2023-05-21", "2023-05-24", "range"),
    ("between May 3 and May 9, 2023", "between May 3 and May 9, 2023", "2023-05-03", "2023-05-10", "range"),
    ("hires by the end of 2023", "by the end of 2023", None, "2024-01-01", "until"),
    ("hires at the end of last year", "at the end of last year", "2023-09-01", "2024-01-01", "range"),
    ("the end of 2023", "the end of 2023", "2023-09-01", "2024-01-01", "range"),
    # counted from now
    ("Who owned it as of yesterday?", "as of yesterday", "2024-05-14", "2024-05-15", "day"),
    ("what did I buy the day before yesterday", "the day before yesterday", "2024-05-13", "2024-05-14", "day"),
    ("what is on today?", "today", "2024-05-15", "2024-05-16", "day"),
    ("what is planned for tomorrow?", "for tomorrow", "2024-05-16", "2024-05-17", "day"),
    ("what did we do last week?", "last week", "2024-05-06", "2024-05-13", "week"),
    ("what do we do this week?", "this week", "2024-05-13", "2024-05-20", "week"),
    ("where were we last weekend?", "last weekend", "2024-05-11", "2024-05-13", "weekend"),
    ("what did we do last month?", "last month", "2024-04-01", "2024-05-01", "month"),
    ("what did we earn last quarter?", "last quarter", "2024-01-01", "2024-04-01", "quarter"),
    ("who left before last year?", "before last year", None, "2023-01-01", "before"),
    ("what comes next year?", "next year", "2025-01-01", "2026-01-01", "year"),
    ("what happened last summer?", "last summer", "2023-06-01", "2023-09-01", "season"),
    ("what happened last winter?", "last winter", "2023-12-01", "2024-03-01", "season"),
    ("what happens this summer?", "this summer", "2024-06-01", "2024-09-01", "season"),
    ("who called last Friday?", "last Friday", "2024-05-10", "2024-05-11", "day"),
    ("who calls next Wednesday?", "next Wednesday", "2024-05-22", "2024-05-23", "day"),
    ("who called on Monday?", "on Monday", "2024-05-13", "2024-05-14", "day"),
    ("what did she say two weeks ago?", "two weeks ago", "2024-04-29", "2024-05-06", "week"),
    ("what did she say a couple of days ago?", "a couple of days ago", "2024-05-13", "2024-05-14", "day"),
    ("where did he live 5 years ago?", "5 years ago", "2019-01-01", "2020-01-01", "year"),
    ("who wrote an hour ago?", "an hour ago", "2024-05-15T11:00:00Z", "2024-05-15T12:00:00Z", "hour"),
    ("news of the last 3 days", "of the last 3 days", "2024-05-12", "2024-05-16", "range"),
    ("at 2024-03-01T09:30:00Z", "2024-03-01T09:30:00Z", "2024-03-01T09:30:00Z", "2024-03-01T09:30:01Z", "instant"),
    # German
    ("Wo arbeitete Dana im März 2024?", "im März 2024", "2024-03-01", "2024-04-01", "month"),
    ("Was geschah am 5. März 2024?", "am 5. März 2024", "2024-03-05", "2024-03-06", "day"),
    ("Wo wohnte sie im Jahr 2021?", "im Jahr 2021", "2021-01-01", "2022-01-01", "year"),
    ("Was war vorgestern?", "vorgestern", "2024-05-13", "2024-05-14", "day"),
    ("Was geschah vor zwei Wochen?", "vor zwei Wochen", "2024-04-29", "2024-05-06", "week"),
    ("Was geschah vor 2020?", "vor 2020", None, "2020-01-01", "before"),
    ("Was geschah letzte Woche?", "letzte Woche", "2024-05-06", "2024-05-13", "week"),
    ("Was war letzten Sommer?", "letzten Sommer", "2023-06-01", "2023-09-01", "season"),
    ("Von 2019 bis 2021 wohnte sie wo?", "Von 2019 bis 2021", "2019-01-01", "2022-01-01", "range"),
    ("Musik der 90er Jahre", "90er Jahre", "1990-01-01", "2000-01-01", "decade"),
    # French
    ("Où travaillait Dana en mars 2024 ?", "en mars 2024", "2024-03-01", "2024-04-01", "month"),
    ("Qu'a-t-elle dit le 1er mai 2023 ?", "le 1er mai 2023", "2023-05-01", "2023-05-02", "day"),
    ("Où était-elle hier ?", "hier", "2024-05-14", "2024-05-15", "day"),
    ("Qui est venu la semaine dernière ?", "semaine dernière", "2024-05-06", "2024-05-13", "week"),
    ("Qui est venu il y a 3 jours ?", "il y a 3 jours", "2024-05-12", "2024-05-13", "day"),
    ("Qui dirigeait avant 2020 ?", "avant 2020", None, "2020-01-01", "before"),
    ("Où vivait-elle depuis 2019 ?", "depuis 2019", "2019-01-01", None, "since"),
    ("Que faisait-on l'été dernier ?", "été dernier", "2023-06-01", "2023-09-01", "season"),
    ("entre 2019 et 2021", "entre 2019 et 2021", "2019-01-01", "2022-01-01", "range"),
    # Spanish, Italian, Portuguese, Dutch, Russian
    ("¿Dónde trabajaba Dana en marzo de 2024?", "en marzo de 2024", "2024-03-01", "2024-04-01", "month"),
    ("¿Qué pasó hace 2 semanas?", "hace 2 semanas", "2024-04-29", "2024-05-06", "week"),
    ("¿Qué pasó el año pasado?", "año pasado", "2023-01-01", "2024-01-01", "year"),
    ("Dove lavorava Dana nel marzo 2024?", "nel marzo 2024", "2024-03-01", "2024-04-01", "month"),
    ("Cosa è successo 3 giorni fa?", "3 giorni fa", "2024-05-12", "2024-05-13", "day"),
    ("Onde ela morava em março de 2024?", "em março de 2024", "2024-03-01", "2024-04-01", "month"),
    ("O que houve há 3 dias?", "há 3 dias", "2024-05-12", "2024-05-13", "day"),
    ("Waar werkte Dana in maart 2024?", "in maart 2024", "2024-03-01", "2024-04-01", "month"),
    ("Wat zei ze gisteren?", "gisteren", "2024-05-14", "2024-05-15", "day"),
    ("Где работала Дана в марте 2024?", "в марте 2024", "2024-03-01", "2024-04-01", "month"),
    ("Что было в прошлом году?", "в прошлом году", "2023-01-01", "2024-01-01", "year"),
    ("Что было два дня назад?", "два дня назад", "2024-05-13", "2024-05-14", "day"),
    # Chinese, Japanese, Korean
    ("达娜2024年3月在哪里工作？", "2024年3月", "2024-03-01", "2024-04-01", "month"),
    ("达娜2024年3月5日在哪里？", "2024年3月5日", "2024-03-05", "2024-03-06", "day"),
    ("2020年以前谁是经理？", "2020年以前", None, "2020-01-01", "before"),
    ("昨天发生了什么？", "昨天", "2024-05-14", "2024-05-15", "day"),
    ("去年夏天她在哪里？", "去年夏天", "2023-06-01", "2023-09-01", "season"),
    ("上个星期五谁来了", "上个星期五", "2024-05-10", "2024-05-11", "day"),
    ("三天前她说了什么？", "三天前", "2024-05-12", "2024-05-13", "day"),
    ("2019年到2021年她住在哪里", "2019年到2021年", "2019-01-01", "2022-01-01", "range"),
    ("先週の会議は", "先週", "2024-05-06", "2024-05-13", "week"),
    ("2週間前に何があった", "2週間前", "2024-04-29", "2024-05-06", "week"),
    ("2024년 3월에 어디서 일했나요", "2024년 3월", "2024-03-01", "2024-04-01", "month"),
    ("지난 주에 무엇을 했나요", "지난 주", "2024-05-06", "2024-05-13", "week"),
    # by dateparser
    ("Gdzie byliśmy 5 marca 2024?", "5 marca 2024", "2024-03-05", "2024-03-06", "day"),
    ("5 Mart 2024 neredeydik?", "5 Mart 2024", "2024-03-05", "2024-03-06", "day"),
    ("Co říkala včera?", "včera", "2024-05-14", "2024-05-15", "day"),
    ("Vad sa hon igår?", "igår", "2024-05-14", "2024-05-15", "day"),
    ("Co było 2 tygodnie temu?", "2 tygodnie temu", "2024-04-29", "2024-05-06", "week"),
]  # fmt: skip

NO_TIME = [
    "what did we do 八十万年前",
    "did we meet Mar",
    "did we meet Mar and Jan in Lisbon",
    "in the year 0",
    "99999999-01-01",
    "2023-02-30",
    "on 31 February 2023",
    "in 0000-00",
    "30.02.2023",
    "who will march with us",
    "May I come in?",
    "May I see April and June?",
    "a message from April",
    "this may be right",
    "Will Apple win in court?",
    "the second version",
    "the last day of the project",
    "at the last minute",
    "in the last resort",
    "fall in love",
    "her real estate",
    "spring is a framework",
    "call +49 2024 5551",
    "call 555 2024",
    "it costs $2000",
    "it costs 2000 €",
    "2,024 items were sold",
    "2000 users signed up",
    "version 3.2024 of the tool",
    "version 2024.1",
    "v1.2.2024",
    "release 2024",
    "part K-2024-B",
    "issue #2024",
    "port 2024",
    "C:2024",
    "user2024",
    "1999.99",
    "10.0.20.24",
    "Wer wohnt hier?",
    "Guten Morgen!",
    "ha 3 anni",
    "9999999999999999999 years ago",
    "100000 years ago",
    "9000 years ago",
    "the day of the dragon",
    "two days before yesterday",
    "How long is the bridge?",
    "week",
    "前",
    "",
    "???",
    "1 2 3 4 5",
]  # fmt: skip

UNCERTAIN = [
    ("the 2024 budget of Unit 2024", "2024", "2024-01-01"),
    ("unit 2024", "2024", "2024-01-01"),
    ("Blade Runner 2049", "2049", "2049-01-01"),
    ("a 2019 report", "a 2019", "2019-01-01"),
    ("the Mars 2020 rover", "Mars 2020", "2020-03-01"),
    ("Who lives in 1600 Pennsylvania Avenue?", "in 1600", "1600-01-01"),
    ("September sales", "September", "2023-09-01"),
]


def bound(text: str | None) -> str | None:
    return None if text is None else format_bound(parse_date(text, "bound").start)


@pytest.mark.parametrize(("query", "expression", "start", "end", "kind"), CASES, ids=[case[0] for case in CASES])
def test_the_period_is_what_was_said(
    query: str, expression: str, start: str | None, end: str | None, kind: str
) -> None:
    found = spoken_time(query, NOW)
    assert found is not None
    assert (found.expression, found.kind, found.certain) == (expression, kind, True)
    assert query[found.start : found.end] == expression
    assert found.from_us == (UNKNOWN_START if start is None else parse_date(start, "from").start)
    assert found.to_us == (NO_END if end is None else parse_date(end, "to").start)
    assert found.report(True) == {"expression": expression, "from": bound(start), "to": bound(end), "applied": True}


@pytest.mark.parametrize("query", NO_TIME)
def test_no_time_is_invented(query: str) -> None:
    assert spoken_time(query, NOW) is None


@pytest.mark.parametrize(("query", "expression", "start"), UNCERTAIN)
def test_what_merely_may_be_a_time_is_uncertain(query: str, expression: str, start: str) -> None:
    found = spoken_time(query, NOW)
    assert found is not None
    assert (found.expression, found.certain) == (expression, False)
    assert found.from_us == parse_date(start, "from").start


def test_a_certain_time_goes_before_what_may_be_one() -> None:
    found = spoken_time("What did Unit 2024 do in March 2023?", NOW)
    assert found is not None
    assert (found.expression, found.certain) == ("in March 2023", True)


def test_relative_times_follow_the_present_that_is_given() -> None:
    new_year = parse_date("2020-01-01T00:00:00Z", "now").start
    expected = {
        "yesterday": ("2019-12-31", "2020-01-01"),
        "last month": ("2019-12-01", "2020-01-01"),
        "last quarter": ("2019-10-01", "2020-01-01"),
        "in December": ("2019-12-01", "2020-01-01"),
        "on 31 December": ("2019-12-31", "2020-01-01"),
        "last winter": ("2018-12-01", "2019-03-01"),
        "last 12 months": ("2019-01-01", "2020-01-02"),
    }
    for query, (start, end) in expected.items():
        found = spoken_time(query, new_year)
        assert found is not None
        assert (found.from_us, found.to_us) == (parse_date(start, "from").start, parse_date(end, "to").start), query


def test_nearness_falls_with_distance_from_the_period() -> None:
    found = spoken_time("in March 2024", NOW)
    assert found is not None
    inside, near, far = (
        found.nearness(parse_date(one, "date").start) for one in ("2024-03-31", "2024-04-10", "2020-01-01")
    )
    assert inside == 1.0 > near > far > 0.0
    assert found.nearness(UNKNOWN_START) == 0.0
    ever_since = spoken_time("since 2020", NOW)
    assert ever_since is not None and ever_since.nearness(NOW) == 1.0


LONG = [
    "last " * 1_638, "9" * 8_192, "2024 " * 1_638, "between 2019 and " * 480, "一" * 2_730, "2024-" * 1_638,
    "1." * 4_096, "20/" * 2_730, "May " * 2_048, "before the the of " * 450, "3 years years " * 580, "temu 2 " * 1_170,
    "12 mar 2024 " * 680, "前年" * 1_365, "q3 " * 2_730, "3 of of " * 1_000, "on the the the " * 540,
]  # fmt: skip


@pytest.mark.parametrize("query", LONG, ids=[one[:12] for one in LONG])
def test_the_longest_questions_are_read_in_steps_that_follow_their_length(query: str) -> None:
    steps = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(count)
    try:
        spoken_time(query, NOW)
    finally:
        sys.setprofile(None)
    # calls, Python's and C's: some dozens a word, where reading from each word to the end would take millions
    assert steps < 1_000_000


@given(
    st.text(st.sampled_from("0123456789 -./:年月日前MayQlastin2024ago"), max_size=40),
    st.sampled_from([NOW, 0, NO_END, UNKNOWN_START]),
)
def test_nothing_crashes_and_every_period_is_one(query: str, now: int) -> None:
    found = spoken_time(query, now)
    if found is not None:
        assert found.from_us < found.to_us
        assert query[found.start : found.end] == found.expression


@given(
    st.lists(
        st.sampled_from(sorted({*time_words.WORDS, "last", "in", "before", "the", "2024", "3", "of", "from", "to"})),
        max_size=7,
    )
)
def test_any_words_of_time_in_any_order_are_a_period_or_none(words: list[str]) -> None:
    query = " ".join(words)
    found = spoken_time(query, NOW)
    if found is not None:
        assert found.from_us < found.to_us
        assert query[found.start : found.end] == found.expression


def test_a_node_imports_the_parser_in_the_background(tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from semurg import node, reading\n"
        "reading.SETTLED_S = 0\n"
        "async def run():\n"
        "    one = node.Node(pathlib.Path(sys.argv[1]))\n"
        "    await one.start()\n"
        "    assert 'dateparser' not in sys.modules\n"
        "    tasks = [task for task in asyncio.all_tasks() if 'warm_questions' in repr(task)]\n"
        "    await asyncio.gather(*tasks)\n"
        "    assert 'dateparser' in sys.modules\n"
        "    await one.stop()\n"
        "asyncio.run(run())\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=120)


def test_most_questions_never_import_the_parser() -> None:
    code = (
        "import sys\n"
        "from semurg.queries.spoken_time import spoken_time\n"
        "for query in ('Where does Dana work?', 'what happened last week', 'im März 2024', 'Unit 7', '2024年3月'):\n"
        "    spoken_time(query, 0)\n"
        "assert 'dateparser' not in sys.modules\n"
        "spoken_time('5 marca 2024', 0)\n"
        "assert 'dateparser' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
