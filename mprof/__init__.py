"""mprof says why a Hadoop MapReduce job ran out of memory, and what to change."""

from __future__ import annotations

from mprof.version import __version__

__all__ = ["__version__"]
