"""What recall and status should answer, after reading.md: everything is worked out anew from one copy of the scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from call_reading import identity
from derived_oracle import Derived, derived_facts, meaning
from memory_oracle import Oracle
from memory_state import Fact, State
from rules_of_time import bounds, recency
from text_rules import holders_of_word, nearest_spellings, sentences

from semurg.domain.instants import UNKNOWN_START, date_from_text, format_bound, parse_date
from semurg.domain.names import match_key
from semurg.domain.values import Value, read_value

Place = tuple[str | None, str]


@dataclass(frozen=True)
class Instants:
    """What a read is bound to."""

    known_at: int
    valid_at: int


def instants_of(oracle: Oracle, clock: int, as_of: str | None, valid_at: str | None) -> Instants:
    """The instants of a read: a date stands for its last microsecond, and nothing is known before it is recorded."""
    present = max(clock, oracle.last_recorded_at)
    known = true = present
    if as_of is not None:
        known = true = min(parse_date(as_of, "as_of").end, present)
    if valid_at is not None:
        true = parse_date(valid_at, "valid_at").end
    return Instants(known, true)


def value_shown(value: Value) -> Any:
    """A value as a reply has it, sets without order."""
    natives = [
        int(text) if kind == "integer" else text == "true" if kind == "boolean" else text
        for kind, text in zip(value.types, value.texts, strict=True)
    ]
    return frozenset(zip(natives, value.types, strict=True)) if value.is_set else (natives[0], value.types[0])


class Reading:
    """One scope as one read sees it."""

    def __init__(self, oracle: Oracle, place: Place, at: Instants) -> None:
        found = oracle.scope(place).as_known_at(at.known_at)
        self.exists = found is not None
        self.state, self.position = found or (State(), 0)
        self.at = at
        # fact -> the episode that holds
        self.holding: dict[int, tuple[int, int]] = {}
        for number, fact in self.state.facts.items():
            episode = bounds(fact.episodes, at.valid_at)
            if episode is not None:
                self.holding[number] = episode

    def values_of(self, owner: tuple[str, int]) -> dict[str, Value]:
        """Key -> the value that holds."""
        found = {}
        for attribute in self.state.attributes.values():
            if attribute.owner == owner:
                for position, episodes in attribute.histories.items():
                    if bounds(episodes, self.at.valid_at) is not None:
                        found[attribute.key] = attribute.values[position]
        return found

    def seeds(self, subject: str | None, attribute: dict[str, Any] | None) -> tuple[str, list[int]]:
        """The stage that found something, and what it found."""
        if attribute is not None:
            return "attribute", self._with_value(attribute)
        assert subject is not None
        keys = self.state.entity_by_key()
        exact = keys.get(match_key(subject))
        if exact is not None:
            return "exact", [exact]
        spelled = nearest_spellings(match_key(subject), keys)
        if spelled:
            return "spelling", spelled
        return "word", holders_of_word(match_key(subject), keys)

    def _with_value(self, asked: dict[str, Any]) -> list[int]:
        wanted = identity(read_value(asked["value"], "value"))[1]
        found = []
        for number in self.state.entities:
            value = self.values_of(("entity", number)).get(asked["key"])
            if value is not None and set(wanted) <= set(identity(value)[1]):  # type: ignore[call-overload]
                found.append(number)
        return found

    def facts_of(self, seeds: list[int]) -> list[tuple[int, int]]:
        """(fact, seed) of the stored facts that hold, each once, in the order in which a whole reply shows them."""
        owners: dict[int, int] = {}
        for seed in seeds:
            for number in self.holding:
                fact = self.state.facts[number]
                if seed in (fact.source, fact.target):
                    owners.setdefault(number, seed)
        return sorted(owners.items(), key=lambda one: self._order(*one))

    def _order(self, number: int, seed: int) -> tuple[Any, ...]:
        fact = self.state.facts[number]
        other = fact.target if seed == fact.source else fact.source
        newest = recency(self.holding[number][0], fact.recorded_at)
        return -newest, fact.type, self.state.entities[other].name, number

    def derived_of(self, seeds: list[int]) -> dict[tuple[int, str, int], Derived]:
        """What follows from the stored facts that hold, about any of the seeds."""
        stored = {
            number: (fact.source, fact.type, fact.target)
            for number, fact in self.state.facts.items()
            if number in self.holding
        }
        found: dict[tuple[int, str, int], Derived] = {}
        for seed in seeds:
            for key, one in derived_facts(stored, seed).items():
                found.setdefault(key, one)
        return found

    def passages_of(self, seeds: list[int]) -> list[tuple[int, int]]:
        """(passage, seed) of the passages linked to a seed, newest first."""
        owners: dict[int, int] = {}
        for seed in seeds:
            for number, passage in self.state.passages.items():
                if seed in passage.mentions and self._starts(number) <= self.at.valid_at:
                    owners.setdefault(number, seed)
        return sorted(owners.items(), key=lambda one: (-self._passage_recency(one[0]), one[0]))

    def _starts(self, passage: int) -> int:
        date = self.state.passages[passage].date
        return UNKNOWN_START if date is None else date_from_text(date).start

    def _passage_recency(self, number: int) -> int:
        return recency(self._starts(number), self.state.passages[number].recorded_at)

    # items as they are compared

    def entity_item(self, number: int) -> dict[str, Any]:
        """The item of a seed itself."""
        entity = self.state.entities[number]
        return {
            "kind": "entity",
            "name": entity.name,
            "types": list(entity.types.values()),
            "attributes": {key: value_shown(value) for key, value in self.values_of(("entity", number)).items()},
            "command": entity.command,
        }

    def fact_item(self, number: int, seed: int) -> dict[str, Any]:
        """The item of a stored fact. `citations` are those the contract leaves to choose from."""
        fact = self.state.facts[number]
        names = self.state.entities
        start, end = self.holding[number]
        other = fact.target if seed == fact.source else fact.source
        return {
            "kind": "fact",
            "text": f"{names[fact.source].name} {fact.type} {names[fact.target].name}",
            "direction": "outbound" if seed == fact.source else "inbound",
            "derived": False,
            "subject": names[fact.source].name,
            "relation": fact.type,
            "object": names[fact.target].name,
            "attributes": {key: value_shown(value) for key, value in self.values_of(("fact", number)).items()},
            "valid_from": format_bound(start),
            "valid_to": format_bound(end),
            "other": names[other].name,
            "seed": names[seed].name,
            "citation": self.citation(fact),
        }

    def citation(self, fact: Fact) -> dict[str, Any]:
        """The best source: text that can be quoted, other text, an assertion, forgotten text; then the latest known."""
        return min((self._cited(one) for one in fact.statements), key=lambda one: (one["class"], -one["ingested"]))

    def _cited(self, statement: Any) -> dict[str, Any]:
        state = self.state
        found = {"ingested": statement.recorded_at, "command": statement.command, "document": None, "span": None}
        if statement.document is None:
            assertion = state.assertions[statement.assertion]
            found |= {"class": 2, "kind": "asserted", "state": "asserted_without_text"}
            return found | {"name": assertion.label, "date": assertion.date}
        if statement.document not in state.documents:
            return found | {"class": 3, "kind": "document", "state": "source_forgotten"}
        document = state.documents[statement.document]
        found |= {"kind": "document", "document": statement.document, "date": document.date}
        found["name"] = document.labels[0] if document.labels else None
        if statement.span is None:
            return found | {"class": 1, "state": "not_found_in_text"}
        passage, start, end = statement.span
        if passage not in state.passages:
            return found | {"class": 3, "state": "source_forgotten"}
        found["date"] = state.passages[passage].date
        found["span"] = (document.text[start:end], start, end)
        return found | {"class": 0, "state": "quoted"}

    def passage_item(self, number: int, seed: int) -> dict[str, Any]:
        """The item of a passage."""
        passage = self.state.passages[number]
        document = self.state.documents[passage.document]
        start = self._starts(number)
        return {
            "kind": "passage",
            "text": passage.text,
            "key": passage.key,
            "date": passage.date,
            "seed": self.state.entities[seed].name,
            "document": passage.document,
            "name": document.labels[0] if document.labels else None,
            "ingested": document.recorded_at,
            "command": document.command,
            "span": self._sentence(number, seed, document.text),
            "valid_from": format_bound(start),
        }

    def _sentence(self, number: int, entity: int, text: str) -> tuple[str, int, int]:
        passage = self.state.passages[number]
        first, last = passage.mentions[entity]
        inside = [one for one in sentences(passage.text) if one[0] <= first and last <= one[1]]
        start, end = inside[0]
        start, end = passage.start + start, passage.start + end
        return text[start:end], start, end

    # status

    def counts(self) -> dict[str, int]:
        """What memory_status counts in the scope."""
        return {kind: len(getattr(self.state, kind)) for kind in ("entities", "facts", "documents", "passages")}

    def classes(self) -> dict[str, tuple[int, frozenset[str]]]:
        """Type key -> (members, spellings)."""
        members: dict[str, list[str]] = {}
        for entity in self.state.entities.values():
            for key, spelling in entity.types.items():
                members.setdefault(key, []).append(spelling)
        return {key: (len(spellings), frozenset(spellings)) for key, spellings in members.items()}

    def relations(self) -> dict[str, tuple[int, frozenset[str], frozenset[str]]]:
        """Meaning of the relation -> (facts, spellings, the spellings that most facts have)."""
        groups: dict[str, list[str]] = {}
        for fact in self.state.facts.values():
            groups.setdefault(meaning(fact.type), []).append(fact.type)
        result = {}
        for key, spellings in groups.items():
            most = max(spellings.count(one) for one in spellings)
            top = frozenset(one for one in spellings if spellings.count(one) == most)
            result[key] = (len(spellings), frozenset(spellings), top)
        return result
