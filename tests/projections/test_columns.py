"""Columns grow without losing a row and refuse what they cannot hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.projections.columns import Column

STEPS = st.lists(st.one_of(st.integers(-99, 99), st.lists(st.integers(-99, 99), max_size=40)), max_size=30)


@given(STEPS)
def test_a_column_holds_what_a_list_holds(steps: list[int | list[int]]) -> None:
    column, model = Column(np.int64), list[int]()
    for step in steps:
        assert len(column) == len(model)
        if isinstance(step, int):
            assert column.append(step) == len(model)
            model.append(step)
        else:
            assert column.extend(step) == len(model)
            model.extend(step)
    assert column.view.tolist() == model
    assert [column.cells[row] for row in range(len(model))] == model


def test_the_view_is_writable_and_has_the_live_length() -> None:
    column = Column(np.int32)
    column.fill(7, 3)
    column.view[1] = 9
    column.cells[2] = 11
    assert column.view.tolist() == [7, 9, 11]
    assert column.view.dtype == np.int32


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 1.5])
def test_a_value_that_does_not_fit_is_refused(value: float) -> None:
    column = Column(np.int32)
    with pytest.raises((ValueError, TypeError)):
        column.append(value)
    assert len(column) == 0


def test_fractions_do_not_fit_a_whole_column() -> None:
    with pytest.raises(TypeError, match="does not fit"):
        Column(np.int64).extend([1.5])


def test_an_empty_list_adds_nothing() -> None:
    column = Column(np.int32)
    assert column.extend([]) == 0
    assert len(column) == column.nbytes == 0
