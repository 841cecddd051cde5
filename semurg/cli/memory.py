"""The memory verbs against a running node: remember, recall, relate, forget, status."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from semurg.cli import terminal
from semurg.cli.settings import connect

Scope = Annotated[str | None, typer.Option(help="The memory to use. [env: SEMURG_SCOPE]")]
User = Annotated[str | None, typer.Option(help="The end user whose memory it is. [env: SEMURG_USER]")]
Url = Annotated[str | None, typer.Option(help="The node. [env: SEMURG_URL; default: http://127.0.0.1:4000]")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the node's reply as it came.")]
Date = Annotated[str | None, typer.Option(help="When it was said or true: 2026, 2026-05, 2026-05-17, or a date-time.")]
Label = Annotated[str | None, typer.Option(help="A label for where it comes from, shown in citations.")]
AsOf = Annotated[str | None, typer.Option(help="Read what was known at this instant.")]
ValidAt = Annotated[str | None, typer.Option(help="Read what was true at this instant.")]


def remember(
    text: Annotated[str | None, typer.Argument(help="The text to store; - reads standard input.")] = None,
    file: Annotated[Path | None, typer.Option(help="Store the text of this file (UTF-8).")] = None,
    facts: Annotated[
        str | None,
        typer.Option(help='JSON, or @FILE: {"entities": [{"name": …}], "relations": [{"source": …, "target": …}]}'),
    ] = None,
    date: Date = None,
    source: Label = None,
    scope: Scope = None,
    user: User = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Store a text, facts, or both."""
    if text is not None and file is not None:
        raise typer.BadParameter("give the text or --file, not both")
    fields = {"content": _content(text, file), "facts": _facts(facts), "date": date, "source": source}
    _call("memory_remember", fields, (url, scope, user), as_json, terminal.show_stored)


def recall(
    subject: Annotated[str | None, typer.Argument(help="The name of the entity.")] = None,
    attribute: Annotated[
        str | None, typer.Option(metavar="KEY=VALUE", help="Find the entity by an attribute's value instead.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", help="How many items at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Bound of the items' text, 4 bytes a token.")] = None,
    compact: Annotated[bool, typer.Option("--compact", help="Items without diagnostics.")] = False,
    cursor: Annotated[str | None, typer.Option(help="The cursor that the page before ended with.")] = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    scope: Scope = None,
    user: User = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show what is known of an entity, with sources."""
    fields: dict[str, Any] = {"subject": subject, "k": k, "max_tokens": max_tokens, "cursor": cursor}
    fields |= {"as_of": as_of, "valid_at": valid_at, "compact": compact or None}
    fields["attribute"] = attribute_wanted(attribute)
    _call("memory_recall", fields, (url, scope, user), as_json, terminal.show_recalled)


def context(
    query: Annotated[str, typer.Argument(help="A question, or a few words.")],
    k: Annotated[int | None, typer.Option("-k", help="How many items at most.")] = None,
    hops: Annotated[int | None, typer.Option(help="How many steps to walk from what matches, 0 to 3.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Bound of the items' text, 4 bytes a token.")] = None,
    compact: Annotated[bool, typer.Option("--compact", help="Items without diagnostics.")] = False,
    now: Annotated[str | None, typer.Option(help="What `yesterday` in the question counts from.")] = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    scope: Scope = None,
    user: User = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show what bears on a question, with sources, and whether it answers."""
    fields: dict[str, Any] = {"query": query, "k": k, "hops": hops, "max_tokens": max_tokens, "now": now}
    fields |= {"as_of": as_of, "valid_at": valid_at, "compact": compact or None}
    _call("memory_context", fields, (url, scope, user), as_json, terminal.show_context)


def relate(
    source_entity: Annotated[str, typer.Argument(metavar="FROM", help="The entity the fact starts from.")],
    relation: Annotated[str, typer.Argument(metavar="TYPE", help="The kind of relation, such as WORKS_AT.")],
    target_entity: Annotated[str, typer.Argument(metavar="TO", help="The entity it leads to.")],
    attribute: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="An attribute of the fact; numbers and true/false keep their type."),
    ] = None,
    valid_from: Annotated[str | None, typer.Option(help="When it began to hold.")] = None,
    valid_to: Annotated[str | None, typer.Option(help="When it ceased to hold.")] = None,
    replaces: Annotated[
        bool, typer.Option("--replaces", help="It takes the place of other targets of the same type.")
    ] = False,
    date: Date = None,
    source: Label = None,
    scope: Scope = None,
    user: User = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Store one fact: FROM TYPE TO."""
    fields: dict[str, Any] = {"from": source_entity, "type": relation, "to": target_entity}
    fields |= {
        "date": date,
        "source": source,
        "valid_from": valid_from,
        "valid_to": valid_to,
        "replaces": replaces or None,
    }
    if attribute:
        fields["attributes"] = dict(_pair(one) for one in attribute)
    _call("memory_relate", fields, (url, scope, user), as_json, terminal.show_related)


def forget(
    subject: Annotated[str | None, typer.Argument(help="Forget the entity with exactly this name.")] = None,
    fact: Annotated[
        tuple[str, str, str] | None, typer.Option(metavar="FROM TYPE TO", help="Forget one fact; its ends stay.")
    ] = None,
    passage: Annotated[str | None, typer.Option(help="Forget the document with this doc_id.")] = None,
    source: Annotated[str | None, typer.Option(help="Forget every document under this label.")] = None,
    attribute: Annotated[
        tuple[str, str] | None, typer.Option(metavar="SUBJECT KEY", help="Forget every value of an attribute.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Forget the whole scope.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before --all.")] = False,
    scope: Scope = None,
    user: User = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Forget one thing for good: an entity, a fact, a document, a source, an attribute, or a scope."""
    if everything and not yes:
        if not sys.stdin.isatty():
            raise typer.BadParameter("--all forgets the whole scope; add --yes to mean it")
        typer.confirm("Forget everything in the scope, for good?", abort=True, err=True)
    fields: dict[str, Any] = {"subject": subject, "passage": passage, "source": source, "all": everything or None}
    if fact is not None:
        fields["fact"] = {"from": fact[0], "type": fact[1], "to": fact[2]}
    if attribute is not None:
        fields["attribute"] = {"subject": attribute[0], "key": attribute[1]}
    _call("memory_forget", fields, (url, scope, user), as_json, terminal.show_forgotten)


