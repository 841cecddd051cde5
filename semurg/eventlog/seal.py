"""The seal: the log's head in a small file of its own, under the node's key, so that a log cut off at the end shows.

    head.seal   {"commit", "position", "digest", "begun", "closed", "mac"}

The seal may lag behind the log, never lead: only a head that is durable is sealed, at the start, some seconds after a
write, after a checkpoint and at the end, never on the way of a commit. `closed` says that no node writes: a log that
goes on behind a closed seal was written by something else. `begun` is the commit from which the log has been sealed
without a break: 0, unless the file was taken away.

Used by sqlite_log.py, which keeps the seal up, and by verification.py, which holds the log to it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from semurg.domain.errors import Refusal
from semurg.eventlog.chain import GENESIS
from semurg.eventlog.directory import DataDirectory, refused, write_whole
from semurg.eventlog.protocol import Head

logger = logging.getLogger("semurg.eventlog")

SEAL_EVERY_S = 2.0

Hash = Callable[..., str]


class Seal(NamedTuple):
    """A sealed head: the log held `digest` at `commit`, where it ended at `position`."""

    commit: int
    position: int
    digest: bytes
    begun: int
    closed: bool

    def mac(self, keyed: Hash) -> str:
        """What stands for all of it under the node's key, hex."""
        numbers = (str(one) for one in (self.commit, self.position, self.begun, int(self.closed)))
        return keyed("head seal", self.digest.hex(), *numbers)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    commit: int
    position: int
    digest: str
    begun: int
    closed: bool
    mac: str


def write_seal(path: Path, seal: Seal, keyed: Hash) -> None:
    """Put the seal in place whole and durable. Raises OSError."""
    file = _File(seal.commit, seal.position, seal.digest.hex(), seal.begun, seal.closed, seal.mac(keyed))
    write_whole(path, msgspec.json.encode(file) + b"\n")


def read_seal(path: Path, keyed: Hash) -> Seal | None:
    """The seal, None when there is none. Raises ValueError when it is torn or not of this node's key."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        file = msgspec.json.decode(raw, type=_File)
        seal = Seal(file.commit, file.position, bytes.fromhex(file.digest), file.begun, file.closed)
    except (msgspec.MsgspecError, ValueError) as error:
        raise ValueError(f"{path.name} is torn") from error
    if not hmac.compare_digest(seal.mac(keyed).encode(), file.mac.encode()):
        raise ValueError(f"{path.name} was not sealed with this node's key")
    return seal


def fault_of_seal(seal: Seal, head: Head, sealed_digest: bytes | None) -> str | None:
    """What does not hold between a seal and a log that ends at `head`; None when all does.

    `sealed_digest` is the log's digest at the commit that is sealed, None when it has no such commit.
    """
    if head.commit < seal.commit:
        gone = f"commits {head.commit + 1} to {seal.commit} are" if head.commit + 1 < seal.commit else "that one is"
        return f"the log ends at commit {head.commit} and was sealed at commit {seal.commit}: {gone} gone"
    if sealed_digest != seal.digest:
        return f"commit {seal.commit} is not the one that was sealed"
    if seal.closed and head.commit > seal.commit:
        return f"the log was closed at commit {seal.commit}, and goes on to commit {head.commit}"
    return None


DigestAt = Callable[[int], Awaitable[bytes | None]]


class Sealing:
    """Keeps the seal of a log up, in threads beside the loop. All but `wrote` is awaited.

    A seal that does not hold when the log is opened is left as it is, for good: what it tells must not be lost.
    """

    def __init__(self, directory: DataDirectory, every_s: float = SEAL_EVERY_S) -> None:
        self._directory = directory
        self._every_s = every_s
        self._head: Callable[[], Head] = lambda: Head(0, 0, GENESIS, 0)
        self._sealed: Seal | None = None
        self._broken: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._alone = asyncio.Lock()

    @property
    def broken(self) -> str | None:
        """What did not hold between the seal and the log when it was opened; None when all did."""
        return self._broken

    async def before_the_first(self) -> None:
        """Seal a log that is about to be made, so that a log without a seal is one whose seal was taken away."""
        if not self._directory.seal_path.exists():
            await self._write(Seal(0, 0, GENESIS, 0, False))

    async def begin(self, head: Callable[[], Head], digest_at: DigestAt) -> None:
        """Hold the log to its seal, and open the seal; nothing may be appended before. Raises Refusal."""
        self._head = head
        for left in self._directory.path.glob(f".{self._directory.seal_path.name}.*"):
            # A node that was killed while it sealed left its unfinished file.
            left.unlink(missing_ok=True)
        self._broken = await self._fault(digest_at)
        if self._broken is not None:
            logger.error("the log is not the one that was sealed: %s; run `semurg verify`", self._broken)
            return
        await self._seal(closed=False)

    async def _fault(self, digest_at: DigestAt) -> str | None:
        try:
            seal = read_seal(self._directory.seal_path, self._directory.keyed_hash)
        except ValueError as error:
            return str(error)
        head = self._head()
        if seal is None:
            logger.warning("the log has no seal; it is sealed from commit %d on", head.commit)
            self._sealed = Seal(head.commit, head.position, head.digest, head.commit, False)
            return None
        self._sealed = seal
        return fault_of_seal(seal, head, await digest_at(seal.commit))

    def wrote(self) -> None:
        """The head has moved: seal it in a while."""
        if self._timer is None and self._sealed is not None:
            self._timer = asyncio.get_running_loop().call_later(self._every_s, self._start)

    def _start(self) -> None:
        self._timer = None
        self._task = asyncio.get_running_loop().create_task(self.seal(), name="semurg-seal")

    async def seal(self) -> None:
        """Seal the head as it is now. What the disk refuses is tried again later: the seal may lag."""
        try:
            await self._seal(closed=False)
        except Refusal as refusal:
            logger.warning("the log's head could not be sealed: %s", refusal)
            self.wrote()

    async def end(self) -> None:
        """Close the seal; nothing is appended any more. Harmless when it was not begun."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._task is not None:
            await self._task
        try:
            await self._seal(closed=True)
        except Refusal as refusal:
            logger.warning("the log's head could not be sealed: %s", refusal)
        self._sealed = None

    async def _seal(self, closed: bool) -> None:
        async with self._alone:
            if self._sealed is None or self._broken is not None:
                return
            head = self._head()
            seal = Seal(head.commit, head.position, head.digest, self._sealed.begun, closed)
            if seal != self._sealed or not self._directory.seal_path.exists():
                await self._write(seal)
                self._sealed = seal

    async def _write(self, seal: Seal) -> None:
        try:
            await asyncio.to_thread(write_seal, self._directory.seal_path, seal, self._directory.keyed_hash)
        except OSError as error:
            raise refused(self._directory.path, error) from error
