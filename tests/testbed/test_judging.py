"""Counts of verdicts, and the page that is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import binomtest

from mprof.store import Store
from testbed.judging import Verdict, tally
from testbed.page import share
from testbed.recorded import Recorded

SLAVES = ("a", "b", "c")


def _recorded(folder: Path, name: str, node: str | None) -> Recorded:
    return Recorded(
        name=name, fault="cpu-hog" if node else None, node=node, workload="sort",
        speculation=False, from_s=0.0, until_s=1.0, first_job_s=None, slaves=SLAVES,
        store=Store(folder / name),
    )  # fmt: skip


def test_verdicts_are_counted_by_sick_and_by_healthy_nodes(tmp_path: Path) -> None:
    every = frozenset(SLAVES)
    recordings = [
        _recorded(tmp_path, "right", "a"),
        _recorded(tmp_path, "both", "b"),
        _recorded(tmp_path, "wrong", "c"),
        _recorded(tmp_path, "withheld", "a"),
        _recorded(tmp_path, "control", None),
        _recorded(tmp_path, "master", "master"),
    ]
    verdicts = {
        "right": Verdict(frozenset("a"), every, delay_s=30.0),
        "both": Verdict(frozenset("ab"), every, delay_s=50.0),
        "wrong": Verdict(frozenset("a"), every),
        "withheld": Verdict(frozenset(), frozenset()),
        "control": Verdict(frozenset("c"), every),
        "master": Verdict(frozenset(), every, alarm_rate=0.75),
    }

    found = tally(recordings, verdicts)

    assert (2, 4) == (found.found, found.sick)
    assert (3, 4 * 2 + 2 * 3) == (found.accused, found.healthy)
    assert (1, 6) == (found.withheld, found.recordings)
    assert (30.0, 50.0) == found.delays_s
    assert (0.75,) == found.alarm_rates


@pytest.mark.parametrize(("count", "of"), [(0, 6), (3, 60), (10, 10)])
def test_a_share_has_the_interval_of_wilson(count: int, of: int) -> None:
    range_ = binomtest(count, of).proportion_ci(method="wilson")

    assert f"{count / of:.2f} ({range_.low:.2f} to {range_.high:.2f})" == share(count, of)
