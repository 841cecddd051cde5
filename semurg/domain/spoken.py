"""Who says a turn of a conversation, when its text begins with the speaker: `Dana: I moved to Lisbon.`

A label is a short name before a colon at the very start of the text. What it labels is what was said; the label itself
is who spoke, and neither words nor vectors of what was said should carry it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LABEL_WORDS_MAX = 5
_LABEL = re.compile(r"([^\W\d_][^\n:.?!;]{0,59}?): +(?=\S)")


class Spoken(NamedTuple):
    """The label of the speaker (None: there is none) and where, in code points, what is said begins."""

    speaker: str | None
    start: int


NOT_LABELLED = Spoken(None, 0)


def spoken(text: str) -> Spoken:
    """Take the speaker's label off the front of a text."""
    found = _LABEL.match(text)
    if found is None or len(found[1].split()) > LABEL_WORDS_MAX:
        return NOT_LABELLED
    return Spoken(found[1], found.end())
