"""Intervals with numbers for texts, and jobs that are cut from one table of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders.full_stores import full_store
from builders.troubled_jobs import add_rows

from mprof.peers.detectors.request import Asked
from mprof.peers.detectors.wb_durations import compare_durations, looks
from mprof.peers.tables.intervals import intervals_of_attempts, numbered
from mprof.peers.tables.order import in_order_of_start
from mprof.store import Store


def test_numbers_stand_for_the_texts() -> None:
    rows = pd.DataFrame(
        {
            "host": ["b", "a", "b"], "state": ["map", "reduce", None], "group": ["j2", "j1", "j1"],
            "started_s": [3.0, 1.0, 2.0], "seconds": [1.0, np.nan, 5.0],
            "ended": [True, False, True],
        }
    )  # fmt: skip
    found = numbered(rows, ["c", "a"])

    assert found.hosts == ("a", "b", "c")
    assert [found.hosts[one] for one in found.host] == ["b", "a", "b"]
    assert [found.kinds[one] if one >= 0 else None for one in found.kind] == [
        ("j2", "map"), ("j1", "reduce"), None,
    ]  # fmt: skip
    part = found.among(np.array([0, 2]), np.array([1, 2]))
    assert [part.hosts[one] for one in part.host] == ["b", "b"]
    assert part.hosts == ("b", "c")
    assert part.started_s.tolist() == [3.0, 2.0]


def test_jobs_of_a_store_are_compared_as_each_by_itself(tmp_path: Path) -> None:
    store = full_store(tmp_path / "store")
    # A job that still runs: what it ran until then is of its own last time alone.
    add_rows(store, "running", {"attempts": [
        {"job": "job_1700000000_0003", "attempt": f"attempt_1700000000_0003_m_{n:06d}_0",
         "kind": "map", "host": f"late{n % 6}", "state": "running" if n % 6 == 2 else "succeeded",
         "started_s": 100.0 + n, "finished_s": None if n % 6 == 2 else 110.0 + n}
        for n in range(120)
    ]})  # fmt: skip
    attempts = store.read("attempts")
    hosts = frozenset(store.read("nodes")["host"])

    for listed in (frozenset(), hosts):
        found = {
            look.evidence: look.comparison
            for look in looks(Asked(store, hosts=listed))
            if look.of == "attempts"
        }
        assert found.keys() == {
            *(f"attempts of {job}" for job in set(attempts["job"])),
            "attempts of 3 jobs together",
        }
        for job, rows in attempts.groupby("job"):
            seen = set(rows["host"].dropna())
            alone = compare_durations(
                intervals_of_attempts(rows), seen & listed or seen, all_the_time=False
            )
            assert found[f"attempts of {job}"] == alone


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_start_is_that_of_both_columns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(0, 200))
    rows = pd.DataFrame(
        {
            "started_s": rng.choice([1.0, 2.0, 2.5, np.nan], count),
            "attempt": rng.permutation([f"a{n}" for n in range(count)]),
            "row": range(count),
        }
    )
    pd.testing.assert_frame_equal(
        in_order_of_start(rows), rows.sort_values(["started_s", "attempt"])
    )


def test_an_empty_store_has_no_job_to_compare(tmp_path: Path) -> None:
    assert list(looks(Asked(Store(tmp_path / "store")))) == []
