"""How many facts there are: of a scope, and of each relation type. Reads whole columns: O(facts)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semurg.domain.visibility import At
from semurg.projections.facts import Facts
from semurg.projections.kernels import visibility
from semurg.projections.timeline import time_views


class FactCounts:
    """Counts over the facts of one scope, forgotten ones left out.

    `known` are the facts that an event below the horizon brought, ended ones included; `holding` those that hold at
    two instants: the episodes of one fact never overlap, so a fact is counted by the row that shows.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def known(self, horizon: int) -> int:
        """How many are known of."""
        return int(np.count_nonzero(self._facts.known(horizon)))

    def holding(self, at: At) -> int:
        """How many hold."""
        return int(visibility.count(*time_views(self._facts.row_times), at.known_at, at.valid_at))

    def known_by_type(self, horizon: int) -> NDArray[np.int64]:
        """How many are known of, by type id."""
        facts = np.flatnonzero(self._facts.known(horizon)).astype(np.int32)
        return np.bincount(self._facts.types_of(facts), minlength=len(self._facts.types))

    def holding_by_type(self, at: At) -> NDArray[np.int64]:
        """How many hold, by type id."""
        shows = np.zeros(len(self._facts.row_facts), dtype=np.uint8)
        visibility.shows_all(*time_views(self._facts.row_times), at.known_at, at.valid_at, shows)
        return np.bincount(self._facts.row_types.view[shows.astype(np.bool_)], minlength=len(self._facts.types))
