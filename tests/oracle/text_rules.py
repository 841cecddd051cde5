"""What a text names, where its sentences are and how near two names are: the slow and obvious way.

Every pair of places in a text is tried. Fit for texts of a few hundred characters, which is what the histories use.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from semurg.domain.names import folded, match_key, words

NAME_CHARS_MAX = 24
STOP_WORDS = ("the", "of", "and", "in")
# The scripts without spaces that the histories use: Han and kana.
_UNSPACED = re.compile("[぀-ヿ㐀-鿿]")


def is_word_character(character: str) -> bool:
    """Letters, digits and the marks on them."""
    return unicodedata.category(character)[0] in "LNM"


@lru_cache(maxsize=4096)
def slices_by_key(text: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Every match key that some slice of the text has, with those slices, from left to right.

    A slice begins and ends with a character that counts, and takes all the combining marks that follow it.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for start in range(len(text)):
        if not match_key(text[start]) or unicodedata.combining(text[start]):
            continue
        for end in range(start + 1, min(len(text), start + NAME_CHARS_MAX) + 1):
            if not match_key(text[end - 1]) or (end < len(text) and unicodedata.combining(text[end])):
                continue
            found.setdefault(match_key(text[start:end]), []).append((start, end))
    return {key: tuple(places) for key, places in found.items()}


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether neither edge of the slice cuts a word; in scripts without spaces no edge does."""
    return not (_touches(text, start, start - 1) or _touches(text, end - 1, end))


def _touches(text: str, edge: int, neighbour: int) -> bool:
    if not 0 <= neighbour < len(text):
        return False
    both = text[edge], text[neighbour]
    return all(is_word_character(one) for one in both) and not any(_UNSPACED.match(one) for one in both)


def named_places(text: str, keys: dict[str, int]) -> list[tuple[int, int, int]]:
    """(entity, start, end) of every place where the text names one: whole words, the longest where they overlap."""
    candidates = [
        (entity, start, end)
        for key, entity in keys.items()
        for start, end in slices_by_key(text).get(key, ())
        if is_whole_word(text, start, end)
    ]
    taken: list[tuple[int, int, int]] = []
    for entity, start, end in sorted(candidates, key=lambda one: (one[1] - one[2], one[1])):
        if all(end <= other_start or other_end <= start for _, other_start, other_end in taken):
            taken.append((entity, start, end))
    return sorted(taken, key=lambda one: one[1])


def first_place_of(text: str, key: str) -> tuple[int, int] | None:
    """Where the text first holds the name at all, inside a longer word or not."""
    places = slices_by_key(text).get(key)
    return places[0] if places else None


def sentences(text: str) -> list[tuple[int, int]]:
    """[start, end) of the sentences of a plain text: each ends in a full stop (also 。) or is what is left."""
    found = []
    for matched in re.finditer(r"[^.。]+[.。]?", text):
        whole = matched.group()
        start = matched.start() + len(whole) - len(whole.lstrip())
        end = matched.start() + len(whole.rstrip())
        if start < end:
            found.append((start, end))
    return found


def edit_distance(a: str, b: str) -> int:
    """Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each counted once."""
    rows = [[max(i, j) if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def distance_allowed(query: str) -> int:
    """How many edits a query of this length may be away from a name."""
    return 0 if len(query) < 3 else 1 if len(query) < 8 else 2


def nearest_spellings(query_key: str, names_by_key: dict[str, int]) -> list[int]:
    """The entities nearest to the query among those near enough: accents aside, then few edits."""
    query = folded(query_key)
    distances = {entity: edit_distance(query, folded(key)) for key, entity in names_by_key.items()}
    near = {entity: one for entity, one in distances.items() if one <= distance_allowed(query)}
    return sorted(entity for entity, one in near.items() if one == min(near.values()))


def holders_of_word(query_key: str, names_by_key: dict[str, int]) -> list[int]:
    """The entities whose name has the query as one whole word."""
    query = folded(query_key)
    if query in STOP_WORDS or len(words(query_key)) != 1:
        return []
    return sorted(entity for key, entity in names_by_key.items() if query in [folded(one) for one in words(key)])
