"""Passages: the only place where a projection keeps the text of documents.

A passage is known from its event on until it is forgotten, and true from its date on (its own, else its document's,
else always). Offsets are Unicode code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from semurg.domain.events import StoredDocument, StoredPassage
from semurg.domain.instants import NO_END, UNKNOWN_START, date_from_text
from semurg.domain.names import match_key, words
from semurg.domain.spoken import spoken
from semurg.domain.view import PassageView
from semurg.projections.chains import Chains
from semurg.projections.columns import Column
from semurg.projections.counted import CountedTexts
from semurg.projections.kernels import visibility
from semurg.projections.rows import Int32s, Int64s, PassageRow
from semurg.projections.strings import StringHeap
from semurg.projections.timeline import Timeline

ERASED = -1


class Passages:
    """Every passage of a scope by number; `ERASED` as its document: it is forgotten, or was never recorded."""

    def __init__(self, timeline: Timeline, dates: CountedTexts) -> None:
        self._timeline = timeline
        self._dates = dates
        self._keys = CountedTexts()
        self.live = 0
        self._texts = StringHeap()
        self._documents = Column(np.int32)
        self._text_ids = Column(np.int32)
        self._starts = Column(np.int32)
        self._key_ids = Column(np.int32)
        self._date_ids = Column(np.int32)
        self._events = Column(np.int32)
        self._valid_from = Column(np.int64)
        self._labels = Column(np.int16)
        self._sentences = Column(np.int32)
        self._sentences_first = Column(np.int64)
        self._sentences_count = Column(np.int32)
        self._of_document = Chains()
        self._chained = Column(np.int32)

    def __len__(self) -> int:
        """The next unused number."""
        return len(self._documents)

    def _fields(self) -> tuple[Column, ...]:
        """The columns by passage number, but the document."""
        return (
            self._text_ids, self._starts, self._key_ids, self._date_ids, self._events, self._valid_from,
            self._sentences_first, self._sentences_count, self._labels,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included; dates not counted."""
        columns = (self._documents, self._sentences, self._chained, *self._fields())
        parts = self._keys.nbytes + self._texts.nbytes + self._of_document.nbytes
        return parts + sum(column.nbytes for column in columns)

    @property
    def text_nbytes(self) -> int:
        """Bytes of them that are text."""
        return self._texts.bytes.nbytes

    # what events do

    def record(self, document: StoredDocument, passage: StoredPassage, event: int) -> None:
        """Take in a passage of a new document."""
        number = passage.number
        self.make_numbers(number + 1)
        date = document.date if passage.date is None else passage.date
        values = (
            self._texts.add(passage.text),
            passage.start,
            self._keys.take_optional(passage.key),
            self._dates.take_optional(date),
            event,
            UNKNOWN_START if date is None else date_from_text(date).start,
            self._sentences.extend(np.array(passage.sentences, dtype=np.int32)),
            len(passage.sentences),
            len(spoken(passage.text).speaker or ""),
        )
        for column, value in zip(self._fields(), values, strict=True):
            column.cells[number] = value
        self._documents.cells[number] = document.number
        self._of_document.add(document.number)
        self._chained.append(number)
        self.live += 1

    def make_numbers(self, count: int) -> None:
        """Use up the numbers below `count`: those not recorded are erased."""
        missing = count - len(self._documents)
        if missing > 0:
            self._documents.fill(ERASED, missing)
            for column in self._fields():
                column.fill(0, missing)

    def erase(self, number: int) -> None:
        """Forget a passage, at every instant, its text overwritten."""
        if not self.is_live(number):
            return
        self._documents.cells[number] = ERASED
        self._texts.erase(self._text_ids.cells[number])
        self._keys.release_optional(self._key_ids.cells[number])
        self._dates.release_optional(self._date_ids.cells[number])
        first = self._sentences_first.cells[number]
        self._sentences.view[first : first + self._sentences_count.cells[number]] = 0
        for column in self._fields():
            column.cells[number] = 0
        self.live -= 1

    def events_of(self, number: int) -> list[int]:
        """The event that brought a live passage."""
        return [self._events.cells[number]]

    # what decisions and reads ask

    def is_live(self, number: int) -> bool:
        """Whether the number names a passage that exists and is not forgotten."""
        return 0 <= number < len(self._documents) and self._documents.cells[number] != ERASED

    def document(self, number: int) -> int:
        """The document of a live passage."""
        return int(self._documents.cells[number])

    def begins(self, number: int) -> int:
        """From when on a live passage is true, µs."""
        return int(self._valid_from.cells[number])

    def text(self, number: int) -> str:
        """The text of a live passage."""
        return self._texts.get(self._text_ids.cells[number])

    def sentences(self, number: int) -> tuple[int, ...]:
        """Where the sentences of a live passage start, relative to it."""
        first = self._sentences_first.cells[number]
        return tuple(self._sentences.cells[first : first + self._sentences_count.cells[number]])

    def of_document(self, document: int) -> list[int]:
        """The live passages of a document in order of start."""
        chained, documents, starts = self._chained.cells, self._documents.cells, self._starts.cells
        passages = (chained[row] for row in self._of_document.rows(document))
        return sorted(
            (passage for passage in passages if documents[passage] == document),
            key=lambda passage: (starts[passage], passage),
        )

    def view(self, number: int) -> PassageView:
        """A live passage as a decision needs it."""
        return PassageView(number, self._starts.cells[number], self.text(number), self.sentences(number))

    def row(self, number: int) -> PassageRow:
        """What is kept of a passage. KeyError when it is forgotten or was never recorded."""
        if not self.is_live(number):
            raise KeyError(f"passage {number} is not live")
        event = self._events.cells[number]
        return PassageRow(
            self._documents.cells[number],
            self._starts.cells[number],
            self.text(number),
            self._keys.text_optional(self._key_ids.cells[number]),
            self._dates.text_optional(self._date_ids.cells[number]),
            self._valid_from.cells[number],
            self._timeline.instant_of(event),
            self._timeline.position_of(event),
            self.sentences(number),
        )

    def showing(self, passages: Int32s, horizon: int, valid_at: int) -> Int32s:
        """Those of the passages that are live, brought by an event below the horizon, and true by `valid_at`."""
        return passages[self.shows(passages, horizon, valid_at)]

    def shows(self, passages: Int32s, horizon: int, valid_at: int) -> NDArray[np.bool_]:
        """Of each of the passages whether it is live, brought by an event below the horizon, and true by `valid_at`."""
        count = len(passages)
        known, begins = np.zeros(count, dtype=np.int64), self._valid_from.view[passages]
        never_ends = np.full(count, NO_END, dtype=np.int64)
        true_by_then = np.empty(count, dtype=np.uint8)
        visibility.shows_all(known, never_ends, begins, never_ends, 0, valid_at, true_by_then)
        live = (self._documents.view[passages] != ERASED) & (self._events.view[passages] < horizon)
        shown: NDArray[np.bool_] = live & true_by_then.astype(np.bool_)
        return shown

    def labelled(self, number: int) -> str | None:
        """The speaker's label that a live passage begins with (domain.spoken), None when it has none."""
        length = int(self._labels.cells[number])
        return self.text(number)[:length] if length else None

    def follow(self, passages: Int32s, horizon: int) -> NDArray[np.bool_]:
        """Of each number whether that passage and the one before it belong together, both known below the horizon.

        They do as parts of one document, or as turns of a conversation (both begin with a speaker's label) with the
        same date. False for numbers that name no passage.
        """
        inside = (passages > 0) & (passages < len(self._documents))
        here = np.where(inside, passages, 0)
        before = np.maximum(here - 1, 0)
        documents, events, labels, begins = (
            column.view for column in (self._documents, self._events, self._labels, self._valid_from)
        )
        known = (documents[here] != ERASED) & (events[here] < horizon)
        known &= (documents[before] != ERASED) & (events[before] < horizon)
        turns = (labels[here] > 0) & (labels[before] > 0) & (begins[here] == begins[before])
        joined: NDArray[np.bool_] = inside & known & (turns | (documents[here] == documents[before]))
        return joined

    def documents_and_events(self) -> tuple[Int32s, Int32s]:
        """Of each passage its document (below 0: forgotten) and the event that brought it, for kernels."""
        return self._documents.view, self._events.view

    def bounds(self) -> tuple[Int32s, Int32s, Int64s]:
        """Of every passage its document (ERASED: forgotten), the event that brought it, and from when it is true."""
        return self._documents.view, self._events.view, self._valid_from.view

    @property
    def valid_from(self) -> Int64s:
        """By number, from when on a passage is true, µs."""
        return self._valid_from.view

    def recency(self, passages: Int32s) -> Int64s:
        """What live passages are as recent as, µs: their date, else when they were stored."""
        begins = self._valid_from.view[passages]
        stored = self._timeline.instants_of(self._events.view[passages])
        return np.where(begins == UNKNOWN_START, stored, begins)

    def count(self, horizon: int) -> int:
        """How many live passages an event below the horizon brought."""
        return int(np.count_nonzero((self._events.view < horizon) & (self._documents.view != ERASED)))

    def with_any_word(self, wanted: Sequence[str], among: Iterable[int]) -> Iterator[int]:
        """Those of the live passages whose text has one of these words of match keys, whole."""
        words_wanted = set(wanted)
        for number in among:
            text = self.text(number)
            # the match key of plain text differs in its white space at most, which is in no word
            key = text.lower() if text.isascii() else match_key(text)
            # most texts hold none of them even as a part, and cutting into words is the dear half
            if any(word in key for word in words_wanted) and not words_wanted.isdisjoint(words(key)):
                yield number
