"""A diagnosis as its reader needs it: chosen, ranked and typed; renderers only put it on paper."""

from __future__ import annotations

from mprof.report.view.build import view_of
from mprof.report.view.lines import in_lines
from mprof.report.view.model import (
    CauseView,
    Change,
    Contents,
    CurveView,
    Death,
    DiagnosisView,
    FailedAttempt,
    FrameView,
    Groups,
    HolderView,
    Largest,
    Limits,
    Measure,
    OwnerPart,
    Partition,
    Partitions,
    Place,
    Setting,
    Share,
    Undecided,
    ViewPoint,
)

__all__ = [
    "CauseView",
    "Change",
    "Contents",
    "CurveView",
    "Death",
    "DiagnosisView",
    "FailedAttempt",
    "FrameView",
    "Groups",
    "HolderView",
    "Largest",
    "Limits",
    "Measure",
    "OwnerPart",
    "Partition",
    "Partitions",
    "Place",
    "Setting",
    "Share",
    "Undecided",
    "ViewPoint",
    "in_lines",
    "view_of",
]
