"""A command that started no job on the cluster ends with an error that says why."""

from __future__ import annotations

import pytest

from mprof.hadoop import Submission
from mprof.runs.captured_run import no_job_error


def submission(
    *, local: tuple[str, ...] = (), tail: tuple[str, ...] = (), memory_error: str | None = None
) -> Submission:
    return Submission(
        exit_code=0,
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
            "job_local9_0001 ran inside the driver",
            "-D mapreduce.framework.name=yarn",
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
