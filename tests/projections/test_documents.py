"""Documents, their labels and passages, the assertions without text, and what passages name."""

from __future__ import annotations

import numpy as np
import pytest

from semurg.domain.events import AssertionsCited, StoredDocument, StoredPassage
from semurg.domain.instants import UNKNOWN_START, date_from_text
from semurg.projections.counted import CountedTexts
from semurg.projections.documents import Assertions, Documents
from semurg.projections.mentions import Mentions
from semurg.projections.passages import Passages
from semurg.projections.timeline import Timeline

DIGEST = bytes(range(1, 17))


class Texts:
    """The three parts that a document goes into, and one event at 10 on the timeline."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        labels, dates = CountedTexts(), CountedTexts()
        self.documents = Documents(self.timeline, labels, dates)
        self.assertions = Assertions(labels, dates)
        self.passages = Passages(self.timeline, dates)
        self.mentions = Mentions()
        self.event = self.timeline.add(5, 10)

    def store(self, document: StoredDocument) -> None:
        self.documents.record(document, self.event)
        for passage in document.passages:
            self.passages.record(document, passage, self.event)
            self.mentions.record_passage(passage, self.event)


def document(
    number: int, *passages: StoredPassage, digest: bytes = DIGEST, date: str | None = None, label: str | None = None
) -> StoredDocument:
    return StoredDocument(number, digest, "text", 30, list(passages), date, label)


def test_a_passage_reads_back_as_it_was_stored() -> None:
    texts = Texts()
    texts.store(document(0, StoredPassage(0, 4, "Zoë left. She did.", [0, 10], [], "2020", "k1"), date="1999-05-01"))
    row = texts.passages.row(0)
    assert (row.document, row.start, row.text, row.key, row.date) == (0, 4, "Zoë left. She did.", "k1", "2020")
    assert (row.valid_from, row.known_from, row.position) == (date_from_text("2020").start, 10, 5)
    assert row.sentences == (0, 10)


def test_a_passage_without_a_date_has_its_documents_and_else_was_always_true() -> None:
    texts = Texts()
    texts.store(document(0, StoredPassage(0, 0, "a", [0]), date="1999"))
    texts.store(document(1, StoredPassage(1, 0, "b", [0]), digest=b"x" * 16))
    assert texts.passages.row(0).date == "1999"
    assert texts.passages.row(1).date is None
    assert texts.passages.row(1).valid_from == UNKNOWN_START
    start = date_from_text("1999").start
    both = np.array([0, 1], dtype=np.int32)
    assert texts.passages.showing(both, 1, start - 1).tolist() == [1]
    assert texts.passages.showing(both, 1, start).tolist() == [0, 1]
    assert texts.passages.showing(both, 0, start).tolist() == []
    assert texts.passages.recency(both).tolist() == [start, 10]


def test_the_passages_of_a_document_come_in_order_of_start() -> None:
    texts = Texts()
    texts.store(document(0, StoredPassage(0, 20, "b", [0]), StoredPassage(1, 0, "a", [0])))
    assert texts.passages.of_document(0) == [1, 0]
    assert texts.passages.view(1).text == "a"
    texts.passages.erase(1)
    assert texts.passages.of_document(0) == [0]
    assert (texts.passages.live, len(texts.passages)) == (1, 2)
    with pytest.raises(KeyError):
        texts.passages.row(1)


def test_a_document_is_found_by_its_digest_until_a_part_of_it_is_forgotten() -> None:
    texts = Texts()
    texts.store(document(3, StoredPassage(0, 0, "a", [0])))
    assert texts.documents.by_digest(DIGEST) == 3
    assert texts.documents.by_digest(b"y" * 16) == -1
    texts.documents.drop_digest(3)
    assert texts.documents.by_digest(DIGEST) == -1
    assert texts.documents.is_live(3)
    assert not texts.documents.is_live(2)
    assert not texts.documents.is_live(4)


def test_labels_stand_in_the_order_given_and_go_singly() -> None:
    texts = Texts()
    texts.store(document(0, label="first"))
    later = texts.timeline.add(9, 20)
    texts.documents.give_label(0, "second", later)
    assert texts.documents.labels(0) == ["first", "second"]
    assert texts.documents.labels(0, horizon=later) == ["first"]
    assert texts.documents.under("second") == [0]
    texts.documents.take_labels_off(0, lambda label: label == "first")
    assert texts.documents.labels(0) == ["second"]
    assert texts.documents.under("first") == []


def test_a_forgotten_document_answers_nothing_but_that_it_is_gone() -> None:
    texts = Texts()
    texts.store(document(0, date="2020", label="first"))
    texts.documents.erase(0)
    texts.documents.erase(0)
    assert tuple(texts.documents.row(0)) == (False, "", None, 0, 0, 0)
    assert texts.documents.under("first") == []
    assert texts.documents.labels(0) == []
    assert (texts.documents.live, texts.documents.count(1)) == (0, 0)


def test_assertions_are_one_for_each_label_and_date() -> None:
    texts = Texts()
    texts.assertions.record(AssertionsCited([0, 1, 2, 3], ["a", "a", None, None], ["2020", None, "2020", None]), 0)
    assert [texts.assertions.find(*one) for one in (("a", "2020"), ("a", None), (None, "2020"), (None, None))] == [
        0,
        1,
        2,
        3,
    ]
    assert texts.assertions.find("b", None) == -1
    assert texts.assertions.find("a", "2021") == -1
    assert texts.assertions.under("a") == [0, 1]
    assert texts.assertions.row(0) == ("a", "2020")


def test_an_assertion_that_lost_its_label_is_joined_by_no_later_statement() -> None:
    texts = Texts()
    texts.assertions.record(AssertionsCited([0], ["a"], ["2020"]), 0)
    texts.assertions.forget_labels([0])
    assert texts.assertions.row(0) == (None, "2020")
    assert texts.assertions.under("a") == []
    assert texts.assertions.find("a", "2020") == -1
    assert texts.assertions.find(None, "2020") == -1


def test_mentions_lead_both_ways_and_an_erased_passage_leaves_them() -> None:
    texts = Texts()
    texts.store(
        document(
            0,
            StoredPassage(0, 0, "Dana met Acme", [0], [0, 0, 4, 1, 9, 13]),
            StoredPassage(1, 14, "Dana", [0], [0, 0, 4]),
        )
    )
    texts.mentions.record_links([1], [2], [1], [3], texts.timeline.add(6, 20))
    assert texts.mentions.passages_of(0).tolist() == [0, 1]
    assert texts.mentions.span(0, 1) == (9, 13)
    assert texts.mentions.span(1, 1) is None
    assert texts.mentions.passages_of(2).tolist() == [1]
    assert texts.mentions.passages_of(2, horizon=1).tolist() == []
    texts.mentions.erase_passage(0)
    assert texts.mentions.passages_of(0).tolist() == [1]
    texts.mentions.erase_entity(0)
    assert texts.mentions.passages_of(0).tolist() == []
    assert texts.mentions.span(1, 2) == (1, 3)


def test_the_timeline_places_instants_and_positions() -> None:
    timeline = Timeline()
    for position, instant in ((3, 10), (4, 10), (9, 20)):
        timeline.add(position, instant)
    assert [timeline.position_at(instant) for instant in (9, 10, 19, 20, 99)] == [0, 4, 4, 9, 9]
    assert [timeline.recorded_at(position) for position in (2, 3, 4, 8, 9, 99)] == [None, 10, 10, 10, 20, 20]
    assert [timeline.horizon(instant) for instant in (9, 10, 20)] == [0, 2, 3]
    assert list(timeline.events_at(10)) == [0, 1]
    with pytest.raises(ValueError, match="does not come after"):
        timeline.add(9, 30)
