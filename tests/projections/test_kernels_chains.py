"""The chain kernels agree with plain lists of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semurg.projections.kernels import chains
from semurg.projections.kernels.jit import warm_up

from . import naive

warm_up()

NO_END = 2**63 - 1
OWNERS = st.lists(st.integers(0, 4), max_size=20)
STATEMENT = st.tuples(st.integers(-2, 1), st.integers(0, 2), st.sampled_from([5, 6, NO_END]))


def linked(owners: list[int], at_once: int) -> tuple[np.ndarray, np.ndarray]:
    last = np.full(5, -1, dtype=np.int32)
    after = np.full(len(owners), -1, dtype=np.int32)
    for first in range(0, len(owners), at_once):
        added = np.array(owners[first : first + at_once], dtype=np.int32)
        assert chains.link(last, after, added, first) == len(added)
    return last, after


@given(OWNERS, st.integers(1, 7), st.integers(0, 6))
def test_rows_come_back_by_owner_in_the_order_they_were_added_however_many_were_added_at_once(
    owners: list[int], at_once: int, room: int
) -> None:
    last, after = linked(owners, at_once)
    wanted = naive.link(owners)
    assert {owner for owner in range(5) if last[owner] >= 0} == set(wanted)
    for owner, rows in wanted.items():
        out = np.full(room, -1, dtype=np.int32)
        assert chains.walk(after, last[owner], out) == len(rows)
        assert out[: len(rows)].tolist() == rows[:room], "as far as there is room"


@given(st.lists(st.tuples(st.integers(0, 2), STATEMENT), min_size=1, max_size=12), STATEMENT)
def test_a_statement_is_found_in_its_own_chain_only(
    told: list[tuple[int, tuple[int, int, int]]], wanted: tuple[int, int, int]
) -> None:
    owners, stated = [owner for owner, _ in told], [one for _, one in told]
    last, after = linked(owners, len(owners))
    cited = np.array([one[0] for one in stated], dtype=np.int32)
    starts = np.array([one[1] for one in stated], dtype=np.int64)
    ending = [row for row, one in enumerate(stated) if one[2] != NO_END]
    end_rows = np.array(ending, dtype=np.int32)
    ends = np.array([stated[row][2] for row in ending], dtype=np.int64)
    for owner, rows in naive.link(owners).items():
        found = chains.find_statement(after, last[owner], cited, starts, end_rows, ends, *wanted, NO_END)
        assert found == naive.find_statement(rows, stated, wanted)
