"""Counters under one set of names, and their sums."""

from __future__ import annotations

import pytest

from mprof.history import FILE_SYSTEM, NO_COUNTERS, Counters
from mprof.history.counters import TASK, sum_counters


@pytest.mark.parametrize(
    "group",
    [TASK, "org.apache.hadoop.mapred.Task$Counter", "Map-Reduce Framework"],
)
def test_a_group_answers_to_all_its_names(group: str) -> None:
    counters = Counters.of([(group, [("SPILLED_RECORDS", 4)])])

    assert counters.get("SPILLED_RECORDS") == 4
    assert counters.get("SPILLED_RECORDS", group=group) == 4
    assert counters.get("MAP_INPUT_RECORDS") is None
    assert counters.get("SPILLED_RECORDS", group=FILE_SYSTEM) is None


def test_sums_add_up_peaks_are_maxima_and_snapshots_are_left_out() -> None:
    def of(records: int, peak: int) -> Counters:
        values = [
            ("MAP_INPUT_RECORDS", records),
            ("MAP_PHYSICAL_MEMORY_BYTES_MAX", peak),
            ("PHYSICAL_MEMORY_BYTES", 99),
        ]
        return Counters.of([(TASK, values), ("my.Group", [("SEEN", 1)])])

    total = sum_counters([of(10, 500), of(7, 800), of(1, 300)])

    assert total.get("MAP_INPUT_RECORDS") == 18
    assert total.get("MAP_PHYSICAL_MEMORY_BYTES_MAX") == 800
    assert total.get("PHYSICAL_MEMORY_BYTES") is None
    assert total.get("SEEN", group="my.Group") == 3


def test_no_counters_are_false_and_sum_to_none() -> None:
    assert not NO_COUNTERS
    assert not sum_counters([])
    assert Counters.of([(TASK, [("A", 0)])])
