"""Where a text names entities: whole words, case aside, longest name first, in offsets of the text as it was sent.

A text is compared in the form of a match key (domain.names.match_key). Case folding and normalisation change lengths,
so NormalText keeps, beside that form, where each of its characters came from.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache

from semurg.domain.characters import INVISIBLE, WHITE_SPACE, atom_spans
from semurg.domain.commands import Name
from semurg.domain.view import Occurrence

# More marks on one letter than any writing has (Unicode's Stream-Safe Text Format stops at 30). Normalising sorts them,
# in quadratic time, so a longer run is normalised in parts.
_MARKS_MAX = 64
_TABLE_ENTRIES_MAX = 50_000
# Names made to begin alike could otherwise make a text cost its atoms times all their lengths.
LENGTHS_MAX = 32
# Places looked up at once: what a passage of usual length has.
ROUND = 4_096
_SPACES = re.compile(" {2,}")
_TO_SPACE = dict.fromkeys(map(ord, WHITE_SPACE), " ")
_WITHOUT_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))

# Classes for normalising: s white space, i invisible, x joins the character before it, c alone but changes length,
# . maps to one character on its own.
_UNEVEN = re.compile(rf"[^xi]?[xi]{{1,{_MARKS_MAX}}}|c|ss+")


class _Joining(dict[int, str]):
    """Code point to its class for normalising."""

    def __missing__(self, code: int) -> str:
        found = _joining(chr(code))
        if len(self) < _TABLE_ENTRIES_MAX:
            self[code] = found
        return found


class _Folding(dict[int, str]):
    """Code point of class `.` or `s` to the one character it becomes."""

    def __missing__(self, code: int) -> str:
        found = _normal(chr(code))
        if len(self) < _TABLE_ENTRIES_MAX:
            self[code] = found
        return found


def _joining(character: str) -> str:
    if character in WHITE_SPACE:
        return "s"
    if character in INVISIBLE:
        return "i"
    first = unicodedata.normalize("NFKD", character)[0]
    # marks, and the vowels and finals that make up a Hangul syllable, may compose with what stands before them
    if unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff" or "\ud7b0" <= first <= "\ud7fb":
        return "x"
    return "." if len(_normal(character)) == 1 else "c"


def _normal(segment: str) -> str:
    """The segment as it stands inside a match key: spaces collapsed, not trimmed."""
    shown = unicodedata.normalize("NFKC", segment.translate(_WITHOUT_INVISIBLE))
    even = unicodedata.normalize("NFKC", shown.casefold())
    return _SPACES.sub(" ", even.translate(_TO_SPACE))


_joining_table = _Joining()
_folding_table = _Folding()
_normal_segment = lru_cache(maxsize=4096)(_normal)


class NormalText:
    """A text in the form of its match key, with the place that each character came from.

    `text` equals match_key of the original (but for more than 64 marks on one character). Linear in the text's length.
    """

    __slots__ = ("_edges", "_ends", "_origins", "_starts", "text")

    def __init__(self, original: str) -> None:
        # runs that map one to one, and single pieces that do not (those have an end of their own)
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._ends: list[int] = []
        written: list[str] = []
        length = 0
        after_space = True  # leading white space is left out
        for start, end, even in _pieces(original):
            if even:
                part = original[start:end]
                part = part.translate(_TO_SPACE).lower() if part.isascii() else part.translate(_folding_table)
            else:
                part = _normal_segment(original[start:end])
            if after_space and part.startswith(" "):
                part = part[1:]
                start += even
            if not part:
                continue
            self._starts.append(length)
            self._origins.append(start)
            self._ends.append(-1 if even else end)
            written.append(part)
            length += len(part)
            after_space = part.endswith(" ")
        self.text = "".join(written).rstrip(" ")
        self._edges: tuple[list[int], set[int]] | None = None

    @property
    def edges(self) -> tuple[list[int], set[int]]:
        """Where atoms of `text` start, ascending, and where they end."""
        if self._edges is None:
            spans = atom_spans(self.text)
            self._edges = [start for start, _ in spans], {end for _, end in spans}
        return self._edges

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Code points of the original that [start, end) of `text` came from; start < end."""
        return self._came_from(start)[0], self._came_from(end - 1)[1]

    def _came_from(self, at: int) -> tuple[int, int]:
        piece = bisect_right(self._starts, at) - 1
        origin, end = self._origins[piece], self._ends[piece]
        if end >= 0:
            return origin, end
        origin += at - self._starts[piece]
        return origin, origin + 1


