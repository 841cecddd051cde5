"""How replies and failures read on a terminal. Results go to standard output, failures to standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from semurg.domain.errors import Refusal

Reply = Mapping[str, Any]
_COUNTS = frozenset(["entities", "facts", "documents", "passages", "members"])


def show_raw(reply: bytes) -> None:
    """The reply exactly as the node sent it, on one line."""
    sys.stdout.buffer.write(reply + b"\n")
    sys.stdout.flush()


def show_refusal(refusal: Refusal, as_json: bool) -> None:
    """A node's refusal: what is wrong, and what to do instead."""
    if as_json:
        sys.stderr.write(msgspec.json.encode(refusal.body()).decode() + "\n")
        return
    show_failure(refusal.code, refusal.detail, refusal.fix, as_json=False)
    if names := refusal.fields.get("did_you_mean"):
        _errors().print(_plain(f"  Close names: {', '.join(str(name) for name in names)}"))


def show_failure(code: str, detail: str, fix: str, as_json: bool) -> None:
    """Any failure in the same form as a refusal."""
    if as_json:
        sys.stderr.write(msgspec.json.encode({"error": code, "detail": detail, "fix": fix}).decode() + "\n")
        return
    console = _errors()
    console.print(Text.assemble((f"{code}: ", "bold red"), _plain(detail)))
    console.print(_plain(f"  {fix}"))


def show_stored(reply: Reply) -> None:
    """What a remember did."""
    console = _results()
    if reply.get("already"):
        console.print(_plain(f"Nothing new: all of it was stored already (position {reply['position']})."))
        return
    console.print(_plain(f"Stored in {reply['scope']} at position {reply['position']}."))
    for name in ("entities", "relations", "attributes"):
        counts = ", ".join(f"{count} {what}" for what, count in reply.get(name, {}).items() if count)
        if counts:
            console.print(_plain(f"  {name}: {counts}"))
    if reply.get("passages"):
        console.print(_plain(f"  passages: {reply['passages']}, naming {reply.get('mentions', 0)} entities"))
    for doc_id in reply.get("doc_ids") or filter(None, [reply.get("doc_id")]):
        console.print(_plain(f"  document: {doc_id}"))
    _show_replaced(console, reply)


def show_related(reply: Reply) -> None:
    """The fact that a relate asserted."""
    console, fact = _results(), reply["fact"]
    known = "Already known: " if reply.get("already") else ""
    console.print(_plain(f"{known}{fact['from']} {fact['type']} {fact['to']}{_interval(fact)}"))
    _show_replaced(console, reply)


def show_forgotten(reply: Reply) -> None:
    """What a forget removed."""
    console = _results()
    already = reply.get("already_forgotten")
    console.print(_plain("It was forgotten before." if already else "Forgotten."))
    for name, value in reply.items():
        if name not in ("ok", "scope", "position", "already_forgotten") and value not in (None, [], False):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            console.print(_plain(f"  {name.replace('_', ' ')}: {shown}"))


def show_deleted_user(reply: Reply) -> None:
    """What went with an end user."""
    console = _results()
    if reply["state"] == "already_deleted":
        console.print(_plain("Deleted before; there is nothing left."))
        return
    console.print(_plain("Deleted, and erased from the disk."))
    for name in ("scopes", "entities", "facts", "documents", "passages"):
        console.print(_plain(f"  {name}: {reply[name]}"))
    if reply["written_during_delete"]:
        console.print(_plain(f"  written meanwhile, begun afresh: {reply['written_during_delete']}"))


def show_recalled(reply: Reply) -> None:
    """The items of a recall, each with where it comes from."""
    console = _results()
    if reply["state"] != "answered":
        console.print(_plain(f"{reply['state']}: {reply.get('detail') or 'the memory holds nothing of that name.'}"))
        if names := reply.get("did_you_mean"):
            console.print(_plain(f"  Close names: {', '.join(names)}"))
    for item in reply["items"]:
        style = {"entity": "bold", "passage": "italic"}.get(item["kind"], "")
        console.print(Text.assemble(_plain(item["text"], style), (_interval(item), "dim")))
        for line in _sources(item):
            console.print(_plain(f"    {line}", "dim"))
    if reply.get("left_out"):
        onward = f"read on with --cursor {reply['next']}" if reply.get("next") else "ask for a larger -k"
        console.print(_plain(f"{reply['left_out']} more; {onward}"))


