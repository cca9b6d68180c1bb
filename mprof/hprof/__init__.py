"""The HPROF binary format: bytes to columns, and nothing else."""

from mprof.hprof.dump import Dump, RootKind, StackFrame, read_dump

__all__ = ["Dump", "RootKind", "StackFrame", "read_dump"]
