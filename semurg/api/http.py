"""The HTTP door: every operation of the table as a Sanic route, one pipeline for all of them.

Order of refusal: route 404 and method 405, token 401, media types 415 and 406, size 413 as the body arrives, JSON 400,
403 for what the token may do nowhere, shape 422; then the node judges scope and end user, and what the call means.
Middleware costs a fifth of the throughput here, so authentication, request ids and logging live in the one wrapper.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine
from time import perf_counter
from typing import Any

import msgspec
from sanic import Request, Sanic
from sanic.exceptions import MethodNotAllowed, SanicException
from sanic.handlers import ErrorHandler
from sanic.http import Http
from sanic.response import HTTPResponse

from semurg.access import Caller, admit
from semurg.api import headers as header
from semurg.api.docs_page import docs_page
from semurg.api.openapi import openapi_document
from semurg.api.operations import OPERATIONS, Operation
from semurg.api.replies import (
    Reply,
    allowed_methods,
    internal_reply,
    json_reply,
    method_reply,
    refusal_of_transport,
    refusal_reply,
    text_reply,
)
from semurg.api.strict_json import loads
from semurg.domain.errors import Refusal, quoted
from semurg.domain.limits import BODY_BYTES_MAX
from semurg.idempotency import Idempotency
from semurg.node import Node

DRAIN_BYTES_MAX = 64 * 1024 * 1024
LINGER_S = 2.0
REQUEST_TIMEOUT_S = 60
# A write is answered however long it takes: cut off, its caller could not know that it went on and was kept.
RESPONSE_TIMEOUT_S = 24 * 60 * 60
HTML = "text/html"
_PATHS = frozenset(operation.path for operation in OPERATIONS)

logger = logging.getLogger("semurg.http")
Answer = Callable[[Request], Awaitable[Reply]]


class HttpDoor:
    """Serves one node. `app` is the Sanic application to run; `drain` waits for writes whose callers have gone."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._writes: set[asyncio.Task[dict[str, Any]]] = set()
        self._openapi = text_reply(
            msgspec.json.encode(openapi_document(node.version)), header.JSON, {"cache-control": "no-cache"}
        )
        page, page_headers = docs_page()
        self._docs = text_reply(page, f"{HTML}; charset=utf-8", page_headers)
        self.stopping = False
        self.app = self._build()

    async def drain(self, timeout_s: float) -> bool:
        """Wait until every write that was begun is answered, but no longer than this; whether all are."""
        if self._writes:
            await asyncio.wait(self._writes, timeout=timeout_s)
        return not self._writes

    def _build(self) -> Sanic[Any, Any]:
        app: Sanic[Any, Any] = Sanic(
            "semurg",
            error_handler=_Refusals(),
            configure_logging=False,
            env_prefix="SEMURG_SANIC_",
        )
        app.config.update(
            ACCESS_LOG=False,
            AUTO_EXTEND=False,
            MOTD=False,
            REQUEST_MAX_SIZE=DRAIN_BYTES_MAX,
            REQUEST_TIMEOUT=REQUEST_TIMEOUT_S,
            RESPONSE_TIMEOUT=RESPONSE_TIMEOUT_S,
        )
        for operation in OPERATIONS:
            takes_body = operation.method == "POST"
            app.add_route(
                self._handler(operation),
                operation.path,
                methods=["POST"] if takes_body else ["GET", "HEAD"],
                name=operation.name,
                # The body is read by the handler, after the token is checked and against the route's own limit.
                stream=takes_body,
                strict_slashes=True,
            )
        return app

    def _handler(self, operation: Operation) -> Callable[[Request], Coroutine[Any, Any, HTTPResponse | None]]:
        answer = self._answer_of(operation)

        async def handle(request: Request) -> HTTPResponse | None:
            started = perf_counter()
            request_id = header.request_id_of(request.headers) or os.urandom(8).hex()
            reply = await self._guarded(answer, request, request_id)
            milliseconds = (perf_counter() - started) * 1_000
            _log(operation.path, request.method, reply, milliseconds, request_id)
            if self.stopping:
                _http(request).keep_alive = False
            response = _response(reply, request_id)
            if reply.error == "too_large":
                await _send_and_linger(request, response)
                return None
            if reply.error is not None:
                _decline_body(_http(request))
            return response

        return handle

    async def _guarded(self, answer: Answer, request: Request, request_id: str) -> Reply:
        try:
            return await answer(request)
        except Refusal as refusal:
            return refusal_reply(refusal)
        except SanicException as error:
            return _transport_reply(error, request_id)
        except Exception:
            # The last line: a bug answers 500 with a reference, and leaves its trace in the log.
            logger.exception("fault", extra={"request_id": request_id})
            return internal_reply(request_id)

    def _answer_of(self, operation: Operation) -> Answer:
        if operation.owner_only:
            return lambda request: self._administer(operation, request)
        if operation.writes:
            return lambda request: self._write(operation, request)
        if operation.shape is not None:
            return lambda request: self._read(operation, request)
        own = {
            "whoami": self._whoami,
            "node": self._node_status,
            "health": self._health,
            "openapi": self._openapi_json,
            "docs": self._docs_html,
        }
        return own[operation.verb]

    # Verbs

    async def _write(self, operation: Operation, request: Request) -> Reply:
        caller = self._caller(request)
        sent: Any = None
        try:
            body = await _json_body(request)
            sent = loads(body)
            _admit(operation, caller)
            fields, scope, user = _placed(operation, sent, request)
            key = header.idempotency_key_of(request.headers)
        except Refusal as refusal:
            self._node.record_refusal(operation.verb, refusal, caller, *_meant(sent, request))
            raise
        memo = None if key is None else Idempotency(key, hashlib.sha256(body).hexdigest())
        return await self._finished(self._node.execute(operation.verb, fields, caller, scope, user, memo))

    async def _administer(self, operation: Operation, request: Request) -> Reply:
        assert operation.shape is not None
        caller = self._caller(request)
        try:
            sent = loads(await _json_body(request))
            _admit(operation, caller)
            fields = operation.shape.read(sent)
        except Refusal as refusal:
            if operation.writes:
                self._node.record_refusal(operation.verb, refusal, caller)
            raise
        return await self._finished(self._node.administer(operation.verb, fields, caller))

    async def _finished(self, call: Coroutine[Any, Any, dict[str, Any]]) -> Reply:
        """The reply to a call that goes on to its end whatever becomes of its caller."""
        write = asyncio.ensure_future(call)
        # A caller who leaves cancels this handler; the write goes on and its fault, if any, is still looked at.
        self._writes.add(write)
        write.add_done_callback(self._written)
        return json_reply(await asyncio.shield(write))

    def _written(self, write: asyncio.Task[dict[str, Any]]) -> None:
        self._writes.discard(write)
        if not write.cancelled():
            write.exception()

    async def _read(self, operation: Operation, request: Request) -> Reply:
        caller = self._caller(request)
        if operation.method == "GET":
            header.check_accept(request.headers, header.JSON)
            sent: Any = _query(request)
        else:
            sent = loads(await _json_body(request))
        fields, scope, user = _placed(operation, sent, request)
        if operation.verb == "context":
            return json_reply(await self._node.context(fields, caller, scope, user))
        return json_reply(self._node.read(operation.verb, fields, caller, scope, user))

    def _caller(self, request: Request) -> Caller:
        secret = header.bearer_secret(request.headers)
        caller = self._node.authenticate(secret)
        if caller is None:
            if self._node.state == "warming":
                # The tokens are still being read from the log: a valid one must not be called invalid.
                raise _warming()
            raise header.token_refused()
        return caller

    # Routes without input

    async def _whoami(self, request: Request) -> Reply:
        caller = self._caller(request)
        header.check_accept(request.headers, header.JSON)
        return json_reply(caller.body())

    async def _node_status(self, request: Request) -> Reply:
        self._caller(request)
        header.check_accept(request.headers, header.JSON)
        if self._node.state == "warming":
            raise _warming()
        return json_reply(self._node.identity())

    async def _health(self, request: Request) -> Reply:
        header.check_accept(request.headers, header.JSON)
        state = self._node.state
        if state in ("ready", "read_only"):
            return json_reply({"ok": True, "live": True, "ready": True, "state": state})
        return refusal_reply(_warming(), ok=False, live=True, ready=False, state=state)

    async def _openapi_json(self, request: Request) -> Reply:
        header.check_accept(request.headers, header.JSON)
        return self._openapi

    async def _docs_html(self, request: Request) -> Reply:
        header.check_accept(request.headers, HTML)
        return self._docs


