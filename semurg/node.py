"""The composition root: the only place where the log, the projections, the writer and the queries meet.

HTTP, the embedded memory and the tests all use a Node and nothing below it. One Node owns one data directory.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from semurg.access import OWNER, Caller, place_of_write, require_owner
from semurg.administration import Administration, Identities
from semurg.commands.prepare import prepare_forget, prepare_relate, prepare_remember
from semurg.commands.tokens import digest_of
from semurg.domain.actors import NODE
from semurg.domain.commands import DeleteUser, Forget, Remember
from semurg.domain.errors import Refusal
from semurg.domain.events import Event, NodeFounded, TokenIssued, TokenRevoked
from semurg.embedding import Embedding
from semurg.eventlog.directory import DataDirectory
from semurg.eventlog.protocol import Head, Log
from semurg.eventlog.seal import Sealing
from semurg.eventlog.sqlite_log import SqliteLog
from semurg.idempotency import Idempotency, IdempotentCalls
from semurg.orders import LARGE_CHARS
from semurg.projections.bags import load_word_lists
from semurg.projections.kernels.jit import warm_up
from semurg.projections.projector import Projector
from semurg.projections.replay import no_collection, replay
from semurg.reading import Reading, warm_questions
from semurg.writer import NODE_STREAM, Clock, Order, Writer

TOKEN_VARIABLE = "SEMURG_API_TOKEN"

Fields = Mapping[str, Any]
PREPARE: dict[str, Callable[[Fields], Remember | Forget | DeleteUser]] = {
    "remember": prepare_remember,
    "relate": prepare_relate,
    "forget": prepare_forget,
    "delete_user": lambda _: DeleteUser(),
}


def system_clock() -> int:
    """The wall clock in µs since 1970 UTC."""
    return time.time_ns() // 1_000


def installed_version() -> str:
    """The version of semurg that runs."""
    try:
        return version("semurg")
    except PackageNotFoundError:
        return "0+source"


class Node:
    """One running semurg over one data directory."""

    def __init__(
        self,
        path: Path,
        clock: Clock = system_clock,
        *,
        owner_token: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory = DataDirectory(path)
        self._clock = clock
        self._override = digest_of(owner_token) if owner_token else None
        self._sealing = Sealing(self._directory)
        self._log: Log = SqliteLog(self._directory.log_path, sealing=self._sealing)
        self._projector = Projector(self._directory.keyed_hash)
        self._embedding = Embedding(path, self._projector, os.environ if environment is None else environment)
        self._writer = Writer(
            self._log, self._projector, clock, self._directory.keyed_hash, msgspec.json.encode, self._embedding
        )
        self._identities = Identities(self._directory.keyed_hash)
        self._administration = Administration(
            self._log, self._projector.catalogue, self._writer, self._identities, clock
        )
        self._reading = Reading(self._projector, clock, self._embedding)
        self._once = IdempotentCalls(self._log, clock)
        self._run, self._commands = os.urandom(8).hex(), count()
        self._state = "stopped"
        self._replayed = 0
        self.new_token: str | None = None

    # Life

    async def start(self) -> None:
        """Claim the directory, open the log, rebuild the projections, begin to write. Raises Refusal by name."""
        self._directory.claim()
        self._reading.cursor_key = self._directory.cursor_key
        self._state = "warming"
        try:
            await self._log.open()
            await asyncio.to_thread(warm_up)
            await asyncio.to_thread(load_word_lists)
            await self._replay()
            head = self._log.head()
            pending = await self._log.pending_erasures()
            await self._embedding.start([one.stream for one in pending])
            for one in pending:
                await self._log.finish_erasure(one.stream, one.through)
            self._writer.start(head.position, head.recorded_at)
            await self._found()
        except BaseException:
            await self._embedding.stop()
            await self._log.close()
            self._directory.release()
            self._state = "stopped"
            raise
        self._warming = asyncio.create_task(warm_questions())
        self._state = "ready"

    async def stop(self, abandon: bool = False) -> None:
        """Finish what is in flight, close the log, let go of the directory. Stopping twice is harmless.

        With `abandon`, writes that are not in the log yet are given up, unanswered.
        """
        if self._state == "stopped":
            return
        self._state = "stopping"
        self._warming.cancel()
        await self._writer.stop(abandon)
        await self._embedding.stop()
        await self._log.close()
        self._directory.release()
        self._state = "stopped"

    async def _replay(self) -> None:
        """Apply the whole log, off the loop, so that health answers meanwhile."""
        await replay(self._log, self._projector, partial(setattr, self, "_replayed"))

    async def _found(self) -> None:
        """First start: the node's identity and owner token. A lost semurg.env gets a new token, the old one ends."""
        events: list[Event] = []
        if self._projector.catalogue.node is None:
            events.append(NodeFounded(uuid.uuid4().hex))
        owners = [token for token in self._projector.catalogue.tokens() if token.owner]
        kept = self._directory.read_environment().get(TOKEN_VARIABLE)
        if kept is None or digest_of(kept) not in {token.digest for token in owners}:
            self.new_token = secrets.token_urlsafe(32)
            events.extend(TokenRevoked(token.digest) for token in owners)
            events.append(TokenIssued(digest=digest_of(self.new_token), name="owner", owner=True))
            self._directory.write_environment({TOKEN_VARIABLE: self.new_token})
        if events:
            await self._writer.submit(Order("found", tuple(events), NODE_STREAM, "", "", NODE, uuid.uuid4().hex))

    # Who asks

    def authenticate(self, secret: str) -> Caller | None:
        """Whose secret this is; None when nobody's. Look-up is by SHA-256, so timing tells nothing of the secret."""
        digest = digest_of(secret)
        if self._override is not None and digest == self._override:
            return OWNER
        token = self._projector.catalogue.token(digest)
        if token is None or (token.owner and self._override is not None):
            return None
        if token.expires_at is not None and self._clock() >= token.expires_at:
            return None
        return Caller.of(token)

    # Verbs

    async def execute(
        self,
        verb: str,
        fields: Fields,
        caller: Caller = OWNER,
        scope: str | None = None,
        user: str | None = None,
        idempotency: Idempotency | None = None,
    ) -> dict[str, Any]:
        """Carry out a write verb (remember, relate, forget, delete_user) and answer when it is durable.

        Raises Refusal, which is on record then, as one of `record_refusal` is.
        """
        try:
            return await self._execute(verb, fields, caller, scope, user, idempotency)
        except Refusal as refusal:
            self.record_refusal(verb, refusal, caller, scope, user)
            raise

    def record_refusal(
        self, verb: str, refusal: Refusal, caller: Caller = OWNER, scope: str | None = None, user: str | None = None
    ) -> None:
        """Put on record that a door refused an authenticated caller's write before it came to `execute`."""
        if self._state == "ready":
            self._administration.record_refusal(verb, refusal, caller, scope, user)

    async def administer(self, verb: str, fields: Fields, caller: Caller = OWNER) -> dict[str, Any]:
        """Carry out an owner's verb (token_create, token_list, token_revoke, audit). Raises Refusal."""
        self._require_ready()
        if verb == "model_calibrate":
            require_owner(caller)
            return await self._embedding.calibrate()
        return await self._administration.answer(verb, fields, caller)

    async def _execute(
        self,
        verb: str,
        fields: Fields,
        caller: Caller,
        scope: str | None,
        user: str | None,
        idempotency: Idempotency | None,
    ) -> dict[str, Any]:
        self._require_ready()
        user, scope = place_of_write(verb, caller, scope, user)
        if idempotency is None:
            return await self._write(verb, fields, caller, scope, user, None)
        key = self._directory.keyed_hash("memo", caller.token_digest or "owner", user, idempotency.key)
        body = self._directory.keyed_hash("memo body", verb, scope, idempotency.body)
        write = partial(self._write, verb, fields, caller, scope, user, (key, body))
        reply = await self._once.answer(key, body, write)
        return {**reply, "scope": scope} if "scope" in reply else reply

    async def _write(
        self,
        verb: str,
        fields: Fields,
        caller: Caller,
        scope: str,
        user: str,
        memo: tuple[str, str] | None,
    ) -> dict[str, Any]:
        prepare, large = partial(PREPARE[verb], fields), _is_large(fields)
        # Collections of cycles, of which a call makes none, would hold up the loop for up to a third of a second.
        with no_collection() if large else nullcontext():
            command = await asyncio.to_thread(prepare) if large else prepare()
            if isinstance(command, Remember) and self._embedding.expected:
                command = msgspec.structs.replace(command, embeds=True)
            order = Order(
                verb=verb,
                command=command,
                stream=self._identities.stream(user, scope) if scope else NODE_STREAM,
                user=user,
                scope=scope,
                actor=self._identities.actor(caller, user),
                command_id=f"{self._run}{next(self._commands):016x}",
                expected_position=fields.get("expected_position"),
                memo_key=memo[0] if memo else None,
                memo_body=memo[1] if memo else None,
                large=large,
            )
            return await self._writer.submit(order)

    def read(
        self, verb: str, fields: Fields, caller: Caller = OWNER, scope: str | None = None, user: str | None = None
    ) -> dict[str, Any]:
        """Answer a read verb (recall, status; context without a model) from the projections. Raises Refusal."""
        self._require_ready()
        return self._reading.answer(verb, fields, caller, scope, user)

    async def context(
        self, fields: Fields, caller: Caller = OWNER, scope: str | None = None, user: str | None = None
    ) -> dict[str, Any]:
        """Answer memory_context; the model that makes the question's vector works in a thread. Raises Refusal."""
        self._require_ready()
        return await self._reading.context(fields, caller, scope, user)

    def _require_ready(self) -> None:
        if self._state != "ready":
            raise Refusal(
                "warming",
                f"The node is {self._state}: it has read the log up to position {self._replayed}.",
                "Send the call again in a second.",
                retry_after=1,
            )

    # What the node says of itself

    @property
    def state(self) -> str:
        """warming, ready, read_only, stopping or stopped."""
        if self._state == "ready" and self._writer.failure is not None:
            return "read_only"
        return self._state

    @property
    def version(self) -> str:
        """The version of semurg that runs."""
        return installed_version()

    @property
    def path(self) -> Path:
        """The data directory."""
        return self._directory.path

    def announce(self, address: str) -> None:
        """Leave word in the data directory of where this node is to be reached."""
        self._directory.announce(address)

    def identity(self) -> dict[str, Any]:
        """The reply of GET /v1/status."""
        return described(
            {"node": self._projector.catalogue.node, "version": self.version, "state": self.state},
            self._directory,
            self._log.head(),
            self._sealing.broken,
            self._projector,
            self._embedding.described(),
            self._writer,
        )


