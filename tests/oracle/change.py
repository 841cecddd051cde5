"""What one remember or relate does to a scope, after writing.md and time.md."""

from __future__ import annotations

from typing import Any

from call_reading import Call, RefusedError, Relation, Text, identity
from memory_state import Assertion, Attribute, Document, Entity, Fact, Passage, Source, Span, State, Statement
from rules_of_time import Replacement, asserted, first_asserted
from text_rules import first_place_of, named_places

from semurg.domain.instants import format_instant
from semurg.domain.names import clean_name, match_key

LABEL_DOCUMENTS_MAX = 8


class Change:
    """One remember or relate upon a scope."""

    def __init__(self, state: State, call: Call, now: int, command: int) -> None:
        self.state, self.call, self.now, self.command = state, call, now, command
        self.used_before = state.used
        self.documents: list[int] = []
        self.types_given = False
        self.triples: set[tuple[int, str, int]] = set()
        self.source: Source = ("assertion", (0,))
        self.counts = {kind: {"new": 0, "known": 0} for kind in ("entities", "relations")}
        self.attributes = {"set": 0, "known": 0}
        self.replaced: dict[str, list[dict[str, Any]]] = {"restored": [], "older_than_stored": []}
        self.ended: list[tuple[int, dict[str, Any]]] = []
        self.episodes_before = {number: fact.episodes for number, fact in state.facts.items()}

    def carry_out(self) -> dict[str, Any]:
        """Change the state, and say what happened."""
        label_state = self._store_texts()
        self._name_entities()
        for document, text in zip(self.documents, self.call.texts, strict=False):
            self._link(document, text)
        for relation in self._in_order():
            self._assert(relation)
        self._set_attributes()
        source = self.source[1][0]
        if self.source[0] == "assertion" and source > self.used_before and not self._cites(source):
            # nothing was said that the source could be cited for: it is no source
            del self.state.assertions[source]
            self.state.used = self.used_before
        return self._reply(label_state)

    def _cites(self, assertion: int) -> bool:
        stated = any(one.assertion == assertion for fact in self.state.facts.values() for one in fact.statements)
        named = any(one.source == ("assertion", (assertion,)) for one in self.state.entities.values())
        return self.types_given or stated or named or assertion in self.state.assertions_of_values

    def _store_texts(self) -> str | None:
        call = self.call
        if not call.texts:
            return self._choose_source()
        for text in call.texts:
            number = self.state.document(text.text, text.date, text.parts[0][3])
            if number is None:
                number = self._store(text)
            if call.label is not None and call.label not in self.state.documents[number].labels:
                self.state.documents[number].labels.append(call.label)
            self.documents.append(number)
        self.source = ("document", tuple(self.documents))
        return None

    def _store(self, text: Text) -> int:
        number = self.state.number()
        self.state.documents[number] = Document(text.text, text.date, text.parts[0][3], [], self.command, self.now)
        for start, shown, date, key, _ in text.parts:
            self.state.passages[self.state.number()] = Passage(number, start, shown, date or text.date, key, self.now)
        return number

    def _choose_source(self) -> str | None:
        """Where facts without text come from: documents under their label, or an assertion."""
        call = self.call
        documents = self.state.under(call.label) if call.label is not None else []
        label_state = None
        if call.label is not None:
            label_state = "attached"
            if not documents:
                label_state = "new_source"
            elif call.date is not None:
                label_state = "dated_own_source"
            elif len(documents) > LABEL_DOCUMENTS_MAX:
                label_state = "many_documents_not_attached"
            elif self._changes_a_value():
                label_state = "value_changed_own_source"
        if label_state == "attached":
            self.source = ("document", tuple(documents))
            return label_state
        date = call.date.text if call.date else None
        for number, one in self.state.assertions.items():
            if not one.retired and (one.label, one.date) == (call.label, date):
                self.source = ("assertion", (number,))
                return label_state
        number = self.state.number()
        self.state.assertions[number] = Assertion(call.label, date)
        self.source = ("assertion", (number,))
        return label_state

    def _changes_a_value(self) -> bool:
        for owner, key, value, _ in self._values_sent():
            number = self.state.attribute(owner, key) if owner is not None else None
            if number is None:
                continue
            attribute = self.state.attributes[number]
            for position, episodes in attribute.histories.items():
                current = any(start <= self.now < end for start, end in episodes)
                if current and identity(attribute.values[position]) != identity(value):
                    return True
        return False

    def _values_sent(self) -> list[tuple[tuple[str, int] | None, str, Any, int | None]]:
        """(owner, key, value, start) of every attribute of the call; the owner is None while it does not exist."""
        keys = self.state.entity_by_key()
        sent: list[tuple[tuple[str, int] | None, str, Any, int | None]] = []
        start = self.call.date.start if self.call.date else None
        for name, _, attributes in self.call.entities:
            number = keys.get(match_key(name))
            owner = None if number is None else ("entity", number)
            sent.extend((owner, key, value, start) for key, value in attributes.items())
        for relation in self.call.relations:
            source, target = keys.get(match_key(relation.source)), keys.get(match_key(relation.target))
            number = None
            if source is not None and target is not None:
                number = self.state.fact(source, relation.type, target)
            owner = None if number is None else ("fact", number)
            sent.extend((owner, key, value, relation.start) for key, value in relation.attributes.items())
        return sent

    def _name_entities(self) -> None:
        counted = set()
        for spelled in self.call.names:
            name = clean_name(spelled, "name")
            if name.key in counted:
                continue
            counted.add(name.key)
            known = name.key in self.state.entity_by_key()
            self.counts["entities"]["known" if known else "new"] += 1
            if not known:
                self.state.entities[self.state.number()] = Entity(
                    name.text, name.key, self.source, self.command, self.now
                )
        for spelled, types, _ in self.call.entities:
            entity = self.state.entities[self.state.entity_by_key()[match_key(spelled)]]
            for spelling in types:
                self.types_given |= match_key(spelling) not in entity.types
                entity.types.setdefault(match_key(spelling), spelling)

    def _link(self, document: int, text: Text) -> None:
        """Link the passages of a text of the call to what they name: to all that is stored if the text is new.

        A text that is stored already is linked only to what this call speaks of: sent again alone, it changes nothing.
        """
        mentions = {start: names for start, _, _, _, names in text.parts}
        spoken_of = {self.state.entity_by_key()[match_key(name)] for name in self.call.names}
        is_new = document > self.used_before
        for number in self.state.passages_of(document):
            passage = self.state.passages[number]
            for entity, start, end in named_places(passage.text, self.state.entity_by_key()):
                if is_new or entity in spoken_of:
                    passage.mentions.setdefault(entity, (start, end))
            for name in mentions.get(passage.start, []):
                place = first_place_of(passage.text, match_key(name))
                assert place is not None
                passage.mentions.setdefault(self.state.entity_by_key()[match_key(name)], place)

    def _instant(self, sent: Relation) -> int:
        return self.now if sent.start is None else sent.start

    def _in_order(self) -> list[Relation]:
        """One call is one statement: plain relations first, then those that replace, by their instant."""
        plain = [one for one in self.call.relations if not one.replaces]
        return plain + sorted((one for one in self.call.relations if one.replaces), key=self._instant)

    def _replaced_by_this_call(self, source: int, type_name: str) -> bool:
        keys = self.state.entity_by_key()
        return any(
            one.replaces and (keys[match_key(one.source)], one.type) == (source, type_name)
            for one in self.call.relations
        )

    def _assert(self, sent: Relation) -> None:
        keys = self.state.entity_by_key()
        source, target = keys[match_key(sent.source)], keys[match_key(sent.target)]
        number = self.state.fact(source, sent.type, target)
        is_new = number is None
        triple = (source, sent.type, target)
        if triple not in self.triples:
            self.triples.add(triple)
            self.counts["relations"]["new" if is_new else "known"] += 1
        if number is None:
            number = self.state.number()
            self.state.facts[number] = Fact(source, sent.type, target, self.command, self.now, [])
        fact = self.state.facts[number]
        said_before = self._state_it(number, sent)
        if said_before and (sent.start is not None or sent.end is not None):
            return
        if sent.replaces:
            self._replace(number, sent, is_new)
        elif is_new:
            fact.episodes = first_asserted(sent.start, sent.end)
        elif sent.start is None and sent.end is None and self._replaced_by_this_call(source, sent.type):
            return
        else:
            fact.episodes = asserted(fact.episodes, sent.start, sent.end, self.now)

    def _state_it(self, number: int, sent: Relation) -> bool:
        """Record who asserted the fact; whether this very statement is known already."""
        fact = self.state.facts[number]
        document, span = None, None
        if self.source[0] == "document":
            document, span = self._best_document(fact.source, fact.target)
        assertion = self.source[1][0] if self.source[0] == "assertion" else None
        said = (document, assertion, sent.start, sent.end, sent.replaces)
        if any(one.said[:4] == said[:4] and one.replaces >= sent.replaces for one in fact.statements):
            return True
        fact.statements.append(Statement(*said, self.command, self.now, span))
        return False

    def _best_document(self, source: int, target: int) -> tuple[int, Span | None]:
        """The first of the documents that quotes the fact best, and the sentence."""
        quotes = {document: self.state.quote(document, (source, target)) for document in self.source[1]}
        best = max(quality for _, quality in quotes.values())
        return next((document, span) for document, (span, quality) in quotes.items() if quality == best)

    def _replace(self, number: int, sent: Relation, is_new: bool) -> None:
        fact = self.state.facts[number]
        group = {
            one.target: one.episodes
            for one in self.state.facts.values()
            if (one.source, one.type) == (fact.source, fact.type)
        }
        t = self._instant(sent)
        from_unknown = sent.start is None and is_new and len(group) == 1
        result = Replacement(group, fact.target, t, sent.end, from_unknown)
        if result.is_empty:
            raise RefusedError("interval_empty")
        for one in self.state.facts.values():
            if (one.source, one.type) == (fact.source, fact.type):
                one.episodes = result.histories[one.target]
        names = self.state.entities
        for target in result.ended:
            ended = self.state.fact(fact.source, fact.type, target)
            assert ended is not None
            self.ended.append((ended, {"target": names[target].name, "ended_at": format_instant(t)}))
        if result.restored:
            self.replaced["restored"].append({"target": names[fact.target].name, "restored_at": format_instant(t)})
        if result.later is not None:
            later = {"target": names[fact.target].name, "ended_at": format_instant(result.later)}
            self.replaced["older_than_stored"].append(later)

    def _changed(self, number: int) -> bool:
        return self.state.facts[number].episodes != self.episodes_before.get(number, [])

    def _set_attributes(self) -> None:
        before: dict[tuple[tuple[str, int], str], Any] = {}
        sent = sorted(self._values_sent(), key=lambda one: self.now if one[3] is None else one[3])
        for owner, key, value, start in sent:
            assert owner is not None
            number = self.state.attribute(owner, key)
            is_new = number is None
            if number is None:
                number = self.state.number()
                self.state.attributes[number] = Attribute(owner, key)
            attribute = self.state.attributes[number]
            before.setdefault((owner, key), (number, attribute.histories))
            identities = [identity(one) for one in attribute.values]
            if identity(value) not in identities:
                attribute.values.append(value)
                identities.append(identity(value))
            own = identities.index(identity(value))
            t = self.now if start is None else start
            said = (identity(value), start, self.source)
            if start is not None and said in attribute.said:
                continue
            result = Replacement(attribute.histories, own, t, None, start is None and is_new)
            changed = result.histories != attribute.histories
            attribute.histories = result.histories
            if changed and any(begins == t for begins, _ in attribute.histories[own]):
                attribute.said.append(said)
            if changed and self.source[0] == "assertion":
                self.state.assertions_of_values.add(self.source[1][0])
        for number, histories in before.values():
            self.attributes["known" if self.state.attributes[number].histories == histories else "set"] += 1

    def _reply(self, label_state: str | None) -> dict[str, Any]:
        call = self.call
        passages = [number for document in dict.fromkeys(self.documents) for number in self.state.passages_of(document)]
        mentions = [self.state.passages[number].mentions for number in passages]
        reply: dict[str, Any] = {
            "documents": list(self.documents),
            "passages": len(passages),
            "unlinked_passages": sum(not one for one in mentions),
            "mentions": sum(map(len, mentions)),
            "entities": self.counts["entities"],
            "relations": self.counts["relations"],
            "attributes": self.attributes,
            "extraction": "agent_facts" if call.has_facts else "known_names_only",
            "source_label_state": label_state,
        }
        if any(relation.replaces for relation in call.relations):
            # what the call itself brought back or never let begin did not end
            ended = [one for number, one in self.ended if self._changed(number)]
            reply["replaces"] = {**self.replaced, "ended": ended, "unread": []}
        return reply
