"""Loads, runs, replays and verifies the cases of ``cases/``: reproducible failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.catalogue.case import Case, Kind, find_case, load_cases
    from mprof.catalogue.replaying import replay_case
    from mprof.catalogue.result import CaseResult, Way
    from mprof.catalogue.results import Result, add_result, fingerprint, read_results
    from mprof.catalogue.root import cases_root, own_cases_root
    from mprof.catalogue.running import run_case
    from mprof.catalogue.scaling import at_scale, with_input
    from mprof.catalogue.verifying import Verification, has_settings, share_of, verify_case

__all__ = [
    "Case",
    "CaseResult",
    "Kind",
    "Result",
    "Verification",
    "Way",
    "add_result",
    "at_scale",
    "cases_root",
    "find_case",
    "fingerprint",
    "has_settings",
    "load_cases",
    "own_cases_root",
    "read_results",
    "replay_case",
    "run_case",
    "share_of",
    "verify_case",
    "with_input",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
