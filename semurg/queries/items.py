"""The items of a reply: entities, facts and passages as dictionaries, in the full form and in the compact one.

Built by hand, field by field: a reply of twenty cited facts is made on every recall, and a model class for each would
cost several times as much as finding them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from semurg.domain import values
from semurg.domain.ids import Kind, encode_id
from semurg.domain.instants import format_bound
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.projections.rows import DerivedFact, EntityRow, PassageRow
from semurg.queries.citations import Citations, Cited
from semurg.queries.ranking import Candidate

Item = dict[str, Any]
# (subject, object, the fact in one line)
FactText = tuple[str, str, str]

# The same instants come again in item after item and call after call, and writing one out takes microseconds.
_bound = lru_cache(maxsize=4_096)(format_bound)

_FOUND_ITSELF = {"stage": "name", "hops": 0, "reasoning": None}
_FOUND_NEXT_TO_IT = {"stage": "name", "hops": 1, "reasoning": None}


class EntityText(NamedTuple):
    """An entity as an item says it, with what the text was made of."""

    row: EntityRow
    types: list[str]
    attributes: list[tuple[str, values.Value]]
    text: str


def text_bytes(text: str) -> int:
    """What a text takes of a reply's budget: its bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


class Items:
    """Makes the items of one reply. `score`, `seed` and `seed_id` are given by whoever orders them."""

    def __init__(self, reads: Reads, scope_number: int, at: At, stage: str, seeds: Sequence[int]) -> None:
        self._reads = reads
        self._scope_number = scope_number
        self._at = at
        self._stage = stage
        self._seeds = seeds
        self._names = reads.names(seeds)
        self._citations = Citations(reads, scope_number, at)
        self._entity_ids: dict[int, str] = {}

    def entity_id(self, entity: int) -> str:
        """The id of an entity of this scope."""
        known = self._entity_ids.get(entity)
        if known is None:
            known = self._entity_ids[entity] = encode_id(self._scope_number, Kind.ENTITY, entity)
        return known

    def entity_text(self, entity: int, bytes_max: int) -> EntityText:
        """What there is to say of an entity: its name, and as many of its types and attributes as fit."""
        row = self._reads.entity(entity)
        types = self._reads.types_of(entity, self._at)
        attributes = self._attributes(False, entity)
        room = bytes_max - text_bytes(row.name) - len(" ()")
        told, room = _as_fit(types, room, len(", "))
        text = f"{row.name} ({', '.join(told)})" if told else row.name
        pairs, _ = _as_fit([f"{key}: {', '.join(value.texts)}" for key, value in attributes], room, len("; "))
        return EntityText(row, types, attributes, "; ".join([text, *pairs]))

    def fact_text(self, fact: Candidate) -> FactText:
        """The fact in one line."""
        seed = self._seeds[fact.seed]
        name = self._names[fact.seed]
        subject, object_ = (name, fact.name) if fact.source == seed else (fact.name, name)
        return subject, object_, f"{subject} {fact.relation} {object_}"

    def entity(self, place: int, said: EntityText, linked: Sequence[int], score: float) -> Item:
        """The item of the seed at this place; `linked` are its passages, earliest first."""
        entity = self._seeds[place]
        citation, date = self._citations.of_entity(entity, said.row, linked, _FOUND_ITSELF)
        entity_id = self.entity_id(entity)
        return {
            "kind": "entity",
            "text": said.text,
            "score": score,
            "direction": None,
            "derived": False,
            "subject": said.row.name,
            "relation": None,
            "object": None,
            "types": said.types,
            "attributes": {key: values.reply(value) for key, value in said.attributes},
            "valid_from": None,
            "valid_to": None,
            "source_id": entity_id,
            "seed": self._stage,
            "seed_id": entity_id,
            "source_date": date,
            "citation": citation,
        }

    def fact(self, fact: Candidate, said: FactText, score: float) -> Item:
        """The item of a stored or derived fact."""
        subject, object_, text = said
        seed, source = self._seeds[fact.seed], fact.source
        attributes: dict[str, Any] = {}
        if fact.basis is None:
            direction = "outbound" if source == seed else "inbound"
            number = fact.first
            citation, date = self._citations.of_fact(number, said, _FOUND_NEXT_TO_IT)
            stored = self._reads.attributes_of(True, number, self._at)
            if stored:
                attributes = {key: values.reply(values.load(value)) for key, value in stored}
        else:
            direction = "derived"
            citation, date = self._derived(fact.basis)
        return {
            "kind": "fact",
            "text": text,
            "score": score,
            "direction": direction,
            "derived": fact.derived,
            "subject": subject,
            "relation": fact.relation,
            "object": object_,
            "attributes": attributes,
            "valid_from": _bound(fact.start),
            "valid_to": _bound(fact.end),
            "source_id": self.entity_id(fact.target if source == seed else source),
            "seed": self._stage,
            "seed_id": self.entity_id(seed),
            "source_date": date,
            "citation": citation,
        }

    def passage(self, passage: int, row: PassageRow, place: int, score: float) -> Item:
        """The item of a passage linked to the seed at this place."""
        seed = self._seeds[place]
        name = self._names[place]
        citation, date = self._citations.of_passage(passage, row, seed, name, _FOUND_NEXT_TO_IT)
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
            "valid_from": _bound(row.valid_from),
            "valid_to": None,
            "source_id": encode_id(self._scope_number, Kind.PASSAGE, passage),
            "seed": self._stage,
            "seed_id": self.entity_id(seed),
            "source_date": date,
            "key": row.key,
            "citation": citation,
        }

    def _derived(self, basis: DerivedFact) -> Cited:
        """The citation of a derived fact: its first premise's, with the rule and every premise."""
        columns = self._reads.fact_columns(np.asarray(basis.premises, dtype=np.int32))
        sources, targets = columns.source.tolist(), columns.target.tolist()
        ends = list(zip(self._reads.names(sources), self._reads.names(targets), strict=True))
        premises = [
            {"subject": subject, "relation": self._reads.type_name(type_), "object": object_}
            for (subject, object_), type_ in zip(ends, columns.type.tolist(), strict=True)
        ]
        reasoning = {"rule": basis.rule, "from": premises}
        return self._citations.of_fact(
            int(columns.fact[0]), ends[0], {"stage": "graph", "hops": 1, "reasoning": reasoning}
        )

    def _attributes(self, on_fact: bool, owner: int) -> list[tuple[str, values.Value]]:
        stored = self._reads.attributes_of(on_fact, owner, self._at)
        return [(key, values.load(value)) for key, value in stored]


def _as_fit(texts: Sequence[str], room: int, apart: int) -> tuple[Sequence[str], int]:
    """(as many of the texts, from the first on, as fit into the room with `apart` bytes each in between; room left)."""
    for place, text in enumerate(texts):
        size = text_bytes(text) + apart
        if size > room:
            return texts[:place], 0
        room -= size
    return texts, room


def compact(item: Item) -> Item:
    """An item without what only a program or a doubter needs, and without nulls."""
    source = item["citation"]["source"]
    attributes = {key: _plain(value) for key, value in item["attributes"].items()}
    kept = {
        "text": item["text"],
        "kind": item["kind"],
        "subject": item["subject"],
        "relation": item["relation"],
        "object": item["object"],
        "attributes": attributes or None,
        "key": item.get("key"),
        "doc_id": source["doc_id"],
        "source": source["name"],
        "date": item["source_date"],
        "score": item["score"],
        "seed": item["seed"],
    }
    return {key: value for key, value in kept.items() if value is not None}


def _plain(value: dict[str, Any]) -> Any:
    return value["value"] if "value" in value else value["values"]