def described(
    named: dict[str, Any],
    directory: DataDirectory,
    head: Head,
    seal_broken: str | None,
    projector: Projector,
    models: list[dict[str, object]],
    writer: Writer,
) -> dict[str, Any]:
    """What GET /v1/status says of a node."""
    disk = shutil.disk_usage(directory.path)
    failure = writer.failure
    return {
        **named,
        "log": {
            "position": str(head.position),
            "commit": head.commit,
            "digest": head.digest.hex(),
            "seal": seal_broken or "holds",
            "bytes": _size(directory.log_path),
        },
        "projections": {
            "position": str(projector.position),
            "scopes": len(projector.catalogue),
            "bytes": projector.memory_bytes(),
        },
        "models": models,
        "disk": {"free_bytes": disk.free, "total_bytes": disk.total},
        "writable": failure is None,
        "waiting": writer.waiting,
        **({"write_failure": failure.body()} if failure is not None else {}),
    }


def _is_large(fields: Fields) -> bool:
    """Whether preparing or deciding the call would hold up the loop: long text, or long lists."""
    weighed = 0
    for weight in _weights(fields):
        weighed += weight
        if weighed > LARGE_CHARS:
            return True
    return False


def _weights(fields: Fields) -> Iterator[int]:
    """What the parts of a call weigh, in code points of text that are about as much work."""
    yield len(fields.get("content") or "") + 100 * len(fields.get("attributes") or ())
    for message in fields.get("messages") or ():
        yield 200 + len(message["content"])
    for passage in fields.get("passages") or ():
        yield 200 + len(passage["text"]) + 100 * len(passage.get("mentions") or ())
    facts = fields.get("facts") or {}
    for entity in facts.get("entities") or ():
        yield 40 + 20 * len(entity.get("types") or ()) + 100 * len(entity.get("attributes") or ())
    for relation in facts.get("relations") or ():
        yield 40 + 100 * len(relation.get("attributes") or ())


def _size(path: Path) -> int:
    return sum(os.path.getsize(one) for one in (path, Path(f"{path}-wal")) if one.exists())
