"""memory_status: what a partition holds, scope by scope, and the words in use in one of them.

The counts and the ontology are of the instants asked; without any, of what is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from semurg.domain.relations import meaning
from semurg.projections.rows import Counts, Ontology, RelationCount
from semurg.projections.scope import ScopeProjection
from semurg.queries.instants import NOT_ASKED, ReadInstants, read_at

TOP_CLASSES_MAX = 50
NOT_ARMED: Mapping[str, object] = {"state": "not_armed", "model": None, "waiting": 0}


class NamedScope(NamedTuple):
    """A scope of the caller's partition that the caller may see."""

    name: str
    projection: ScopeProjection


class StatusRequest(NamedTuple):
    """`scope` None asks for the partition alone. `now` and `published_at` are as in queries.instants.read_at."""

    scope: str | None
    instants: ReadInstants
    now: int
    published_at: int
    meaning: Mapping[str, object] = NOT_ARMED


def status(scopes: Sequence[NamedScope], request: StatusRequest) -> dict[str, Any]:
    """The reply to memory_status: `scopes` are listed in the order given, those not there yet at the instant left out.

    `position` is the newest of the scopes listed, so that a read at it lists the same ones.
    `state` is nothing_stored when the named scope (without one, every scope) is not there.
    """
    listed = []
    positions: dict[str, int] = {}
    for name, projection in scopes:
        at = read_at(request.instants, request.now, request.published_at, projection.reads)
        position = projection.reads.position_at(at.known_at)
        if position == 0:
            continue
        positions[name] = position
        if request.instants == NOT_ASKED:
            counts = projection.published
        else:
            counts = projection.reads.counts(at, explicit_valid=request.instants.valid_at is not None)
        listed.append({"scope": name, **_counted(counts)})
    named = request.scope
    position = max(positions.values(), default=0)
    found = position if named is None else positions.get(named, 0)
    reply: dict[str, Any] = {
        "ok": True,
        "state": "answered" if found else "nothing_stored",
        "armed": True,
        "scopes": listed,
        "position": str(position),
        "meaning": request.meaning,
        "extraction": {"state": "not_installed", "model": None, "waiting": 0},
        "durable": True,
    }
    if named is not None:
        projection_named = next((one.projection for one in scopes if one.name == named and found), None)
        reply["ontology"] = _ontology(_words_in_use(projection_named, request))
    return reply


def _words_in_use(projection: ScopeProjection | None, request: StatusRequest) -> Ontology:
    if projection is None:
        return Ontology([], [])
    at = read_at(request.instants, request.now, request.published_at, projection.reads)
    return projection.reads.ontology(at, explicit_valid=request.instants.valid_at is not None)


def _counted(counts: Counts) -> dict[str, int]:
    return {
        "entities": counts.entities,
        "facts": counts.facts,
        "documents": counts.documents,
        "passages": counts.passages,
    }


def _ontology(found: Ontology) -> dict[str, Any]:
    by_members = sorted(found.types, key=lambda one: (-one.members, one.type))
    return {
        "entity_types": len(found.types),
        "relation_types": len(found.relations),
        "top_classes": [
            {"type": one.type, "members": one.members, "members_bound": "exact", "spellings": one.spellings}
            for one in by_members[:TOP_CLASSES_MAX]
        ],
        "relations": _relations(found.relations),
        "name_merge": "by_name",
    }


def _relations(counted: Sequence[RelationCount]) -> list[dict[str, Any]]:
    """Relation types that mean the same as one entry: the spelling with most facts stands for it."""
    groups: dict[str, list[RelationCount]] = {}
    for one in sorted(counted, key=lambda one: (-one.facts, one.type)):
        groups.setdefault(meaning(one.type), []).append(one)
    entries = [
        {"type": group[0].type, "facts": sum(one.facts for one in group), "spellings": [one.type for one in group]}
        for group in groups.values()
    ]
    return sorted(entries, key=lambda entry: (-entry["facts"], entry["type"]))
