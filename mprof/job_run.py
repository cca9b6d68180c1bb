"""One job in one run: the input of `mprof.evidence` and `mprof.plan`.

A capture holds several runs of the same job (watch, profile, verify), oldest first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mprof.code_site import KeptInCode
from mprof.history import JobConf, JobHistory
from mprof.objects import HeapObjects
from mprof.stated_settings import StatedSettings
from mprof.trace import Trace

__all__ = ["JobRun", "PartitionFile"]


@dataclass(frozen=True, slots=True)
class PartitionFile:
    """A partition file made from the keys of the job.

    Attributes:
        records: number of records that each partition would get.
    """

    uri: str
    records: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JobRun:
    """One job in one run, with the traces of its attempts.

    Attributes:
        job_id: None where no file names a job (a lone heap dump, logs without an attempt id).
        mode: mode of the tasks that the run is about; ``none`` for a job that ran without mprof.
        history: the job history; None where it is not available.
        conf: the job's configuration; None where it is not available.
        traces: one per task attempt whose files are available.
        snapshots: attempt id -> the snapshots of its heap dumps, in order of their points.
        losses: what is missing or could not be read, one sentence each.
        state: final state of the job, from the cluster or else its history: ``SUCCEEDED``,
            ``FAILED``, ``KILLED``, ``ERROR``; None where it is not known.
        diagnostics: the cluster's diagnostics of the job, or "".
        partition_file: None where none was made.
        number: of the run in its capture, from 1; None where there is no capture.
        why: the reason for the run, what was planned and what it was expected to cost, as its
            manifest says; "" where there is none.
        driver_error: message of the OutOfMemoryError that the command which submitted the job died
            of; "" for none.
        driver_exit_code: of that command; None where mprof did not run it.
        local_jobs: jobs of that command that ran inside its own process.
        around: lines beside the diagnostics that name the job's application, in the text that has
            them.
        names_memory: whether a text that was pasted about it names a lack of memory anywhere.
        maps: how many map tasks it has; None where nothing says.
        is_map_only: whether something says that it has no reduce task.
        no_task_failed: whether its client printed that it ended, with counters in which no task
            failed for good: it succeeded unless it was killed.
        stated: settings that somebody wrote down beside a log; none where `conf` is at hand.
        name: of the job, as a text beside its end tells; "" where none does.
        kept_in_code: what code that somebody pasted beside its end keeps.
        framework: name of the framework that submitted it, as its console tells; "" where none
            does.
    """

    job_id: str | None
    mode: Literal["none", "watch", "profile", "verify"]
    history: JobHistory | None = None
    conf: JobConf | None = None
    traces: tuple[Trace, ...] = ()
    snapshots: Mapping[str, tuple[HeapObjects, ...]] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    state: str | None = None
    diagnostics: str = ""
    partition_file: PartitionFile | None = None
    number: int | None = None
    why: str = ""
    driver_error: str = ""
    driver_exit_code: int | None = None
    local_jobs: tuple[str, ...] = ()
    stated: StatedSettings = field(default_factory=StatedSettings)
    kept_in_code: tuple[KeptInCode, ...] = ()
    name: str = ""
    around: str = ""
    framework: str = ""
    no_task_failed: bool = False
    names_memory: bool = False
    maps: int | None = None
    is_map_only: bool = False
