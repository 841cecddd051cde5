"""Whether items and status of a real reply are what the oracle says, with ids and positions learned on the way."""

from __future__ import annotations

from typing import Any

from derived_oracle import Derived, meaning
from memory_state import Fact
from reading_oracle import Place, Reading

from semurg.domain.instants import NO_END, UNKNOWN_START, format_bound, format_instant


class Known:
    """Which id stands for what, and where in the log each command ended."""

    def __init__(self) -> None:
        self._ids: dict[tuple[Place, str, str], object] = {}
        self._things: dict[tuple[Place, str, object], str] = {}
        self._ends: dict[int, int] = {0: 0}

    def _learn(self, place: Place, kind: str, given: str, thing: object) -> None:
        assert isinstance(given, str) and given.isdigit() and int(given) < 2**64
        assert self._ids.setdefault((place, kind, given), thing) == thing, f"{kind} id {given} stood for another thing"
        assert self._things.setdefault((place, kind, thing), given) == given, f"{thing} had another id"

    def entity(self, place: Place, given: str, name: str) -> None:
        """An entity's id. Named again after it was forgotten it is another entity: several ids may have one name."""
        assert self._ids.setdefault((place, "entity", given), name) == name

    def passage(self, place: Place, given: str, number: int) -> None:
        """A passage's id."""
        self._learn(place, "passage", given, number)

    def document(self, place: Place, given: str, number: int) -> None:
        """A document's id."""
        self._learn(place, "document", given, number)

    def document_id(self, place: Place, number: int) -> str:
        """The id of a document."""
        return self._things[(place, "document", number)]

    def documents_of(self, place: Place) -> list[int]:
        """Every document that a reply named."""
        return [thing for (one, kind, thing) in self._things if one == place and kind == "document"]  # type: ignore[misc]

    def forget_place(self, place: Place) -> None:
        """The scope is gone: one that is opened in its place numbers its things anew."""
        self._ids = {key: thing for key, thing in self._ids.items() if key[0] != place}
        self._things = {key: given for key, given in self._things.items() if key[0] != place}

    def position(self, given: str, command: int) -> None:
        """The position that the reply of a command gave: where its events end."""
        end = int(given)
        assert self._ends.setdefault(command, end) == end, f"position {given} is not {self._ends[command]}"
        assert all((one < command) == (other < end) for one, other in self._ends.items() if one != command)

    def is_position(self, given: str, command: int) -> None:
        """The position that a read gives: that of the last command it knows of."""
        assert given == str(self._ends[command]), f"read at {given}, expected {self._ends[command]}"

    def is_within(self, given: str, command: int) -> None:
        """The position of something that a command wrote."""
        before = max(end for one, end in self._ends.items() if one < command)
        assert before < int(given) <= self._ends[command], f"{given} is not of command {command}"


def value_read(value: dict[str, Any]) -> Any:
    """An attribute of a full reply in the form of reading_oracle.value_shown."""
    if "values" not in value:
        return value["value"], value["type"]
    types = value.get("types") or [value["type"]] * len(value["values"])
    return frozenset(zip(value["values"], types, strict=True))


def check_items(
    known: Known, place: Place, reading: Reading, seeds: list[int], stage: str, items: list[dict[str, Any]]
) -> None:
    """All items of a reply that had room for everything: entities, stored facts, derived facts, passages."""
    facts, derived, passages = reading.facts_of(seeds), reading.derived_of(seeds), reading.passages_of(seeds)
    expected = len(seeds) + len(facts) + len(derived) + len(passages)
    assert len(items) == expected, f"{len(items)} items, expected {expected}: {[one['text'] for one in items]}"
    scores = [item["score"] for item in items]
    assert scores == sorted(scores, reverse=True) and all(0 < score <= 1 for score in scores)
    assert {item["seed"] for item in items} == {stage}
    rest = list(items)
    for seed in seeds:
        _check_entity(known, place, reading, seed, rest.pop(0))
    for number, seed in facts:
        _check_fact(known, place, reading, reading.fact_item(number, seed), rest.pop(0))
    found = set()
    for _ in derived:
        found.add(_check_derived(known, place, reading, derived, rest.pop(0)))
    assert found == set(derived)
    for number, seed in passages:
        _check_passage(known, place, reading, number, reading.passage_item(number, seed), rest.pop(0))


def _check_entity(known: Known, place: Place, reading: Reading, number: int, item: dict[str, Any]) -> None:
    right = reading.entity_item(number)
    assert (item["kind"], item["subject"]) == ("entity", right["name"])
    assert item["types"] == right["types"]
    assert {key: value_read(value) for key, value in item["attributes"].items()} == right["attributes"]
    assert item["text"].startswith(right["name"])
    assert item["source_id"] == item["seed_id"]
    known.entity(place, item["source_id"], right["name"])
    span = item["citation"]["span"]
    if span is not None:
        texts = [one.text for one in reading.state.documents.values()]
        assert any(text[span["start"] : span["end"]] == span["text"] for text in texts)


