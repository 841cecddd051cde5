"""What a remember stores: entities, texts with their links and spans, attributes over time, source labels."""

from __future__ import annotations

from typing import Any

import pytest

from semurg.domain.errors import Refusal
from semurg.domain.events import AssertionsCited, DocumentsStored, EntitiesRecorded, FactsRecorded, PassagesLinked
from semurg.domain.values import load, plain
from semurg.domain.visibility import At
from tests.unit.story import Story, instant

DANA_AND_ELI = {"relations": [{"source": "Dana", "target": "Eli", "type": "KNOWS"}]}


def facts_event(events: tuple[Any, ...]) -> FactsRecorded:
    return next(event for event in events if isinstance(event, FactsRecorded))


def test_spellings_of_one_name_are_one_entity_and_the_first_is_shown() -> None:
    story = Story()
    reply = story.remember(
        facts={"entities": [{"name": "Dock\n\tSeven "}, {"name": "Dock Seven"}, {"name": "DOCK  SEVEN"}]}
    ).reply
    assert reply["entities"] == {"new": 1, "known": 0}
    assert story.scope.view.entity_name(0) == "Dock Seven"


def test_a_types_first_spelling_stays_and_new_types_are_added() -> None:
    story = Story()
    story.remember(facts={"entities": [{"name": "Acme", "type": "Company"}]})
    decision = story.remember(facts={"entities": [{"name": "acme", "types": ["COMPANY", "Supplier"]}]})
    (event,) = [event for event in decision.events if isinstance(event, EntitiesRecorded)]
    assert (event.numbers, event.types) == ([], ["Supplier"])


def test_the_events_of_one_call_come_in_the_order_in_which_they_build_on_each_other() -> None:
    decision = Story().remember(
        content="Dana met Eli.", facts={"entities": [{"name": "Dana", "attributes": {"age": 41}}], **DANA_AND_ELI}
    )
    assert [type(event).__name__ for event in decision.events] == [
        "ScopeOpened",
        "EntitiesRecorded",
        "DocumentsStored",
        "FactsRecorded",
        "AttributesRecorded",
    ]


def test_a_fact_quotes_the_sentence_that_names_both_ends() -> None:
    text = "Dana likes tea. It rained when Dana met Eli at noon. Eli left."
    decision = Story().remember(content=text, facts=DANA_AND_ELI)
    event = facts_event(decision.events)
    assert text[event.span_start[0] : event.span_end[0]] == "It rained when Dana met Eli at noon."


def test_without_such_a_sentence_a_fact_quotes_one_that_names_an_end_and_else_none() -> None:
    one = facts_event(Story().remember(content="It rained. Eli left.", facts=DANA_AND_ELI).events)
    assert (one.span_start[0], one.span_end[0]) == (11, 20)
    none = facts_event(Story().remember(content="It rained.", facts=DANA_AND_ELI).events)
    assert none.span_passage == [-1] and none.stated_by == [0], "it still cites the document"


def test_links_go_to_stored_and_sent_names_the_longest_first() -> None:
    story = Story()
    story.remember(facts={"entities": [{"name": "New York"}, {"name": "New York Times"}]})
    decision = story.remember(content="She reads the new york times in Oslo.", facts={"entities": [{"name": "Oslo"}]})
    (stored,) = [event for event in decision.events if isinstance(event, DocumentsStored)]
    assert stored.documents[0].passages[0].mentions[::3] == [1, 2], "the Times and Oslo, not New York"
    assert decision.reply["mentions"] == 2 and decision.reply["unlinked_passages"] == 0


def test_a_mention_that_the_text_does_not_hold_is_refused_and_named() -> None:
    with pytest.raises(Refusal) as refused:
        Story().remember(passages=[{"text": "Dana sings.", "mentions": ["Dana", "Eli"]}])
    assert refused.value.code == "mention_not_in_text" and "Eli" in refused.value.detail


def test_the_same_text_again_changes_nothing_and_answers_the_same() -> None:
    story = Story()
    first = story.remember(content="Dana met Eli.", facts=DANA_AND_ELI, source="diary").reply
    story.remember(facts={"entities": [{"name": "met"}]})
    again = story.remember(content="Dana met Eli.", facts=DANA_AND_ELI, source="diary")
    assert again.events == ()
    same = ("doc_id", "passages", "mentions", "unlinked_passages", "extraction", "source_label_state")
    assert {key: again.reply[key] for key in same} == {key: first[key] for key in same}
    assert again.reply["already"] is True and again.reply["relations"] == {"new": 0, "known": 1}


