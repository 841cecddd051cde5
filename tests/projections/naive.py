"""Plain-Python oracles of the kernels: the same names, the arguments in the same order, no cleverness.

Where a kernel takes compressed lists, heaps or working space, its oracle takes the rows or the names themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semurg.domain import names as domain_names
from semurg.domain import visibility as domain_visibility
from semurg.domain.visibility import At

FIXED = 1 << 64


# kernels.visibility


def shows(known_from: int, known_to: int, valid_from: int, valid_to: int, known_at: int, valid_at: int) -> bool:
    return domain_visibility.visible(known_from, known_to, valid_from, valid_to, At(known_at, valid_at))


def _write(found: list[Any], out: Any) -> int:
    out[: len(found)] = found[: len(out)]
    return len(found)


def keep(
    rows: Any, known_from: Any, known_to: Any, valid_from: Any, valid_to: Any, known_at: int, valid_at: int, out: Any
) -> int:
    columns = (known_from, known_to, valid_from, valid_to)
    return _write([row for row in rows if shows(*(column[row] for column in columns), known_at, valid_at)], out)


def keep_known(rows: Any, known_from: Any, known_to: Any, known_at: int, out: Any) -> int:
    return _write([row for row in rows if shows(known_from[row], known_to[row], 0, 1, known_at, 0)], out)


def count(known_from: Any, known_to: Any, valid_from: Any, valid_to: Any, known_at: int, valid_at: int) -> int:
    columns = zip(known_from, known_to, valid_from, valid_to, strict=True)
    return sum(shows(*row, known_at, valid_at) for row in columns)


def count_known(known_from: Any, known_to: Any, known_at: int) -> int:
    return sum(shows(*row, 0, 1, known_at, 0) for row in zip(known_from, known_to, strict=True))


def shows_all(
    known_from: Any, known_to: Any, valid_from: Any, valid_to: Any, known_at: int, valid_at: int, out: Any
) -> int:
    columns = zip(known_from, known_to, valid_from, valid_to, strict=True)
    out[:] = [shows(*row, known_at, valid_at) for row in columns]
    return int(sum(out))


def known_rows(known_from: Any, known_at: int, out: Any) -> int:
    end = (1 << 63) - 1
    return _write([row for row, start in enumerate(known_from) if shows(start, end, 0, 1, known_at, 0)], out)


# kernels.hashes


def mix_into(state: Any, values: Any) -> int:
    for i, value in enumerate(values):
        mixed = ((int(state[i]) + 0x9E3779B97F4A7C15) % FIXED) ^ (int(value) % FIXED)
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % FIXED
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % FIXED
        mixed ^= mixed >> 31
        state[i] = mixed - FIXED if mixed >= FIXED // 2 else mixed
    return len(state)


# kernels.graph, over the rows themselves: (source, target) side by side


def rows_of(entity: int, sources: Any, targets: Any, inward: bool) -> list[int]:
    if inward:
        return [row for row in range(len(sources)) if targets[row] == entity and sources[row] not in (entity, -1)]
    return [row for row in range(len(sources)) if sources[row] == entity]


def visible_rows(entity: int, sources: Any, targets: Any, inward: bool, times: list[Any], at: At) -> list[int]:
    return [row for row in rows_of(entity, sources, targets, inward) if shows(*(column[row] for column in times), *at)]


def closure(
    start: int, allowed: list[int], sources: Any, targets: Any, inward: bool, links_max: int
) -> dict[int, list[int]]:
    """For each entity the shortest chain of allowed rows that leads to it, of those as short the one of lowest rows."""
    best: dict[int, list[int]] = {}
    for chain, end in _chains(start, allowed, sources, targets, inward, links_max):
        if end != start and (end not in best or (len(chain), chain) < (len(best[end]), best[end])):
            best[end] = chain
    return best


def _chains(
    start: int, allowed: list[int], sources: Any, targets: Any, inward: bool, links_max: int
) -> Iterator[tuple[list[int], int]]:
    """Every chain of allowed rows from the start that comes to no entity twice."""
    waiting: list[tuple[list[int], list[int]]] = [([], [start])]
    while waiting:
        chain, met = waiting.pop()
        if chain:
            yield chain, met[-1]
        if len(chain) == links_max:
            continue
        for row in allowed:
            near, far = (targets[row], sources[row]) if inward else (sources[row], targets[row])
            if near == met[-1] and far not in met:
                waiting.append(([*chain, row], [*met, far]))


# kernels.names, over the names themselves


def decode(text: bytes, start: int, end: int) -> list[int]:
    return [ord(character) for character in text[start:end].decode()]


def distance(a: str, b: str, limit: int) -> int:
    return domain_names.distance(a, b, limit)


def edits(a: str, b: str) -> int:
    """Optimal string alignment distance by its definition, the whole table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if not i or not j:
                table[i][j] = i + j
                continue
            costs = [table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                costs.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(costs)
    return table[-1][-1]


def nearest(query: str, limit: int, wanted: int, names: list[str], known: list[bool]) -> list[tuple[int, int]]:
    """(name, distance) of the known names up to the smallest distance that holds `wanted`, at most `limit`."""
    apart = [
        (number, edits(query, name))
        for number, name in enumerate(names)
        if name and known[number] and edits(query, name) <= limit
    ]
    for most in range(limit + 1):
        within = [entry for entry in apart if entry[1] <= most]
        if len(within) >= wanted:
            return within
    return apart


def alike_at_start(query: str, shortest: int, names: list[str], known: list[bool]) -> list[int]:
    return [
        number
        for number, name in enumerate(names)
        if known[number]
        and min(len(name), len(query)) >= shortest
        and (name.startswith(query) or query.startswith(name))
    ]


# kernels.chains: an owner's rows as a plain list, in the order they were added


def link(owners: list[int]) -> dict[int, list[int]]:
    chains: dict[int, list[int]] = {}
    for row, owner in enumerate(owners):
        chains.setdefault(owner, []).append(row)
    return chains


def find_statement(rows: list[int], stated: list[tuple[int, int, int]], wanted: tuple[int, int, int]) -> int:
    return next((row for row in rows if stated[row] == wanted), -1)
