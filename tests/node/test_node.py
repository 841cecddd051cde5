"""The node as a whole, in process: durability, failure, identity, the clock, what is left on disk."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import semurg
from semurg.domain.errors import Refusal
from semurg.idempotency import Idempotency
from semurg.node import Node

TIMES = {"first": 1_700_000_000_000_000}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "memory"


def texts(reply: dict[str, Any], kind: str = "fact") -> list[str]:
    return [item["text"] for item in reply["items"] if item["kind"] == kind]


def test_the_table_of_right_answers(directory: Path) -> None:
    known: list[str] = []
    ticks = iter(range(TIMES["first"], TIMES["first"] + 10**12, 3_600_000_000))
    moment = [next(ticks)]
    with semurg.open(directory, clock=lambda: moment[0]) as memory:
        for target, fields in (
            ("Acme", {"date": "2020-01-01"}),
            ("Beta", {"date": "2024-03-01", "replaces": True}),
            ("Gamma", {"date": "2022-06-01", "replaces": True}),
        ):
            moment[0] = next(ticks)
            memory.relate(scope="t", frm="Dana", to=target, type="WORKS_AT", **fields)
            known.append(_iso(moment[0]))
        moment[0] = _micros("2026-01-01T00:00:00")

        def read(**fields: Any) -> list[str]:
            return [text.split()[-1] for text in texts(memory.recall(scope="t", subject="Dana", **fields))]

        assert read() == ["Beta"]
        for valid_at, answer in (
            ("2021-01-01", ["Acme"]),
            ("2022-06-01", ["Gamma"]),
            ("2023-12-31", ["Gamma"]),
            ("2024-02-29", ["Gamma"]),
            ("2024-03-01", ["Beta"]),
            ("2019-12-31", []),
        ):
            assert read(valid_at=valid_at) == answer, valid_at
        assert read(as_of=known[0]) == ["Acme"]
        assert read(as_of=known[1], valid_at="2023-01-01") == ["Acme"]
        assert read(as_of=known[2], valid_at="2023-01-01") == ["Gamma"]
        before = memory.recall(scope="t", subject="Dana", as_of=_iso(TIMES["first"]))
        assert before["state"] == "nothing_stored" and before["items"] == []


def _iso(micros: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(micros / 1e6, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _micros(text: str) -> int:
    from datetime import UTC, datetime

    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def test_a_clock_that_steps_back_loses_nothing_and_keeps_the_order(directory: Path) -> None:
    moment = [TIMES["first"]]
    with semurg.open(directory, clock=lambda: moment[0]) as memory:
        memory.relate(scope="t", frm="Dana", to="Acme", type="LIKES")
        moment[0] -= 86_400_000_000
        memory.relate(scope="t", frm="Dana", to="Beta", type="LIKES")
        reply = memory.recall(scope="t", subject="Dana")
        assert sorted(texts(reply)) == ["Dana LIKES Acme", "Dana LIKES Beta"]
        instants = [item["citation"]["source"]["ingested_at"] for item in reply["items"] if item["kind"] == "fact"]
        assert len(set(instants)) == 2 and min(instants) >= _iso(TIMES["first"])
        first_only = memory.recall(scope="t", subject="Dana", as_of=min(instants))
        assert texts(first_only) == ["Dana LIKES Acme"]


def test_a_second_opening_of_the_directory_is_refused_by_name(directory: Path) -> None:
    with semurg.open(directory), pytest.raises(Refusal) as refused:
        semurg.open(directory)
    assert refused.value.code == "node_in_use" and str(os.getpid()) in refused.value.detail


def everything_on_disk(directory: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file())


def encodings(text: str) -> Iterator[bytes]:
    yield text.encode()
    yield json.dumps(text)[1:-1].encode()
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")
    for offset in range(3):
        yield base64.b64encode(b"x" * offset + text.encode())[4:-4]


SECRET = "Zyphrotek Quincé 77"


@pytest.mark.parametrize(
    "form",
    [
        {"subject": SECRET},
        {"source": f"label {SECRET}"},
        {"attribute": {"subject": "Velden", "key": f"key {SECRET}"}},
        {"fact": {"from": "Velden", "to": "Norland", "type": f"TYPE {SECRET}"}},
        {"all": True},
    ],
    ids=lambda form: next(iter(form)),
)
def test_what_is_forgotten_is_in_no_file_any_more_in_no_encoding(directory: Path, form: dict[str, Any]) -> None:
    calls: dict[str, Callable[[semurg.embedded.Memory], object]] = {  # type: ignore[name-defined]
        "subject": lambda memory: memory.remember(
            scope="t",
            content=f"It was {SECRET} who built it. Nobody else.",
            facts={
                "entities": [{"name": SECRET, "type": f"type {SECRET}", "attributes": {"a": f"value {SECRET}"}}],
                "relations": [{"source": SECRET, "target": "Velden", "type": f"IN {SECRET}"}],
            },
        ),
        "source": lambda memory: memory.remember(scope="t", content=f"Seen: {SECRET}!", source=f"label {SECRET}"),
        "attribute": lambda memory: memory.remember(
            scope="t", facts={"entities": [{"name": "Velden", "attributes": {f"key {SECRET}": SECRET}}]}
        ),
        "fact": lambda memory: memory.relate(
            scope="t", frm="Velden", to="Norland", type=f"TYPE {SECRET}", attributes={"note": SECRET}
        ),
        "all": lambda memory: memory.remember(scope="t", content=f"All about {SECRET}."),
    }
    with semurg.open(directory) as memory:
        for number in range(40):
            memory.relate(scope="t", frm="Velden", to=f"Neighbour {number}", type="NEAR")
        calls[next(iter(form))](memory)
        memory.relate(scope="t", frm="Velden", to="Norland", type="LOCATED_IN")
        assert SECRET.encode() in everything_on_disk(directory), "it was written"
        assert memory.forget(scope="t", **form)["erased"] is True
        # Before the node stops: whoever reads the disk now must find nothing.
        _assert_gone(directory)
    _assert_gone(directory)
    with semurg.open(directory) as memory:
        assert SECRET not in json.dumps(memory.recall(scope="t", subject="Velden"), ensure_ascii=False)
        assert SECRET not in json.dumps(memory.memory_status(scope="t"), ensure_ascii=False)
        assert memory.forget(scope="t", **form)["already_forgotten"] is True
        _assert_gone(directory)


def _assert_gone(directory: Path) -> None:
    held = everything_on_disk(directory)
    for encoded in encodings(SECRET):
        assert encoded not in held


WRITER = """
import sys, semurg
with semurg.open(sys.argv[1]) as memory:
    number = 0
    while True:
        memory.relate(scope="t", frm="Hub", to=f"Node {number}", type="LINKS")
        if number % 7 == 3:
            memory.forget(scope="t", subject=f"Node {number - 1}")
        print(number, flush=True)
        number += 1
