"""A scope as plain dicts and lists: what every read of projections.scope must answer, the slow and obvious way."""

from __future__ import annotations

from typing import Any

from semurg.domain.events import (
    AssertionsCited,
    AttributeForgotten,
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
)
from semurg.domain.instants import NO_END, UNKNOWN_START, date_from_text
from semurg.domain.names import match_key
from semurg.domain.values import canonical, load
from semurg.domain.visibility import At, visible

Row = dict[str, Any]


def keyed(stream: str, kind: str, *parts: str) -> str:
    """A stand-in for the node's keyed hash."""
    return "|".join((stream, kind, *parts))


def settle(rows: list[Row], wanted: list[tuple[Any, ...]], fields: tuple[str, ...], now: int) -> None:
    """Close the open rows that are not wanted, open one for each wanted that has none."""
    left = list(wanted)
    for row in rows:
        if row["known_to"] == NO_END:
            held = tuple(row[field] for field in fields)
            if held in left:
                left.remove(held)
            else:
                row["known_to"] = now
    for values in left:
        rows.append({"known_from": now, "known_to": NO_END, **dict(zip(fields, values, strict=True))})


def shows(row: Row, at: At) -> bool:
    return visible(row["known_from"], row["known_to"], row["valid_from"], row["valid_to"], at)