def _check_fact(known: Known, place: Place, reading: Reading, right: dict[str, Any], item: dict[str, Any]) -> None:
    for field in ("kind", "text", "direction", "derived", "subject", "relation", "object", "valid_from", "valid_to"):
        assert item[field] == right[field], f"{field} of {item['text']}: {item[field]!r} is not {right[field]!r}"
    assert {key: value_read(value) for key, value in item["attributes"].items()} == right["attributes"]
    known.entity(place, item["source_id"], right["other"])
    known.entity(place, item["seed_id"], right["seed"])
    check_citation(known, place, right["citation"], item)


def check_citation(known: Known, place: Place, right: dict[str, Any], item: dict[str, Any]) -> None:
    """The citation of a stored fact, or of a derived one's first premise."""
    citation = item["citation"]
    assert citation["span_state"] == right["state"], f"{item['text']}: {citation['span_state']} is not {right['state']}"
    assert citation["source"]["kind"] == right["kind"]
    assert citation["source"]["ingested_at"] == format_instant(right["ingested"])
    known.is_within(citation["position"], right["command"])
    span = citation["span"]
    assert (None if span is None else (span["text"], span["start"], span["end"])) == right["span"]
    if right["state"] == "source_forgotten":
        return
    assert citation["source"]["name"] == right["name"]
    assert item["source_date"] == right["date"]
    if right["document"] is None:
        assert citation["source"]["doc_id"] is None
    else:
        known.document(place, citation["source"]["doc_id"], right["document"])


def _check_derived(
    known: Known, place: Place, reading: Reading, derived: dict[tuple[int, str, int], Derived], item: dict[str, Any]
) -> tuple[int, str, int]:
    """A derived fact; which of the shortest chains is named is open, its interval must be that chain's."""
    state = reading.state
    source, target = state.entity_by_name(item["subject"]), state.entity_by_name(item["object"])
    key = (source, meaning(item["relation"]), target)
    assert key in derived, f"{item['text']} does not follow from anything stored"
    right = derived[key]
    assert (item["kind"], item["derived"], item["direction"]) == ("fact", True, "derived")
    assert item["relation"] in right.types
    assert item["text"] == f"{item['subject']} {item['relation']} {item['object']}"
    reasoning = item["citation"]["found_by"]["reasoning"]
    assert reasoning["rule"] == right.rule
    named = [
        state.fact(state.entity_by_name(one["subject"]), one["relation"], state.entity_by_name(one["object"]))
        for one in reasoning["from"]
    ]
    assert tuple(named) in right.chains
    episodes = [reading.holding[number] for number in named if number is not None]
    starts, ends = zip(*episodes, strict=True)
    assert item["valid_from"] == format_bound(max(UNKNOWN_START, *starts))
    assert item["valid_to"] == format_bound(min(NO_END, *ends))
    premise: Fact = state.facts[named[0]]  # type: ignore[index]
    check_citation(known, place, reading.citation(premise), item)
    return key


def _check_passage(
    known: Known, place: Place, reading: Reading, number: int, right: dict[str, Any], item: dict[str, Any]
) -> None:
    assert (item["kind"], item["text"], item["key"]) == ("passage", right["text"], right["key"])
    assert item["source_date"] == right["date"]
    known.passage(place, item["source_id"], number)
    known.entity(place, item["seed_id"], right["seed"])
    citation = item["citation"]
    known.document(place, citation["source"]["doc_id"], right["document"])
    assert citation["source"]["name"] == right["name"]
    assert citation["source"]["kind"] == "document"
    assert citation["source"]["ingested_at"] == format_instant(right["ingested"])
    assert citation["span_state"] == "quoted"
    span = citation["span"]
    assert (span["text"], span["start"], span["end"]) == right["span"]
    known.is_within(citation["position"], right["command"])


def check_status(reply: dict[str, Any], readings: dict[str, Reading], scope: str) -> None:
    """Status of a partition: the counts of every scope in it, and the ontology of one."""
    counted = {one: reading.counts() for one, reading in readings.items() if reading.exists}
    assert {one.pop("scope"): one for one in reply["scopes"]} == counted
    reading = readings[scope]
    ontology = reply["ontology"]
    classes = reading.classes()
    assert ontology["entity_types"] == len(classes)
    assert ontology["name_merge"] == "by_name"
    shown = [(one["members"], frozenset(one["spellings"])) for one in ontology["top_classes"]]
    assert sorted(shown, key=repr) == sorted(classes.values(), key=repr)
    assert [one[0] for one in shown] == sorted((one[0] for one in shown), reverse=True)
    assert all(one["type"] in one["spellings"] for one in ontology["top_classes"])
    relations = reading.relations()
    assert {meaning(one["type"]) for one in ontology["relations"]} == set(relations)
    for one in ontology["relations"]:
        facts, spellings, most = relations[meaning(one["type"])]
        assert (one["facts"], frozenset(one["spellings"])) == (facts, spellings)
        assert one["type"] in most
