"""Commands: what a caller asks to be changed, validated and normalised, with nothing decided yet.

Names arrive with their match key (domain.names.match_key), dates parsed (domain.instants), values canonical
(domain.values), text already cut into passages (semurg.documents). Decisions are in decide_*.py.
"""

from __future__ import annotations

import msgspec

from semurg.domain.instants import StatedDate
from semurg.domain.values import Value


class Name(msgspec.Struct, frozen=True):
    """A name as spelled, trimmed, and the key under which two spellings are one."""

    text: str
    key: str


class AttributeInput(msgspec.Struct, frozen=True):
    """One key and its value."""

    key: str
    value: Value


class EntityInput(msgspec.Struct, frozen=True):
    """An entity that the caller lists. `declared` entities come first; ends of relations and mentions follow."""

    name: Name
    types: tuple[str, ...] = ()
    attributes: tuple[AttributeInput, ...] = ()


class RelationInput(msgspec.Struct, frozen=True):
    """One relation to assert. `valid_from` and `valid_to` are instants in µs, None when not given."""

    source: Name
    type: str
    target: Name
    valid_from: int | None = None
    valid_to: int | None = None
    replaces: bool = False
    attributes: tuple[AttributeInput, ...] = ()


class PassageInput(msgspec.Struct, frozen=True):
    """One passage of a document: its place in the text, its sentence starts (relative), and what the caller listed."""

    start: int
    text: str
    sentences: tuple[int, ...]
    date: StatedDate | None = None
    key: str | None = None
    mentions: tuple[Name, ...] = ()


class DocumentInput(msgspec.Struct, frozen=True):
    """One text to store. `digest` is 16 bytes over (text, canonical date); `length` in code points."""

    digest: bytes
    kind: str
    length: int
    passages: tuple[PassageInput, ...]
    date: StatedDate | None = None


class Remember(msgspec.Struct, frozen=True):
    """Store texts and facts in one scope. `memory_relate` is the same with one relation and no text."""

    documents: tuple[DocumentInput, ...] = ()
    entities: tuple[EntityInput, ...] = ()
    relations: tuple[RelationInput, ...] = ()
    date: StatedDate | None = None
    source: str | None = None
    embeds: bool = False
    """Whether the node has a model that what is stored waits for."""


class ForgetSubject(msgspec.Struct, frozen=True):
    """Forget an entity by its exact name."""

    subject: Name


class ForgetFact(msgspec.Struct, frozen=True):
    """Forget one fact, all its episodes."""

    source: Name
    type: str
    target: Name


class ForgetPassage(msgspec.Struct, frozen=True):
    """Forget one document whole, by the id a reply gave."""

    doc_id: str


class ForgetSource(msgspec.Struct, frozen=True):
    """Forget every document under a label."""

    label: str


class ForgetAttribute(msgspec.Struct, frozen=True):
    """Forget every value of one key of one entity."""

    subject: Name
    key: str


class ForgetAll(msgspec.Struct, frozen=True):
    """Forget the scope."""


class DeleteUser(msgspec.Struct, frozen=True):
    """Forget every scope of one end user, and the user: the one on whose behalf the call is."""


Forget = ForgetSubject | ForgetFact | ForgetPassage | ForgetSource | ForgetAttribute | ForgetAll