def _pieces(original: str) -> list[tuple[int, int, bool]]:
    """(start, end, maps one to one) of the pieces of a text, in order; invisible ends of a piece are left out."""
    classes = original.translate(_joining_table)
    pieces = []
    done = 0
    for found in _UNEVEN.finditer(classes):
        start, end = found.span()
        if done < start:
            pieces.append((done, start, True))
        done = end
        shown = classes[start:end].strip("i")
        if shown:
            start += classes[start:end].index(shown[0])
            pieces.append((start, start + len(shown), False))
    if done < len(original):
        pieces.append((done, len(original), True))
    return pieces


def atoms(key: str) -> list[tuple[str, int, int]]:
    """A match key cut into atoms (domain.characters.atom_spans), each with its code points [start, end)."""
    return [(key[start:end], start, end) for start, end in atom_spans(key)]


def find_occurrences(
    text: str,
    lengths: Callable[[str], Sequence[int]],
    lookup: Callable[[Sequence[str]], Sequence[int]],
) -> list[Occurrence]:
    """Every place where the text names an entity, in order of place.

    `lengths(atom)` gives, ascending, how many atoms the names have that begin with it; of these the first LENGTHS_MAX
    are tried. `lookup(keys)` gives the entity of each match key or -1; most texts need one call. A name matches whole
    atoms, so whole words, and any run of characters in a script without spaces. Where names overlap the longest wins,
    then the leftmost. Cost: the atoms of the text times the different lengths of names that begin with the atom.
    """
    normal = NormalText(text)
    written = normal.text
    candidates = _candidates(written, lengths)
    taken = bytearray(len(written))
    kept: list[tuple[int, int, int]] = []
    entity_of: dict[str, int] = {}
    waiting: list[tuple[int, int]] = []
    longest_first = sorted(candidates, reverse=True)
    for size in longest_first:
        # what overlaps a longer name that was found cannot be one: it need not even be cut out
        waiting += [(at, at + size) for at in candidates[size] if not (taken[at] or taken[at + size - 1])]
        if len(waiting) >= ROUND or size == longest_first[-1]:
            _look_up([written[start:end] for start, end in waiting], entity_of, lookup)
            _take_longest(written, waiting, entity_of, taken, kept)
            waiting = []
    return [Occurrence(entity, *normal.span(start, end)) for start, end, entity in sorted(kept)]


def _candidates(text: str, lengths: Callable[[str], Sequence[int]]) -> dict[int, list[int]]:
    """By length in characters, the starts of the runs of atoms that are as long as some name that begins like them."""
    spans = atom_spans(text)
    known: dict[str, Sequence[int]] = {}
    candidates: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(spans):
        first = text[start:end]
        counts = known.get(first)
        if counts is None:
            counts = known[first] = lengths(first)[:LENGTHS_MAX]
        for count in counts:
            last = index + count - 1
            if last >= len(spans):
                break
            size = spans[last][1] - start
            if size in candidates:
                candidates[size].append(start)
            else:
                candidates[size] = [start]
    return candidates


def _look_up(keys: Sequence[str], entity_of: dict[str, int], lookup: Callable[[Sequence[str]], Sequence[int]]) -> None:
    new = [key for key in dict.fromkeys(keys) if key not in entity_of]
    if new:
        entity_of.update(zip(new, lookup(new), strict=True))


def _take_longest(
    text: str,
    places: list[tuple[int, int]],
    entity_of: dict[str, int],
    taken: bytearray,
    kept: list[tuple[int, int, int]],
) -> None:
    """Keep the places that name an entity and overlap none that is taken; `places` come longest first, then leftmost.

    A later one is never longer than one already taken, so it overlaps when one of its ends is inside.
    """
    for start, end in places:
        if not (taken[start] or taken[end - 1]) and (entity := entity_of[text[start:end]]) >= 0:
            taken[start:end] = b"\1" * (end - start)
            kept.append((start, end, entity))


def locate(text: str | NormalText, name: Name) -> tuple[int, int] | None:
    """Code points [start, end) of the first place where the text holds the name, case aside; None where it does not.

    A whole word is preferred, and anything that contains the name will do. Pass a NormalText to ask for many names.
    """
    normal = text if isinstance(text, NormalText) else NormalText(text)
    key = name.key
    at = first = normal.text.find(key)
    if first < 0:
        return None
    starts, ends = normal.edges
    while at >= 0:
        place = bisect_left(starts, at)
        if place == len(starts):
            break
        if starts[place] == at and at + len(key) in ends:
            return normal.span(at, at + len(key))
        at = normal.text.find(key, starts[place] if starts[place] > at else at + 1)
    return normal.span(first, first + len(key))


def occurs(text: str | NormalText, name: Name) -> bool:
    """Whether the text holds the name, case aside, be it inside a longer word."""
    normal = text if isinstance(text, NormalText) else NormalText(text)
    return name.key in normal.text
