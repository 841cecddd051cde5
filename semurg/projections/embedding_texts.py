"""Which texts of a scope get a vector: what is said in a passage, the name of an entity, a fact as a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from semurg.domain.spoken import spoken
from semurg.projections.parts import Parts
from semurg.projections.vectors import Embedded


def text_of(parts: Parts, kind: Embedded, number: int) -> str | None:
    """The text that the vector of a thing is made of; None when the thing is forgotten or was never recorded."""
    if kind is Embedded.PASSAGE:
        if not parts.passages.is_live(number):
            return None
        text = parts.passages.text(number)
        return text[spoken(text).start :]
    if kind is Embedded.ENTITY:
        return parts.names.name(number) if parts.names.is_live(number) else None
    triple = parts.facts.triple(number) if 0 <= number < len(parts.facts) else None
    if triple is None:
        return None
    source, type_id, target = triple
    names = parts.names
    if not (names.is_live(source) and names.is_live(target)):
        return None
    return f"{names.name(source)} {in_words(parts.facts.types.text(type_id))} {names.name(target)}"


def in_words(relation: str) -> str:
    """A relation type as it would be said: WORKS_AT as `works at`, isPartOf as `is Part Of`."""
    spaced = relation.replace("_", " ").replace("-", " ")
    if spaced.isupper():
        return spaced.lower()
    apart = [
        f" {letter}" if letter.isupper() and before.islower() else letter
        for before, letter in zip(f" {spaced}", spaced, strict=False)
    ]
    return "".join(apart).strip()


def without_vector(parts: Parts, kind: Embedded, most: int, horizon: int) -> Iterator[int]:
    """Up to `most` things of a kind that have no vector yet, by number, among events below the horizon.

    Moves the mark up to which the kind was looked at.
    """
    count = _numbers(parts)
    number, found = parts.vectors.reached(kind), 0
    while number < count[kind] and found < most:
        if _known(parts, kind, number) >= horizon:
            break
        if not parts.vectors.has(kind, number) and text_of(parts, kind, number) is not None:
            found += 1
            yield number
        number += 1
    parts.vectors.reach(kind, number)


def waiting(parts: Parts) -> int:
    """How many things have no vector yet."""
    live = {Embedded.PASSAGE: parts.passages.live, Embedded.ENTITY: parts.names.live, Embedded.FACT: parts.facts.live}
    return sum(max(0, count - parts.vectors.count(kind)) for kind, count in live.items())


def _numbers(parts: Parts) -> dict[Embedded, int]:
    """By kind, the number that the next thing of it will have."""
    return {Embedded.PASSAGE: len(parts.passages), Embedded.ENTITY: len(parts.names), Embedded.FACT: len(parts.facts)}


def _known(parts: Parts, kind: Embedded, number: int) -> int:
    """The event that brought a thing; of an entity, that of its first statement."""
    if kind is Embedded.PASSAGE:
        return parts.passages.events_of(number)[0]
    if kind is Embedded.FACT:
        return parts.facts.event_of(number)
    instants = parts.names.instants_of(number)
    return parts.timeline.events_at(instants[0]).start if instants else -1
