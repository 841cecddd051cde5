"""Documents and the labels under which they and textless assertions are stored.

Holds no text of a document: that is in projections.passages. A document is known from its event on until it is
forgotten; labels come later and go singly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np

from semurg.domain.events import AssertionsCited, DocumentsForgotten, StoredDocument
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.counted import CountedTexts
from semurg.projections.hashindex import HashIndex, content_hash, mix
from semurg.projections.rows import DocumentRow
from semurg.projections.timeline import Timeline

DIGEST_BYTES = 16
ERASED = -1
LABELS_STEP = 256
NO_DOCUMENT = DocumentRow(False, "", None, 0, 0, 0)


class Documents:
    """Every document of a scope by number; `ERASED` as its kind: it is forgotten, or was never recorded."""

    def __init__(self, timeline: Timeline, labels: CountedTexts, dates: CountedTexts) -> None:
        self._timeline = timeline
        self._labels = labels
        self._dates = dates
        self._kinds = CountedTexts()
        self.live = 0
        self._kind_ids = Column(np.int32)
        self._date_ids = Column(np.int32)
        self._lengths = Column(np.int32)
        self._events = Column(np.int32)
        self._digests = Column(np.uint8)
        self._by_digest = HashIndex()
        self._label_rows = Chains()
        self._label_documents = Column(np.int32)
        self._label_ids = Column(np.int32)
        self._label_events = Column(np.int32)
        self._under_label = Chains()

    def __len__(self) -> int:
        """The next unused number."""
        return len(self._kind_ids)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included; labels and dates not counted."""
        parts = (
            self._kinds, self._kind_ids, self._date_ids, self._lengths, self._events, self._digests, self._by_digest,
            self._label_rows, self._label_documents, self._label_ids, self._label_events, self._under_label,
        )  # fmt: skip
        return sum(part.nbytes for part in parts)

    # what events do

    def record(self, document: StoredDocument, event: int) -> None:
        """Take in a new document, without its passages."""
        number = document.number
        self.make_numbers(number + 1)
        self._kind_ids.cells[number] = self._kinds.take(document.kind)
        self._date_ids.cells[number] = self._dates.take_optional(document.date)
        self._lengths.cells[number] = document.length
        self._events.cells[number] = event
        if document.digest:
            start = number * DIGEST_BYTES
            self._digests.view[start : start + DIGEST_BYTES] = np.frombuffer(document.digest, dtype=np.uint8)
            self._by_digest.insert(content_hash(document.digest), number)
        if document.label is not None:
            self.give_label(number, document.label, event)
        self.live += 1

    def make_numbers(self, count: int) -> None:
        """Use up the numbers below `count`: those not recorded are erased."""
        missing = count - len(self._kind_ids)
        if missing > 0:
            self._kind_ids.fill(ERASED, missing)
            self._date_ids.fill(ERASED, missing)
            self._lengths.fill(0, missing)
            self._events.fill(0, missing)
            self._digests.fill(0, missing * DIGEST_BYTES)

    def give_label(self, number: int, label: str, event: int) -> None:
        """Store a document under a further label."""
        label_id = self._labels.take(label)
        self._label_rows.add(number)
        self._under_label.add(label_id)
        self._label_documents.append(number)
        self._label_ids.append(label_id)
        self._label_events.append(event)

    def take_labels_off(self, number: int, meant: Callable[[str], bool]) -> None:
        """Take those labels off a document that the predicate means."""
        for row in self._label_rows.rows(number):
            label_id = self._label_ids.cells[row]
            if label_id >= 0 and meant(self._labels.text(label_id)):
                self._erase_label(row)

    def _erase_label(self, row: int) -> None:
        self._labels.release(self._label_ids.cells[row])
        self._label_ids.cells[row] = self._label_documents.cells[row] = ERASED

    def drop_digest(self, number: int) -> None:
        """A document that lost a passage is no longer the text that it was stored as."""
        digest = self._digest(number)
        if any(digest):
            self._by_digest.remove(content_hash(digest), number)
            self._digests.view[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES] = 0

    def erase(self, number: int) -> None:
        """Forget a document, at every instant. Its passages are erased on their own."""
        if not self.is_live(number):
            return
        self.drop_digest(number)
        for row in self._label_rows.rows(number):
            if self._label_ids.cells[row] >= 0:
                self._erase_label(row)
        self._label_rows.drop(number)
        self._kinds.release(self._kind_ids.cells[number])
        self._dates.release_optional(self._date_ids.cells[number])
        self._kind_ids.cells[number] = self._date_ids.cells[number] = ERASED
        self._lengths.cells[number] = 0
        self.live -= 1

    def events_of(self, number: int) -> list[int]:
        """The events that brought a live document and its labels."""
        return [self._events.cells[number], *(self._label_events.cells[row] for row in self._label_rows.rows(number))]

    # what decisions and reads ask

    def is_live(self, number: int) -> bool:
        """Whether the number names a document that exists and is not forgotten."""
        return 0 <= number < len(self._kind_ids) and self._kind_ids.cells[number] != ERASED

    def _digest(self, number: int) -> bytes:
        return self._digests.view[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES].tobytes()

    def by_digest(self, digest: bytes) -> int:
        """The live document with this digest, -1 when there is none."""
        return next((one for one in self._by_digest.find_all(content_hash(digest)) if self._digest(one) == digest), -1)

    def labels(self, number: int, horizon: int | None = None) -> list[str]:
        """The labels still standing, in the order given; with a horizon, only those that an event below it gave."""
        ids, events = self._label_ids.cells, self._label_events.cells
        return [
            self._labels.text(ids[row])
            for row in self._label_rows.rows(number)
            if ids[row] >= 0 and (horizon is None or events[row] < horizon)
        ]

    def under(self, label: str) -> list[int]:
        """Live documents under the label, ascending."""
        label_id = self._labels.find(label)
        documents = self._label_documents.view[self._under_label.array(label_id)]
        return np.unique(documents[documents >= 0]).tolist()  # type: ignore[no-any-return]

    def length(self, number: int) -> int:
        """Code points of a live document."""
        return int(self._lengths.cells[number])

    def date(self, number: int) -> str | None:
        """The date of a live document, as canonical text."""
        return self._dates.text_optional(self._date_ids.cells[number])

    def row(self, number: int) -> DocumentRow:
        """What is kept of a document; NO_DOCUMENT when it is forgotten or was never recorded."""
        if not self.is_live(number):
            return NO_DOCUMENT
        event = self._events.cells[number]
        return DocumentRow(
            True,
            self._kinds.text(self._kind_ids.cells[number]),
            self.date(number),
            self._timeline.instant_of(event),
            self._timeline.position_of(event),
            self._lengths.cells[number],
        )

    def count(self, horizon: int) -> int:
        """How many live documents an event below the horizon brought."""
        return int(np.count_nonzero((self._events.view < horizon) & (self._kind_ids.view != ERASED)))


