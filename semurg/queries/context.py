"""memory_context: what in memory bears on a question, ranked and cited, with a verdict on whether it answers.

Seeds (names, types, words, meaning) → candidates → a first score → a walk from what scores best → one ranking of
passages and facts → the items that fit → grounding. Everything is read at the two instants of the request; nothing is
written, and no model but the one that made the question's vector has a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.limits import (
    BYTES_A_TOKEN,
    CONTEXT_K_DEFAULT,
    HOPS_DEFAULT,
    REPLY_TOKENS_DEFAULT,
    SUGGESTIONS_MAX,
)
from semurg.domain.names import match_key
from semurg.domain.terms import QueryWord, content_words, query_words
from semurg.domain.visibility import At
from semurg.projections.conversation import NOBODY, Conversation
from semurg.projections.scope import ScopeProjection
from semurg.projections.vectors import Embedded
from semurg.projections.walking import FACT, Walk, walk
from semurg.queries.answering import Answering
from semurg.queries.context_items import ContextItems, attributes_said
from semurg.queries.context_seeds import NEVER_SEEN, QuestionNames, Seed, names_in
from semurg.queries.evidence import Question, Scored, of_share, score_passages, weights_for
from semurg.queries.grounding import Asked, ShownItem, verdict
from semurg.queries.instants import NOT_ASKED, ReadInstants
from semurg.queries.items import Item, compact, text_bytes
from semurg.queries.ranking import Candidate, facts_in_order
from semurg.queries.spoken_time import SpokenTime

BY_WORDS_MAX = 1_000
WORD_CANDIDATES_MAX = 150
NEAREST_MAX = 100
LINKED_MAX = 64
FURTHER_MAX = 200
FOLLOWING_MAX = 40
WALK_PASSAGES = 20
WALK_SHARPNESS = 5.0
ENTITY_TRUST = 10.0
WALKED_ENTITIES_MAX = 24
FACTS_OF_WALK_MAX = 60
MEANING_SHARE_OF_FLOOR = 0.6
PERIOD_STEPS = 6


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


class Ranked(NamedTuple):
    """A passage or a fact in the one ranking. `place` is its row among the scored passages, or among the facts."""

    score: float
    is_fact: bool
    place: int


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


def context(
    scope: ScopeProjection | None,
    scope_name: str,
    request: ContextRequest,
    planned: Plan | None,
    meaning: Meaning,
    at: At,
) -> dict[str, Any]:
    """The reply to memory_context; `scope` and `planned` are None when there is no scope of that name."""
    if scope is None or planned is None:
        return _Reply(None, scope_name, request, None, meaning, at).nothing()
    return _Reply(scope, scope_name, request, planned, meaning, at).make()


class _Reply:
    """One reply in the making."""

    def __init__(
        self,
        scope: ScopeProjection | None,
        scope_name: str,
        request: ContextRequest,
        planned: Plan | None,
        meaning: Meaning,
        at: At,
    ) -> None:
        self._scope = scope
        self._scope_name = scope_name
        self._request = request
        self._meaning = meaning
        self._at = at
        if scope is not None and planned is not None:
            self._parts = scope.parts
            self._reads = scope.reads
            self._plan = planned
            self._seeds = {seed.entity: seed for seed in planned.names.seeds}
            self._horizon = self._parts.timeline.horizon(at.known_at)
        self._nearest: dict[int, float] = {}
        self._by_words: dict[int, tuple[float, int]] = {}
        self._passage_of: dict[str, int] = {}
        self._applied = False

    def make(self) -> dict[str, Any]:
        assert self._scope is not None
        self._find()
        if not (self._seeds or self._by_words or self._nearest):
            return self.nothing()
        question = Question(
            self._request.query, self._plan.words, self._plan.rarity, self._meaning.vector, self._plan.asked
        )
        scored = score_passages(self._parts, self._at, question, self._candidates(), self._by_words)
        walked = self._walk(scored)
        known = set(scored.passages.tolist())
        further = [number for number in walked.evidence if number > FACT and number not in known]
        further.sort(key=lambda number: (-walked.evidence[number].share, number))
        del further[FURTHER_MAX:]
        if further:
            also = score_passages(self._parts, self._at, question, self._showing(further), self._by_words)
            scored = Scored(
                np.concatenate([scored.passages, also.passages]),
                np.concatenate([scored.features, also.features]),
                np.concatenate([scored.sums, also.sums]),
            )
        return self._answer(question, scored, walked)

    # what is found

    def _find(self) -> None:
        parts, at = self._parts, self._at
        hits = parts.words.score(self._plan.words, at.known_at, at.valid_at, BY_WORDS_MAX)
        self._by_words = {
            passage: (float(score), int(mask))
            for passage, score, mask in zip(
                hits.passages.tolist(), hits.scores.tolist(), hits.matched.tolist(), strict=True
            )
        }
        vector = self._meaning.vector
        if vector is not None:
            found = parts.vectors.nearest(Embedded.PASSAGE, vector, NEAREST_MAX, self._showing_array)
            named = bool(self._seeds or self._by_words)
            floor = self._meaning.floor
            if found and (named or (floor is not None and found[0][1] >= floor)):
                least = -1.0 if named or floor is None else floor * MEANING_SHARE_OF_FLOOR
                self._nearest = {passage: cosine for passage, cosine in found if cosine >= least}

    def _candidates(self) -> list[int]:
        """The passages to be scored, each once, all of them showing."""
        ordered: dict[int, None] = dict.fromkeys(list(self._by_words)[:WORD_CANDIDATES_MAX])
        ordered.update(dict.fromkeys(self._nearest))
        talk = Conversation(self._parts, self._at)
        following = talk.neighbours(np.array(list(ordered)[:FOLLOWING_MAX], dtype=np.int32), 1).tolist()
        for seed in self._plan.names.seeds:
            if seed.stage == "exact" and seed.entity not in self._plan.speakers:
                linked, _ = self._parts.mentions.links_of(seed.entity, self._horizon)
                following += linked[-LINKED_MAX:].tolist()
        ordered.update(dict.fromkeys(self._showing(one for one in following if one >= 0)))
        return list(ordered)

    def _showing(self, passages: Iterable[int]) -> list[int]:
        numbers = np.fromiter(dict.fromkeys(passages), dtype=np.int32)
        return self._showing_array(numbers).tolist()  # type: ignore[no-any-return]

    def _showing_array(self, passages: NDArray[np.int32]) -> NDArray[np.int32]:
        return self._parts.passages.showing(passages, self._horizon, self._at.valid_at)

    def _walk(self, scored: Scored) -> Walk:
        """Walk from the named entities, the rarer the more, and from the passages that score best."""
        order = np.lexsort((scored.passages, -scored.sums))[:WALK_PASSAGES]
        prior: dict[int, float] = {}
        if len(order):
            best = scored.sums[order]
            shares = np.exp((best - best[0]) * WALK_SHARPNESS)
            prior = dict(zip(scored.passages[order].tolist(), (shares / shares.sum()).tolist(), strict=True))
        worth = {seed.entity: seed.weight * self._rarity_of(seed.entity) for seed in self._plan.names.seeds}
        total, most = sum(worth.values()), max(worth.values(), default=0.0)
        trust = most / (most + ENTITY_TRUST) if prior else 1.0
        entities = {entity: trust * share / total for entity, share in worth.items() if total > 0}
        passages = {passage: (1 - trust if entities else 1.0) * share for passage, share in prior.items()}
        return walk(self._parts, self._at, entities, passages, self._request.hops)

    def _rarity_of(self, entity: int) -> float:
        parts = self._parts
        linked, _ = parts.mentions.links_of(entity, self._horizon)
        held = len(linked) + len(parts.facts.visible_rows(entity, self._at))
        return math.log(1 + (parts.passages.live + parts.facts.live + 1) / max(1, held)) ** 2

    # what is shown

    def _answer(self, question: Question, scored: Scored, walked: Walk) -> dict[str, Any]:
        assert self._scope is not None
        named = [seed.entity for seed in self._plan.names.seeds]
        reached = sorted(walked.entities, key=lambda one: (-walked.entities[one].share, one))
        entities = list(dict.fromkeys([*named, *reached]))[: max(len(named), WALKED_ENTITIES_MAX)]
        make = ContextItems(self._reads, self._scope.number, self._at, self._seeds, entities)
        facts = self._facts(make, entities, walked) if self._request.hops or named else []
        ranked = self._ranking(question, scored, walked, facts)
        items = self._take(make, scored, facts, ranked, walked)
        shown, left_out = items
        if not shown:
            return self.nothing()
        return self._reply(question, scored, ranked, shown, left_out, walked)

    def _facts(self, make: ContextItems, entities: Sequence[int], walked: Walk) -> list[tuple[Candidate, float, str]]:
        """The facts of the entities reached, with what the walk brought each and its text."""
        if not entities:
            return []
        found = []
        for fact in self._facts_of(entities):
            if fact.basis is None:
                share = walked.evidence[FACT - fact.first].share if FACT - fact.first in walked.evidence else 0.0
            else:
                ends = (walked.entities.get(fact.source), walked.entities.get(fact.target))
                share = min((end.share for end in ends if end is not None), default=0.0) / 4
            found.append((fact, share, make.fact_text(fact)))
        return found

    def _facts_of(self, entities: Sequence[int]) -> list[Candidate]:
        """The facts of entities in the order of recall: of the period that the question speaks of, when some are."""
        for instants in ([at for at in self._period_instants()], [self._at]):
            found: dict[tuple[bool, int, int, str], Candidate] = {}
            for at in instants:
                for _, fact in facts_in_order(self._reads, entities, at, FACTS_OF_WALK_MAX, {}).turns:
                    found.setdefault((fact.derived, fact.first, fact.second, fact.relation), fact)
            if found and instants != [self._at]:
                self._applied = True
            if found:
                return list(found.values())[:FACTS_OF_WALK_MAX]
        return []

    def _period_instants(self) -> list[At]:
        """Instants that between them meet every fact of the period that the question speaks of for sure."""
        time = self._request.time
        if time is None or not time.certain:
            return []
        start, end = time.period
        present = self._at.valid_at
        first = end - 1 if start == UNKNOWN_START else start
        last = max(start, present) if end == NO_END else end - 1
        middle = [first + (last - first) * step // PERIOD_STEPS for step in range(PERIOD_STEPS + 1)]
        return [At(self._at.known_at, instant) for instant in dict.fromkeys(reversed(middle))]

    def _ranking(
        self, question: Question, scored: Scored, walked: Walk, facts: Sequence[tuple[Candidate, float, str]]
    ) -> list[Ranked]:
        weights = weights_for(question.vector)
        ranked = []
        for row, passage in enumerate(scored.passages.tolist()):
            brought = walked.evidence[passage].share if passage in walked.evidence else 0.0
            score = float(scored.sums[row]) + weights.graph * of_share(brought)
            score += weights.dated * self._nearness(self._parts.passages.begins(passage))
            ranked.append(Ranked(score, False, row))
        cosines = self._fact_cosines(question, facts)
        answering = Answering(question.words, question.rarity)
        for row, (fact, share, text) in enumerate(facts):
            covered = answering.covered(text)
            score = weights.features[10] * covered + weights.graph * of_share(share)
            score += (weights.features[3] + weights.features[4]) * cosines[row]
            score += weights.features[0] * covered * sum(question.rarity)
            score += weights.dated * self._nearness(fact.start)
            ranked.append(Ranked(score, True, row))
        return sorted(ranked, key=lambda one: (-one.score, one.is_fact, one.place))

    def _fact_cosines(self, question: Question, facts: Sequence[tuple[Candidate, float, str]]) -> list[float]:
        if question.vector is None:
            return [0.0] * len(facts)
        numbers = [fact.first if fact.basis is None else -1 for fact, _, _ in facts]
        cosines = self._parts.vectors.cosines(Embedded.FACT, question.vector, numbers)
        return np.nan_to_num(cosines).tolist()  # type: ignore[no-any-return]

    def _nearness(self, instant: int) -> float:
        return 0.0 if self._request.time is None else self._request.time.nearness(instant)

    def _take(
        self,
        make: ContextItems,
        scored: Scored,
        facts: Sequence[tuple[Candidate, float, str]],
        ranked: Sequence[Ranked],
        walked: Walk,
    ) -> tuple[list[Item], int]:
        """The items that fit into k and the budget, best first; facts take half of the places while passages wait."""
        room, k = self._request.max_tokens * BYTES_A_TOKEN, self._request.k
        items = self._named_things(make, room)
        left_out = 0
        fact_places = max(1, k // 2) if any(not one.is_fact for one in ranked) else k
        for one in ranked:
            if len(items) >= k or (one.is_fact and fact_places == 0 and self._passages_wait(ranked, items, k)):
                left_out += 1
                continue
            text = facts[one.place][2] if one.is_fact else self._reads.passage(int(scored.passages[one.place])).text
            size = text_bytes(text)
            if size > room and items:
                left_out += 1
                continue
            room -= size
            if not one.is_fact and self._nearness(self._parts.passages.begins(int(scored.passages[one.place]))) == 1:
                self._applied = self._request.time is not None and self._request.time.certain
            items.append(self._item(make, scored, facts, one, walked))
            fact_places -= one.is_fact
        return items, left_out

    def _passages_wait(self, ranked: Sequence[Ranked], items: Sequence[Item], k: int) -> bool:
        shown = sum(item["kind"] == "passage" for item in items)
        return sum(not one.is_fact for one in ranked) > shown and len(items) < k

    def _named_things(self, make: ContextItems, room: int) -> list[Item]:
        """Entities that the question names or asks for by type, when there is more to say of them than their name."""
        items: list[Item] = []
        for place, entity in enumerate(make.entities):
            seed = self._seeds.get(entity)
            if seed is None or seed.stage not in ("exact", "spelling", "type") or len(items) >= self._request.k // 2:
                continue
            told = self._reads.attributes_of(False, entity, self._at)
            if not told and not (seed.stage == "type" or self._reads.types_of(entity, self._at)):
                continue
            linked = self._reads.passages_of_entity(entity, self._at)[:1]
            items.append(make.entity(place, room // 4, linked, round(seed.weight, 4)))
        return items

    def _item(
        self,
        make: ContextItems,
        scored: Scored,
        facts: Sequence[tuple[Candidate, float, str]],
        one: Ranked,
        walked: Walk,
    ) -> Item:
        score = round(1 / (1 + math.exp(-one.score / 8)), 4)
        if one.is_fact:
            fact, _, _ = facts[one.place]
            reached = walked.evidence.get(FACT - fact.first) if fact.basis is None else None
            return make.fact(fact, 1 if reached is None else reached.hops, score)
        passage = int(scored.passages[one.place])
        stage, hops, seed = self._stage_of(passage, walked)
        item = make.passage(passage, self._reads.passage(passage), self._plan.words, stage, hops, score, seed)
        self._passage_of[item["source_id"]] = passage
        return item

    def _stage_of(self, passage: int, walked: Walk) -> tuple[str, int, int]:
        """(stage, steps, the named entity that it is linked to or -1)."""
        linked = [one for one in self._parts.mentions.named_in(passage, self._horizon) if one in self._seeds]
        exact = [one for one in linked if self._seeds[one].stage in ("exact", "spelling")]
        if passage in self._by_words:
            return "word", 0, exact[0] if exact else -1
        if exact:
            return "name", 1, exact[0]
        if passage in self._nearest:
            return "meaning", 0, -1
        hops = walked.evidence[passage].hops if passage in walked.evidence else 1
        return "graph", max(1, hops), linked[0] if linked else -1

    # the reply

    def _reply(
        self,
        question: Question,
        scored: Scored,
        ranked: Sequence[Ranked],
        items: list[Item],
        left_out: int,
        walked: Walk,
    ) -> dict[str, Any]:
        grounding = self._grounding(question, scored, items)
        position = str(self._reads.position_at(self._at.known_at))
        if self._request.compact:
            short: dict[str, Any] = {
                "state": "answered",
                "items": [compact(item) for item in items],
                "grounding": grounding,
                "position": position,
            }
            short |= {"left_out": left_out} if left_out else {}
            return short | self._time()
        make = ContextItems(self._reads, self._scope_number(), self._at, self._seeds, [])
        return {
            "ok": True,
            "state": "answered",
            "scope": self._scope_name,
            "position": position,
            "items": items,
            "left_out": left_out,
            "grounding": grounding,
            "seeds": [
                {"id": make.entity_id(seed.entity), "name": self._reads.name(seed.entity), "seed": seed.stage}
                for seed in self._plan.names.seeds
            ],
            "seeding": self._seeding(),
            "traversal": {
                "hops": self._request.hops,
                "visited": walked.visited,
                "facts": sum(number <= FACT for number in walked.evidence),
            },
            "meaning": self._meaning.state if self._meaning.state != "ran" else "armed",
            **self._time(),
        }

    def _grounding(self, question: Question, scored: Scored, items: Sequence[Item]) -> dict[str, Any]:
        every = content_words(query_words(self._request.query, self._parts.words.languages()))
        time = self._request.time
        if time is not None and self._applied:
            # what was read for the period answers for its words
            every = [word for word in every if not time.start <= word.start < time.end]
        seeds = [seed for seed in self._plan.names.seeds if seed.stage != "type"]
        names = [word for word in every if any(seed.start <= word.start < seed.end for seed in seeds)]
        stored = list(dict.fromkeys(self._reads.name(seed.entity) for seed in seeds))
        answering = Answering(question.words, question.rarity)
        places = [place for place, item in enumerate(items) if item["kind"] == "passage"]
        passages = [self._passage_of[items[place]["source_id"]] for place in places]
        meant = answering.meant(self._parts, self._at, question, scored, passages, self._plan, self._meaning.floor)
        if meant is not None:
            meant = meant._replace(place=places[meant.place])
        judged = self._meaning.state != "could_not_judge"
        return verdict(Asked(every, names, stored), [_shown(item) for item in items], meant, judged)

    def _seeding(self) -> dict[str, Any]:
        matched = self._plan.names.matched if self._scope is not None else {}
        report: dict[str, Any] = {
            stage: {"state": "ran", "matched": matched.get(stage, 0)}
            for stage in ("exact", "spelling", "word", "start", "type")
        }
        report["words"] = {"state": "ran", "matched": len(self._by_words)}
        report["meaning"] = self._meaning_report()
        return report

    def _meaning_report(self) -> dict[str, Any]:
        if self._meaning.state != "ran" or self._scope is None:
            detail = {"detail": self._meaning.reason} if self._meaning.state == "could_not_judge" else {}
            return {"state": self._meaning.state, **detail}
        have, all_ = self._parts.vectors.count(Embedded.PASSAGE), self._parts.passages.live
        return {
            "state": "ran",
            "matched": len(self._nearest),
            "coverage": "complete" if have >= all_ else "incomplete",
            "model": self._meaning.model,
            "floor": self._meaning.floor,
        }

    def _time(self) -> dict[str, Any]:
        time = self._request.time
        return {} if time is None else {"time": time._replace(applied=self._applied).report()}

    def _scope_number(self) -> int:
        return 0 if self._scope is None else self._scope.number

    def nothing(self) -> dict[str, Any]:
        """The explicit empty answer, with names that are near when there are any."""
        near: list[str] = []
        position = "0"
        if self._scope is not None:
            key = match_key(self._request.query)
            near = self._reads.close_names(key, self._at, SUGGESTIONS_MAX) if len(key) <= 200 else []
            position = str(self._reads.position_at(self._at.known_at))
        every = content_words(query_words(self._request.query, ()))
        judged = self._meaning.state != "could_not_judge"
        state = "nothing_stored" if judged else "could_not_judge"
        reply: dict[str, Any] = {"state": state, "items": []}
        if not judged:
            reply["detail"] = f"Search by meaning could not run: {self._meaning.reason}."
        reply["grounding"] = verdict(Asked(every, [], []), [], None, judged)
        reply["position"] = position
        if near or not self._request.compact:
            reply["did_you_mean"] = near
        if self._request.compact:
            return reply | self._time()
        return {
            "ok": True,
            **reply,
            "scope": self._scope_name,
            "left_out": 0,
            "seeds": [],
            "seeding": self._seeding(),
            "traversal": {"hops": 0, "visited": 0, "facts": 0},
            "meaning": self._meaning.state if self._meaning.state != "ran" else "armed",
            **self._time(),
        }


def _shown(item: Item) -> ShownItem:
    citation = item["citation"]
    text = item["text"]
    if item["kind"] == "fact":
        text = f"{item['subject']} {item['relation'].replace('_', ' ')} {item['object']} {attributes_said(item)}"
    span = citation["span"]
    if span is not None:
        text = f"{text}\n{span['text']}"
    return ShownItem(text, citation["span_state"] != "source_forgotten")


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
