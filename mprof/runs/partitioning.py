"""Adds a partition file to a diagnosis of unbalanced partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.hadoop import Cluster
from mprof.rules import Fires
from mprof.runs.capture import Capture
from mprof.runs.diagnosing import load_failed_job
from mprof.runs.failed_job import failed_job_of
from mprof.runs.observer import Observer
from mprof.runs.partition_file import add_partition_file

__all__ = ["with_partition_file"]

_CAUSE = "improper_partition.unbalanced"


def with_partition_file(
    cluster: Cluster,
    target: Capture,
    command: Sequence[str],
    diagnosed: Diagnosed,
    observer: Observer,
) -> Diagnosed:
    """The diagnosis, with a partition file if partitions are unbalanced and keys were sampled."""
    if not isinstance(diagnosed.diagnosis.verdicts[_CAUSE], Fires):
        return diagnosed
    job = failed_job_of(target).find_in(target.latest)
    if job is None:
        return diagnosed
    *older, newest = load_failed_job(target, observer)
    made = add_partition_file(cluster, job, [*older, newest], diagnosed, command, observer)
    if made is None:
        return diagnosed
    return advise(diagnose_runs([*older, replace(newest, partition_file=made)]))
