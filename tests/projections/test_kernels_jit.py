"""Kernels are compiled for one signature each, and have somewhere to be cached."""

from __future__ import annotations

import os
from pathlib import Path

import numba
import numpy as np
import pytest

from semurg.projections.kernels import cache, graph, hashes, jit, names, visibility

MODULES = (graph, hashes, names, visibility)
compiled_only = pytest.mark.skipif(bool(vars(numba.config)["DISABLE_JIT"]), reason="the compiler is off")


def test_the_folder_that_the_user_chose_is_taken(tmp_path: Path) -> None:
    assert cache.cache_directory(str(tmp_path), "abc") == tmp_path / "abc"
    assert cache.cache_directory(str(tmp_path / "abc"), "abc") == tmp_path / "abc"


def test_a_choice_that_cannot_be_written_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / "home" / name))
    assert cache.cache_directory(str(file), "abc") == tmp_path / "home" / "semurg" / "kernels" / "abc"
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(file))
    fallback = cache.cache_directory(None, "abc")
    assert cache.is_writable(fallback)
    fallback.rmdir()


def test_the_variable_points_to_the_folder_of_these_sources() -> None:
    assert Path(os.environ[cache.CACHE_VARIABLE]).name == cache.sources_digest()


@compiled_only
def test_every_kernel_has_one_signature_once_warm() -> None:
    jit.warm_up()
    own = {name: kernel for name, kernel in jit.REGISTRY.items() if name.partition(".")[0] in
           {module.__name__.rpartition(".")[2] for module in MODULES}}  # fmt: skip
    assert len(own) > 15
    assert {name: len(kernel.signatures) for name, kernel in own.items()} == dict.fromkeys(own, 1)


@compiled_only
def test_another_dtype_is_refused_and_never_compiled() -> None:
    jit.warm_up()
    floats = np.zeros(1, dtype=np.float64)
    with pytest.raises(TypeError):
        visibility.count_known(floats, floats, 0)
    with pytest.raises(TypeError):
        visibility.count_known(*[np.zeros(4, dtype=np.int64)[::2]] * 2, 0)
