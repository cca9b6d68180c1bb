"""Everything that was recorded of a job, joined into the evidence about one failed attempt.

Read from top to bottom: choose the attempt; the data side, from its events, its configuration and
the dataflow of every run; then the heap side, from its snapshots and collections.
What was not measured is ``Unknown`` with the run that would tell, never zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from mprof.evidence.assemble.choice import choose
from mprof.evidence.assemble.data_side import data_side
from mprof.evidence.assemble.heap_side import with_heap_side
from mprof.evidence.assemble.lone_dump import without_a_trace
from mprof.evidence.facts import Evidence
from mprof.job_run import JobRun

__all__ = ["assemble"]


def assemble(runs: Sequence[JobRun], attempt_id: str | None = None) -> Evidence:
    """The evidence about one attempt of a job.

    Args:
        runs: runs of one job, oldest first.
        attempt_id: the attempt; else the failed one with most evidence is chosen.

    Raises:
        ValueError: if there is no run at all.
    """
    if not runs:
        raise ValueError("nothing was recorded")
    chosen = choose(runs, attempt_id)
    if chosen.trace is None:
        return without_a_trace(chosen)
    evidence = data_side(runs, chosen, chosen.trace)
    return with_heap_side(evidence, runs, chosen, chosen.trace)
