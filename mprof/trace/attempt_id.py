"""Parses attempt ids: ``attempt_<start of the cluster>_<job>_<m or r>_<task>_<attempt>``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["AttemptId", "find_attempt_id", "parse_attempt_id"]

# org.apache.hadoop.mapreduce.TaskAttemptID.toString; letters other than m and r are the job setup
# and cleanup tasks of Hadoop 1, in which no user code runs.
_PATTERN: Final = re.compile(
    r"attempt_([0-9]{1,19})_([0-9]{1,10})_([mr])_([0-9]{1,10})_([0-9]{1,10})(?![0-9])"
)
_TYPES: Final = {"m": "map", "r": "reduce"}


@dataclass(frozen=True, slots=True)
class AttemptId:
    """A parsed id.

    Attributes:
        job_id: ``job_1700000000000_0001``.
        task_type: ``map`` or ``reduce``.
        index: index of the task, from 0; for a reduce task, its partition.
        number: number of the attempt of that task, from 0.
    """

    text: str
    job_id: str
    task_type: str
    index: int
    number: int


def parse_attempt_id(text: str | None) -> AttemptId | None:
    """The parsed id; None for any other text.

    >>> parse_attempt_id("attempt_1700000000000_0001_r_000003_1").job_id
    'job_1700000000000_0001'
    """
    return _parts(_PATTERN.fullmatch(text or ""))


def find_attempt_id(text: str) -> AttemptId | None:
    """The first id in a text, such as the name of a folder.

    >>> find_attempt_id("logs of attempt_1700000000000_0001_m_000003_1").index
    3
    """
    return _parts(_PATTERN.search(text))


def _parts(match: re.Match[str] | None) -> AttemptId | None:
    if match is None:
        return None
    cluster, job, letter, index, number = match.groups()
    return AttemptId(match[0], f"job_{cluster}_{job}", _TYPES[letter], int(index), int(number))
