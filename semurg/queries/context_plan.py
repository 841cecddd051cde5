"""What a question comes to before anything is looked for: its words, its names, and what is left to embed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from semurg.domain.limits import CONTEXT_K_DEFAULT, HOPS_DEFAULT, REPLY_TOKENS_DEFAULT
from semurg.domain.names import folded, match_key
from semurg.domain.terms import QueryTerm, query_terms
from semurg.domain.visibility import At
from semurg.projections.conversation import NOBODY, Conversation
from semurg.projections.scope import ScopeProjection
from semurg.queries.context_seeds import ContextSeeds, Seed, seeds_of_question
from semurg.queries.instants import NOT_ASKED, ReadInstants
from semurg.queries.spoken_time import SpokenTime

UNHELD = QueryTerm("\ue000", ("\ue000",), ("\ue000",), 0, 1, False, -1, 1.0)
"""A word that no text holds."""


class ContextRequest(msgspec.Struct, frozen=True):
    """What is asked. `time` is what the question says of time, None when nothing or when valid_at overrides it."""

    query: str
    k: int = CONTEXT_K_DEFAULT
    hops: int = HOPS_DEFAULT
    max_tokens: int = REPLY_TOKENS_DEFAULT
    compact: bool = False
    time: SpokenTime | None = None
    instants: ReadInstants = NOT_ASKED


class Meaning(NamedTuple):
    """What the model gave for the question: `vector(text)` of a text, or the state of the stage and why."""

    vector: NDArray[np.float32] | None
    state: str
    reason: str | None
    floor: float | None
    model: str | None


class Plan(NamedTuple):
    """What a question comes to before anything is ranked: its words, its names, and what is left to embed.

    `rarity` tells of each word how much it tells, 0 for stop words, parts of words and names of speakers. `seeds` are
    the entities named, those of a type last. `speakers` are those of them that say passages; `asked` is the one of
    them when there is but one, else NOBODY.
    """

    words: list[QueryTerm]
    rarity: list[float]
    names: ContextSeeds
    seeds: list[Seed]
    speakers: list[int]
    asked: int
    to_embed: str


def plan(scope: ScopeProjection, request: ContextRequest, at: At) -> Plan:
    """Read the question: done before its vector is made, because names of speakers are cut out of what is embedded."""
    reads = scope.reads
    words = query_terms(request.query, reads.languages(at))
    tells = [0.0 if word.stop else reads.word_idf(word, at) for word in words]
    unheld = reads.word_idf(UNHELD, at)
    common = {
        folded(match_key(word.word))
        for word, value in zip(words, tells, strict=True)
        if not word.stop and value < unheld
    }
    names = seeds_of_question(reads, request.query, at, common.__contains__)
    talk = Conversation(scope.parts, at)
    exact = [seed for seed in names.seeds if seed.stage == "exact"]
    speakers = [seed.entity for seed in exact if talk.speaks(seed.entity)]
    cut = [seed for seed in exact if seed.entity in speakers]
    kept = [
        word._replace(stop=True) if any(seed.start <= word.start < seed.end for seed in cut) else word for word in words
    ]
    rarity = [0.0 if word.stop or word.whole >= 0 else value for word, value in zip(kept, tells, strict=True)]
    return Plan(
        kept,
        rarity,
        names,
        _all_seeds(names),
        speakers,
        speakers[0] if len(speakers) == 1 else NOBODY,
        _without(request.query, cut) or request.query,
    )


def _all_seeds(names: ContextSeeds) -> list[Seed]:
    """The entities named, each once, with the members of the types that are named behind them."""
    seeds = {seed.entity: seed for seed in names.seeds}
    for named in names.types:
        share = named.weight / max(1, len(named.members))
        for entity in named.members:
            seeds.setdefault(entity, Seed(entity, "type", named.start, named.end, share, ""))
    return list(seeds.values())


def _without(query: str, seeds: Sequence[Seed]) -> str:
    """The question without these names and their possessive endings."""
    kept, done = [], 0
    for seed in sorted(seeds, key=lambda one: one.start):
        kept.append(query[done : seed.start])
        done = seed.end
        for ending in ("'s", "\u2019s"):
            if query.startswith(ending, done):
                done += len(ending)
    return " ".join("".join([*kept, query[done:]]).split())
