"""The visibility kernels agree with the definition in the domain."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from semurg.projections.kernels import visibility
from semurg.projections.kernels.jit import warm_up

from . import naive

warm_up()

END = 2**63 - 1
INSTANTS = st.sampled_from([-(2**63), -1, 0, 1, 2, 3, END - 1])
BOUNDS = st.one_of(INSTANTS, st.just(END))
ROWS = st.lists(st.tuples(BOUNDS, BOUNDS, BOUNDS, BOUNDS), max_size=12)


def columns(rows: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return [np.ascontiguousarray(table[:, i]) for i in range(4)]


def both(name: str, length: int, dtype: Any, *arguments: Any) -> None:
    """Run kernel and oracle into outputs of their own; they return and write the same."""
    ours, theirs = np.full(length, 77, dtype=dtype), np.full(length, 77, dtype=dtype)
    assert getattr(visibility, name)(*arguments, ours) == getattr(naive, name)(*arguments, theirs)
    assert ours.tolist() == theirs.tolist()


@given(ROWS, INSTANTS, INSTANTS, st.data())
def test_every_kernel_keeps_what_the_definition_shows(
    rows: list[tuple[int, ...]], known_at: int, valid_at: int, data: st.DataObject
) -> None:
    times = columns(rows)
    numbers = st.lists(st.integers(0, len(rows) - 1), max_size=9) if rows else st.just([])
    asked = np.array(data.draw(numbers), dtype=np.int32)
    both("keep", len(asked), np.int32, asked, *times, known_at, valid_at)
    both("keep_known", len(asked), np.int32, asked, *times[:2], known_at)
    both("shows_all", len(rows), np.uint8, *times, known_at, valid_at)
    both("known_rows", len(rows), np.int32, times[0], known_at)
    assert visibility.count(*times, known_at, valid_at) == naive.count(*times, known_at, valid_at)
    assert visibility.count_known(*times[:2], known_at) == naive.count_known(*times[:2], known_at)


def test_bounds_are_closed_at_the_start_and_open_at_the_end() -> None:
    times = columns([(10, 20, 5, 8)])
    seen = [visibility.count(*times, *at) for at in ((9, 5), (10, 5), (19, 5), (20, 5), (10, 4), (10, 7), (10, 8))]
    assert seen == [0, 1, 1, 0, 0, 1, 0]


def test_read_only_columns_are_taken() -> None:
    times = columns([(0, END, 0, END)])
    for column in times:
        column.flags.writeable = False
    assert visibility.count(*times, 1, 1) == 1
