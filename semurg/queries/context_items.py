"""The items of a memory_context reply: passages that quote the sentence that fits, facts, and named things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from semurg.domain.ids import Kind, encode_id
from semurg.domain.instants import format_bound
from semurg.domain.terms import QueryTerm, covers, text_terms
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.projections.rows import PassageRow
from semurg.queries.citations import Citations
from semurg.queries.context_seeds import Seed
from semurg.queries.items import Item, Items
from semurg.queries.ranking import Candidate


class ContextItems:
    """Makes the items of one reply. `seeds` are what the question names, by entity."""

    def __init__(
        self, reads: Reads, scope_number: int, at: At, seeds: Mapping[int, Seed], entities: Sequence[int]
    ) -> None:
        self._reads = reads
        self._number = scope_number
        self._seeds = seeds
        self.entities = list(entities)
        self._items = Items(reads, scope_number, at, "", self.entities)
        self._citations = Citations(reads, scope_number, at)

    def entity_id(self, entity: int) -> str:
        """The id of an entity of this scope."""
        return self._items.entity_id(entity)

    def passage(
        self, passage: int, row: PassageRow, words: Sequence[QueryTerm], stage: str, hops: int, score: float, seed: int
    ) -> Item:
        """A passage, quoting the sentence that holds most of the question's words. `seed` -1: no entity led to it."""
        found = {"stage": stage, "hops": hops, "reasoning": None}
        span = best_sentence(row, words)
        citation, date = self._citations.of_quoted_passage(row, span, found)
        return {
            "kind": "passage",
            "text": row.text,
            "score": score,
            "direction": None,
            "derived": False,
            "subject": None,
            "relation": None,
            "object": None,
            "attributes": {},
            "valid_from": format_bound(row.valid_from),
            "valid_to": None,
            "source_id": encode_id(self._number, Kind.PASSAGE, passage),
            "seed": self._stage_of(seed) if seed >= 0 else stage,
            "seed_id": self.entity_id(seed) if seed >= 0 else None,
            "source_date": date,
            "key": row.key,
            "citation": citation,
        }

    def fact(self, fact: Candidate, hops: int, score: float) -> Item:
        """A stored or derived fact found from the entity at `fact.seed` of `entities`."""
        item = self._items.fact(fact, self._items.fact_text(fact), score)
        entity = self.entities[fact.seed]
        item["seed"] = self._stage_of(entity)
        named = entity in self._seeds
        found = item["citation"]["found_by"]
        stage = found["stage"] if found["reasoning"] else ("name" if named else "graph")
        if named and self._seeds[entity].stage == "type":
            stage = "type"
        item["citation"] = {**item["citation"], "found_by": {**found, "stage": stage, "hops": hops}}
        return item

    def fact_text(self, fact: Candidate) -> str:
        """The fact in one line."""
        return self._items.fact_text(fact)[2]

    def entity(self, place: int, bytes_max: int, linked: Sequence[int], score: float) -> Item:
        """The entity at a place of `entities`, with its types and attributes."""
        item = self._items.entity(place, self._items.entity_text(self.entities[place], bytes_max), linked, score)
        item["seed"] = self._stage_of(self.entities[place])
        if item["seed"] == "type":
            found = {"stage": "type", "hops": 0, "reasoning": None}
            item["citation"] = {**item["citation"], "found_by": found}
        return item

    def _stage_of(self, entity: int) -> str:
        return self._seeds[entity].stage if entity in self._seeds else "graph"


def best_sentence(row: PassageRow, words: Sequence[QueryTerm]) -> tuple[int, int] | None:
    """The sentence of a passage, code points relative to it, that holds most words; the first of equals.

    None when none holds any, unless the passage is one sentence.
    """
    starts = [*row.sentences, len(row.text)]
    spans = list(pairwise(starts))
    best, most = None, 0
    for start, end in spans if len(spans) > 1 else ():
        terms = text_terms(row.text[start:end])
        held = sum(covers(word, terms, words) for word in words if not word.stop and word.whole < 0)
        if held > most:
            best, most = (start, end), held
    return best if best is not None or len(spans) > 1 else spans[0]


def attributes_said(item: Mapping[str, Any]) -> str:
    """The attributes of an item as text, for whoever looks at what it says."""
    said = []
    for key, value in item["attributes"].items():
        values = value["values"] if "values" in value else [value["value"]]
        said.append(f"{key} {' '.join(map(str, values))}")
    return "; ".join(said)
