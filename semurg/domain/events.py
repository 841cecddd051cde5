"""Every event semurg records: what was decided, never what must still be worked out.

Frozen, versioned structs. Replay applies them without a clock, a model, a random source or a look-up of names. Lists
of equal length side by side ("columns") keep a bulk remember to a few events that numpy takes over whole.

Numbers are ordinals within the scope (entity, fact, document, passage, assertion) and are never used again.
A *source reference* is one integer: document d is d, assertion a is -1 - a.
Instants are int64 microseconds since 1970 UTC; UNKNOWN_START and NO_END (domain.instants) stand for open bounds.
Text offsets are Unicode code points.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """What every event has: a kind (its tag) and the version of its schema."""

    VERSION: ClassVar[int] = 1


class NodeFounded(Event, frozen=True, tag="node_founded"):
    """First event of a log. `node` is a random id of the node, hex."""

    node: str


class TokenIssued(Event, frozen=True, tag="token_issued"):
    """A bearer token may be used from now on. `digest` is SHA-256 of the secret, hex; the secret is nowhere."""

    digest: str
    name: str
    owner: bool = False
    user: str | None = None
    read_only: bool = False
    scopes: list[str] | None = None
    expires_at: int | None = None


class TokenRevoked(Event, frozen=True, tag="token_revoked"):
    """The token with this digest is refused from now on."""

    digest: str


class ScopeOpened(Event, frozen=True, tag="scope_opened"):
    """First event of a scope's stream. `user` is "" for the owner's partition; `number` is part of every id in it."""

    user: str
    scope: str
    number: int


class EntitiesRecorded(Event, frozen=True, tag="entities_recorded"):
    """New entities (`numbers`, `names`, `sources` side by side); newly given types (`typed`, `types` side by side)."""

    numbers: list[int] = []
    names: list[str] = []
    sources: list[int] = []
    typed: list[int] = []
    types: list[str] = []


class AssertionsCited(Event, frozen=True, tag="assertions_cited"):
    """New sources without text: assertion `numbers` with label and date (canonical text), each or both None."""

    numbers: list[int]
    labels: list[str | None]
    dates: list[str | None]


class StoredPassage(msgspec.Struct, frozen=True, array_like=True):
    """One passage: an exact slice of its document's text from code point `start`.

    `sentences` are the starts of its sentences, relative to the passage, the first is 0. `mentions` are flattened
    triples (entity number, start, end), relative to the passage: the first occurrence of each entity it names.
    """

    number: int
    start: int
    text: str
    sentences: list[int]
    mentions: list[int] = []
    date: str | None = None
    key: str | None = None


class StoredDocument(msgspec.Struct, frozen=True, array_like=True):
    """A text as it was stored. `digest` is 16 bytes over (text, date); emptied when a part of the text is forgotten."""

    number: int
    digest: bytes
    kind: str
    length: int
    passages: list[StoredPassage]
    date: str | None = None
    label: str | None = None


class DocumentsStored(Event, frozen=True, tag="documents_stored"):
    """New documents with their passages and the entities these name."""

    documents: list[StoredDocument]


class DocumentsLabelled(Event, frozen=True, tag="documents_labelled"):
    """Stored documents that were sent again under a further label."""

    documents: list[int]
    labels: list[str]


class PassagesLinked(Event, frozen=True, tag="passages_linked"):
    """Stored passages that a later call links to further entities; offsets as in StoredPassage.mentions."""

    passages: list[int]
    entities: list[int]
    starts: list[int]
    ends: list[int]


class FactsRecorded(Event, frozen=True, tag="facts_recorded"):
    """What a call changed about facts; three tables side by side.

    New facts: `numbers`, `sources` (entity), `types` (index into `type_names`), `targets` (entity).
    Statements, who asserted which fact and what it said of its validity: `stated` (fact), `stated_by` (source
    reference), `stated_from`, `stated_to`, and the quoted sentence as `span_passage` (-1: none), `span_start`,
    `span_end` (code points of the document's text). `replacing` are the places in `stated` of those that came with
    `replaces`.
    Validity: for each fact in `changed`, its complete list of episodes as decided: `episodes` (how many), and that many
    entries of `episode_from`, `episode_to`, in order of time. Episodes that stand unchanged are listed again.
    """

    type_names: list[str] = []
    numbers: list[int] = []
    sources: list[int] = []
    types: list[int] = []
    targets: list[int] = []
    stated: list[int] = []
    stated_by: list[int] = []
    stated_from: list[int] = []
    stated_to: list[int] = []
    span_passage: list[int] = []
    span_start: list[int] = []
    span_end: list[int] = []
    changed: list[int] = []
    episodes: list[int] = []
    episode_from: list[int] = []
    episode_to: list[int] = []
    replacing: list[int] = []


class AttributeEpisode(msgspec.Struct, frozen=True, array_like=True):
    """One value over one interval. `value` is the stored form of domain.values; `source` a source reference."""

    valid_from: int
    valid_to: int
    value: str
    source: int


class AttributeHistory(msgspec.Struct, frozen=True, array_like=True):
    """The complete decided history of one key of one owner, in order of time. `on_fact`: the owner is a fact.

    `number` is the ordinal of this (owner, key) in the scope; a key forgotten and set again gets a new one.
    """

    number: int
    on_fact: bool
    owner: int
    key: str
    episodes: list[AttributeEpisode]


class AttributesRecorded(Event, frozen=True, tag="attributes_recorded"):
    """Attribute keys whose history changed."""

    histories: list[AttributeHistory]


class Redaction(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An earlier event whose payload a forget rewrote: its position and the digest of what is left."""

    position: int
    digest: bytes


# In every forget event `following` holds the next unused numbers (entity, fact, document, passage, assertion,
# attribute) as they were: a rebuild from erased payloads must not give a number out again. `assertions` are sources
# without text that nothing cites any more: their labels go with what they were given for.


class EntityForgotten(Event, frozen=True, tag="entity_forgotten"):
    """An entity, its facts and its passages are gone, in every past state too. `key_hash` is a keyed hash of its name.

    `passages` are all that are linked to it; `documents` those that keep no passage and go whole.
    """

    key_hash: str
    entity: int
    facts: list[int]
    passages: list[int]
    documents: list[int]
    redactions: list[Redaction] = []
    following: list[int] = []
    assertions: list[int] = []


class FactForgotten(Event, frozen=True, tag="fact_forgotten"):
    """One fact is gone, all its episodes, sources and attributes."""

    key_hash: str
    fact: int
    redactions: list[Redaction] = []
    following: list[int] = []
    assertions: list[int] = []


class DocumentsForgotten(Event, frozen=True, tag="documents_forgotten"):
    """Whole documents are gone; with `source_hash` set, also the label: `unlabelled` documents stay without it."""

    key_hash: str
    documents: list[int]
    passages: list[int]
    source_hash: str | None = None
    unlabelled: list[int] = []
    assertions: list[int] = []
    redactions: list[Redaction] = []
    following: list[int] = []


class AttributeForgotten(Event, frozen=True, tag="attribute_forgotten"):
    """Every value of attribute `number` (one key of one entity) is gone, past ones too."""

    key_hash: str
    number: int
    redactions: list[Redaction] = []
    following: list[int] = []
    assertions: list[int] = []


class ScopeForgotten(Event, frozen=True, tag="scope_forgotten"):
    """The scope is gone with all that it held; a later write opens it afresh, with a new number."""

    number: int
    redactions: list[Redaction] = []
    following: list[int] = []


class UserDeleted(Event, frozen=True, tag="user_deleted"):
    """An end user is gone. `user_hash` is a keyed hash of the id; nothing here names the user or a scope.

    The streams of the user's scopes say ScopeForgotten in the same transaction; the redactions of all of them are here,
    with those of the events that issued `tokens` (digests), the tokens ever pinned to the user, which end.
    """

    user_hash: str
    tokens: list[str] = []
    redactions: list[Redaction] = []


ANY_EVENT = (
    NodeFounded
    | TokenIssued
    | TokenRevoked
    | ScopeOpened
    | EntitiesRecorded
    | AssertionsCited
    | DocumentsStored
    | DocumentsLabelled
    | PassagesLinked
    | FactsRecorded
    | AttributesRecorded
    | EntityForgotten
    | FactForgotten
    | DocumentsForgotten
    | AttributeForgotten
    | ScopeForgotten
    | UserDeleted
)
