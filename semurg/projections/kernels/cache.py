"""Where compiled kernels are kept on disk. Must not import numba: it runs before.

numba's cache does not notice an edit in another file than the kernel's own. The folder therefore carries a digest over
all kernel files: after an edit to any of them it starts empty.
"""

from __future__ import annotations

import os
import tempfile
from hashlib import blake2b
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "NUMBA_CACHE_DIR"


def use_writable_cache() -> None:
    """Point numba at a folder it can write to: without one it refuses to import cached kernels."""
    os.environ[CACHE_VARIABLE] = str(cache_directory(os.environ.get(CACHE_VARIABLE), sources_digest()))


def cache_directory(chosen: str | None, digest: str) -> Path:
    """A folder for kernels of this digest: below what the user chose, else the user's cache folder, else temporary.

    A child process inherits the variable as its parent set it, so a choice that ends in the digest is taken as it is.
    """
    folders = [Path(platformdirs.user_cache_dir("semurg")) / "kernels" / digest]
    if chosen:
        folders.insert(0, Path(chosen) if Path(chosen).name == digest else Path(chosen) / digest)
    for folder in folders:
        if is_writable(folder):
            return folder
    return Path(tempfile.mkdtemp(prefix="semurg-kernels-"))


def sources_digest() -> str:
    """A digest over the source of every kernel file, hex."""
    digest = blake2b(digest_size=6)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def is_writable(folder: Path) -> bool:
    """Whether files can be made in the folder, which is created when it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
