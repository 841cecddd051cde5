"""What an event of the log says, in words: the names behind its numbers are those of the events before it.

Called by `semurg log`, which hands over a stream's events in order. A name that is forgotten since is in no event any
more and is told by its number. Pure: events in, text out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from semurg.domain.events import (
    AssertionsCited,
    AttributeEpisode,
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
    NodeFounded,
    PassagesLinked,
    ScopeForgotten,
    ScopeOpened,
    StoredDocument,
    TokenIssued,
    TokenRevoked,
    UserDeleted,
)
from semurg.domain.instants import format_bound, format_instant
from semurg.domain.values import load
from semurg.eventlog.codec import Erased
from semurg.eventlog.protocol import Recorded

EXCERPT_CHARS = 80


class Place(NamedTuple):
    """Whose scope a stream is; `user` is "" for the owner's own partition."""

    user: str
    scope: str


class _Names:
    """What the numbers of one scope stand for."""

    def __init__(self) -> None:
        self.entities: dict[int, str] = {}
        self.facts: dict[int, str] = {}
        self.sources: dict[int, str] = {}

    def entity(self, number: int) -> str:
        return self.entities.get(number, f"[entity {number}, forgotten]")

    def fact(self, number: int) -> str:
        return self.facts.get(number, f"[fact {number}, forgotten]")

    def source(self, reference: int) -> str:
        other = f"document {reference}" if reference >= 0 else "no named source"
        return self.sources.get(reference, other)


