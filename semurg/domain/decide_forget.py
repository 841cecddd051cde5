"""memory_forget: what goes with the thing that is forgotten, decided on the newest state.

The events carry numbers and keyed hashes, never the forgotten text: they stay in the log when the text is erased.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from semurg.domain.commands import (
    Forget,
    ForgetAttribute,
    ForgetFact,
    ForgetPassage,
    ForgetSource,
    ForgetSubject,
    Name,
)
from semurg.domain.decide_remember import Decision
from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import AttributeForgotten, DocumentsForgotten, EntityForgotten, FactForgotten, ScopeForgotten
from semurg.domain.ids import Kind, decode_id, encode_id
from semurg.domain.limits import SUGGESTIONS_MAX
from semurg.domain.names import is_stop_word, words
from semurg.domain.view import MemoryView, following_numbers

Hash = Callable[..., str]
"""A keyed hash of (kind, parts…), stable on this node and of no use without its key."""

PASSAGES_RETAINED_WHY = (
    "These passages hold a word of the name but were never linked to the entity; forget them by passage or by source."
)


def decide_forget(view: MemoryView, command: Forget, keyed: Hash) -> Decision:
    """What a forget takes away. Raises Refusal not_found, with close names, for what never existed."""
    if not view.exists:
        raise _not_found("The scope holds nothing of that kind: it does not exist.")
    match command:
        case ForgetSubject():
            return _forget_subject(view, command, keyed)
        case ForgetFact():
            return _forget_fact(view, command, keyed)
        case ForgetPassage():
            return _forget_passage(view, command, keyed)
        case ForgetSource():
            return _forget_source(view, command, keyed)
        case ForgetAttribute():
            return _forget_attribute(view, command, keyed)
        case _:
            return _forget_all(view)


def _forget_subject(view: MemoryView, command: ForgetSubject, keyed: Hash) -> Decision:
    name = command.subject
    key_hash = keyed("entity", name.key)
    (entity,) = view.entities_by_key([name.key])
    if entity < 0:
        if view.was_forgotten(key_hash):
            return _already()
        raise _not_found(f"No entity is called {quoted(name.text)}.", view, name)
    facts, passages = view.facts_touching(entity), view.passages_linked_to(entity)
    going = set(passages)
    touched = sorted({view.passage_document(passage) for passage in passages})
    emptied = [one for one in touched if going.issuperset(view.passage_numbers(one))]
    going_whole = set(emptied)
    retained = [document for document in touched if document not in going_whole]
    name_words = [word for word in words(name.key) if not is_stop_word(word)]
    left = view.passages_with_any_word(name_words, passages) if name_words else 0
    reply = {
        "facts": len(facts),
        "passages_hidden": len(passages),
        "documents": len(emptied),
        "documents_retained": [encode_id(view.number, Kind.DOCUMENT, document) for document in retained],
        "passages_retained": left,
        "passages_retained_why": PASSAGES_RETAINED_WHY if left else None,
    }
    assertions = view.assertions_of_nothing_else([entity], facts, [])
    event = EntityForgotten(key_hash, entity, facts, passages, emptied, assertions=assertions)
    return _forgotten(view, event, reply)


def _forget_fact(view: MemoryView, command: ForgetFact, keyed: Hash) -> Decision:
    key_hash = keyed("fact", command.source.key, command.type, command.target.key)
    source, target = view.entities_by_key([command.source.key, command.target.key])
    (fact,) = view.facts_by_triple([source], [command.type], [target])
    if fact >= 0:
        assertions = view.assertions_of_nothing_else([], [fact], [])
        return _forgotten(view, FactForgotten(key_hash, fact, assertions=assertions), {"facts": 1})
    if view.was_forgotten(key_hash) or _an_end_was_forgotten(view, command, keyed, source, target):
        return _already()
    unknown = command.source if source < 0 else command.target
    text = f"{command.source.text} {command.type} {command.target.text}"
    raise _not_found(f"No fact says {quoted(text)}.", view, unknown if source < 0 or target < 0 else None)


def _an_end_was_forgotten(view: MemoryView, command: ForgetFact, keyed: Hash, source: int, target: int) -> bool:
    """The facts of a forgotten entity went with it."""
    ends = ((source, command.source), (target, command.target))
    return any(number < 0 and view.was_forgotten(keyed("entity", name.key)) for number, name in ends)


def _forget_passage(view: MemoryView, command: ForgetPassage, keyed: Hash) -> Decision:
    scope, kind, document = decode_id(command.doc_id)
    if (scope, kind) != (view.number, Kind.DOCUMENT) or document >= view.next_document:
        raise _not_found(f"No document here has the id {quoted(command.doc_id)}.")
    if not view.document_is_live(document):
        return _already()
    passages = view.passage_numbers(document)
    event = DocumentsForgotten(keyed("document", command.doc_id), [document], passages)
    return _forgotten(view, event, {"documents": 1, "passages": len(passages), "facts_kept": True})


def _forget_source(view: MemoryView, command: ForgetSource, keyed: Hash) -> Decision:
    key_hash = keyed("source", command.label)
    under, assertions = view.documents_under(command.label), view.assertions_under(command.label)
    if not under and not assertions:
        if view.was_forgotten(key_hash):
            return _already()
        raise _not_found(f"Nothing is stored under the source {quoted(command.label)}.")
    kept = [document for document in under if len(view.document_labels(document)) > 1]
    staying = set(kept)
    going = [document for document in under if document not in staying]
    passages = [passage for document in going for passage in view.passage_numbers(document)]
    event = DocumentsForgotten(key_hash, going, passages, key_hash, kept, assertions)
    reply = {
        "documents": len(going),
        "passages": len(passages),
        "documents_kept": [encode_id(view.number, Kind.DOCUMENT, document) for document in kept],
        "facts_kept": True,
    }
    return _forgotten(view, event, reply)


def _forget_attribute(view: MemoryView, command: ForgetAttribute, keyed: Hash) -> Decision:
    name = command.subject
    key_hash = keyed("attribute", name.key, command.key)
    (entity,) = view.entities_by_key([name.key])
    number = view.attribute(False, entity, command.key) if entity >= 0 else -1
    if number >= 0:
        values = len(view.attribute_episodes(number))
        assertions = view.assertions_of_nothing_else([], [], [number])
        return _forgotten(view, AttributeForgotten(key_hash, number, assertions=assertions), {"values": values})
    gone_with_subject = entity < 0 and view.was_forgotten(keyed("entity", name.key))
    if gone_with_subject or view.was_forgotten(key_hash):
        return _already()
    if entity < 0:
        raise _not_found(f"No entity is called {quoted(name.text)}.", view, name)
    raise _not_found(f"{quoted(name.text)} has no attribute {quoted(command.key)}.")


def _forget_all(view: MemoryView) -> Decision:
    reply = {
        "entities": view.live_entities,
        "facts": view.live_facts,
        "documents": view.live_documents,
        "passages": view.live_passages,
    }
    return _forgotten(view, ScopeForgotten(view.number), reply)


Forgotten = EntityForgotten | FactForgotten | DocumentsForgotten | AttributeForgotten | ScopeForgotten


def _forgotten(view: MemoryView, event: Forgotten, reply: dict[str, Any]) -> Decision:
    event = msgspec.structs.replace(event, following=following_numbers(view))
    return Decision((event,), {"ok": True, "already_forgotten": False, **reply})


def _already() -> Decision:
    return Decision((), {"ok": True, "already_forgotten": True})


def _not_found(detail: str, view: MemoryView | None = None, name: Name | None = None) -> Refusal:
    near = view.close_names(name.key, SUGGESTIONS_MAX) if view is not None and name is not None else []
    fix = "Names are exact here; look the thing up with recall first."
    return Refusal("not_found", detail, fix, did_you_mean=near)
