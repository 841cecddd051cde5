"""Random but valid histories of one scope, as events: what a decision could have said, drawn without one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from semurg.domain.events import (
    AssertionsCited,
    AttributeEpisode,
    AttributeForgotten,
    AttributeHistory,
    AttributesRecorded,
    DocumentsForgotten,
    DocumentsLabelled,
    DocumentsStored,
    EntitiesRecorded,
    EntityForgotten,
    Event,
    FactForgotten,
    FactsRecorded,
    PassagesLinked,
    ScopeOpened,
    StoredDocument,
    StoredPassage,
)
from semurg.domain.instants import NO_END, UNKNOWN_START
from semurg.domain.values import dump, read_value
from semurg.domain.view import Episode
from tests.projections.naive_scope import NaiveScope, keyed

STREAM = "stream"
RELATIONS = ("WORKS_AT", "works at", "PART_OF", "part of", "MARRIED_TO", "OWNS")
KINDS = ("Person", "person", "City")
KEYS = ("role", "since", "tags")
VALUES = ("engineer", 7, True, "2020-05-01", ["red", "blue"], ["blue"], {"value": "0.50", "type": "decimal"})
LABELS = ("letter one", "letter two")
DATES = (None, "1999", "1970-01-01T00:00:00.000050Z", "1970-01-01T00:00:00.000030Z")
INSTANTS = (10, 20, 30, 40, 50, 60, 70)


class History:
    """Draws events one command at a time and keeps what they make in a NaiveScope.

    `commits` are (events with positions, instant); instants are µs in the first 100 after 1970, or before it (DATES).
    """

    def __init__(self, random: Random, forgetting: bool = True) -> None:
        self.random = random
        self.naive = NaiveScope(STREAM)
        self.recorded: list[tuple[Event, int, int]] = []
        self.position = 0
        self.now = 0
        self.used = {"entity": 0, "fact": 0, "document": 0, "passage": 0, "assertion": 0, "attribute": 0}
        self.triples: dict[tuple[int, str, int], int] = {}
        self._forgetting = forgetting
        self.label_meant: dict[int, str] = {}
        self._record(ScopeOpened("", "demo", 1))

    def _record(self, *events: Event) -> None:
        self.now += self.random.choice((1, 1, 3))
        for event in events:
            # positions of other scopes lie between
            self.position += self.random.choice((1, 1, 2))
            self.naive.apply(event, self.position, self.now)
            self.recorded.append((event, self.position, self.now))

    def step(self) -> None:
        """One more command."""
        growing: list[Callable[[], None]] = [
            self._entities, self._facts, self._facts, self._attributes, self._documents, self._labels, self._links,
        ]  # fmt: skip
        taking = [self._forget_entity, self._forget_fact, self._forget_documents, self._forget_attribute]
        self.random.choice(growing + growing + taking if self._forgetting else growing)()

    def _next(self, kind: str) -> int:
        self.used[kind] += 1
        return self.used[kind] - 1

    @property
    def following(self) -> list[int]:
        return list(self.used.values())

    def _some(self, found: list[int], most: int) -> list[int]:
        return sorted(self.random.sample(found, min(len(found), self.random.randint(0, most))))

    def _source(self) -> int:
        """A source reference: a live document or an assertion, made when there is none."""
        if self.naive.documents and self.random.random() < 0.5:
            return self.random.choice(sorted(self.naive.documents))
        findable = [number for number, one in self.naive.assertions.items() if one["findable"]]
        if findable and self.random.random() < 0.7:
            return -1 - self.random.choice(findable)
        label, date = self.random.choice((None, *LABELS)), self.random.choice(DATES)
        for number in findable:
            if self.naive.assertions[number]["row"] == (label, date):
                return -1 - number
        number = self._next("assertion")
        self._record(AssertionsCited([number], [label], [date]))
        return -1 - number

    def _entities(self) -> None:
        source = self._source()
        numbers = [self._next("entity") for _ in range(self.random.randint(0, 3))]
        held = {number: {text.casefold() for text, _ in one["types"]} for number, one in self.naive.entities.items()}
        typed, types = [], []
        for entity in [*numbers, *self._some(sorted(held), 2)]:
            kind = self.random.choice(KINDS)
            if kind.casefold() not in held.setdefault(entity, set()):
                held[entity].add(kind.casefold())
                typed.append(entity)
                types.append(kind)
        if numbers or typed:
            names = [f"Name{number}xq Zürich" for number in numbers]
            self._record(EntitiesRecorded(numbers, names, [source] * len(numbers), typed, types))

    def _facts(self) -> None:
        entities = sorted(self.naive.entities)
        if not entities:
            return
        source = self._source()
        new: dict[tuple[int, str, int], int] = {}
        touched: list[int] = []
        for _ in range(self.random.randint(1, 4)):
            triple = (self.random.choice(entities), self.random.choice(RELATIONS), self.random.choice(entities))
            fact = self.triples.get(triple, new.get(triple, -1))
            if fact < 0:
                fact = new[triple] = self._next("fact")
            if fact not in touched:
                touched.append(fact)
        names = list(dict.fromkeys(type_ for _, type_, _ in new))
        self.triples.update(new)
        passages = sorted(self.naive.passages)
        # a fact may change without a word said of it: another one replaced it
        stated = [fact for fact in touched if fact in new.values() or self.random.random() < 0.6]
        drawn = {fact: self._episodes() for fact in touched}
        changed = [fact for fact in touched if fact in new.values() or drawn[fact] != self._episodes_of(fact)]
        episodes = [drawn[fact] for fact in changed]
        spans = [self.random.choice([-1, *passages]) for _ in stated]
        event = FactsRecorded(
            names, list(new.values()), [one for one, _, _ in new], [names.index(one) for _, one, _ in new],
            [one for _, _, one in new], stated, [source] * len(stated),
            [self.random.choice((UNKNOWN_START, 20)) for _ in stated],
            [self.random.choice((NO_END, NO_END, 60)) for _ in stated], spans,
            [0 if span < 0 else 3 for span in spans], [0 if span < 0 else 9 for span in spans], changed,
            [len(one) for one in episodes], [one.start for many in episodes for one in many],
            [one.end for many in episodes for one in many],
        )  # fmt: skip
        self._record(event)

    def _episodes_of(self, fact: int) -> list[Episode]:
        rows = [row for row in self.naive.facts[fact]["rows"] if row["known_to"] == NO_END]
        return sorted(Episode(row["valid_from"], row["valid_to"]) for row in rows)

    def _episodes(self) -> list[Episode]:
        """0 to 2 intervals, in order, apart."""
        bounds = sorted(self.random.sample((UNKNOWN_START, *INSTANTS, NO_END), self.random.choice((0, 2, 2, 2, 4))))
        return [Episode(bounds[place], bounds[place + 1]) for place in range(0, len(bounds), 2)]

    def _attributes(self) -> None:
        owners = [(False, number) for number in self.naive.entities] + [(True, number) for number in self.naive.facts]
        if not owners:
            return
        source, histories = self._source(), {}
        for _ in range(self.random.randint(1, 3)):
            on_fact, owner = self.random.choice(owners)
            key = self.random.choice(KEYS)
            found = [
                number
                for number, one in self.naive.attributes.items()
                if (one["on_fact"], one["owner"], one["key"]) == (on_fact, owner, key)
            ]
            if (on_fact, owner, key) in histories:
                continue
            episodes = [AttributeEpisode(*one, self._value(), source) for one in self._episodes() or [Episode(1, 2)]]
            if found and self._stands(found[0], episodes):
                continue
            number = found[0] if found else self._next("attribute")
            histories[on_fact, owner, key] = AttributeHistory(number, on_fact, owner, key, episodes)
        if not histories:
            return
        self._record(AttributesRecorded(list(histories.values())))

    def _stands(self, number: int, episodes: list[AttributeEpisode]) -> bool:
        """Whether this is the attribute's history already: an event lists only what changes."""
        rows = [row for row in self.naive.attributes[number]["rows"] if row["known_to"] == NO_END]
        held = {(row["valid_from"], row["valid_to"], row["value"], row["source"]) for row in rows}
        return held == {(one.valid_from, one.valid_to, one.value, one.source) for one in episodes}

    def _value(self) -> str:
        return dump(read_value(self.random.choice(VALUES), "value"))

    def _documents(self) -> None:
        entities = sorted(self.naive.entities)
        documents = []
        for _ in range(self.random.randint(1, 2)):
            number = self._next("document")
            passages, start = [], 0
            for _ in range(self.random.randint(1, 3)):
                passage = self._next("passage")
                text = f"Passage{passage}qx tells. Of Çömething."
                mentions = [
                    value for entity in self._some(entities, 2) for value in (entity, entity % 5, entity % 5 + 4)
                ]
                key = self.random.choice((None, f"key{passage}zx"))
                passages.append(StoredPassage(passage, start, text, [0, 17], mentions, self.random.choice(DATES), key))
                start += len(text) + 1
            digest = (number + 1).to_bytes(4, "big") * 4
            label = self.random.choice((None, *LABELS))
            documents.append(StoredDocument(number, digest, "text", start, passages, self.random.choice(DATES), label))
        self._record(DocumentsStored(documents))

    def _labels(self) -> None:
        pairs = [
            (number, label)
            for number in self._some(sorted(self.naive.documents), 2)
            for label in LABELS
            if label not in [held for held, _ in self.naive.documents[number]["labels"]]
        ]
        if pairs:
            self._record(DocumentsLabelled([number for number, _ in pairs], [label for _, label in pairs]))

    def _links(self) -> None:
        stands = {(one["passage"], one["entity"]) for one in self.naive.mentions}
        entities = self._some(sorted(self.naive.entities), 2)
        pairs = [
            (passage, entity)
            for passage in self._some(sorted(self.naive.passages), 2)
            for entity in entities
            if (passage, entity) not in stands
        ]
        if pairs:
            passages, linked = [one for one, _ in pairs], [one for _, one in pairs]
            self._record(PassagesLinked(passages, linked, [2] * len(pairs), [6] * len(pairs)))

    # forgetting

    def _drop_triples(self) -> None:
        self.triples = {triple: fact for triple, fact in self.triples.items() if fact in self.naive.facts}

    def _forget_entity(self) -> None:
        for entity in self._some(sorted(self.naive.entities), 1):
            facts = [fact for fact, one in self.naive.facts.items() if entity in (one["triple"][0], one["triple"][2])]
            passages = sorted({one["passage"] for one in self.naive.mentions if one["entity"] == entity})
            left = {one["row"][0] for number, one in self.naive.passages.items() if number not in passages}
            emptied = sorted({self.naive.passages[one]["row"][0] for one in passages} - left)
            key_hash = keyed(STREAM, "entity", str(entity))
            event = EntityForgotten(key_hash, entity, sorted(facts), passages, emptied, following=self.following)
            self._record(event)
        self._drop_triples()

    def _forget_fact(self) -> None:
        for fact in self._some(sorted(self.naive.facts), 1):
            self._record(FactForgotten(keyed(STREAM, "fact", str(fact)), fact, following=self.following))
        self._drop_triples()

    def _forget_documents(self) -> None:
        label = self.random.choice(LABELS)
        under = [number for number, one in self.naive.documents.items() if label in [held for held, _ in one["labels"]]]
        kept = [number for number in under if len(self.naive.documents[number]["labels"]) > 1]
        going = [number for number in under if number not in kept]
        cited = [number for number, one in self.naive.assertions.items() if one["row"][0] == label]
        passages = [number for number, one in self.naive.passages.items() if one["row"][0] in going]
        if under or cited:
            hashed = keyed(STREAM, "source", label)
            event = DocumentsForgotten(hashed, going, passages, hashed, kept, cited, following=self.following)
            self.label_meant[len(self.recorded)] = label
            self._record(event)

    def _forget_attribute(self) -> None:
        on_entities = [number for number, one in self.naive.attributes.items() if not one["on_fact"]]
        for number in self._some(on_entities, 1):
            self._record(AttributeForgotten(keyed(STREAM, "attribute", str(number)), number, following=self.following))
