"""One scope at one moment, as plain dicts of plain records. The axis of knowledge is in memory_oracle."""

from __future__ import annotations

from dataclasses import dataclass, field

from text_rules import named_places, sentences

from semurg.domain.values import Value

# A source: ("document", numbers) - the first that fits is cited - or ("assertion", number).
Source = tuple[str, tuple[int, ...]]
Span = tuple[int, int, int]


@dataclass
class Entity:
    """`types` maps match keys to spellings; `source` is that of the call that named it first."""

    name: str
    key: str
    source: Source
    command: int
    recorded_at: int
    types: dict[str, str] = field(default_factory=dict)


@dataclass
class Statement:
    """That a source asserted a fact, with the bounds it stated. `span` is (passage, start, end), in the whole text."""

    document: int | None
    assertion: int | None
    stated_from: int | None
    stated_to: int | None
    replaces: bool
    command: int
    recorded_at: int
    span: Span | None

    @property
    def said(self) -> tuple[object, ...]:
        """What makes two statements of a fact the same."""
        return self.document, self.assertion, self.stated_from, self.stated_to, self.replaces


@dataclass
class Fact:
    """A triple of entity, type, entity."""

    source: int
    type: str
    target: int
    command: int
    recorded_at: int
    episodes: list[tuple[int, int]]
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Attribute:
    """A key of an entity or fact: `histories` maps the position in `values` to episodes.

    `said` are the statements made of it: value, start, source. A dated one sent again changes nothing.
    """

    owner: tuple[str, int]
    key: str
    values: list[Value] = field(default_factory=list)
    histories: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    said: list[tuple[object, ...]] = field(default_factory=list, compare=False)


@dataclass
class Passage:
    """A slice of a document. `mentions` maps entities to the first place that names them."""

    document: int
    start: int
    text: str
    date: str | None
    key: str | None
    recorded_at: int
    mentions: dict[int, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Document:
    """A text with its date, key and labels. `whole` until a passage of it is forgotten with an entity."""

    text: str
    date: str | None
    key: str | None
    labels: list[str]
    command: int
    recorded_at: int
    whole: bool = True


@dataclass
class Assertion:
    """A source without text."""

    label: str | None
    date: str | None
    retired: bool = False


@dataclass
class State:
    """What one scope holds."""

    entities: dict[int, Entity] = field(default_factory=dict)
    facts: dict[int, Fact] = field(default_factory=dict)
    attributes: dict[int, Attribute] = field(default_factory=dict)
    documents: dict[int, Document] = field(default_factory=dict)
    passages: dict[int, Passage] = field(default_factory=dict)
    assertions: dict[int, Assertion] = field(default_factory=dict)
    assertions_of_values: set[int] = field(default_factory=set)
    used: int = 0

    def number(self) -> int:
        """A number that nothing had before: ascending, one row for all kinds."""
        self.used += 1
        return self.used

    def entity_by_key(self) -> dict[str, int]:
        """Match key -> entity."""
        return {entity.key: number for number, entity in self.entities.items()}

    def entity_by_name(self, name: str) -> int:
        """The entity shown under exactly this name."""
        return next(number for number, entity in self.entities.items() if entity.name == name)

    def fact(self, source: int, type: str, target: int) -> int | None:
        """The fact of this triple."""
        for number, fact in self.facts.items():
            if (fact.source, fact.type, fact.target) == (source, type, target):
                return number
        return None

    def attribute(self, owner: tuple[str, int], key: str) -> int | None:
        """The attribute of this owner under this key."""
        for number, attribute in self.attributes.items():
            if (attribute.owner, attribute.key) == (owner, key):
                return number
        return None

    def document(self, text: str, date: str | None, key: str | None) -> int | None:
        """The document with this text, date and key that can be sent again."""
        for number, document in self.documents.items():
            if document.whole and (document.text, document.date, document.key) == (text, date, key):
                return number
        return None

    def under(self, label: str) -> list[int]:
        """The documents under a label."""
        return [number for number, document in self.documents.items() if label in document.labels]

    def passages_of(self, document: int) -> list[int]:
        """Its passages in the order of the text."""
        return [number for number, passage in self.passages.items() if passage.document == document]

    def facts_touching(self, entity: int) -> list[int]:
        """The facts with the entity at either end."""
        return [number for number, fact in self.facts.items() if entity in (fact.source, fact.target)]

    def quote(self, document: int, ends: tuple[int, int]) -> tuple[Span | None, int]:
        """The first sentence of the document that names both ends, else the source, else the target; how well it does.

        2 for both, 1 for the source alone, 0 for the target alone, -1 without a sentence.
        """
        best: tuple[Span | None, int] = (None, -1)
        for number in self.passages_of(document):
            passage = self.passages[number]
            places = named_places(passage.text, self.entity_by_key())
            places += [(entity, first, last) for entity, (first, last) in passage.mentions.items()]
            for start, end in sentences(passage.text):
                named = {entity for entity, first, last in places if start <= first and last <= end}
                span = (number, passage.start + start, passage.start + end)
                quality = 2 if set(ends) <= named else 1 if ends[0] in named else 0 if ends[1] in named else -1
                if quality > best[1]:
                    best = span, quality
        return best
