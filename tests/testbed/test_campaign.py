"""The list of runs: as many of each kind as the papers' tables need."""

from __future__ import annotations

from collections import Counter

from testbed.campaign import campaign
from testbed.faults import FAULTS
from testbed.run import CONTROL
from testbed.workloads import WORKLOADS


def test_there_are_ten_controls_and_three_seeds_of_each_fault_and_ten_of_the_commonest() -> None:
    counts = Counter(planned.fault for planned in campaign())

    assert counts[CONTROL] >= 10
    assert set(counts) == {CONTROL, *FAULTS}
    assert min(counts.values()) >= 3
    assert min(counts[fault] for fault in ("cpu-hog", "disk-hog", "map-hang")) >= 10


def test_no_run_is_listed_twice_and_each_has_a_name_of_its_own() -> None:
    every = list(campaign())

    assert len(set(every)) == len({planned.name for planned in every}) == len(every)


def test_half_of_the_runs_have_speculation_and_controls_have_every_workload() -> None:
    every = list(campaign())
    speculative = sum(planned.speculation for planned in every)

    assert abs(speculative - len(every) / 2) <= len(every) / 10
    assert {planned.workload for planned in every if planned.fault == CONTROL} == set(WORKLOADS)


def test_faults_of_reducers_come_to_jobs_that_have_some() -> None:
    of_reducers = {"reduce-hang", "reduce-stop", "checksum-error"}

    assert "random-writer" not in {
        planned.workload for planned in campaign() if planned.fault in of_reducers
    }
