"""memory_recall: an entity, its facts in both directions, and the passages linked to it, each with its citation.

Reads the projection's primitives at two instants and nothing else: no clock, no log, no model. The order of items is
entities, then facts, then passages (ranking.py); a page takes from it while k and the budget of tokens last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from semurg.domain.commands import Name
from semurg.domain.errors import Refusal
from semurg.domain.limits import BYTES_A_TOKEN, RECALL_K_DEFAULT, REPLY_TOKENS_DEFAULT, SUGGESTIONS_MAX
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.projections.scope import ScopeProjection
from semurg.queries.cursors import Cursor, PassageMark, fingerprint, read_cursor, write_cursor
from semurg.queries.instants import NOT_ASKED, ReadInstants
from semurg.queries.items import Item, Items, compact, text_bytes
from semurg.queries.ranking import Marks, Turn, facts_in_order, marks_after, passages_in_order
from semurg.queries.seeds import (
    NO_SEEDS,
    WEIGHTS,
    Seeds,
    seeding_report,
    seeds_of_attribute,
    seeds_of_cursor,
    seeds_of_subject,
)

# An item at this place of the order is worth half of the first.
_HALF_WORTH_AT = 20


class AttributeWanted(msgspec.Struct, frozen=True):
    """Entities with this value of this key: in the form of domain.values.canonical, of any type when `type` is None."""

    key: str
    canonical: str
    type: str | None = None


class RecallRequest(msgspec.Struct, frozen=True):
    """What is asked: one of `subject` and `attribute`. `instants` are as the call gave them, for the cursor to keep."""

    subject: Name | None = None
    attribute: AttributeWanted | None = None
    k: int = RECALL_K_DEFAULT
    max_tokens: int = REPLY_TOKENS_DEFAULT
    cursor: str | None = None
    compact: bool = False
    instants: ReadInstants = NOT_ASKED


class RecallContext(NamedTuple):
    """Where it is asked: partition ("" is the owner's), scope name, and the node's secret that signs cursors."""

    user: str
    scope: str
    cursor_key: bytes


class _Start(NamedTuple):
    """Where the page begins: the seeds, and what earlier pages showed."""

    seeds: Seeds
    entities: int
    items: int
    marks: Marks
    passage: PassageMark | None


class _Page(NamedTuple):
    """A page as chosen: its items, where it ends, and what is left after it."""

    items: list[Item]
    end: _Start
    left_out: int
    reached: int
    facts: int


def recall(scope: ScopeProjection | None, request: RecallRequest, at: At, context: RecallContext) -> dict[str, Any]:
    """The reply to memory_recall; `scope` is None when there is none of that name.

    A cursor overrides `at` with the instants of its first page. Raises Refusal subject_or_attribute, cursor_invalid.
    """
    belongs_to = _fingerprint(request, context)
    cursor = None
    if request.cursor is not None:
        cursor = _cursor(request.cursor, request, belongs_to, context.cursor_key)
        at = cursor.at
    if scope is None or (cursor is not None and cursor.scope != scope.number):
        return _nothing(None, NO_SEEDS, request, at, context)
    reads = scope.reads
    start = _first_page(reads, request, at) if cursor is None else _later_page(reads, cursor, at)
    if not start.seeds.entities:
        return _nothing(reads, start.seeds, request, at, context)
    page = _fill(reads, scope.number, start, request, at)
    following = None
    if page.left_out:
        asked = request.instants if cursor is None else cursor.asked
        following = write_cursor(_cursor_at(page.end, scope.number, at, asked), belongs_to, context.cursor_key)
    return _reply(scope, start.seeds, page, following, request, at, context)


def _first_page(reads: Reads, request: RecallRequest, at: At) -> _Start:
    wanted = _wanted(request)
    if isinstance(wanted, Name):
        seeds = seeds_of_subject(reads, wanted, at)
    else:
        seeds = seeds_of_attribute(reads, wanted.key, wanted.canonical, wanted.type, at)
    return _Start(seeds, 0, 0, {}, None)


def _later_page(reads: Reads, cursor: Cursor, at: At) -> _Start:
    seeds = seeds_of_cursor(reads, cursor, at)
    standing = set(seeds.entities)
    entities = sum(entity in standing for entity in cursor.seeds[: cursor.entities])
    marks = {(mark.derived, mark.relation): mark for mark in cursor.groups}
    return _Start(seeds, entities, cursor.items, marks, cursor.passage)


def _fill(reads: Reads, scope_number: int, start: _Start, request: RecallRequest, at: At) -> _Page:
    """Take items in order while k and the budget last; one at least."""
    seeds = start.seeds
    make = Items(reads, scope_number, at, seeds.stage, seeds.entities)
    weight = WEIGHTS[seeds.stage]
    items: list[Item] = []
    room = _Room(request.max_tokens * BYTES_A_TOKEN)
    score = _Score(weight, start.items)

    linked = [reads.passages_of_entity(seed, at) for seed in seeds.entities]
    entities = start.entities
    while entities < len(seeds.entities):
        said = make.entity_text(seeds.entities[entities], room.left // 2)
        if not room.take(said.text):
            break
        items.append(make.entity(entities, said, linked[entities], score.next()))
        entities += 1
    facts = facts_in_order(reads, seeds.entities, at, request.k, start.marks)

    taken: list[Turn] = []
    texts = []
    for turn in facts.turns[: request.k]:
        line = make.fact_text(turn[1])
        if not room.take(line[2]):
            break
        taken.append(turn)
        texts.append(line)
    in_sight = sorted(range(len(taken)), key=lambda place: taken[place][1])
    items += [make.fact(taken[place][1], texts[place], score.next()) for place in in_sight]

    wanted = request.k - len(taken) if len(taken) == facts.remaining else 0
    passages, passages_behind = passages_in_order(reads, linked, wanted, start.passage)
    shown, shown_passages = start.passage, 0
    for recency, number, seed in passages:
        row = reads.passage(number)
        if not room.take(row.text):
            break
        items.append(make.passage(number, row, seed, score.next()))
        shown = PassageMark(recency, number)
        shown_passages += 1
    left_out = len(seeds.entities) - entities + facts.remaining - len(taken) + passages_behind - shown_passages
    marks = marks_after(start.marks, taken) if left_out else start.marks
    end = _Start(seeds, entities, start.items + len(items), marks, shown)
    return _Page(items, end, left_out, facts.reached, facts.total)


class _Room:
    """What is left of the reply's budget, in bytes. Once something does not fit, nothing after it is taken."""

    def __init__(self, bytes_max: int) -> None:
        self.left = bytes_max
        self._empty = True
        self._closed = False

    def take(self, text: str) -> bool:
        """Whether the text fits; the first one always does."""
        size = text_bytes(text)
        if self._closed or (size > self.left and not self._empty):
            self._closed = True
            return False
        self._empty = False
        self.left = max(0, self.left - size)
        return True


class _Score:
    """What the items are worth: by the stage that found the seed, and less with every place down the whole order."""

    def __init__(self, weight: float, place: int) -> None:
        self._weight = weight
        self._place = place

    def next(self) -> float:
        """The score of the next item."""
        score = self._weight / (1 + self._place / _HALF_WORTH_AT)
        self._place += 1
        return round(score, 4)


def _reply(
    scope: ScopeProjection,
    seeds: Seeds,
    page: _Page,
    following: str | None,
    request: RecallRequest,
    at: At,
    context: RecallContext,
) -> dict[str, Any]:
    reads = scope.reads
    position = str(reads.position_at(at.known_at))
    if request.compact:
        short = {"state": "answered", "items": [compact(item) for item in page.items], "position": position}
        return short | {"left_out": page.left_out, "next": following} if page.left_out else short
    make = Items(reads, scope.number, at, seeds.stage, seeds.entities)
    names = reads.names(seeds.entities)
    return {
        "ok": True,
        "state": "answered",
        "scope": context.scope,
        "position": position,
        "items": page.items,
        "left_out": page.left_out,
        "next": following,
        "seeds": [
            {"id": make.entity_id(entity), "name": name, "seed": seeds.stage}
            for entity, name in zip(seeds.entities, names, strict=True)
        ],
        "seeding": seeding_report(seeds, request.attribute is not None),
        "traversal": {"hops": 1, "visited": page.reached, "facts": page.facts},
        "meaning": "not_armed",
    }


def _nothing(
    reads: Reads | None, seeds: Seeds, request: RecallRequest, at: At, context: RecallContext
) -> dict[str, Any]:
    """The explicit empty answer, with names that are near when there are any."""
    near: list[str] = []
    if reads is not None and request.subject is not None:
        near = reads.close_names(request.subject.key, at, SUGGESTIONS_MAX)
    position = "0" if reads is None else str(reads.position_at(at.known_at))
    if request.compact:
        reply: dict[str, Any] = {"state": "nothing_stored", "items": [], "position": position}
        return reply | {"did_you_mean": near} if near else reply
    return {
        "ok": True,
        "state": "nothing_stored",
        "scope": context.scope,
        "position": position,
        "items": [],
        "left_out": 0,
        "next": None,
        "seeds": [],
        "seeding": seeding_report(seeds, request.attribute is not None),
        "traversal": {"hops": 0, "visited": 0, "facts": 0},
        "meaning": "not_armed",
        "did_you_mean": near,
    }


def _fingerprint(request: RecallRequest, context: RecallContext) -> bytes:
    wanted = _wanted(request)
    about = (wanted.key,) if isinstance(wanted, Name) else (wanted.key, wanted.canonical, wanted.type)
    return fingerprint("recall", context.user, context.scope, *about)


def _wanted(request: RecallRequest) -> Name | AttributeWanted:
    """The one thing that is asked for."""
    if request.subject is not None and request.attribute is None:
        return request.subject
    if request.attribute is not None and request.subject is None:
        return request.attribute
    raise Refusal(
        "subject_or_attribute",
        "A recall asks for one of subject and attribute.",
        "Send subject (a name), or attribute with key and value.",
    )


def _cursor(token: str, request: RecallRequest, belongs_to: bytes, key: bytes) -> Cursor:
    cursor = read_cursor(token, belongs_to, key)
    if request.instants not in (NOT_ASKED, cursor.asked):
        raise Refusal(
            "cursor_invalid",
            "The cursor goes on at the instants of its first page, and this call asks for others.",
            "Leave out as_of, valid_at and at_position, or send them as in the first call.",
        )
    return cursor


def _cursor_at(end: _Start, scope_number: int, at: At, asked: ReadInstants) -> Cursor:
    seeds = end.seeds
    return Cursor(
        scope=scope_number,
        known=at.known_at,
        true=at.valid_at,
        asked=asked,
        stage=seeds.stage,
        seeds=seeds.entities,
        matched=seeds.matched,
        entities=end.entities,
        items=end.items,
        groups=list(end.marks.values()),
        passage=end.passage,
    )
