"""How the shell carries out what the owner alone may do: through a running node, or on a data directory at rest."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from semurg.cli.settings import TOKEN_VARIABLE, connect, data_directory
from semurg.client import Client
from semurg.domain.errors import Refusal
from semurg.eventlog.directory import DataDirectory, read_address, read_environment

OPERATIONS = {"audit": "memory_audit"}

Reply = dict[str, Any]


class Owner:
    """The owner's verbs, wherever they are carried out. Use it as a context manager: a directory is held meanwhile.

    A URL (the option, else SEMURG_URL) leads to that node. Otherwise it is the data directory (the option, else
    SEMURG_DATA, else the user's own): through the node that runs on it, or, when none does, opened here.
    """

    def __init__(self, url: str | None, data: Path | None) -> None:
        self._client: Client | None = None
        self._memory: Any = None
        path = data_directory(data)
        at_rest = data is not None or not (url or os.environ.get("SEMURG_URL"))
        if url is not None or not at_rest or not (path / "log.db").exists():
            if data is not None and url is None:
                fix = "Name the data directory that a node was started with."
                raise Refusal("not_found", f"There is no memory in {path}.", fix)
            self._client = connect(url, None, None)
            return
        if _is_held(path):
            self._client = _client_of(path)
            return
        # Imported here: the engine is needed only when no node is there to ask.
        from semurg.embedded import Memory

        self._memory = Memory(path)

    def call(self, verb: str, fields: dict[str, Any]) -> Reply:
        """Carry out token_create, token_list, token_revoke or audit. Raises Refusal, or NodeUnreachableError."""
        given = {name: value for name, value in fields.items() if value is not None}
        if self._client is not None:
            return self._client.call(OPERATIONS.get(verb, verb), given)
        reply: Reply = self._memory.administer(verb, **given)
        return reply

    def __enter__(self) -> Owner:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in (self._client, self._memory):
            if opened is not None:
                opened.close()


def _is_held(path: Path) -> bool:
    """Whether a node runs on the directory."""
    try:
        with DataDirectory(path):
            return False
    except Refusal as refusal:
        if refusal.code != "node_in_use":
            raise
        return True


def _client_of(path: Path) -> Client:
    """A client of the node that runs on the directory, with its owner's token."""
    address = read_address(path)
    if address is None:
        raise Refusal(
            "node_in_use",
            f"A process holds the data directory {path}, and does not serve it.",
            "Try again when it has started, or close it.",
        )
    return Client(address, os.environ.get(TOKEN_VARIABLE) or read_environment(path).get(TOKEN_VARIABLE))
