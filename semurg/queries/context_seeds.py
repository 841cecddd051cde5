"""Which stored entities and types a question names, each with where in the question, how it was found and how surely.

The longest phrase first: names as they stand, then, for the words that no name took, a close spelling of them, one
whole word of a longer name, and the start of one. A stop word never names anything alone. A name that is also an
ordinary word (Will, May) is judged by how it is written and what stands beside it, and `evidence` says what told.
Everything is read at the two instants, and however long the question, the look-ups that read every name are few.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from semurg.domain.characters import WHITE_SPACE, is_unspaced, word_spans
from semurg.domain.limits import SEEDS_MAX
from semurg.domain.names import folded, is_english_stop_word, is_stop_word, match_key
from semurg.domain.plurals import plurals, singulars
from semurg.domain.visibility import At
from semurg.projections.reads import Reads

STAGES = ("exact", "spelling", "word", "start", "type")
WEIGHTS = {"exact": 1.0, "spelling": 0.8, "word": 0.6, "start": 0.3, "type": 0.2}

WORDS_MAX = 256
"""Different words of a question that are looked up at all."""
SCANS_MAX = 24
"""Look-ups in one question that read every name: close spellings and starts of words."""
PHRASE_WORDS_MAX = 4
TYPE_WORDS_MAX = 3
TYPE_MEMBERS_MAX = 64
ALIKE_MAX = 32
START_LETTERS_MIN = 3

# Ordinary words of English that are also names; the stop words come on top. In the middle of a question a capital makes
# them a name, at its start it tells nothing.
_ORDINARY_WORDS = """
    will may can might must shall mark march august april june art bill rose grace hope joy faith frank jack drew
    sue pat rich rob ray dean guy bob dick chase hunter miles page dawn eve summer autumn wade lance skip
"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
_AUXILIARIES = frozenset({"will", "may", "can", "might", "must", "shall"})
# What follows an auxiliary at the start of a question, and not a name.
_PRONOUNS = """
    i you he she it we they the a an this that these those my your his her its our their there any some anyone anybody
    someone somebody everyone everybody nobody all both each every people not
"""
_AFTER_AUXILIARY = frozenset(_PRONOUNS.split())
_POSSESSIVE = re.compile("['\u2019\u02bc]s?(?![^\\W_])", re.IGNORECASE)


class Seed(NamedTuple):
    """An entity that the question names at [start, end) (code points), found by `stage` (of STAGES, but "type").

    `weight` is that of the stage, less what counts against it; entities that one phrase names alike share it.
    `evidence` tells what was judged: "" nothing, "capital", "whole_question", "first_word", "lower_case".
    """

    entity: int
    stage: str
    start: int
    end: int
    weight: float
    evidence: str


class TypeSeed(NamedTuple):
    """A type that the question names at [start, end), as first spelled, and its first TYPE_MEMBERS_MAX entities."""

    type: str
    members: list[int]
    start: int
    end: int
    weight: float


class ContextSeeds(NamedTuple):
    """All that a question names: entities (each once, in the order of the stages, then of place) and types.

    `matched` counts by stage what was found, before SEEDS_MAX. `left_out`: words that were too many to be looked up.
    """

    seeds: list[Seed]
    types: list[TypeSeed]
    matched: dict[str, int]
    left_out: int

    def spans(self) -> list[tuple[int, int]]:
        """The places of the question that are names of entities, in order, each once."""
        return sorted({(seed.start, seed.end) for seed in self.seeds})


def _no_common_words(word: str) -> bool:
    return False


def seeds_of_question(
    reads: Reads, query: str, at: At, is_common: Callable[[str], bool] = _no_common_words
) -> ContextSeeds:
    """What the question names at the two instants.

    `is_common(folded word)` tells of words that texts use as they are: they are meant so, and no misspelling or start
    of a name, unless they are written like one.
    """
    return _Finder(reads, query, at, is_common).find()


