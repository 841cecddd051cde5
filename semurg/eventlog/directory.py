"""The data directory: who holds it, the node's secret key, and the environment file with the owner's token.

    semurg.env (0600)   log.db   head.seal   projections/   models/   lock   node.key (0600)

Called by the node, which holds the directory while it runs, and by the shell, which only looks into it.
"""

from __future__ import annotations

import errno
import fcntl
import hmac
import os
import secrets
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from semurg.domain.errors import Refusal

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
KEY_BYTES = 32
ENVIRONMENT_NAME = "semurg.env"
KEY_NAME = "node.key"


class DataDirectory:
    """One data directory. Hashes need it claimed or looked into; the environment file does not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None
        self._keyed: hmac.HMAC | None = None

    @property
    def log_path(self) -> Path:
        """The log's file."""
        return self.path / "log.db"

    @property
    def seal_path(self) -> Path:
        """Where the log's head is sealed (seal.py)."""
        return self.path / "head.seal"

    @property
    def projections_path(self) -> Path:
        """Where snapshots lie; may be deleted while no node runs."""
        return self.path / "projections"

    @property
    def models_path(self) -> Path:
        """Where local models lie."""
        return self.path / "models"

    # Holding it

    def claim(self) -> None:
        """Make the directory (0700) and its key if they are missing, and hold it until `release`.

        Raises Refusal node_in_use, naming the process that holds it, and read_only when the disk refuses.
        """
        if self._lock is not None:
            raise RuntimeError("the data directory is claimed already")
        try:
            self.path.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
            self._lock = self._locked()
            self._keyed = hmac.new(self._kept_key(), digestmod=sha256)
        except OSError as error:
            self.release()
            raise refused(self.path, error) from error
        except Refusal:
            self.release()
            raise

    def look(self) -> None:
        """Read the key without holding the directory or changing it: for who only reads.

        Raises Refusal log_corrupt when the key is not there or torn, read_only when it may not be read.
        """
        if not (self.path / KEY_NAME).exists():
            raise Refusal(
                "log_corrupt",
                f"The data directory {self.path} has no {KEY_NAME}.",
                "Restore it from a backup: without its key, scopes are not found and the seal cannot be checked.",
            )
        try:
            self._keyed = hmac.new(self._kept_key(), digestmod=sha256)
        except OSError as error:
            raise refused(self.path, error) from error

    def release(self) -> None:
        """Let go. Harmless when nothing is held."""
        # The file stays: deleting it would let two nodes lock two files of the same name.
        if self._lock is not None:
            os.close(self._lock)
        self._lock = self._keyed = None

    def __enter__(self) -> DataDirectory:
        self.claim()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _locked(self) -> int:
        path = self.path / "lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError as error:
            os.close(lock)
            holder = (_holding(self.path) or ["unknown"])[0]
            raise Refusal(
                "node_in_use",
                f"Another node (process {holder}) runs on the data directory {self.path}.",
                "Stop it first, or give this one another directory.",
            ) from error
        except BaseException:
            os.close(lock)
            raise
        return lock

    def announce(self, address: str) -> None:
        """Leave word of where the node that holds the directory is to be reached; gone with the next holder."""
        if self._lock is None:
            raise RuntimeError("the data directory is not claimed")
        try:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n{address}\n".encode(), 0)
        except OSError as error:
            raise refused(self.path, error) from error

    def _kept_key(self) -> bytes:
        path = self.path / KEY_NAME
        if not path.exists():
            write_whole(path, secrets.token_bytes(KEY_BYTES))
        key = path.read_bytes()
        if len(key) != KEY_BYTES:
            raise Refusal(
                "log_corrupt",
                f"{path.name} holds {len(key)} bytes, not {KEY_BYTES}.",
                "Restore the data directory from a backup: without its key, scopes are not found again.",
            )
        return key

    # Keyed hashes

    def keyed_hash(self, kind: str, *parts: str) -> str:
        """HMAC-SHA256 of the parts under the node's key, hex: equal for equal parts of one kind; tells no more."""
        message = b"".join(len(part).to_bytes(8, "big") + part for part in map(_utf8, (kind, *parts)))
        # A copy of a keyed state: setting the key up anew for each of two hashes a write costs ten times this.
        hashed = self._held().copy()
        hashed.update(message)
        return hashed.hexdigest()

    @property
    def cursor_key(self) -> bytes:
        """The key that signs cursors: 32 bytes, the same after a restart."""
        return bytes.fromhex(self.keyed_hash("cursor key"))

    def _held(self) -> hmac.HMAC:
        if self._keyed is None:
            raise RuntimeError("the data directory is neither claimed nor looked into")
        return self._keyed

    # semurg.env

    def read_environment(self) -> dict[str, str]:
        """The settings in semurg.env (NAME=value a line, # for remarks); none when there is no such file."""
        return read_environment(self.path)

    def write_environment(self, values: Mapping[str, str]) -> None:
        """Set these settings in semurg.env (0600) and leave its other lines. Raises Refusal read_only or disk_full."""
        for name, value in values.items():
            if not name.isidentifier() or "\n" in value or value != value.strip():
                raise ValueError(f"{name} cannot be written as one line")
        try:
            lines = [line for line in _lines(self.path) if _setting(line)[0] not in values]
            lines.extend(f"{name}={value}" for name, value in values.items())
            write_whole(self.path / ENVIRONMENT_NAME, "".join(f"{line}\n" for line in lines).encode())
        except OSError as error:
            raise refused(self.path, error) from error


def read_environment(path: Path) -> dict[str, str]:
    """The settings in the semurg.env of the data directory at `path`, for who does not hold it."""
    settings = map(_setting, _lines(path))
    return {name: value for name, value in settings if name}


def read_address(path: Path) -> str | None:
    """Where the node is to be reached that holds, or held last, the data directory at `path`; None when unknown."""
    lines = _holding(path)
    return lines[1] if len(lines) > 1 else None


def _holding(path: Path) -> list[str]:
    """The process that holds the directory, and its address when it serves one."""
    try:
        return (path / "lock").read_text("utf-8", errors="replace").split()
    except FileNotFoundError:
        return []


def _lines(path: Path) -> list[str]:
    try:
        return (path / ENVIRONMENT_NAME).read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []


def _setting(line: str) -> tuple[str, str]:
    """(name, value) of a line; the name is empty when the line sets nothing."""
    name, separator, value = line.partition("=")
    if not separator or line.lstrip().startswith("#"):
        return "", ""
    return name.strip(), value.strip()


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")


def write_whole(path: Path, content: bytes) -> None:
    """Put the file (0600) in place whole and durable, or leave what was there."""
    descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def refused(path: Path, error: OSError) -> Refusal:
    """What an error of the disk under a data directory means to a caller: disk_full or read_only."""
    """What an error of the directory's disk means to a caller: disk_full or read_only."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refusal("disk_full", f"The disk of {path} is full.", "Free some space and start again.")
    why = error.strerror or type(error).__name__
    return Refusal(
        "read_only", f"The data directory {path} cannot be written ({why}).", "Check its rights and its disk."
    )
