"""Citations: which source is named, which sentence is quoted, and what is said when none can be."""

from __future__ import annotations

import pytest

from semurg.domain import events
from semurg.domain.ids import Kind, encode_id

from .scopes import Scope

TEXT = "Dana joined Acme in spring. She likes it. Ben stayed at Beta."
SENTENCES = [0, 28, 42]
JOINED = (0, 0, 27)


def fact_item(reply: dict) -> dict:
    return next(item for item in reply["items"] if item["kind"] == "fact")


def citation(reply: dict) -> dict:
    return fact_item(reply)["citation"]


def test_a_fact_with_a_text_quotes_the_sentence_it_was_stated_in() -> None:
    scope = Scope()
    document, _ = scope.document((TEXT, SENTENCES, {"Dana": 0, "Acme": 12}), date="2020-05-17", label="minutes")
    stored_at = scope.position + 1
    scope.fact("Dana", "WORKS_AT", "Acme", document=document, span=JOINED)
    item = fact_item(scope.recall("Dana"))
    assert item["source_date"] == "2020-05-17"
    assert item["citation"] == {
        "source": {
            "kind": "document",
            "doc_id": encode_id(7, Kind.DOCUMENT, document),
            "name": "minutes",
            "ingested_at": "2026-01-01T00:00:03Z",
            "page": None,
        },
        "span": {"text": "Dana joined Acme in spring.", "start": 0, "end": 27},
        "span_state": "quoted",
        "found_by": {"stage": "name", "hops": 1, "reasoning": None},
        "position": str(stored_at),
    }


def test_spans_count_code_points_of_the_whole_document() -> None:
    scope = Scope()
    first = "👩🏽‍🚀 flew. İstanbul slept."
    second = "Ωmega: Zoë met 霧島ダム. Done."
    document, passage = scope.document(
        (first, [0, 11], {}), (second, [0, second.index("Done")], {"Zoë": 7, "霧島ダム": 15}), between="\n\n"
    )
    begin = len(first) + 2
    scope.fact("Zoë", "MET", "霧島ダム", document=document, span=(passage + 1, begin, begin + 20))
    whole = f"{first}\n\n{second}"
    for item in scope.recall("Zoë")["items"]:
        span = item["citation"]["span"]
        assert span["text"] == "Ωmega: Zoë met 霧島ダム."
        assert whole[span["start"] : span["end"]] == span["text"]


def test_an_assertion_without_text_says_so_with_its_label_and_date() -> None:
    scope = Scope()
    scope.fact("Dana", "WORKS_AT", "Acme", "2020-01", label="hr sheet")
    item = fact_item(scope.recall("Dana"))
    assert item["citation"]["source"] == {
        "kind": "asserted",
        "doc_id": None,
        "name": "hr sheet",
        "ingested_at": "2026-01-01T00:00:02Z",
        "page": None,
    }
    assert (item["citation"]["span"], item["citation"]["span_state"]) == (None, "asserted_without_text")
    assert item["source_date"] == "2020-01"


def test_a_text_that_names_neither_end_is_cited_without_a_span() -> None:
    scope = Scope()
    document, _ = scope.document(("It rained.", [0], {}))
    scope.fact("Dana", "WORKS_AT", "Acme", document=document)
    found = citation(scope.recall("Dana"))
    assert found["source"]["kind"] == "document"
    assert (found["span"], found["span_state"]) == (None, "not_found_in_text")


@pytest.mark.parametrize(
    "span",
    [(0, 42, 61), (0, 50, 90), (0, 20, 20), (0, 27, 0)],
    ids=["names neither", "past the end", "empty", "reversed"],
)
def test_a_span_that_does_not_check_out_is_never_served(span: tuple[int, int, int]) -> None:
    scope = Scope()
    document, _ = scope.document((TEXT, SENTENCES, {"Dana": 0}))
    scope.fact("Dana", "WORKS_AT", "Acme", document=document, span=span)
    found = citation(scope.recall("Dana"))
    assert (found["span"], found["span_state"]) == (None, "not_found_in_text")


def test_a_fact_of_a_forgotten_document_stays_and_says_that_its_source_is_gone() -> None:
    scope = Scope()
    document, passage = scope.document((TEXT, SENTENCES, {"Dana": 0}), label="minutes", date="2020-01-01")
    scope.fact("Dana", "WORKS_AT", "Acme", document=document, span=JOINED)
    scope.commit(events.DocumentsForgotten(key_hash="h", documents=[document], passages=[passage]))
    item = fact_item(scope.recall("Dana"))
    assert (item["citation"]["span"], item["citation"]["span_state"]) == (None, "source_forgotten")
    source = item["citation"]["source"]
    assert (source["kind"], source["doc_id"], source["name"], item["source_date"]) == ("document", None, None, None)


def test_a_quoted_passage_that_went_with_another_entity_is_forgotten_too() -> None:
    scope = Scope()
    document, passage = scope.document(
        (TEXT, SENTENCES, {"Dana": 0, "Sable Quince": 3}), ("Other words.", [0], {}), label="minutes"
    )
    scope.fact("Dana", "WORKS_AT", "Acme", document=document, span=JOINED)
    scope.commit(
        events.EntityForgotten("h", scope.entities["Sable Quince"], facts=[], passages=[passage], documents=[])
    )
    found = citation(scope.recall("Dana"))
    assert (found["span"], found["span_state"]) == (None, "source_forgotten")
    assert found["source"]["name"] == "minutes"


