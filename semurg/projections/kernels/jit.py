"""How kernels are compiled: one decorator, one registry, one place for the compiler's cache. Imported before numba.

A kernel is a free function over arrays and scalars, its outputs allocated by the caller. It is compiled for exactly
the signature it declares, without the GIL, and cached on disk. Nothing compiles at import: `warm_up` does it, at start
and off the request path, from the cache when that is warm.

Array arguments that a kernel only reads are declared read-only, which takes writable ones too; what it writes is
declared `*_OUT`. The compiler's cache does not notice an edit in another file than the kernel's own, so the cache
folder carries a digest over all kernel files: after an edit to any of them it starts empty.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

CACHE_VARIABLE = "NUMBA_CACHE_DIR"


def sources_digest() -> str:
    """A digest over the source of every kernel file, hex."""
    digest = blake2b(digest_size=6)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def cache_directory() -> str:
    """Where compiled kernels are kept: below what the user chose, else the user's cache folder, else a temporary one."""
    digest = sources_digest()
    chosen = os.environ.get(CACHE_VARIABLE)
    folders = [Path(platformdirs.user_cache_dir("semurg")) / "kernels" / digest]
    if chosen:
        # a child process inherits the variable as it was set here
        folders.insert(0, Path(chosen) if Path(chosen).name == digest else Path(chosen) / digest)
    for folder in folders:
        if is_writable(folder):
            return str(folder)
    return tempfile.mkdtemp(prefix="semurg-kernels-")


def is_writable(folder: Path) -> bool:
    """Whether files can be made in the folder, which is created when it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


# numba reads the variable as it is imported, and refuses to import cached kernels when no place is writable
os.environ[CACHE_VARIABLE] = cache_directory()

import numba  # noqa: E402
from numba import types  # noqa: E402

# in an embedding program numba may have been there first, with another folder or none
numba.config.reload_config()  # type: ignore[attr-defined]

I64 = types.int64
I32 = types.int32
U64 = types.uint64
BOOL = types.boolean


def _read_only(of: Any) -> Any:
    return types.Array(of, 1, "C", readonly=True)


I64_ROWS = _read_only(types.int64)
I32_ROWS = _read_only(types.int32)
U16_ROWS = _read_only(types.uint16)
U64_ROWS = _read_only(types.uint64)
U8_ROWS = _read_only(types.uint8)
I64_OUT = types.int64[::1]
I32_OUT = types.int32[::1]
U16_OUT = types.uint16[::1]
U64_OUT = types.uint64[::1]
U8_OUT = types.uint8[::1]

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
        return compiled  # type: ignore[no-any-return]

    return register


def step(function: Function) -> Function:
    """A part of kernels, compiled into each that calls it; never called from Python outside the tests."""
    return numba.njit(nogil=True, fastmath=False)(function)  # type: ignore[no-any-return]


def warm_up() -> None:
    """Compile every kernel known so far, or load it from the cache. Cheap when there is nothing left to do."""
    if not _pending:
        return
    with _lock:
        while _pending:
            compiled, signature = _pending[0]
            if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
                compiled.compile(signature)
                compiled.disable_compile()
            _pending.pop(0)
