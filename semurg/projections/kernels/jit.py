"""How kernels are compiled: one decorator and one registry.

A kernel is a free function over arrays and scalars, its outputs allocated by the caller. It is compiled for exactly
the signature it declares, without the GIL, and cached on disk. Nothing compiles at import: `warm_up` does it, at start
and off the request path, from the cache when that is warm. Array arguments that a kernel only reads are declared
read-only, which takes writable ones too; what it writes is declared `*_OUT`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import types

# in an embedding program numba may have been imported earlier, with another cache folder or none
cast(Any, numba.config).reload_config()

I64 = types.int64
I32 = types.int32
U64 = types.uint64
BOOL = types.boolean
F32 = types.float32
F64 = types.float64


def _read_only(of: Any) -> Any:
    return types.Array(of, 1, "C", readonly=True)


I64_ROWS = _read_only(types.int64)
I32_ROWS = _read_only(types.int32)
U16_ROWS = _read_only(types.uint16)
U64_ROWS = _read_only(types.uint64)
U8_ROWS = _read_only(types.uint8)
F32_ROWS = _read_only(types.float32)
F64_ROWS = _read_only(types.float64)
I64_OUT = types.int64[::1]
I32_OUT = types.int32[::1]
U16_OUT = types.uint16[::1]
U64_OUT = types.uint64[::1]
U8_OUT = types.uint8[::1]
F32_OUT = types.float32[::1]
F64_OUT = types.float64[::1]

Function = TypeVar("Function", bound=Callable[..., Any])

REGISTRY: dict[str, Any] = {}
_pending: list[tuple[Any, Any]] = []
_lock = threading.Lock()


def kernel(signature: Any) -> Callable[[Function], Function]:
    """Make the function a kernel of this one signature; registered under `module.name`, compiled by `warm_up`."""

    def register(function: Function) -> Function:
        compiled = numba.njit(nogil=True, cache=True, fastmath=False)(function)
        REGISTRY[f"{function.__module__.rpartition('.')[2]}.{function.__name__}"] = compiled
        _pending.append((compiled, signature))
        return cast(Function, compiled)

    return register


def step(function: Function) -> Function:
    """A part of kernels, compiled into each that calls it; never called from Python outside the tests."""
    return cast(Function, numba.njit(nogil=True, fastmath=False)(function))


def warm_up() -> None:
    """Compile every kernel known so far, or load it from the cache. Cheap when there is nothing left to do."""
    if not _pending:
        return
    with _lock:
        while _pending:
            compiled, signature = _pending[0]
            if not cast(Any, numba.config).DISABLE_JIT:
                compiled.compile(signature)
                compiled.disable_compile()
            _pending.pop(0)
