"""A job among those of its driver: told by its configuration, else by its place in the order."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from mprof.hadoop import JobStatus
from mprof.history import JobConf
from mprof.runs.capture import Capture, RunManifest, create_capture, write_manifest
from mprof.runs.failed_job import (
    failed_job_of,
    index_of_failed,
    state_of,
    telling_properties,
)
from mprof.runs.running import job_failed

CASES = Path(__file__).parents[2] / "cases"
MAP, REDUCE = "mapreduce.job.map.class", "mapreduce.job.reduce.class"
NODE, NAME = "mapreduce.workflow.node.name", "mapreduce.job.name"


def conf(**values: str) -> JobConf:
    return JobConf({globals()[name]: value for name, value in values.items()})


@pytest.mark.parametrize(
    ("jobs", "index", "expected"),
    [
        ([conf(MAP="A")], 0, {}),
        ([conf(MAP="A"), conf(MAP="B")], 1, {MAP: "B"}),
        # one property tells it from the first job, another one from the second
        ([conf(MAP="A", REDUCE="R"), conf(MAP="B", REDUCE="S"), conf(MAP="B", REDUCE="R")], 2,
         {MAP: "B", REDUCE: "R"}),
        # of two stages of a query only the stage differs; a name that tells no more is left out
        ([conf(MAP="A", NODE="1", NAME="q(1)"), conf(MAP="A", NODE="2", NAME="q(2)")], 0,
         {NODE: "1"}),
        # what is not set tells as well
        ([conf(MAP="A"), conf(MAP="A", REDUCE="R")], 0, {REDUCE: ""}),
        # a name that does not fit on a line of the plan is no help, nor one that is made up anew
        ([conf(NAME="one\ntwo"), conf(NAME="two")], 0, None),
        ([conf(NAME="over /tmp/x1"), conf(NAME="over /tmp/x2")], 0, None),
        ([conf(NAME="at 20261123"), conf(NAME="at 20261124")], 0, None),
        ([conf(NAME="iteration 3"), conf(NAME="iteration 4")], 0, {NAME: "iteration 3"}),
        ([conf(NAME="\U0001f600"), conf(NAME="two")], 0, None),
        ([conf(MAP="A"), conf(MAP="A")], 0, None),
        ([conf(MAP="A"), None], 0, None),
        ([None, conf(MAP="A")], 0, None),
    ],
)  # fmt: skip
def test_as_few_properties_as_tell_it_from_all_others(
    jobs: list[JobConf | None], index: int, expected: Mapping[str, str] | None
) -> None:
    assert telling_properties(jobs, index) == expected


def _run(capture: Capture, jobs: Sequence[tuple[int, str, str]]) -> None:
    """A run with these jobs in order of submission: number, state, class of the mapper."""
    folder = capture.new_run_folder()
    for number, state, mapper in jobs:
        place = folder / "jobs" / f"job_1700000000000_{number:04d}"
        place.mkdir(parents=True)
        status = JobStatus(
            place.name, "n", state, "u", "", None, None, None, has_history=False, uber=False
        )
        (place / "job.json").write_bytes(msgspec.json.encode(status))
        (place / f"{place.name}_conf.xml").write_text(
            f"<configuration><property><name>{MAP}</name><value>{mapper}</value></property>"
            "</configuration>"
        )
    ids = tuple(f"job_1700000000000_{number:04d}" for number, _, _ in jobs)
    write_manifest(folder, RunManifest("watch", ("pig",), ids, 1, {}, 1, ""))


def _found(capture: Capture) -> list[str | None]:
    failed = failed_job_of(capture)
    found = [failed.find_in(run) for run in capture.runs]
    return [job.job_id[-4:] if job is not None else None for job in found]


def test_it_is_found_in_a_run_that_submitted_its_jobs_in_another_order(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")
    _run(capture, [(1, "SUCCEEDED", "A"), (2, "FAILED", "B"), (3, "KILLED", "C")])
    _run(capture, [(4, "FAILED", "B"), (5, "SUCCEEDED", "A")])

    assert _found(capture) == ["0002", "0004"]
    assert failed_job_of(capture).is_told_in(capture.runs[1])


@pytest.mark.parametrize(
    ("states", "index", "failed"),
    [
        (("KILLED", "FAILED"), 1, True),  # beside one that failed, the driver kills the others
        (("SUCCEEDED", "KILLED"), 1, True),
        ((None, "KILLED"), 1, True),
        ((None, "SUCCEEDED"), 0, True),  # not known is not succeeded
        (("SUCCEEDED", "SUCCEEDED"), 1, False),
    ],
)
def test_the_job_that_failed_comes_before_those_that_were_killed_or_whose_end_is_not_known(
    tmp_path: Path, states: tuple[str | None, ...], index: int, failed: bool
) -> None:
    capture = create_capture(tmp_path / "c")
    _run(capture, [(number, state or "LOST", "A") for number, state in enumerate(states)])
    for job in capture.latest.jobs:
        if state_of(job) == "LOST":
            (job.path / "job.json").unlink()

    assert index_of_failed(capture.latest) == index
    assert job_failed(capture.latest) == failed


def test_how_a_job_ended_is_told_by_its_history_where_its_status_is_lost(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")
    _run(capture, [(1, "FAILED", "A"), (2, "SUCCEEDED", "B")])
    (first, _) = capture.latest.jobs
    (first.path / "job.json").unlink()
    assert state_of(first) is None

    (history,) = (CASES / "in-mem-word-count/evidence/runs/001").glob("jobs/*/job.jhist")
    shutil.copy(history, first.path)

    assert state_of(first) == "FAILED"
    assert index_of_failed(capture.latest) == 0


def test_a_run_that_did_not_come_to_it_is_known(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")
    _run(capture, [(1, "SUCCEEDED", "A"), (2, "FAILED", "B")])
    _run(capture, [(3, "FAILED", "A")])

    assert _found(capture) == ["0002", None]
    assert not failed_job_of(capture).is_told_in(capture.runs[1])


def test_where_nothing_tells_jobs_apart_it_is_found_by_its_place(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")
    _run(capture, [(1, "SUCCEEDED", "A"), (2, "FAILED", "A")])
    _run(capture, [(3, "SUCCEEDED", "A"), (4, "FAILED", "A")])
    _run(capture, [(5, "FAILED", "A")])

    assert failed_job_of(capture).telling is None
    assert _found(capture) == ["0002", "0004", None]


def test_the_only_job_is_found_whatever_its_configuration_says(tmp_path: Path) -> None:
    capture = create_capture(tmp_path / "c")
    _run(capture, [(1, "FAILED", "A")])
    _run(capture, [(2, "FAILED", "Changed")])

    assert _found(capture) == ["0001", "0002"]
