"""The kernels over names agree with edit distances worked out by the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from semurg.projections.kernels import names as kernels
from semurg.projections.kernels.jit import warm_up
from semurg.projections.kernels.visibility import NEVER
from semurg.projections.strings import StringHeap

from . import naive

warm_up()

# few letters, so that near names are common; one, two, three and four bytes of UTF-8
TEXTS = st.text(alphabet="aab17 éßж漢😀", max_size=9)


def code_points(text: str) -> NDArray[np.int32]:
    return np.array([ord(character) for character in text], dtype=np.int32)


def described(names: list[str]) -> tuple[StringHeap, NDArray[np.uint16], NDArray[np.uint64]]:
    heap = StringHeap()
    heap.add_many(names)
    lengths, signatures = np.zeros(len(names), dtype=np.uint16), np.zeros(len(names), dtype=np.uint64)
    assert kernels.describe(heap.bytes.view, heap.ends.view, 0, lengths, signatures) == len(names)
    return heap, lengths, signatures


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20))
def test_utf8_decodes_to_the_code_points(text: str) -> None:
    raw = np.frombuffer(text.encode() or b" ", dtype=np.uint8)
    out = np.zeros(len(text), dtype=np.int32)
    assert kernels.decode(raw, 0, len(text.encode()), out) == len(text)
    assert out.tolist() == naive.decode(text.encode(), 0, len(text.encode()))


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_distance_is_the_optimal_string_alignment_up_to_the_limit(a: str, b: str, limit: int) -> None:
    cells = np.full(3 * (len(b) + 1), 99, dtype=np.int32)
    found = kernels.distance(code_points(a), code_points(b), limit, cells)
    assert found == naive.distance(a, b, limit) == min(naive.edits(a, b), limit + 1)


@given(TEXTS, TEXTS)
def test_signatures_differ_by_no_more_than_the_edits(a: str, b: str) -> None:
    _, lengths, signatures = described([a, b])
    first, second = (int(signature) for signature in signatures)
    assert lengths.tolist() == [len(a), len(b)]
    assert max((first & ~second).bit_count(), (second & ~first).bit_count()) <= naive.edits(a, b)


@given(st.lists(TEXTS, max_size=25), TEXTS, st.integers(0, 4), st.integers(1, 3), st.data())
def test_nearest_finds_what_comparing_every_name_finds(
    names: list[str], query: str, limit: int, wanted: int, data: st.DataObject
) -> None:
    known = data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    heap, lengths, signatures = described(names)
    known_from = np.array([5 if seen else 6 for seen in known], dtype=np.int64)
    own = described([query])[2][0]
    longest = len(query) + limit + 1
    out, distances = np.zeros(30, dtype=np.int32), np.zeros(30, dtype=np.int32)
    count = kernels.nearest(
        code_points(query), own, limit, wanted,
        heap.bytes.view, heap.ends.view, lengths, signatures, known_from, 5,
        np.zeros(longest, dtype=np.int32), np.zeros(3 * longest, dtype=np.int32),
        np.zeros(limit + 1, dtype=np.int32), out, distances,
    )  # fmt: skip
    found = list(zip(out[:count].tolist(), distances[:count].tolist(), strict=True))
    assert found == naive.nearest(query, limit, wanted, names, known)


def test_a_full_output_keeps_the_nearest_and_the_earliest() -> None:
    names = ["dada", "dane", "danx", "dan", "dana", "dans"]
    heap, lengths, signatures = described(names)
    out, distances = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.int32)
    count = kernels.nearest(
        code_points("dana"), described(["dana"])[2][0], 2, 3,
        heap.bytes.view, heap.ends.view, lengths, signatures, np.zeros(6, dtype=np.int64), 0,
        np.zeros(7, dtype=np.int32), np.zeros(21, dtype=np.int32), np.zeros(3, dtype=np.int32), out, distances,
    )  # fmt: skip
    # five are one edit away; the equal one pushes out the last of them that had found room
    assert [(names[name], edits) for name, edits in zip(out[:count], distances[:count], strict=True)] == [
        ("dada", 1), ("dane", 1), ("dana", 0),
    ]  # fmt: skip


@given(st.lists(TEXTS, max_size=20), TEXTS, st.data())
def test_names_that_begin_alike_are_those_python_finds(names: list[str], query: str, data: st.DataObject) -> None:
    known = data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    heap, lengths, _ = described(names)
    known_from = np.array([5 if seen else NEVER for seen in known], dtype=np.int64)
    out = np.zeros(len(names), dtype=np.int32)
    raw = np.frombuffer(query.encode(), dtype=np.uint8)
    count = kernels.alike_at_start(raw, len(query), 2, heap.bytes.view, heap.ends.view, lengths, known_from, 5, out)
    assert out[:count].tolist() == naive.alike_at_start(query, 2, names, known)