def delete_user(
    user_id: Annotated[str, typer.Argument(metavar="USER", help="The end user to delete.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Delete an end user with every scope, for good."""
    if not yes:
        if not sys.stdin.isatty():
            raise typer.BadParameter("this deletes every scope of the end user; add --yes to mean it")
        typer.confirm(f"Delete the end user {user_id!r} with every scope, for good?", abort=True, err=True)
    _call("memory_delete_user", {"user_id": user_id}, (url, None, None), as_json, terminal.show_deleted_user)


def status(
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    scope: Scope = None,
    user: User = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show the scopes and what they hold; with a scope, its classes and relations."""
    fields = {"as_of": as_of, "valid_at": valid_at}
    _call("memory_status", fields, (url, scope, user), as_json, terminal.show_status)


def _call(
    operation: str,
    fields: dict[str, Any],
    where: tuple[str | None, str | None, str | None],
    as_json: bool,
    show: Callable[[terminal.Reply], None],
) -> None:
    with connect(*where) as client:
        reply = client.call_raw(operation, fields)
    if as_json:
        terminal.show_raw(reply)
    else:
        show(msgspec.json.decode(reply))


def _content(text: str | None, file: Path | None) -> str | None:
    if file is None and text != "-":
        return text
    try:
        raw = sys.stdin.buffer.read() if file is None else file.read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        raise typer.BadParameter(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter("the text is not UTF-8") from error


def _facts(given: str | None) -> msgspec.Raw | None:
    """The facts as they were written: reading and writing them again would change 0.50 into 0.5."""
    if given is None:
        return None
    raw = given
    if given.startswith("@"):
        raw = _content(None, Path(given[1:])) or ""
    try:
        json.loads(raw)
    except ValueError as error:
        raise typer.BadParameter(f"--facts is not JSON: {error}") from error
    return msgspec.Raw(raw.encode())


def attribute_wanted(given: str | None) -> dict[str, Any] | None:
    """The attribute of a recall out of KEY=VALUE."""
    if given is None:
        return None
    key, value = _pair(given)
    return {"key": key, "value": value}


def _pair(given: str) -> tuple[str, Any]:
    """KEY=VALUE; the value as JSON where it is a number, true, false, or a JSON object or list, else as text."""
    key, equals, value = given.partition("=")
    if not equals:
        raise typer.BadParameter(f"{given!r} is not of the form KEY=VALUE")
    try:
        is_text = isinstance(json.loads(value), (str, type(None)))
    except ValueError:
        is_text = True
    return key, value if is_text else msgspec.Raw(value.encode())
