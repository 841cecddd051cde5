"""Telling a page's own text from what is around it for browsing the site: by roles, names and the share of links."""

from __future__ import annotations

import re
from typing import NamedTuple

from bs4.element import NavigableString, PreformattedString, Tag

from semurg.documents.formats.html_hidden import classes, hides

_TAGS = frozenset(("nav", "aside", "footer", "menu"))
_ROLES = frozenset((
    "navigation", "contentinfo", "search", "complementary", "menu", "menubar", "toolbar", "tablist", "dialog",
    "alertdialog", "banner",
))  # fmt: skip
_MAIN_ROLES = frozenset(("main", "article"))
_MAIN_TAGS = frozenset(("main", "article", "body", "html", "[document]"))
_WORD = re.compile(r"[a-z]+")
_NAMES = frozenset((
    "nav", "navbar", "navigation", "menu", "menus", "submenu", "sidebar", "breadcrumb", "breadcrumbs", "footer",
    "cookie", "cookies", "consent", "share", "sharing", "social", "advert", "advertisement", "ads", "promo",
    "newsletter", "subscribe", "signup", "pagination", "pager", "related", "skip", "toc", "toolbar", "portlet",
    "banner", "langs", "languages", "catlinks", "widget", "masthead",
))  # fmt: skip
_MOSTLY = 0.5
_LINK_LIST, _LINK_LIST_LINKS, _LINK_LABEL = 0.8, 4, 30


class _Measure(NamedTuple):
    """Of one tag: its visible characters, those of them in links, its links, and whether it holds a main part."""

    characters: int
    linked: int
    links: int
    main: bool


def navigation(soup: Tag) -> frozenset[int]:
    """The ids (Python's) of the tags that belong to the site rather than to the page's text."""
    measures = _measured(soup)
    whole = measures[id(soup)].characters
    found: set[int] = set()
    stack: list[tuple[Tag, bool]] = [(soup, False)]
    while stack:
        tag, within = stack.pop()
        for child in tag.contents:
            if not isinstance(child, Tag) or id(child) not in measures:
                continue
            if _is_navigation(child, measures[id(child)], whole, within):
                found.add(id(child))
            else:
                own = child.name in ("main", "article") or str(child.get("role")).lower() in _MAIN_ROLES
                stack.append((child, within or own))
    return frozenset(found)


def _is_navigation(tag: Tag, measure: _Measure, whole: int, within_main: bool) -> bool:
    if tag.name in _MAIN_TAGS:
        return False
    # An article may have an aside or a foot of its own; one that carries most of the page is no such thing.
    if (tag.name in _TAGS or str(tag.get("role")).lower() in _ROLES) and not measure.main:
        return measure.characters < whole * 0.6
    if measure.main or not measure.characters or measure.characters > whole * 0.4:
        return False
    linked = measure.linked / measure.characters
    if linked >= _MOSTLY or measure.characters < 60:
        words = set(_WORD.findall(" ".join([*classes(tag.attrs), str(tag.get("id") or "").lower()])))
        if not words.isdisjoint(_NAMES):
            return True
    listed = tag.name in ("ul", "ol") and not within_main and measure.links >= _LINK_LIST_LINKS
    return listed and linked >= _LINK_LIST and measure.characters / measure.links <= _LINK_LABEL


def _measured(soup: Tag) -> dict[int, _Measure]:
    """Measures of every visible tag, counted from the leaves up without recursion."""
    order: list[tuple[Tag, bool]] = []
    stack: list[tuple[Tag, bool]] = [(soup, False)]
    while stack:
        tag, in_link = stack.pop()
        order.append((tag, in_link))
        for child in tag.contents:
            if isinstance(child, Tag) and not hides(child.name, child.attrs):
                stack.append((child, in_link or child.name == "a"))
    measures: dict[int, _Measure] = {}
    for tag, in_link in reversed(order):
        characters = linked = 0
        links = int(tag.name == "a")
        main = tag.name in ("main", "article", "h1") or str(tag.get("role")).lower() in _MAIN_ROLES
        for child in tag.contents:
            if isinstance(child, Tag):
                inner = measures.get(id(child))
                if inner:
                    characters, linked = characters + inner.characters, linked + inner.linked
                    links, main = links + inner.links, main or inner.main
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                count = len("".join(child.split()))
                characters, linked = characters + count, linked + (count if in_link else 0)
        measures[id(tag)] = _Measure(characters, linked, links, main)
    return measures
