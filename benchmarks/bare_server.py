"""The limit of HTTP, a process of its own: a Sanic route that says `{}`, and one that group-commits given bytes.

`python -m benchmarks.bare_server DATABASE BYTES` prints its port and serves until it is terminated. It takes the
same bodies as semurg, decodes them, and stores BYTES bytes a call (0: as many as the body has).
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from sanic import HTTPResponse, Request, Sanic
from sanic.response import raw

from benchmarks.bare import GroupCommit


async def serve(database: Path, size: int) -> None:
    """Serve until SIGTERM."""
    app: Sanic[Any, Any] = Sanic("bare", configure_logging=False)
    app.config.update(ACCESS_LOG=False, AUTO_EXTEND=False, MOTD=False)
    commits = GroupCommit(database)

    @app.post("/empty")
    async def empty(request: Request) -> HTTPResponse:
        msgspec.json.decode(request.body)
        return raw(msgspec.json.encode({}), content_type="application/json")

    @app.post("/write")
    async def write(request: Request) -> HTTPResponse:
        msgspec.json.decode(request.body)
        await commits.append(bytes(size) if size else request.body)
        return raw(msgspec.json.encode({"ok": True}), content_type="application/json")

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server: Any = await app.create_server(sock=listener, asyncio_server_kwargs={"start_serving": False})
        await server.startup()
        await server.start_serving()
        print(listener.getsockname()[1], flush=True)
        await stop.wait()
        server.server.close()
        commits.close()


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
