"""What every log must do when it is read commit by commit; part of the contract in contract.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from semurg.eventlog.payloads import erased
from semurg.eventlog.protocol import Commit, ExpectedVersion, Log, StoredCommit

from .builders import commit, forget, named


def refused(at: int, stream: str = "s") -> Commit:
    """A refusal on record: a commit without events."""
    return Commit(stream, ExpectedVersion.any(), f"command-{at}", "relate", "somebody", "refused:name_empty", at)


def every(_: StoredCommit) -> bool:
    return True


class CommitsContract:
    """The behaviour of protocol.Log.commits and last_commit_before."""

    def run(self, path: Path, use: Callable[[Log], Awaitable[None]]) -> None:
        raise AssertionError("given by the contract")

    def test_commits_read_back_in_order_with_their_events_and_without(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            first, last = commit(5, named("Dana"), named("Evi"), stream="a"), commit(9, named("Flo"), stream="b")
            await log.append([first, refused(7, "b"), last])
            commits, through = await log.commits(0, 10, every)
            assert through == 3
            assert [(each.number, each.position, each.outcome, each.kinds) for each in commits] == [
                (1, 2, "done", ["entities_recorded"] * 2),
                (2, 2, "refused:name_empty", []),
                (3, 3, "done", ["entities_recorded"]),
            ]
            assert [each.event for each in commits[0].events] == [named("Dana"), named("Evi")]
            assert [each.position for each in commits[2].events] == [3]
            assert (commits[1].verb, commits[1].actor, commits[1].stream) == ("relate", "somebody", "b")
            assert [each.recorded_at for each in commits] == [5, 7, 9]

        self.run(tmp_path, use)

    def test_only_wanted_commits_come_and_a_page_says_how_far_it_looked(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(at, named(str(at)), stream="ab"[at % 2]) for at in range(1, 7)])

            def of_a(each: StoredCommit) -> bool:
                return each.stream == "a"

            commits, through = await log.commits(0, 2, of_a)
            assert ([each.number for each in commits], through) == ([2, 4], 4)
            commits, through = await log.commits(through, 2, of_a)
            assert ([each.number for each in commits], through) == ([6], 6)
            assert await log.commits(through, 2, of_a) == ([], 6)
            assert await log.commits(0, 2, lambda _: False) == ([], 6)

        self.run(tmp_path, use)

    def test_an_erased_event_keeps_its_kind(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([commit(1, named("Dana"))])
            await log.append([forget(2, {1: erased()})])
            commits, _ = await log.commits(0, 10, every)
            assert [each.kinds for each in commits] == [["entities_recorded"], ["entity_forgotten"]]
            assert "Dana" not in str(commits)

        self.run(tmp_path, use)

    def test_the_last_commit_before_an_instant_is_found(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            assert await log.last_commit_before(10) == 0
            await log.append([commit(10, named("Dana")), refused(20), commit(30, named("Evi"))])
            expected = {9: 0, 10: 0, 11: 1, 20: 1, 21: 2, 30: 2, 31: 3, 99: 3}
            assert {at: await log.last_commit_before(at) for at in expected} == expected

        self.run(tmp_path, use)

    def test_a_log_with_refusals_verifies_and_goes_on_where_it_was(self, tmp_path: Path) -> None:
        async def use(log: Log) -> None:
            await log.append([refused(1), commit(2, named("Dana")), refused(3)])
            assert (log.head().position, log.head().recorded_at, log.head().commit) == (1, 3, 3)
            assert (await log.verify()).first_break is None
            assert len(await log.read(0, 10)) == 1

        self.run(tmp_path, use)