class _Word(NamedTuple):
    """A word of the question by place, folded, with how it is written."""

    start: int
    end: int
    folded: str
    capital: bool
    stop: bool


class _Finder:
    """Looks up one question."""

    def __init__(self, reads: Reads, query: str, at: At, is_common: Callable[[str], bool]) -> None:
        self._reads = reads
        self._query = query
        self._at = at
        self._is_common = is_common
        self._scans = SCANS_MAX
        self._words = _words_of(query)
        # in all capitals, or in none but the first word's, how a word is written says nothing
        written = [word.capital for word in self._words if query[word.start].isalpha()]
        self._all_capitals = len(written) > 1 and all(written)
        self._mixed = any(written[1:]) and not all(written)
        self._first = self._words[0].start if self._words else 0
        self._taken = bytearray(len(query))
        self._found: list[tuple[str, int, int, list[int], float, str]] = []

    def find(self) -> ContextSeeds:
        """Every stage in turn."""
        self._exact()
        open_words = list(self._distinct(word for word in self._words if self._is_open(word)))
        tried = sorted(_fair(open_words, WORDS_MAX), key=lambda word: word.start)
        self._phrases(tried)
        for word in tried:
            if self._is_open(word):
                self._alike(word)
        types = self._types()
        return self._settle(types, len(open_words) - len(tried))

    # names as they stand

    def _exact(self) -> None:
        query = self._query
        for entity, start, end in self._reads.named_in(query, self._at):
            weight, evidence = self._judged(start, end, entity)
            if weight:
                self._note("exact", start, end, [entity], weight, evidence)
            else:
                self._taken[start:end] = b"\1" * (end - start)

    def _judged(self, start: int, end: int, entity: int) -> tuple[float, str]:
        """How surely an exact match is a name, 0 when it is not, and what told."""
        word = folded(match_key(self._query[start:end]))
        lower = not any(map(str.isupper, self._query[start:end]))
        named_in_capitals = any(map(str.isupper, self._reads.name(entity)))
        parts = [one.folded for one in self._inside(start, end)]
        if len(parts) == len(self._words):
            return 1.0, "whole_question"
        ordinary = bool(parts) and all(part in _ORDINARY or is_stop_word(part) for part in parts)
        if not ordinary:
            # where capitals are used, a name without one is somewhat less likely meant
            doubtful = lower and named_in_capitals and self._mixed
            return (0.7, "lower_case") if doubtful else (1.0, "")
        if len(parts) > 1:
            return (0.5, "lower_case") if lower else (1.0, "capital")
        stop = is_stop_word(word)
        if _POSSESSIVE.match(self._query, end) and not stop:
            return (0.7, "lower_case") if lower else (1.0, "")
        if lower or self._all_capitals:
            return (0.0, "") if stop or word in _AUXILIARIES else (0.5, "lower_case")
        if start > self._first and not self._starts_sentence(start):
            # an abbreviation such as IT or US is one only as it is stored
            same = self._query[start:end] == self._reads.name(entity)
            return (1.0, "capital") if same or not stop else (0.0, "")
        if stop or self._is_auxiliary(word, start, end):
            return 0.0, ""
        following = self._following(end)
        return (0.2 if following is not None and following.capital else 0.6), "first_word"

    def _is_auxiliary(self, word: str, start: int, end: int) -> bool:
        """Whether a word such as `will` cannot be a name where it stands."""
        if word not in _AUXILIARIES:
            return False
        if self._all_capitals or not self._query[start].isupper():
            return True
        if start > self._first and not self._starts_sentence(start):
            return False
        following = self._following(end)
        return following is not None and following.folded in _AFTER_AUXILIARY

    def _following(self, end: int) -> _Word | None:
        place = bisect_left(self._words, end, key=lambda word: word.start)
        return self._words[place] if place < len(self._words) else None

    def _starts_sentence(self, start: int) -> bool:
        before = self._query[:start].rstrip(WHITE_SPACE + "\"'\u201c\u2018(\u00bf\u00a1")
        return before[-1:] in ".?!:\u2026\n"

    def _inside(self, start: int, end: int) -> list[_Word]:
        first = bisect_left(self._words, start, key=lambda word: word.start)
        last = bisect_left(self._words, end, key=lambda word: word.start)
        return self._words[first:last]

    # names that are nearly there

    def _phrases(self, words: Sequence[_Word]) -> None:
        """Close spellings of several words side by side, the longest first; runs of capitals before others."""
        runs = list(_runs(self._query, words))
        windows = [
            run[first : first + size]
            for size in range(PHRASE_WORDS_MAX, 1, -1)
            for run in runs
            for first in range(len(run) - size + 1)
        ]
        likely = [window for window in windows if all(word.capital for word in window)]
        others = [] if self._mixed else [window for window in windows if window not in likely]
        # half of the look-ups are kept for single words
        for window in [*likely, *others[: SCANS_MAX // 4]][: SCANS_MAX // 2]:
            start, end = window[0].start, window[-1].end
            if any(self._taken[word.start] for word in window):
                continue
            close = self._spelled(folded(match_key(self._query[start:end])))
            if close:
                self._note("spelling", start, end, close, 1.0, "")

    def _alike(self, word: _Word) -> None:
        """A word by itself: a close spelling, a word of a longer name, the start of one."""
        key, written_like_a_name = word.folded, self._is_written_like_a_name(word)
        meant_so = key in _ORDINARY and not word.capital
        # beside names with a capital, a word without one is hardly a misspelt name
        unusual = written_like_a_name or not (meant_so or self._is_common(key) or (self._mixed and not word.capital))
        close = self._spelled(key) if unusual else []
        longer = [] if meant_so else self._reads.find_word(key, self._at)
        accents_aside = bool(close) and key in (folded(match_key(name)) for name in self._reads.names(close))
        if close:
            sureness = 1.0 if accents_aside or written_like_a_name else 0.6
            self._note("spelling", word.start, word.end, close, sureness, "")
        if accents_aside:
            longer = []
        if longer:
            # beside a misspelling, what has the word as it stands is as likely meant
            self._note("word", word.start, word.end, longer, 1.0, "")
        if close or longer or not unusual:
            return
        letters = 2 if is_unspaced(ord(key[0])) else START_LETTERS_MIN
        if len(key) >= letters and self._scans > 0:
            self._scans -= 1
            started = self._reads.find_start(key, self._at, ALIKE_MAX)
            if started:
                self._note("start", word.start, word.end, started, 1.0, "")

    def _spelled(self, key: str) -> list[int]:
        if self._scans <= 0 or len(key.encode()) > 1_024:
            return []
        self._scans -= 1
        return self._reads.find_spelling(key, self._at)

    # types

    def _types(self) -> list[TypeSeed]:
        """Types named by one to three words side by side, in the singular or plural, longest first."""
        found: list[TypeSeed] = []
        seen: set[str] = set()
        inside_longer = [(one[1], one[2]) for one in self._found if one[0] == "exact"]
        words, place = [word for word in self._words if word.folded][:WORDS_MAX], 0
        while place < len(words):
            size = 1
            for size in range(min(TYPE_WORDS_MAX, len(words) - place), 0, -1):
                run = words[place : place + size]
                named = self._type_named(run, inside_longer)
                if named:
                    found += [one for one in named if one.type not in seen]
                    seen.update(one.type for one in named)
                    break
            place += size
        return found

    def _type_named(self, run: Sequence[_Word], names: Sequence[tuple[int, int]]) -> list[TypeSeed]:
        start, end = run[0].start, run[-1].end
        if len(run) == 1 and (run[0].stop or run[0].folded in _AUXILIARIES):
            return []
        if any(first <= start and end <= last and (first, last) != (start, end) for first, last in names):
            return []
        before, last = [word.folded for word in run[:-1]], run[-1].folded
        for form in dict.fromkeys([*singulars(last), *plurals(last)]):
            types = self._reads.find_types(" ".join([*before, form]), self._at, TYPE_MEMBERS_MAX)
            if types:
                return [TypeSeed(one.type, one.members, start, end, WEIGHTS["type"]) for one in types]
        return []

    # what it comes to

    def _is_written_like_a_name(self, word: _Word) -> bool:
        return word.capital and self._mixed and word.start > self._first and not self._starts_sentence(word.start)

    def _is_open(self, word: _Word) -> bool:
        if self._taken[word.start] or self._is_auxiliary(word.folded, word.start, word.end):
            return False
        # what another language's stop words hold may be a name: Pri
        like_a_name = self._is_written_like_a_name(word) or (word.capital and len(self._words) == 1)
        if word.stop and (is_english_stop_word(word.folded) or not like_a_name):
            return False
        return len(word.folded) > 1 or not word.folded.isascii()

    @staticmethod
    def _distinct(words: Iterable[_Word]) -> Iterator[_Word]:
        """Of words that come again the first, or the first that is written like a name."""
        chosen: dict[str, _Word] = {}
        for word in words:
            held = chosen.get(word.folded)
            if held is None or (word.capital and not held.capital):
                chosen[word.folded] = word
        return iter(sorted(chosen.values()))

    def _note(self, stage: str, start: int, end: int, entities: list[int], sureness: float, evidence: str) -> None:
        self._taken[start:end] = b"\1" * (end - start)
        self._found.append((stage, start, end, entities, sureness, evidence))

    def _settle(self, types: list[TypeSeed], left_out: int) -> ContextSeeds:
        """Entities once each under their best stage; where there are too many, every phrase gets its turn."""
        matched = dict.fromkeys(STAGES, 0)
        best: dict[int, Seed] = {}
        turns: list[list[Seed]] = []
        for stage, start, end, entities, sureness, evidence in sorted(
            self._found, key=lambda one: (STAGES.index(one[0]), one[1])
        ):
            matched[stage] += len(entities)
            weight = WEIGHTS[stage] * sureness / len(entities)
            turns.append([Seed(entity, stage, start, end, weight, evidence) for entity in entities])
        for turn in range(max(map(len, turns), default=0)):
            for seeds in turns:
                if turn < len(seeds) and len(best) < SEEDS_MAX:
                    held = best.get(seeds[turn].entity)
                    if held is None or held.weight < seeds[turn].weight:
                        best[seeds[turn].entity] = seeds[turn]
        matched["type"] = len(types)
        order = sorted(best.values(), key=lambda seed: (STAGES.index(seed.stage), seed.start, seed.entity))
        return ContextSeeds(order, types, matched, left_out)


def _words_of(query: str) -> list[_Word]:
    words = []
    for start, end in word_spans(query):
        key = folded(match_key(query[start:end]))
        capital = query[start].isupper() or query[start].istitle()
        words.append(_Word(start, end, key, capital, is_stop_word(key)))
    return words


def _fair(words: Sequence[_Word], most: int) -> list[_Word]:
    """At most so many words: those written like names first, then such from all over the question."""
    if len(words) <= most:
        return list(words)
    capitals = [word for word in words if word.capital][: most // 2]
    others = [word for word in words if word not in set(capitals)]
    wanted = most - len(capitals)
    return capitals + [others[place * len(others) // wanted] for place in range(wanted)]


def _runs(query: str, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Words with nothing but white space, hyphens and full stops of initials between them."""
    run: list[_Word] = []
    for word in words:
        if run and query[run[-1].end : word.start].strip(WHITE_SPACE + "-.'\u2019") == "":
            run.append(word)
            continue
        if len(run) > 1:
            yield run
        run = [word]
    if len(run) > 1:
        yield run
