"""What follows from stored facts by the meaning of their relations, after concepts.md: every chain is walked."""

from __future__ import annotations

from dataclasses import dataclass

LINKS_MAX = 6
SYMMETRIC = {"marriedto", "spouseof", "siblingof"}
TRANSITIVE = {"partof", "locatedin", "containedin"}
PAIRS = [("parentof", "childof"), ("owns", "ownedby"), ("employs", "employedby"), ("manages", "managedby")]
OPPOSITE = dict(PAIRS) | {b: a for a, b in PAIRS}
# How the histories spell a relation -> how its opposite must then be spelled.
OPPOSITE_SPELLING = {
    "PARENT_OF": "CHILD_OF",
    "CHILD_OF": "PARENT_OF",
    "parent of": "child of",
    "child of": "parent of",
    "Parent-Of": "Child-Of",
    "parentOf": "childOf",
    "owns": "owned_by",
    "OWNS": "OWNED_BY",
    "OWNED_BY": "OWNS",
    "managed-by": "manages",
}

Triple = tuple[int, str, int]


@dataclass(frozen=True)
class Derived:
    """A fact that is not stored. `chains` are all the shortest rows of stored facts that it follows from."""

    rule: str
    types: frozenset[str]
    chains: frozenset[tuple[int, ...]]


def meaning(type: str) -> str:
    """The name of a relation with letter case, `_`, `-` and spaces aside."""
    return type.casefold().replace("_", "").replace("-", "").replace(" ", "")


def derived_facts(stored: dict[int, Triple], entity: int) -> dict[tuple[int, str, int], Derived]:
    """(source, meaning, target) -> what follows from the stored facts and has the entity at either end."""
    told = {(source, meaning(relation), target) for source, relation, target in stored.values()}
    found: dict[tuple[int, str, int], Derived] = {}
    for number, (source, relation, target) in stored.items():
        what = meaning(relation)
        if what in SYMMETRIC:
            _add(found, (target, what, source), Derived("symmetric", frozenset([relation]), frozenset([(number,)])))
        if what in OPPOSITE:
            opposite = frozenset([OPPOSITE_SPELLING.get(relation, OPPOSITE[what])])
            _add(found, (target, OPPOSITE[what], source), Derived("inverse", opposite, frozenset([(number,)])))
    for what in TRANSITIVE:
        links = {number: one for number, one in stored.items() if meaning(one[1]) == what}
        for chain in _chains(links):
            ends = (links[chain[0]][0], what, links[chain[-1]][2])
            types = frozenset(links[number][1] for number in chain)
            _add(found, ends, Derived("transitive", types, frozenset([chain])))
    return {
        (source, what, target): one
        for (source, what, target), one in found.items()
        if entity in (source, target) and source != target and (source, what, target) not in told
    }


def _add(found: dict[tuple[int, str, int], Derived], key: tuple[int, str, int], one: Derived) -> None:
    """Keep the shortest chains; all of them where several are as short."""
    known = found.get(key)
    if known is None or len(min(one.chains)) < min(map(len, known.chains)):
        found[key] = one
    elif len(min(one.chains)) == min(map(len, known.chains)):
        found[key] = Derived(known.rule, known.types | one.types, known.chains | one.chains)


def _chains(links: dict[int, Triple]) -> list[tuple[int, ...]]:
    """All rows of 2 to 6 facts, each from where the one before leads, that pass no entity twice."""
    done: list[tuple[int, ...]] = []
    growing = [(number,) for number, (source, _, target) in links.items() if source != target]
    for _ in range(LINKS_MAX - 1):
        longer = []
        for chain in growing:
            passed = {links[number][0] for number in chain} | {links[chain[-1]][2]}
            for number, (source, _, target) in links.items():
                if source == links[chain[-1]][2] and target not in passed:
                    longer.append((*chain, number))
        done += longer
        growing = longer
    return done
