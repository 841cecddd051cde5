"""What a question names: stored entities and types, each with where in the question, by which stage, and how much.

Names as they stand come first, longest phrase first, found as linking finds them in texts. A word that no name took is
then tried as a close spelling, as one word of a longer name, and as the start of one. A stop word never names anything
alone; written with a capital it may (Will, May), and then counts for less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from semurg.domain.linking import find_occurrences
from semurg.domain.names import folded, is_stop_word, match_key
from semurg.domain.terms import ENGLISH, QueryWord, stem, stop_words_of
from semurg.domain.visibility import At
from semurg.projections.parts import Parts

NAMES_MAX = 32
WORDS_TRIED_MAX = 64
ALIKE_MAX = 8
TYPE_MEMBERS_MAX = 32
START_LETTERS_MIN = 3
WEIGHTS = {"exact": 1.0, "spelling": 0.8, "word": 0.3, "start": 0.2, "type": 0.2}
_CAPITAL_ONLY = 0.3
STAGES = ("exact", "spelling", "word", "start", "type")


class Seed(NamedTuple):
    """An entity that the question names: where (code points), which stage found it, its weight within its stage."""

    entity: int
    stage: str
    start: int
    end: int
    weight: float


class NamedType(NamedTuple):
    """A class that the question names, as its match key, and where."""

    key: str
    start: int
    end: int


class QuestionNames(NamedTuple):
    """All that a question names, in the order of the question, and how many matched in each stage."""

    seeds: list[Seed]
    types: list[NamedType]
    matched: dict[str, int]


def names_in(parts: Parts, query: str, words: Sequence[QueryWord], rarity: Sequence[float], at: At) -> QuestionNames:
    """The entities and types that a question names at the two instants. `rarity` tells of each word how much it tells.

    A word that texts hold is meant as it is spelled: only one that none holds, or that is written like a name, is
    looked for as a misspelling.
    """
    seeds = _exact(parts, query, at)
    matched = {"exact": len(seeds)}
    types = _types(parts, query, words, seeds)
    matched["type"] = len(types)
    open_words = [
        (word, tells)
        for word, tells in zip(words, rarity, strict=True)
        if not word.stop and not _inside(word, seeds) and not _inside_type(word, types)
    ][:WORDS_TRIED_MAX]
    for word, tells in _once(open_words):
        for stage, found in _alike(parts, query, word, tells, at):
            matched[stage] = matched.get(stage, 0) + len(found)
            seeds += [
                Seed(entity, stage, word.start, word.end, WEIGHTS[stage] / len(found)) for entity in found[:ALIKE_MAX]
            ]
    for named in types:
        members = parts.names.of_type(named.key, at, TYPE_MEMBERS_MAX)
        share = WEIGHTS["type"] / max(1, len(members))
        seeds += [Seed(entity, "type", named.start, named.end, share) for entity in members]
    seeds.sort(key=lambda seed: (STAGES.index(seed.stage), seed.start, seed.entity))
    first: dict[int, Seed] = {}
    for seed in seeds:
        first.setdefault(seed.entity, seed)
    return QuestionNames(list(first.values()), types, matched)


def _exact(parts: Parts, query: str, at: At) -> list[Seed]:
    names = parts.names

    def lookup(keys: Sequence[str]) -> list[int]:
        numbers = names.numbers_by_key(keys)
        return [number if names.is_visible(number, at) else -1 for number in numbers]

    seeds = []
    for found in find_occurrences(query, names.name_lengths, lookup)[:NAMES_MAX]:
        written = query[found.start : found.end]
        weight = WEIGHTS["exact"]
        key = folded(match_key(written))
        if key in stop_words_of(ENGLISH) or is_stop_word(key):
            # "will" is no name in "who will come"; "Will" may be one
            if not written[:1].isupper() or is_stop_word(key):
                continue
            weight = _CAPITAL_ONLY
        seeds.append(Seed(found.entity, "exact", found.start, found.end, weight))
    return seeds


def _alike(parts: Parts, query: str, word: QueryWord, tells: float, at: At) -> list[tuple[str, list[int]]]:
    """The first stage that finds entities for a word that is no name as it stands."""
    written = query[word.start : word.end].removesuffix("'s").removesuffix("\u2019s")
    key = folded(match_key(written))
    if len(key) < 2:
        return []
    like_a_name = written[:1].isupper() and word.start > 0
    unknown = tells >= NEVER_SEEN
    longer = parts.names.find_word(key, at)
    if longer:
        return [("word", longer)]
    if unknown or like_a_name:
        close = parts.names.find_spelling(key, at)
        if close:
            return [("spelling", close)]
    if (unknown or like_a_name) and len(key) >= START_LETTERS_MIN:
        started = parts.names.find_word_start(key, at, ALIKE_MAX)
        if started:
            return [("start", started)]
    return []


NEVER_SEEN = 1e9
"""The rarity to give for a word that no passage holds."""


def _types(parts: Parts, query: str, words: Sequence[QueryWord], seeds: Sequence[Seed]) -> list[NamedType]:
    keys = parts.names.all_type_keys()
    if not keys:
        return []
    by_stem: dict[tuple[str, ...], str] = {}
    for key in keys:
        by_stem.setdefault(tuple(stem(word, ENGLISH) for word in folded(key).replace("_", " ").split()), key)
    found: list[NamedType] = []
    longest = max(map(len, by_stem))
    place = 0
    while place < len(words):
        for size in range(min(longest, len(words) - place), 0, -1):
            run = words[place : place + size]
            stems = tuple(stem(folded(match_key(query[one.start : one.end])), ENGLISH) for one in run)
            if stems in by_stem and not (size == 1 and run[0].stop) and not _inside(run[0], seeds):
                found.append(NamedType(by_stem[stems], run[0].start, run[-1].end))
                place += size - 1
                break
        place += 1
    return found


def _once(words: Sequence[tuple[QueryWord, float]]) -> list[tuple[QueryWord, float]]:
    seen: dict[tuple[str, ...], tuple[QueryWord, float]] = {}
    for word, tells in words:
        seen.setdefault(word.keys, (word, tells))
    return list(seen.values())


def _inside(word: QueryWord, seeds: Sequence[Seed]) -> bool:
    return any(seed.start <= word.start and word.end <= seed.end for seed in seeds if seed.stage == "exact") or any(
        seed.start <= word.start < seed.end for seed in seeds if seed.stage == "exact"
    )


def _inside_type(word: QueryWord, types: Sequence[NamedType]) -> bool:
    return any(named.start <= word.start < named.end for named in types)
