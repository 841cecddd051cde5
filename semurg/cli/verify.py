"""`semurg verify`: whether the log is what was written, beside a running node or without one. It only reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from semurg.cli import terminal
from semurg.cli.progress import bar
from semurg.cli.settings import data_directory
from semurg.domain.errors import Refusal
from semurg.domain.instants import format_instant

if TYPE_CHECKING:
    from semurg.eventlog.chain import OrderedRedaction
    from semurg.eventlog.verification import Verified

EXIT_BROKEN = 1
EXIT_NOT_VERIFIED = 2
DIGEST = re.compile(r"[0-9a-fA-F]{64}")

Lines = Iterator[tuple[str, str]]
Data = Annotated[Path | None, typer.Option(help="The data directory to look into. [env: SEMURG_DATA]")]


def verify(
    data: Data = None,
    expect: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The digest of a head that was printed earlier: the log must contain it."),
    ] = None,
    head: Annotated[
        bool, typer.Option("--head", help="Print where the log ends, to be kept elsewhere, and check nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check that no commit of the log was altered, reordered, dropped, inserted or cut off: 0 it holds, 1 broken."""
    # Imported here: the shell starts fast, and the log's reader is needed by few commands.
    from semurg.eventlog.verification import verify_directory

    if expect is not None and DIGEST.fullmatch(expect) is None:
        raise typer.BadParameter("a digest has 64 hexadecimal digits", param_hint="--expect")
    path = data_directory(data)
    try:
        if head:
            _show_head(path, as_json)
            return
        with bar("commits") as progress:
            found = verify_directory(path, None if expect is None else bytes.fromhex(expect), progress)
    except Refusal as refusal:
        terminal.show_refusal(refusal, as_json)
        raise typer.Exit(EXIT_NOT_VERIFIED) from refusal
    if as_json:
        terminal.show_raw(msgspec.json.encode(report(found)))
    else:
        terminal.show_lines(_told(found))
    if not found.holds:
        raise typer.Exit(EXIT_BROKEN)


def _show_head(path: Path, as_json: bool) -> None:
    from semurg.eventlog.directory import DataDirectory
    from semurg.eventlog.viewing import LogView

    with LogView(DataDirectory(path).log_path) as view:
        end = view.head()
    if as_json:
        shown = {"commit": end.commit, "position": str(end.position), "digest": end.digest.hex()}
        terminal.show_raw(msgspec.json.encode({**shown, "at": _instant(end.recorded_at)}))
    else:
        terminal.show_lines([(f"commit {end.commit}, position {end.position}", ""), (f"digest {end.digest.hex()}", "")])


# What was found


def report(found: Verified) -> dict[str, Any]:
    """The findings as `--json` prints them. `commits`, `position` and `digest` are as far as all holds."""
    chain, seal, first_break = found.chain, found.seal, found.chain.first_break
    sealed: dict[str, Any] = {"holds": seal.fault is None and seal.checked, "fault": seal.fault}
    if seal.seal is not None:
        sealed |= {"commit": seal.seal.commit, "position": str(seal.seal.position), "digest": seal.seal.digest.hex()}
        sealed |= {"begun": seal.seal.begun, "closed": seal.seal.closed}
    return {
        "holds": found.holds,
        "commits": chain.commits,
        "position": str(chain.position),
        "digest": chain.digest.hex(),
        "at": _instant(found.recorded_at),
        "break": None if first_break is None else {"commit": first_break.commit, "what": first_break.what},
        "seal": sealed,
        "expected": None
        if found.expected is None
        else {"digest": found.expected.digest.hex(), "commit": found.expected.commit},
        "redactions": [_redaction(each, found) for each in chain.redactions],
    }


def _redaction(each: OrderedRedaction, found: Verified) -> dict[str, Any]:
    kind, recorded_at = found.ordered.get(each.ordered_by, (None, 0))
    told = {"position": str(each.position), "ordered_by": str(each.ordered_by)}
    return {**told, "kind": kind, "at": _instant(recorded_at)}


def _told(found: Verified) -> Lines:
    chain, first_break = found.chain, found.chain.first_break
    if found.holds:
        yield f"The log holds: {_counted(chain.commits, 'commit')}, {_counted(chain.position, 'event')}.", "green"
    else:
        yield "The log is broken.", "bold red"
    if first_break is not None:
        yield f"  chain    broken at commit {first_break.commit}: {first_break.what}", "red"
        yield f"           all holds up to commit {chain.commits}, position {chain.position}", ""
    at = _instant(found.recorded_at)
    yield f"  head     commit {chain.commits}, position {chain.position}" + (f", {at}" if at else ""), ""
    yield f"  digest   {chain.digest.hex()}", ""
    yield from _told_of_seal(found)
    if found.expected is not None:
        commit = found.expected.commit
        told = "the log does not contain it" if commit is None else f"that of commit {commit}"
        yield f"  expected {told}", "red" if commit is None else ""
    yield from _told_of_redactions(found)


def _told_of_seal(found: Verified) -> Lines:
    seal, fault, checked = found.seal
    if fault is not None:
        yield f"  seal     {fault}", "red"
    elif seal is not None:
        told = f"holds at commit {seal.commit}" if checked else f"of commit {seal.commit}, not reached"
        yield f"  seal     {told}" + (", closed" if seal.closed else ""), ""
        if seal.begun:
            yield (
                f"           it was made anew at commit {seal.begun}: it does not vouch for how the log ended before",
                "",
            )


def _told_of_redactions(found: Verified) -> Lines:
    """Payloads that were rewritten, by the event that ordered it."""
    by_order: dict[int, list[int]] = {}
    for each in found.chain.redactions:
        by_order.setdefault(each.ordered_by, []).append(each.position)
    if by_order:
        payloads, events = _counted(len(found.chain.redactions), "payload"), _counted(len(by_order), "event")
        yield f"  redacted {payloads}, by order of {events}:", ""
    for ordered_by, positions in sorted(by_order.items()):
        kind, recorded_at = found.ordered.get(ordered_by, ("forget event", 0))
        yield f"    {runs(positions)} by the {kind} at position {ordered_by}, {_instant(recorded_at) or 'unknown'}", ""


def runs(numbers: list[int]) -> str:
    """Ascending numbers, those that follow each other as a run: 3, 5–9."""
    told: list[str] = []
    first = last = numbers[0]
    for number in [*numbers[1:], 0]:
        if number == last + 1:
            last = number
            continue
        told.append(str(first) if first == last else f"{first}–{last}")
        first = last = number
    return ", ".join(told)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _instant(recorded_at: int) -> str | None:
    return format_instant(recorded_at) if recorded_at else None
