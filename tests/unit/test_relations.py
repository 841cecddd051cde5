"""What relation names mean, and how an opposite is spelled."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semurg.domain.relations import inverse_spelling, meaning, rule


@pytest.mark.parametrize("type", ["MARRIED_TO", "married to", "Married-To", "marriedTo", "spouse_of", "SIBLING OF"])
def test_symmetric_relations(type: str) -> None:
    assert rule(type) == "symmetric"


@pytest.mark.parametrize("type", ["PART_OF", "located in", "Contained-In"])
def test_transitive_relations(type: str) -> None:
    assert rule(type) == "transitive"


@pytest.mark.parametrize(
    "type", ["PARENT_OF", "childOf", "owns", "owned by", "EMPLOYS", "employed-by", "manages", "MANAGED_BY"]
)
def test_inverse_relations(type: str) -> None:
    assert rule(type) == "inverse"


@pytest.mark.parametrize("type", ["WORKS_AT", "part", "PARTS_OF", "owner", "RELATED_TO", "", "OWNS!"])
def test_nothing_follows_from_other_names(type: str) -> None:
    assert rule(type) is None


def test_meaning_leaves_case_and_separators_aside() -> None:
    assert {meaning(name) for name in ("PARENT_OF", "parent of", "Parent-Of", "parentOf", "parent\u00a0of")} == {
        "parentof"
    }
    assert meaning("PARENT/OF") != "parentof"


@pytest.mark.parametrize(
    ("type", "opposite"),
    [
        ("PARENT_OF", "CHILD_OF"),
        ("child of", "parent of"),
        ("Parent-Of", "Child-Of"),
        ("Parent of", "Child of"),
        ("parentOf", "childOf"),
        ("ParentOf", "ChildOf"),
        ("parentof", "childof"),
        ("OWNS", "OWNED_BY"),
        ("OWNED_BY", "OWNS"),
        ("owns", "owned_by"),
        ("Owns", "OwnedBy"),
        ("owned by", "owns"),
        ("Employed-By", "Employs"),
        ("managedBy", "manages"),
    ],
)
def test_the_opposite_is_spelled_like_the_premise(type: str, opposite: str) -> None:
    assert inverse_spelling(type) == opposite


def test_a_relation_without_an_opposite_is_a_programming_error() -> None:
    with pytest.raises(ValueError):
        inverse_spelling("PART_OF")


@given(st.sampled_from(["parent_of", "child of", "owns", "owned-by", "employs", "employed_by"]), st.randoms())
def test_the_opposite_of_the_opposite_means_the_same(type: str, random: Random) -> None:
    mixed = "".join(c.upper() if random.random() < 0.5 else c for c in type)
    opposite = inverse_spelling(mixed)
    assert rule(opposite) == "inverse"
    assert meaning(inverse_spelling(opposite)) == meaning(type)
    assert meaning(opposite) != meaning(type)
