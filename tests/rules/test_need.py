"""The model of need that rules and advice share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mprof.evidence import Evidence
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.examples import CAPACITY, map_attempt, with_growth
from mprof.rules.need import need_at
from mprof.units import MIB


def grown(live: int) -> tuple[Evidence, Growing]:
    evidence = with_growth(map_attempt(), "this.counts", 120 * MIB)
    evidence = replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live))
    found = find_growth(evidence, "map")
    assert isinstance(found, Growing)
    return evidence, found


@pytest.mark.parametrize("live", [CAPACITY, 150 * MIB])
def test_at_its_death_a_task_needed_its_whole_heap(live: int) -> None:
    evidence, found = grown(live)
    assert need_at(evidence, found, 4000) == pytest.approx(CAPACITY, rel=0.001)


def test_without_any_data_only_the_rest_is_needed() -> None:
    evidence, found = grown(150 * MIB)
    assert need_at(evidence, found, 0) == pytest.approx(30 * MIB, rel=0.001)


def test_a_container_being_enlarged_counts_in_proportion() -> None:
    # 30 MB do not grow; 120 MB and 90 MB asked for on top do
    evidence, found = grown(150 * MIB)
    assert need_at(evidence, found, 2000) == pytest.approx(30 * MIB + 105 * MIB, rel=0.001)
