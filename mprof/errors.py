"""The errors a user sees: one line, the next step, and the exit code.

Exit codes are a public contract (design section 8):

====  ======================================================================
code  meaning
====  ======================================================================
0     done
1     with ``--fail-on``, a cause, or a node, of that confidence or higher; of
      ``switch check``, harm is shown
2     wrong usage; a library of an extra that is needed is not installed; the output could not
      be written, or was not read, whole
3     evidence missing or unreadable
4     the cluster or the job could not be run, or the command failed although its
      jobs on the cluster succeeded
5     the job failed and was diagnosed (``run``, ``rerun``)
6     the result of a case or a verification is not the expected one
70    internal error, with a file to attach to the report
130   interrupted
====  ======================================================================
"""

from __future__ import annotations

__all__ = [
    "FAULT_EXIT_CODE",
    "INTERRUPTED_EXIT_CODE",
    "ClusterError",
    "EvidenceError",
    "ExpectationError",
    "MprofError",
    "RuleError",
    "UsageError",
]


FAULT_EXIT_CODE = 70
INTERRUPTED_EXIT_CODE = 130


class MprofError(Exception):
    """An expected failure that ends the command.

    Args:
        what: what is wrong: one line, without a full stop.
        next_step: what the user can do about it: one line, without a full stop.
    """

    exit_code = FAULT_EXIT_CODE

    def __init__(self, what: str, *, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step

    def __str__(self) -> str:
        """The message a user reads."""
        return f"{self.what}. Next step: {self.next_step}"


class RuleError(MprofError):
    """The file of a rule is not as the guide says: for its author, no user meets it."""


class UsageError(MprofError):
    """The command line is wrong."""

    exit_code = 2


class EvidenceError(MprofError):
    """Evidence is missing, unreadable or of the wrong kind."""

    exit_code = 3


class ClusterError(MprofError):
    """The cluster or the job could not be run."""

    exit_code = 4


class ExpectationError(MprofError):
    """The result of a case or a verification is not the expected one."""

    exit_code = 6
