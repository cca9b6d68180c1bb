"""The list of runs: as many of each kind as the papers' tables need."""

from __future__ import annotations

import json
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from testbed.campaign import RECORDINGS, campaign, campaign_of_ten
from testbed.faults import FAULTS
from testbed.run import CONTROL, Planned
from testbed.workloads import WORKLOADS

if TYPE_CHECKING:
    from testbed.cluster import Cluster


def test_there_are_ten_controls_and_three_seeds_of_each_fault_and_ten_of_the_commonest() -> None:
    counts = Counter(planned.fault for planned in campaign())

    assert counts[CONTROL] >= 10
    of_ten = {fault for planned in campaign_of_ten() for fault in planned.faults}
    assert {*counts, *of_ten} == {CONTROL, *FAULTS}
    assert min(counts.values()) >= 3
    assert min(counts[fault] for fault in ("cpu-hog", "disk-hog", "map-hang")) >= 10


def test_no_run_is_listed_twice_and_each_has_a_name_of_its_own() -> None:
    for every in (list(campaign()), list(campaign_of_ten())):
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


def test_several_faults_come_to_as_many_slaves_and_a_single_one_where_it_always_came() -> None:
    cluster = SimpleNamespace(master="master", slaves=[f"n{number}" for number in range(1, 11)])
    for planned in campaign_of_ten():
        sick = planned.sick(cast("Cluster", cluster))

        assert [fault for _, fault in sick] == list(planned.faults)
        assert len({node for node, _ in sick}) == len(planned.faults) in (0, 2)
    label = json.loads((RECORDINGS / "cpu-hog-word-count-1" / "label.json").read_text())
    cluster.slaves = cluster.slaves[:6]
    (found,) = Planned("cpu-hog", "word-count", 1, speculation=False).sick(cast("Cluster", cluster))

    assert (label["node"], "cpu-hog") == found
