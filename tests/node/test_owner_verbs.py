"""Tokens and the audit on one node in process: ends, restarts, failing disks, and what a refusal costs the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import semurg
from semurg.access import Caller
from semurg.domain.errors import Refusal
from semurg.eventlog.protocol import Commit
from semurg.node import Node
from semurg.refusals import PENDING_MAX

NOON = 1_764_590_400_000_000  # 2025-12-01T12:00:00Z
DAY = 86_400_000_000
FACT: dict[str, Any] = {"scope": "t", "frm": "Dana", "to": "Acme", "type": "WORKS_AT"}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "memory"


def told(memory: semurg.Memory, **fields: Any) -> list[tuple[str, str]]:
    return [(entry["verb"], entry["outcome"]) for entry in memory.administer("audit", **fields)["entries"]]


def bearer(memory: semurg.Memory, secret: str) -> Caller | None:
    return memory.node.authenticate(secret)


def refuse_one(memory: semurg.Memory) -> None:
    with pytest.raises(Refusal):
        memory.relate(**{**FACT, "date": "yesterday"})


def test_a_token_ends_at_its_instant_and_not_before(directory: Path) -> None:
    moment = [NOON]
    with semurg.open(directory, clock=lambda: moment[0]) as memory:
        secret = memory.administer("token_create", name="ci", expires="1d")["token"]
        moment[0] = NOON + DAY - 1
        assert bearer(memory, secret) is not None
        moment[0] = NOON + DAY
        assert bearer(memory, secret) is None
        (listed,) = (one for one in memory.administer("token_list")["tokens"] if one["name"] == "ci")
        assert (listed["expires_at"], listed["expired"]) == ("2025-12-02T12:00:00Z", True)
        memory.administer("token_revoke", token="ci")
        assert [one["name"] for one in memory.administer("token_list")["tokens"]] == ["owner"]


def test_grants_and_revocations_outlive_a_restart(directory: Path) -> None:
    with semurg.open(directory) as memory:
        kept = memory.administer("token_create", name="kept", user_id="alice", scopes=["a"], read_only=True)["token"]
        gone = memory.administer("token_create", name="gone")["token"]
        memory.administer("token_revoke", token="gone")
        before = bearer(memory, kept)
    with semurg.open(directory) as memory:
        assert bearer(memory, kept) == before
        assert before is not None
        assert before.body() == {
            "identity": "token", "name": "kept", "user_id": "alice", "access": "read", "scopes": ["a"],
        }  # fmt: skip
        assert bearer(memory, gone) is None


def test_two_tokens_asked_for_at_once_do_not_both_get_the_name(directory: Path) -> None:
    async def both() -> list[Any]:
        node = Node(directory)
        await node.start()
        try:
            asked = (node.administer("token_create", {"name": "ci"}) for _ in range(5))
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await node.stop()

    answers = asyncio.run(both())
    assert [one["name"] for one in answers if isinstance(one, dict)] == ["ci"]
    assert [one.code for one in answers if isinstance(one, Refusal)] == ["token_name_taken"] * 4


def test_a_token_whose_commit_fails_was_never_issued_and_one_not_revoked_stays(directory: Path) -> None:
    with semurg.open(directory) as memory:
        kept = memory.administer("token_create", name="kept")["token"]
        log = memory.node._log
        append = log.append

        async def fails(_: object) -> None:
            raise Refusal("disk_full", "The disk is full.", "Make room.", retry_after=1)

        log.append = fails  # type: ignore[method-assign]
        for verb, fields in (("token_create", {"name": "ci"}), ("token_revoke", {"token": "kept"})):
            with pytest.raises(Refusal) as refused:
                memory.administer(verb, **fields)
            assert refused.value.code == "disk_full"
        log.append = append  # type: ignore[method-assign]
        assert [one["name"] for one in memory.administer("token_list")["tokens"]] == ["owner", "kept"]
        assert bearer(memory, kept) is not None


def test_refusals_are_on_record_in_order_also_after_a_restart_and_the_chain_holds(directory: Path) -> None:
    with semurg.open(directory) as memory:
        memory.relate(**FACT)
        refuse_one(memory)
        with pytest.raises(Refusal):
            memory.relate(**FACT, colour="red")
        memory.relate(**{**FACT, "to": "Beta"})
        refuse_one(memory)
        # not asked for before the node stops: stopping must write what is pending
    with semurg.open(directory) as memory:
        assert told(memory, scope="t") == [
            ("relate", "done"),
            ("relate", "refused:date_invalid"),
            ("relate", "refused:unknown_field"),
            ("relate", "done"),
            ("relate", "refused:date_invalid"),
        ]
        positions = [entry["position"] for entry in memory.administer("audit", scope="t")["entries"]]
        assert positions[0] == positions[1] == positions[2] != positions[3] == positions[4]
        found = asyncio.run_coroutine_threadsafe(memory.node._log.verify(), memory._loop).result()
        assert (found.first_break, found.commits) == (None, 6)


def test_a_refusal_before_a_forget_is_on_record_before_it(directory: Path) -> None:
    with semurg.open(directory) as memory:
        memory.relate(**FACT)
        refuse_one(memory)
        memory.forget(scope="t", subject="Dana")
        assert [verb for verb, _ in told(memory, scope="t")] == ["relate", "relate", "forget"]


def test_refusals_ride_with_the_next_batch_and_nobody_waits_for_them(directory: Path) -> None:
    batches: list[Sequence[Commit]] = []

    async def scenario() -> None:
        node = Node(directory)
        await node.start()
        append = node._log.append
        try:

            async def watched(batch: Sequence[Commit]) -> None:
                batches.append(batch)
                await append(batch)

            node._log.append = watched  # type: ignore[method-assign]
            for _ in range(20):
                with pytest.raises(Refusal):
                    await node.execute("relate", {"from": "", "to": "x", "type": "T"}, scope="t")
            assert batches == [], "the refused callers have their answers, and nothing was written for them"
            await node.execute("relate", {"from": "Dana", "to": "Acme", "type": "T"}, scope="t")
        finally:
            await node.stop()

    asyncio.run(scenario())
    assert [len(batch) for batch in batches] == [21]
    assert [commit.outcome for commit in batches[0]] == ["refused:name_empty"] * 20 + ["done"]


def test_a_disk_that_refuses_for_a_while_loses_no_refusal(directory: Path) -> None:
    with semurg.open(directory) as memory:
        log = memory.node._log
        append = log.append

        async def fails(_: object) -> None:
            raise Refusal("disk_full", "The disk is full.", "Make room.", retry_after=1)

        log.append = fails  # type: ignore[method-assign]
        refuse_one(memory)
        assert told(memory, scope="t") == [], "the audit answers with what is on record, and waits for no disk"
        with pytest.raises(Refusal):
            memory.relate(**FACT)
        log.append = append  # type: ignore[method-assign]
        assert told(memory, scope="t") == [("relate", "refused:date_invalid"), ("relate", "refused:disk_full")]


def test_more_refusals_than_can_wait_are_counted_and_not_kept(directory: Path) -> None:
    async def scenario() -> tuple[int, int]:
        node = Node(directory)
        await node.start()
        try:
            refusal = Refusal("name_empty", "…", "…")
            for _ in range(PENDING_MAX + 5):
                node.record_refusal("relate", refusal, scope="t")
            # The loop was not given up once, so none could be written meanwhile.
            lost = node._writer.refusals._lost
            page = await node.administer("audit", {"limit": 1_024})
            return lost, len(page["entries"])
        finally:
            await node.stop()

    assert asyncio.run(scenario()) == (5, 1_024)


def test_ids_of_a_scope_that_was_forgotten_and_begun_again_are_those_of_their_time(directory: Path) -> None:
    with semurg.open(directory) as memory:
        memory.relate(**FACT)
        first = memory.recall(scope="t", subject="Dana")["items"][0]["source_id"]
        memory.forget(scope="t", subject="Dana")
        memory.forget(scope="t", all=True)
        memory.relate(**FACT)
        second = memory.recall(scope="t", subject="Dana")["items"][0]["source_id"]
        entries = memory.administer("audit", scope="t")["entries"]
    assert [entry["verb"] for entry in entries] == ["relate", "forget", "forget", "relate"]
    assert first in entries[1]["ids"]
    assert second in entries[3]["ids"]
    assert first != second


def test_the_audit_of_what_was_forgotten_names_no_more_than_kinds_and_ids(directory: Path) -> None:
    with semurg.open(directory) as memory:
        memory.remember(scope="t", content="Dana met Eli.", facts={"entities": [{"name": "Dana"}]}, user_id="alice")
        before = memory.administer("audit", user_id="alice")["entries"][0]
        memory.forget(scope="t", all=True, user_id="alice")
        after = memory.administer("audit", user_id="alice")["entries"][0]
        everything = str(memory.administer("audit"))
    assert after == {**before, "ids": []}
    for word in ("Dana", "Eli", "alice", "'t'"):
        assert word not in everything


def test_the_nodes_own_first_events_are_nobodys_write(directory: Path) -> None:
    with semurg.open(directory) as memory:
        assert memory.administer("audit") == {"entries": [], "next": None}
