"""The definition of what a read sees. Everything that asks "does this count at that instant?" asks it here.

The fast form, over columns, is projections/kernels/visibility.py; a property test holds the two together.
"""

from __future__ import annotations

from typing import NamedTuple


class At(NamedTuple):
    """The two instants of a read, in µs: what was known then, of what was true then."""

    known_at: int
    valid_at: int


def visible(known_from: int, known_to: int, valid_from: int, valid_to: int, at: At) -> bool:
    """Whether a row known in [known_from, known_to) and true in [valid_from, valid_to) shows at the two instants."""
    return known_from <= at.known_at < known_to and valid_from <= at.valid_at < valid_to
