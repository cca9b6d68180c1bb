"""Reads a job history file of any Hadoop line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.history.build import build_job
from mprof.history.event import AVRO_BINARY, AVRO_JSON
from mprof.history.job_history import JobHistory
from mprof.history.text1 import is_history_text, read_text_events
from mprof.io.files import UnreadableError, read_file
from mprof.io.gzip import GZIP, unpacked

__all__ = ["is_history", "parse_history", "read_history"]

_MAX_BYTES: Final = 1 << 30  # a job of 100,000 tasks with all their counters has some 400 MB

_NEXT_STEP = (
    "name the .jhist file of the job, from the done or done_intermediate folder of the job history"
)


def is_history(head: bytes) -> bool:
    """Whether a file that begins so is a job history, of any Hadoop line."""
    first = head[:64].split(b"\n", 1)[0].strip().decode("ascii", "replace")
    return first in {AVRO_JSON, AVRO_BINARY} or is_history_text(head)


def read_history(path: Path) -> JobHistory:
    """Read a history file: Avro-JSON, Avro-Binary, or the text of MapReduce 1.

    A file that is cut off is read as far as it goes; ``losses`` says so. It may be gzip.

    Raises:
        EvidenceError: if the file is missing, empty, not a history, or without any event.
    """
    try:
        data = read_file(path, limit_bytes=_MAX_BYTES)
    except UnreadableError as error:
        raise EvidenceError(
            f"cannot read the job history {path}: {error.reason}", next_step=_NEXT_STEP
        ) from error
    if data.startswith(GZIP):
        data = _unpacked(data, path)
    return parse_history(data, name=str(path))


def _unpacked(data: bytes, path: Path) -> bytes:
    """What a gzip file holds; of one that is cut off or damaged, what comes before the damage."""
    # Counted first: a file of 3 MB may unpack to gigabytes, which must not be held to be refused.
    size = 0
    for piece in _pieces(data):
        size += len(piece)
        if size > _MAX_BYTES:
            raise EvidenceError(
                f"{path} is larger than 1 GB unpacked, too large for a job history",
                next_step=_NEXT_STEP,
            )
    return b"".join(_pieces(data))


def _pieces(data: bytes) -> Iterator[bytes]:
    return unpacked(io.BytesIO(data), lambda _: None)


def parse_history(data: bytes, *, name: str) -> JobHistory:
    """The job in these bytes; ``name`` is for messages only.

    Raises:
        EvidenceError: as ``read_history``.
    """
    if not data.strip():
        raise EvidenceError(f"the job history {name} is empty", next_step=_NEXT_STEP)
    first = data[:64].split(b"\n", 1)[0].strip().decode("ascii", "replace")
    if first in {AVRO_JSON, AVRO_BINARY}:
        # Here, because importing fastavro takes longer than reading a small history of text.
        from mprof.history.avro_events import read_avro_events

        avro = read_avro_events(data, name=name)
        events, losses, file_format = avro.events, avro.losses, avro.encoding.lower()
    elif is_history_text(data):
        events, losses = read_text_events(data)
        file_format = "text-1"
    else:
        raise EvidenceError(f"{name} is not a job history file", next_step=_NEXT_STEP)
    job = build_job(events, file_format=file_format, losses=losses)
    if not job.job_id and not job.tasks:
        raise EvidenceError(
            f"the job history {name} holds no event that can be read", next_step=_NEXT_STEP
        )
    return job
