"""Words by which questions speak of time, in eleven languages; keys are folded (domain.names.folded), as tokens are.

Only what needs no parser: a date in any further language is read by dateparser (queries.spoken_time).
"""

from __future__ import annotations

from typing import Final

_MONTHS: Final = (
    "january januar janvier enero gennaio janeiro januari января январе январь",
    "february februar fevrier febrero febbraio fevereiro februari февраля феврале февраль",
    "march marz maerz mars marzo marco maart марта марте март",
    "april avril abril aprile апреля апреле апрель",
    "may mai mayo maggio maio mei мая мае май",
    "june juni juin junio giugno junho июня июне июнь",
    "july juli juillet julio luglio julho июля июле июль",
    "august aout agosto augustus августа августе август",
    "september septembre septiembre settembre setembro сентября сентябре сентябрь",
    "october oktober octobre octubre ottobre outubro октября октябре октябрь",
    "november novembre noviembre novembro ноября ноябре ноябрь",
    "december dezember decembre diciembre dicembre dezembro декабря декабре декабрь",
)
# told from other words only by a year or a day beside them
_SHORT_MONTHS: Final = (
    "jan ene gen", "feb fev", "mar mrz", "apr abr avr", "mag", "jun giu", "jul juil lug", "aug",
    "sep sept", "oct okt ott", "nov", "dec dez dic",
)  # fmt: skip
MONTHS: Final = {word: number for number, every in enumerate(_MONTHS, 1) for word in every.split()}
SHORT_MONTHS: Final = {word: number for number, every in enumerate(_SHORT_MONTHS, 1) for word in every.split()}
_NAMELIKE: Final = "may march april june august july juli mars mai augustus enero abril mei"
NAMELIKE_MONTHS: Final = frozenset(_NAMELIKE.split())
"""Months that are also names of people or other words: alone they say nothing of time."""
FOREIGN_ALIKE: Final = frozenset({"mars", "mai", "mei", "marco", "juli"})
"""Months that are another word or a name in English: a year beside them does not settle it."""

_WEEKDAYS: Final = (
    "monday montag lundi lunes lunedi maandag понедельник",
    "tuesday dienstag mardi martes martedi dinsdag вторник",
    "wednesday mittwoch mercredi miercoles mercoledi woensdag среду среда",
    "thursday donnerstag jeudi jueves giovedi donderdag четверг",
    "friday freitag vendredi viernes venerdi vrijdag пятницу пятница",
    "saturday samstag sonnabend samedi sabado sabato zaterdag субботу суббота",
    "sunday sonntag dimanche domingo domenica zondag воскресенье",
)
WEEKDAYS: Final = {word: number for number, every in enumerate(_WEEKDAYS) for word in every.split()}

SEASONS: Final = {
    word: month
    for month, every in (
        (3, "spring fruhling fruhjahr printemps primavera lente весной весна весны весну"),
        (6, "summer sommer ete verano verao estate zomer летом лето лета"),
        (9, "autumn fall herbst automne otono autunno outono herfst осенью осень осени"),
        (12, "winter hiver invierno inverno зимой зима зимы зиму"),
    )
    for word in every.split()
}
"""The first month of each season of the northern half."""
AMBIGUOUS_SEASONS: Final = {"fall": frozenset({"the", "in", "last", "this", "next", "of", "since", "before"}),
                            "estate": frozenset({"nell", "dell", "l", "d", "questa", "scorsa", "prossima"}),
                            "ete": frozenset({"l", "d", "en", "cet", "cette", "de", "depuis", "avant"})}  # fmt: skip
"""Seasons that are another word elsewhere, with what must stand before them."""

UNITS: Final = {
    word: unit
    for unit, every in (
        ("minute", "minute minutes minuten minuto minutos minuti minuut минут минуты минуту"),
        ("hour", "hour hours stunde stunden heure heures hora horas ora ore uur uren час часа часов"),
        ("day", "day days tag tage tagen jour jours dia dias giorno giorni dag dagen день дня дней"),
        ("week", "week weeks woche wochen semaine semaines semana semanas settimana settimane weken "
                 "неделя неделю недели недель неделе"),
        ("weekend", "weekend wochenende"),
        ("month", "month months monat monate monaten monats mois mes meses mese mesi maand maanden "
                  "месяц месяца месяцев месяце"),
        ("quarter", "quarter quarters quartal quartals trimestre kwartaal квартал квартале"),
        ("year", "year years jahr jahre jahren jahres an ans annee annees ano anos anno anni jaar год года году лет"),
        ("decade", "decade decades jahrzehnt jahrzehnten decennie decada decennio"),
    )
    for word in every.split()
}  # fmt: skip

