"""What is meant by a name on the command line that is neither a file nor a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.io.files import STANDARD_INPUT, is_there
from mprof.trace.attempt_id import find_attempt_id

__all__ = ["check_named", "check_run_before", "job_named", "job_to_ask_for"]

_JOB_ID: Final = re.compile(r"(?:job|application)_(\d+_\d+)$")
_LOCAL_JOB: Final = re.compile(r"job_local\d+_\d+$")  # org.apache.hadoop.mapred.LocalJobRunner


def check_named(what: str) -> None:
    """Make sure that there is something of a name, or that a cluster can be asked for it.

    Raises:
        EvidenceError: if neither is so.
    """
    if what != STANDARD_INPUT and not is_there(Path(what)):
        job_to_ask_for(what)


def check_run_before(what: str) -> None:
    """Make sure that a name may be that of a job that has run: a capture, or the id of a job.

    Raises:
        EvidenceError: if it is neither.
    """
    if not Path(what).exists() and not what.startswith(("job_", "application_")):
        raise EvidenceError(
            f"{what} is neither a capture folder nor a job id",
            next_step="run the job first: mprof run -o NEW_FOLDER -- hadoop jar ...",
        )


def job_named(what: str) -> str | None:
    """The job id in the id of a job, application or attempt; None where it is none of them."""
    attempt = find_attempt_id(what)
    match = _JOB_ID.search(what)
    return attempt.job_id if attempt else f"job_{match.group(1)}" if match else None


def job_to_ask_for(name: str) -> str:
    """The id of the job that is meant.

    Raises:
        EvidenceError: if none is, or a cluster cannot know of it.
    """
    if (local := _LOCAL_JOB.search(name)) is not None:
        raise EvidenceError(
            f"{local[0]} ran inside the command that submitted it, so no cluster knows of it",
            next_step="run the command on the cluster: mprof run -- COMMAND, with -D "
            "mapreduce.framework.name=yarn (of Pig without -x local)",
        )
    job_id = job_named(name)
    if job_id is None:
        raise EvidenceError(
            f"{name} is not a file or folder, nor the id of a job, application or attempt",
            next_step="name a capture folder, any file or folder with what is left of the job, "
            "its id, or - for standard input: yarn logs -applicationId ID | mprof diagnose -",
        )
    return job_id
