"""Running a node behind HTTP: from claiming the data directory to a clean exit on SIGTERM."""

from __future__ import annotations

import asyncio
import errno
import gc
import ipaddress
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from semurg.api.http import HttpDoor
from semurg.domain.errors import Refusal
from semurg.node import Node

BACKLOG = 512
# Together under the five seconds in which SIGTERM must end the node.
DRAIN_S = 2.5
WRITES_S = 1.0
CLOSE_S = 1.0
DRAIN_STEP_S = 0.02
# A thread that decides lets go of the interpreter for every kernel and has it back at once, which each time begins the
# loop's wait anew. With Python's 5 ms that starved the loop for 300 ms; with this it waits for 5.
SWITCH_INTERVAL_S = 0.0005

logger = logging.getLogger("semurg.server")
Announce = Callable[[Node, str], None]


def serve(path: Path, host: str, port: int, owner_token: str | None, announce: Announce) -> None:
    """Serve the memory in `path` until SIGTERM or SIGINT. Port 0 takes a free one.

    `announce` is called with the node and its URL once it is ready. Raises Refusal when the directory or the address
    cannot be had.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    loop = _new_loop()
    asyncio.set_event_loop(loop)
    serving = _Serving(path, owner_token, announce)
    try:
        loop.run_until_complete(serving.run(host, port))
    finally:
        if serving.exit_at_once is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(serving.exit_at_once)
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


class _Serving:
    """One run of a server: its node, its door, and what is left when it ends."""

    def __init__(self, path: Path, owner_token: str | None, announce: Announce) -> None:
        self._node = Node(path, owner_token=owner_token)
        self._announce = announce
        self._stop = asyncio.Event()
        self.exit_at_once: int | None = None

    async def run(self, host: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        start = loop.create_task(self._node.start())
        # Its first step claims the directory: a second node is then refused for that, not for its port.
        await asyncio.sleep(0)
        try:
            if start.done():
                start.result()
            listener = _listen(host, port)
        except Refusal:
            await _cancel(start)
            raise
        with listener:
            await self._serve(start, listener)

    async def _serve(self, start: asyncio.Task[None], listener: socket.socket) -> None:
        url = _url(listener)
        door = HttpDoor(self._node)
        # Not listening until the application is whole: a first request must not meet half of it.
        server: Any = await door.app.create_server(
            sock=listener, backlog=BACKLOG, asyncio_server_kwargs={"start_serving": False}
        )
        await server.startup()
        await server.start_serving()
        where = {"event": "listening", "url": url, "port": listener.getsockname()[1], "pid": os.getpid()}
        logger.info("listening", extra=where)
        if not ipaddress.ip_address(listener.getsockname()[0]).is_loopback:
            logger.warning("others on the network can reach this node, and what they send is not encrypted")
        stop = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait((start, stop), return_when=asyncio.FIRST_COMPLETED)
        if start.done() and start.exception() is None:
            # What is loaded by now stays: the collector need not walk it again and again while requests wait.
            gc.freeze()
            self._node.announce(url)
            logger.info("ready", extra={**where, "event": "ready"})
            self._announce(self._node, url)
            await stop
        stop.cancel()
        answered = await _stop_serving(server, door)
        if not start.done():
            # Kernels still compile in a thread that cannot be interrupted; nothing has been written, so do not wait.
            self.exit_at_once = 0
            await _cancel(start)
        elif error := start.exception():
            raise error
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._node.stop(abandon=not answered)
        except TimeoutError:
            # What was acknowledged is durable; the next start reads the log as after a crash.
            logger.error("the log could not be closed in time")
            self.exit_at_once = 1
            return
        if not answered:
            # A thread may still decide a large call, and Python would wait for it at exit. What it decides was never
            # acknowledged, and the log is closed: nothing is lost that anybody counts on.
            logger.warning("writes that were not decided in time are given up")
            self.exit_at_once = 0
        logger.info("stopped", extra={"event": "stopped"})


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError, Refusal):
        await task


async def _stop_serving(server: Any, door: HttpDoor) -> bool:
    """Take no new connection, let requests in flight finish, then cut off who is left; whether all writes are done."""
    door.stopping = True
    server.server.close()
    connections: set[Any] = server.connections
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DRAIN_S
    while connections and loop.time() < deadline:
        for connection in list(connections):
            connection.close_if_idle()
        await asyncio.sleep(DRAIN_STEP_S)
    for connection in list(connections):
        connection.abort()
    return await door.drain(WRITES_S)


def _listen(host: str, port: int) -> socket.socket:
    """A listening address. Raises Refusal address_unavailable."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "is in use" if taken else f"cannot be listened on ({error.strerror})"
        raise Refusal(
            "address_unavailable", f"The address {host} port {port} {why}.", "Choose another with --host and --port."
        ) from error
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
