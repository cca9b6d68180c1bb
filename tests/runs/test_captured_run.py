"""A command that started no job on the cluster ends with an error that says why."""

from __future__ import annotations

import pytest

from mprof.hadoop import Submission
from mprof.runs.captured_run import no_job_error


def submission(
    *,
    local: tuple[str, ...] = (),
    tail: tuple[str, ...] = (),
    memory_error: str | None = None,
    exit_code: int = 0,
) -> Submission:
    return Submission(
        exit_code=exit_code,
        job_ids=(),
        untagged_job_ids=(),
        local_job_ids=local,
        uber_job_ids=(),
        seconds=1.0,
        output_tail=tail,
        tag="mprof-1",
        memory_error=memory_error,
    )


@pytest.mark.parametrize(
    ("done", "what", "next_step"),
    [
        (
            submission(local=("job_local9_0001",)),
            "job_local9_0001 ran inside the command, not on the cluster",
            "-D mapreduce.framework.name=yarn, of Pig without -x local",
        ),
        (
            submission(local=("job_local9_0001",), exit_code=2),
            "not on the cluster; the command ended with exit code 2",
            "-D mapreduce.framework.name=yarn",
        ),
        (
            submission(local=("job_local9_0001",), memory_error="Java heap space", exit_code=1),
            "not on the cluster, and ran out of memory there (Java heap space)",
            "all tasks share the heap of HADOOP_CLIENT_OPTS",
        ),
        (
            submission(exit_code=-9),
            "the command was ended by a signal (SIGKILL) before it had started a job",
            "dmesg",
        ),
        (
            submission(tail=("FileAlreadyExistsException: Output directory out",)),
            "started no job",
            "its output folder exists",
        ),
        (
            submission(memory_error="Java heap space"),
            "the command itself ran out of memory (Java heap space) before it had started a job",
            "HADOOP_CLIENT_OPTS=-Xmx2g",
        ),
        (submission(), "exit code 0 and started no job", "read its output above"),
    ],
)
def test_why_there_was_no_job_on_the_cluster(done: Submission, what: str, next_step: str) -> None:
    error = no_job_error(done)

    assert what in error.what
    assert next_step in (error.next_step or "")
