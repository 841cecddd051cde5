"""What the name of a relation means: which relations let a further fact follow, and what the other side is called.

A relation is stored exactly as spelled; its meaning is compared letter case, `_`, `-` and white space aside.
"""

from __future__ import annotations

import re
from typing import Literal

Rule = Literal["symmetric", "inverse", "transitive"]

_SYMMETRIC = frozenset({"marriedto", "spouseof", "siblingof"})
_TRANSITIVE = frozenset({"partof", "locatedin", "containedin"})
_PAIRS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("parent", "of"), ("child", "of")),
    (("owns",), ("owned", "by")),
    (("employs",), ("employed", "by")),
    (("manages",), ("managed", "by")),
)
_OPPOSITES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "".join(name): (name, opposite) for pair in _PAIRS for name, opposite in (pair, pair[::-1])
}

_SEPARATORS = re.compile(r"[_\-\s]+")
_CAMEL_EDGE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def meaning(type: str) -> str:
    """The relation's name letter case, `_`, `-` and white space aside: two types with one meaning obey one rule."""
    return _SEPARATORS.sub("", type.casefold())


def rule(type: str) -> Rule | None:
    """The rule that the relation obeys by its meaning, None when nothing follows from it."""
    name = meaning(type)
    if name in _SYMMETRIC:
        return "symmetric"
    if name in _TRANSITIVE:
        return "transitive"
    return "inverse" if name in _OPPOSITES else None


def inverse_spelling(type: str) -> str:
    """The opposite relation, spelled the way this one is: PARENT_OF gives CHILD_OF, parentOf childOf, Owns OwnedBy.

    Raises ValueError for a relation that is no inverse pair's.
    """
    pair = _OPPOSITES.get(meaning(type))
    if pair is None:
        raise ValueError(f"{type!r} has no opposite")
    own, opposite = pair
    separator, spelled = _style(type.strip("_- \t\n\r\f\v"), own)
    parts = [_like(spelled[min(index, len(spelled) - 1)], word) for index, word in enumerate(opposite)]
    return separator.join(parts)


def _style(type: str, own: tuple[str, ...]) -> tuple[str, list[str]]:
    """(what stands between words, the words as spelled) of a type whose words are `own`."""
    between = _SEPARATORS.search(type)
    spelled = [part for part in _SEPARATORS.split(type) if part]
    if between is None and len(own) > 1:
        spelled = _CAMEL_EDGE.split(type)
        if [part.casefold() for part in spelled] == list(own):
            # the first word of camelCase says nothing of the case of those after it
            return "", spelled
        return "", [type]
    if between is not None and [part.casefold() for part in spelled] == list(own):
        return between.group(), spelled
    if type.isupper() or type.islower() or not type[:1].isupper():
        return "_", [type]
    return "", [type]


def _like(example: str, word: str) -> str:
    """The word in the letter case of the example."""
    if example.isupper():
        return word.upper()
    return word.capitalize() if example[:1].isupper() else word
