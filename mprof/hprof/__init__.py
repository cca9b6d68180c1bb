"""The HPROF binary format: bytes to columns, and nothing else."""

from mprof.hprof.dump import Dump, Fault, RootKind, StackFrame, read_dump

__all__ = ["Dump", "Fault", "RootKind", "StackFrame", "read_dump"]
