"""The order in which segments are fetched is chance: no verdict may hang on it.

Every recorded case that shuffles is diagnosed again as it would have been recorded, had its
reducers fetched the same segments in another order (``tests/builders/fetch_orders.py``). A fifth of
the other orders is tried each day, all of them by ``make test-sweeps``.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from builders.part_of_today import of_today

from mprof.catalogue import Case, load_cases
from mprof.catalogue.judging import judge
from mprof.catalogue.replaying import expected_verdicts
from mprof.dataflow import Dataflow, build_dataflow, with_history
from mprof.diagnosis import Diagnosed
from mprof.report import to_json
from mprof.runs import SilentObserver, diagnose_capture, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.trace.events import Fetch, ShuffleLimits, ShuffleMerge
from tests.builders.fetch_orders import fetch_order, refetched

ROOT = Path(__file__).parents[2] / "cases"
SEEDS = (1, 2, 3)
OF_ONE_RECORD = {"large_intermediate_results", "large_single_record"}


def shuffles(case: Case) -> bool:
    logs = case.evidence.glob("runs/*/jobs/*/attempts/*_r_*/events.jsonl")
    return any(b'"type":"fetch"' in log.read_bytes() for log in logs)


CASES = [case for case in load_cases(ROOT) if shuffles(case)]
SEVERAL_SEGMENTS = [
    case
    for case in CASES
    if any(len(set(fetch_order(one))) > 2 for one in case.evidence.glob("runs/*/jobs/*/a*/*_r_*"))
]


def ids(case: Case) -> str:
    return case.slug


def is_about_one_record(case: Case) -> bool:
    """Whether a cause is one of R_n, or rests on a run of R_n alone."""
    causes = diagnosed_as_recorded(case.evidence).diagnosis.causes
    verified = any(cause.finding.evidence == "verified" for cause in causes)
    return verified or bool(OF_ONE_RECORD & set(case.expected.causes))


def other_order(case: Case, folder: Path, seed: int | None) -> Path:
    target = folder / "capture"
    other_records = not is_about_one_record(case)
    refetched(case.evidence, target, seed, other_records=other_records)
    return target


def flows(capture: Path) -> list[Dataflow]:
    return [
        build_dataflow(with_history(job.traces, job.history), history=job.history, conf=job.conf)
        for job in load_failed_job(open_capture(capture), SilentObserver())
    ]


@pytest.mark.parametrize(
    ("case", "seed"),
    [
        pytest.param(case, seed, id=f"{ids(case)}-{seed}")
        for case, seed in of_today([(case, seed) for case in CASES for seed in SEEDS])
    ],
)
def test_another_order_of_the_fetches_changes_no_verdict(
    case: Case, seed: int, tmp_path: Path
) -> None:
    recorded = diagnosed_as_recorded(case.evidence)
    capture = other_order(case, tmp_path, seed)

    diagnosed = diagnose_capture(open_capture(capture), SilentObserver())

    assert judge(case, diagnosed).problems == ()
    assert expected_verdicts(diagnosed) == expected_verdicts(recorded)
    assert confidences(to_json(diagnosed)) == confidences(to_json(recorded))


@cache
def diagnosed_as_recorded(evidence: Path) -> Diagnosed:
    return diagnose_capture(open_capture(evidence), SilentObserver())


def confidences(value: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["cause"], one["confidence"], one["evidence"]) for one in value["causes"]]


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_the_recorded_order_is_one_that_the_builder_can_make(case: Case, tmp_path: Path) -> None:
    capture = other_order(case, tmp_path, None)

    for log in case.evidence.glob("runs/*/jobs/*/attempts/*_r_*/events.jsonl"):
        made = capture / log.relative_to(case.evidence)
        assert made.read_bytes() == log.read_bytes()
        position = log.with_name("position.bin")
        assert made.with_name("position.bin").read_bytes() == position.read_bytes()


@pytest.mark.parametrize("case", SEVERAL_SEGMENTS, ids=ids)
def test_what_must_hold_in_any_order_holds(case: Case, tmp_path: Path) -> None:
    capture = other_order(case, tmp_path, 1)
    orders = [
        (fetch_order(one), fetch_order(capture / one.relative_to(case.evidence)))
        for one in case.evidence.glob("runs/*/jobs/*/attempts/*_r_*")
    ]

    assert any(was != now for was, now in orders)
    for was, now in zip(flows(case.evidence), flows(capture), strict=True):
        assert now.partitions == was.partitions
        for one, other in zip(was.reduces, now.reduces, strict=True):
            assert len(other.segments) == len(one.segments)
            if len(one.segments) == was.total_maps:
                assert {s.map_attempt for s in other.segments} == {
                    s.map_attempt for s in one.segments
                }
    for job in load_failed_job(open_capture(capture), SilentObserver()):
        for trace in job.traces:
            assert all(a.t <= b.t and a.n < b.n for a, b in pairwise(trace.of(Fetch)))
            begun = [m for m in trace.of(ShuffleMerge) if (m.kind, m.edge) == ("memory", "begin")]
            for merge in begun:
                limits = trace.last(ShuffleLimits)
                assert limits is not None
                assert (merge.raw_bytes or 0) >= (limits.merge_threshold or 0)
