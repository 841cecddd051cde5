"""Where an item came from: its source, the sentence that says it, how it was found, and the event that put it there.

Every span is cut from the live text and looked at before it is served: it must lie inside its passage and name what it
is quoted for. What fails that is served without a span, never with a wrong one. Offsets are code points of the
document's full text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from semurg.domain.ids import Kind, encode_id
from semurg.domain.instants import format_instant
from semurg.domain.names import match_key
from semurg.domain.visibility import At
from semurg.projections.reads import Reads
from semurg.projections.rows import EntityRow, PassageRow, Statement

QUOTED = "quoted"
NOT_FOUND = "not_found_in_text"
WITHOUT_TEXT = "asserted_without_text"
FORGOTTEN = "source_forgotten"

# The better a statement can be shown, the earlier it is chosen.
_RANKS = {QUOTED: 0, NOT_FOUND: 1, WITHOUT_TEXT: 2, FORGOTTEN: 3}

Found = dict[str, Any]
# A citation as the reply carries it, and the date of its source beside it.
Cited = tuple[dict[str, Any], str | None]


class Source(NamedTuple):
    """A source of the reply's form; `live` is False for a forgotten document, `asserted` True without a text."""

    kind: str
    doc_id: str | None
    name: str | None
    date: str | None
    live: bool


class Citations:
    """The citations of one reply. Sources that several items share are read once."""

    def __init__(self, reads: Reads, scope_number: int, at: At) -> None:
        self._reads = reads
        self._scope_number = scope_number
        self._at = at
        self._sources: dict[int, Source] = {}
        self._instants: dict[int, str] = {}
        self._passages: dict[int, PassageRow] = {}

    def of_fact(self, fact: int, ends: Sequence[str], found_by: Found) -> Cited:
        """The citation of a fact: of its statements the one that quotes most, of equal ones the latest.

        `ends` begins with the names of its two ends: a quoted sentence has one of them at least.
        """
        best: tuple[Statement, Source, dict[str, Any] | None, str, str | None] | None = None
        for statement in reversed(self._reads.statements_of(fact, self._at)):
            source = self._source(statement.source)
            span, state, date = self._statement_span(statement, source, ends)
            if best is None or _RANKS[state] < _RANKS[best[3]]:
                best = (statement, source, span, state, date)
            if span is not None:
                break
        if best is None:
            raise LookupError(f"fact {fact} shows without a statement")
        statement, source, span, state, date = best
        return self._cited(source, statement.known_from, statement.position, span, state, date, found_by)

    def of_passage(self, passage: int, row: PassageRow, entity: int, name: str, found_by: Found) -> Cited:
        """The citation of a passage: its document, quoting the sentence that names the seed."""
        span = self._naming_sentence(passage, row, entity, name)
        state = QUOTED if span else NOT_FOUND
        return self._cited(self._source(row.document), row.known_from, row.position, span, state, row.date, found_by)

    def of_quoted_passage(self, row: PassageRow, span: tuple[int, int] | None, found_by: Found) -> Cited:
        """The citation of a passage: its document, quoting [start, end) of it, without the white space around."""
        quoted = None
        if span is not None:
            sentence = row.text[span[0] : span[1]]
            text = sentence.strip()
            start = row.start + span[0] + len(sentence) - len(sentence.lstrip())
            quoted = {"text": text, "start": start, "end": start + len(text)} if text else None
        state = QUOTED if quoted else NOT_FOUND
        return self._cited(self._source(row.document), row.known_from, row.position, quoted, state, row.date, found_by)

    def of_entity(self, entity: int, row: EntityRow, linked: Sequence[int], found_by: Found) -> Cited:
        """The citation of an entity: its earliest live mention, else what first named it.

        `linked` are the passages that show, earliest first.
        """
        for passage in linked[:1]:
            text = self._passage(passage)
            span = self._naming_sentence(passage, text, entity, row.name)
            if span is not None:
                source = self._source(text.document)
                return self._cited(source, text.known_from, row.position, span, QUOTED, text.date, found_by)
        source = self._source(row.source)
        state = _unquoted(source)
        return self._cited(source, row.known_from, row.position, None, state, source.date, found_by)

    def _statement_span(
        self, statement: Statement, source: Source, ends: Sequence[str]
    ) -> tuple[dict[str, Any] | None, str, str | None]:
        """(span, span_state, date of the source) of one statement."""
        passage = statement.span_passage
        if passage < 0 or not source.live:
            return None, _unquoted(source), source.date
        row = self._passages.get(passage)
        if row is None:
            if not self._reads.passage_is_live(passage):
                return None, FORGOTTEN, source.date
            row = self._passage(passage)
        start, end = statement.span_start, statement.span_end
        first, last = start - row.start, end - row.start
        if row.document != statement.source or not 0 <= first < last <= len(row.text):
            return None, NOT_FOUND, source.date
        text = row.text[first:last]
        if not (_names(text, ends[0]) or _names(text, ends[1])):
            return None, NOT_FOUND, source.date
        return {"text": text, "start": start, "end": end}, QUOTED, row.date

    def _naming_sentence(self, passage: int, row: PassageRow, entity: int, name: str) -> dict[str, Any] | None:
        """The sentence of the passage that names the entity; two when the name goes from one into the next."""
        mention = self._reads.mention_span(passage, entity)
        if mention is None:
            return None
        first, last = mention
        if not 0 <= first < last <= len(row.text) or not _names(row.text[first:last], name):
            return None
        sentences = row.sentences
        start = sentences[bisect_right(sentences, first) - 1]
        following = bisect_right(sentences, last - 1)
        end = sentences[following] if following < len(sentences) else len(row.text)
        sentence = row.text[start:end]
        text = sentence.strip()
        start += row.start + len(sentence) - len(sentence.lstrip())
        return {"text": text, "start": start, "end": start + len(text)}

    def _source(self, reference: int) -> Source:
        source = self._sources.get(reference)
        if source is None:
            source = self._sources[reference] = self._read_source(reference)
        return source

    def _read_source(self, reference: int) -> Source:
        if reference < 0:
            label, date = self._reads.assertion(-1 - reference)
            return Source("asserted", None, label, date, True)
        document = self._reads.document(reference)
        if not document.alive:
            return Source("document", None, None, None, False)
        doc_id = encode_id(self._scope_number, Kind.DOCUMENT, reference)
        return Source("document", doc_id, self._reads.document_label(reference, self._at), document.date, True)

    def _passage(self, passage: int) -> PassageRow:
        row = self._passages.get(passage)
        if row is None:
            row = self._passages[passage] = self._reads.passage(passage)
        return row

    def _cited(
        self,
        source: Source,
        learned: int,
        position: int,
        span: dict[str, Any] | None,
        span_state: str,
        date: str | None,
        found_by: Found,
    ) -> Cited:
        ingested = self._instants.get(learned)
        if ingested is None:
            ingested = self._instants[learned] = format_instant(learned)
        kind, doc_id, name, _, _ = source
        citation = {
            "source": {
                "kind": kind,
                "doc_id": doc_id,
                "name": name,
                "ingested_at": ingested,
                "page": None,
            },
            "span": span,
            "span_state": span_state,
            "found_by": found_by,
            "position": str(position),
        }
        return citation, date


def _unquoted(source: Source) -> str:
    """The span state of a source that nothing is quoted from."""
    if source.kind == "asserted":
        return WITHOUT_TEXT
    return NOT_FOUND if source.live else FORGOTTEN


def _names(text: str, name: str) -> bool:
    """Whether the text holds the name. It mostly does as spelled; the match keys decide the rest."""
    return name in text or match_key(name) in match_key(text)
