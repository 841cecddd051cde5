"""What a forget event takes out of a scope's parts, in steps that each leave the parts in order.

A forget may take a hundred thousand documents. Between two steps the event loop answers whoever waits; such a read
finds a part of it gone already, never something half taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from semurg.domain.events import AttributeForgotten, DocumentsForgotten, EntityForgotten, Event, FactForgotten
from semurg.projections.bags import forget_words
from semurg.projections.documents import forget_labels
from semurg.projections.embedding_texts import text_of
from semurg.projections.parts import Parts
from semurg.projections.vectors import Embedded
from semurg.projections.view import Opening

STEP = 128
"""Things a step erases: a few ms at most."""
PASSAGES_STEP = 16
"""The same of passages, whose words are looked up one by one."""


class Erasing:
    """Erases from the parts of one scope.

    `is_label(label, hash)` tells which label a keyed hash stands for, `text_key(text)` under which key the vector of a
    text is kept.
    """

    def __init__(
        self,
        parts: Parts,
        opening: Opening,
        is_label: Callable[[str, str | None], bool],
        text_key: Callable[[str], bytes],
    ) -> None:
        self._text_key = text_key
        self._parts = parts
        self._opening = opening
        self._is_label = is_label
        self.steps: dict[type[Event], Callable[[Any], Iterator[None]]] = {
            EntityForgotten: self._entity,
            FactForgotten: self._fact,
            DocumentsForgotten: self._documents,
            AttributeForgotten: self._attribute,
        }
        """By kind of event: what carries it out, step by step, when it is iterated to its end."""

    def _entity(self, event: EntityForgotten) -> Iterator[None]:
        self._use_up(event.following)
        parts = self._parts
        yield from self._each(event.facts, self._erase_fact)
        parts.attributes.erase_owner(False, event.entity)
        emptied = set(event.documents)

        def erase(passage: int) -> None:
            document = parts.passages.document(passage) if parts.passages.is_live(passage) else -1
            if document >= 0 and document not in emptied:
                parts.documents.drop_digest(document)
            self._erase_passage(passage)

        yield from self._each(event.passages, erase, PASSAGES_STEP)
        yield from self._each(event.documents, parts.documents.erase)
        parts.mentions.erase_entity(event.entity)
        self._erase_vector(Embedded.ENTITY, event.entity)
        yield from parts.names.erase_in_steps(event.entity)
        parts.assertions.forget_labels(event.assertions)
        forget_words()
        self._opening.forgotten.add(event.key_hash)

    def _fact(self, event: FactForgotten) -> Iterator[None]:
        self._use_up(event.following)
        self._erase_fact(event.fact)
        self._parts.assertions.forget_labels(event.assertions)
        self._opening.forgotten.add(event.key_hash)
        yield

    def _documents(self, event: DocumentsForgotten) -> Iterator[None]:
        self._use_up(event.following)
        yield from self._each(event.passages, self._erase_passage, PASSAGES_STEP)
        yield from self._each(event.documents, self._parts.documents.erase)
        yield from forget_labels(
            event,
            self._parts.documents,
            self._parts.assertions,
            lambda label: self._is_label(label, event.source_hash),
        )
        forget_words()
        self._opening.forgotten.add(event.key_hash)

    def _attribute(self, event: AttributeForgotten) -> Iterator[None]:
        self._use_up(event.following)
        self._parts.attributes.erase(event.number)
        self._parts.assertions.forget_labels(event.assertions)
        self._opening.forgotten.add(event.key_hash)
        yield

    @staticmethod
    def _each(numbers: Sequence[int], erase: Callable[[int], None], step: int | None = None) -> Iterator[None]:
        step = STEP if step is None else step
        for first in range(0, len(numbers), step):
            for number in numbers[first : first + step]:
                erase(number)
            yield

    def _erase_vector(self, kind: Embedded, number: int) -> None:
        """To be called while the text is still there, whether it has a vector by now or not."""
        text = text_of(self._parts, kind, number)
        if text is not None:
            self._parts.vectors.gone.append(self._text_key(text))
        self._parts.vectors.erase(kind, number)

    def _erase_fact(self, fact: int) -> None:
        self._erase_vector(Embedded.FACT, fact)
        self._parts.attributes.erase_owner(True, fact)
        self._parts.facts.erase(fact)

    def _erase_passage(self, passage: int) -> None:
        self._erase_vector(Embedded.PASSAGE, passage)
        self._parts.mentions.erase_passage(passage)
        self._parts.words.erase(passage)
        self._parts.passages.erase(passage)

    def _use_up(self, following: list[int]) -> None:
        """Never again give out numbers below those that a forget lists: the log may not know them any more."""
        parts = self._parts
        numbered = (
            parts.names.make_numbers,
            parts.facts.make_numbers,
            parts.documents.make_numbers,
            parts.passages.make_numbers,
            parts.assertions.make_numbers,
            parts.attributes.make_numbers,
        )
        if following:
            for make_numbers, count in zip(numbered, following, strict=True):
                make_numbers(count)
