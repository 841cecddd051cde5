"""Compiled kernels over the columns, each a free function with a plain-Python oracle in the tests.

Importing any of them first gives numba a writable place for its cache, which it asks for as it is imported.
"""

from semurg.projections.kernels.cache import use_writable_cache

use_writable_cache()