class _Refusals(ErrorHandler):
    """What never reached a handler: unknown routes, wrong methods, broken HTTP."""

    def default(self, request: Request, exception: Exception) -> HTTPResponse:
        request_id = os.urandom(8).hex()
        # The router compares methods before it minds a slash at the end, which makes another route.
        if isinstance(exception, MethodNotAllowed) and request.path in _PATHS:
            reply = method_reply(request.method, allowed_methods(exception))
        else:
            reply = _transport_reply(exception, request_id)
        _log("-", request.method, reply, 0.0, request_id)
        _decline_body(_http(request))
        return _response(reply, request_id)


def _transport_reply(error: Exception, request_id: str) -> Reply:
    refusal = refusal_of_transport(error) if isinstance(error, SanicException) else None
    if refusal is not None:
        return refusal_reply(refusal)
    logger.error("fault", exc_info=error, extra={"request_id": request_id})
    return internal_reply(request_id)


def _warming() -> Refusal:
    return Refusal("warming", "The node is not ready yet.", "Send the call again in a second.", retry_after=1)


def _admit(operation: Operation, caller: Caller) -> None:
    admit(caller, operation.verb, operation.owner_only, operation.writes)


def _placed(operation: Operation, sent: Any, request: Request) -> tuple[dict[str, Any], str | None, str | None]:
    """The verb's input with canonical field names; the scope and the end user that body and headers name."""
    assert operation.shape is not None
    fields = operation.shape.read(sent)
    scope, user = fields.pop("scope", None), fields.pop("user_id", None)
    return fields, header.scope_of(request.headers, scope), header.user_of(request.headers, user)


