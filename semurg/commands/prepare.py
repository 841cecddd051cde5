"""From a caller's fields (shape already checked at the door) to a command: names cleaned, dates read, text cut.

Everything here depends on the call alone, so a large call can be prepared off the event loop. Every refusal names the
field, and for lists the index of the first offender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from semurg.documents.passages import Turn, document_from_content, document_from_messages, document_from_passage
from semurg.domain.commands import (
    AttributeInput,
    DocumentInput,
    EntityInput,
    Forget,
    ForgetAll,
    ForgetAttribute,
    ForgetFact,
    ForgetPassage,
    ForgetSource,
    ForgetSubject,
    Name,
    RelationInput,
    Remember,
)
from semurg.domain.errors import Refusal
from semurg.domain.instants import StatedDate, parse_date
from semurg.domain.limits import (
    ATTRIBUTES_MAX,
    CONTENT_BYTES_MAX,
    ENTITIES_MAX,
    MENTIONS_MAX,
    PASSAGE_BYTES_MAX,
    PASSAGES_BYTES_MAX,
    PASSAGES_MAX,
    RELATIONS_MAX,
)
from semurg.domain.names import (
    check_text,
    clean_key,
    clean_label,
    clean_name,
    clean_relation,
    clean_type,
    has_substance,
)
from semurg.domain.values import read_value

DEFAULT_RELATION = "RELATED_TO"
Fields = Mapping[str, Any]


def prepare_remember(fields: Fields) -> Remember:
    """The command of a memory_remember."""
    date = _date(fields, "date")
    source = _label(fields)
    documents = _documents(fields, date)
    facts = fields.get("facts")
    if not documents and facts is None:
        raise Refusal(
            "nothing_to_store", "The call holds neither text nor facts.", "Send content, messages, passages or facts."
        )
    entities, relations = ((), ()) if facts is None else _facts(facts)
    return Remember(documents, entities, relations, date, source)


def prepare_relate(fields: Fields) -> Remember:
    """The command of a memory_relate: a remember of one relation and nothing else."""
    relation = _relation({**fields, "source": fields["from"], "target": fields["to"]}, {}, "", sides=("from", "to"))
    return Remember((), (), (relation,), _date(fields, "date"), _label(fields))


def prepare_forget(fields: Fields) -> Forget:
    """The command of a memory_forget: exactly one form."""
    forms = [form for form in ("subject", "fact", "passage", "source", "attribute", "all") if _is_sent(fields, form)]
    if len(forms) != 1:
        raise Refusal(
            "one_form_only",
            f"A forget takes exactly one form; this one has {', '.join(forms) if forms else 'none'}.",
            "Send one of subject, fact, passage, source, attribute, or all: true.",
        )
    match forms[0]:
        case "subject":
            return ForgetSubject(clean_name(fields["subject"], "subject"))
        case "fact":
            fact = fields["fact"]
            source, target = clean_name(fact["from"], "fact.from"), clean_name(fact["to"], "fact.to")
            return ForgetFact(source, clean_relation(fact["type"], "fact.type"), target)
        case "passage":
            return ForgetPassage(fields["passage"])
        case "source":
            return ForgetSource(clean_label(fields["source"], "source"))
        case "attribute":
            attribute = fields["attribute"]
            subject = clean_name(attribute["subject"], "attribute.subject")
            return ForgetAttribute(subject, clean_key(attribute["key"], "attribute.key"))
        case _:
            return ForgetAll()


def _is_sent(fields: Fields, form: str) -> bool:
    value = fields.get(form)
    return value is True if form == "all" else value is not None


def _date(fields: Fields, key: str, prefix: str = "") -> StatedDate | None:
    text = fields.get(key)
    return None if text is None else parse_date(text, prefix + key)


def _label(fields: Fields) -> str | None:
    source = fields.get("source")
    return None if source is None else clean_label(source, "source")


# Texts


def _documents(fields: Fields, date: StatedDate | None) -> tuple[DocumentInput, ...]:
    sent = [field for field in ("content", "messages", "passages") if fields.get(field) is not None]
    if len(sent) > 1:
        raise Refusal(
            "one_text_only",
            f"The call has {' and '.join(sent)}; one call stores one kind of text.",
            "Send them in calls of their own.",
        )
    if not sent:
        return ()
    if sent[0] == "content":
        return (_content(fields["content"], date),)
    if sent[0] == "messages":
        return _messages(fields["messages"], date)
    return _passages(fields["passages"], date)


def _content(content: str, date: StatedDate | None) -> DocumentInput:
    check_text(content, "content")
    _refuse_blank(content, "content")
    _refuse_over(len(content.encode()), CONTENT_BYTES_MAX, "content", "bytes")
    return document_from_content(content, date)


def _messages(messages: Sequence[Fields], date: StatedDate | None) -> tuple[DocumentInput, ...]:
    turns = []
    size = 0
    for index, message in enumerate(messages):
        field = f"messages[{index}]"
        check_text(message["content"], f"{field}.content")
        for part in ("role", "name"):
            if message.get(part) is not None:
                check_text(message[part], f"{field}.{part}")
        size += len(message["content"].encode())
        who = message.get("name") or message.get("role")
        turns.append(Turn(who, message["content"], _date(message, "date", f"{field}.")))
    if not any(has_substance(turn.content) for turn in turns):
        raise Refusal("nothing_to_store", "No message holds any text.", "Send messages with content.")
    _refuse_over(size, CONTENT_BYTES_MAX, "messages", "bytes")
    return (document_from_messages(turns, date),)


def _passages(passages: Sequence[Fields], date: StatedDate | None) -> tuple[DocumentInput, ...]:
    if not passages:
        raise Refusal("nothing_to_store", "The list of passages is empty.", "Send at least one passage.")
    _refuse_over(len(passages), PASSAGES_MAX, "passages", "passages")
    documents = []
    size = mentioned = 0
    for index, passage in enumerate(passages):
        field = f"passages[{index}]"
        text = passage["text"]
        check_text(text, f"{field}.text")
        _refuse_blank(text, f"{field}.text")
        own_size = len(text.encode())
        _refuse_over(own_size, PASSAGE_BYTES_MAX, f"{field}.text", "bytes")
        size += own_size
        names = passage.get("mentions") or ()
        mentioned += len(names)
        _refuse_over(mentioned, MENTIONS_MAX, f"{field}.mentions", "mentions in all")
        mentions = tuple(clean_name(name, f"{field}.mentions[{place}]") for place, name in enumerate(names))
        key = passage.get("key")
        key = None if key is None else clean_key(key, f"{field}.key")
        own_date = _date(passage, "date", f"{field}.")
        documents.append(document_from_passage(text, mentions, key, own_date or date))
    _refuse_over(size, PASSAGES_BYTES_MAX, "passages", "bytes together")
    return tuple(documents)


def _refuse_blank(text: str, field: str) -> None:
    if not has_substance(text):
        raise Refusal(
            "nothing_to_store",
            f"{field} holds nothing but white space, punctuation or characters that do not show.",
            "Send text with words in it.",
        )


def _refuse_over(count: int, most: int, field: str, unit: str) -> None:
    if count > most:
        raise Refusal(
            "limit_exceeded", f"{field} has {count:,} {unit}; a call takes {most:,}.", "Split it over several calls."
        )


# Facts


def _facts(facts: Fields) -> tuple[tuple[EntityInput, ...], tuple[RelationInput, ...]]:
    listed: list[Fields] = list(facts.get("entities") or ())
    if facts.get("subject") is not None:
        listed.append({"name": facts["subject"], "type": facts.get("kind")})
    relations: Sequence[Fields] = facts.get("relations") or ()
    if not listed and not relations:
        raise Refusal(
            "facts_shape",
            "facts names nothing that can be stored.",
            'Send {"entities": [{"name": …, "type": …}], "relations": [{"source": …, "target": …, "type": …}]}.',
        )
    _refuse_over(len(listed), ENTITIES_MAX, "facts.entities", "entities")
    _refuse_over(len(relations), RELATIONS_MAX, "facts.relations", "relations")
    entities = tuple(_entity(entity, f"facts.entities[{index}].") for index, entity in enumerate(listed))
    names: dict[str, Name] = {}
    return entities, tuple(
        _relation(relation, names, f"facts.relations[{index}].") for index, relation in enumerate(relations)
    )


def _entity(entity: Fields, prefix: str) -> EntityInput:
    name = clean_name(entity["name"], f"{prefix}name")
    types = list(entity.get("types") or ())
    if entity.get("type") is not None:
        types.insert(0, entity["type"])
    cleaned = tuple(clean_type(one, f"{prefix}types[{index}]") for index, one in enumerate(types))
    return EntityInput(name, cleaned, _attributes(entity.get("attributes"), f"{prefix}attributes."))


def _relation(
    relation: Fields, names: dict[str, Name], prefix: str, sides: tuple[str, str] = ("source", "target")
) -> RelationInput:
    ends = []
    for key, side in zip(("source", "target"), sides, strict=True):
        text = relation[key]
        name = names.get(text)
        if name is None:
            name = names[text] = clean_name(text, prefix + side)
        ends.append(name)
    type_name = relation.get("type")
    type_name = DEFAULT_RELATION if type_name is None else clean_relation(type_name, f"{prefix}type")
    attributes = relation.get("attributes")
    bounds = {key: relation.get(key) for key in ("valid_from", "valid_to")}
    if attributes:
        attributes = dict(attributes)
        bounds = {key: _bound(attributes.pop(key, None), bounds[key], prefix + key) for key in bounds}
    return RelationInput(
        source=ends[0],
        type=type_name,
        target=ends[1],
        valid_from=_start_of(bounds["valid_from"], f"{prefix}valid_from"),
        valid_to=_start_of(bounds["valid_to"], f"{prefix}valid_to"),
        replaces=bool(relation.get("replaces")),
        attributes=_attributes(attributes, f"{prefix}attributes."),
    )


def _bound(inside: Any, beside: str | None, field: str) -> str | None:
    """valid_from and valid_to may stand among the attributes; said in both places they must agree."""
    if inside is None:
        return beside
    if not isinstance(inside, str):
        raise Refusal("date_invalid", f"{field} must be an ISO 8601 date.", "Send it as text, such as 2026-10-01.")
    if beside is not None and beside != inside:
        raise Refusal("attribute_conflict", f"{field} is given twice, differently.", "Give it once.")
    return inside


def _start_of(text: str | None, field: str) -> int | None:
    return None if text is None else parse_date(text, field).start


def _attributes(attributes: Fields | None, prefix: str) -> tuple[AttributeInput, ...]:
    if not attributes:
        return ()
    _refuse_over(len(attributes), ATTRIBUTES_MAX, prefix[:-1], "keys")
    return tuple(
        AttributeInput(clean_key(key, prefix + "key"), read_value(value, prefix + key))
        for key, value in attributes.items()
    )