def test_a_text_sent_again_with_new_facts_is_linked_to_them() -> None:
    story = Story()
    first = story.remember(content="Dana met Eli.").reply
    assert first["mentions"] == 0 and first["extraction"] == "known_names_only"
    decision = story.remember(content="Dana met Eli.", facts=DANA_AND_ELI)
    (links,) = [event for event in decision.events if isinstance(event, PassagesLinked)]
    assert links.entities == [0, 1] and decision.reply["doc_id"] == first["doc_id"]
    assert facts_event(decision.events).stated_by == [0]


def test_the_same_text_with_another_date_is_another_document() -> None:
    story = Story()
    one = story.remember(content="Dana met Eli.", date="2026-05-01").reply
    two = story.remember(content="Dana met Eli.", date="2026-05-02").reply
    assert one["doc_id"] != two["doc_id"] and story.scope.view.live_documents == 2


def test_instants_that_are_one_do_not_duplicate_and_a_day_is_not_its_first_instant() -> None:
    story = Story()
    dates = ("2026-03-29T01:30:00+01:00", "2026-03-29T00:30:00Z", "2026-03-28T17:30:00-07:00")
    ids = {story.remember(content="The bridge opened.", date=date).reply["doc_id"] for date in dates}
    assert len(ids) == 1
    for date in ("2026-03-29", "2026-03-29T00:00:00Z", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"):
        ids.add(story.remember(content="The bridge opened.", date=date).reply["doc_id"])
    assert len(ids) == 5


@pytest.mark.parametrize(
    ("before", "call", "state"),
    [
        ({}, {"facts": DANA_AND_ELI, "source": "s"}, "new_source"),
        ({"content": "Dana met Eli."}, {"facts": DANA_AND_ELI, "source": "s"}, "attached"),
        ({"content": "Dana met Eli."}, {"facts": DANA_AND_ELI, "source": "s", "date": "2026"}, "dated_own_source"),
        (
            {"content": "Dana met Eli.", "facts": {"entities": [{"name": "Dana", "attributes": {"age": 40}}]}},
            {"facts": {"entities": [{"name": "Dana", "attributes": {"age": 41}}]}, "source": "s"},
            "value_changed_own_source",
        ),
        (
            {"passages": [{"text": f"Note {number}.", "mentions": []} for number in range(9)]},
            {"facts": DANA_AND_ELI, "source": "s"},
            "many_documents_not_attached",
        ),
        ({}, {"facts": DANA_AND_ELI}, None),
    ],
)
def test_the_reply_says_how_facts_stand_to_their_source_label(
    before: dict[str, Any], call: dict[str, Any], state: str | None
) -> None:
    story = Story()
    if before:
        story.remember(**before, source="s")
    assert story.remember(**call).reply["source_label_state"] == state


def test_facts_sent_later_under_a_label_quote_the_text_stored_under_it() -> None:
    story = Story()
    story.remember(content="It rained. Dana met Eli.", source="diary")
    decision = story.remember(facts=DANA_AND_ELI, source="diary")
    event = facts_event(decision.events)
    assert (event.stated_by, event.span_start, event.span_end) == ([0], [11], [24])
    assert not [one for one in decision.events if isinstance(one, AssertionsCited)]


def values(story: Story, at: At) -> dict[str, Any]:
    return {key: plain(load(value)) for key, value in story.scope.reads.attributes_of(False, 0, at)}


def test_attributes_keep_their_history_and_a_value_dated_earlier_becomes_part_of_it() -> None:
    story = Story("2026-01-01")
    for role, date in (("intern", "2018"), ("head", "2024"), ("engineer", "2020")):
        story.remember(facts={"entities": [{"name": "Dana", "attributes": {"role": role}}]}, date=date)
    wanted = {"2017": {}, "2019": {"role": "intern"}, "2023": {"role": "engineer"}, "2025": {"role": "head"}}
    assert {year: values(story, story.at(year)) for year in wanted} == wanted


def test_a_first_undated_value_holds_always_and_the_next_begins_now() -> None:
    story = Story("2026-01-01")
    story.remember(facts={"entities": [{"name": "Dana", "attributes": {"role": "engineer"}}]})
    story.remember(facts={"entities": [{"name": "Dana", "attributes": {"role": "head"}}]})
    assert values(story, story.at("1999")) == {"role": "engineer"}
    assert values(story, At(story.now, instant("2026-01-02"))) == {"role": "head"}
    known_then = At(instant("2026-01-01"), instant("2026-01-02"))
    assert values(story, known_then) == {"role": "engineer"}, "what was known on the first day"


def test_keys_are_kept_as_spelled_and_exact_digits_stay() -> None:
    story = Story()
    attributes = {"userId": "a", "user_id": "b", "URL": "c", "url": "d", "__proto__": "e", "big": 2**63 - 1}
    story.remember(facts={"entities": [{"name": "Dana", "attributes": attributes}]})
    assert values(story, story.at("2026")) == attributes


def test_two_values_of_one_key_in_one_call_are_refused() -> None:
    entities = [{"name": "Dana", "attributes": {"age": 40}}, {"name": "DANA", "attributes": {"age": 41}}]
    with pytest.raises(Refusal) as refused:
        Story().remember(facts={"entities": entities})
    assert refused.value.code == "attribute_conflict" and "age" in refused.value.detail


def test_an_entity_holds_256_keys_and_not_one_more() -> None:
    story = Story()
    story.remember(facts={"entities": [{"name": "Dana", "attributes": {f"k{n}": n for n in range(256)}}]})
    with pytest.raises(Refusal) as refused:
        story.remember(facts={"entities": [{"name": "Dana", "attributes": {"k0": 0, "one more": 1}}]})
    assert refused.value.code == "limit_exceeded" and "one more" in refused.value.detail


def test_attributes_of_a_fact_follow_its_date() -> None:
    story = Story()
    story.relate("Dana", "WORKS_AT", "Acme", date="2020", attributes={"role": "engineer"})
    story.relate("Dana", "WORKS_AT", "Acme", date="2023", attributes={"role": "head"})
    then = story.scope.reads.attributes_of(True, 0, story.at("2021"))
    now = story.scope.reads.attributes_of(True, 0, story.at("2025"))
    assert [(key, plain(load(value))) for key, value in then] == [("role", "engineer")]
    assert [(key, plain(load(value))) for key, value in now] == [("role", "head")]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "nothing_to_store"),
        ({"content": ""}, "nothing_to_store"),
        ({"content": " \n\t"}, "nothing_to_store"),
        ({"content": "..."}, "nothing_to_store"),
        ({"content": "\u200b"}, "nothing_to_store"),
        ({"messages": []}, "nothing_to_store"),
        ({"messages": [{"role": "user", "content": ""}]}, "nothing_to_store"),
        ({"passages": []}, "nothing_to_store"),
        ({"content": "a\0b"}, "control_character"),
        ({"content": "a", "messages": [{"content": "b"}]}, "one_text_only"),
        ({"facts": {}}, "facts_shape"),
        ({"facts": {"entities": [], "relations": []}}, "facts_shape"),
        ({"facts": {"entities": [{"name": " \n "}]}}, "name_empty"),
        ({"facts": {"entities": [{"name": "a\0b"}]}}, "control_character"),
        ({"facts": {"entities": [{"name": "x" * 1025}]}}, "name_too_long"),
        ({"facts": {"entities": [{"name": "a\u202eb"}]}}, "name_invalid"),
        ({"content": "Dana", "date": "2026-02-30"}, "date_invalid"),
        ({"content": "x " * 524_289}, "limit_exceeded"),
        ({"facts": {"entities": [{"name": "Dana", "attributes": {"phone": None}}]}}, "attribute_null"),
        ({"facts": {"entities": [{"name": "Dana", "attributes": {"tags": []}}]}}, "attribute_empty_list"),
        ({"facts": {"entities": [{"name": "Dana", "attributes": {"n": 2**63}}]}}, "integer_out_of_range"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_name(fields: dict[str, Any], code: str) -> None:
    story = Story()
    with pytest.raises(Refusal) as refused:
        story.remember(**fields)
    assert refused.value.code == code and refused.value.fix
    assert not story.scope.view.exists


def test_a_retry_of_a_dated_value_does_not_undo_a_later_one_of_the_same_instant() -> None:
    story = Story()

    def tell(role: str, **fields: str) -> Any:
        return story.remember(
            facts={"entities": [{"name": "Dana", "attributes": {"role": role}}]}, date="2020", **fields
        )

    tell("engineer")
    tell("head")
    retry = tell("engineer")
    assert retry.events == () and retry.reply["attributes"] == {"set": 0, "known": 1}
    assert values(story, story.at("2025")) == {"role": "head"}
    tell("engineer", source="payroll")
    assert values(story, story.at("2025")) == {"role": "engineer"}


def test_a_passage_sent_twice_in_one_call_has_the_mentions_of_both() -> None:
    story = Story()
    passages = [{"text": "Annika met Eli.", "mentions": [name]} for name in ("ann", "Eli")]
    told = story.remember(passages=passages).reply
    assert told["doc_ids"][0] == told["doc_ids"][1] and told["mentions"] == 2
    assert story.remember(passages=passages).events == ()


def test_a_text_sent_again_counts_every_link_it_has_also_one_inside_a_word() -> None:
    story = Story()
    story.remember(passages=[{"text": "Annika read the news.", "mentions": ["ann"]}])
    again = story.remember(passages=[{"text": "Annika read the news."}]).reply
    assert (again["already"], again["mentions"], again["unlinked_passages"]) == (True, 1, 0)
