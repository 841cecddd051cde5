"""Which entities a read starts from, and which stage found them.

The stages run in order and the first that matches wins; the reply reports what each one did. Everything is read at the
two instants of the request, close names included.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from semurg.domain import names
from semurg.domain.commands import Name
from semurg.domain.limits import SEEDS_MAX
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.queries.cursors import Cursor

# What a reply's order is worth by the stage that found its seed; items further down are worth less.
WEIGHTS = {"exact": 1.0, "attribute": 1.0, "spelling": 0.8, "word": 0.6}
SUBJECT_STAGES = ("exact", "spelling", "word")


class Seeds(NamedTuple):
    """The entities that `stage` found ("": none did). `matched` counts all, `entities` are the first SEEDS_MAX."""

    stage: str
    entities: list[int]
    matched: int


NO_SEEDS = Seeds("", [], 0)


def seeds_of_subject(reads: Reads, subject: Name, at: At) -> Seeds:
    """The entities that a subject names: exactly, else by a close spelling, else by one whole word of a longer name."""
    exact = reads.find_exact(subject.key, at)
    if exact >= 0:
        return Seeds("exact", [exact], 1)
    folded = names.folded(subject.key)
    close = reads.find_spelling(folded, at)
    if close:
        return _seeds("spelling", close)
    words = names.words(folded)
    if len(words) == 1:
        longer = reads.find_word(words[0], at)
        if longer:
            return _seeds("word", longer)
    return NO_SEEDS


def seeds_of_attribute(reads: Reads, key: str, canonical: str, type_: str | None, at: At) -> Seeds:
    """The entities whose attribute holds this value at the instants asked."""
    found = reads.find_by_attribute(key, canonical, type_, at)
    return _seeds("attribute", found) if found else NO_SEEDS


def seeds_of_cursor(reads: Reads, cursor: Cursor, at: At) -> Seeds:
    """The first page's seeds, less what was forgotten since: a later page never goes over to another stage."""
    return Seeds(cursor.stage, [entity for entity in cursor.seeds if reads.entity_visible(entity, at)], cursor.matched)


def seeding_report(seeds: Seeds, by_attribute: bool) -> dict[str, dict[str, Any]]:
    """What each stage did, as the full reply tells it."""
    report: dict[str, dict[str, Any]] = {}
    if by_attribute:
        report["attribute"] = _ran(seeds, "attribute")
        for stage in SUBJECT_STAGES:
            report[stage] = {"state": "not_run"}
    else:
        found = False
        for stage in SUBJECT_STAGES:
            report[stage] = {"state": "not_needed"} if found else _ran(seeds, stage)
            found = found or stage == seeds.stage
    report["type"] = {"state": "not_run"}
    report["meaning"] = {"state": "not_armed"}
    return report


def _seeds(stage: str, found: list[int]) -> Seeds:
    return Seeds(stage, found[:SEEDS_MAX], len(found))


def _ran(seeds: Seeds, stage: str) -> dict[str, Any]:
    matched = seeds.matched if seeds.stage == stage else 0
    report: dict[str, Any] = {"state": "ran", "matched": matched}
    if matched > SEEDS_MAX:
        report["used"] = SEEDS_MAX
    return report
