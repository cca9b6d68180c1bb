"""Slow, silent and healthy DataNodes of a real HDFS, whatever their names."""

from __future__ import annotations

from functools import cache

import pytest
from benchmarks.tracebench import (
    ALTERATIONS,
    Counts,
    Named,
    Recording,
    altered,
    of_mprof,
    recordings,
)
from builders.shared_data import SHARED_DATA, needs_shared_data

FOLDER = SHARED_DATA / "tracebench"


@cache
def named(seed: int) -> list[tuple[Recording, Named]]:
    return [(one, of_mprof(one)) for one in recordings(FOLDER, seed)]


@needs_shared_data
@pytest.mark.parametrize("seed", [1, 2])
def test_up_to_twenty_slow_nodes_of_fifty_are_named_and_nobody_else(seed: int) -> None:
    slow = [(o, n) for o, n in named(seed) if o.fault == "slowDN" and len(o.faulty) <= 20]

    assert len(slow) == 8
    for one, found in slow:
        assert found.nodes >= one.faulty, one.file
        assert len(found.nodes - one.faulty) <= 0.03 * (50 - len(one.faulty)), one.file


@needs_shared_data
def test_without_a_healthy_majority_the_verdict_is_withheld() -> None:
    most = [(o, n) for o, n in named(1) if 25 <= len(o.faulty) <= 40]

    assert len(most) == 4
    for one, found in most:
        assert not found.nodes, one.file
        assert found.withheld is not None
        assert found.withheld.startswith("no healthy majority"), one.file


@needs_shared_data
def test_where_nearly_all_or_all_are_slow_nobody_is_named() -> None:
    every = [(o, n) for o, n in named(1) if len(o.faulty) >= 45 or o.fault == "slowHDFS"]

    assert len(every) == 18
    assert not [one.file for one, found in every if found.nodes]


@needs_shared_data
def test_killed_nodes_are_named_and_nobody_else() -> None:
    killed = [(o, n) for o, n in named(1) if o.fault == "killDN"]

    assert len(killed) == 6
    assert [found.nodes for _, found in killed] == [one.faulty for one, _ in killed]


@needs_shared_data
def test_controls_name_at_most_three_per_cent_of_the_nodes() -> None:
    controls = [found for one, found in named(1) if one.is_control]

    assert len(controls) == 16
    assert sum(len(found.nodes) for found in controls) <= 0.03 * 50 * len(controls)


@needs_shared_data
def test_a_recording_without_transfers_is_not_called_healthy() -> None:
    empty = [found for one, found in named(1) if one.transfers.empty]

    assert len(empty) == 6
    assert all(found.withheld is not None for found in empty)


@cache
def counted(name: str) -> Counts:
    controls = [one for one, _ in named(1) if one.is_control]
    return altered(controls, ALTERATIONS[name], 1)


@needs_shared_data
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("1 node 1.5 times slower", 0.6), ("1 node 2 times slower", 0.9),
        ("1 node 3 times slower", 1.0), ("10 nodes 2 times slower", 0.95),
        ("1 node 4 times slower from 50 %", 0.8), ("1 node silent", 1.0),
        ("1 node silent from 20 %", 0.9), ("1 node silent from 50 %", 0.85),
        ("1 node silent from 30 to 60 %", 0.75), ("3 nodes silent from 50 %", 0.8),
    ],
)  # fmt: skip
def test_faults_that_are_put_into_controls_are_found_and_nobody_else_is_named(
    name: str, least: float
) -> None:
    found = counted(name)

    assert found.named >= least * found.sick
    assert 0 == found.false


@needs_shared_data
def test_where_most_nodes_are_silent_nobody_is_named() -> None:
    found = counted("45 nodes silent")

    assert (0, 0, 16) == (found.named, found.false, found.withheld)
