"""The shape of every verb's input, described once: the doors validate with it, and their schemas are made from it.

Shape is which fields there are, their JSON types, which are required, and how long lists may be. What the text in a
field means (names, dates, values, which form of forget) is judged further down, where every door passes. Validation
hands back the plain dict it was given, with aliases resolved to the first name of a field; null in an optional field
reads as absent and is left for the reader to ignore.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Required

from pydantic import AliasChoices, BeforeValidator, ConfigDict, FailFast, Field, WithJsonSchema, with_config
from pydantic_core import PydanticCustomError, PydanticKnownError
from typing_extensions import TypedDict

from semurg.api.shape import Shape
from semurg.domain.limits import (
    ATTRIBUTES_MAX,
    AUDIT_LIMIT_DEFAULT,
    AUDIT_LIMIT_MAX,
    CONTEXT_K_DEFAULT,
    CONTEXT_K_MAX,
    ENTITIES_MAX,
    HOPS_DEFAULT,
    HOPS_MAX,
    MENTIONS_MAX,
    PASSAGES_MAX,
    RECALL_K_DEFAULT,
    RECALL_K_MAX,
    RELATIONS_MAX,
    REPLY_TOKENS_DEFAULT,
    REPLY_TOKENS_MAX,
)
from semurg.domain.values import Number

_CONFIG = ConfigDict(strict=True, extra="forbid")
_POSITION_MAX = 2**63 - 1
_ID_MAX = 2**64 - 1


def _real_text(value: Any) -> Any:
    # A JSON number with a fraction is read as a subclass of str that keeps its digits; it is no text all the same.
    if value.__class__ is Number:
        raise PydanticKnownError("string_type")
    return value


def _id_text(value: Any) -> Any:
    if isinstance(value, (int, Number)) and not isinstance(value, bool):
        raise PydanticCustomError("id_invalid", "is a JSON number; ids have more digits than many JSON readers keep")
    text = _real_text(value)
    if isinstance(text, str) and not (_is_digits(text, 20) and int(text) <= _ID_MAX):
        raise PydanticCustomError("id_invalid", "is not an id")
    return text


def _position_number(value: Any) -> Any:
    """A log position as replies give it, a decimal string; a JSON integer is exact here and taken as well."""
    if isinstance(value, str) and value.__class__ is not Number and _is_digits(value, 19):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _POSITION_MAX:
        return value
    raise PydanticCustomError("field_invalid", 'must be a position as a reply gave it, such as "1042"')


def _is_digits(text: str, digits_max: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= digits_max


Text = Annotated[str, BeforeValidator(_real_text)]
Id = Annotated[str, BeforeValidator(_id_text), WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,20}$"})]
Position = Annotated[
    int, BeforeValidator(_position_number), WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,19}$"})
]

AttributeValue = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": ["string", "number", "boolean", "array", "object"],
            "description": "A string, number or boolean; a list of them is a set of values; "
            '{"value": …, "type": …} declares string, integer, decimal, boolean, date or datetime.',
        }
    ),
]
Attributes = Annotated[
    dict[str, AttributeValue],
    Field(max_length=ATTRIBUTES_MAX, description="Typed values by key. Keys are kept exactly as spelled."),
]
RelationType = Annotated[Text, Field(description="The kind of relation, such as WORKS_AT, exactly as spelled.")]
ValidFrom = Annotated[Text, Field(description="When the fact began to hold in the world: ISO 8601.")]
ValidTo = Annotated[Text, Field(description="When the fact ceased to hold (ISO 8601); the instant itself is outside.")]
Replaces = Annotated[
    bool,
    Field(description="true: this target is the one for its source and type; other targets end at this fact's date."),
]
StatedDate = Annotated[
    Text,
    Field(
        description="When it was said or true: 2026, 2026-05, 2026-05-17, 2026-05-17T09:30:00Z. Facts hold from then."
    ),
]
Label = Annotated[Text, Field(description="A label for where this comes from, shown in citations.")]
ExpectedPosition = Annotated[
    Position | None, Field(description="Carry this out only if the scope has not changed since this position.")
]
AsOf = Annotated[
    Text, Field(description="Read what was known at this instant (ISO 8601). A day, month or year means its end.")
]
ValidAt = Annotated[Text, Field(description="Read what was true in the world at this instant (ISO 8601).")]
AtPosition = Annotated[Position | None, Field(description="Read at the log position that an earlier reply gave.")]


@with_config(_CONFIG)
class Placed(TypedDict, total=False):
    """Where a call belongs. Every verb takes these."""

    scope: Annotated[Text | None, Field(description="The memory to use. The X-Semurg-Scope header stands in for it.")]
    user_id: Annotated[
        Text | None, Field(description="The end user whose partition this is. Leave it out for the owner's own memory.")
    ]


@with_config(_CONFIG)
class Message(TypedDict, total=False):
    """One turn of a conversation."""

    role: Annotated[Text | None, Field(description="Who speaks, such as user or assistant.")]
    content: Required[Annotated[Text, Field(description="What was said.")]]
    name: Annotated[Text | None, Field(description="The speaker's name; shown in place of the role.")]
    date: Annotated[Text | None, Field(description="When this turn was said (ISO 8601).")]


@with_config(_CONFIG)
class Passage(TypedDict, total=False):
    """A text that is stored as it is and comes back whole."""

    text: Required[Annotated[Text, Field(description="The passage, at most 65,536 bytes.")]]
    mentions: Annotated[
        list[Text] | None,
        FailFast(),
        Field(max_length=MENTIONS_MAX, description="Names that the text speaks of. Each must occur in it."),
    ]
    key: Annotated[Text | None, Field(description="A label of your own that comes back with the passage.")]
    date: StatedDate | None


@with_config(_CONFIG)
class Entity(TypedDict, total=False):
    """A named thing."""

    name: Required[Annotated[Text, Field(description="Its name, 1 to 1,024 bytes.")]]
    type: Annotated[Text | None, Field(description="Its class, such as Person.")]
    types: Annotated[list[Text] | None, FailFast(), Field(description="Its classes, when there are several.")]
    attributes: Attributes | None


@with_config(_CONFIG)
class Relation(TypedDict, total=False):
    """A directed fact between two entities."""

    source: Required[
        Annotated[
            Text,
            Field(
                validation_alias=AliasChoices("source", "from"),
                description="The entity it starts from. `from` is taken as well.",
            ),
        ]
    ]
    target: Required[
        Annotated[
            Text,
            Field(
                validation_alias=AliasChoices("target", "to"),
                description="The entity it leads to. `to` is taken as well.",
            ),
        ]
    ]
    type: Annotated[
        Text | None, Field(description="The kind of relation, such as WORKS_AT; RELATED_TO when it is left out.")
    ]
    attributes: Attributes | None
    valid_from: ValidFrom | None
    valid_to: ValidTo | None
    replaces: Replaces | None


@with_config(_CONFIG)
class Facts(TypedDict, total=False):
    """What the caller read out of the text, or knows: entities and the relations between them."""

    entities: Annotated[list[Entity] | None, FailFast(), Field(max_length=ENTITIES_MAX)]
    relations: Annotated[
        list[Relation] | None,
        FailFast(),
        Field(max_length=RELATIONS_MAX, description="Ends that are not listed in entities are created."),
    ]
    subject: Annotated[Text | None, Field(description="Short form of one entity: its name.")]
    kind: Annotated[Text | None, Field(description="Short form of one entity: its class.")]


@with_config(_CONFIG)
class Remember(Placed, total=False):
    """Input of memory_remember."""

    content: Annotated[Text | None, Field(description="Raw text, at most 1,048,576 bytes. It is cut at sentence ends.")]
    messages: Annotated[list[Message] | None, FailFast(), Field(description="A conversation, stored as one text.")]
    passages: Annotated[
        list[Passage] | None, FailFast(), Field(max_length=PASSAGES_MAX, description="Texts to store as they are.")
    ]
    facts: Facts | None
    date: StatedDate | None
    source: Label | None
    expected_position: ExpectedPosition


# `from` is a word of Python's own, so these fields cannot be written as class attributes.
_Ends = TypedDict(
    "_Ends",
    {
        "from": Required[Annotated[Text, Field(description="The entity it starts from.")]],
        "to": Required[Annotated[Text, Field(description="The entity it leads to.")]],
    },
)


@with_config(_CONFIG)
class Relate(Placed, _Ends, total=False):
    """Input of memory_relate."""

    type: Required[RelationType]
    attributes: Attributes | None
    valid_from: ValidFrom | None
    valid_to: ValidTo | None
    date: StatedDate | None
    source: Label | None
    replaces: Replaces | None
    expected_position: ExpectedPosition


@with_config(_CONFIG)
class AttributeQuery(TypedDict, total=False):
    """Find entities by the value of an attribute."""

    key: Required[Text]
    value: Required[AttributeValue]
    type: Text | None


@with_config(_CONFIG)
class Recall(Placed, total=False):
    """Input of memory_recall."""

    subject: Annotated[
        Text | None,
        Field(
            validation_alias=AliasChoices("subject", "query"),
            description="The name of the entity. `query` is taken as well.",
        ),
    ]
    attribute: Annotated[
        AttributeQuery | None, Field(description="Find the entity by an attribute's value, in place of subject.")
    ]
    k: Annotated[
        int | None,
        Field(ge=1, le=RECALL_K_MAX, description=f"How many items to return; {RECALL_K_DEFAULT} by default."),
    ]
    cursor: Annotated[Text | None, Field(description="The `next` of the page before, to read on.")]
    max_tokens: Annotated[
        int | None,
        Field(
            ge=1,
            le=REPLY_TOKENS_MAX,
            description=f"Bound of the items' text, 4 bytes a token; {REPLY_TOKENS_DEFAULT:,} by default.",
        ),
    ]
    compact: Annotated[bool | None, Field(description="true: items without diagnostics, a fraction of the bytes.")]
    as_of: AsOf | None
    valid_at: ValidAt | None
    at_position: AtPosition


@with_config(_CONFIG)
class Context(Placed, total=False):
    """Input of memory_context."""

    query: Required[Annotated[Text, Field(description="A question or a few words, at most 8,192 bytes.")]]
    k: Annotated[
        int | None,
        Field(ge=1, le=CONTEXT_K_MAX, description=f"How many items to return; {CONTEXT_K_DEFAULT} by default."),
    ]
    hops: Annotated[
        int | None,
        Field(ge=0, le=HOPS_MAX, description=f"How many steps to walk from what matches; {HOPS_DEFAULT} by default."),
    ]
    max_tokens: Annotated[
        int | None,
        Field(
            ge=1,
            le=REPLY_TOKENS_MAX,
            description=f"Bound of the items' text, 4 bytes a token; {REPLY_TOKENS_DEFAULT:,} by default.",
        ),
    ]
    compact: Annotated[bool | None, Field(description="true: items without diagnostics, a fraction of the bytes.")]
    as_of: AsOf | None
    valid_at: ValidAt | None
    at_position: AtPosition
    now: Annotated[
        Text | None,
        Field(description="What `yesterday` or `last year` in the question count from; the node's clock by default."),
    ]


_FactEnds = TypedDict(
    "_FactEnds",
    {
        "from": Required[Annotated[Text, Field(validation_alias=AliasChoices("from", "source"))]],
        "to": Required[Annotated[Text, Field(validation_alias=AliasChoices("to", "target"))]],
    },
)


@with_config(_CONFIG)
class FactName(_FactEnds, total=False):
    """Which fact: both ends and the type, exactly."""

    type: Required[RelationType]


@with_config(_CONFIG)
class AttributeName(TypedDict, total=False):
    """Which attribute: the entity's exact name and the key."""

    subject: Required[Text]
    key: Required[Text]


