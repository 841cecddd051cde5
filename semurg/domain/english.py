"""English words whose inflections no rule reaches, and the words for small numbers and months.

Irregular English is a closed class of words. Left out are forms that are mostly another word or a name: rose, ground.
"""

from __future__ import annotations

from typing import Final

# lemma, then its irregular forms
_IRREGULAR: Final = """
arise arose arisen|awake awoke awoken|bear borne|beat beaten|become became|begin began begun|bend bent|bind bound
bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought
catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug|do did does done doing
draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fling flung|fly flew flown flies|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone goes|grow grew grown|hang hung
have has had having|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led
lean leant|leap leapt|learn learnt|leave left|lend lent|lie lain lying|light lit|lose lost|make made|mean meant|meet met
mistake mistook mistaken|pay paid|prove proven|ride rode ridden|ring rang rung|rise risen|run ran|say said|see saw seen
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|speed sped|spell spelt|spend spent
spill spilt|spin spun|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung
stink stank stunk|strike struck stricken|strive strove striven|swear swore sworn|sweep swept|swell swollen
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
understand understood|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|withdraw withdrew withdrawn
write wrote written
overcome overcame|undergo underwent undergone|undertake undertook undertaken|foresee foresaw foreseen
rebuild rebuilt|rewrite rewrote rewritten|retell retold|outgrow outgrew outgrown|oversee oversaw overseen
child children|man men|woman women|foot feet|tooth teeth|goose geese|mouse mice|louse lice|ox oxen|person people persons
life lives|wife wives|knife knives|leaf leaves|loaf loaves|half halves|wolf wolves|shelf shelves|thief thieves
calf calves|self selves|scarf scarves|hoof hooves|elf elves|crisis crises|analysis analyses|basis bases|thesis theses
hypothesis hypotheses|diagnosis diagnoses|axis axes|oasis oases|parenthesis parentheses|criterion criteria
phenomenon phenomena|bacterium bacteria|curriculum curricula|medium media|datum data|index indices|appendix appendices
matrix matrices|vertex vertices|cactus cacti|fungus fungi|nucleus nuclei|stimulus stimuli|syllabus syllabi|radius radii
alumnus alumni|formula formulae|larva larvae|tomato tomatoes|potato potatoes|hero heroes
good better best|bad worse worst|far farther further farthest furthest|little less least
"""
_IRREGULAR_FORMS: Final = {
    form: lemma
    for line in _IRREGULAR.strip().splitlines()
    for lemma, *forms in (entry.split() for entry in line.split("|"))
    for form in forms
}

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ENDINGS = ("st", "nd", "rd")
_NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(_SMALL.split())},
    **{word: str(10 * number) for number, word in enumerate(_TENS.split(), 2)},
    **{word: f"{number}{(*_ENDINGS, *['th'] * 17)[number - 1]}" for number, word in enumerate(_ORDINALS.split(), 1)},
}
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
"""The months, January first."""

AUXILIARIES: Final = frozenset(("also", "can", "just", "may", "might", "must", "please", "shall", "us", "will"))
"""Function words that the lists of stop words lack, because written with a capital some are names."""


def lemma(word: str) -> str:
    """The plain form of a lower-case word that is an irregular inflection; else the word."""
    return _IRREGULAR_FORMS.get(word, word)


def number(word: str) -> str | None:
    """A number word up to twenty, or a multiple of ten, in digits: `two` is "2", `third` "3rd". None for others."""
    return _NUMBERS.get(word)


def compound_number(first: str, second: str) -> str | None:
    """`twenty` and `one` is "21"; None when the two words are no such number."""
    tens, ones = _NUMBERS.get(first, ""), _NUMBERS.get(second, "")
    if len(tens) == 2 and tens[0] != "1" and tens[1] == "0" and len(ones) == 1 and ones != "0":
        return tens[0] + ones
    return None
