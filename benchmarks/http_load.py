"""The lightest HTTP client that will do: requests made beforehand, sent over kept connections, replies only counted.

A full client costs more than the servers under test, and would be what is measured.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, cast

import uvloop

from benchmarks.processes import Server

_END = b"\r\n\r\n"
_LENGTH = b"content-length: "
RECEIVE_BYTES = 1 << 18


class Load(NamedTuple):
    """How a run of requests went: requests a second, and milliseconds of each."""

    rate: float
    each_ms: list[float]


def request_bytes(server: Server, path: str, body: bytes) -> bytes:
    """A whole POST of a JSON body."""
    authorization = f"Authorization: Bearer {server.token}\r\n" if server.token else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{authorization}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def one_by_one(server: Server, requests: Sequence[bytes]) -> Load:
    """Every request over one connection, each after the answer to the one before."""
    samples = []
    clock = time.perf_counter_ns
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = clock()
        for request in requests:
            started = clock()
            connection.sendall(request)
            received = connection.recv(RECEIVE_BYTES)
            while (left := _missing(received)) != 0:
                received += _some(connection.recv(RECEIVE_BYTES if left < 0 else left))
            samples.append((clock() - started) / 1e6)
            _check(received)
        took = clock() - began
    return Load(len(requests) / took * 1e9, samples)


def concurrently(server: Server, requests: Sequence[bytes], connections: int) -> Load:
    """Every request once, over this many connections that each keep one in flight."""
    return uvloop.run(_concurrently(server, requests, connections))


async def _concurrently(server: Server, requests: Sequence[bytes], connections: int) -> Load:
    loop = asyncio.get_running_loop()
    todo, samples = deque(requests), list[float]()
    callers = []
    for _ in range(connections):
        _, caller = await loop.create_connection(lambda: _Caller(todo, samples), "127.0.0.1", server.port)
        callers.append(caller)
    began = time.perf_counter()
    for caller in callers:
        caller.send_next()
    await asyncio.gather(*(caller.done for caller in callers))
    return Load(len(requests) / (time.perf_counter() - began), samples)


class _Caller(asyncio.Protocol):
    """One connection with one request in flight."""

    def __init__(self, todo: deque[bytes], samples: list[float]) -> None:
        self._todo = todo
        self._samples = samples
        self._received = b""
        self._started = 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are of classes of their own.
        self._transport = cast(asyncio.Transport, transport)

    def send_next(self) -> None:
        """Send the next request, or finish when there is none."""
        if not self._todo:
            self.done.set_result(None)
            self._transport.close()
            return
        self._received = b""
        self._started = time.perf_counter_ns()
        self._transport.write(self._todo.popleft())

    def data_received(self, data: bytes) -> None:
        self._received += data
        if _missing(self._received) == 0:
            self._samples.append((time.perf_counter_ns() - self._started) / 1e6)
            _check(self._received)
            self.send_next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server closed the connection"))


def _missing(received: bytes) -> int:
    """How many bytes of the reply are still to come, -1 while its head is not complete."""
    head = received.find(_END)
    if head < 0:
        return -1
    at = received.lower().find(_LENGTH, 0, head) + len(_LENGTH)
    return head + len(_END) + int(received[at : received.index(b"\r\n", at)]) - len(received)


def _some(data: bytes) -> bytes:
    if not data:
        raise ConnectionError("the server closed the connection")
    return data


def _check(received: bytes) -> None:
    if not received.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(received[:2_000].decode("utf-8", "replace"))
