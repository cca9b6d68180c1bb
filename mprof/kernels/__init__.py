"""Loops over arrays, compiled: ranks of addresses, graphs, dominators, retained sizes.

Nothing here knows of Java or of a file format. Every kernel has a plain twin of the same name in
``tests/oracles``.
"""

from mprof.kernels._cache import is_first_run, why_not_kept
from mprof.kernels._compile import repeated

__all__ = ["is_first_run", "repeated", "why_not_kept"]
