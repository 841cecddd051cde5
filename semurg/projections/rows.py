"""What the read primitives of a scope answer with: small tuples, no behaviour.

Queries read them; the projections fill them. Instants are int64 µs (domain.instants), offsets code points, numbers
ordinals within the scope. A source reference is document d as d, assertion a as -1 - a (domain.events).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Float32s = NDArray[np.float32]


class EntityRow(NamedTuple):
    """An entity: its name as first spelled, and the first statement of it."""

    name: str
    known_from: int
    position: int
    source: int


class FactColumns(NamedTuple):
    """Fields of fact rows side by side, one entry a row asked for. A row is one episode of a fact as once known."""

    fact: Int32s
    source: Int32s
    type: Int32s
    target: Int32s
    valid_from: Int64s
    valid_to: Int64s


class Statement(NamedTuple):
    """Who asserted a fact, when, and the sentence of a passage it rests on (`span_passage` -1: none).

    `span_start` and `span_end` count in the document's text. The passage may be forgotten by now.
    """

    source: int
    stated_from: int
    stated_to: int
    known_from: int
    position: int
    span_passage: int
    span_start: int
    span_end: int


class DerivedFact(NamedTuple):
    """A fact that follows from stored rows; `premises` are their rows in the order in which they chain."""

    rule: str
    source: int
    type: str
    target: int
    valid_from: int
    valid_to: int
    premises: tuple[int, ...]


class ValueRow(NamedTuple):
    """One value of an attribute over one interval, as known then. `value` in the stored form of domain.values."""

    valid_from: int
    valid_to: int
    known_from: int
    value: str
    source: int


class PassageRow(NamedTuple):
    """A live passage. `date` is its own date, else its document's; `sentences` are starts relative to the passage."""

    document: int
    start: int
    text: str
    key: str | None
    date: str | None
    valid_from: int
    known_from: int
    position: int
    sentences: tuple[int, ...]


class WordHits(NamedTuple):
    """Passages found by words, best first, of equal scores the lower number first; columns side by side.

    Bit i of `matched` says that the passage holds word i of the question's list; words from the 65th on have no bit.
    """

    passages: Int32s
    scores: Float32s
    matched: UInt64s


class DocumentRow(NamedTuple):
    """A document. When it is forgotten `alive` is False and every other field empty."""

    alive: bool
    kind: str
    date: str | None
    known_from: int
    position: int
    length: int


class Counts(NamedTuple):
    """How many there are of each."""

    entities: int
    facts: int
    documents: int
    passages: int


class TypeCount(NamedTuple):
    """A class of entities: its first spelling, its members, every spelling in use in the order first given."""

    type: str
    members: int
    spellings: list[str]


class NamedType(NamedTuple):
    """A type as first spelled, and entities that have it."""

    type: str
    members: list[int]


class RelationCount(NamedTuple):
    """One relation type, exactly as spelled, and how many facts have it."""

    type: str
    facts: int


class Ontology(NamedTuple):
    """Classes by members (most first), then spelling; relation types by facts (most first), then spelling."""

    types: list[TypeCount]
    relations: list[RelationCount]
