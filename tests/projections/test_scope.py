"""A scope's projection against a scope of plain dicts: every read, at every instant, after any history."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semurg.domain.events import (
    AttributeEpisode,
    AttributeForgotten,
    AttributeHistory,
    AttributesRecorded,
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
from semurg.domain.names import match_key
from semurg.domain.redact import Gone, gone_by, redact
from semurg.domain.values import canonical, load
from semurg.domain.visibility import At
from semurg.projections.columns import Column
from semurg.projections.scope import ScopeProjection
from tests.projections.histories import INSTANTS, KEYS, LABELS, RELATIONS, STREAM, History
from tests.projections.naive_scope import NaiveScope, keyed

Events = list[tuple[Event, int, int]]


def project(recorded: Events) -> ScopeProjection:
    scope = ScopeProjection(STREAM, keyed)
    for event, position, now in recorded:
        scope.apply(event, position, now)
    return scope


def drawn(random: Random, steps: int, forgetting: bool = True) -> History:
    history = History(random, forgetting)
    for _ in range(steps):
        history.step()
    return history


def instants(history: History, random: Random) -> list[At]:
    known = sorted({now for _, _, now in history.recorded})
    valid = [UNKNOWN_START, *INSTANTS, 35, NO_END - 1]
    newest = [At(known[-1], instant) for instant in valid]
    return [*newest, *(At(random.choice([0, *known]), random.choice(valid)) for _ in range(4))]


def answers(scope: ScopeProjection, naive: NaiveScope, at: At) -> dict[str, Any]:
    """Everything that a scope answers about the things that the naive scope holds, row numbers left out."""
    reads = scope.reads
    facts: dict[int, Any] = {}
    for entity in naive.entities:
        columns = reads.fact_columns(reads.fact_rows(entity, at))
        fields = [column.tolist() for column in columns]
        fields[2] = [reads.type_name(type_id) for type_id in fields[2]]
        rows = [tuple(row) for row in zip(*fields, strict=True)]
        # rows come in the order they were appended, which the naive scope does not know
        facts[entity] = sorted(one for one in rows if one[1] == entity) + sorted(
            one for one in rows if one[1] != entity
        )
    owners = [(False, number) for number in naive.entities] + [(True, number) for number in naive.facts]
    return {
        "facts": facts,
        "exact": [reads.find_exact(match_key(one["row"][0]), at) for one in naive.entities.values()],
        "entities": [tuple(reads.entity(number)) for number in naive.entities],
        "types": [reads.types_of(number, at) for number in naive.entities],
        "statements": [[tuple(one) for one in reads.statements_of(number, at)] for number in naive.facts],
        "attributes": [reads.attributes_of(*owner, at) for owner in owners],
        "passages": [reads.passages_of_entity(number, at) for number in naive.entities],
        "texts": [tuple(reads.passage(number)) for number in naive.passages],
        "documents": [tuple(reads.document(number)) for number in naive.documents],
        "labels": [reads.document_labels(number, at) for number in naive.documents],
        "assertions": [reads.assertion(number) for number in naive.assertions],
        "counts": [tuple(reads.counts(at)), tuple(reads.counts(at, explicit_valid=True))],
        "position": reads.position_at(at.known_at),
    }


def expected(naive: NaiveScope, at: At) -> dict[str, Any]:
    """The same of the naive scope."""
    owners = [(False, number) for number in naive.entities] + [(True, number) for number in naive.facts]
    return {
        "facts": {number: naive.fact_rows(number, at) for number in naive.entities},
        "exact": [naive.find_exact(match_key(one["row"][0]), at) for one in naive.entities.values()],
        "entities": [one["row"] for one in naive.entities.values()],
        "types": [naive.types_of(number, at) for number in naive.entities],
        "statements": [naive.statements_of(number, at) for number in naive.facts],
        "attributes": [naive.attributes_of(*owner, at) for owner in owners],
        "passages": [naive.passages_of_entity(number, at) for number in naive.entities],
        "texts": [one["row"] for one in naive.passages.values()],
        "documents": [one["row"] for one in naive.documents.values()],
        "labels": [naive.document_labels(number, at) for number in naive.documents],
        "assertions": [one["row"] for one in naive.assertions.values()],
        "counts": [naive.counts(at, False), naive.counts(at, True)],
        "position": naive.position_at(at.known_at),
    }


@settings(max_examples=80, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_every_read_equals_the_one_over_plain_dicts(random: Random, steps: int) -> None:
    history = drawn(random, steps)
    scope = project(history.recorded)
    for at in instants(history, random):
        assert answers(scope, history.naive, at) == expected(history.naive, at)


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 25))
def test_the_view_of_a_decision_is_the_newest_state(random: Random, steps: int) -> None:
    history = drawn(random, steps)
    naive, view = history.naive, project(history.recorded).view
    triples = list(history.triples) + [(number, RELATIONS[0], 0) for number in naive.entities]
    found = view.facts_by_triple(
        [one for one, _, _ in triples], [one for _, one, _ in triples], [one for _, _, one in triples]
    )
    assert found == [history.triples.get(triple, -1) for triple in triples]
    for number, one in naive.facts.items():
        standing = [(row["valid_from"], row["valid_to"]) for row in one["rows"] if row["known_to"] == NO_END]
        assert [tuple(episode) for episode in view.fact_episodes(number)] == sorted(standing)
        assert all(view.fact_stated(number, *stated[:3]) for stated in one["statements"])
        assert not view.fact_stated(number, -99, 1, 2)
    for entity in naive.entities:
        touching = {
            number: one["triple"]
            for number, one in naive.facts.items()
            if entity in (one["triple"][0], one["triple"][2])
        }
        assert view.facts_touching(entity) == sorted(touching)
        for relation in RELATIONS:
            group = [(number, triple[2]) for number, triple in touching.items() if triple[:2] == (entity, relation)]
            assert view.facts_from(entity, relation) == sorted(group)
        linked = {one["passage"] for one in naive.mentions if one["entity"] == entity}
        assert view.passages_linked_to(entity) == sorted(linked)
    for number, one in naive.attributes.items():
        assert view.attribute(one["on_fact"], one["owner"], one["key"]) == number
        values = [(row["valid_from"], row["value"]) for row in one["rows"] if row["known_to"] == NO_END]
        assert [(episode.start, episode.value) for episode in view.attribute_episodes(number)] == sorted(values)
    for label in LABELS:
        under = [number for number, one in naive.documents.items() if label in [held for held, _ in one["labels"]]]
        assert view.documents_under(label) == sorted(under)
        cited = [number for number, one in naive.assertions.items() if one["row"][0] == label]
        assert view.assertions_under(label) == sorted(cited)
    for number, one in naive.assertions.items():
        assert not one["findable"] or view.assertion(*one["row"]) == number
    for number, one in naive.documents.items():
        stored_as = (number + 1).to_bytes(4, "big") * 4
        assert view.document_by_digest(stored_as) == (number if one["digest"] else -1)
        live = [passage for passage, held in naive.passages.items() if held["row"][0] == number]
        assert [passage.number for passage in view.passages_of(number)] == sorted(live)
    assert all(map(view.was_forgotten, naive.forgotten))
    numbers = (
        view.next_entity,
        view.next_fact,
        view.next_document,
        view.next_passage,
        view.next_assertion,
        view.next_attribute,
    )
    assert list(numbers) == history.following


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 20))
def test_an_entity_is_found_by_any_value_it_has(random: Random, steps: int) -> None:
    history = drawn(random, steps)
    scope = project(history.recorded)
    values = {(one["key"], row["value"]) for one in history.naive.attributes.values() for row in one["rows"]}
    for at in instants(history, random)[:4]:
        for key, stored in values:
            value = load(stored)
            for kind, text in zip(value.types, value.texts, strict=True):
                for type_ in (None, kind, "string"):
                    wanted = (key, canonical(kind, text), type_, at)
                    assert scope.reads.find_by_attribute(*wanted) == history.naive.find_by_attribute(*wanted)


# the law of time


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 20))
def test_a_read_as_of_an_instant_is_a_read_of_what_was_recorded_by_then(random: Random, steps: int) -> None:
    history = drawn(random, steps, forgetting=False)
    cut = random.choice(sorted({now for _, _, now in history.recorded}))
    before = [one for one in history.recorded if one[2] <= cut]
    naive = NaiveScope(STREAM)
    for recorded in before:
        naive.apply(*recorded)
    at = At(cut, random.choice(INSTANTS))
    assert answers(project(history.recorded), naive, at) == answers(project(before), naive, at)


# forgetting


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(3, 25))
def test_a_rebuild_from_redacted_events_answers_what_live_erasure_does(random: Random, steps: int) -> None:
    history = drawn(random, steps)
    live = project([])
    kept: Events = []
    for index, (event, position, now) in enumerate(history.recorded):
        gone = gone_by(event, history.label_meant.get(index))
        positions = set(live.positions_holding(gone))
        redacted = [(redact(held, gone), place, then) for held, place, then in kept]
        # every event that loses something is among those that the scope named
        for (left, place, _), (held, _, _) in zip(redacted, kept, strict=True):
            assert left is held or place in positions
        kept = [*redacted, (event, position, now)]
        live.apply(event, position, now)
    rebuilt = project(kept)
    for at in instants(history, random)[:6]:
        assert answers(rebuilt, history.naive, at) == answers(live, history.naive, at)
        assert rebuilt.reads.ontology(at) == live.reads.ontology(at)
    assert rebuilt.view.next_entity == live.view.next_entity
    assert rebuilt.view.next_fact == live.view.next_fact


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(3, 25))
def test_no_byte_of_what_was_forgotten_is_left(random: Random, steps: int) -> None:
    history = drawn(random, steps)
    scope, naive = project(history.recorded), history.naive
    used = history.used
    needles = [f"ame{number}xq" for number in range(used["entity"]) if number not in naive.entities]
    needles += [f"assage{number}qx" for number in range(used["passage"]) if number not in naive.passages]
    needles += [f"key{number}zx" for number in range(used["passage"]) if number not in naive.passages]
    triples = [one["triple"][1] for one in naive.facts.values()]
    needles += [relation for relation in RELATIONS if relation not in triples]
    needles += [key for key in KEYS if key not in [one["key"] for one in naive.attributes.values()]]
    labels = [held for one in naive.documents.values() for held, _ in one["labels"]]
    labels += [one["row"][0] for one in naive.assertions.values()]
    needles += [label for label in LABELS if label not in labels]
    values = {(one["key"], row["value"]) for one in naive.attributes.values() for row in one["rows"]}
    needles += [
        text for text in ("engineer", "0.50", "2020-05-01", "red") if not any(text in value for _, value in values)
    ]
    memory = b"\0".join(held_bytes(scope.parts, set()))
    assert [needle for needle in needles if needle.encode() in memory] == []


def held_bytes(thing: Any, seen: set[int]) -> Iterator[bytes]:
    """Every text and every column that the object holds, however deep."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, str):
        yield thing.encode()
    elif isinstance(thing, bytes | bytearray):
        yield bytes(thing)
    elif isinstance(thing, Column):
        yield thing.view.tobytes()
    elif isinstance(thing, np.ndarray):
        yield thing.tobytes()
    elif isinstance(thing, dict):
        for pair in thing.items():
            yield from held_bytes(list(pair), seen)
    elif isinstance(thing, list | tuple | set | frozenset):
        for item in thing:
            yield from held_bytes(item, seen)
    elif type(thing).__module__.startswith("semurg."):
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        for name in [*slots, *getattr(thing, "__dict__", {})]:
            yield from held_bytes(getattr(thing, name, None), seen)


