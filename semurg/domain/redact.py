"""What is left of a recorded event when something is forgotten: the same event without it.

Pure, so that the writer can compute the digests that the forget event must carry before anything is written. A payload
that loses something keeps its other numbers as they are; numbers are never given out again (`following` in the forget
events sees to that).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

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
    StoredDocument,
)

Item = TypeVar("Item")


class Gone(msgspec.Struct, frozen=True):
    """What a forget takes out of earlier events, by number; `label` is taken off `unlabelled` documents."""

    entities: frozenset[int] = frozenset()
    facts: frozenset[int] = frozenset()
    documents: frozenset[int] = frozenset()
    passages: frozenset[int] = frozenset()
    attributes: frozenset[int] = frozenset()
    assertions: frozenset[int] = frozenset()
    unlabelled: frozenset[int] = frozenset()
    label: str | None = None


def redact(event: Event, gone: Gone) -> Event:
    """The event without what is gone; the very same object when it held nothing of it."""
    match event:
        case EntitiesRecorded():
            return _entities(event, gone)
        case AssertionsCited():
            return _assertions(event, gone)
        case DocumentsStored():
            return _documents(event, gone)
        case DocumentsLabelled():
            return _labels(event, gone)
        case PassagesLinked():
            return _links(event, gone)
        case FactsRecorded():
            return _facts(event, gone)
        case AttributesRecorded():
            return _attributes(event, gone)
        case _:
            return event


def _entities(event: EntitiesRecorded, gone: Gone) -> Event:
    keep = _kept(event.numbers, gone.entities)
    typed = _kept(event.typed, gone.entities)
    if len(keep) == len(event.numbers) and len(typed) == len(event.typed):
        return event
    return EntitiesRecorded(
        numbers=_at(event.numbers, keep),
        names=_at(event.names, keep),
        sources=_at(event.sources, keep),
        typed=_at(event.typed, typed),
        types=_at(event.types, typed),
    )


def _assertions(event: AssertionsCited, gone: Gone) -> Event:
    if not gone.assertions.intersection(event.numbers):
        return event
    labels = [
        None if number in gone.assertions else label for number, label in zip(event.numbers, event.labels, strict=True)
    ]
    return AssertionsCited(event.numbers, labels, event.dates)


def _documents(event: DocumentsStored, gone: Gone) -> Event:
    documents = [_document(document, gone) for document in event.documents if document.number not in gone.documents]
    return event if documents == event.documents else DocumentsStored(documents)


def _document(document: StoredDocument, gone: Gone) -> StoredDocument:
    passages = [passage for passage in document.passages if passage.number not in gone.passages]
    digest = document.digest if len(passages) == len(document.passages) else b""
    if gone.entities:
        passages = [
            msgspec.structs.replace(passage, mentions=_mentions(passage.mentions, gone)) for passage in passages
        ]
    off = document.number in gone.unlabelled and document.label == gone.label
    return msgspec.structs.replace(document, passages=passages, digest=digest, label=None if off else document.label)


def _mentions(mentions: Sequence[int], gone: Gone) -> list[int]:
    """Flattened (entity, start, end) triples without those of forgotten entities."""
    return [
        value
        for first in range(0, len(mentions), 3)
        if mentions[first] not in gone.entities
        for value in mentions[first : first + 3]
    ]


def _labels(event: DocumentsLabelled, gone: Gone) -> Event:
    def stays(place: int) -> bool:
        document, label = event.documents[place], event.labels[place]
        return document not in gone.documents and not (document in gone.unlabelled and label == gone.label)

    keep = [place for place in range(len(event.documents)) if stays(place)]
    if len(keep) == len(event.documents):
        return event
    return DocumentsLabelled(_at(event.documents, keep), _at(event.labels, keep))


def _links(event: PassagesLinked, gone: Gone) -> Event:
    keep = [
        place
        for place, (passage, entity) in enumerate(zip(event.passages, event.entities, strict=True))
        if passage not in gone.passages and entity not in gone.entities
    ]
    if len(keep) == len(event.passages):
        return event
    columns = (event.passages, event.entities, event.starts, event.ends)
    return PassagesLinked(*(_at(column, keep) for column in columns))


def _facts(event: FactsRecorded, gone: Gone) -> Event:
    if (
        gone.facts.isdisjoint(event.numbers)
        and gone.facts.isdisjoint(event.stated)
        and gone.facts.isdisjoint(event.changed)
    ):
        return event
    new = _kept(event.numbers, gone.facts)
    stated = _kept(event.stated, gone.facts)
    changed = _kept(event.changed, gone.facts)
    ends: list[int] = []
    for count in event.episodes:
        ends.append((ends[-1] if ends else 0) + count)
    episodes = [row for place in changed for row in range(ends[place] - event.episodes[place], ends[place])]
    types = _at(event.types, new)
    names = sorted(set(types))
    renumbered = {old: number for number, old in enumerate(names)}
    return FactsRecorded(
        type_names=_at(event.type_names, names),
        numbers=_at(event.numbers, new),
        sources=_at(event.sources, new),
        types=[renumbered[one] for one in types],
        targets=_at(event.targets, new),
        stated=_at(event.stated, stated),
        stated_by=_at(event.stated_by, stated),
        stated_from=_at(event.stated_from, stated),
        stated_to=_at(event.stated_to, stated),
        span_passage=_at(event.span_passage, stated),
        span_start=_at(event.span_start, stated),
        span_end=_at(event.span_end, stated),
        replacing=_renumbered(event.replacing, stated),
        changed=_at(event.changed, changed),
        episodes=_at(event.episodes, changed),
        episode_from=_at(event.episode_from, episodes),
        episode_to=_at(event.episode_to, episodes),
    )


def _renumbered(places: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Where the places are among those kept."""
    now = {old: new for new, old in enumerate(kept)}
    return [now[place] for place in places if place in now]


def _attributes(event: AttributesRecorded, gone: Gone) -> Event:
    def stays(on_fact: bool, owner: int, number: int) -> bool:
        return number not in gone.attributes and owner not in (gone.facts if on_fact else gone.entities)

    histories = [one for one in event.histories if stays(one.on_fact, one.owner, one.number)]
    return event if len(histories) == len(event.histories) else AttributesRecorded(histories)


def _kept(column: Sequence[int], gone: frozenset[int]) -> Sequence[int]:
    """The places of the column whose number is not gone."""
    if gone.isdisjoint(column):
        return range(len(column))
    return [place for place, value in enumerate(column) if value not in gone]


def _at(column: Sequence[Item], places: Iterable[int]) -> list[Item]:
    # a bulk event has thousands of rows side by side, and sixteen columns of them
    return list(map(column.__getitem__, places))


def gone_by(event: Event, label: str | None) -> Gone:
    """What a forget event takes out of earlier events. `label` is the text behind DocumentsForgotten.source_hash."""
    match event:
        case EntityForgotten():
            return Gone(
                entities=frozenset([event.entity]),
                facts=frozenset(event.facts),
                passages=frozenset(event.passages),
                documents=frozenset(event.documents),
                assertions=frozenset(event.assertions),
            )
        case FactForgotten():
            return Gone(facts=frozenset([event.fact]), assertions=frozenset(event.assertions))
        case DocumentsForgotten():
            return Gone(
                documents=frozenset(event.documents),
                passages=frozenset(event.passages),
                assertions=frozenset(event.assertions),
                unlabelled=frozenset(event.unlabelled),
                label=label,
            )
        case AttributeForgotten():
            return Gone(attributes=frozenset([event.number]), assertions=frozenset(event.assertions))
        case _:
            return Gone()
