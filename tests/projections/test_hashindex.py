"""The hash index is a dict of lists, and the hashes never change."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semurg.projections import hashindex
from semurg.projections.hashindex import HashIndex
from semurg.projections.kernels import hashes as kernels

from . import naive

INT64 = st.integers(-(2**63), 2**63 - 1)
# a handful of hashes that meet in the same slots of a small table
HASHES = st.sampled_from([0, 16, 32, 48, -16, 1, 17, 15, 31, 2**62])


@given(st.lists(st.tuples(st.sampled_from(["insert", "insert", "many", "remove"]), HASHES, st.integers(1, 30))))
def test_an_index_answers_as_a_dict_of_lists(steps: list[tuple[str, int, int]]) -> None:
    index, model, row = HashIndex(), dict[int, list[int]](), 0
    for step, hashed, number in steps:
        if step == "remove":
            rows = model.get(hashed, [])
            gone = rows.pop(number % len(rows)) if rows else 10**6
            assert index.remove(hashed, gone) == (gone != 10**6)
            continue
        count = number if step == "many" else 1
        if step == "many":
            index.insert_many([hashed + i // 5 for i in range(count)], range(row, row + count))
        else:
            index.insert(hashed, row)
        for i in range(count):
            model.setdefault(hashed + (i // 5 if step == "many" else 0), []).append(row + i)
        row += count
    asked = [*model, 12345]
    assert len(index) == sum(map(len, model.values()))
    assert [index.find_all(hashed) for hashed in asked] == [model.get(hashed, []) for hashed in asked]
    first = [rows[0] if rows else -1 for rows in (model.get(hashed, []) for hashed in asked)]
    assert [index.find(hashed) for hashed in asked] == first == index.find_many(asked).tolist()
    assert [index.find_all(hashed, 2) for hashed in asked] == [model.get(hashed, [])[:2] for hashed in asked]


def test_an_empty_index_finds_nothing() -> None:
    index = HashIndex()
    assert (index.find(7), index.find_all(7), index.find_many([7, 8]).tolist()) == (-1, [], [-1, -1])
    assert not index.remove(7, 0)
    index.insert_many([], [])
    assert len(index) == 0


def test_thousands_of_rows_under_one_hash_stay_in_order() -> None:
    index = HashIndex()
    for start in range(0, 20_000, 1_000):
        index.insert_many(np.full(1_000, -9), range(start, start + 1_000))
    assert index.find_all(-9) == list(range(20_000))
    assert index.remove(-9, 0) and index.remove(-9, 19_999)
    assert index.find_all(-9) == list(range(1, 19_999))


def test_a_table_that_forgets_as_much_as_it_learns_does_not_grow() -> None:
    index = HashIndex()
    for row in range(5_000):
        index.insert(row * 7919, row % 4)
        assert index.remove(row * 7919, row % 4)
    assert len(index) == 0
    assert index.nbytes < 2_000


@given(st.lists(INT64, min_size=1, max_size=4))
def test_mixing_one_by_one_is_mixing_columns_is_the_oracle(values: list[int]) -> None:
    oracle = np.zeros(1, dtype=np.int64)
    kernel = np.zeros(1, dtype=np.int64)
    with np.errstate(over="ignore"):
        for value in values:
            kernels.mix_into(kernel, np.array([value], dtype=np.int64))
            naive.mix_into(oracle, [value])
        columns = hashindex.mix_many(*([value] for value in values))
    assert hashindex.mix(*values) == int(oracle[0]) == int(kernel[0]) == int(columns[0])


def test_the_order_and_the_number_of_mixed_values_count() -> None:
    assert (
        len({hashindex.mix(1, 2), hashindex.mix(2, 1), hashindex.mix(1), hashindex.mix(1, 2, 0), hashindex.mix()}) == 5
    )


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), max_size=5))
def test_hashes_in_bulk_are_those_one_by_one(texts: list[str]) -> None:
    assert hashindex.content_hash_many(texts).tolist() == [hashindex.content_hash(text) for text in texts]
    pairs = [column.tolist() for column in hashindex.content_hash_pairs(texts)]
    assert list(zip(*pairs, strict=True)) == [hashindex.content_hash_pair(text) for text in texts]


def test_content_hashes_are_blake2b_and_so_the_same_everywhere() -> None:
    # BLAKE2b-64 of "abc" from RFC 7693's algorithm as coreutils' `b2sum -l 64` prints it, read little-endian
    assert hashindex.content_hash("abc") == int.from_bytes(bytes.fromhex("d8bb14d833d59559"), "little", signed=True)
    assert hashindex.content_hash("é") == hashindex.content_hash("é".encode())
