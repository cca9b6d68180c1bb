"""The failed job of a command that may start several, and the same job in every other run.

Each job of a driver has a task ``m_000000``, and where a driver starts two jobs at once, their
order may change. Jobs are told apart by what their configurations say of them, and where nothing
does, by the order in which they were submitted.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mprof.errors import EvidenceError, MprofError
from mprof.history import JobConf, read_conf, read_history
from mprof.runs.capture import Capture, CapturedRun, JobFolder
from mprof.runs.load import read_status

__all__ = ["FailedJob", "failed_job_of", "index_of_failed", "state_of", "telling_properties"]

_TELLING: Final = (
    "mapreduce.job.map.class",
    "mapreduce.job.reduce.class",
    "mapred.mapper.class",
    "mapred.reducer.class",
    # Set by Pig and Hive: the stage of the script or query (MRJobConfig.WORKFLOW_NODE_NAME).
    "mapreduce.workflow.node.name",
    "mapreduce.job.name",
)
"""What a driver does not make up anew each time; the folders of its jobs often are."""

_MADE_UP: Final = re.compile(r"/|[0-9]{6}")  # a path, or a time
_BEYOND: Final = "\uffff"  # what XML writes as a reference, which the agent does not resolve


@dataclass(frozen=True, slots=True)
class FailedJob:
    """The job that failed in the first run of a capture.

    Attributes:
        index: among the jobs of that run, in order of submission.
        telling: properties that no other job of that run has with these values, "" for one that is
            unset; empty for the only job; None where nothing tells it from the others.
    """

    index: int
    telling: Mapping[str, str] | None

    def find_in(self, run: CapturedRun) -> JobFolder | None:
        """The same job in a run; None where that run did not come to it."""
        found = self._told_in(run)
        if len(found) == 1:
            return found[0]
        return run.jobs[self.index] if self.index < len(run.jobs) else None

    def is_told_in(self, run: CapturedRun) -> bool:
        """Whether a job of the run is the one that a plan for it was followed in."""
        return not self.telling or bool(self._told_in(run))

    def _told_in(self, run: CapturedRun) -> list[JobFolder]:
        return [job for job in run.jobs if self._is(_conf(job))] if self.telling else []

    def _is(self, conf: JobConf | None) -> bool:
        telling = self.telling or {}
        return conf is not None and all(_value(conf, name) == telling[name] for name in telling)


def failed_job_of(capture: Capture) -> FailedJob:
    """The job that the capture is about.

    Raises:
        EvidenceError: if its first run has no job.
    """
    run = capture.runs[0] if capture.runs else capture.latest
    index = index_of_failed(run)
    return FailedJob(index, telling_properties([_conf(job) for job in run.jobs], index))


def index_of_failed(run: CapturedRun) -> int:
    """Index of the first job that failed.

    A driver kills the jobs beside one that failed (Hive's ``exec.parallel``, Pig's
    ``stop-on-failure``), so that a job which was killed counts where none failed; then one whose
    end is not known; and the last one if all succeeded.

    Raises:
        EvidenceError: if the run has no job.
    """
    if not run.jobs:
        raise EvidenceError(
            f"run {run.number} started no job", next_step="run the job again with mprof run"
        )
    states = [state_of(job) for job in run.jobs]
    for wanted in ({"FAILED", "ERROR"}, {"KILLED"}, {None}):
        for index, state in enumerate(states):
            if state in wanted:
                return index
    return len(run.jobs) - 1


def state_of(job: JobFolder) -> str | None:
    """How a job ended, by the cluster or else by its history; None where neither says."""
    status, _ = read_status(job.path)
    if status is not None and status.finished:
        return status.state
    for file in sorted(job.path.glob("*.jhist")):
        with contextlib.suppress(MprofError, OSError):
            return read_history(file).state
    return None


def telling_properties(confs: Sequence[JobConf | None], index: int) -> Mapping[str, str] | None:
    """As few properties as tell the job of this index from all the others.

    Returns:
        Name -> value as written; none where it is the only job; None where nothing tells it apart.
    """
    own = confs[index]
    others = {number: conf for number, conf in enumerate(confs) if number != index}
    if not others:
        return {}
    if own is None or None in others.values():
        return None
    telling: dict[str, str] = {}
    for name in _TELLING:
        value = _value(own, name)
        different = [n for n, conf in others.items() if conf and _value(conf, name) != value]
        if different and _tells_again(value):
            telling[name] = value
            for number in different:
                del others[number]
    return None if others else telling


def _tells_again(value: str) -> bool:
    """Whether it is the same in another run, and fits on a line of the plan."""
    return value.isprintable() and max(value, default="") <= _BEYOND and not _MADE_UP.search(value)


def _conf(job: JobFolder) -> JobConf | None:
    file = next(iter(sorted(job.path.glob("*conf.xml"))), None)
    if file is None:
        return None
    try:
        return read_conf(file)
    except (MprofError, OSError):
        return None  # said as a loss where the job itself is loaded


def _value(conf: JobConf, name: str) -> str:
    """As it is written in the file, because the agent compares it with the file of its task."""
    return conf.raw.get(name, "").strip()
