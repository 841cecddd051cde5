"""The cutting of texts into passages, and the documents that commands carry.

A passage is an exact slice of its document's text. Sizes are counted in halves of a word: a word is 2, a character of
a script whose text is counted by characters (Chinese, Japanese, Korean, Thai, …) is 1, so that 100 to 200 words and
200 to 400 characters are the same range and mixed text needs no rule of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from semurg.documents.blocks import blocks, with_line_feeds
from semurg.documents.pieces import Piece, pieces
from semurg.documents.sentences import block_sentences, sentence_starts
from semurg.domain.characters import INVISIBLE, WHITE_SPACE
from semurg.domain.commands import DocumentInput, Name, PassageInput
from semurg.domain.instants import StatedDate

SIZE_MIN, SIZE_MAX = 200, 400
_SIZE_AIM = 300
DIGEST_BYTES = 16

# What a cut costs. Sizes come first, then keeping a heading with what it heads, then the edges that a reader sees.
_COST_SHORT = 1_000.0
_COST_PASSAGE = 1.0
_COST_AFTER_HEADING = 40.0
_COST_IN_SENTENCE = 60.0
_COST_IN_BLOCK = 0.6
_COST_IN_LIST = 0.3

_CRUMB_SIZE = 20
_PIECES_BEFORE_MERGING = 2_000
_PIECES_BEFORE_MERGING_ALL = 30_000


class Turn(NamedTuple):
    """One message of a conversation: who speaks (a name or role; None: nobody is named), what, and its own date."""

    who: str | None
    content: str
    date: StatedDate | None = None


def digest(text: str, date: StatedDate | None, key: str | None = None) -> bytes:
    """16 bytes that are the same only for the same text with the same canonical date (and key, of a passage)."""
    stated = "" if date is None else date.text
    # NUL cannot occur in any part
    told = f"{stated}\0{text}" if key is None else f"{stated}\0{text}\0{key}"
    return blake2b(told.encode(), digest_size=DIGEST_BYTES).digest()


def document_from_content(content: str, date: StatedDate | None) -> DocumentInput:
    """The document of a raw text, cut into passages."""
    return DocumentInput(digest(content, date), "content", len(content), tuple(cut_content(content)), date)


def document_from_messages(turns: Sequence[Turn], date: StatedDate | None) -> DocumentInput:
    """The document of a conversation, every turn cut on its own."""
    text, passages = cut_messages(turns)
    return DocumentInput(digest(text, date), "messages", len(text), tuple(passages), date)


def document_from_passage(
    text: str, mentions: Sequence[Name], key: str | None, date: StatedDate | None
) -> DocumentInput:
    """The document of one ready passage: the text as it is, uncut."""
    starts = sentence_starts(text)
    passage = PassageInput(0, text, (0, *starts[1:]), None, key, tuple(mentions))
    return DocumentInput(digest(text, date, key), "passage", len(text), (passage,), date)


def cut_content(text: str) -> list[PassageInput]:
    """The passages of a raw text, in order: at sentence ends, 100 to 200 words (200 to 400 characters) each.

    The last may be shorter, and so may one beside a sentence, table row or code block that would take it over the size.
    A sentence over the size is cut at white space. White space between passages is in none of them.
    """
    return list(_cut(text, 0, None))


def cut_messages(turns: Sequence[Turn]) -> tuple[str, list[PassageInput]]:
    """The conversation as one text, a line a turn, and its passages, none of which holds parts of two turns.

    A turn of white space alone keeps its line and makes no passage. Each passage carries its turn's own date.
    """
    lines: list[str] = []
    passages: list[PassageInput] = []
    start = 0
    for turn in turns:
        line = f"{turn.who}: {turn.content}" if turn.who else turn.content
        if turn.content.strip(WHITE_SPACE + INVISIBLE):
            passages.extend(_cut(line, start, turn.date))
        lines.append(line)
        start += len(line) + 1
    return "\n".join(lines), passages


def _cut(text: str, offset: int, date: StatedDate | None) -> Iterator[PassageInput]:
    """The passages of a text that begins at `offset` of its document."""
    lines = with_line_feeds(text)
    sentences: list[int] = []
    cut: list[Piece] = []
    for block in blocks(lines):
        starts = block_sentences(lines, block)
        sentences.extend(starts)
        cut.extend(pieces(lines, block, starts, SIZE_MAX))
    for first, following in _partition(_without_crumbs(cut)):
        start, end = first.start, following.end
        inside = sentences[bisect_left(sentences, start) : bisect_left(sentences, end)]
        relative = [at - start for at in inside if at > start]
        yield PassageInput(offset + start, text[start:end], (0, *relative), date)


def _without_crumbs(cut: list[Piece]) -> list[Piece]:
    """The pieces of a long text with neighbouring tiny ones made one, so that choosing the cuts stays fast."""
    if len(cut) < _PIECES_BEFORE_MERGING:
        return cut
    merged: list[Piece] = []
    keep_headings = len(cut) < _PIECES_BEFORE_MERGING_ALL
    for piece in cut:
        last = merged[-1] if merged else None
        if last is None or last.size + piece.size > _CRUMB_SIZE or (keep_headings and piece.edge == "heading"):
            merged.append(piece)
        else:
            merged[-1] = Piece(last.start, piece.end, last.size + piece.size, last.edge, piece.heads)
    return merged


def _partition(cut: list[Piece]) -> Iterable[tuple[Piece, Piece]]:
    """(first, last) piece of each passage: the cheapest way to divide the pieces, found from the front."""
    total = len(cut)
    best = [0.0] * (total + 1)
    begins = [0] * (total + 1)
    edge_costs = [_edge_cost(cut, at) for at in range(total)]
    for end in range(1, total + 1):
        size = 0
        cheapest = float("inf")
        for begin in range(end - 1, -1, -1):
            size += cut[begin].size
            if size > SIZE_MAX and begin < end - 1:
                break
            cost = best[begin] + edge_costs[begin] + _size_cost(size, end == total)
            if cost < cheapest:
                cheapest = cost
                begins[end] = begin
        best[end] = cheapest
    passages = []
    end = total
    while end:
        passages.append((cut[begins[end]], cut[end - 1]))
        end = begins[end]
    return reversed(passages)


def _size_cost(size: int, is_last: bool) -> float:
    away = (size - _SIZE_AIM) / 100
    if size >= SIZE_MIN:
        return _COST_PASSAGE + away * away
    if is_last:
        return _COST_PASSAGE + 1 + (SIZE_MIN - size) / 100
    return _COST_PASSAGE + _COST_SHORT + (SIZE_MIN - size)


def _edge_cost(cut: list[Piece], at: int) -> float:
    """What it costs to begin a passage with this piece."""
    if at == 0:
        return 0.0
    if cut[at - 1].heads:
        return _COST_AFTER_HEADING
    return _EDGE_COSTS[cut[at].edge]


_EDGE_COSTS = {
    "heading": 0.0,
    "block": 0.1,
    "line": _COST_IN_LIST,
    "rule": _COST_AFTER_HEADING,
    "sentence": _COST_IN_BLOCK,
    "inside": _COST_IN_SENTENCE,
}
