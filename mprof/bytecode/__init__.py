"""The code of a job, read and not run: where it adds to a container, and what stands in a line."""

from mprof.bytecode.job_code import JobCode, open_code

__all__ = ["JobCode", "open_code"]
