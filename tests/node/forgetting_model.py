"""A plain model of one scope, for test_forget_counts.py: what is there, what a forget takes, what must be on disk.

Every name, text, label, type, key and value holds a mark of its own, long enough not to be found by chance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

NAMES = ("Quillfeather", "Oxenbridgeham", "Penhallowick", "Featherstone")
LABELS = ("label Lostwithiel", "label Polperro-bay")
TYPES = ("MET_AT_KILKHAMPTON", "SAW_IN_ZENNORSTONE")
KEYS = ("key Marazion-sands", "key Tintagel-heads")


class Text(NamedTuple):
    """A text as one passage, or as one a turn; what each passage says."""

    passages: tuple[str, ...]

    def call(self) -> dict[str, Any]:
        """The field of remember that carries it."""
        if len(self.passages) == 1:
            return {"content": self.passages[0]}
        return {"messages": [{"content": passage} for passage in self.passages]}


TEXTS = {
    "one": Text(("Mevagissey-one: Quillfeather came.",)),
    "two": Text(("Mevagissey-two: Quillfeather and Oxenbridgeham left.",)),
    "none": Text(("Mevagissey-none: it rained all day.",)),
    "turns": Text(("Mevagissey-turn-a: Oxenbridgeham spoke.", "Mevagissey-turn-b: Penhallowick answered.")),
}


class Passage(NamedTuple):
    """A live passage: what it says and which entities it is linked to."""

    text: str
    links: set[str]


class Document(NamedTuple):
    """A live document. It is the same text again while it has all its passages."""

    key: str
    doc_id: str
    labels: list[str]
    passages: list[Passage]


class Model:
    """One scope of one end user."""

    def __init__(self) -> None:
        self._values = 0
        self._doc_ids: list[str] = []
        self._ever: set[str] = set()
        self._clear()

    def _clear(self) -> None:
        self.exists = False
        self.entities: set[str] = set()
        self.facts: set[tuple[str, str, str]] = set()
        self.attributes: dict[tuple[str, str], list[str]] = {}
        self.documents: list[Document] = []

    def counts(self) -> dict[str, int]:
        """What status counts."""
        passages = sum(len(document.passages) for document in self.documents)
        counted = {"entities": len(self.entities), "facts": len(self.facts)}
        return {**counted, "documents": len(self.documents), "passages": passages}

    def marks(self) -> set[str]:
        """Every mark that must be on disk."""
        found = set(self.entities) | {type_name for _, type_name, _ in self.facts}
        for (_, key), values in self.attributes.items():
            found.update((key, *values))
        for document in self.documents:
            found.update(document.labels)
            for passage in document.passages:
                found.add(passage.text)
                found.update(name for name in NAMES if name in passage.text)
        self._ever |= found
        return found

    def everything(self) -> set[str]:
        """Every mark that was ever to be on disk."""
        return self.marks() | self._ever

    # what is told

    def remember(self, text: str, label: str, entities: set[str], doc_id: str) -> None:
        """A text under a label beside entities. A new one is linked to all that exist, one sent again to these."""
        self.exists = True
        self.entities |= entities
        whole = len(TEXTS[text].passages)
        linked = entities
        found = next((one for one in self.documents if one.key == text and len(one.passages) == whole), None)
        if found is None:
            linked = self.entities
            found = Document(text, doc_id, [], [Passage(passage, set()) for passage in TEXTS[text].passages])
            self.documents.append(found)
            self._doc_ids.append(doc_id)
        if label not in found.labels:
            found.labels.append(label)
        for passage in found.passages:
            passage.links.update(name for name in linked if name in passage.text)

    def relate(self, source: str, type_name: str, target: str) -> None:
        """A fact."""
        self.exists = True
        self.entities |= {source, target}
        self.facts.add((source, type_name, target))

    def set(self, name: str, key: str) -> str:
        """A new value of an attribute: which one."""
        self.exists = True
        self.entities.add(name)
        self._values += 1
        value = f"Trevelyan-{self._values:04}"
        self.attributes.setdefault((name, key), []).append(value)
        return value

    def doc_id(self, number: int) -> str:
        """One of the documents that ever were; of those that are not known, an id that names none."""
        return self._doc_ids[number % len(self._doc_ids)] if self._doc_ids else "1"

    # what is forgotten: the numbers of the reply, None when there is nothing to forget

    def forget_subject(self, name: str) -> dict[str, Any] | None:
        """An entity with its facts, attributes and linked passages."""
        if name not in self.entities:
            return None
        self.entities.discard(name)
        facts = {fact for fact in self.facts if name in (fact[0], fact[2])}
        self.facts -= facts
        self.attributes = {of: values for of, values in self.attributes.items() if of[0] != name}
        hidden, emptied, retained = 0, [], []
        for document in self.documents:
            going = [passage for passage in document.passages if name in passage.links]
            hidden += len(going)
            document.passages[:] = [passage for passage in document.passages if name not in passage.links]
            if going:
                (retained if document.passages else emptied).append(document)
        self.documents = [document for document in self.documents if document.passages]
        unlinked = sum(name in passage.text for document in self.documents for passage in document.passages)
        return {
            "facts": len(facts),
            "passages_hidden": hidden,
            "documents": len(emptied),
            "documents_retained": [document.doc_id for document in retained],
            "passages_retained": unlinked,
        }

    def forget_fact(self, source: str, type_name: str, target: str) -> dict[str, Any] | None:
        """One fact."""
        if (source, type_name, target) not in self.facts:
            return None
        self.facts.discard((source, type_name, target))
        return {"facts": 1}

    def forget_source(self, label: str) -> dict[str, Any] | None:
        """A label; documents that have no other."""
        under = [document for document in self.documents if label in document.labels]
        if not under:
            return None
        kept = [document for document in under if len(document.labels) > 1]
        going = [document for document in under if len(document.labels) == 1]
        for document in kept:
            document.labels.remove(label)
        self.documents = [document for document in self.documents if document.labels != [label]]
        return {
            "documents": len(going),
            "passages": sum(len(document.passages) for document in going),
            "documents_kept": [document.doc_id for document in kept],
            "facts_kept": True,
        }

    def forget_passage(self, number: int) -> dict[str, Any] | None:
        """One document whole."""
        doc_id = self.doc_id(number)
        going = [document for document in self.documents if document.doc_id == doc_id]
        self.documents = [document for document in self.documents if document.doc_id != doc_id]
        return {"documents": 1, "passages": len(going[0].passages), "facts_kept": True} if going else None

    def forget_attribute(self, name: str, key: str) -> dict[str, Any] | None:
        """Every value of one key."""
        values = self.attributes.pop((name, key), None)
        return None if values is None else {"values": len(values)}

    def forget_all(self) -> dict[str, Any] | None:
        """The scope."""
        counted = self.counts() if self.exists else None
        self._clear()
        return counted

    def forget_delete_user(self) -> dict[str, Any] | None:
        """The user, who has no other scope."""
        counted = {"scopes": 1, **self.counts()} if self.exists else None
        self._clear()
        return counted
