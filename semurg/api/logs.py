"""Logs on standard error: readable on a terminal, one JSON object a line otherwise.

No line holds what users stored, sent or asked for, nor a token: a trace shows where a fault was and of what type, not
its message, which may quote a caller's text.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from functools import lru_cache
from typing import Any

import msgspec

_FIELDS = ("event", "request_id", "method", "route", "status", "ms", "bytes", "error", "url", "port", "pid", "position")


def configure_logging(readable: bool) -> None:
    """Send the logs of semurg, and the faults of the HTTP library, to standard error."""
    # No line shows them, and asking for them on every request costs a part of the throughput.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ReadableLines() if readable else JsonLines())
    own = logging.getLogger("semurg")
    own.handlers[:] = [handler]
    own.setLevel(logging.INFO)
    own.propagate = False
    # The library's own messages quote paths and exceptions: only where its faults were is passed on.
    library = logging.getLogger("sanic")
    trace_only = logging.StreamHandler(sys.stderr)
    trace_only.setFormatter(ReadableLines(messages=False) if readable else JsonLines(messages=False))
    library.handlers[:] = [trace_only]
    library.setLevel(logging.ERROR)
    library.propagate = False
    for name in ("sanic.root", "sanic.error", "sanic.access", "sanic.server", "sanic.websockets"):
        child = logging.getLogger(name)
        child.handlers[:] = []
        child.setLevel(logging.NOTSET)
        child.propagate = True


class JsonLines(logging.Formatter):
    """One JSON object a line. Without `messages`, only where in the code a record was made is shown."""

    def __init__(self, messages: bool = True) -> None:
        super().__init__()
        self._messages = messages

    def format(self, record: logging.LogRecord) -> str:
        return msgspec.json.encode({"at": _instant(record.created), **_fields(record, self._messages)}).decode()


class ReadableLines(logging.Formatter):
    """The same for a person at a terminal."""

    def __init__(self, messages: bool = True) -> None:
        super().__init__()
        self._messages = messages

    def format(self, record: logging.LogRecord) -> str:
        fields = _fields(record, self._messages)
        at = time.strftime("%H:%M:%S", time.localtime(record.created))
        level, message = fields.pop("level"), fields.pop("message")
        fields.pop("logger")
        trace = "".join(f"\n    {line}" for line in fields.pop("trace", ()))
        rest = " ".join(f"{key}={value}" for key, value in fields.items())
        return f"{at} {level:7} {message} {rest}{trace}"


def _fields(record: logging.LogRecord, messages: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": record.getMessage() if messages else f"{record.module}:{record.lineno}",
    }
    for name in _FIELDS:
        value = getattr(record, name, None)
        if value is not None:
            fields[name] = value
    if record.exc_info and record.exc_info[1] is not None:
        fields["trace"] = _trace(record.exc_info[1])
    return fields


def _trace(error: BaseException) -> list[str]:
    """Where the fault was, outermost call first, then its type; its causes before it."""
    lines = _trace(error.__cause__) if error.__cause__ is not None else []
    frames = traceback.extract_tb(error.__traceback__)
    lines += [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    lines.append(f"{type(error).__module__}.{type(error).__qualname__}")
    return lines


def _instant(seconds: float) -> str:
    return f"{_second(int(seconds))}.{int(seconds % 1 * 1_000):03d}Z"


@lru_cache(maxsize=1)
def _second(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
