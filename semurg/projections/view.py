"""What a decision sees of a scope: domain.view.MemoryView over the newest state, staged changes included."""

from __future__ import annotations

from collections.abc import Sequence

from semurg.domain.instants import NO_END
from semurg.domain.view import Episode, PassageView, ValueEpisode
from semurg.domain.visibility import At
from semurg.projections.citing import assertions_of_nothing_else
from semurg.projections.parts import Parts

# everything recorded so far; the last instant before an open end
NEWEST = At(NO_END - 1, NO_END - 1)


class Opening:
    """Whether and as what a scope is open, and the keyed hashes of what was forgotten in it."""

    def __init__(self) -> None:
        self.exists = False
        self.number = 0
        self.user = ""
        self.scope = ""
        self.forgotten: set[str] = set()


class ScopeView:
    """Implements domain.view.MemoryView, where each question is explained."""

    def __init__(self, parts: Parts, opening: Opening) -> None:
        self._parts = parts
        self._opening = opening

    @property
    def exists(self) -> bool:
        return self._opening.exists

    @property
    def number(self) -> int:
        return self._opening.number

    @property
    def position(self) -> int:
        return self._parts.timeline.position

    @property
    def next_entity(self) -> int:
        return len(self._parts.names)

    @property
    def next_fact(self) -> int:
        return len(self._parts.facts)

    @property
    def next_document(self) -> int:
        return len(self._parts.documents)

    @property
    def next_passage(self) -> int:
        return len(self._parts.passages)

    @property
    def next_assertion(self) -> int:
        return len(self._parts.assertions)

    @property
    def next_attribute(self) -> int:
        return len(self._parts.attributes)

    # entities

    def entities_by_key(self, keys: Sequence[str]) -> list[int]:
        return self._parts.names.numbers_by_key(keys)

    def entity_name(self, entity: int) -> str:
        return self._parts.names.name(entity)

    def entity_type_keys(self, entity: int) -> set[str]:
        return self._parts.names.types.keys_of(entity)

    def close_names(self, key: str, limit: int) -> list[str]:
        return self._parts.names.close_names(key, NEWEST, limit)

    def name_lengths(self, first_atom: str) -> Sequence[int]:
        return self._parts.names.name_lengths(first_atom)

    # facts

    def facts_by_triple(self, sources: Sequence[int], types: Sequence[str], targets: Sequence[int]) -> list[int]:
        return self._parts.facts.by_triple(sources, types, targets)

    def fact_episodes(self, fact: int) -> list[Episode]:
        return self._parts.facts.episodes(fact)

    def facts_from(self, source: int, type: str) -> list[tuple[int, int]]:
        return self._parts.facts.from_source(source, type)

    def facts_touching(self, entity: int) -> list[int]:
        return self._parts.facts.touching(entity)

    def fact_stated(self, fact: int, stated_by: int, stated_from: int, stated_to: int) -> bool:
        return self._parts.facts.statements.stated(fact, stated_by, stated_from, stated_to)

    def fact_replaced(self, fact: int, stated_by: int, stated_from: int, stated_to: int) -> bool:
        """Whether this very statement is recorded as one that came with `replaces`."""
        return self._parts.facts.statements.replaced(fact, stated_by, stated_from, stated_to)

    # attributes

    def attribute(self, on_fact: bool, owner: int, key: str) -> int:
        return self._parts.attributes.find(on_fact, owner, key)

    def attribute_episodes(self, attribute: int) -> list[ValueEpisode]:
        return self._parts.attributes.episodes(attribute)

    def attribute_stated(self, attribute: int, value: str, start: int, source: int) -> bool:
        """Whether this source ever stated this stored value from this instant on, be it replaced since."""
        return self._parts.attributes.was_stated(attribute, value, start, source)

    def attribute_keys(self, on_fact: bool, owner: int) -> int:
        return len(self._parts.attributes.of_owner(on_fact, owner))

    # sources and documents

    def assertion(self, label: str | None, date: str | None) -> int:
        return self._parts.assertions.find(label, date)

    def assertions_of_nothing_else(
        self, entities: Sequence[int], facts: Sequence[int], attributes: Sequence[int]
    ) -> list[int]:
        """Assertions under a label that these (and the attributes of these) cite and nothing else does, ascending."""
        return assertions_of_nothing_else(self._parts, entities, facts, attributes)

    def document_by_digest(self, digest: bytes) -> int:
        return self._parts.documents.by_digest(digest)

    def document_labels(self, document: int) -> list[str]:
        return self._parts.documents.labels(document)

    def documents_under(self, label: str) -> list[int]:
        return self._parts.documents.under(label)

    def assertions_under(self, label: str) -> list[int]:
        return self._parts.assertions.under(label)

    def passages_of(self, document: int) -> list[PassageView]:
        passages = self._parts.passages
        return [passages.view(passage) for passage in passages.of_document(document)]

    def passage_numbers(self, document: int) -> list[int]:
        return self._parts.passages.of_document(document)

    def passages_linked_to(self, entity: int) -> list[int]:
        passages: list[int] = self._parts.mentions.passages_of(entity).tolist()
        return passages

    def passage_document(self, passage: int) -> int:
        return self._parts.passages.document(passage)

    def passage_entities(self, passage: int) -> list[int]:
        """The entities that the passage is linked to, in the order they were linked."""
        return self._parts.mentions.entities_of(passage)

    def passages_with_any_word(self, words: Sequence[str], without: Sequence[int]) -> int:
        left_out = set(without)
        may_hold = (one for one in self._parts.words.holding(words).tolist() if one not in left_out)
        return sum(1 for _ in self._parts.passages.with_any_word(words, may_hold))

    def document_is_live(self, document: int) -> bool:
        return self._parts.documents.is_live(document)

    # counts

    @property
    def live_entities(self) -> int:
        return self._parts.names.live

    @property
    def live_facts(self) -> int:
        return self._parts.facts.live

    @property
    def live_documents(self) -> int:
        return self._parts.documents.live

    @property
    def live_passages(self) -> int:
        return self._parts.passages.live

    # what was forgotten

    def was_forgotten(self, key_hash: str) -> bool:
        return key_hash in self._opening.forgotten
