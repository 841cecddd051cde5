"""Names and the other short texts that identify things: what is accepted, and when two spellings are one.

A *match key* decides identity; a *folded* key, accents aside, only ever suggests or finds. Called by the doors (to
validate), by linking, and by the projections (to index).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from semurg.domain.characters import (
    BIDI_CONTROLS,
    INVISIBLE,
    LINE_BREAKS,
    WHITE_SPACE,
    check_text,
    shows,
    word_spans,
)
from semurg.domain.commands import Name
from semurg.domain.errors import Refusal, quoted
from semurg.domain.limits import NAME_BYTES_MAX, SCOPE_BYTES_MAX, USER_BYTES_MAX

__all__ = [
    "check_text",
    "clean_key",
    "clean_label",
    "clean_name",
    "clean_relation",
    "clean_scope",
    "clean_type",
    "clean_user",
    "distance",
    "edit_allowance",
    "folded",
    "has_substance",
    "is_english_stop_word",
    "is_spelling_match",
    "is_stop_word",
    "match_key",
    "words",
]

_WHITE = re.escape(WHITE_SPACE)
_BREAKS = re.escape(LINE_BREAKS)
_WHITE_RUN = re.compile(f"[{_WHITE}]+")
_BROKEN_RUN = re.compile(f"[{_WHITE}]*[{_BREAKS}][{_WHITE}]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_NAME = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BIDI = re.compile(f"[{BIDI_CONTROLS}]")
_WITHOUT_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))


def match_key(text: str) -> str:
    """The form under which two spellings are the same: Unicode NFKC, case folded, invisible characters left out, white
    space collapsed and trimmed. Joiners, accents and punctuation count. match_key(match_key(x)) == match_key(x)."""
    if text.isascii():
        return " ".join(_WHITE_RUN.split(text.lower().strip(WHITE_SPACE)))
    shown = unicodedata.normalize("NFKC", text.translate(_WITHOUT_INVISIBLE))
    return _WHITE_RUN.sub(" ", unicodedata.normalize("NFKC", shown.casefold())).strip(" ")


def folded(key: str) -> str:
    """A match key with accents aside: marks above and below a letter (and Hebrew and Arabic points) dropped.

    Vowel signs and other marks that spell a different word stay: Indic, Thai, kana.
    """
    if key.isascii():
        return key
    kept = [character for character in unicodedata.normalize("NFD", key) if not _is_accent(character)]
    return unicodedata.normalize("NFC", "".join(kept))


def _is_accent(character: str) -> bool:
    # canonical combining classes: 10..36 are the points of Hebrew, Arabic and Syriac, 200..255 lie around a letter
    combining = unicodedata.combining(character)
    return combining >= 200 or 10 <= combining <= 36


def words(text: str) -> list[str]:
    """The words of a match key or text, in order: runs of letters, digits and their marks (and joiners inside).

    A whole run of a script that is written without spaces is one word.
    """
    return [text[start:end] for start, end in word_spans(text)]


def has_substance(text: str) -> bool:
    """Whether the text holds more than white space, punctuation and characters that do not show."""
    return any(map(shows, set(text)))


# what may be sent


def clean_name(text: str, field: str) -> Name:
    """The name trimmed, with line breaks and tabs inside it as one space, beside its match key.

    Raises Refusal name_empty, name_too_long, name_invalid or control_character, each naming the field.
    """
    _refuse_invalid(text, field)
    _refuse_controls(text, field, _CONTROL_IN_NAME)
    shown = _BROKEN_RUN.sub(" ", text.strip(WHITE_SPACE))
    if not any(map(shows, shown)):
        raise _empty(text, field, "holds no letter, digit or symbol")
    _refuse_long(shown, field)
    return Name(shown, match_key(shown))


def clean_type(text: str, field: str) -> str:
    """The name of a type (class) as spelled, trimmed; the rules of names apply."""
    return clean_name(text, field).text


def clean_key(text: str, field: str) -> str:
    """An attribute key, exactly as spelled: 1 to 1,024 bytes, not blank, no control characters."""
    return _clean_exact(text, field)


def clean_relation(text: str, field: str) -> str:
    """A relation type, trimmed and otherwise exactly as spelled; limits as for keys."""
    return _clean_exact(text.strip(WHITE_SPACE), field)


def clean_label(text: str, field: str) -> str:
    """A source label or passage key, exactly as sent; limits as for keys."""
    return _clean_exact(text, field)


def clean_scope(text: str, field: str = "scope") -> str:
    """A scope's name exactly as sent: 1 to 256 bytes, not blank, no control characters. Refusal: scope_invalid."""
    why = _partition_fault(text, SCOPE_BYTES_MAX)
    if why is not None:
        raise Refusal(
            "scope_invalid",
            f"{field}: {quoted(text)} {why}.",
            "Send 1 to 256 bytes, not blank, without control characters.",
        )
    return text


def clean_user(text: str, field: str = "user_id") -> str:
    """An end user's id exactly as sent: 1 to 256 bytes, not blank, no control characters, no colon.

    Raises Refusal user_id_invalid.
    """
    why = "holds a colon" if ":" in text else _partition_fault(text, USER_BYTES_MAX)
    if why is not None:
        raise Refusal(
            "user_id_invalid",
            f"{field}: {quoted(text)} {why}.",
            "Send 1 to 256 bytes, not blank, without colons and control characters.",
        )
    return text


