"""Whether the items of a reply answer the question, by what they hold of its words. Says no when in doubt.

`grounded`: one cited item holds every content word. `grounded_by_meaning`: a cited passage found by meaning answers in
other words. `related`: items share something. The words that no item of the verdict holds are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from semurg.domain.terms import QueryTerm, covers, text_terms

GROUNDED, BY_MEANING, RELATED = "grounded", "grounded_by_meaning", "related"
UNCITED, NOTHING, COULD_NOT_JUDGE = "uncited", "nothing_stored", "could_not_judge"
ACROSS_ITEMS = "covered_only_across_items"
PARTIAL_WORDS = "partial_words"
SUBJECT_ONLY = "about_the_subject_only"


class ShownItem(NamedTuple):
    """An item as far as the verdict looks: its text with what it cites, and whether it cites anything."""

    text: str
    cited: bool


class Meant(NamedTuple):
    """The best passage found by meaning: its place among the items and whether it may stand for an answer."""

    place: int
    answers: bool


class Asked(NamedTuple):
    """The question: its content words, those of them that are stored names, and the names as stored."""

    words: Sequence[QueryTerm]
    names: Sequence[QueryTerm]
    stored: Sequence[str]


def verdict(asked: Asked, items: Sequence[ShownItem], meant: Meant | None, judged: bool) -> dict[str, Any]:
    """The `grounding` of a reply. `judged` is False when a stage could not run."""
    if not items:
        state = NOTHING if judged else COULD_NOT_JUDGE
        return {"verdict": state, "uncovered": [word.word for word in asked.words], "related": []}
    cited = [item for item in items if item.cited]
    if not cited:
        return {"verdict": UNCITED, "uncovered": [word.word for word in asked.words], "related": list(asked.stored)}
    held = [_held(asked.words, item.text) for item in cited]
    best = max(held, key=len)
    if asked.words and len(best) == len(asked.words):
        return {"verdict": GROUNDED, "uncovered": [], "related": []}
    if meant is not None and meant.answers:
        shares = _held(asked.words, items[meant.place].text)
        uncovered = [word.word for place, word in enumerate(asked.words) if place not in shares]
        return {"verdict": BY_MEANING, "uncovered": uncovered, "related": []}
    together = set().union(*held)
    names = {place for place, word in enumerate(asked.words) if word in asked.names}
    if asked.words and len(together) == len(asked.words):
        reason = ACROSS_ITEMS
    elif together <= names:
        reason = SUBJECT_ONLY
    else:
        reason = PARTIAL_WORDS
    uncovered = [word.word for place, word in enumerate(asked.words) if place not in best]
    if reason == ACROSS_ITEMS:
        uncovered = []
    return {"verdict": RELATED, "reason": reason, "uncovered": uncovered, "related": list(asked.stored)}


def _held(words: Sequence[QueryTerm], text: str) -> set[int]:
    """The places of the words that a text holds, inflection, case and accents aside."""
    held = text_terms(text)
    return {place for place, word in enumerate(words) if covers(word, held, words)}
