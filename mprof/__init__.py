"""mprof says why a Hadoop MapReduce job ran out of memory, and what to change."""

__all__ = ["__version__"]

__version__ = "0.1.0"
