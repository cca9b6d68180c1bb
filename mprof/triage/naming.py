"""What ``mprof triage`` can be asked about, told without loading what answers it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.io.files import is_there
from mprof.runs import job_named

__all__ = ["NAME_IT", "check_subject"]

NAME_IT: Final = "name a job id with --store, a job history file, or a capture folder"


def check_subject(what: str) -> None:
    """Refuse what is no file, no folder and no id of a job.

    Raises:
        EvidenceError: if it is none.
    """
    if not is_there(Path(what)) and job_named(what) is None:
        raise EvidenceError(f"{what} is no file or folder, nor the id of a job", next_step=NAME_IT)
