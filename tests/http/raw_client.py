"""A socket that sends exactly the bytes it is told to: for requests that no HTTP library would send."""

from __future__ import annotations

import json
import socket
from types import TracebackType
from typing import Any, NamedTuple


class RawReply(NamedTuple):
    """One HTTP response as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class RawConnection:
    """One connection to a node."""

    def __init__(self, port: int, timeout_s: float = 20.0) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
        self._buffer = b""

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send_request(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> None:
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: localhost",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        self.send("\r\n".join([*lines, "", ""]).encode() + body)

    def read_head(self) -> tuple[int, dict[str, str]]:
        """The next response's status and headers, an interim one (100) included."""
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        return int(status_line.split(" ")[1]), {name.lower(): value.strip() for name, _, value in pairs}

    def read_reply(self, head_only: bool = False) -> RawReply:
        """The next final response."""
        status, headers = self.read_head()
        while status == 100:
            status, headers = self.read_head()
        size = 0 if head_only else int(headers.get("content-length", "0"))
        while len(self._buffer) < size:
            self._more()
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        return RawReply(status, headers, body)

    def is_closed_by_peer(self) -> bool:
        """Whether the node ends the connection; waits for it."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _more(self) -> None:
        received = self._socket.recv(65536)
        if not received:
            raise ConnectionError(f"the node closed the connection after {self._buffer!r}")
        self._buffer += received
