"""Heaps and interned strings give back what was put in, until it is erased."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.projections.strings import KEPT_WHOLE_MAX, Interner, StringHeap

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(st.lists(st.one_of(TEXTS, st.lists(TEXTS, max_size=5)), max_size=12), st.sets(st.integers(0, 20)))
def test_a_heap_gives_back_every_text_but_the_erased(steps: list[str | list[str]], erased: set[int]) -> None:
    heap, model = StringHeap(), list[str]()
    for step in steps:
        first = heap.add(step) if isinstance(step, str) else heap.add_many(step)
        assert first == len(model)
        model += [step] if isinstance(step, str) else step
    for number in erased & set(range(len(model))):
        heap.erase(number)
        model[number] = ""
    assert [heap.get(number) for number in range(len(heap))] == model


def test_nothing_of_an_erased_text_is_left_in_the_heap() -> None:
    heap = StringHeap()
    heap.add_many(["before", "Zoë Ålund", "after"])
    heap.erase(1)
    assert bytes(heap.bytes.view) == b"before" + bytes(len("Zoë Ålund".encode())) + b"after"


def test_a_text_that_would_read_as_erased_is_refused() -> None:
    heap = StringHeap()
    with pytest.raises(ValueError, match="U\\+0000"):
        heap.add("\0")
    with pytest.raises(ValueError, match="U\\+0000"):
        heap.add_many(["a", "b\0"])
    assert len(heap) == 0


@pytest.mark.parametrize("number", [-1, 1])
def test_a_number_that_was_never_given_is_an_error(number: int) -> None:
    heap = StringHeap()
    heap.add("only")
    with pytest.raises(IndexError):
        heap.get(number)


def test_equal_texts_are_one_number_also_past_those_kept_whole() -> None:
    strings = Interner()
    count = KEPT_WHOLE_MAX + 50
    assert [strings.number(f"type {i}") for i in range(count)] == list(range(count))
    assert [strings.number(f"type {i}") for i in range(count)] == list(range(count))
    assert [strings.text(i) for i in (0, KEPT_WHOLE_MAX - 1, KEPT_WHOLE_MAX, count - 1)] == [
        f"type {i}" for i in (0, KEPT_WHOLE_MAX - 1, KEPT_WHOLE_MAX, count - 1)
    ]
    assert strings.find("type x") == -1
    assert len(strings) == count


@pytest.mark.parametrize("number", [3, KEPT_WHOLE_MAX + 3])
def test_an_erased_text_is_found_no_more_and_comes_back_under_a_new_number(number: int) -> None:
    strings = Interner()
    for i in range(KEPT_WHOLE_MAX + 10):
        strings.number(f"label {i}")
    strings.erase(number)
    assert strings.text(number) == ""
    assert strings.find(f"label {number}") == -1
    again = strings.number(f"label {number}")
    assert again == KEPT_WHOLE_MAX + 10
    assert strings.find(f"label {number}") == again
    assert strings.text(again) == f"label {number}"


def test_erasing_twice_harms_nobody_else() -> None:
    strings = Interner()
    strings.number("a")
    strings.erase(0)
    empty = strings.number("")
    strings.erase(0)
    assert strings.find("") == empty