"""


@pytest.mark.parametrize("acknowledged", [1, 23, 60])
def test_kill_9_loses_nothing_that_was_acknowledged(directory: Path, acknowledged: int) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(directory)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        last = -1
        for line in child.stdout:
            last = int(line)
            if last >= acknowledged:
                break
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().split()
        last = int(rest[-1]) if rest else last
    with semurg.open(directory) as memory:
        found = {item["object"] for item in memory.recall(scope="t", subject="Hub", k=1000)["items"][1:]}
        forgotten = {f"Node {number - 1}" for number in range(last + 1) if number % 7 == 3}
        assert {f"Node {number}" for number in range(last + 1)} - forgotten <= found
        assert not forgotten & found
        assert len(found) <= last + 2, "at most the one call that was under way is there besides"
        assert asyncio.run_coroutine_threadsafe(memory.node._log.verify(), memory._loop).result().first_break is None


def test_a_commit_that_fails_leaves_no_trace_and_writing_goes_on_when_it_can(directory: Path) -> None:
    moment = [TIMES["first"]]
    with semurg.open(directory, clock=lambda: moment[0]) as memory:
        memory.relate(scope="t", frm="Dana", to="Acme", type="LIKES")
        log = memory.node._log
        append = log.append

        async def fails(batch: object) -> None:
            raise Refusal("disk_full", "The disk is full.", "Make room.", retry_after=1)

        log.append = fails  # type: ignore[method-assign]
        for scope in ("t", "new"):
            with pytest.raises(Refusal) as refused:
                memory.relate(scope=scope, frm="Dana", to="Beta", type="LIKES")
            assert refused.value.code == "disk_full"
            moment[0] += 2_000_000
        assert memory.node.state == "read_only"
        assert texts(memory.recall(scope="t", subject="Dana")) == ["Dana LIKES Acme"]
        assert memory.recall(scope="new", subject="Dana")["state"] == "nothing_stored"
        assert [one["scope"] for one in memory.memory_status()["scopes"]] == ["t"]
        log.append = append  # type: ignore[method-assign]
        assert memory.relate(scope="new", frm="Dana", to="Beta", type="LIKES")["already"] is False
        assert memory.relate(scope="t", frm="Dana", to="Gamma", type="LIKES")["already"] is False
        assert memory.node.state == "ready"
    with semurg.open(directory) as memory:
        assert sorted(texts(memory.recall(scope="t", subject="Dana"))) == ["Dana LIKES Acme", "Dana LIKES Gamma"]


def test_forty_writers_at_once_lose_nothing(directory: Path) -> None:
    async def story() -> dict[str, Any]:
        node = Node(directory)
        await node.start()
        try:
            links = [
                node.execute("relate", {"from": "Hub Orla", "to": f"Node {n}", "type": "LINKS"}, scope="t")
                for n in range(40)
            ]
            notes = [node.execute("remember", {"content": f"Note number {n} is here."}, scope="t") for n in range(10)]
            replies = await asyncio.gather(*links, *notes)
            assert len({reply["position"] for reply in replies}) == 50, "each its own place in the log"
            return node.read("recall", {"subject": "Hub Orla", "k": 1000}, scope="t")
        finally:
            await node.stop()

    assert len(texts(asyncio.run(story()))) == 40


def test_an_idempotency_key_answers_its_first_reply_again_also_after_a_restart(directory: Path) -> None:
    call = {"from": "Dana", "to": "Acme", "type": "LIKES"}

    async def relate(key: str, body: str, fields: dict[str, Any]) -> dict[str, Any]:
        node = Node(directory)
        await node.start()
        try:
            return await node.execute("relate", fields, scope="t", idempotency=Idempotency(key, body))
        finally:
            await node.stop()

    first = asyncio.run(relate("k1", "body", call))
    assert first["already"] is False
    assert asyncio.run(relate("k1", "body", call)) == first
    with pytest.raises(Refusal) as refused:
        asyncio.run(relate("k1", "another body", {**call, "to": "Beta"}))
    assert refused.value.code == "idempotency_conflict"
    assert asyncio.run(relate("k2", "body", call))["already"] is True


def test_a_write_with_an_outdated_position_is_refused_and_one_with_the_present_position_is_not(directory: Path) -> None:
    with semurg.open(directory) as memory:
        first = memory.relate(scope="t", frm="Dana", to="Acme", type="LIKES")
        memory.relate(scope="other", frm="Dana", to="Acme", type="LIKES")
        second = memory.relate(scope="t", frm="Dana", to="Beta", type="LIKES", expected_position=first["position"])
        with pytest.raises(Refusal) as refused:
            memory.relate(scope="t", frm="Dana", to="Gamma", type="LIKES", expected_position=first["position"])
        assert refused.value.code == "position_conflict" and refused.value.fields["position"] == second["position"]


def test_a_lost_token_file_gets_a_new_token_and_the_old_one_ends(directory: Path) -> None:
    async def token() -> tuple[str | None, list[bool]]:
        node = Node(directory)
        await node.start()
        try:
            known.append(node.new_token)
            return node.new_token, [node.authenticate(one) is not None for one in known if one]
        finally:
            await node.stop()

    known: list[str | None] = []
    first, works = asyncio.run(token())
    assert first and works == [True]
    assert asyncio.run(token()) == (None, [True])
    (directory / "semurg.env").unlink()
    second, works = asyncio.run(token())
    assert second not in (None, first) and works == [False, True]
    assert first.encode() not in everything_on_disk(directory), "the log keeps only a digest"


def test_a_read_creates_nothing(directory: Path) -> None:
    with semurg.open(directory) as memory:
        memory.relate(scope="t", frm="Dana", to="Acme", type="LIKES")
        head = memory.node._log.head()
        assert memory.recall(scope="never-used", subject="Dana")["state"] == "nothing_stored"
        assert memory.memory_status(scope="never-used")["state"] == "nothing_stored"
        assert [one["scope"] for one in memory.memory_status()["scopes"]] == ["t"]
        assert memory.node._log.head() == head


def test_one_idempotency_key_used_by_many_at_once_answers_all_of_them_alike(directory: Path) -> None:
    call = {"from": "Dana", "to": "Acme", "type": "LIKES"}

    async def story() -> list[dict[str, Any]]:
        node = Node(directory)
        await node.start()
        try:
            key = Idempotency("one", "body")
            return await asyncio.gather(*(node.execute("relate", call, scope="t", idempotency=key) for _ in range(16)))
        finally:
            await node.stop()

    replies = asyncio.run(story())
    assert replies[0]["already"] is False and all(reply == replies[0] for reply in replies)


def test_a_closed_memory_says_so(directory: Path) -> None:
    memory = semurg.open(directory)
    memory.close()
    memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.recall(scope="t", subject="Dana")


def test_passages_of_the_same_text_under_two_keys_are_both_kept(directory: Path) -> None:
    with semurg.open(directory) as memory:
        for key in ("D1:3", "D4:9"):
            memory.remember(scope="t", passages=[{"text": "Dana: Bye!", "mentions": ["Dana"], "key": key}])
        items = memory.recall(scope="t", subject="Dana")["items"]
        assert sorted(item["key"] for item in items if item["kind"] == "passage") == ["D1:3", "D4:9"]


def test_a_log_that_something_else_wrote_into_is_named_and_reads_go_on(directory: Path) -> None:
    with semurg.open(directory) as memory:
        memory.relate(scope="t", frm="Dana", to="Acme", type="LIKES")
        with sqlite3.connect(directory / "log.db") as intruder:
            columns = [row[1] for row in intruder.execute("PRAGMA table_info('commit')")]
            number = columns.index("number") if "number" in columns else 0
            (last,) = intruder.execute('SELECT * FROM "commit" ORDER BY 1 DESC LIMIT 1')
            forged = [value + 1 if place == number else value for place, value in enumerate(last)]
            forged = [value + 1 if columns[place] == "recorded_at" else value for place, value in enumerate(forged)]
            intruder.execute(f'INSERT INTO "commit" VALUES ({",".join("?" * len(forged))})', forged)
        intruder.close()
        with pytest.raises(Refusal) as refused:
            memory.relate(scope="t", frm="Dana", to="Beta", type="LIKES")
        assert refused.value.code == "log_corrupt"
        assert memory.node.state == "read_only"
        assert texts(memory.recall(scope="t", subject="Dana")) == ["Dana LIKES Acme"]
