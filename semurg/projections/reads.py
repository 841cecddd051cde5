"""What queries ask of a scope, each at the two instants of a read. Pure: nothing here changes a scope.

Lists come in a fixed order. A read whose `known_at` is at or before the published instant sees nothing staged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from semurg.domain.linking import find_occurrences
from semurg.domain.terms import QueryTerm
from semurg.domain.view import Occurrence
from semurg.domain.visibility import At
from semurg.projections.fact_counts import FactCounts
from semurg.projections.parts import Parts
from semurg.projections.rows import (
    Counts,
    DerivedFact,
    DocumentRow,
    EntityRow,
    FactColumns,
    Float32s,
    Int32s,
    Int64s,
    NamedType,
    Ontology,
    PassageRow,
    RelationCount,
    Statement,
    ValueRow,
    WordHits,
)
from semurg.projections.walking import DEFAULT_WALK, NodeKind, Walk, Walking, WalkParameters


class Reads:
    """The read primitives of one scope."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._counts = FactCounts(parts.facts)
        self._walking = Walking(parts.names, parts.facts, parts.mentions, parts.passages, parts.timeline)

    # entities

    def find_exact(self, key: str, at: At) -> int:
        """The entity with this match key, -1 when there is none."""
        return self._parts.names.find_exact(key, at)

    def find_spelling(self, folded: str, at: At) -> list[int]:
        """The entities nearest to a folded key within its edit allowance, all at the smallest distance, ascending."""
        return self._parts.names.find_spelling(folded, at)

    def find_word(self, word_folded: str, at: At) -> list[int]:
        """The entities with this folded word as one whole word of a longer name, ascending; a stop word finds none."""
        return self._parts.names.find_word(word_folded, at)

    def find_start(self, start: str, at: At, most: int) -> list[int]:
        """The entities of whose name a word begins with these folded letters, ascending, the first `most`."""
        return self._parts.names.find_start(start, at, most)

    def named_in(self, text: str, at: At) -> list[Occurrence]:
        """Where a text names entities that show: whole words, the longest name first, in order of place."""
        names = self._parts.names

        def lookup(keys: Sequence[str]) -> list[int]:
            return [number if names.is_visible(number, at) else -1 for number in names.numbers_by_key(keys)]

        return find_occurrences(text, names.name_lengths, lookup)

    def find_types(self, words_of_type: str, at: At, most: int) -> list[NamedType]:
        """The types with a spelling of these words (domain.plurals.type_words), each with its first `most` members."""
        types = self._parts.names.types
        found = (
            (types.spelling(number, at), types.members(number, at, most)) for number in types.named(words_of_type, at)
        )
        return [NamedType(text, members) for text, members in found if members]

    def close_names(self, key: str, at: At, limit: int) -> list[str]:
        """Up to `limit` names near a match key, nearest first: suggestions, never answers."""
        return self._parts.names.close_names(key, at, limit)

    def entity(self, entity: int) -> EntityRow:
        """Name, and when, where and by what it was recorded."""
        return self._parts.names.row(entity)

    def entity_visible(self, entity: int, at: At) -> bool:
        """Whether the entity shows."""
        return self._parts.names.is_visible(entity, at)

    def name(self, entity: int) -> str:
        """The name as first spelled."""
        return self._parts.names.name(entity)

    def names(self, entities: Iterable[int]) -> list[str]:
        """The name of each entity."""
        return list(map(self._parts.names.name, entities))

    def types_of(self, entity: int, at: At) -> list[str]:
        """Its types, each as first spelled, in the order given."""
        return self._parts.names.types_of(entity, at)

    # attributes

    def attributes_of(self, on_fact: bool, owner: int, at: At) -> list[tuple[str, str]]:
        """(key, stored value) of each attribute of an entity or fact, by key."""
        return self._parts.attributes.at(on_fact, owner, at)

    def attribute_history(self, on_fact: bool, owner: int, key: str, at: At) -> list[ValueRow]:
        """Every value of one key as known at at.known_at, in order of time."""
        return self._parts.attributes.history(on_fact, owner, key, at)

    def find_by_attribute(self, key: str, canonical: str, type: str | None, at: At) -> list[int]:
        """The entities whose attribute is, or as a set holds, the canonical value (type None: any), ascending."""
        found = self._parts.attributes.entities_with(key, canonical, type, at)
        return [entity for entity in found if self.entity_visible(entity, at)]

    # facts

    def fact_rows(self, entity: int, at: At) -> Int32s:
        """Rows that touch the entity: outbound, then inbound, each ascending; a self fact once, as outbound."""
        return self._parts.facts.visible_rows(entity, at)

    def fact_columns(self, rows: Int32s) -> FactColumns:
        """The fields of rows side by side."""
        return self._parts.facts.columns(rows)

    def fact_recency(self, rows: Int32s) -> Int64s:
        """Instant, µs, that a row is as recent as: the start of its episode, else when the fact was first stated."""
        return self._parts.facts.recency(rows)

    def type_name(self, type_id: int) -> str:
        """A relation type as spelled."""
        return self._parts.facts.types.text(type_id)

    def statements_of(self, fact: int, at: At) -> list[Statement]:
        """Who asserted the fact, as known at at.known_at, in the order recorded."""
        return self._parts.facts.statements.of_fact(fact, at.known_at)

    def derived_rows(self, entity: int, at: At) -> list[DerivedFact]:
        """Derived facts with the entity at either end, nearest first, then by their premises' rows."""
        return self._parts.derivations.touching(entity, at)

    # passages, documents, sources

    def passages_of_entity(self, entity: int, at: At) -> list[int]:
        """The passages linked to the entity, ascending; none when the entity does not show."""
        if not self.entity_visible(entity, at):
            return []
        horizon = self._parts.timeline.horizon(at.known_at)
        passages = self._parts.mentions.passages_of(entity, horizon)
        showing: list[int] = self._parts.passages.showing(passages, horizon, at.valid_at).tolist()
        return showing

    def passage_recency(self, passages: Sequence[int]) -> Int64s:
        """Instant, µs, that each live passage is as recent as: its date, else when it was stored."""
        return self._parts.passages.recency(np.array(passages, dtype=np.int32))

    def passage_is_live(self, passage: int) -> bool:
        """Whether the passage exists and is not forgotten; False for -1."""
        return self._parts.passages.is_live(passage)

    def passage(self, passage: int) -> PassageRow:
        """A live passage. KeyError when it is forgotten."""
        return self._parts.passages.row(passage)

    def mention_span(self, passage: int, entity: int) -> tuple[int, int] | None:
        """Where the passage first names the entity, code points relative to the passage."""
        return self._parts.mentions.span(passage, entity)

    def document(self, document: int) -> DocumentRow:
        """A document; `alive` False when it is forgotten."""
        return self._parts.documents.row(document)

    def document_is_live(self, document: int) -> bool:
        """Whether the document exists and is not forgotten."""
        return self._parts.documents.is_live(document)

    def document_labels(self, document: int, at: At) -> list[str]:
        """The labels given by at.known_at that still stand, in the order given."""
        return self._parts.documents.labels(document, self._parts.timeline.horizon(at.known_at))

    def document_label(self, document: int, at: At) -> str | None:
        """The first of its labels, None when it has none."""
        return next(iter(self.document_labels(document, at)), None)

    def assertion(self, assertion: int) -> tuple[str | None, str | None]:
        """(label, date) of a source without text; assertion a is -1 - its source reference."""
        return self._parts.assertions.row(assertion)

    @property
    def parts(self) -> Parts:
        """The parts themselves, for what reads several of them at once."""
        return self._parts

    # the graph

    def walk(
        self,
        seeds: Iterable[tuple[NodeKind, int, float]],
        hops: int,
        at: At,
        parameters: WalkParameters = DEFAULT_WALK,
    ) -> Walk:
        """What lies at most `hops` steps from weighted entities and passages, scored by personalised PageRank."""
        return self._walking.walk(seeds, hops, at, parameters)

    # words

    def languages(self, at: At) -> list[str]:
        """The languages that known passages are written in, the most used first, for domain.terms.query_terms."""
        return self._parts.words.languages(self._parts.timeline.horizon(at.known_at))

    def score_words(self, words: Sequence[QueryTerm], at: At, limit: int) -> WordHits:
        """The best `limit` passages for the words of a question (domain.terms.query_terms), by BM25.

        Cost: the passages that hold its rarer words (projections.words), not the scope.
        """
        return self._parts.words.score(words, self._parts.timeline.horizon(at.known_at), at.valid_at, limit)

    def word_scores(self, words: Sequence[QueryTerm], passages: Int32s, at: At) -> Float32s:
        """What score_words gives each of these passages, in their order; 0 where none of the words is in it.

        Whether they are true at at.valid_at is not asked.
        """
        return self._parts.words.scores_of(words, passages, self._parts.timeline.horizon(at.known_at))

    def word_idf(self, word: QueryTerm, at: At) -> float:
        """How much finding the word tells: the natural logarithm of about one over the share of passages with it."""
        return self._parts.words.idf(word, self._parts.timeline.horizon(at.known_at))

    # the whole scope

    def counts(self, at: At, *, explicit_valid: bool = False) -> Counts:
        """How many of each were known by at.known_at and are not forgotten; O(scope).

        Facts count when they have ended too, unless `explicit_valid`: then only those that hold at at.valid_at.
        """
        parts, horizon = self._parts, self._parts.timeline.horizon(at.known_at)
        return Counts(
            parts.names.count(at),
            self._counts.holding(at) if explicit_valid else self._counts.known(horizon),
            parts.documents.count(horizon),
            parts.passages.count(horizon),
        )

    def ontology(self, at: At, *, explicit_valid: bool = False) -> Ontology:
        """Classes with their members and relation types with their facts; facts count as in `counts`. O(scope)."""
        facts = self._parts.facts
        counts = (
            self._counts.holding_by_type(at)
            if explicit_valid
            else self._counts.known_by_type(self._parts.timeline.horizon(at.known_at))
        )
        used = np.flatnonzero(counts).tolist()
        relations = [RelationCount(facts.types.text(type_id), int(counts[type_id])) for type_id in used]
        return Ontology(
            sorted(self._parts.names.types.classes(at), key=lambda one: (-one.members, one.type)),
            sorted(relations, key=lambda one: (-one.facts, one.type)),
        )

    def position_at(self, known_at: int) -> int:
        """Position of the scope's last event recorded by the instant, 0 when there is none."""
        return self._parts.timeline.position_at(known_at)

    def recorded_at(self, position: int) -> int | None:
        """When the scope's last commit that begins at or before the position was recorded, µs; None: there is none."""
        return self._parts.timeline.recorded_at(position)