@with_config(_CONFIG)
class Forget(Placed, total=False):
    """Input of memory_forget: exactly one of the six forms."""

    subject: Annotated[Text | None, Field(description="Forget the entity with exactly this name.")]
    fact: Annotated[FactName | None, Field(description="Forget one fact; both entities stay.")]
    passage: Annotated[Id | None, Field(description="Forget one stored document, by the doc_id that a reply gave.")]
    source: Annotated[Text | None, Field(description="Forget every document under this label.")]
    attribute: Annotated[AttributeName | None, Field(description="Forget every value of one attribute.")]
    all: Annotated[bool | None, Field(description="true: forget the whole scope.")]
    reason: Annotated[Text | None, Field(description="Taken, and not stored.")]
    expected_position: ExpectedPosition


@with_config(_CONFIG)
class DeleteUser(TypedDict, total=False):
    """Input of memory_delete_user."""

    user_id: Annotated[
        Text | None, Field(description="The end user to delete. The X-Semurg-User header stands in for it.")
    ]


@with_config(_CONFIG)
class Status(Placed, total=False):
    """Input of memory_status."""

    as_of: AsOf | None
    valid_at: ValidAt | None
    at_position: AtPosition


@with_config(_CONFIG)
class TokenCreate(TypedDict, total=False):
    """Input of token_create."""

    name: Annotated[Text | None, Field(description="What lists and the audit call it; unique among those in use.")]
    user_id: Annotated[Text | None, Field(description="Pin it to this end user: it acts as that user and nobody else.")]
    scopes: Annotated[list[Text] | None, FailFast(), Field(description="The scopes it covers; left out: all of them.")]
    read_only: Annotated[bool | None, Field(description="true: it may read and not write.")]
    expires: Annotated[
        Text | None, Field(description="When it ends: an instant (ISO 8601), or a time from now such as 12h, 30d, 8w.")
    ]


