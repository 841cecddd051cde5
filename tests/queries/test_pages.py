"""k, max_tokens, left_out and next: what a page takes, and that pages neither skip nor repeat while others write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from semurg.domain import events
from semurg.domain.errors import Refusal

from .scopes import Scope, texts


def pages(scope: Scope, between: Callable[[int], None] = lambda page: None, **fields: Any) -> list[dict]:
    """Every page of a recall of Hub Orla; `between` runs after each."""
    replies = [scope.recall("Hub Orla", **fields)]
    while replies[-1]["next"] is not None:
        assert len(replies) < 1000
        between(len(replies))
        replies.append(scope.recall("Hub Orla", cursor=replies[-1]["next"], **fields))
    return replies


def all_texts(replies: list[dict], kind: str | None = None) -> list[str]:
    return [text for reply in replies for text in texts(reply, kind)]


def hub(spokes: int, relation: str = "LINKS") -> Scope:
    scope = Scope()
    for number in range(spokes):
        scope.fact("Hub Orla", relation, f"Node {number:03}", "2020-01-01")
    return scope


def test_k_bounds_facts_and_passages_and_the_entity_comes_on_top() -> None:
    scope = hub(30)
    reply = scope.recall("Hub Orla")
    assert len(reply["items"]) == 21
    assert reply["left_out"] == 10
    assert scope.recall("Hub Orla", k=1000)["left_out"] == 0


def test_a_last_page_has_no_next() -> None:
    reply = hub(20).recall("Hub Orla")
    assert (reply["left_out"], reply["next"]) == (0, None)


def test_pages_hold_every_item_once_in_order() -> None:
    scope = hub(25)
    for number in range(5):
        scope.document((f"Hub Orla, day {number}.", [0], {"Hub Orla": 0}), date=f"2021-01-0{number + 1}")
    replies = pages(scope, k=7)
    assert all_texts(replies, "fact") == [f"Hub Orla LINKS Node {number:03}" for number in range(25)]
    assert all_texts(replies, "passage") == [f"Hub Orla, day {number}." for number in (4, 3, 2, 1, 0)]
    assert all_texts(replies, "entity") == ["Hub Orla"]
    assert [reply["left_out"] for reply in replies] == [23, 16, 9, 2, 0]
    scores = [item["score"] for reply in replies for item in reply["items"]]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == 31


def test_a_hub_relation_does_not_hide_the_few_of_another() -> None:
    scope = hub(100)
    scope.fact("Hub Orla", "OWNED_BY", "Mira", "2001-01-01")
    scope.fact("Paul", "VISITED", "Hub Orla", "1990-01-01")
    shown = texts(scope.recall("Hub Orla", k=5), "fact")
    assert {"Hub Orla OWNED_BY Mira", "Paul VISITED Hub Orla"} <= set(shown)
    assert len(shown) == 5


def test_every_relation_gets_its_best_before_any_gets_a_second() -> None:
    scope = Scope()
    for relation in ("A", "B", "C"):
        for year in (2000, 2010, 2020):
            scope.fact("Hub Orla", relation, f"{relation}{year}", f"{year}-01-01")
    assert texts(scope.recall("Hub Orla", k=3), "fact") == [f"Hub Orla {r} {r}2020" for r in "ABC"]
    first, second = pages(scope, k=5)
    assert texts(first, "fact")[3:] == ["Hub Orla A A2010", "Hub Orla B B2010"]
    # the relation that had to wait takes its turn first
    assert texts(second, "fact") == ["Hub Orla C C2010", *(f"Hub Orla {r} {r}2000" for r in "ABC")]


def test_pages_neither_skip_nor_repeat_while_others_write() -> None:
    scope = hub(40)
    scope.fact("Hub Orla", "OWNED_BY", "Mira", "2001-01-01")

    def write(page: int) -> None:
        scope.fact("Hub Orla", "LINKS", f"Late {page}", "2024-01-01")
        scope.fact(f"Later {page}", "VISITED", "Hub Orla")
        scope.document((f"Hub Orla, late {page}.", [0], {"Hub Orla": 0}))

    undisturbed = all_texts(pages(scope, k=6))
    replies = pages(scope, between=write, k=6)
    assert all_texts(replies) == undisturbed
    assert len({reply["position"] for reply in replies}) == 1


@pytest.mark.parametrize("as_entity", [False, True], ids=["fact forgotten", "entity forgotten"])
def test_what_is_forgotten_between_pages_makes_no_other_item_skip_or_repeat(as_entity: bool) -> None:
    scope = hub(40)

    def forget(text: str) -> None:
        target = text.removeprefix("Hub Orla LINKS ")
        fact = scope.facts["Hub Orla", "LINKS", target]
        if as_entity:
            change = events.EntityForgotten("h", scope.entities[target], facts=[fact], passages=[], documents=[])
            scope.commit(change)
        else:
            scope.commit(events.FactForgotten("h", fact))

    to_come = [f"Hub Orla LINKS Node {number:03}" for number in (12, 20, 39)]
    replies = [scope.recall("Hub Orla", k=6)]
    while replies[-1]["next"] is not None:
        last_shown, shown_before = texts(replies[-1], "fact")[-1], texts(replies[-1], "fact")[1]
        forget(last_shown)
        forget(shown_before)
        if len(replies) == 1:
            for text in to_come:
                forget(text)
        replies.append(scope.recall("Hub Orla", k=6, cursor=replies[-1]["next"]))
    every = [f"Hub Orla LINKS Node {number:03}" for number in range(40)]
    assert all_texts(replies, "fact") == [text for text in every if text not in to_come]


def test_passages_forgotten_between_pages_make_no_other_one_skip_or_repeat() -> None:
    scope = Scope()
    for number in range(9):
        scope.document((f"Hub Orla, day {number}.", [0], {"Hub Orla": 0}), date=f"2021-01-0{number + 1}")

    def forget(page: int) -> None:
        last_shown = 9 - 2 * page
        scope.commit(events.DocumentsForgotten(key_hash="h", documents=[last_shown], passages=[last_shown]))

    assert all_texts(pages(scope, between=forget, k=2), "passage") == [f"Hub Orla, day {n}." for n in range(8, -1, -1)]


def test_a_seed_forgotten_between_pages_ends_the_paging_and_finds_nobody_else() -> None:
    scope = hub(5)
    scope.fact("Hub Orlo", "LINKS", "Elsewhere")
    first = scope.recall("Hub Orla", k=2)
    facts = [scope.facts["Hub Orla", "LINKS", f"Node {number:03}"] for number in range(5)]
    scope.commit(events.EntityForgotten("h", scope.entities["Hub Orla"], facts=facts, passages=[], documents=[]))
    reply = scope.recall("Hub Orla", k=2, cursor=first["next"])
    assert (reply["state"], reply["items"], reply["next"]) == ("nothing_stored", [], None)


def test_max_tokens_bounds_the_bytes_of_the_items_texts() -> None:
    scope = Scope()
    for number in range(6):
        scope.fact("Hub Orla", "LINKS", f"Näm {number}", "2020-01-01")
    # "Hub Orla" is 8 bytes, each fact 21: four bytes a token
    assert len("Hub Orla LINKS Näm 0".encode()) == 21
    reply = scope.recall("Hub Orla", max_tokens=18)
    assert len(texts(reply, "fact")) == 3
    assert reply["left_out"] == 3
    replies = pages(scope, max_tokens=18)
    assert all_texts(replies, "fact") == [f"Hub Orla LINKS Näm {number}" for number in range(6)]


def test_a_page_holds_one_item_at_least_however_small_the_budget() -> None:
    scope = hub(3)
    scope.document(("Hub Orla, at length.", [0], {"Hub Orla": 0}))
    replies = pages(scope, max_tokens=1)
    assert [len(reply["items"]) for reply in replies] == [1, 1, 1, 1, 1]
    assert len(set(all_texts(replies))) == 5


def test_an_entity_with_more_attributes_than_fit_is_cut_in_its_text_and_whole_in_its_attributes() -> None:
    scope = Scope()
    scope.entity("Hub Orla", **{f"key{number:02}": "x" * 40 for number in range(50)})
    scope.fact("Hub Orla", "LINKS", "Mira")
    reply = scope.recall("Hub Orla", max_tokens=100)
    entity = reply["items"][0]
    assert len(entity["attributes"]) == 50
    assert entity["text"].startswith("Hub Orla; key00: ") and entity["text"].endswith("x")
    assert sum(len(text.encode()) for text in texts(reply)) <= 400
    assert texts(reply, "fact") == ["Hub Orla LINKS Mira"]


def test_an_entity_with_more_types_than_fit_keeps_to_the_budget_and_lists_them_all() -> None:
    scope = Scope()
    scope.entity("Hub Orla", *(f"Kind {number:03}" for number in range(100)), role="lead")
    entity = scope.recall("Hub Orla", max_tokens=50)["items"][0]
    assert len(entity["types"]) == 100
    assert entity["text"].startswith("Hub Orla (Kind 000, Kind 001") and entity["text"].endswith(")")
    assert len(entity["text"]) <= 200


def test_seeds_that_do_not_fit_come_on_the_next_page() -> None:
    scope = Scope()
    for number in range(6):
        scope.entity(f"Crate {number}", state="open")
    wanted = {"attribute": ("state", "open"), "max_tokens": 10}
    first = scope.recall(**wanted)
    assert 0 < len(first["items"]) < 6
    replies = [first]
    while replies[-1]["next"]:
        replies.append(scope.recall(**wanted, cursor=replies[-1]["next"]))
    assert [item["subject"] for reply in replies for item in reply["items"]] == [f"Crate {n}" for n in range(6)]


def test_a_relation_of_thousands_pages_like_a_small_one() -> None:
    scope = Scope()
    count = 1500
    names = ["Hub Orla", *(f"Node {number:04}" for number in range(count))]
    source, changes = scope.source()
    changes += scope.named(names, source)
    day = 86_400_000_000
    scope.commit(
        *changes,
        events.FactsRecorded(
            type_names=["LINKS", "KEEPS"],
            numbers=list(range(count)),
            sources=[0] * count,
            types=[int(number % 100 == 7) for number in range(count)],
            targets=list(range(1, count + 1)),
            stated=list(range(count)),
            stated_by=[source] * count,
            stated_from=[number % 4 * day for number in range(count)],
            stated_to=[2**63 - 1] * count,
            span_passage=[-1] * count,
            span_start=[0] * count,
            span_end=[0] * count,
            changed=list(range(count)),
            episodes=[1] * count,
            episode_from=[number % 4 * day for number in range(count)],
            episode_to=[2**63 - 1] * count,
        ),
    )
    whole = scope.recall("Hub Orla", k=1000, max_tokens=1_000_000)
    assert whole["left_out"] == 500
    assert len([text for text in texts(whole) if "KEEPS" in text]) == 15
    replies = pages(scope, k=200, max_tokens=1_000_000)
    links = [text for text in all_texts(replies, "fact") if "LINKS" in text]
    expected = [
        f"Hub Orla LINKS Node {number:04}"
        for remainder in (3, 2, 1, 0)
        for number in range(count)
        if number % 4 == remainder and number % 100 != 7
    ]
    assert links == expected
    assert [reply["left_out"] for reply in replies] == [1300, 1100, 900, 700, 500, 300, 100, 0]


@pytest.mark.parametrize("damage", ["", "x", "é", "AAAA" * 20])
def test_a_cursor_that_the_node_did_not_make_is_refused_by_name(damage: str) -> None:
    with pytest.raises(Refusal) as refused:
        hub(3).recall("Hub Orla", k=1, cursor=damage)
    assert refused.value.code == "cursor_invalid"


def test_a_cursor_changed_in_any_one_character_is_refused() -> None:
    scope = hub(3)
    token = scope.recall("Hub Orla", k=1)["next"]
    for place in range(len(token)):
        other = "A" if token[place] != "A" else "B"
        with pytest.raises(Refusal):
            scope.recall("Hub Orla", k=1, cursor=token[:place] + other + token[place + 1 :])
    with pytest.raises(Refusal):
        scope.recall("Hub Orla", k=1, cursor=token + "=")


def test_a_cursor_of_another_scope_user_subject_or_instant_is_refused() -> None:
    scope = hub(3)
    token = scope.recall("Hub Orla", k=1)["next"]
    scope.entity("Mira")
    refused = [
        lambda: scope.recall("Mira", cursor=token),
        lambda: scope.recall("Hub Orla", cursor=token, instants=scope.at(valid_at="2024-01-01")),
        lambda: elsewhere(scope="u").recall("Hub Orla", cursor=token),
        lambda: elsewhere(user="ub").recall("Hub Orla", cursor=token),
    ]
    for call in refused:
        with pytest.raises(Refusal, match="cursor_invalid"):
            call()


def elsewhere(**place: str) -> Scope:
    scope = Scope(**place)
    scope.fact("Hub Orla", "LINKS", "Mira")
    return scope


def test_a_cursor_goes_on_with_the_spelling_and_the_instants_of_the_first_call_or_without_them() -> None:
    scope = hub(3)
    asked = scope.at(valid_at="2024-01-01")
    token = scope.recall("Hub Orla", k=2, instants=asked)["next"]
    with_them = scope.recall("hub  ORLA", k=2, instants=asked, cursor=token)
    without = scope.recall("Hub Orla", k=2, cursor=token)
    assert texts(with_them) == texts(without) == ["Hub Orla LINKS Node 002"]


def test_an_old_cursor_gives_the_same_page_again() -> None:
    scope = hub(9)
    token = scope.recall("Hub Orla", k=4)["next"]
    page = scope.recall("Hub Orla", k=4, cursor=token)
    scope.fact("Hub Orla", "LINKS", "Aaa", "2025-01-01")
    assert scope.recall("Hub Orla", k=4, cursor=token) == page
