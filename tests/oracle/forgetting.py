"""What one memory_forget takes out of a scope, after forgetting.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from call_reading import RefusedError
from memory_state import State

from semurg.domain.names import match_key, words

if TYPE_CHECKING:
    from memory_oracle import Scope


class Forgetting:
    """One memory_forget in a scope that exists: `gone` are the numbers that no read may return any more."""

    def __init__(self, scope: Scope, state: State, fields: dict[str, Any]) -> None:
        self.scope, self.state = scope, state
        self.gone: set[int] = set()
        self.labels_gone: set[tuple[int, str]] = set()
        ((self.form, self.named),) = [(key, one) for key, one in fields.items() if key != "reason"]
        self.what = self._identity()

    def _identity(self) -> tuple[str, ...]:
        named = self.named
        if self.form == "fact":
            return (self.form, match_key(named["from"]), named["type"], match_key(named["to"]))
        if self.form == "attribute":
            return (self.form, match_key(named["subject"]), named["key"])
        return (self.form, match_key(named) if self.form == "subject" else str(named))

    def carry_out(self) -> dict[str, Any]:
        """What to forget, and the reply. Raises RefusedError not_found."""
        reply: dict[str, Any] | None = getattr(self, f"_{self.form}")()
        if reply is not None:
            return {"already_forgotten": False, **reply}
        if self.what in self.scope.forgotten:
            return {"already_forgotten": True}
        # Forgotten with something else: the fact or attribute of an entity, a document with its last passage.
        ends = [self.what[1], self.what[-1]] if self.form == "fact" else [self.what[1]]
        with_entity = self.form in ("fact", "attribute") and any(
            ("subject", end) in self.scope.forgotten for end in ends
        )
        if self.form == "passage" and self.named in self.scope.gone:
            return {"already_forgotten": True}
        raise RefusedError("not_found", *(["already_forgotten"] if with_entity or self.scope.all_forgotten else []))

    def _forget_attributes(self, owner: tuple[str, int]) -> None:
        self.gone |= {number for number, one in self.state.attributes.items() if one.owner == owner}

    def _forget_fact(self, number: int) -> None:
        self.gone.add(number)
        self._forget_attributes(("fact", number))

    def _forget_document(self, number: int) -> int:
        passages = self.state.passages_of(number)
        self.gone |= {number, *passages}
        return len(passages)

    def _subject(self) -> dict[str, Any] | None:
        state = self.state
        entity = state.entity_by_key().get(match_key(self.named))
        if entity is None:
            return None
        facts = state.facts_touching(entity)
        hidden = [number for number, passage in state.passages.items() if entity in passage.mentions]
        self.gone |= {entity, *hidden}
        self._forget_attributes(("entity", entity))
        for fact in facts:
            self._forget_fact(fact)
        retained = []
        for document in dict.fromkeys(state.passages[number].document for number in hidden):
            if set(state.passages_of(document)) <= self.gone:
                self.gone.add(document)
            else:
                state.documents[document].whole = False
                retained.append(document)
        name_words = set(words(match_key(self.named)))
        left = [one for number, one in state.passages.items() if number not in self.gone]
        holding = [one for one in left if name_words & set(words(match_key(one.text)))]
        return {
            "facts": len(facts),
            "passages_hidden": len(hidden),
            "documents_retained": retained,
            "passages_retained": len(holding),
        }

    def _fact(self) -> dict[str, Any] | None:
        keys = self.state.entity_by_key()
        source, target = keys.get(self.what[1]), keys.get(self.what[3])
        number = None if source is None or target is None else self.state.fact(source, self.named["type"], target)
        if number is None:
            return None
        self._forget_fact(number)
        return {}

    def _passage(self) -> dict[str, Any] | None:
        if self.named not in self.state.documents:
            return None
        return {"passages": self._forget_document(self.named)}

    def _source(self) -> dict[str, Any] | None:
        label = self.named
        documents = self.state.under(label)
        assertions = [number for number, one in self.state.assertions.items() if one.label == label]
        if not documents and not assertions:
            return None
        self.labels_gone |= {(number, label) for number in [*documents, *assertions]}
        kept = [number for number in documents if self.state.documents[number].labels != [label]]
        for number in set(documents) - set(kept):
            self._forget_document(number)
        return {"documents": len(documents) - len(kept), "documents_kept": kept, "facts_kept": True}

    def _attribute(self) -> dict[str, Any] | None:
        entity = self.state.entity_by_key().get(self.what[1])
        number = None if entity is None else self.state.attribute(("entity", entity), self.named["key"])
        if number is None:
            return None
        self.gone.add(number)
        return {}