_LAST: Final = (
    "last past previous letzte letzten letzter letztes letztem vorige vorigen voriges voriger vergangene vergangenen "
    "vergangenes dernier derniere passe passee pasado pasada scorso scorsa passato passado passada vorig afgelopen "
    "прошлой прошлом прошлую прошлый прошлым прошлое"
)
_THIS: Final = (
    "this diese diesen dieser dieses diesem ce cet cette este esta questo questa quest deze dit этой этом эту этот"
)
_NEXT: Final = (
    "next coming nachste nachsten nachster nachstes prochain prochaine proximo proxima prossimo prossima volgende "
    "komende следующей следующем следующую следующий"
)
WHICH: Final = {word: step for step, every in ((-1, _LAST), (0, _THIS), (1, _NEXT)) for word in every.split()}
"""What a word before or after a unit makes of it: the last one, this one, the next one."""

_TRAILING: Final = (
    "dernier derniere passe passee prochain prochaine pasado pasada proximo proxima scorso scorsa prossimo prossima "
    "passato passado passada"
)
TRAILING: Final = frozenset(_TRAILING.split())
"""Those that stand after their unit."""

COUNTS: Final = {
    word: number
    for number, every in (
        (1, "a an one ein eine einem einer einen un une uno una um uma een один одну одна"),
        (2, "two zwei deux dos due dois duas twee два две couple"),
        (3, "three drei trois tres tre drie три few paar"),
        (4, "four vier quatre cuatro quattro quatro четыре"),
        (5, "five funf cinq cinco cinque vijf пять"),
        (6, "six sechs seis sei zes шесть"),
        (7, "seven sieben sept siete sette sete zeven семь"),
        (8, "eight acht huit ocho otto oito восемь"),
        (9, "nine neun neuf nueve nove negen девять"),
        (10, "ten zehn dix diez dieci dez tien десять"),
        (11, "eleven elf onze once undici"),
        (12, "twelve zwolf douze doce dodici doze twaalf"),
    )
    for word in every.split()
}
ORDINALS: Final = {
    word: number
    for number, every in (
        (1, "first erstes ersten erste premier primer primo primeiro eerste"),
        (2, "second zweites zweiten zweite deuxieme segundo secondo tweede"),
        (3, "third drittes dritten dritte troisieme tercer terzo terceiro derde"),
        (4, "fourth viertes vierten vierte quatrieme cuarto quarto vierde"),
    )
    for word in every.split()
}
AGO_AFTER: Final = frozenset({"ago", "fa", "atras", "geleden", "назад"})
AGO_BEFORE: Final = (("vor",), ("il", "y", "a"), ("hace",), ("ha",))

DAYS: Final = {
    tuple(phrase.split()): step
    for step, every in (
        (-2, "the day before yesterday|day before yesterday|vorgestern|avant hier|anteayer|l altro ieri|anteontem|"
             "eergisteren|позавчера"),
        (-1, "yesterday|gestern|hier|ayer|ieri|ontem|gisteren|вчера|last night|gestern abend|hier soir|anoche"),
        (0, "today|tonight|this morning|this afternoon|this evening|heute|aujourd hui|hoy|oggi|hoje|vandaag|сегодня"),
        (1, "tomorrow|morgen|demain|domani|amanha|завтра"),
        (2, "the day after tomorrow|day after tomorrow|ubermorgen|apres demain|pasado manana|dopodomani|overmorgen|"
            "послезавтра"),
    )
    for phrase in every.split("|")
}  # fmt: skip
"""Phrases for days, by how many away."""
DAY_WORDS: Final = frozenset(phrase[0] for phrase in DAYS)

LEADS: Final = {
    tuple(phrase.split()): relation
    for relation, every in (
        ("before", "before|prior to|earlier than|vor|vor dem|avant|avant le|antes de|antes del|prima di|prima del|"
                   "prima dell|antes do|voor|до"),
        ("until", "until|till|up to|by|by the end of|bis|bis zum|jusqu en|jusqu a|jusqu au|hasta|hasta el|fino a|"
                  "fino al|ate|ate o|tot|tot en met|по"),
        ("after", "after|later than|following|nach|nach dem|apres|apres le|despues de|despues del|dopo|dopo il|"
                  "depois de|depois do|na|после"),
        ("since", "since|starting in|starting|beginning in|seit|seit dem|ab|ab dem|depuis|depuis le|a partir de|desde|"
                  "desde el|dal|a partire da|sinds|vanaf|с"),
        ("in", "in|during|on|around|as of|as at|throughout|within|for|of|from|im|am|um|vom|von|in dem|en|au|aux|"
               "au mois de|au cours de|pendant|le|durante|nel|nell|del|dell|dello|a|em|no|na|de|du|des|op|van|"
               "в|во|за|на"),
    )
    for phrase in every.split("|")
}  # fmt: skip
"""Phrases before an expression, by what they make of its period."""
FILLERS: Final = frozenset(
    {"the", "year", "years", "month", "of", "jahr", "jahre", "den", "dem", "der", "das", "le", "la", "l", "el", "los",
     "las", "il", "lo", "gli", "i", "annee", "annees", "ano", "anos", "anno", "anni", "o", "os", "het", "de", "jaar"}
)  # fmt: skip
"""What may stand between such a phrase and the expression."""

