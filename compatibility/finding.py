"""What came of one job of a row, and whether mprof is at fault."""

from __future__ import annotations

import msgspec

__all__ = ["Finding"]


class Finding(msgspec.Struct, frozen=True):
    """What came of one job of a row.

    Attributes:
        row: its name.
        job: kind of the job.
        not_tried: why it was not run, "" where it was.
        starts: whether tasks ran under mprof where they do without.
        refused: what mprof said where it did not begin the job, "" where it did.
        attempts: task attempts of which files were collected.
        attached: those in whose event log the agent said that it attached.
        says: what mprof or the task said where the agent did not attach.
        same_output: whether the files of the output are equal byte for byte; None without output.
        exit: status of the job's command, plain and under mprof.
        death: how the client told of failed attempts, plain and under mprof.
        mprof_exit: of mprof itself.
    """

    row: str
    job: str
    not_tried: str = ""
    starts: bool = False
    refused: str = ""
    attempts: int = 0
    attached: int = 0
    says: tuple[str, ...] = ()
    same_output: bool | None = None
    exit: tuple[int, int] = (0, 0)
    death: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    mprof_exit: int = 0

    @property
    def harms(self) -> bool:
        """Whether the job fared otherwise under mprof."""
        return not (self.not_tried or self.refused) and not (
            self.starts
            and self.same_output is not False
            and self.exit[0] == self.exit[1]
            and self.death[0] == self.death[1]
        )

    @property
    def is_silent(self) -> bool:
        """Whether a task ran without the agent, and nothing said so."""
        left_out = self.attached < max(self.attempts, 1)
        return left_out and not (self.not_tried or self.refused or self.says)
