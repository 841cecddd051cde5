"""A small client of a node's HTTP routes, for the shell and for scripts that keep their own process.

    client = Client("http://127.0.0.1:4000", token="…", scope="demo")
    client.remember(content="Dana joined Acme.")
    client.recall(subject="Dana")

Refusals arrive as semurg.Refusal with the node's own code, detail and fix.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from semurg.domain.errors import STATUS, Refusal, quoted

DEFAULT_URL = "http://127.0.0.1:4000"
ROUTES: Mapping[str, tuple[str, str]] = {
    "whoami": ("GET", "/v1/whoami"),
    "memory_status": ("GET", "/v1/memory/status"),
    "memory_remember": ("POST", "/v1/memory/remember"),
    "memory_recall": ("POST", "/v1/memory/recall"),
    "memory_context": ("POST", "/v1/memory/context"),
    "memory_relate": ("POST", "/v1/memory/relate"),
    "memory_forget": ("POST", "/v1/memory/forget"),
    "memory_delete_user": ("POST", "/v1/memory/delete_user"),
    "memory_audit": ("POST", "/v1/memory/audit"),
    "token_create": ("POST", "/v1/tokens/create"),
    "token_list": ("POST", "/v1/tokens/list"),
    "token_revoke": ("POST", "/v1/tokens/revoke"),
    "model_calibrate": ("POST", "/v1/model/calibrate"),
    "node_status": ("GET", "/v1/status"),
    "health": ("GET", "/api/health"),
}
# Calls about the node and not about one memory: a default scope or end user means nothing to them. An end user is
# deleted by name, never by default.
OF_THE_NODE = frozenset(["memory_delete_user", "memory_audit", "token_create", "token_list", "token_revoke"])


class NodeUnreachableError(Exception):
    """No node answers at the URL."""


class Client:
    """One node at one URL. `scope` and `user` stand in for calls that name none."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        token: str | None = None,
        scope: str | None = None,
        user: str | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self.url = url.rstrip("/")
        self._defaults = {"scope": scope, "user_id": user}
        headers = {"Accept": "application/json"}
        if token and not token.isascii():
            raise Refusal("token_invalid", "The token holds characters that no token has.", "Copy the token again.")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        # A proxy configured for the internet has no business between this machine and itself.
        self._http = httpx.Client(headers=headers, timeout=timeout_s, trust_env=not is_loopback(self.url))

    def remember(self, **fields: Any) -> dict[str, Any]:
        """Store texts and facts: the fields of memory_remember."""
        return self.call("memory_remember", fields)

    def relate(self, **fields: Any) -> dict[str, Any]:
        """Store one fact: the fields of memory_relate, `frm` standing for `from`."""
        return self.call("memory_relate", {"from" if name == "frm" else name: value for name, value in fields.items()})

    def recall(self, **fields: Any) -> dict[str, Any]:
        """What is known of an entity: the fields of memory_recall."""
        return self.call("memory_recall", fields)

    def context(self, **fields: Any) -> dict[str, Any]:
        """What bears on a question: the fields of memory_context."""
        return self.call("memory_context", fields)

    def forget(self, **fields: Any) -> dict[str, Any]:
        """Forget one thing: the fields of memory_forget."""
        return self.call("memory_forget", fields)

    def delete_user(self, user_id: str) -> dict[str, Any]:
        """Delete an end user with every scope: memory_delete_user."""
        return self.call("memory_delete_user", {"user_id": user_id})

    def memory_status(self, **fields: Any) -> dict[str, Any]:
        """What the memory holds: the fields of memory_status."""
        return self.call("memory_status", fields)

    def call(self, operation: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Any operation by its name. Raises Refusal, or NodeUnreachableError."""
        reply: dict[str, Any] = msgspec.json.decode(self.call_raw(operation, fields))
        return reply

    def call_raw(self, operation: str, fields: Mapping[str, Any]) -> bytes:
        """The reply as the bytes that came. Values of msgspec.Raw go out as they are. Raises as `call` does."""
        method, path = ROUTES[operation]
        placed = {} if operation in OF_THE_NODE else self._defaults
        sent = {key: value for key, value in {**placed, **fields}.items() if value is not None}
        try:
            if method == "GET":
                response = self._http.get(self.url + path, params=sent if operation == "memory_status" else None)
            else:
                body = msgspec.json.encode(sent)
                response = self._http.post(self.url + path, content=body, headers={"Content-Type": "application/json"})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NodeUnreachableError(f"No node answers at {self.url}: {error}") from error
        if response.status_code != 200:
            raise self._refusal(response)
        return response.content

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refusal(self, response: httpx.Response) -> Exception:
        try:
            body = msgspec.json.decode(response.content, type=dict[str, Any])
            code, detail, fix = body.pop("error"), body.pop("detail"), body.pop("fix")
        except (msgspec.DecodeError, UnicodeDecodeError, KeyError):
            return NodeUnreachableError(
                f"What answers at {self.url} is not a semurg node (HTTP {response.status_code})."
            )
        if code not in STATUS:
            return Refusal("internal", f"The node answered with a code this client does not know, {quoted(code)}.", fix)
        reserved = ("code", "detail", "fix")
        return Refusal(code, detail, fix, **{key: value for key, value in body.items() if key not in reserved})


def is_loopback(url: str) -> bool:
    """Whether the URL leads to this machine itself."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
