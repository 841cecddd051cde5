"""The words of a question as readers of time see them: folded, with what stands between them and beside numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from semurg.domain.names import folded, match_key
from semurg.queries.time_periods import Period
from semurg.queries.time_words import AMBIGUOUS_SEASONS, COUNTS, MONTHS, SEASONS, SHORT_MONTHS

_TOKEN = re.compile(r"[^\W_]+")
_DAY_NUMBER = re.compile(r"([0-9]{1,2})(st|nd|rd|th|er|re|o|a|e|te|ter|ten)?")
_GAP = re.compile("[\\s,.'’º°/-]{1,3}|")
_OF = frozenset({"of", "de", "d", "del", "di", "do", "van", "des", "the", "in", "jahres", "года", "г"})
YEAR = re.compile("1[0-9]{3}|20[0-9]{2}|21[0-9]{2}")


class Token(NamedTuple):
    """A word or number of the question at [start, end), folded."""

    start: int
    end: int
    key: str


class Base(NamedTuple):
    """A period at [start, end) of the question, tokens [first, last); `word` is the first word's key.

    `strength`: "sure"; else what it is when nothing before it bounds it: "year" and "month" may be one, "led" and
    "weekday" are none.
    """

    start: int
    end: int
    first: int
    last: int
    period: Period
    strength: str
    word: str


class Read(NamedTuple):
    """What a reader found from a token on: the tokens end before `last`."""

    last: int
    period: Period
    strength: str = "sure"


def tokens_of(query: str) -> list[Token]:
    """The words and numbers of a question, in order."""
    if query.isascii():
        lowered = query.lower()
        return [
            Token(found.start(), found.end(), lowered[found.start() : found.end()]) for found in _TOKEN.finditer(query)
        ]
    return [Token(found.start(), found.end(), folded(match_key(found.group()))) for found in _TOKEN.finditer(query)]


class Tokens:
    """The tokens of one question, and what is at each."""

    def __init__(self, query: str, tokens: Sequence[Token], now: int) -> None:
        self._query = query
        self._tokens = tokens
        self._keys = [token.key for token in tokens]
        self._now = now

    def _key(self, place: int) -> str:
        """The token's key, "" past the end or where more than a little stands between it and the one before."""
        if not 0 <= place < len(self._keys):
            return ""
        if place and _GAP.fullmatch(self._query, self._tokens[place - 1].end, self._tokens[place].start) is None:
            return ""
        return self._keys[place]

    def _raw(self, place: int) -> str:
        return self._query[self._tokens[place].start : self._tokens[place].end]

    def _past_of(self, place: int) -> int:
        """The place after words such as `of`."""
        while self._key(place) in _OF:
            place += 1
        return place

    def _is_free(self, place: int) -> bool:
        """Whether a number stands for itself: no part of a sum, a version, a code or a telephone number."""
        token = self._tokens[place]
        before, after = self._query[max(0, token.start - 1) : token.start], self._query[token.end : token.end + 2]
        if before[-1:] and before[-1:] in "$€£¥#.,/:+-@&=_%":
            return False
        if (after[:1] and after[:1] in "%/:_-€$£+") or (after[1:] and after[1:] in "€$£¥%"):
            return False
        return not (after[:1] in (".", ",") and after[1:2].isdigit())

    def _year_at(self, place: int) -> int:
        """The year that the token is, 0 when it is none."""
        if YEAR.fullmatch(self._key(place)) is None:
            return 0
        after = self._query[self._tokens[place].end : self._tokens[place].end + 2]
        if after[:1] in ("%", "_", ":") or (after[:1] in (".", ",") and after[1:2].isdigit()):
            return 0
        return int(self._keys[place])

    def _day_at(self, place: int) -> int:
        found = _DAY_NUMBER.fullmatch(self._key(place))
        return int(found[1]) if found is not None and 1 <= int(found[1]) <= 31 else 0

    def _month_at(self, place: int) -> int:
        key = self._key(place)
        return MONTHS.get(key) or SHORT_MONTHS.get(key, 0)

    def _count_at(self, place: int) -> int:
        """The count that stands here, 0 for none."""
        key = self._key(place)
        if key.isascii() and key.isdigit() and len(key) <= 4:
            return int(key)
        return COUNTS.get(key, 0)

    def _season_at(self, place: int) -> int:
        key = self._keys[place] if 0 <= place < len(self._keys) else ""
        needed = AMBIGUOUS_SEASONS.get(key)
        before = self._keys[place - 1] if place > 0 else ""
        year_follows = key == "fall" and self._year_at(self._past_of(place + 1)) > 0
        return 0 if needed is not None and before not in needed and not year_follows else SEASONS.get(key, 0)

    def _count_here(self, place: int) -> int:
        key = self._keys[place]
        if key.isascii() and key.isdigit() and len(key) <= 4:
            return int(key) if self._is_free(place) else 0
        return COUNTS.get(key, 0)
