"""The gateway's JSON, as the values of ``values``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mprof.hadoop.values import AttemptStatus, FileStatus, JobStatus, TaggedApplication
from mprof.units import parse_long

__all__ = ["application", "file_status", "job_status"]

# Both wordings of org.apache.hadoop.yarn.server.nodemanager...ContainerImpl; the last match counts.
_EXIT_CODE = re.compile(r"(?:[Ee]xit code(?: is)?|exitCode)[:=]?\s*(-?\d+)")


def job_status(row: Mapping[str, Any]) -> JobStatus:
    """One job with its attempts."""
    return JobStatus(
        job_id=row["job_id"],
        name=row.get("name") or "",
        state=row.get("state") or "PREP",
        user=row.get("user") or "",
        diagnostics=(row.get("diagnostics") or "").strip(),
        submit_time_ms=_time(row.get("submit_time_ms")),
        start_time_ms=_time(row.get("start_time_ms")),
        finish_time_ms=_time(row.get("finish_time_ms")),
        has_history=bool(row.get("history")),
        uber=bool(row.get("uber")),
        counters=row.get("counters") or {},
        attempts=tuple(_attempt(each) for each in row.get("attempts") or ()),
    )


def application(row: Mapping[str, Any]) -> TaggedApplication:
    """One application."""
    return TaggedApplication(
        application_id=row["application_id"],
        job_id=row["job_id"],
        type=row["type"],
        state=row["state"],
    )


def file_status(row: Mapping[str, Any]) -> FileStatus:
    """One file or folder."""
    return FileStatus(
        uri=row["uri"],
        is_folder=row["is_folder"],
        size_bytes=row["bytes"],
        modified_ms=row["modified_ms"],
        is_link=row["is_link"],
        owner=row.get("owner"),
        mode=row.get("mode"),
    )


def _attempt(row: Mapping[str, Any]) -> AttemptStatus:
    diagnostics = (row.get("diagnostics") or "").strip()
    codes = _EXIT_CODE.findall(diagnostics)
    return AttemptStatus(
        attempt_id=row["attempt_id"],
        task_type=row["task_type"],
        state=row["state"],
        container_id=row.get("container_id"),
        node=row.get("node"),
        diagnostics=diagnostics,
        exit_code=parse_long(codes[-1]) if codes else None,
        run_time_ms=_time(row.get("run_time_ms")),
    )


def _time(value: int | None) -> int | None:
    """A time or duration in ms; None for 0 and -1, which Hadoop uses where it is not known."""
    return value if value is not None and value > 0 else None
