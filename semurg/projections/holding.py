"""Which events of a scope hold something that is about to be forgotten: the ones whose payloads must be rewritten.

Asked before the forget event is applied. Answers whole commits where only the instant of a change is kept, so a few
events too many, never one too few as long as events list only what changed (an attribute history or episode list that
repeats what stands would leave no trace here). The cost follows what is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator

from semurg.domain.redact import Gone
from semurg.projections.parts import Parts


def positions_holding(parts: Parts, gone: Gone) -> list[int]:
    """Log positions of the scope's events that may hold what is gone, ascending."""
    timeline = parts.timeline
    events = set(_events_holding(parts, gone))
    for instant in set(_instants_holding(parts, gone)):
        events.update(timeline.events_at(instant))
    return sorted(map(timeline.position_of, events))


def _events_holding(parts: Parts, gone: Gone) -> Iterator[int]:
    for fact in gone.facts:
        yield from parts.facts.statements.events_of(fact)
    for document in gone.documents | gone.unlabelled:
        yield from parts.documents.events_of(document)
    for passage in gone.passages:
        yield from parts.passages.events_of(passage)
        yield from parts.mentions.events_of_passage(passage)
    for entity in gone.entities:
        yield from parts.mentions.events_of_entity(entity)
    for assertion in gone.assertions:
        yield from parts.assertions.events_of(assertion)


def _instants_holding(parts: Parts, gone: Gone) -> Iterator[int]:
    attributes = parts.attributes
    for entity in gone.entities:
        yield from parts.names.instants_of(entity)
        for number in attributes.of_owner(False, entity):
            yield from attributes.instants_of(number)
    for fact in gone.facts:
        yield from parts.facts.instants_of(fact)
        for number in attributes.of_owner(True, fact):
            yield from attributes.instants_of(number)
    for number in gone.attributes:
        yield from attributes.instants_of(number)