def _meant(sent: Any, request: Request) -> tuple[str | None, str | None]:
    """The scope and the end user that a refused call named, as far as it can be told; unchecked."""
    named = sent if isinstance(sent, dict) else {}
    scope, user = named.get("scope"), named.get("user_id")
    headers = request.headers
    return (
        scope if isinstance(scope, str) else headers.get(header.SCOPE_HEADER, "").strip() or None,
        user if isinstance(user, str) else headers.get(header.USER_HEADER, "").strip() or None,
    )


async def _json_body(request: Request) -> bytes:
    header.check_json_body(request.headers)
    header.check_accept(request.headers, header.JSON)
    if request.query_string:
        raise Refusal(
            "unknown_field", "The route takes no query parameters.", "Send every field in the JSON body instead."
        )
    return await _body(request, BODY_BYTES_MAX)


def _query(request: Request) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in request.get_query_args(keep_blank_values=True, errors="surrogateescape"):
        if name in fields:
            raise Refusal(
                "field_invalid", f"The query parameter {quoted(name)} is given twice.", "Give it once.", field=name
            )
        fields[name] = value
    return fields


async def _body(request: Request, bytes_max: int) -> bytes:
    """The body, refused as soon as it is known to be over the limit: announced length first, then what arrives."""
    stream = _http(request)
    if (stream.request_bytes or 0) > bytes_max:
        raise _too_large(bytes_max)
    chunks: list[bytes] = []
    size = 0
    while stream.request_body:
        chunk = await stream.read()
        if chunk:
            size += len(chunk)
            if size > bytes_max:
                raise _too_large(bytes_max)
            chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _too_large(bytes_max: int) -> Refusal:
    return Refusal(
        "too_large", f"The body is over {bytes_max:,} bytes.", "Split it over several calls.", limit=bytes_max
    )


def _http(request: Request) -> Http:
    assert isinstance(request.stream, Http)
    return request.stream


def _response(reply: Reply, request_id: str) -> HTTPResponse:
    reply.headers["x-request-id"] = request_id
    return HTTPResponse(reply.body, reply.status, reply.headers, reply.content_type if reply.status != 204 else None)


def _decline_body(stream: Http) -> None:
    """Answer a caller who waits for `100 Continue` with the refusal alone, and do not wait for the body."""
    if stream.expecting_continue:
        stream.expecting_continue = False
        stream.request_body = None
        stream.keep_alive = False


async def _send_and_linger(request: Request, response: HTTPResponse) -> None:
    """Send a refusal while the body is still arriving, then read on for a moment and close.

    Closing at once would reset the connection, and many clients would see that in place of the answer.
    """
    stream = _http(request)
    _decline_body(stream)
    stream.keep_alive = False
    await request.respond(response)
    await response.send(end_stream=True)
    stream.request_max_size = DRAIN_BYTES_MAX
    try:
        async with asyncio.timeout(LINGER_S):
            while stream.request_body:
                await stream.read()
    except (TimeoutError, SanicException):
        logger.debug("a refused body was not read to its end")
    stream.request_body = None


def _log(route: str, method: str, reply: Reply, milliseconds: float, request_id: str) -> None:
    """One line a request. The route is the table's, never the caller's path, and no field or token is in it."""
    logger.info(
        "request",
        extra={
            "request_id": request_id,
            "method": method if method in ("GET", "POST", "HEAD", "OPTIONS") else "other",
            "route": route,
            "status": reply.status,
            "ms": round(milliseconds, 2),
            "bytes": len(reply.body),
            "error": reply.error,
        },
    )
