"""`semurg.open(path)`: the same memory inside a Python process, with no server. Verbs block until they are durable.

The node runs on an event loop in a thread of its own; refusals arrive as the exceptions that HTTP would have served.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from semurg.api.models import validated
from semurg.domain.errors import Refusal
from semurg.node import Node, system_clock
from semurg.writer import Clock

Result = TypeVar("Result")


class Memory:
    """One memory, opened in this process. Use it as a context manager, or call close()."""

    def __init__(self, path: str | Path, clock: Clock = system_clock) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="semurg", daemon=True)
        self._thread.start()
        self.node = Node(Path(path), clock)
        try:
            self._run(self.node.start())
        except BaseException:
            self._end_loop()
            raise

    def remember(self, **fields: Any) -> dict[str, Any]:
        """Store text and facts: the fields of memory_remember. Raises Refusal."""
        return self._execute("remember", fields)

    def relate(self, **fields: Any) -> dict[str, Any]:
        """Assert one fact: the fields of memory_relate, `frm` standing for `from`. Raises Refusal."""
        return self._execute("relate", fields)

    def forget(self, **fields: Any) -> dict[str, Any]:
        """Forget one thing: the fields of memory_forget. Raises Refusal."""
        return self._execute("forget", fields)

    def delete_user(self, user_id: str) -> dict[str, Any]:
        """Delete an end user with every scope: memory_delete_user. Raises Refusal."""
        return self._execute("delete_user", {"user_id": user_id})

    def recall(self, **fields: Any) -> dict[str, Any]:
        """What is known of an entity: the fields of memory_recall. Raises Refusal."""
        return self._read("recall", fields)

    def context(self, **fields: Any) -> dict[str, Any]:
        """What bears on a question: the fields of memory_context. Raises Refusal."""
        body = validated("context", _canonical(fields))
        scope, user = body.pop("scope", None), body.pop("user_id", None)
        return self._run(self.node.context(body, scope=scope, user=user))

    def memory_status(self, **fields: Any) -> dict[str, Any]:
        """What the memory holds: the fields of memory_status. Raises Refusal."""
        return self._read("status", fields)

    def administer(self, verb: str, **fields: Any) -> dict[str, Any]:
        """The owner's own verbs, token_create, token_list, token_revoke and audit, by their fields. Raises Refusal."""
        return self._run(self.node.administer(verb, validated(verb, _canonical(fields))))

    def close(self) -> None:
        """Finish what is in flight and let go of the directory. Closing twice is harmless."""
        if self._loop.is_closed():
            return
        try:
            self._run(self.node.stop())
        finally:
            self._end_loop()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _execute(self, verb: str, fields: dict[str, Any]) -> dict[str, Any]:
        sent = _canonical(fields)
        try:
            body = validated(verb, sent)
        except Refusal as refusal:
            self._run(self._record(verb, refusal, sent))
            raise
        scope, user = body.pop("scope", None), body.pop("user_id", None)
        return self._run(self.node.execute(verb, body, scope=scope, user=user))

    async def _record(self, verb: str, refusal: Refusal, sent: dict[str, Any]) -> None:
        scope, user = (value if isinstance(value := sent.get(name), str) else None for name in ("scope", "user_id"))
        self.node.record_refusal(verb, refusal, scope=scope, user=user)

    def _read(self, verb: str, fields: dict[str, Any]) -> dict[str, Any]:
        body = validated(verb, _canonical(fields))
        scope, user = body.pop("scope", None), body.pop("user_id", None)

        async def answer() -> dict[str, Any]:
            return self.node.read(verb, body, scope=scope, user=user)

        return self._run(answer())

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        if self._loop.is_closed():
            work.close()
            raise RuntimeError("the memory is closed; open it again with semurg.open()")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _canonical(fields: dict[str, Any]) -> dict[str, Any]:
    """`from` is a word of Python's own, so callers write `frm`."""
    return {"from" if key == "frm" else key: value for key, value in fields.items() if value is not None}
