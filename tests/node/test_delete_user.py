"""delete_user: every scope of one end user goes in one call, and nobody else's."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import semurg
from semurg.access import Caller
from semurg.domain.errors import Refusal
from semurg.domain.events import ScopeForgotten, UserDeleted
from semurg.embedded import Memory
from semurg.idempotency import Idempotency
from semurg.node import Node

from .erased_bytes import everything_on_disk, still_there

ANN, BEN = "ann-quillfeather-71", "ben-oxenbridge-72"
COUNTS = ("entities", "facts", "documents", "passages")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "memory"


def fill(memory: Memory, user: str | None) -> None:
    """Two scopes, each with a text, three entities and two facts."""
    for scope in ("mail", "notes of Tresco Abbey Gardens"):
        mark = f"{user} {scope}"
        memory.remember(
            scope=scope,
            user_id=user,
            content=f"Zora met Yannick in {scope}.",
            source=f"label {mark}",
            facts={
                "entities": [{"name": f"Zora {mark}", "type": "Person", "attributes": {"note": f"value {mark}"}}],
                "relations": [
                    {"source": f"Zora {mark}", "target": "Yannick Featherstone", "type": "MET"},
                    {"source": "Yannick Featherstone", "target": f"Town {mark}", "type": "IN"},
                ],
            },
        )


def counts(memory: Memory, user: str | None) -> dict[str, int]:
    scopes = memory.memory_status(user_id=user)["scopes"]
    return {"scopes": len(scopes)} | {name: sum(scope[name] for scope in scopes) for name in COUNTS}


def verified(memory: Memory) -> bool:
    log = memory.node._log
    return asyncio.run_coroutine_threadsafe(log.verify(), memory._loop).result().first_break is None


def test_every_scope_goes_and_the_reply_counts_what_status_counted(directory: Path) -> None:
    with semurg.open(directory) as memory:
        for user in (ANN, BEN, None):
            fill(memory, user)
        before, others = counts(memory, ANN), (counts(memory, BEN), counts(memory, None))
        assert before == {"scopes": 2, "entities": 6, "facts": 4, "documents": 2, "passages": 2}
        reply = memory.delete_user(ANN)
        assert {name: reply[name] for name in before} == before
        assert (reply["ok"], reply["state"], reply["erased"]) == (True, "deleted", True)
        assert reply["written_during_delete"] == 0
        assert counts(memory, ANN) == dict.fromkeys(before, 0)
        assert memory.recall(scope="mail", user_id=ANN, subject="Yannick Featherstone")["state"] == "nothing_stored"
        assert (counts(memory, BEN), counts(memory, None)) == others
        assert verified(memory)


def test_the_user_and_the_names_of_the_scopes_are_in_no_file_any_more(directory: Path) -> None:
    with semurg.open(directory) as memory:
        fill(memory, ANN)
        memory.remember(scope="only Ann has Penhallow Castle", user_id=ANN, content="It rained.")
        memory.forget(scope="only Ann has Penhallow Castle", user_id=ANN, all=True)
        memory.administer(
            "token_create", user_id=ANN, name="a phone of Hesketh-Arbuthnot", scopes=["notes of Tresco Abbey Gardens"]
        )
        memory.administer("token_create", user_id=ANN, name="revoked Hesketh-Arbuthnot")
        memory.administer("token_revoke", token="revoked Hesketh-Arbuthnot")
        fill(memory, BEN)
        assert still_there(directory, [ANN, "Hesketh-Arbuthnot"]) == [ANN, "Hesketh-Arbuthnot"]
        memory.delete_user(ANN)
        assert still_there(directory, [ANN, "Hesketh-Arbuthnot", "Penhallow Castle"]) == []
    assert still_there(directory, [ANN, "Hesketh-Arbuthnot", "Penhallow Castle"]) == []
    assert BEN.encode() in everything_on_disk(directory)


def test_a_second_deletion_says_so_also_after_a_restart_and_an_unknown_user_is_not_found(directory: Path) -> None:
    with semurg.open(directory) as memory:
        fill(memory, ANN)
        memory.delete_user(ANN)
        head = memory.node._log.head().position
        again = memory.delete_user(ANN)
        assert again["state"] == "already_deleted" and again["erased"] is True
        assert [again[name] for name in ("scopes", *COUNTS)] == [0, 0, 0, 0, 0]
        assert memory.node._log.head().position == head, "nothing is written"
    with semurg.open(directory) as memory:
        assert memory.delete_user(ANN)["state"] == "already_deleted"
        with pytest.raises(Refusal) as refused:
            memory.delete_user(BEN)
        assert refused.value.code == "not_found"


def test_a_deleted_user_who_writes_again_begins_afresh_and_can_be_deleted_again(directory: Path) -> None:
    with semurg.open(directory) as memory:
        fill(memory, ANN)
        memory.delete_user(ANN)
        memory.relate(scope="mail", user_id=ANN, frm="Zora", to="Xaver Polkinghorne", type="MET")
        assert counts(memory, ANN) == {"scopes": 1, "entities": 2, "facts": 1, "documents": 0, "passages": 0}
        assert memory.recall(scope="mail", user_id=ANN, subject="Yannick Featherstone")["state"] == "nothing_stored"
    with semurg.open(directory) as memory:
        assert memory.delete_user(ANN)["facts"] == 1
        assert still_there(directory, [ANN, "Xaver Polkinghorne"]) == []


def test_the_events_hold_no_text_and_one_serial_order(directory: Path) -> None:
    with semurg.open(directory) as memory:
        fill(memory, ANN)
        reply = memory.delete_user(ANN)
        log, loop = memory.node._log, memory._loop
        recorded = asyncio.run_coroutine_threadsafe(log.read(0, 1_000), loop).result()
        last = [one.event for one in recorded[-3:]]
        assert [type(event) for event in last] == [ScopeForgotten, ScopeForgotten, UserDeleted]
        assert str(recorded[-1].position) == reply["position"]
        assert ANN not in repr(last) and "Tresco Abbey Gardens" not in repr(last)


def test_writes_of_the_user_that_come_meanwhile_wait_and_are_the_only_ones_there_then(directory: Path) -> None:
    async def story() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        node = Node(directory)
        await node.start()
        try:

            def write(number: int, user: str) -> Any:
                fields = {"from": "Hub Orla", "to": f"Node {number}", "type": "LINKS"}
                return node.execute("relate", fields, scope="s", user=user)

            await asyncio.gather(*(write(number, ANN) for number in range(50)))
            # Each call comes to the queue before it first waits, so the queue has them in this order.
            reply, *_ = await asyncio.gather(
                node.execute("delete_user", {}, user=ANN),
                *(write(100 + number, ANN) for number in range(20)),
                *(write(200 + number, BEN) for number in range(5)),
            )
            seen = {"subject": "Hub Orla", "k": 1000}
            return reply, node.read("recall", seen, scope="s", user=ANN), node.read("recall", seen, scope="s", user=BEN)
        finally:
            await node.stop()

    reply, ann, ben = asyncio.run(story())
    assert (reply["facts"], reply["written_during_delete"]) == (50, 20)
    assert {item["object"] for item in ann["items"][1:]} == {f"Node {100 + number}" for number in range(20)}
    assert len(ben["items"]) == 6


def test_an_idempotency_key_answers_a_deletion_the_same_again_and_its_memo_names_nobody(directory: Path) -> None:
    async def story() -> list[dict[str, Any]]:
        node = Node(directory)
        await node.start()
        try:
            call = {"from": "Zora", "to": "Yannick Featherstone", "type": "MET"}
            key = Idempotency("k0", "b0")
            await node.execute("relate", call, scope="Tresco Abbey Gardens", user=ANN, idempotency=key)
            again = await node.execute("relate", call, scope="Tresco Abbey Gardens", user=ANN, idempotency=key)
            assert again["scope"] == "Tresco Abbey Gardens"
            return [
                await node.execute("delete_user", {}, user=ANN, idempotency=Idempotency("k1", "b1")) for _ in range(2)
            ]
        finally:
            await node.stop()

    first, second = asyncio.run(story())
    assert first == second and first["state"] == "deleted"
    assert still_there(directory, [ANN, "Tresco Abbey Gardens", "Yannick Featherstone"]) == []


def test_the_memo_of_a_forgotten_scope_does_not_keep_its_name(directory: Path) -> None:
    async def story() -> None:
        node = Node(directory)
        await node.start()
        try:
            await node.execute(
                "relate", {"from": "Zora", "to": "Yannick Featherstone", "type": "MET"}, scope="Tresco Abbey Gardens"
            )
            key = Idempotency("k", "b")
            first = await node.execute("forget", {"all": True}, scope="Tresco Abbey Gardens", idempotency=key)
            assert await node.execute("forget", {"all": True}, scope="Tresco Abbey Gardens", idempotency=key) == first
        finally:
            await node.stop()

    asyncio.run(story())
    assert still_there(directory, ["Tresco Abbey Gardens"]) == []


def token(user: str | None, access: str = "write", scopes: tuple[str, ...] | None = None) -> Caller:
    return Caller("token", "t", user, access, scopes, "digest")


@pytest.mark.parametrize(
    ("caller", "user", "code"),
    [
        (token(BEN), ANN, "user_mismatch"),
        (token(None, access="read"), ANN, "read_only_token"),
        (token(ANN, access="read"), ANN, "read_only_token"),
        (token(ANN, scopes=("mail",)), ANN, "scope_not_granted"),
        (token(ANN), None, "field_required"),
        (token(None), None, "field_required"),
        (token(None), "", "user_id_invalid"),
        (token(None), "a:b", "user_id_invalid"),
        (token(ANN), ANN, None),
        (token(None), ANN, None),
    ],
)
def test_who_may_delete_whom(directory: Path, caller: Caller, user: str | None, code: str | None) -> None:
    async def story() -> str | None:
        node = Node(directory)
        await node.start()
        try:
            await node.execute(
                "relate", {"from": "Zora", "to": "Yannick Featherstone", "type": "MET"}, scope="s", user=ANN
            )
            try:
                reply = await node.execute("delete_user", {}, caller, user=user)
            except Refusal as refusal:
                assert len(node.read("status", {}, user=ANN)["scopes"]) == 1, "nothing is gone"
                return refusal.code
            assert reply["state"] == "deleted"
            return None
        finally:
            await node.stop()

    assert asyncio.run(story()) == code


def test_tokens_pinned_to_the_user_end_and_others_stay_also_after_a_restart(directory: Path) -> None:
    with semurg.open(directory) as memory:
        fill(memory, ANN)
        secrets = {
            user: memory.administer("token_create", user_id=user, name=f"of {user}")["token"] for user in (ANN, BEN)
        }
        caller = memory.node.authenticate(secrets[ANN])
        assert caller is not None
        memory.delete_user(ANN)
        assert memory.node.authenticate(secrets[ANN]) is None
        assert memory.node.authenticate(secrets[BEN]) is not None
        assert json.dumps(memory.administer("token_list")).count("of ") == 1
    with semurg.open(directory) as memory:
        assert memory.node.authenticate(secrets[ANN]) is None
        assert memory.node.authenticate(secrets[BEN]) is not None
        assert verified(memory)


def test_a_deletion_whose_erasure_could_not_finish_does_not_say_erased_and_a_repeat_finishes_it(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: object) -> None:
        raise Refusal("busy", "Another program reads the log.", "Close it.", retry_after=5)

    with semurg.open(directory) as memory:
        fill(memory, ANN)
        with monkeypatch.context() as patched:
            patched.setattr(memory.node._log, "finish_erasure", busy)
            told = memory.delete_user(ANN)
        assert (told["state"], told["erased"]) == ("deleted", False)
        assert counts(memory, ANN)["scopes"] == 0, "it is gone for every reader"
        again = memory.delete_user(ANN)
        assert (again["state"], again["erased"]) == ("already_deleted", True)
        assert still_there(directory, [ANN]) == []


def test_an_erasure_that_could_not_finish_is_finished_in_a_quiet_moment(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("semurg.erasure.RETRY_S", 0.01)
    finished, tries = threading.Event(), iter(range(100))
    with semurg.open(directory) as memory:
        fill(memory, ANN)
        finish = memory.node._log.finish_erasure

        async def busy_at_first(stream: str, through: int) -> None:
            if next(tries) < 2:
                raise Refusal("busy", "Another program reads the log.", "Close it.", retry_after=5)
            await finish(stream, through)
            finished.set()

        monkeypatch.setattr(memory.node._log, "finish_erasure", busy_at_first)
        assert memory.delete_user(ANN)["erased"] is False
        assert finished.wait(30), "nobody had to ask again"
        assert still_there(directory, [ANN]) == []


def test_a_deletion_that_could_not_be_committed_changes_nothing(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise Refusal("disk_full", "The disk is full.", "Make room.", retry_after=1)

    with semurg.open(directory) as memory:
        fill(memory, ANN)
        before = counts(memory, ANN)
        with monkeypatch.context() as patched:
            patched.setattr(memory.node._log, "append", full)
            with pytest.raises(Refusal) as refused:
                memory.delete_user(ANN)
        assert refused.value.code == "disk_full"
        assert counts(memory, ANN) == before
        assert memory.recall(scope="mail", user_id=ANN, subject="Yannick Featherstone")["state"] == "answered"
