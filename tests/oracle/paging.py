"""What must be true of the pages of a recall, whatever the order of the groups that take turns."""

from __future__ import annotations

from typing import Any

from hypothesis import note
from reading_oracle import Place
from twins import Twins, placed


def check_pages(twins: Twins, place: Place, asked: dict[str, Any], k: int, meanwhile: list[Any]) -> None:
    """Read a recall page by page, writing in between, and compare with the same recall in one piece."""
    whole = twins.recall(place, asked)
    if whole["state"] != "answered":
        return
    everything = {one["text"] + str(one["source_id"]): one for one in whole["items"]}
    left = sum(one["kind"] != "entity" for one in whole["items"])
    cursor, shown, writes = None, [], iter(meanwhile)
    while True:
        page = {**asked, **placed(place), "k": k, **({"cursor": cursor} if cursor else {})}
        reply = twins.memory.recall(**page)
        assert reply["position"] == whole["position"]
        counted = [one for one in reply["items"] if one["kind"] != "entity"]
        assert len(counted) == min(k, left)
        left -= len(counted)
        assert reply["left_out"] == left
        assert (reply["next"] is None) == (left == 0)
        shown += reply["items"]
        _takes_turns(whole["items"], shown)
        if reply["next"] is None:
            break
        cursor = reply["next"]
        step, (verb, fields) = next(writes, (0, (None, {})))
        twins.clock.now += step
        if verb is not None:
            note(f"meanwhile {verb} {fields}")
            twins.command(verb, place, fields)
    keys = [one["text"] + str(one["source_id"]) for one in shown]
    assert len(keys) == len(set(keys)), "a page repeats an item"
    assert set(keys) == set(everything), "pages skip an item"
    assert [_apart_from_score(one) for one in shown] == [_apart_from_score(everything[key]) for key in keys], (
        "an item differs from the same item of the whole reply"
    )


def check_compact(twins: Twins, place: Place, asked: dict[str, Any], whole: dict[str, Any]) -> None:
    """The compact form of a recall says the same of every item, without nulls."""
    reply = twins.memory.recall(**asked, **placed(place), k=1000, compact=True)
    assert set(reply) <= {"state", "items", "left_out", "next", "ok", "position", "did_you_mean"}
    assert reply["state"] == whole["state"] and len(reply["items"]) == len(whole["items"])
    for short, full in zip(reply["items"], whole["items"], strict=True):
        assert all(value is not None for value in short.values())
        shared = ("text", "kind", "score", "seed", "subject", "relation", "object", "key")
        assert all(short.get(field) == full.get(field) for field in shared)
        source = full["citation"]["source"]
        cited = (source["doc_id"], source["name"], full["source_date"])
        assert (short.get("doc_id"), short.get("source"), short.get("date")) == cited
        assert set(short.get("attributes", {})) == set(full["attributes"])


def _apart_from_score(item: dict[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in item.items() if key != "score"}


def _takes_turns(whole: list[dict[str, Any]], shown: list[dict[str, Any]]) -> None:
    """No relation is more than one fact ahead of another that has facts left, and passages wait for all facts."""
    total, taken = _by_relation(whole), _by_relation(shown)
    unfinished = [taken.get(group, 0) for group in total if taken.get(group, 0) < total[group]]
    if unfinished:
        assert max(taken.values(), default=0) <= min(unfinished) + 1
        assert not any(one["kind"] == "passage" for one in shown)


def _by_relation(items: list[dict[str, Any]]) -> dict[tuple[bool, str], int]:
    counts: dict[tuple[bool, str], int] = {}
    for one in items:
        if one["kind"] == "fact":
            group = one["derived"], one["relation"]
            counts[group] = counts.get(group, 0) + 1
    return counts
