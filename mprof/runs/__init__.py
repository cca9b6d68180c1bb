"""Runs jobs with the agent, fetches their files, diagnoses them; ``switch`` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.runs.advising import rerun_advised
    from mprof.runs.anything import diagnose_history
    from mprof.runs.capture import Capture, default_capture_folder, kept_capture, open_capture
    from mprof.runs.cleaning import clean
    from mprof.runs.diagnosing import (
        diagnose,
        diagnose_all,
        diagnose_capture,
        load_failed_job,
    )
    from mprof.runs.doctor import examine
    from mprof.runs.failed_job import failed_job_of
    from mprof.runs.naming import check_named, check_run_before, job_named
    from mprof.runs.observer import Observer, SilentObserver
    from mprof.runs.rerunning import rerun
    from mprof.runs.running import RunResult, run
    from mprof.runs.switch import checked_places, checked_share
    from mprof.runs.switching import (
        expire_captures,
        switch_check,
        switch_install,
        switch_off,
        switch_on,
    )

__all__ = [
    "Capture",
    "Observer",
    "RunResult",
    "SilentObserver",
    "check_named",
    "check_run_before",
    "checked_places",
    "checked_share",
    "clean",
    "default_capture_folder",
    "diagnose",
    "diagnose_all",
    "diagnose_capture",
    "diagnose_history",
    "examine",
    "expire_captures",
    "failed_job_of",
    "job_named",
    "kept_capture",
    "load_failed_job",
    "open_capture",
    "rerun",
    "rerun_advised",
    "run",
    "switch_check",
    "switch_install",
    "switch_off",
    "switch_on",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
