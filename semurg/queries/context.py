"""memory_context: what in memory bears on a question, ranked and cited, with a verdict on whether it answers.

The question is planned (context_plan), what bears on it found and ranked (context_finding), the items that fit chosen
(context_page), and the verdict passed (grounding). Everything is read at the two instants of the request; nothing is
written, and no model but the one that made the question's vector has a part in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from semurg.domain.limits import SUGGESTIONS_MAX
from semurg.domain.names import match_key
from semurg.domain.terms import QueryTerm, query_terms
from semurg.domain.visibility import At
from semurg.projections.scope import ScopeProjection
from semurg.projections.vectors import Embedded
from semurg.queries.answering import Answering
from semurg.queries.context_finding import Finding
from semurg.queries.context_items import ContextItems, attributes_said
from semurg.queries.context_page import Choosing, Page
from semurg.queries.context_plan import ContextRequest, Meaning, Plan
from semurg.queries.context_seeds import STAGES
from semurg.queries.evidence import Scored
from semurg.queries.grounding import Asked, ShownItem, verdict
from semurg.queries.items import Item, compact
from semurg.queries.walked import FACT, Walked

SUGGESTED_KEY_MAX = 200


class Call(NamedTuple):
    """A context as asked: where, what, what the question comes to (None: there is no such scope), and when."""

    scope: ScopeProjection | None
    scope_name: str
    request: ContextRequest
    planned: Plan | None
    at: At


def context(call: Call, meaning: Meaning) -> dict[str, Any]:
    """The reply to memory_context."""
    scope, planned = call.scope, call.planned
    if scope is None or planned is None:
        return _nothing(call, meaning, None)
    finding = Finding(scope, call.request, planned, meaning, call.at)
    if not finding.anything:
        return _nothing(call, meaning, finding)
    scored, walked = finding.evidence()
    page = Choosing(scope, call.request, planned, call.at, finding).page(scored, walked)
    if not page.items:
        return _nothing(call, meaning, finding)
    grounding = _grounding(call, meaning, finding, scored, page)
    position = str(scope.reads.position_at(call.at.known_at))
    if call.request.compact:
        items = [compact(item) for item in page.items]
        short: dict[str, Any] = {"state": "answered", "items": items, "grounding": grounding, "position": position}
        return short | ({"left_out": page.left_out} if page.left_out else {}) | _time(call, finding)
    make = ContextItems(scope.reads, scope.number, call.at, finding.seeds, [])
    seeds = [
        {"id": make.entity_id(seed.entity), "name": scope.reads.name(seed.entity), "seed": seed.stage}
        for seed in planned.seeds
    ]
    return {
        "ok": True,
        "state": "answered",
        "scope": call.scope_name,
        "position": position,
        "items": page.items,
        "left_out": page.left_out,
        "grounding": grounding,
        "seeds": seeds,
        "seeding": _seeding(call, meaning, finding),
        "traversal": _traversal(call, walked),
        "meaning": _armed(meaning),
        **_time(call, finding),
    }


def _grounding(call: Call, meaning: Meaning, finding: Finding, scored: Scored, page: Page) -> dict[str, Any]:
    assert call.scope is not None and call.planned is not None
    parts, time = call.scope.parts, call.request.time
    every = content_words(query_terms(call.request.query, call.scope.reads.languages(call.at)))
    if time is not None and finding.applied:
        # what was read for the period answers for its words
        every = [word for word in every if not time.start <= word.start < time.end]
    seeds = [seed for seed in call.planned.seeds if seed.stage != "type"]
    names = [word for word in every if any(seed.start <= word.start < seed.end for seed in seeds)]
    stored = list(dict.fromkeys(call.scope.reads.name(seed.entity) for seed in seeds))
    answering = Answering(finding.question.words, finding.question.rarity)
    places = list(page.passages)
    passages = [page.passages[place] for place in places]
    meant = answering.meant(parts, call.at, finding.question, scored, passages, call.planned, meaning.floor)
    if meant is not None:
        meant = meant._replace(place=places[meant.place])
    return verdict(Asked(every, names, stored), [_shown(item) for item in page.items], meant, _judged(meaning))


def content_words(words: list[QueryTerm]) -> list[QueryTerm]:
    """The words of a question that carry content: no stop words, and no parts of a longer one."""
    return [word for word in words if not word.stop and word.whole < 0]


def _shown(item: Item) -> ShownItem:
    citation = item["citation"]
    text = item["text"]
    if item["kind"] == "fact":
        text = f"{item['subject']} {item['relation'].replace('_', ' ')} {item['object']} {attributes_said(item)}"
    span = citation["span"]
    if span is not None:
        text = f"{text}\n{span['text']}"
    return ShownItem(text, citation["span_state"] != "source_forgotten")


def _nothing(call: Call, meaning: Meaning, finding: Finding | None) -> dict[str, Any]:
    """The explicit empty answer, with names that are near when there are any."""
    near: list[str] = []
    position = "0"
    if call.scope is not None:
        key = match_key(call.request.query)
        if len(key) <= SUGGESTED_KEY_MAX:
            near = call.scope.reads.close_names(key, call.at, SUGGESTIONS_MAX)
        position = str(call.scope.reads.position_at(call.at.known_at))
    every = content_words(query_terms(call.request.query))
    judged = _judged(meaning)
    reply: dict[str, Any] = {"state": "nothing_stored" if judged else "could_not_judge", "items": []}
    if not judged:
        reply["detail"] = f"Search by meaning could not run: {meaning.reason}."
    reply["grounding"] = verdict(Asked(every, [], []), [], None, judged)
    reply["position"] = position
    if near or not call.request.compact:
        reply["did_you_mean"] = near
    if call.request.compact:
        return reply | _time(call, finding)
    return {
        "ok": True,
        **reply,
        "scope": call.scope_name,
        "left_out": 0,
        "seeds": [],
        "seeding": _seeding(call, meaning, finding),
        "traversal": {"hops": 0, "visited": 0, "facts": 0},
        "meaning": _armed(meaning),
        **_time(call, finding),
    }


def _seeding(call: Call, meaning: Meaning, finding: Finding | None) -> dict[str, Any]:
    matched = {} if call.planned is None else call.planned.names.matched
    report: dict[str, Any] = {stage: {"state": "ran", "matched": matched.get(stage, 0)} for stage in STAGES}
    report["words"] = {"state": "ran", "matched": 0 if finding is None else len(finding.by_words)}
    if meaning.state != "ran" or call.scope is None or finding is None:
        state = "not_run" if meaning.state == "ran" else meaning.state
        report["meaning"] = {"state": state} | ({"detail": meaning.reason} if state == "could_not_judge" else {})
        return report
    parts = call.scope.parts
    complete = parts.vectors.count(Embedded.PASSAGE) >= parts.passages.live
    report["meaning"] = {
        "state": "ran",
        "matched": len(finding.nearest),
        "coverage": "complete" if complete else "incomplete",
        "model": meaning.model,
        "floor": meaning.floor,
    }
    return report


def _traversal(call: Call, walked: Walked) -> dict[str, int]:
    facts = sum(number <= FACT for number in walked.evidence)
    return {"hops": call.request.hops, "visited": walked.visited, "facts": facts}


def _armed(meaning: Meaning) -> str:
    return "armed" if meaning.state == "ran" else meaning.state


def _judged(meaning: Meaning) -> bool:
    return meaning.state != "could_not_judge"


def _time(call: Call, finding: Finding | None) -> dict[str, Any]:
    time = call.request.time
    if time is None:
        return {}
    return {"time": time.report(applied=finding is not None and finding.applied)}
