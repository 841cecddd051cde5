"""What a caller's fields say, before anything is decided: names, dates, values and texts, as plain tuples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from text_rules import first_place_of

from semurg.domain.instants import StatedDate, parse_date
from semurg.domain.names import clean_name, match_key
from semurg.domain.values import Value, read_value


class RefusedError(Exception):
    """The oracle's no. `codes`: the answers that the contract leaves room for."""

    def __init__(self, *codes: str) -> None:
        super().__init__(" or ".join(codes))
        self.codes = codes


@dataclass
class Relation:
    """One relation as sent. `start` is valid_from, else the call's date."""

    source: str
    type: str
    target: str
    start: int | None
    end: int | None
    replaces: bool
    attributes: dict[str, Value]


@dataclass
class Text:
    """One text to store: `parts` are (start, text, date, key, mentions)."""

    text: str
    date: str | None
    parts: list[tuple[int, str, str | None, str | None, list[str]]]


@dataclass
class Call:
    """A remember or relate, read. Names are as spelled."""

    texts: list[Text]
    entities: list[tuple[str, list[str], dict[str, Value]]]
    relations: list[Relation]
    date: StatedDate | None
    label: str | None
    has_facts: bool

    @property
    def names(self) -> list[str]:
        """Every name the call speaks of, in the order in which unknown ones become entities."""
        ends = [name for one in self.relations for name in (one.source, one.target)]
        mentions = [name for text in self.texts for part in text.parts for name in part[4]]
        return [*(name for name, _, _ in self.entities), *mentions, *ends]


def read_remember(fields: dict[str, Any]) -> Call:
    """The fields of memory_remember."""
    date = _date(fields.get("date"), "date")
    facts = fields.get("facts")
    entities, relations = [], []
    if facts is not None:
        entities = [_entity(one) for one in facts.get("entities") or []]
        if "subject" in facts:
            entities.append((facts["subject"], [facts["kind"]] if "kind" in facts else [], {}))
        relations = [_relation(one, date) for one in facts.get("relations") or []]
        if not entities and not relations:
            raise RefusedError("facts_shape")
    texts = _texts(fields, date)
    if not texts and facts is None:
        raise RefusedError("nothing_to_store")
    call = Call(texts, entities, relations, date, fields.get("source"), facts is not None)
    _check(call)
    return call


def read_relate(fields: dict[str, Any]) -> Call:
    """The fields of memory_relate."""
    date = _date(fields.get("date"), "date")
    attributes = dict(fields.get("attributes") or {})
    bounds = {key: attributes.pop(key) for key in ("valid_from", "valid_to") if key in attributes}
    sent = {**bounds, **fields, "source": fields["frm"], "target": fields["to"], "attributes": attributes}
    call = Call([], [], [_relation(sent, date)], date, fields.get("source"), True)
    _check(call)
    return call


def _date(text: str | None, field: str) -> StatedDate | None:
    return None if text is None else parse_date(text, field)


def _entity(sent: dict[str, Any]) -> tuple[str, list[str], dict[str, Value]]:
    types = [*([sent["type"]] if sent.get("type") else []), *(sent.get("types") or [])]
    return sent["name"], types, _values(sent.get("attributes"))


def _values(sent: dict[str, Any] | None) -> dict[str, Value]:
    return {key: read_value(raw, key) for key, raw in (sent or {}).items()}


def _relation(sent: dict[str, Any], date: StatedDate | None) -> Relation:
    start = _date(sent.get("valid_from"), "valid_from") or date
    end = _date(sent.get("valid_to"), "valid_to")
    return Relation(
        sent.get("source") or sent["from"],
        sent.get("type") or "RELATED_TO",
        sent.get("target") or sent["to"],
        start.start if start else None,
        end.start if end else None,
        bool(sent.get("replaces")),
        _values(sent.get("attributes")),
    )


def _texts(fields: dict[str, Any], date: StatedDate | None) -> list[Text]:
    stated = date.text if date else None
    if "content" in fields:
        whole = fields["content"]
        start = len(whole) - len(whole.lstrip())
        return [Text(whole, stated, [(start, whole.strip(), None, None, [])])]
    if "messages" in fields:
        return [_conversation(fields["messages"], stated)]
    texts = []
    for sent in fields.get("passages") or []:
        own = _date(sent.get("date"), "date")
        shown = own.text if own else stated
        texts.append(Text(sent["text"], shown, [(0, sent["text"], None, sent.get("key"), list(sent["mentions"]))]))
    return texts


def _conversation(turns: list[dict[str, Any]], stated: str | None) -> Text:
    whole, parts = "", []
    for turn in turns:
        speaker = turn.get("name") or turn.get("role")
        line = f"{speaker}: {turn['content']}" if speaker else turn["content"]
        whole += "\n" if whole else ""
        own = _date(turn.get("date"), "date")
        parts.append((len(whole), line, own.text if own else None, None, []))
        whole += line
    return Text(whole, stated, parts)


def _check(call: Call) -> None:
    """What contradicts itself within one call: any of its faults may be the one named. Bad names raise a Refusal."""
    for name in call.names:
        clean_name(name, "name")
    faults = []
    if any(None not in (one.start, one.end) and one.start >= one.end for one in call.relations):  # type: ignore[operator]
        faults.append("interval_empty")
    parts = [part for text in call.texts for part in text.parts]
    if any(first_place_of(part[1], match_key(name)) is None for part in parts for name in part[4]):
        faults.append("mention_not_in_text")
    replaced = [
        ((match_key(one.source), one.type, one.start), match_key(one.target)) for one in call.relations if one.replaces
    ]
    if _contradicts(replaced):
        faults.append("replaces_conflict")
    if _contradicts(_values_given(call)):
        faults.append("attribute_conflict")
    if faults:
        if any(one.replaces and one.start is None and one.end is not None for one in call.relations):
            faults.append("interval_empty")  # it may have ended before now, where it would begin
        raise RefusedError(*faults)


def _values_given(call: Call) -> list[tuple[object, object]]:
    given: list[tuple[object, object]] = [
        ((match_key(name), key), identity(value))
        for name, _, attributes in call.entities
        for key, value in attributes.items()
    ]
    for one in call.relations:
        triple = (match_key(one.source), one.type, match_key(one.target))
        given += [((*triple, key, one.start), identity(value)) for key, value in one.attributes.items()]
    return given


def _contradicts(given: Sequence[tuple[object, object]]) -> bool:
    """Whether a key is given two things."""
    first: dict[object, object] = {}
    return any(first.setdefault(key, thing) != thing for key, thing in given)


def identity(value: Value) -> tuple[object, ...]:
    """What makes two values the same: their types and texts, date-times by their instant."""
    texts = [
        parse_date(text, "value").text if kind == "datetime" else text
        for kind, text in zip(value.types, value.texts, strict=True)
    ]
    return value.is_set, tuple(sorted(zip(value.types, texts, strict=True)))
