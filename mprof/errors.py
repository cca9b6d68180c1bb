"""The one error type a user sees: a clear line, the next step, and the exit code.

Exit codes are a public contract (design section 8):

====  ======================================================================
code  meaning
====  ======================================================================
0     done
1     with ``--fail-on``, a cause of at least that confidence
2     usage
3     evidence missing or unreadable
4     the cluster or the job could not be run
5     the job failed and was diagnosed (``run``, ``rerun``)
6     a case or a verification did not come out as expected
70    a fault of mprof itself, with a file to attach
130   interrupted
====  ======================================================================
"""

from __future__ import annotations

__all__ = [
    "ClusterError",
    "EvidenceError",
    "ExpectationError",
    "MprofError",
    "UsageError",
]


class MprofError(Exception):
    """An expected failure that ends the command.

    Args:
        what: one line saying what is wrong, without a full stop at the end.
        next_step: one line saying what the user can do about it.
    """

    exit_code = 70

    def __init__(self, what: str, *, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step

    def __str__(self) -> str:
        """The line a user reads."""
        return f"{self.what}. Next step: {self.next_step}"


class UsageError(MprofError):
    """The command was called in a way that cannot work."""

    exit_code = 2


class EvidenceError(MprofError):
    """Evidence is missing, unreadable or of the wrong kind."""

    exit_code = 3


class ClusterError(MprofError):
    """The cluster or the job could not be run."""

    exit_code = 4


class ExpectationError(MprofError):
    """A case or a verification did not come out as expected."""

    exit_code = 6
