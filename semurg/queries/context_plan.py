"""What a question comes to before anything is looked for: its words, its names, and what is left to embed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from semurg.domain.limits import CONTEXT_K_DEFAULT, HOPS_DEFAULT, REPLY_TOKENS_DEFAULT
from semurg.domain.terms import QueryWord, content_words, query_words
from semurg.domain.visibility import At
from semurg.projections.conversation import NOBODY, Conversation
from semurg.projections.scope import ScopeProjection
from semurg.queries.context_seeds import NEVER_SEEN, QuestionNames, Seed, names_in
from semurg.queries.instants import NOT_ASKED, ReadInstants
from semurg.queries.spoken_time import SpokenTime


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
    """What a question comes to before anything is ranked: its words, its names, and what is left to embed."""

    words: list[QueryWord]
    rarity: list[float]
    names: QuestionNames
    speakers: list[int]
    asked: int
    to_embed: str


def plan(scope: ScopeProjection, request: ContextRequest, at: At) -> Plan:
    """Read the question: done before its vector is made, because names of speakers are cut out of what is embedded."""
    parts = scope.parts
    every = query_words(request.query, parts.words.languages())
    telling = content_words(every)
    rarity = parts.words.rarity(telling, at.known_at)
    held = {word.keys: value for word, value in zip(telling, rarity, strict=True)}
    unheld = parts.words.rarity([QueryWord("", 0, 0, (), False)], at.known_at)[0]
    by_word = [NEVER_SEEN if held.get(word.keys, unheld) >= unheld else held[word.keys] for word in every]
    names = names_in(parts, request.query, every, by_word, at)
    talk = Conversation(parts, at)
    exact = [seed for seed in names.seeds if seed.stage == "exact"]
    speakers = [seed.entity for seed in exact if talk.speaks(seed.entity)]
    cut = [seed for seed in exact if seed.entity in speakers]
    kept = [
        (word, value)
        for word, value in zip(telling, rarity, strict=True)
        if not any(seed.start <= word.start < seed.end for seed in cut)
    ]
    return Plan(
        [word for word, _ in kept],
        [value for _, value in kept],
        names,
        speakers,
        speakers[0] if len(speakers) == 1 else NOBODY,
        _without(request.query, cut) or request.query,
    )


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