class NaiveScope:
    """Applies events to dicts. Forgetting deletes."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.events: list[tuple[int, int]] = []
        self.entities: dict[int, Row] = {}
        self.facts: dict[int, Row] = {}
        self.attributes: dict[int, Row] = {}
        self.documents: dict[int, Row] = {}
        self.passages: dict[int, Row] = {}
        self.mentions: list[Row] = []
        self.assertions: dict[int, Row] = {}
        self.forgotten: set[str] = set()

    def apply(self, event: Event, position: int, now: int) -> None:
        self.events.append((position, now))
        match event:
            case EntitiesRecorded():
                for number, name, source in zip(event.numbers, event.names, event.sources, strict=True):
                    self.entities[number] = {"row": (name, now, position, source), "types": []}
                for number, text in zip(event.typed, event.types, strict=True):
                    self.entities[number]["types"].append((text, now))
            case FactsRecorded():
                self._facts(event, position, now)
            case AttributesRecorded():
                for one in event.histories:
                    fresh = {"on_fact": one.on_fact, "owner": one.owner, "key": one.key, "rows": []}
                    held = self.attributes.setdefault(one.number, fresh)
                    wanted = [(each.valid_from, each.valid_to, each.value, each.source) for each in one.episodes]
                    settle(held["rows"], wanted, ("valid_from", "valid_to", "value", "source"), now)
            case AssertionsCited():
                for number, label, date in zip(event.numbers, event.labels, event.dates, strict=True):
                    self.assertions[number] = {"row": (label, date), "findable": True}
            case DocumentsStored():
                for document in event.documents:
                    self._document(document, position, now)
            case DocumentsLabelled():
                for number, label in zip(event.documents, event.labels, strict=True):
                    self.documents[number]["labels"].append((label, now))
            case PassagesLinked():
                for passage, entity, start, end in zip(
                    event.passages, event.entities, event.starts, event.ends, strict=True
                ):
                    self._mention(passage, entity, start, end, now)
            case _:
                self._forget(event)

    def _facts(self, event: FactsRecorded, position: int, now: int) -> None:
        for number, source, type_, target in zip(event.numbers, event.sources, event.types, event.targets, strict=True):
            triple = (source, event.type_names[type_], target)
            self.facts[number] = {"triple": triple, "known": now, "rows": [], "statements": []}
        for index, fact in enumerate(event.stated):
            span = (-1, 0, 0)
            if event.span_passage[index] >= 0:
                span = (event.span_passage[index], event.span_start[index], event.span_end[index])
            stated = (event.stated_by[index], event.stated_from[index], event.stated_to[index])
            self.facts[fact]["statements"].append((*stated, now, position, *span))
        first = 0
        for fact, count in zip(event.changed, event.episodes, strict=True):
            episodes = zip(
                event.episode_from[first : first + count], event.episode_to[first : first + count], strict=True
            )
            settle(self.facts[fact]["rows"], list(episodes), ("valid_from", "valid_to"), now)
            first += count

    def _document(self, document: Any, position: int, now: int) -> None:
        self.documents[document.number] = {
            "row": (True, document.kind, document.date, now, position, document.length),
            "digest": document.digest,
            "labels": [] if document.label is None else [(document.label, now)],
        }
        for passage in document.passages:
            date = document.date if passage.date is None else passage.date
            start = UNKNOWN_START if date is None else date_from_text(date).start
            self.passages[passage.number] = {
                "row": (
                    document.number, passage.start, passage.text, passage.key, date, start, now, position,
                    tuple(passage.sentences),
                ),
                "known_from": now, "known_to": NO_END, "valid_from": start, "valid_to": NO_END,
            }  # fmt: skip
            found = passage.mentions
            for place in range(0, len(found), 3):
                self._mention(passage.number, found[place], found[place + 1], found[place + 2], now)

    def _mention(self, passage: int, entity: int, start: int, end: int, now: int) -> None:
        self.mentions.append({"passage": passage, "entity": entity, "span": (start, end), "known": now})

    def _forget(self, event: Event) -> None:
        match event:
            case EntityForgotten():
                for fact in event.facts:
                    self._drop_fact(fact)
                self._drop_attributes(False, event.entity)
                for passage in event.passages:
                    self.documents[self.passages[passage]["row"][0]]["digest"] = b""
                self._drop_texts(event.documents, event.passages)
                self.mentions = [one for one in self.mentions if one["entity"] != event.entity]
                del self.entities[event.entity]
            case FactForgotten():
                self._drop_fact(event.fact)
            case DocumentsForgotten():
                self._drop_texts(event.documents, event.passages)
                for number in event.unlabelled:
                    held = self.documents[number]
                    held["labels"] = [
                        one for one in held["labels"] if keyed(self.stream, "source", one[0]) != event.source_hash
                    ]
                for number in event.assertions:
                    self.assertions[number] = {"row": (None, self.assertions[number]["row"][1]), "findable": False}
            case AttributeForgotten():
                del self.attributes[event.number]
            case _:
                return
        self.forgotten.add(event.key_hash)

    def _drop_fact(self, fact: int) -> None:
        del self.facts[fact]
        self._drop_attributes(True, fact)

    def _drop_attributes(self, on_fact: bool, owner: int) -> None:
        self.attributes = {
            number: one for number, one in self.attributes.items() if (one["on_fact"], one["owner"]) != (on_fact, owner)
        }

    def _drop_texts(self, documents: list[int], passages: list[int]) -> None:
        for document in documents:
            del self.documents[document]
        for passage in passages:
            del self.passages[passage]
        self.mentions = [one for one in self.mentions if one["passage"] not in passages]

    # reads

    def find_exact(self, key: str, at: At) -> int:
        found = [
            n for n, one in self.entities.items() if match_key(one["row"][0]) == key and one["row"][1] <= at.known_at
        ]
        return found[0] if found else -1

    def types_of(self, entity: int, at: At) -> list[str]:
        return [text for text, known in self.entities[entity]["types"] if known <= at.known_at]

    def fact_rows(self, entity: int, at: At) -> list[tuple[Any, ...]]:
        """(fact, source, type, target, valid_from, valid_to) of what shows: outbound, then inbound, each sorted."""
        found = [
            (fact, *one["triple"], row["valid_from"], row["valid_to"])
            for fact, one in self.facts.items()
            for row in one["rows"]
            if shows(row, at) and entity in (one["triple"][0], one["triple"][2])
        ]
        return sorted(one for one in found if one[1] == entity) + sorted(one for one in found if one[1] != entity)

    def statements_of(self, fact: int, at: At) -> list[tuple[Any, ...]]:
        return [one for one in self.facts[fact]["statements"] if one[3] <= at.known_at]

    def attributes_of(self, on_fact: bool, owner: int, at: At) -> list[tuple[str, str]]:
        return sorted(
            (one["key"], row["value"])
            for one in self.attributes.values()
            for row in one["rows"]
            if (one["on_fact"], one["owner"]) == (on_fact, owner) and shows(row, at)
        )

    def find_by_attribute(self, key: str, wanted: str, type_: str | None, at: At) -> list[int]:
        return sorted(
            {
                one["owner"]
                for one in self.attributes.values()
                for row in one["rows"]
                if not one["on_fact"] and one["key"] == key and shows(row, at)
                for kind, text in zip(load(row["value"]).types, load(row["value"]).texts, strict=True)
                if type_ in (None, kind) and canonical(kind, text) == wanted
            }
        )

    def passages_of_entity(self, entity: int, at: At) -> list[int]:
        return sorted(
            {
                one["passage"]
                for one in self.mentions
                if one["entity"] == entity and one["known"] <= at.known_at and shows(self.passages[one["passage"]], at)
            }
        )

    def document_labels(self, document: int, at: At) -> list[str]:
        return [label for label, known in self.documents[document]["labels"] if known <= at.known_at]

    def counts(self, at: At, explicit_valid: bool) -> tuple[int, int, int, int]:
        holding = sum(any(shows(row, at) for row in one["rows"]) for one in self.facts.values())
        known = sum(one["known"] <= at.known_at for one in self.facts.values())
        return (
            sum(one["row"][1] <= at.known_at for one in self.entities.values()),
            holding if explicit_valid else known,
            sum(one["row"][3] <= at.known_at for one in self.documents.values()),
            sum(one["known_from"] <= at.known_at for one in self.passages.values()),
        )

    def position_at(self, known_at: int) -> int:
        return max((position for position, now in self.events if now <= known_at), default=0)
