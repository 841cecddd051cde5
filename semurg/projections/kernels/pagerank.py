"""Kernels of the walk around a question: its neighbourhood, breadth first, and personalised PageRank over that.

PageRank is by forward push (Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", 2006): a walk
stops at each step with probability `stop`, and the score of a place is how likely it stops there. What is not yet
pushed on is at most `epsilon` an edge, so the cost follows the seeds' surroundings and never the graph.

A place is a key: 2 * entity, or 2 * passage + 1. How rows are listed is told by kernels.graph and kernels.chains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semurg.projections.kernels.jit import (
    F64,
    F64_OUT,
    F64_ROWS,
    I32_OUT,
    I32_ROWS,
    I64,
    I64_OUT,
    I64_ROWS,
    U8_OUT,
    kernel,
    step,
)
from semurg.projections.kernels.visibility import NEVER, is_known, shows

Rows = NDArray[Any]

FANOUT_MIN = 8
MENTION, OPENING = -1, -2
"""In a list of edges, instead of the row of a fact: a mention, and one with which its passage opens."""
NO_ROOM = -1
SCRAMBLE = 0x9E3779B97F4A7C15 - 2**64
PLACES, EDGES, EXPANDED, CAPPED = range(4)
"""Where `explore` leaves how many places and edges it found, from how many it went on, whether it left anything out."""


@step
def _slot(table: Rows, keys: Rows, key: int) -> Any:
    """The slot of `table` (places in `keys`, -1: free) where the key is or belongs."""
    mask = len(table) - 1
    slot = ((np.int64(key) * SCRAMBLE) >> 20) & mask
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@step
def _newest_facts(entity: int, side: Any, listed: int, times: Any, known_at: int, valid_at: int, found: Rows) -> int:
    """The newest rows of one side of the entity that show, as many as `found` holds, newest first; how many."""
    starts, rows, heads, nexts = side
    known_from, known_to, valid_from, valid_to = times
    count = 0
    row = heads[entity] if entity < len(heads) else -1
    while row >= 0 and count < len(found):
        if shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at):
            found[count] = row
            count += 1
        row = nexts[row - listed]
    if entity < len(starts) - 1:
        place = starts[entity + 1] - 1
        while place >= starts[entity] and count < len(found):
            row = rows[place]
            if shows(known_from[row], known_to[row], valid_from[row], valid_to[row], known_at, valid_at):
                found[count] = row
                count += 1
            place -= 1
    return count


@step
def _newest_mentions(entity: int, links: Any, horizon: int, bounds: Any, valid_at: int, found: Rows) -> int:
    """The newest mentions of the entity that show, as many as `found` holds, newest first; how many."""
    entity_last, before, _, _, _, passages, _, events = links
    documents, passage_events, passage_from = bounds
    count = 0
    row = entity_last[entity] if entity < len(entity_last) else -1
    while row >= 0 and count < len(found):
        passage = passages[row]
        if passage >= 0 and events[row] < horizon and documents[passage] >= 0 and passage_events[passage] < horizon:
            if shows(0, NEVER, passage_from[passage], NEVER, 0, valid_at):
                found[count] = row
                count += 1
        row = before[row]
    return count


@step
def _mentions_in(passage: int, links: Any, horizon: int, entity_from: Rows, known_at: int, found: Rows) -> int:
    """The first mentions of the passage that show, as many as `found` holds, in the order they were linked."""
    _, _, passage_last, after, entities, _, _, events = links
    tail = passage_last[passage] if passage < len(passage_last) else -1
    count = 0
    row = tail
    while row >= 0 and count < len(found):
        row = after[row]
        entity = entities[row]
        if entity >= 0 and events[row] < horizon and is_known(entity_from[entity], known_at):
            found[count] = row
            count += 1
        if row == tail:
            break
    return count


@step
def _join(key: Any, hop: int, row: int, limits: Any, grown: Any) -> bool:
    """Write an edge to the place `key`, which becomes one when it is not. False: there is no room where there may be.

    `limits` are the most places and edges; the first of `grown` counts them so far, and whether something was left out.
    """
    nodes_max, edges_max = limits
    counts, keys, hops, arrivals, edge_to, edge_rows, table = grown
    slot = _slot(table, keys, key)
    new = table[slot] < 0
    if counts[EDGES] == edges_max or (new and counts[PLACES] == nodes_max):
        counts[CAPPED] = 1
        return True
    if counts[EDGES] == len(edge_to) or (new and counts[PLACES] == len(keys)):
        return False
    if new:
        place = counts[PLACES]
        table[slot] = place
        keys[place], hops[place], arrivals[place] = key, hop, 0
        counts[PLACES] += 1
    place = table[slot]
    edge_to[counts[EDGES]], edge_rows[counts[EDGES]] = place, row
    arrivals[place] += 1
    counts[EDGES] += 1
    return True


@step
def _follow_facts(count: int, fanout: int, hop: int, ends: Rows, found: Rows, limits: Any, grown: Any) -> bool:
    """Go along the first `fanout` of the facts found, to their `ends`. False: there is no room where there may be."""
    if count > fanout:
        grown[0][CAPPED] = 1
    for i in range(min(count, fanout)):
        if not _join(2 * np.int64(ends[found[i]]), hop, found[i], limits, grown):
            return False
    return True


@step
def _follow_mentions(
    count: int, fanout: int, hop: int, of_passage: int, links: Any, found: Rows, limits: Any, grown: Any
) -> bool:
    """Go along the first `fanout` of the mentions found, to their other ends. False: there is no room."""
    _, _, _, _, entities, passages, starts, _ = links
    if count > fanout:
        grown[0][CAPPED] = 1
    for i in range(min(count, fanout)):
        row = found[i]
        key = 2 * np.int64(entities[row]) if of_passage else 2 * np.int64(passages[row]) + 1
        if not _join(key, hop, OPENING if starts[row] == 0 else MENTION, limits, grown):
            return False
    return True


@kernel(
    I64(
        I64_ROWS, I64, I64, I64, I64,
        I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64, I32_ROWS, I32_ROWS,
        I64_ROWS, I64_ROWS, I64_ROWS, I64_ROWS, I64, I64, I64_ROWS,
        I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I64,
        I32_ROWS, I32_ROWS, I64_ROWS,
        I64_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I32_OUT, I64_OUT,
    )
)  # fmt: skip
def explore(
    seeds: Rows, hops_max: int, nodes_max: int, edges_max: int, fanout_max: int,
    out_starts: Rows, out_rows: Rows, out_heads: Rows, out_nexts: Rows,
    in_starts: Rows, in_rows: Rows, in_heads: Rows, in_nexts: Rows, listed: int, sources: Rows, targets: Rows,
    known_from: Rows, known_to: Rows, valid_from: Rows, valid_to: Rows, known_at: int, valid_at: int, entity_from: Rows,
    entity_last: Rows, before: Rows, passage_last: Rows, passage_after: Rows,
    mention_entities: Rows, mention_passages: Rows, mention_starts: Rows, mention_events: Rows, horizon: int,
    documents: Rows, passage_events: Rows, passage_from: Rows,
    keys: Rows, hops: Rows, edge_ends: Rows, fact_counts: Rows, mention_counts: Rows, arrivals: Rows,
    edge_to: Rows, edge_rows: Rows, table: Rows, found: Rows, counts: Rows,
) -> int:  # fmt: skip
    """Places within `hops_max` steps of the seeds (keys, each once, showing), breadth first; how many. NO_ROOM: grow.

    A step goes along a fact, either way, or a mention, either way, that shows. Place i is `keys[i]`, `hops[i]` steps
    away. Places that were gone on from come first; the edges of place i end at `edge_ends[i]`, begin where those of
    place i - 1 end, and lead to place `edge_to[e]` over the fact row `edge_rows[e]` (MENTION, OPENING: a mention).
    `fact_counts` and `mention_counts` say how many showed, up to the length of `found` (working space) a list, also
    when fewer were followed: the newest, as many as every place of that distance may have without going past
    `edges_max` and `nodes_max`, `fanout_max` at most. `arrivals`: edges that lead to the place. `table`: all -1, a
    power of two above 2 * len(keys). `counts` (4) is left with what PLACES to CAPPED name.
    """
    times, bounds = (known_from, known_to, valid_from, valid_to), (documents, passage_events, passage_from)
    links = (
        entity_last, before, passage_last, passage_after,
        mention_entities, mention_passages, mention_starts, mention_events,
    )  # fmt: skip
    sides = ((out_starts, out_rows, out_heads, out_nexts), (in_starts, in_rows, in_heads, in_nexts))
    limits, grown = (nodes_max, edges_max), (counts, keys, hops, arrivals, edge_to, edge_rows, table)
    counts[:] = 0
    for key in seeds:
        place = counts[PLACES]
        keys[place], hops[place], arrivals[place] = key, 0, 0
        table[_slot(table, keys, key)] = place
        counts[PLACES] += 1
    place = 0
    for hop in range(1, hops_max + 1):
        level_end = counts[PLACES]
        # every place of a level may follow as many of each kind: none is left out for what came before it
        room = min(edges_max - counts[EDGES], nodes_max - counts[PLACES]) // (3 * max(1, level_end - place))
        fanout = min(fanout_max, max(FANOUT_MIN, room))
        while place < level_end:
            number, facts, fits = keys[place] >> 1, 0, True
            if keys[place] & 1:
                mentions = _mentions_in(number, links, horizon, entity_from, known_at, found)
            else:
                for inward in range(2):
                    side = sides[1] if inward else sides[0]
                    count = _newest_facts(number, side, listed, times, known_at, valid_at, found)
                    facts += count
                    fits = fits and _follow_facts(
                        count, fanout, hop, sources if inward else targets, found, limits, grown
                    )
                mentions = _newest_mentions(number, links, horizon, bounds, valid_at, found)
            if not (fits and _follow_mentions(mentions, fanout, hop, keys[place] & 1, links, found, limits, grown)):
                return NO_ROOM
            fact_counts[place], mention_counts[place], edge_ends[place] = facts, mentions, counts[EDGES]
            place += 1
    counts[EXPANDED] = place
    return int(counts[PLACES])


@kernel(
    I64(
        I64_ROWS, I64, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS, I32_ROWS,
        F64, F64, F64, F64, F64_OUT,
    )
)  # fmt: skip
def weigh(
    keys: Rows,
    expanded: int,
    edge_ends: Rows,
    fact_counts: Rows,
    mention_counts: Rows,
    arrivals: Rows,
    edge_to: Rows,
    edge_rows: Rows,
    fact_share: float,
    hub_damping: float,
    opening_weight: float,
    sink: float,
    chances: Rows,
) -> int:
    """How likely a walk at a place goes on over each of its edges, into `chances`; how many edges.

    An entity with both hands `fact_share` to its facts, the rest to its passages, shared among them; what was counted
    and not followed keeps its share, which is lost. An edge to an entity weighs degree ** -hub_damping, its degree
    being what was counted there, or where the walk did not go on, the edges that led there. An edge to or from the
    entity with which a passage opens weighs `opening_weight` as much; beside the entities of a passage `sink` weighs.
    """
    first = 0
    for place in range(expanded):
        end = edge_ends[place]
        facts = mentions = 0.0
        followed_facts = followed_mentions = 0
        for edge in range(first, end):
            weight = 1.0
            to = edge_to[edge]
            if keys[to] & 1 == 0 and hub_damping != 0.0:
                degree = fact_counts[to] + mention_counts[to] if to < expanded else arrivals[to]
                weight = max(1.0, float(degree)) ** -hub_damping
            if edge_rows[edge] == OPENING:
                weight *= opening_weight
            chances[edge] = weight
            if edge_rows[edge] >= 0:
                facts += weight
                followed_facts += 1
            else:
                mentions += weight
                followed_mentions += 1
        to_facts = to_mentions = 0.0
        if facts > 0.0:
            share = fact_share if mention_counts[place] > 0 else 1.0
            to_facts = share * followed_facts / fact_counts[place] / facts
        if mentions > 0.0:
            share = 1.0 - fact_share if fact_counts[place] > 0 else 1.0
            total = mentions + sink if keys[place] & 1 else mentions
            to_mentions = share * followed_mentions / mention_counts[place] / total
        for edge in range(first, end):
            chances[edge] *= to_facts if edge_rows[edge] >= 0 else to_mentions
        first = end
    return first


@kernel(I64(I64, I32_ROWS, I32_ROWS, F64_ROWS, F64_ROWS, F64, F64, F64_OUT, F64_OUT, I32_OUT, U8_OUT))
def push(
    expanded: int,
    edge_ends: Rows,
    edge_to: Rows,
    chances: Rows,
    start: Rows,
    stop: float,
    epsilon: float,
    scores: Rows,
    waiting: Rows,
    queue: Rows,
    queued: Rows,
) -> int:
    """Forward push from `start` (how likely a walk begins at each of the first places) into `scores`; how many pushes.

    At a place that has no edges every walk that arrives stops. `scores` and `waiting` (zeroed, one a place), `queue`
    (one a place) and `queued` (zeroed) are as long as there are places. First come, first pushed.
    """
    count = len(scores)
    head = size = pushes = 0
    for place in range(len(start)):
        waiting[place] = start[place]
        if place < expanded and waiting[place] > 0.0:
            queue[size], queued[place] = place, 1
            size += 1
    while size > 0:
        place = queue[head]
        head = head + 1 if head + 1 < count else 0
        size -= 1
        queued[place] = 0
        arrived = waiting[place]
        first = edge_ends[place - 1] if place > 0 else 0
        end = edge_ends[place]
        waiting[place] = 0.0
        pushes += 1
        if first == end:
            scores[place] += arrived
            continue
        scores[place] += stop * arrived
        onward = (1.0 - stop) * arrived
        for edge in range(first, end):
            to = edge_to[edge]
            waiting[to] += onward * chances[edge]
            if to < expanded and queued[to] == 0:
                degree = edge_ends[to] - (edge_ends[to - 1] if to > 0 else 0)
                if waiting[to] > epsilon * max(1, degree):
                    queue[(head + size) % count], queued[to] = to, 1
                    size += 1
    for place in range(count):
        if place < expanded and edge_ends[place] > (edge_ends[place - 1] if place > 0 else 0):
            scores[place] += stop * waiting[place]
        else:
            scores[place] += waiting[place]
            waiting[place] = 0.0
    return pushes


@kernel(I64(I64, I32_ROWS, I32_ROWS, I32_ROWS, F64_ROWS, F64_ROWS, F64, I32_OUT, I32_OUT, F64_OUT, I32_OUT))
def fact_flows(
    expanded: int,
    hops: Rows,
    edge_ends: Rows,
    edge_rows: Rows,
    chances: Rows,
    scores: Rows,
    stop: float,
    table: Rows,
    rows: Rows,
    flows: Rows,
    steps: Rows,
) -> int:
    """Each fact row met, in the order met, with how much of the walk went over it, either way; how many.

    `steps[i]`: the step of the walk that first could take it. `table`: all -1, a power of two above twice the edges.
    """
    used = 0
    first = 0
    mask = len(table) - 1
    for place in range(expanded):
        onward = scores[place] * (1.0 - stop) / stop
        for edge in range(first, edge_ends[place]):
            row = edge_rows[edge]
            if row < 0:
                continue
            slot = ((np.int64(row) * SCRAMBLE) >> 20) & mask
            while table[slot] >= 0 and rows[table[slot]] != row:
                slot = (slot + 1) & mask
            if table[slot] < 0:
                table[slot] = used
                rows[used], flows[used], steps[used] = row, 0.0, hops[place] + 1
                used += 1
            flows[table[slot]] += onward * chances[edge]
        first = edge_ends[place]
    return used
