"""Loads, runs, replays and records the cases of ``cases/``: reproducible failures."""

from __future__ import annotations

from mprof.catalogue.case import Case, Kind, find_case, load_case, load_cases
from mprof.catalogue.judge import Judgement, judge, judge_repair
from mprof.catalogue.pages import catalogue_table, write_pages
from mprof.catalogue.recording import accept_new_verdicts, record_case, write_verdicts
from mprof.catalogue.replaying import replay_case
from mprof.catalogue.result import CaseResult, Way
from mprof.catalogue.results import Result, add_result, fingerprint, read_results
from mprof.catalogue.root import cases_root
from mprof.catalogue.running import run_case
from mprof.catalogue.scaling import at_scale, with_input
from mprof.catalogue.sweeping import load_witnesses, sweep, sweep_table, swept_thresholds
from mprof.catalogue.verifying import Verification, has_settings, share_of, verify_case

__all__ = [
    "Case",
    "CaseResult",
    "Judgement",
    "Kind",
    "Result",
    "Verification",
    "Way",
    "accept_new_verdicts",
    "add_result",
    "at_scale",
    "cases_root",
    "catalogue_table",
    "find_case",
    "fingerprint",
    "has_settings",
    "judge",
    "judge_repair",
    "load_case",
    "load_cases",
    "load_witnesses",
    "read_results",
    "record_case",
    "replay_case",
    "run_case",
    "share_of",
    "sweep",
    "sweep_table",
    "swept_thresholds",
    "verify_case",
    "with_input",
    "write_pages",
    "write_verdicts",
]
