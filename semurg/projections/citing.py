"""Who cites a source without text: asked when something is forgotten, so that its label goes with the last of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from semurg.projections.parts import Parts
from semurg.projections.rows import Int32s, Int64s


def assertions_of_nothing_else(
    parts: Parts, entities: Sequence[int], facts: Sequence[int], attributes: Sequence[int]
) -> list[int]:
    """Assertions under a label that these things (and their attributes) cite and nothing else does, ascending.

    Costs one pass over the source columns of the scope when any of them cites an assertion, else nothing of the kind.
    """
    gone: Counter[int] = Counter(parts.names.row(entity).source for entity in entities)
    every = list(attributes)
    for entity in entities:
        every += parts.attributes.of_owner(False, entity)
    for fact in facts:
        gone.update(parts.facts.statements.cited_by(fact))
        every += parts.attributes.of_owner(True, fact)
    for number in every:
        gone.update(parts.attributes.cited_by(number))
    candidates = [cited for cited in gone if cited < 0 and parts.assertions.row(-1 - cited)[0] is not None]
    if not candidates:
        return []
    columns = (parts.names.cited(), parts.facts.statements.cited(), parts.attributes.cited())
    counts = np.sum([_counts(column, len(parts.assertions)) for column in columns], axis=0)
    return sorted(-1 - cited for cited in candidates if counts[-1 - cited] == gone[cited])


def _counts(cited: Int32s, assertions: int) -> Int64s:
    """How often each assertion is cited."""
    return np.bincount(-1 - cited[cited < 0], minlength=assertions)
