"""The texts of one call: which are new, which entities they name, and the sentence that each fact can quote."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from semurg.domain.commands import DocumentInput, PassageInput
from semurg.domain.draft_entities import EntitiesDraft, NameLookup
from semurg.domain.errors import Refusal, quoted
from semurg.domain.events import DocumentsLabelled, DocumentsStored, PassagesLinked, StoredDocument, StoredPassage
from semurg.domain.linking import NormalText, find_occurrences, locate
from semurg.domain.view import MemoryView, Occurrence, PassageView


class Span(NamedTuple):
    """A sentence of a stored text: its document and passage, code points [start, end) of the document's text."""

    document: int
    passage: int
    start: int
    end: int


NO_SPAN_PASSAGE = -1


class LinkedPassage(NamedTuple):
    """A passage with every place where it names an entity, in order."""

    document: int
    passage: PassageView
    occurrences: list[Occurrence]


class TextsDraft:
    """The documents of one call, stored ones included, linked to the entities they name."""

    def __init__(self, view: MemoryView, entities: EntitiesDraft, label: str | None) -> None:
        self._view = view
        self._entities = entities
        self._label = label
        self._stored: list[StoredDocument] = []
        self._labelled: list[int] = []
        self._links: list[tuple[int, Occurrence]] = []
        self.documents: list[int] = []
        self.passages: list[LinkedPassage] = []
        self.mentions = 0
        self.unlinked = 0
        self._next_document = view.next_document
        self._next_passage = view.next_passage
        self._numbers: dict[bytes, int] = {}

    @cached_property
    def _names(self) -> NameLookup:
        """Made for the first text: most calls have none."""
        return NameLookup(self._view, self._entities)

    @cached_property
    def _sent(self) -> set[int]:
        """The entities that the call names."""
        return set(self._entities.number.values())

    def add_all(self, documents: Sequence[DocumentInput]) -> None:
        """Take in the documents of the call; one sent twice is one, with the mentions of both."""
        unique: dict[bytes, DocumentInput] = {}
        for document in documents:
            before = unique.get(document.digest)
            unique[document.digest] = document if before is None else _with_mentions_of(before, document)
        for document in unique.values():
            self._add(document)
        self.documents = [self._numbers[document.digest] for document in documents]

    def _add(self, document: DocumentInput) -> None:
        number = self._view.document_by_digest(document.digest)
        if number < 0:
            number = self._next_document
            self._next_document += 1
            self._store(number, document)
        else:
            self._recognise(number, document)
        self._numbers[document.digest] = number

    def _store(self, number: int, document: DocumentInput) -> None:
        passages = []
        for passage in document.passages:
            occurrences = self._occurrences(passage.text)
            first = self._first_of_each(passage, occurrences)
            stored = PassageView(self._next_passage, passage.start, passage.text, passage.sentences)
            self._next_passage += 1
            self.passages.append(LinkedPassage(number, stored, sorted({*occurrences, *first}, key=_by_place)))
            self._count(len(first))
            passages.append(
                StoredPassage(
                    number=stored.number,
                    start=passage.start,
                    text=passage.text,
                    sentences=list(passage.sentences),
                    mentions=[value for occurrence in first for value in occurrence],
                    date=passage.date.text if passage.date else None,
                    key=passage.key,
                )
            )
        date = document.date.text if document.date else None
        self._stored.append(
            StoredDocument(number, document.digest, document.kind, document.length, passages, date, self._label)
        )

    def _recognise(self, number: int, document: DocumentInput) -> None:
        """A stored text sent again: it may gain a label, and links to entities of this call, and nothing else."""
        if self._label is not None and self._label not in self._view.document_labels(number):
            self._labelled.append(number)
        declared = {name.key: name for passage in document.passages for name in passage.mentions}
        for passage in self._view.passages_of(number):
            occurrences = self._occurrences(passage.text)
            normal = NormalText(passage.text) if declared else ""
            spans = ((self._entities.number[name.key], locate(normal, name)) for name in declared.values())
            named = [Occurrence(entity, *span) for entity, span in spans if span is not None]
            linked: dict[int, Occurrence | None] = dict.fromkeys(self._view.passage_entities(passage.number))
            for occurrence in sorted([*occurrences, *named], key=_by_place):
                if occurrence.entity in linked:
                    continue
                if occurrence.entity in self._sent:
                    linked[occurrence.entity] = occurrence
                    self._links.append((passage.number, occurrence))
            self.passages.append(LinkedPassage(number, passage, sorted({*occurrences, *named}, key=_by_place)))
            self._count(len(linked))

    def _occurrences(self, text: str) -> list[Occurrence]:
        return find_occurrences(text, self._names.lengths, self._names.lookup)

    def _first_of_each(self, passage: PassageInput, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
        """The first occurrence of each entity that the passage names or the caller listed, by place in the text."""
        first: dict[int, Occurrence] = {}
        for occurrence in occurrences:
            first.setdefault(occurrence.entity, occurrence)
        normal: NormalText | None = None
        for index, name in enumerate(passage.mentions):
            entity = self._entities.number[name.key]
            if entity in first:
                continue
            normal = normal or NormalText(passage.text)
            span = locate(normal, name)
            if span is None:
                raise Refusal(
                    "mention_not_in_text",
                    f"Mention {index}, {quoted(name.text)}, does not occur in its passage, {quoted(passage.text)}.",
                    "List only names that the passage's text holds (letter case aside).",
                    index=index,
                )
            first[entity] = Occurrence(entity, *span)
        return sorted(first.values(), key=_by_place)

    def _count(self, linked: int) -> None:
        self.mentions += linked
        self.unlinked += not linked

    def events(self) -> list[DocumentsStored | DocumentsLabelled | PassagesLinked]:
        """What is new about texts."""
        events: list[DocumentsStored | DocumentsLabelled | PassagesLinked] = []
        if self._stored:
            events.append(DocumentsStored(documents=self._stored))
        if self._labelled and self._label is not None:
            events.append(DocumentsLabelled(documents=self._labelled, labels=[self._label] * len(self._labelled)))
        if self._links:
            events.append(
                PassagesLinked(
                    passages=[passage for passage, _ in self._links],
                    entities=[occurrence.entity for _, occurrence in self._links],
                    starts=[occurrence.start for _, occurrence in self._links],
                    ends=[occurrence.end for _, occurrence in self._links],
                )
            )
        return events


def linked_passages(view: MemoryView, entities: EntitiesDraft, documents: Iterable[int]) -> list[LinkedPassage]:
    """The passages of stored documents with the places where they name entities, for facts that attach to them."""
    names = NameLookup(view, entities)
    return [
        LinkedPassage(document, passage, find_occurrences(passage.text, names.lengths, names.lookup))
        for document in documents
        for passage in view.passages_of(document)
    ]


class QuotedSentences:
    """Which sentence of the call's texts names which entities: what a fact cites.

    A fact's span is the first sentence that names both ends, else the first that names its source, else its target.
    """

    def __init__(self, passages: Iterable[LinkedPassage]) -> None:
        self._spans: list[Span] = []
        self._naming: dict[int, list[int]] = {}
        for document, passage, occurrences in passages:
            sentence_ids: dict[int, int] = {}
            for occurrence in occurrences:
                place = bisect_right(passage.sentences, occurrence.start) - 1
                if place not in sentence_ids:
                    sentence_ids[place] = len(self._spans)
                    self._spans.append(_sentence_span(document, passage, place))
                naming = self._naming.setdefault(occurrence.entity, [])
                if not naming or naming[-1] != sentence_ids[place]:
                    naming.append(sentence_ids[place])
        self._sets: dict[int, frozenset[int]] = {}

    def document_naming(self, entity: int) -> int | None:
        """The first document that names the entity."""
        naming = self._naming.get(entity)
        return self._spans[naming[0]].document if naming else None

    def for_fact(self, source: int, target: int) -> Span | None:
        """The sentence that the fact between the two can quote."""
        at_source, at_target = self._naming.get(source), self._naming.get(target)
        if at_source and at_target:
            few, many = sorted(((source, at_source), (target, at_target)), key=lambda side: len(side[1]))
            among = self._sets.setdefault(many[0], frozenset(many[1]))
            both = next((sentence for sentence in few[1] if sentence in among), None)
            if both is not None:
                return self._spans[both]
        one = at_source or at_target
        return self._spans[one[0]] if one else None


def _sentence_span(document: int, passage: PassageView, place: int) -> Span:
    """Sentence number `place` of the passage, without the white space around it."""
    start = passage.sentences[place]
    end = passage.sentences[place + 1] if place + 1 < len(passage.sentences) else len(passage.text)
    sentence = passage.text[start:end]
    start += len(sentence) - len(sentence.lstrip())
    end = start + len(sentence.strip())
    return Span(document, passage.number, passage.start + start, passage.start + end)


def _with_mentions_of(document: DocumentInput, again: DocumentInput) -> DocumentInput:
    """The document with what its repetition lists besides; both have the same text."""
    passages = tuple(
        msgspec.structs.replace(one, mentions=tuple(dict.fromkeys([*one.mentions, *other.mentions])))
        for one, other in zip(document.passages, again.passages, strict=True)
    )
    return msgspec.structs.replace(document, passages=passages)


def _by_place(occurrence: Occurrence) -> tuple[int, int, int]:
    return occurrence.start, occurrence.end, occurrence.entity