class History:
    """Tells events, each after those before it in its stream. `places` are the scopes seen so far, by stream."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self._names: dict[str, _Names] = {}
        self._tokens: dict[str, str] = {}
        self._tellers: dict[type[Event], Callable[[Any, _Names], Iterator[str]]] = {
            EntitiesRecorded: _entities,
            AssertionsCited: _assertions,
            DocumentsStored: _documents,
            DocumentsLabelled: _labels,
            PassagesLinked: _links,
            FactsRecorded: _facts,
            AttributesRecorded: _attributes,
            EntityForgotten: _entity_forgotten,
            FactForgotten: _fact_forgotten,
            DocumentsForgotten: _documents_forgotten,
            AttributeForgotten: _attribute_forgotten,
            UserDeleted: _user_deleted,
            Erased: _erased,
            NodeFounded: _founded,
            TokenIssued: self._issued,
            TokenRevoked: self._revoked,
        }

    def tell(self, recorded: Recorded) -> list[str]:
        """What the event says, a sentence or part of one each."""
        event, stream = recorded.event, recorded.stream
        if isinstance(event, ScopeOpened):
            self.places[stream] = Place(event.user, event.scope)
            self._names[stream] = _Names()
            whose = f" of {event.user}" if event.user else ""
            return [f"scope {event.scope}{whose} is opened"]
        if isinstance(event, ScopeForgotten):
            self._names.pop(stream, None)
            self.places.pop(stream, None)
            return [f"the scope is forgotten with all that it held; {_rewritten(event)}"]
        teller = self._tellers.get(type(event))
        if teller is None:
            return []
        return list(teller(event, self._names.setdefault(stream, _Names())))

    def _issued(self, event: TokenIssued, names: _Names) -> Iterator[str]:
        self._tokens[event.digest] = event.name
        access = "owner" if event.owner else "read" if event.read_only else "write"
        where = "" if event.scopes is None else f", in {', '.join(event.scopes)}"
        until = "" if event.expires_at is None else f", until {format_instant(event.expires_at)}"
        whose = f", for {event.user}" if event.user else ""
        yield f"token {event.name} is issued ({access}{whose}{where}{until})"

    def _revoked(self, event: TokenRevoked, names: _Names) -> Iterator[str]:
        yield f"token {self._tokens.get(event.digest, event.digest[:12])} is revoked"


# What was said


def _founded(event: NodeFounded, names: _Names) -> Iterator[str]:
    yield f"node {event.node} is founded"


def _entities(event: EntitiesRecorded, names: _Names) -> Iterator[str]:
    names.entities.update(zip(event.numbers, event.names, strict=True))
    for name in event.names:
        yield f"{name} is named"
    for number, given in zip(event.typed, event.types, strict=True):
        yield f"{names.entity(number)} is a {given}"


def _assertions(event: AssertionsCited, names: _Names) -> Iterator[str]:
    for number, label, date in zip(event.numbers, event.labels, event.dates, strict=True):
        told = ", ".join(one for one in (label, date) if one) or "a source without a name"
        names.sources[-1 - number] = told
        yield f"source: {told}"


def _documents(event: DocumentsStored, names: _Names) -> Iterator[str]:
    for document in event.documents:
        told = ", ".join(one for one in (document.label, document.date) if one)
        names.sources[document.number] = told or f"document {document.number}"
        count = len(document.passages)
        about = f" of {count} passages" if count != 1 else ""
        yield f"document {document.number}{about}{f' from {told}' if told else ''}: {_excerpt(document)}"


def _excerpt(document: StoredDocument) -> str:
    if not document.passages:
        return "nothing of its text is left"
    text = " ".join(document.passages[0].text.split())
    return f"“{text}”" if len(text) <= EXCERPT_CHARS else f"“{text[:EXCERPT_CHARS].rstrip()}…”"


def _labels(event: DocumentsLabelled, names: _Names) -> Iterator[str]:
    for document, label in zip(event.documents, event.labels, strict=True):
        yield f"document {document} is also from {label}"


def _links(event: PassagesLinked, names: _Names) -> Iterator[str]:
    for passage, entity in zip(event.passages, event.entities, strict=True):
        yield f"passage {passage} also names {names.entity(entity)}"


def _facts(event: FactsRecorded, names: _Names) -> Iterator[str]:
    for number, source, type_, target in zip(event.numbers, event.sources, event.types, event.targets, strict=True):
        names.facts[number] = f"{names.entity(source)} {event.type_names[type_]} {names.entity(target)}"
    stated = dict(zip(event.stated, event.stated_by, strict=True))
    first = 0
    for fact, count in zip(event.changed, event.episodes, strict=True):
        bounds = zip(event.episode_from[first : first + count], event.episode_to[first : first + count], strict=True)
        first += count
        held = " and ".join(_interval(start, end) for start, end in bounds) if count else "holds at no time"
        said = f" ({names.source(stated[fact])})" if fact in stated else ""
        yield " ".join(part for part in (names.fact(fact), held) if part) + said
    for fact in stated.keys() - set(event.changed):
        yield f"{names.fact(fact)}, said again ({names.source(stated[fact])})"


def _attributes(event: AttributesRecorded, names: _Names) -> Iterator[str]:
    for history in event.histories:
        owner = names.fact(history.owner) if history.on_fact else names.entity(history.owner)
        for episode in history.episodes:
            when = _interval(episode.valid_from, episode.valid_to)
            yield f"{owner}: {history.key} = {_value(episode)}{' ' if when else ''}{when}"


def _value(episode: AttributeEpisode) -> str:
    return ", ".join(load(episode.value).texts)


def _interval(start: int, end: int) -> str:
    """From when to when; nothing for what holds always."""
    began, ended = format_bound(start), format_bound(end)
    return " ".join(part for part in (began and f"from {began}", ended and f"to {ended}") if part)


# What was forgotten


def _entity_forgotten(event: EntityForgotten, names: _Names) -> Iterator[str]:
    names.entities.pop(event.entity, None)
    for fact in event.facts:
        names.facts.pop(fact, None)
    yield f"entity {event.entity} is forgotten, with {_counted(event.facts, 'fact')}, " + (
        f"{_counted(event.passages, 'passage')} and {_counted(event.documents, 'document')}; {_rewritten(event)}"
    )


def _fact_forgotten(event: FactForgotten, names: _Names) -> Iterator[str]:
    names.facts.pop(event.fact, None)
    yield f"fact {event.fact} is forgotten; {_rewritten(event)}"


def _documents_forgotten(event: DocumentsForgotten, names: _Names) -> Iterator[str]:
    label = " and the label" if event.source_hash is not None else ""
    documents, passages = _counted(event.documents, "document"), _counted(event.passages, "passage")
    yield f"{documents} with {passages}{label} are forgotten; {_rewritten(event)}"


def _attribute_forgotten(event: AttributeForgotten, names: _Names) -> Iterator[str]:
    yield f"attribute {event.number} is forgotten, all its values; {_rewritten(event)}"


def _user_deleted(event: UserDeleted, names: _Names) -> Iterator[str]:
    yield f"an end user is deleted, with {_counted(event.tokens, 'token')}; {_rewritten(event)}"


def _erased(event: Erased, names: _Names) -> Iterator[str]:
    yield "erased"


def _rewritten(event: Any) -> str:
    """How many earlier payloads a forget event rewrote."""
    return f"{_counted(event.redactions, 'payload')} rewritten"


def _counted(things: list[Any], what: str) -> str:
    return f"{len(things):,} {what}" + ("" if len(things) == 1 else "s")