# a few spelled out


def opened(*events: Event) -> ScopeProjection:
    return project(
        [(event, place, place * 10) for place, event in enumerate((ScopeOpened("ann", "demo", 7), *events), 1)]
    )


FACT = FactsRecorded(
    ["KNOWS"],
    [0],
    [0],
    [0],
    [1],
    [0],
    [-1],
    [UNKNOWN_START],
    [NO_END],
    [0],
    [0],
    [10],
    [0],
    [1],
    [UNKNOWN_START],
    [NO_END],
)
TWO = EntitiesRecorded([0, 1], ["Dana", "Acme"], [0, 0], [0], ["Person"])
TEXT_TWO = DocumentsStored([StoredDocument(1, b"e" * 16, "text", 5, [StoredPassage(1, 0, "Rain.", [0])])])
TEXT = DocumentsStored([StoredDocument(0, b"d" * 16, "text", 10, [StoredPassage(0, 0, "Dana said.", [0], [0, 0, 4])])])


def test_a_scope_knows_who_opened_it() -> None:
    scope = opened()
    assert (scope.exists, scope.user, scope.scope, scope.number) == (True, "ann", "demo", 7)


def test_a_scope_that_was_never_opened_does_not_exist() -> None:
    scope = ScopeProjection(STREAM, keyed)
    assert not scope.exists
    assert scope.view.position == 0
    assert scope.reads.find_exact("dana", At(1, 1)) == -1
    assert scope.view.entities_by_key(["dana"]) == [-1]
    assert scope.view.facts_by_triple([0] * 20, ["KNOWS"] * 20, [1] * 20) == [-1] * 20