class Assertions:
    """Sources without text: each a label and a date, each or both None."""

    def __init__(self, labels: CountedTexts, dates: CountedTexts) -> None:
        self._labels = labels
        self._dates = dates
        self._label_ids = Column(np.int32)
        self._date_ids = Column(np.int32)
        self._events = Column(np.int32)
        self._by_both = HashIndex()
        self._under_label = Chains()
        self._chained = Column(np.int32)

    def __len__(self) -> int:
        """The next unused number."""
        return len(self._label_ids)

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included; labels and dates not counted."""
        parts = (self._label_ids, self._date_ids, self._events, self._by_both, self._under_label, self._chained)
        return sum(part.nbytes for part in parts)

    def record(self, event: AssertionsCited, number_of_event: int) -> None:
        """Take in new assertion sources."""
        for number, label, date in zip(event.numbers, event.labels, event.dates, strict=True):
            self.make_numbers(number + 1)
            label_id, date_id = self._labels.take_optional(label), self._dates.take_optional(date)
            self._label_ids.cells[number], self._date_ids.cells[number] = label_id, date_id
            self._events.cells[number] = number_of_event
            self._by_both.insert(mix(label_id, date_id), number)
            if label_id >= 0:
                self._under_label.add(label_id)
                self._chained.append(number)

    def make_numbers(self, count: int) -> None:
        """Use up the numbers below `count`; those not recorded have no label and no date, and nothing finds them."""
        missing = count - len(self._label_ids)
        if missing > 0:
            self._label_ids.fill(ERASED, missing)
            self._date_ids.fill(ERASED, missing)
            self._events.fill(0, missing)

    def events_of(self, number: int) -> list[int]:
        """The event that brought an assertion."""
        return [self._events.cells[number]]

    def forget_labels(self, numbers: Iterable[int]) -> None:
        """These assertions have no label from now on, and no later statement joins them."""
        for number in numbers:
            label_id, date_id = self._label_ids.cells[number], self._date_ids.cells[number]
            self._by_both.remove(mix(label_id, date_id), number)
            self._labels.release_optional(label_id)
            self._label_ids.cells[number] = ERASED

    def find(self, label: str | None, date: str | None) -> int:
        """The assertion with this label and date, -1 when there is none."""
        label_id = -1 if label is None else self._labels.find(label)
        date_id = -1 if date is None else self._dates.find(date)
        if (label is not None and label_id < 0) or (date is not None and date_id < 0):
            return -1
        label_ids, date_ids = self._label_ids.cells, self._date_ids.cells
        for number in self._by_both.find_all(mix(label_id, date_id)):
            if label_ids[number] == label_id and date_ids[number] == date_id:
                return number
        return -1

    def under(self, label: str) -> list[int]:
        """Assertions under the label, ascending."""
        label_id = self._labels.find(label)
        numbers = (self._chained.cells[row] for row in self._under_label.rows(label_id))
        return sorted({number for number in numbers if self._label_ids.cells[number] == label_id})

    def row(self, number: int) -> tuple[str | None, str | None]:
        """(label, date) of an assertion."""
        return (
            self._labels.text_optional(self._label_ids.cells[number]),
            self._dates.text_optional(self._date_ids.cells[number]),
        )


def forget_labels(
    event: DocumentsForgotten, documents: Documents, assertions: Assertions, is_meant: Callable[[str], bool]
) -> Iterator[None]:
    """Take off the label whose keyed hash the event carries, unless a redaction took it before; step by step."""
    if event.source_hash is None:
        return
    meant = cache(is_meant)
    for first in range(0, len(event.unlabelled), LABELS_STEP):
        for document in event.unlabelled[first : first + LABELS_STEP]:
            documents.take_labels_off(document, meant)
        yield
    for first in range(0, len(event.assertions), LABELS_STEP):
        assertions.forget_labels(event.assertions[first : first + LABELS_STEP])
        yield