@with_config(_CONFIG)
class TokenList(TypedDict, total=False):
    """Input of token_list: an empty object."""


@with_config(_CONFIG)
class TokenRevoke(TypedDict, total=False):
    """Input of token_revoke."""

    token: Required[Annotated[Text, Field(description="Its name, or the first digits of its digest.")]]


@with_config(_CONFIG)
class Audit(TypedDict, total=False):
    """Input of memory_audit."""

    cursor: Annotated[Text | None, Field(description="`next` of the page before.")]
    limit: Annotated[
        int | None, Field(ge=1, le=AUDIT_LIMIT_MAX, description=f"Entries at most; {AUDIT_LIMIT_DEFAULT} without it.")
    ]
    scope: Annotated[Text | None, Field(description="Only this scope, of user_id's or else of the owner's own.")]
    user_id: Annotated[Text | None, Field(description="Only what concerns this end user.")]
    since: Annotated[Text | None, Field(description="Only from this instant on (ISO 8601).")]


@with_config(_CONFIG)
class ModelCalibrate(TypedDict, total=False):
    """Input of model_calibrate: nothing."""


SHAPES: Mapping[str, Shape] = {
    "remember": Shape("Remember", Remember),
    "relate": Shape("Relate", Relate),
    "recall": Shape("Recall", Recall),
    "context": Shape("Context", Context),
    "forget": Shape("Forget", Forget),
    "delete_user": Shape("DeleteUser", DeleteUser),
    "status": Shape("Status", Status),
    "token_create": Shape("TokenCreate", TokenCreate),
    "token_list": Shape("TokenList", TokenList),
    "token_revoke": Shape("TokenRevoke", TokenRevoke),
    "audit": Shape("Audit", Audit),
    "model_calibrate": Shape("ModelCalibrate", ModelCalibrate),
}


def validated(verb: str, fields: Any) -> dict[str, Any]:
    """The fields of a verb with canonical names. Raises Refusal as Shape.read does."""
    return SHAPES[verb].read(fields)