def test_events_out_of_order_are_refused() -> None:
    scope = opened(TWO)
    with pytest.raises(ValueError, match="does not come after"):
        scope.apply(TEXT, 2, 30)


def test_a_fact_keeps_its_statement_when_its_document_is_forgotten_with_an_entity() -> None:
    scope = opened(TWO, TEXT, FACT)
    scope.apply(EntityForgotten("hash", 0, [], [0], [0], following=[2, 1, 1, 1, 0, 0]), 5, 50)
    (statement,) = scope.reads.statements_of(0, At(50, 0))
    assert statement.span_passage == 0
    assert not scope.reads.passage_is_live(0)
    assert not scope.reads.document(0).alive
    with pytest.raises(KeyError):
        scope.reads.passage(0)


def test_published_counts_move_with_publish_alone() -> None:
    scope = opened(TWO, TEXT, FACT)
    assert tuple(scope.published) == (0, 0, 0, 0)
    scope.publish()
    assert tuple(scope.published) == (2, 1, 1, 1)


def test_a_fact_whose_episodes_were_all_cut_away_is_still_found_and_forgotten() -> None:
    scope = opened(TWO, FactsRecorded(["KNOWS"], [0], [0], [0], [1], changed=[0], episodes=[0]))
    assert scope.view.facts_touching(1) == [0]
    assert scope.view.facts_from(0, "KNOWS") == [(0, 1)]
    assert scope.view.fact_episodes(0) == []
    scope.apply(EntityForgotten("hash", 0, [0], [], [], following=[2, 1, 0, 0, 0, 0]), 4, 40)
    assert scope.view.facts_by_triple([0], ["KNOWS"], [1]) == [-1]
    assert scope.view.facts_touching(1) == []


