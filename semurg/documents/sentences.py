"""Where sentences begin. The rules of sentencex, repaired where they fail on lists, abbreviations, brackets and quotes.

Every repair only moves or drops a boundary; no character of the text is changed. Offsets are code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

from semurg.documents.blocks import Block, blocks, with_line_feeds
from semurg.documents.pieces import may_cut

SENTENCE_CHARS_MAX = 2_000

_ENDS = ".!?…。！？｡؟۔।॥։።"
_ENDS_SET = frozenset(_ENDS)
_WIDE_ENDS = frozenset("。！？｡")
_WIDE_STOP = "．"
_CLOSERS = ')]"”’»」』）】'
_STRETCH_CHARS = 2_000
_LOOK_BACK_CHARS = 400
_CLOSERS_MAX = 50
_MAY_END_INSIDE = re.compile(rf"[{_ENDS}][^{_ENDS}]*\w")
_AFTER_BRACKET = re.compile(r"[.!?…][)\]\"”’»']+\s+")
_AFTER_LINE = re.compile(rf"[{_ENDS}][)\]\"”’»」』]*[ \t\r]*\n\s*")
_TOKEN_CHARS_MAX = 40
_LONE_NUMBER = re.compile(r"\(?(?:[0-9]{1,3}(?:\.[0-9]{1,3})*|[A-Za-z])[.)]")
_BULLETS = frozenset("-*+•‣◦▪·")
_DAY_NUMBER = re.compile(r"[0-9]{1,2}\.")
_OPENING = "\"'“‘«„([{¿¡「『"
_CLOSING_QUOTES = "」』”’"
_CYRILLIC = re.compile("[\u0400-\u04ff]")

# Before a name or anything else: never the end of a sentence.
_TITLES = """dr mr mrs ms mx prof rev hon gen col capt sgt lt cmdr gov sen rep mme mlle mgr frau herr fr hr sra srta
    dott st vs cf e.g i.e viz ca approx bzw z.b d.h u.a v.a vgl sog ggf evtl inkl zzgl p.ej np tzn т.е напр см"""
# Before a number only.
_NUMBERED = """vol vols no nos nr fig figs eq eqs sec sect ch chap p pp art arts abs bd ver v op cap tab ex par para deg
    рис стр табл гл п № n° núm num"""
# After a time of day these go on with the same sentence.
_TIME_GOES_ON = """monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january
    february march april may june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec utc gmt est edt cst cdt mst mdt pst pdt cet cest bst ist jst eastern central pacific"""
_MONTHS = """januar februar märz april mai juni juli august september oktober november dezember leden ledna února
    března dubna května června července srpna září října listopadu prosince tammikuuta januari februari mars maj"""
# A quotation in Chinese or Japanese goes on with who said it.
_SAID = (
    "と",
    "って",
    "は",
    "が",
    "を",
    "に",
    "の",
    "も",
    "他说",
    "她说",
    "我说",
    "他說",
    "她說",
    "我說",
    "说",
    "說",
    "道",
    "问",
    "問",
    "喊",
)

_TITLE_WORDS = frozenset(_TITLES.split())
_NUMBERED_WORDS = frozenset(_NUMBERED.split())
_TIME_WORDS = frozenset(_TIME_GOES_ON.split())
_MONTH_WORDS = frozenset(_MONTHS.split())


def sentence_starts(text: str) -> list[int]:
    """The first character of every sentence, ascending.

    Headings, list items, table rows and lines of code begin one each; a list item keeps its number. White space before
    the first sentence is passed over, and a sentence longer than 2,000 characters is cut at white space.
    """
    lines = with_line_feeds(text)
    return [start for block in blocks(lines) for start in block_sentences(lines, block)]


def block_sentences(text: str, block: Block) -> list[int]:
    """The sentence starts of one block of the text (domain of the offsets: the whole text)."""
    first = _skip_space(text, block.start)
    if block.kind == "code":
        starts = [first, *_line_starts(text, first, block.end)]
    elif block.kind in ("heading", "row"):
        starts = [first]
    else:
        starts = _running_text(text, first, block.end)
    return _capped(text, starts, block.end)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _line_starts(text: str, start: int, end: int) -> Iterator[int]:
    at = text.find("\n", start, end)
    while at >= 0:
        line_end = text.find("\n", at + 1, end)
        line = text[at + 1 : end if line_end < 0 else line_end]
        if line.strip():
            yield at + 1 + len(line) - len(line.lstrip())
        at = line_end


def _running_text(text: str, start: int, end: int) -> list[int]:
    """The sentence starts of prose or of a list item."""
    part = text[start:end].rstrip()
    if _MAY_END_INSIDE.search(part) is None:
        return [start]
    candidates = set(_library_boundaries(part))
    candidates.update(found.end() for found in _AFTER_BRACKET.finditer(part))
    candidates.update(found.end() for found in _AFTER_LINE.finditer(part))
    starts = [0]
    for candidate in sorted(candidates):
        at = _skip_space(part, candidate)
        if starts[-1] < at < len(part) and _divides(part, starts[-1], at):
            starts.append(at)
    return [start + at for at in starts]


def _library_boundaries(part: str) -> Iterator[int]:
    """Where sentencex sees a sentence begin.

    Its time grows with the square of a text without spaces, so what is not ASCII goes to it in stretches that end
    behind the end of a sentence or at white space.
    """
    if part.isascii():
        yield from (found["start_index"] for found in sentencex.get_sentence_boundaries("en", part))
        return
    language = "en" if _CYRILLIC.search(part) is None else "ru"
    start = 0
    while start < len(part):
        end = _stretch_end(part, start)
        stretch = part[start:end]
        yield from (start + found["start_index"] for found in sentencex.get_sentence_boundaries(language, stretch)[1:])
        if stretch.rstrip().rstrip(_CLOSERS)[-1:] in _ENDS_SET:
            yield end
        start = end


def _stretch_end(part: str, start: int) -> int:
    limit = start + _STRETCH_CHARS
    if limit >= len(part):
        return len(part)
    at = limit
    while at > start and not (part[at - 1].isspace() or part[at - 1] in _WIDE_ENDS):
        at -= 1
    at = at if at > start else limit
    while at < min(len(part), limit + _CLOSERS_MAX) and part[at] in _CLOSERS:
        at += 1
    return at


def _divides(part: str, sentence: int, at: int) -> bool:
    """Whether the sentence that begins at `sentence` ends before `at`, or goes on there."""
    left = at
    while part[left - 1].isspace():
        left -= 1
    following = _first_letter(part, at)
    if following.islower() or part[at] in ",;)]}":
        return False
    last = part[left - 1]
    if left == at and (
        last.isascii() or (last == _WIDE_STOP and following.isdigit()) or _is_quoted_speech(part, last, at)
    ):
        return False
    token_start = max((part.rfind(space, sentence, left) for space in " \n\t\r\xa0"), default=-1) + 1
    token_start = max(token_start, sentence)
    if left - token_start > _TOKEN_CHARS_MAX:
        return True
    token = part[token_start:left]
    if _is_item_number(token, part[sentence:token_start]):
        return False
    return not token.endswith(".") or not _goes_on_after(token.lstrip(_OPENING), part, at, following)


def _is_quoted_speech(part: str, last: str, at: int) -> bool:
    """Whether a quotation ends there and the sentence goes on with who said it."""
    return last in _CLOSING_QUOTES and part.startswith(_SAID, at)


def _first_letter(part: str, at: int) -> str:
    while at < len(part) and part[at] in _OPENING:
        at += 1
    return part[at : at + 1]


def _is_item_number(token: str, before: str) -> bool:
    """Whether the token is the number of a list item, with at most a bullet before it in its sentence."""
    return _LONE_NUMBER.fullmatch(token) is not None and (not before.strip() or before.strip() in _BULLETS)


def _goes_on_after(token: str, part: str, at: int, following: str) -> bool:
    """Whether a token that ends in a full stop is an abbreviation that the text at `at` goes on from."""
    word = token[:-1].casefold()
    if len(word) == 1 and word.isalpha() and token[0].isupper():
        return token[0] != "I" and following.isupper()
    if word in _TITLE_WORDS:
        return True
    if word in _NUMBERED_WORDS:
        return following.isdigit()
    if word in ("a.m", "p.m"):
        return _word_at(part, at) in _TIME_WORDS
    return _DAY_NUMBER.fullmatch(token) is not None and _word_at(part, at) in _MONTH_WORDS


def _word_at(part: str, at: int) -> str:
    end = at
    while end < len(part) and part[end].isalpha() and end - at < _TOKEN_CHARS_MAX:
        end += 1
    return part[at:end].casefold()


def _capped(text: str, starts: list[int], end: int) -> list[int]:
    """The starts with further ones inside sentences over the limit: at white space where there is some."""
    capped: list[int] = []
    for start, following in zip(starts, [*starts[1:], end], strict=True):
        capped.append(start)
        while following - capped[-1] > SENTENCE_CHARS_MAX:
            cut = _cut_before(text, capped[-1] + SENTENCE_CHARS_MAX, capped[-1])
            if cut >= following:
                break
            capped.append(cut)
    return capped


def _cut_before(text: str, limit: int, start: int) -> int:
    """Where the next part of an overlong sentence begins, at `limit` at the latest but for white space there."""
    at = limit
    while at > start and not text[at - 1].isspace():
        at -= 1
    if not text[start:at].strip():
        # no white space to cut at: between two characters of a script without spaces, else anywhere
        near = range(limit, limit - _LOOK_BACK_CHARS, -1)
        at = next((place for place in near if place < len(text) and may_cut(text, place)), limit)
    return _skip_space(text, at)