def test_of_several_statements_the_one_that_can_be_quoted_is_cited() -> None:
    scope = Scope()
    document, _ = scope.document((TEXT, SENTENCES, {"Dana": 0}), label="minutes")
    scope.fact("Dana", "WORKS_AT", "Acme", document=document, span=JOINED)
    scope.fact("Dana", "WORKS_AT", "Acme", label="hr sheet")
    assert citation(scope.recall("Dana"))["source"]["name"] == "minutes"


def test_of_equally_good_statements_the_latest_known_is_cited_and_as_of_sees_the_earlier() -> None:
    scope = Scope()
    scope.fact("Dana", "WORKS_AT", "Acme", label="first")
    before = scope.recorded_at
    scope.fact("Dana", "WORKS_AT", "Acme", label="second")
    assert citation(scope.recall("Dana"))["source"]["name"] == "second"
    assert citation(scope.recall("Dana", instants=scope.at(as_of=before)))["source"]["name"] == "first"


def test_a_statement_left_standing_is_cited_instead_of_a_forgotten_one() -> None:
    scope = Scope()
    scope.fact("Dana", "WORKS_AT", "Acme", label="hr sheet")
    document, passage = scope.document((TEXT, SENTENCES, {"Dana": 0}))
    scope.fact("Dana", "WORKS_AT", "Acme", document=document, span=JOINED)
    scope.commit(events.DocumentsForgotten(key_hash="h", documents=[document], passages=[passage]))
    found = citation(scope.recall("Dana"))
    assert (found["source"]["name"], found["span_state"]) == ("hr sheet", "asserted_without_text")


def test_a_passage_quotes_the_sentence_that_names_the_seed() -> None:
    scope = Scope()
    scope.document((TEXT, SENTENCES, {"Dana": 0, "Ben": 42}))
    item = scope.recall("Ben")["items"][1]
    assert (item["kind"], item["text"]) == ("passage", TEXT)
    assert item["citation"]["span"] == {"text": "Ben stayed at Beta.", "start": 42, "end": 61}
    assert item["citation"]["span_state"] == "quoted"


def test_a_name_that_runs_over_a_sentence_break_is_quoted_whole() -> None:
    scope = Scope()
    scope.document(("Prof. Orla Dunne spoke. All left.", [0, 6, 24], {"Prof. Orla Dunne": 0}))
    item = scope.recall("Prof. Orla Dunne")["items"][1]
    assert item["citation"]["span"] == {"text": "Prof. Orla Dunne spoke.", "start": 0, "end": 23}


def test_a_mention_that_the_text_does_not_bear_out_is_not_quoted() -> None:
    scope = Scope()
    scope.document((TEXT, SENTENCES, {"Ben": 3}))
    item = scope.recall("Ben")["items"][1]
    assert (item["citation"]["span"], item["citation"]["span_state"]) == (None, "not_found_in_text")


def test_a_name_stored_composed_is_quoted_from_text_that_is_decomposed() -> None:
    scope = Scope()
    scope.entity("Zoë")
    text = "Then Zoe\u0308 came."
    mention = [scope.entities["Zoë"], 5, 9]
    passage = events.StoredPassage(0, 0, text, [0], mention)
    stored = events.StoredDocument(0, bytes(16), "content", len(text), [passage])
    scope.commit(events.DocumentsStored(documents=[stored]))
    item = scope.recall("zoe\u0308")["items"][1]
    assert item["citation"]["span"] == {"text": text, "start": 0, "end": len(text)}


def test_an_entity_is_cited_by_its_earliest_mention_else_by_what_first_named_it() -> None:
    scope = Scope()
    scope.entity("Dana", label="sheet")
    own = scope.recall("Dana")["items"][0]["citation"]
    assert (own["source"]["name"], own["span_state"]) == ("sheet", "asserted_without_text")
    assert own["found_by"] == {"stage": "name", "hops": 0, "reasoning": None}
    scope.document((TEXT, SENTENCES, {"Dana": 0}), label="minutes")
    scope.document(("Dana again.", [0], {"Dana": 0}), label="later minutes")
    mentioned = scope.recall("Dana")["items"][0]["citation"]
    assert mentioned["source"]["name"] == "minutes"
    assert mentioned["span"] == {"text": "Dana joined Acme in spring.", "start": 0, "end": 27}
    assert mentioned["position"] == own["position"]


def test_a_passage_carries_its_own_date_before_its_documents() -> None:
    scope = Scope()
    scope.document(("Dana rows.", [0], {"Dana": 0}), date="2020-01-01", label="chat")
    text = "Dana sails."
    passage = events.StoredPassage(1, 0, text, [0], [scope.entities["Dana"], 0, 4], "2019-05")
    stored = events.StoredDocument(1, b"1" * 16, "messages", len(text), [passage], "2020-01-01")
    scope.commit(events.DocumentsStored(documents=[stored]))
    dates = {item["text"]: item["source_date"] for item in scope.recall("Dana")["items"] if item["kind"] == "passage"}
    assert dates == {"Dana rows.": "2020-01-01", "Dana sails.": "2019-05"}