def test_a_document_that_lost_a_passage_with_an_entity_is_no_longer_the_text_that_was_sent() -> None:
    passages = [StoredPassage(0, 0, "Dana said.", [0], [0, 0, 4]), StoredPassage(1, 11, "Rain.", [0])]
    scope = opened(TWO, DocumentsStored([StoredDocument(0, b"d" * 16, "text", 16, passages)]))
    assert scope.view.document_by_digest(b"d" * 16) == 0
    scope.apply(EntityForgotten("hash", 0, [], [0], [], following=[2, 0, 1, 2, 0, 0]), 4, 40)
    assert scope.view.document_by_digest(b"d" * 16) == -1
    assert scope.view.document_is_live(0)
    assert [passage.number for passage in scope.view.passages_of(0)] == [1]


def test_numbers_that_only_a_forget_still_knows_are_never_given_out_again() -> None:
    # what a rebuild reads after a redaction took the last of everything out of the log
    scope = opened(EntitiesRecorded(), FactForgotten("hash", 4, following=[3, 5, 2, 7, 1, 6]))
    view = scope.view
    following = (view.next_entity, view.next_fact, view.next_document, view.next_passage)
    assert (*following, view.next_assertion, view.next_attribute) == (3, 5, 2, 7, 1, 6)
    at = At(99, 0)
    assert tuple(scope.reads.counts(at)) == (0, 0, 0, 0)
    assert not scope.reads.entity_visible(2, at)
    assert scope.reads.name(2) == ""
    assert not scope.reads.document(1).alive
    assert scope.view.close_names("dana", 3) == []
    assert scope.reads.find_spelling("dana", at) == []


