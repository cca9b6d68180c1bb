"""Runs jobs with the agent, fetches their files, diagnoses them; ``doctor`` and ``clean``."""

from __future__ import annotations

from mprof.runs.capture import Capture, open_capture
from mprof.runs.cleaning import Cleaned, clean
from mprof.runs.diagnosing import default_capture_folder, diagnose, diagnose_capture
from mprof.runs.doctor import Check, examine
from mprof.runs.observer import Observer, SilentObserver
from mprof.runs.rerunning import rerun
from mprof.runs.running import RunResult, run

__all__ = [
    "Capture",
    "Check",
    "Cleaned",
    "Observer",
    "RunResult",
    "SilentObserver",
    "clean",
    "default_capture_folder",
    "diagnose",
    "diagnose_capture",
    "examine",
    "open_capture",
    "rerun",
    "run",
]
