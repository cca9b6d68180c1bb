"""The probe plan of the next run: the points at which the heap of a failed task is dumped."""

from __future__ import annotations

from mprof.plan.file import render_plan
from mprof.plan.leaving_out import plan_leave_out
from mprof.plan.make import failed_to_warm_up, plan_profile, plan_verify
from mprof.plan.probe_plan import ProbePlan
from mprof.plan.room import plan_room
from mprof.plan.thresholds import PLAN_THRESHOLDS

__all__ = [
    "PLAN_THRESHOLDS",
    "ProbePlan",
    "failed_to_warm_up",
    "plan_leave_out",
    "plan_profile",
    "plan_room",
    "plan_verify",
    "render_plan",
]
