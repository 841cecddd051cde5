"""Lets kernels run as plain Python too, with NUMBA_DISABLE_JIT=1: there numpy warns where 64-bit hashes wrap round."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(scope="package", autouse=True)
def hashes_may_wrap() -> Iterator[None]:
    with np.errstate(over="ignore"):
        yield