def show_context(reply: Reply) -> None:
    """The items of a context, each with where it comes from, and the verdict on them."""
    show_recalled(reply)
    grounding = reply["grounding"]
    console = _results()
    uncovered = f"; not covered: {', '.join(grounding['uncovered'])}" if grounding["uncovered"] else ""
    console.print(_plain(f"{grounding['verdict']}{uncovered}", "bold"))
    if spoken := reply.get("time"):
        span = f"{spoken['from'] or '…'} to {spoken['to'] or '…'}"
        console.print(_plain(f"time: {spoken['expression']} ({span})", "dim"))


def show_status(reply: Reply) -> None:
    """The scopes, and the ontology when one scope was asked for."""
    console = _results()
    _print_table(console, ("scope", "entities", "facts", "documents", "passages"), reply["scopes"])
    ontology = reply.get("ontology")
    if ontology:
        _print_table(console, ("type", "members", "spellings"), ontology["top_classes"])
        _print_table(console, ("type", "facts", "spellings"), ontology["relations"], title="relations")
    console.print(_plain(f"position {reply['position']}", "dim"))


def show_lines(lines: Iterable[tuple[str, str]]) -> None:
    """Lines of text, each in a style ("" for none)."""
    console = _results()
    for text, style in lines:
        console.print(_plain(text, style))


def show_table(columns: Sequence[str], rows: Sequence[Reply]) -> None:
    """Rows of text under their columns: in a pipe one line a row, whatever its length, with tabs between the cells."""
    _print_table(_results(), columns, rows)


def _print_table(console: Console, columns: Sequence[str], rows: Sequence[Reply], title: str | None = None) -> None:
    if console.is_terminal:
        console.print(_table(columns, rows, title))
        return
    if title is not None:
        sys.stdout.write(f"{title}\n")
    for cells in (columns, *([_cell(row.get(column, "")) for column in columns] for row in rows)):
        sys.stdout.write("\t".join(_plain(cell, one_line=True).plain for cell in cells) + "\n")
    sys.stdout.flush()


def _table(columns: Sequence[str], rows: Sequence[Reply], title: str | None = None) -> Table:
    table = Table(title=title, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in _COUNTS else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_plain(_cell(row.get(column, ""))) for column in columns))
    return table


def _cell(value: Any) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _sources(item: Reply) -> Iterator[str]:
    citation = item.get("citation")
    if not citation:
        if item.get("source"):
            yield f"source: {item['source']}"
        return
    source = citation["source"]
    parts = [source["name"] or source["kind"], item.get("source_date")]
    yield "source: " + ", ".join(str(part) for part in parts if part)
    if citation.get("span") and item["kind"] == "fact":
        yield f"“{citation['span']['text']}”"


def _interval(item: Reply) -> str:
    start, end = item.get("valid_from"), item.get("valid_to")
    if not start and not end:
        return ""
    return f"  from {start or 'unknown'}" + (f" to {end}" if end else "")


def _show_replaced(console: Console, reply: Reply) -> None:
    for name, changes in (reply.get("replaces") or {}).items():
        for change in changes:
            when = change.get("ended_at") or change.get("from")
            console.print(_plain(f"  {name.replace('_', ' ')}: {change['target']} ({when})"))


def _plain(text: str, style: str = "", one_line: bool = False) -> Text:
    """Text of the caller's as it may reach a terminal: stored escape sequences must not act on it."""
    kept = "" if one_line else "\n"
    shown = (char if char.isprintable() or char == kept else "\N{REPLACEMENT CHARACTER}" for char in text)
    return Text("".join(shown), style)


def _results() -> Console:
    return Console(soft_wrap=True, highlight=False)


def _errors() -> Console:
    return Console(stderr=True, soft_wrap=True, highlight=False)
