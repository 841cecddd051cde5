"""What a page holds and does not show: scripts, forms' inner workings, elements hidden by attribute or style."""

from __future__ import annotations

import re
from collections.abc import Mapping

UNSEEN = frozenset((
    "script", "style", "template", "noscript", "svg", "option", "select", "datalist", "textarea", "head", "title",
    "meta", "link", "iframe", "object", "embed", "applet", "canvas", "audio", "video", "map", "rp", "rt", "rtc",
    "annotation", "annotation-xml", "noframes", "frameset", "input", "button",
))  # fmt: skip
_HIDING_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all)", re.I
)
_HIDING_CLASSES = frozenset((
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader-only", "screen-reader-only",
    "a11y-hidden", "is-hidden", "d-none", "element-invisible", "offscreen", "mw-editsection", "editsection",
    "noprint",
))  # fmt: skip


def classes(attributes: Mapping[str, object]) -> list[str]:
    """The words of a tag's `class`, in lower case."""
    value = attributes.get("class") or ""
    return (" ".join(map(str, value)) if isinstance(value, list) else str(value)).lower().split()


def hides(name: str, attributes: Mapping[str, object]) -> bool:
    """Whether a tag, by its name, attributes or style, shows nothing of what is in it."""
    if name in UNSEEN or (name == "dialog" and "open" not in attributes):
        return True
    if not attributes:
        return False
    # `hidden="until-found"` is text that the browser's own search opens, so it is to be read.
    if "hidden" in attributes and str(attributes["hidden"]).lower() != "until-found":
        return True
    if _HIDING_STYLE.search(str(attributes.get("style") or "")):
        return True
    return not _HIDING_CLASSES.isdisjoint(classes(attributes))