def _partition_fault(text: str, bytes_max: int) -> str | None:
    if not text.strip(WHITE_SPACE):
        return "is blank"
    if _CONTROL.search(text):
        return "holds a control character"
    if _SURROGATE.search(text):
        return "is not well-formed Unicode"
    if len(text.encode()) > bytes_max:
        return f"is longer than {bytes_max} bytes of UTF-8"
    return None


def _clean_exact(text: str, field: str) -> str:
    _refuse_surrogates(text, field)
    _refuse_controls(text, field, _CONTROL)
    if not text.strip(WHITE_SPACE + INVISIBLE):
        raise _empty(text, field, "is blank")
    _refuse_long(text, field)
    return text


def _refuse_invalid(text: str, field: str) -> None:
    _refuse_surrogates(text, field)
    found = _BIDI.search(text)
    if found is not None:
        raise Refusal(
            "name_invalid",
            f"{field}: {quoted(text)} holds U+{ord(found.group()):04X}, which changes the direction of what follows.",
            "Send the name without embeddings, overrides and isolates (U+202A to U+202E, U+2066 to U+2069).",
        )


def _refuse_surrogates(text: str, field: str) -> None:
    if not text.isascii() and _SURROGATE.search(text):
        raise Refusal(
            "name_invalid",
            f"{field}: {quoted(text)} holds half of a surrogate pair.",
            "Send well-formed Unicode: both halves of the pair, or neither.",
        )


def _refuse_controls(text: str, field: str, controls: re.Pattern[str]) -> None:
    found = controls.search(text)
    if found is not None:
        raise Refusal(
            "control_character",
            f"{field}: {quoted(text)} holds the control character U+{ord(found.group()):04X}.",
            "Send it without control characters.",
        )


def _refuse_long(text: str, field: str) -> None:
    size = len(text.encode())
    if size > NAME_BYTES_MAX:
        raise Refusal(
            "name_too_long",
            f"{field}: {quoted(text)} is {size} bytes of UTF-8; at most {NAME_BYTES_MAX} fit.",
            "Send a shorter one. Nothing is ever cut for you.",
        )


def _empty(text: str, field: str, why: str) -> Refusal:
    return Refusal("name_empty", f"{field}: {quoted(text)} {why}.", "Send at least one letter, digit or symbol.")


# finding by a name that is nearly right


def edit_allowance(length: int) -> int:
    """How many edits a query of so many code points may be away from a name: 0 under 3, 1 for 3 to 7, 2 from 8 on."""
    if length < 3:
        return 0
    return 1 if length < 8 else 2


def distance(a: str, b: str, limit: int) -> int:
    """Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours, each counting 1.

    limit + 1 as soon as it is known to be over the limit. Cost: min(len(a), len(b)) rows of 2 * limit + 1 cells.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    over = limit + 1
    before: list[int] = []
    above = [column if column <= limit else over for column in range(len(b) + 1)]
    for row in range(1, len(a) + 1):
        here = [over] * (len(b) + 1)
        if row <= limit:
            here[0] = row
        for column in range(max(1, row - limit), min(len(b), row + limit) + 1):
            cost = min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (a[row - 1] != b[column - 1]))
            if row > 1 and column > 1 and a[row - 1] == b[column - 2] and a[row - 2] == b[column - 1]:
                cost = min(cost, before[column - 2] + 1)
            here[column] = min(cost, over)
        if min(here) > limit and min(above) > limit:
            return over
        before, above = above, here
    return above[len(b)]


def is_spelling_match(query: str, name: str) -> bool:
    """Whether a folded name is near enough to a folded query: equal, or within the query's edit allowance.

    From 3 letters on this also finds the name that the query begins when it is one letter longer.
    """
    allowed = edit_allowance(len(query))
    return distance(query, name, allowed) <= allowed


# stop words

# Words that some language lists and that are also given names or proper names: these may find their bearer alone.
_NAMES = """
    ali amit ana andre april asa ben bill dag dai dan dana dell della den dina doug dun eden ela eli ella ellen
    ernst gene greta hal hans hari iba ina inga isa jan jim jos jun kai ken kent kim kira kit lei lena lia lima lin
    mac mai mal mara mat meg mei mia microsoft mila mina mint nami ned nell netscape nice nora nova ole oli otto pat
    petra pia post press rae sal sam sana sara sean sia sina sue tai tal tam tanya theo tim tom uma una ute visa xi
    yana will jo al ed ada mia max rose mark art
"""
_NAMES_NOT_STOP = frozenset(_NAMES.split())


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    import stop_words

    listed = {
        match_key(word) for language in stop_words.AVAILABLE_LANGUAGES for word in stop_words.get_stop_words(language)
    }
    return frozenset(listed | {folded(word) for word in listed}) - _NAMES_NOT_STOP


@lru_cache(maxsize=1)
def _english_stop_words() -> frozenset[str]:
    import stop_words

    return frozenset(match_key(word) for word in stop_words.get_stop_words("en"))


def is_english_stop_word(word: str) -> bool:
    """Whether a folded word is a stop word of English: what other languages list may be a name in English."""
    return word in _english_stop_words()


def is_stop_word(word: str) -> bool:
    """Whether a word of a match key (accents aside or not) is too common to find a name alone.

    English and every further language of the stop-words lists, less the words that are also given names.
    """
    return word in _stop_words()