PARTS: Final = {
    tuple(phrase.split()): third
    for third, every in (
        (0, "early|early in|at the start of|the start of|start of|the beginning of|beginning of|anfang|debut|"
            "au debut de|principios de|a principios de|inizio|inicio de|в начале"),
        (1, "mid|the middle of|middle of|mitte|mi|milieu|mediados de|a mediados de|midden|в середине"),
        (2, "late|late in|at the end of|the end of|end of|ende|fin|fin de|a la fin de|finales de|a finales de|"
            "alla fine di|fim de|eind|в конце"),
    )
    for phrase in every.split("|")
}  # fmt: skip
"""Phrases that take a third of a year or month."""

OPENERS: Final = frozenset(
    {"between", "from", "von", "zwischen", "entre", "de", "du", "depuis", "desde", "da", "dal", "dall", "tra", "fra",
     "van", "tussen", "с", "от", "между"}
)  # fmt: skip
"""What opens a range."""
CONNECTORS: Final = frozenset(
    {"and", "to", "until", "till", "through", "thru", "und", "bis", "et", "a", "au", "jusqu", "y", "al", "hasta", "e",
     "ed", "ao", "ate", "en", "tot", "и", "по", "до"}
)  # fmt: skip
"""What stands in the middle of one."""
ONWARD: Final = frozenset({"on", "onward", "onwards", "an", "forward"})

_COUNTED: Final = """
    items people persons dollars euros pounds usd eur gbp yen percent km kg kb mb gb tb meters metres miles feet users
    times words tokens rows facts points votes hours minutes seconds days weeks months years pages lines units pieces
    employees members customers copies steps calories euro dollar stuck menschen personnes personas
"""
COUNTED: Final = frozenset(_COUNTED.split())
"""After a number, these say that it counts something."""
_NUMBERED: Final = """
    version v release build port id page line row order invoice ticket issue error code zip extension tel phone call
    flight bus route article paragraph section chapter isbn iso rfc bug pr commit revision rev sku serial nr no number
"""
NUMBERED: Final = frozenset(_NUMBERED.split())
"""Before a number, these say that it numbers something."""

_FURTHER_DAYS: Final = """
    wczoraj dzisiaj dzis jutro dun bugun yarin igar idag imorgon eilen tanaan huomenna vcera dnes zitra вчора сьогодні
    завтра tegnap holnap maine χθες σημερα αυριο kemarin أمس
"""
FURTHER_DAYS: Final = frozenset(_FURTHER_DAYS.split())
"""Days in languages that dateparser reads."""
_FURTHER_AGO: Final = "temu once sedan siden sitten тому lalu ezelott"
FURTHER_AGO: Final = frozenset(_FURTHER_AGO.split())
"""In such languages, what says that a count of units lies back."""
FURTHER_LANGUAGES: Final = [
    "pl", "tr", "sv", "da", "nb", "fi", "cs", "uk", "hu", "ro", "el", "id", "bg", "hr", "sk", "vi", "ar", "hi", "ca",
]  # fmt: skip

WORDS: Final = frozenset(
    [
        *MONTHS, *WEEKDAYS, *SEASONS, *UNITS, *FURTHER_DAYS, *FURTHER_AGO,
        *(word for phrase in DAYS for word in phrase if len(word) > 3),
    ]
)  # fmt: skip
"""A question with none of these, no digit and nothing of queries.time_scripts speaks of no time."""


def phrases_by_last() -> dict[str, list[tuple[tuple[str, ...], str, int | str]]]:
    """LEADS and PARTS by their last word, the longest first: what ends where an expression begins."""
    found: dict[str, list[tuple[tuple[str, ...], str, int | str]]] = {}
    for phrase, meaning in LEADS.items():
        found.setdefault(phrase[-1], []).append((phrase, "lead", meaning))
    for phrase, third in PARTS.items():
        found.setdefault(phrase[-1], []).append((phrase, "part", third))
    for every in found.values():
        every.sort(key=lambda one: -len(one[0]))
    return found


def phrases_by_first() -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """DAYS by their first word, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for phrase, step in DAYS.items():
        found.setdefault(phrase[0], []).append((phrase, step))
    for every in found.values():
        every.sort(key=lambda one: -len(one[0]))
    return found