def test_every_event_that_links_a_passage_is_named_when_its_document_goes() -> None:
    text = DocumentsStored([StoredDocument(0, b"d" * 16, "text", 10, [StoredPassage(0, 0, "Dana said.", [0])])])
    scope = opened(TWO, text, FACT, PassagesLinked([0], [0], [0], [4]), DocumentsLabelled([0], ["letter"]))
    assert scope.positions_holding(Gone(documents=frozenset([0]), passages=frozenset([0]))) == [3, 5, 6]
    assert scope.positions_holding(Gone(facts=frozenset([0]))) == [4]
    assert scope.positions() == [1, 2, 3, 4, 5, 6]


def test_an_event_that_only_ended_a_fact_is_named_when_the_fact_goes() -> None:
    ended = FactsRecorded(changed=[0], episodes=[1], episode_from=[UNKNOWN_START], episode_to=[9])
    scope = opened(TWO, TEXT, FACT, ended, TEXT_TWO)
    assert scope.positions_holding(Gone(facts=frozenset([0]))) == [4, 5]


def test_a_forgotten_value_leaves_memory_with_its_last_owner() -> None:
    def has(number: int, owner: int) -> AttributeHistory:
        episode = AttributeEpisode(UNKNOWN_START, NO_END, '["string","spymaster"]', -1)
        return AttributeHistory(number, False, owner, "role", [episode])

    scope = opened(TWO, AttributesRecorded([has(0, 0), has(1, 1)]))
    for number, left in ((0, True), (1, False)):
        scope.apply(AttributeForgotten("hash", number, following=[2, 0, 0, 0, 0, 2]), 4 + number, 40 + number)
        assert (b"spymaster" in b"\0".join(held_bytes(scope.parts, set()))) is left


def test_forgetting_an_entity_takes_the_attributes_of_its_facts() -> None:
    role = AttributeHistory(0, True, 0, "role", [AttributeEpisode(UNKNOWN_START, NO_END, '["string","spy"]', -1)])
    scope = opened(TWO, FACT, AttributesRecorded([role]))
    assert scope.reads.attributes_of(True, 0, At(40, 0)) == [("role", '["string","spy"]')]
    scope.apply(EntityForgotten("hash", 0, [0], [], [], following=[2, 1, 0, 0, 0, 1]), 5, 50)
    assert scope.reads.attributes_of(True, 0, At(40, 0)) == []
    assert scope.view.next_attribute == 1


def test_passages_that_hold_a_word_of_a_name_are_counted_whole_word_and_case_aside() -> None:
    texts = ["dana said so.", "Danapolis is far.", "DANA! She left.", "Nothing here."]
    passages = [StoredPassage(number, 0, text, [0]) for number, text in enumerate(texts)]
    scope = opened(DocumentsStored([StoredDocument(0, b"d" * 16, "text", 99, passages)]))
    assert scope.view.passages_with_any_word(["dana"], []) == 2
    assert scope.view.passages_with_any_word(["dana", "nothing"], [0]) == 2
