"""What a decision may see of a scope: the newest state, staged changes included. Projections implement it.

Everything is "known now": closed knowledge and forgotten things do not show. Lists come in a fixed order, so that the
same history always decides the same. Look-ups come in bulk, because a call may carry thousands of relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Episode(NamedTuple):
    """One interval [start, end) in which a fact holds."""

    start: int
    end: int


class ValueEpisode(NamedTuple):
    """One value of an attribute over one interval. `value` in the stored form of domain.values."""

    start: int
    end: int
    value: str
    source: int


class PassageView(NamedTuple):
    """A stored passage as a decision needs it: for spans and links of facts that arrive later."""

    number: int
    start: int
    text: str
    sentences: tuple[int, ...]


class Occurrence(NamedTuple):
    """Where a text names an entity: code points [start, end)."""

    entity: int
    start: int
    end: int


class MemoryView(Protocol):
    """One scope as the writer sees it."""

    @property
    def exists(self) -> bool:
        """Whether the scope has been opened (and not forgotten since)."""

    @property
    def number(self) -> int:
        """The scope's number, part of its ids; meaningless when it does not exist."""

    @property
    def position(self) -> int:
        """Position of the last event of the scope's stream, 0 when there is none."""

    # the next unused numbers
    @property
    def next_entity(self) -> int: ...
    @property
    def next_fact(self) -> int: ...
    @property
    def next_document(self) -> int: ...
    @property
    def next_passage(self) -> int: ...
    @property
    def next_assertion(self) -> int: ...
    @property
    def next_attribute(self) -> int: ...

    # entities
    def entities_by_key(self, keys: Sequence[str]) -> list[int]:
        """Entity number for each match key, -1 where there is none."""

    def entity_name(self, entity: int) -> str:
        """The name as first spelled."""

    def entity_type_keys(self, entity: int) -> set[str]:
        """Match keys of the types it has."""

    def close_names(self, key: str, limit: int) -> list[str]:
        """Up to `limit` names near this match key, nearest first: for did_you_mean only."""

    def name_lengths(self, first_atom: str) -> Sequence[int]:
        """Ascending atom counts (domain.linking.atoms) of the entities whose match key begins with this atom."""

    # facts
    def facts_by_triple(self, sources: Sequence[int], types: Sequence[str], targets: Sequence[int]) -> list[int]:
        """Fact number for each (source, type, target), -1 where there is none (an entity of -1 finds none)."""

    def fact_episodes(self, fact: int) -> list[Episode]:
        """Its episodes in order of time; empty when every one was cut away."""

    def facts_from(self, source: int, type: str) -> list[tuple[int, int]]:
        """(fact, target entity) of every known fact with this source and type, by fact number."""

    def facts_touching(self, entity: int) -> list[int]:
        """Every known fact with the entity at either end, once each, ascending."""

    def fact_stated(self, fact: int, stated_by: int, stated_from: int, stated_to: int) -> bool:
        """Whether this very statement (same source reference, same bounds as sent) is recorded."""

    def fact_replaced(self, fact: int, stated_by: int, stated_from: int, stated_to: int) -> bool:
        """Whether this very statement is recorded as one that came with `replaces`."""

    # attributes
    def attribute(self, on_fact: bool, owner: int, key: str) -> int:
        """The attribute number of (owner, key), -1 when it has none."""

    def attribute_episodes(self, attribute: int) -> list[ValueEpisode]:
        """Its values in order of time."""

    def attribute_stated(self, attribute: int, value: str, start: int, source: int) -> bool:
        """Whether this source ever stated this stored value from this instant on, be it replaced since."""

    def attribute_keys(self, on_fact: bool, owner: int) -> int:
        """How many keys the owner has."""

    # sources and documents
    def assertion(self, label: str | None, date: str | None) -> int:
        """Number of the assertion source with this label and canonical date text, -1 when there is none."""

    def assertions_of_nothing_else(
        self, entities: Sequence[int], facts: Sequence[int], attributes: Sequence[int]
    ) -> list[int]:
        """Assertions under a label that these (and the attributes of these) cite and nothing else does, ascending."""

    def document_by_digest(self, digest: bytes) -> int:
        """Number of the live document with this digest, -1 when there is none."""

    def document_labels(self, document: int) -> list[str]:
        """Labels the document is stored under, in the order they were given."""

    def documents_under(self, label: str) -> list[int]:
        """Live documents under the label, ascending."""

    def assertions_under(self, label: str) -> list[int]:
        """Assertion sources under the label, ascending."""

    def passages_of(self, document: int) -> list[PassageView]:
        """The live passages of a document in order of start."""

    def passage_numbers(self, document: int) -> list[int]:
        """The numbers of the live passages of a document, in order of start: `passages_of` without the texts."""

    def passages_linked_to(self, entity: int) -> list[int]:
        """Live passages that mention the entity, ascending."""

    def passage_document(self, passage: int) -> int:
        """The document that a passage is part of."""

    def passage_entities(self, passage: int) -> list[int]:
        """The entities that the passage is linked to, in the order they were linked."""

    def passages_with_any_word(self, words: Sequence[str], without: Sequence[int]) -> int:
        """How many live passages, but those in `without`, contain one of these words (domain.names.words), whole."""

    def document_is_live(self, document: int) -> bool:
        """Whether the number names a document that exists and is not forgotten."""

    # counts of what lives now
    @property
    def live_entities(self) -> int: ...
    @property
    def live_facts(self) -> int: ...
    @property
    def live_documents(self) -> int: ...
    @property
    def live_passages(self) -> int: ...

    # what was forgotten: keyed hashes from the forget events
    def was_forgotten(self, key_hash: str) -> bool:
        """Whether a forget event of this scope carries the hash."""


def following_numbers(view: MemoryView) -> list[int]:
    """The next unused numbers in the order in which forget events keep them (domain.events)."""
    return [
        view.next_entity,
        view.next_fact,
        view.next_document,
        view.next_passage,
        view.next_assertion,
        view.next_attribute,
    ]
