"""What every log must do, whatever it is kept in. A further implementation subclasses LogContract and gives `log()`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from semurg.domain.events import EntitiesRecorded, FactsRecorded, Redaction, ScopeOpened
from semurg.eventlog.codec import Erased
from semurg.eventlog.payloads import erased, rewritten
from semurg.eventlog.protocol import MEMO_LIFE_US, AppendConflict, ExpectedVersion, Log, PendingErasure, ReplyMemo

from .builders import commit, forget, named
from .commits_contract import CommitsContract

Open = Callable[[Path], AbstractAsyncContextManager[Log]]


def memo(key: str = "k", stream: str = "s", at: int = 1, reply: bytes = b"{}") -> ReplyMemo:
    return ReplyMemo(key, "body", reply, stream, at)


class LogContract(CommitsContract):
    """The behaviour of protocol.Log."""

    def log(self, path: Path) -> AbstractAsyncContextManager[Log]:
        """A log kept in `path`, open while the context is; what an earlier one kept there is in it."""
        raise AssertionError("given by the implementation's tests")

    def run(self, path: Path, use: Callable[[Log], Awaitable[None]]) -> None:
        async def opened() -> None:
            async with self.log(path) as log:
                await use(log)

        asyncio.run(opened())

    # Appending and reading

    def test_a_new_log_is_empty_and_its_head_is_at_zero(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            assert log.head() == (0, 0, bytes(32), 0)
            assert await log.read(0, 10) == []

        self.run(tmp_path, use)

    def test_events_read_back_with_position_version_time_and_verb(self, tmp_path: Path) -> None:
        opened = ScopeOpened("", "team", 1)

        async def use(log: Log) -> None:
            await log.append([commit(5, opened, named("Dana"), stream="a"), commit(7, named("Evi"), stream="b")])
            assert await log.read(0, 10) == [
                (1, "a", 1, 5, "remember", opened),
                (2, "a", 2, 5, "remember", named("Dana")),
                (3, "b", 1, 7, "remember", named("Evi")),
            ]
            assert log.head()[:2] == (3, 7)
            assert log.head().commit == 2

        self.run(tmp_path, use)

    def test_reading_goes_on_after_a_position_and_stops_at_the_limit(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(at, named(str(at))) for at in range(1, 8)])
            assert [each.position for each in await log.read(2, 3)] == [3, 4, 5]
            assert [each.position for each in await log.read(5, 3)] == [6, 7]
            assert await log.read(7, 3) == []

        self.run(tmp_path, use)

    def test_a_stream_reads_back_alone_and_in_order(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(at, named(str(at)), stream="ab"[at % 2]) for at in range(1, 8)])
            assert [each.position for each in await log.read_stream("b", 0, 10)] == [1, 3, 5, 7]
            assert [each.version for each in await log.read_stream("b", 1, 2)] == [2, 3]
            assert await log.read_stream("c", 0, 10) == []

        self.run(tmp_path, use)

    def test_single_positions_read_back_ascending_and_once_without_those_that_do_not_exist(
        self, tmp_path: Path
    ) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(at, named(str(at))) for at in range(1, 5)])
            assert [each.position for each in await log.read_at([4, 9, 2, 4])] == [2, 4]
            assert list(await log.payloads([3, 9])) == [3]

        self.run(tmp_path, use)

    def test_reading_single_positions_stops_after_the_one_that_passes_the_bound(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(at, named("x" * 1_000)) for at in range(1, 6)])
            assert [each.position for each in await log.read_at([1, 3, 4, 5], 1_500)] == [1, 3]
            assert [each.position for each in await log.read_at([4, 5], 1)] == [4]

        self.run(tmp_path, use)

    def test_what_can_be_erased_is_neither_a_forget_nor_erased_already(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(at, named(str(at))) for at in range(1, 5)])
            await log.append([forget(5, {2: erased(), 3: rewritten(named("left"))})])
            assert await log.erasable([5, 4, 9, 3, 2, 1]) == [1, 3, 4]

        self.run(tmp_path, use)

    def test_what_was_appended_is_there_after_opening_again_and_counting_goes_on(self, tmp_path: Path) -> None:
        heads = []

        async def first(log: Log) -> None:
            await log.append([commit(1, named("Dana"))])
            heads.append(log.head())

        async def second(log: Log) -> None:
            assert log.head() == heads[0]
            await log.append([commit(2, named("Evi"), expected=ExpectedVersion.after(1))])
            assert [each.position for each in await log.read(0, 10)] == [1, 2]
            assert (await log.verify()).first_break is None

        self.run(tmp_path, first)
        self.run(tmp_path, second)

    def test_a_commit_without_events_counts_as_a_commit_and_moves_no_position(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana")), commit(2), commit(3, named("Evi"))])
            assert [each.recorded_at for each in await log.read(0, 10)] == [1, 3]
            assert (log.head().position, log.head().commit) == (2, 3)
            assert (await log.verify()).first_break is None

        self.run(tmp_path, use)

    def test_an_empty_batch_changes_nothing(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            before = log.head()
            await log.append([])
            assert log.head() == before

        self.run(tmp_path, use)

    # Conflicts

    @pytest.mark.parametrize(
        ("expected", "fits"),
        [
            (ExpectedVersion.new_stream(), False),
            (ExpectedVersion.after(1), False),
            (ExpectedVersion.after(2), True),
            (ExpectedVersion.after(3), False),
            (ExpectedVersion.any(), True),
        ],
    )
    def test_a_commit_fits_only_where_its_stream_is(
        self, tmp_path: Path, expected: ExpectedVersion, fits: bool
    ) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("a"), named("b"))])
            if fits:
                await log.append([commit(2, named("c"), expected=expected)])
            else:
                with pytest.raises(AppendConflict):
                    await log.append([commit(2, named("c"), expected=expected)])
            assert len(await log.read(0, 10)) == (3 if fits else 2)

        self.run(tmp_path, use)

    def test_commits_of_one_batch_follow_each_other_in_a_stream(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            first = commit(1, named("a"), expected=ExpectedVersion.new_stream())
            second = commit(2, named("b"), named("c"), expected=ExpectedVersion.after(1))
            third = commit(3, named("d"), expected=ExpectedVersion.after(3))
            await log.append([first, second, third])
            assert [each.version for each in await log.read(0, 10)] == [1, 2, 3, 4]

        self.run(tmp_path, use)

    @pytest.mark.parametrize("times", [(5,), (4,), (6, 6), (7, 6)])
    def test_time_that_does_not_increase_is_refused_and_the_whole_batch_with_it(
        self, tmp_path: Path, times: tuple[int, ...]
    ) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(5, named("a"))])
            before = log.head()
            with pytest.raises(AppendConflict):
                await log.append([commit(at, named("b"), stream=f"of {at}") for at in times])
            assert log.head() == before
            assert len(await log.read(0, 10)) == 1
            await log.append([commit(6, named("c"))])
            assert (await log.verify()).first_break is None

        self.run(tmp_path, use)

    # Redaction

    def test_a_rewritten_event_reads_back_without_what_was_taken_out_and_the_chain_verifies(
        self, tmp_path: Path
    ) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana"), named("Evi", 2))])
            left = rewritten(EntitiesRecorded())
            await log.append([forget(2, {1: left})])
            assert [each.event for each in await log.read(0, 2)] == [EntitiesRecorded(), named("Evi", 2)]
            verification = await log.verify()
            assert verification.first_break is None
            assert verification.redactions == [(1, left.digest, 3)]

        self.run(tmp_path, use)

    def test_an_erased_event_says_only_what_kind_it_was(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana"))])
            await log.append([forget(2, {1: erased()})])
            assert (await log.read(0, 1))[0] == (1, "s", 1, 1, "remember", Erased("entities_recorded"))
            assert (await log.verify()).first_break is None

        self.run(tmp_path, use)

    def test_an_event_of_an_earlier_commit_of_the_same_batch_may_be_redacted(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana")), forget(2, {1: erased()})])
            assert (await log.verify()).first_break is None

        self.run(tmp_path, use)

    def test_a_position_may_be_redacted_twice_and_answers_to_the_later_forget(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, EntitiesRecorded([1, 2], ["Dana", "Evi"], [-1, -1]))])
            await log.append([forget(2, {1: rewritten(named("Evi", 2))})])
            await log.append([forget(3, {1: rewritten(EntitiesRecorded())})])
            verification = await log.verify()
            assert verification.first_break is None
            assert [each.ordered_by for each in verification.redactions] == [3]

        self.run(tmp_path, use)

    def test_redactions_that_the_event_does_not_list_or_that_point_nowhere_are_refused(self, tmp_path: Path) -> None:
        left = erased()
        listed = forget(2, {1: left}).events
        other_kind = rewritten(FactsRecorded())
        forward = forget(2, {2: left})
        wrong = [
            commit(2, *listed),
            commit(2, *listed, redactions={1: erased()}),
            commit(2, named("x"), redactions={1: left}),
            forget(2, {1: other_kind}),
            forward,
        ]

        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana"))])
            for each in wrong:
                with pytest.raises(AppendConflict):
                    await log.append([each])
            assert (await log.read(0, 5))[0].event == named("Dana")
            assert len(await log.read(0, 5)) == 1

        self.run(tmp_path, use)

    def test_a_forget_event_is_not_redacted_because_the_chain_needs_what_it_lists(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana")), forget(2, {1: erased()})])
            with pytest.raises(AppendConflict):
                await log.append([forget(3, {2: erased()})])
            assert (await log.verify()).first_break is None

        self.run(tmp_path, use)

    def test_an_erasure_is_pending_until_it_is_finished_and_over_a_restart(self, tmp_path: Path) -> None:
        async def first(log: Log) -> None:
            await log.append([commit(1, named("Dana"), stream="a"), commit(2, named("Evi"), stream="b")])
            await log.append([forget(3, {1: erased()}, stream="a")])
            await log.append([forget(4, {2: erased()}, stream="b")])

        async def second(log: Log) -> None:
            assert await log.pending_erasures() == [PendingErasure("a", 3), PendingErasure("b", 4)]
            await log.finish_erasure("a", 3)
            assert await log.pending_erasures() == [PendingErasure("b", 4)]
            await log.finish_erasure("b", 3)
            assert await log.pending_erasures() == [PendingErasure("b", 4)]
            await log.finish_erasure("b", 4)
            assert await log.pending_erasures() == []

        self.run(tmp_path, first)
        self.run(tmp_path, second)

    def test_the_digest_of_a_redaction_follows_from_payload_and_salt_alone(self) -> None:
        salt = bytes(range(16))
        assert rewritten(named("Dana"), salt) == rewritten(named("Dana"), salt)
        assert rewritten(named("Dana"), salt).digest != rewritten(named("Dana"), bytes(16)).digest
        assert rewritten(named("Dana")).digest != rewritten(named("Dana")).digest
        assert Redaction(1, rewritten(named("Dana"), salt).digest).digest == rewritten(named("Dana"), salt).digest

    # Memos

    def test_a_reply_is_remembered_with_its_commit_for_a_day(self, tmp_path: Path) -> None:
        kept = memo(at=10, reply=b'{"ok": true}')

        async def use(log: Log) -> None:
            await log.append([commit(10, named("Dana"), memo=kept)])
            assert await log.memo("k", 10) == kept
            assert await log.memo("k", 10 + MEMO_LIFE_US - 1) == kept
            assert await log.memo("k", 10 + MEMO_LIFE_US) is None
            assert await log.memo("other", 10) is None

        self.run(tmp_path, use)

    def test_a_refused_batch_leaves_no_memo(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            with pytest.raises(AppendConflict):
                await log.append([commit(2, named("a"), memo=memo(at=2)), commit(1, named("b"))])
            assert await log.memo("k", 2) is None

        self.run(tmp_path, use)

    def test_a_key_used_again_after_a_day_answers_the_newer_reply(self, tmp_path: Path) -> None:
        later = 10 + MEMO_LIFE_US

        async def use(log: Log) -> None:
            await log.append([commit(10, named("a"), memo=memo(at=10, reply=b"old"))])
            newer = memo(at=later, reply=b"new")
            await log.append([commit(later, named("b"), memo=newer)])
            assert await log.memo("k", later) == newer

        self.run(tmp_path, use)

    def test_replies_of_the_day_before_outlive_the_turn_of_the_day(self, tmp_path: Path) -> None:
        days = [MEMO_LIFE_US * day + MEMO_LIFE_US // 2 for day in range(1, 5)]

        async def use(log: Log) -> None:
            for at in days:
                await log.append([commit(at, named("a"), memo=memo(key=str(at), at=at))])
            assert await log.memo(str(days[2]), days[3] - 1) is not None
            assert await log.memo(str(days[3]), days[3]) is not None
            assert await log.memo(str(days[0]), days[3]) is None

        self.run(tmp_path, use)

    def test_forgetting_the_memos_of_a_stream_leaves_the_others_and_its_own(self, tmp_path: Path) -> None:
        own = memo("own", "a", 3)

        async def use(log: Log) -> None:
            await log.append([commit(1, stream="a", memo=memo("first", "a", 1))])
            await log.append([commit(2, stream="b", memo=memo("second", "b", 2))])
            await log.append([commit(3, stream="a", memo=own, forget_memos=True)])
            assert await log.memo("first", 3) is None
            assert await log.memo("second", 3) == memo("second", "b", 2)
            assert await log.memo("own", 3) == own

        self.run(tmp_path, use)

    # Many at once

    def test_readers_see_whole_batches_while_a_writer_appends(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            async def lengths() -> AsyncIterator[int]:
                while log.head().position < 100:
                    yield len(await log.read(0, 1_000))

            async def write() -> None:
                for at in range(1, 21):
                    await log.append([commit(at, *[named(str(each)) for each in range(5)])])

            writing = asyncio.ensure_future(write())
            assert all([length % 5 == 0 async for length in lengths()])
            await writing

        self.run(tmp_path, use)

    def test_a_batch_whose_caller_is_cancelled_is_written_all_the_same(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            appending = asyncio.ensure_future(log.append([commit(1, named("Dana"))]))
            await asyncio.sleep(0)
            appending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await appending
            await log.append([commit(2, named("Evi"))])
            assert len(await log.read(0, 10)) == 2
            assert (await log.verify()).first_break is None

        self.run(tmp_path, use)

    def test_closing_twice_is_harmless(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.close()
            await log.close()

        self.run(tmp_path, use)
