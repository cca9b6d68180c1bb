"""The tables of the papers' figures: what is judged, what is put into controls, what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mprof.metrics import METRIC_NAMES
from mprof.peers.calibration.published import ABOVE, Levels, thresholds_of
from mprof.peers.detectors.registry import PUBLISHED
from mprof.peers.statistics.share import Share
from testbed.papers_judged import Judgeable, Key, judged_by_papers
from testbed.papers_say import OURS, ROWS, WHY_NOT
from testbed.reasons import hogged

KEY: Key = ("ganesha", None)


def _one(fault: str | None, sick: str | None, *levels: float) -> Judgeable:
    return Judgeable(
        fault, sick, len(levels), {KEY: {f"n{n}": one for n, one in enumerate(levels)}}
    )


def test_a_threshold_leaves_three_per_cent_of_the_nodes_of_controls_above_it() -> None:
    levels = np.random.default_rng(1).permutation(np.arange(100) / 100)
    runs: list[Levels] = [{KEY: {f"n{n}": float(one) for n, one in enumerate(part)}}
            for part in np.split(levels, 10)]  # fmt: skip

    (above,) = thresholds_of(runs).values()

    assert 3 == (levels > above).sum()
    assert 0.96 == above
    assert {} == thresholds_of(runs[:3])


def test_each_control_is_judged_by_what_the_others_ask_for() -> None:
    quiet = [_one(None, None, *[0.1] * 10) for _ in range(5)]
    found = judged_by_papers(
        [
            *quiet, _one(None, None, 0.9, *[0.2] * 9), _one("hog", "n1", 0.5, 0.8, 0.1),
            _one("hog", "n0", 0.05, 0.15, 0.8), _one("stop", None, 0.8, 0.8, 0.1),
        ]
    )  # fmt: skip

    # 60 nodes: one may be above. Without the loud control nobody is, and 0.1 is enough.
    assert 0.2 == found.thresholds["ganesha.above"]
    assert Share(10, 60) == found.held_out[KEY]
    assert (Share(1, 2), Share(2, 4)) == (found.named[KEY, "hog"], found.false[KEY, "hog"])
    assert (Share(0, 0), Share(2, 3)) == (found.named[KEY, "stop"], found.false[KEY, "stop"])


def _metrics(user: float) -> pd.DataFrame:
    rows = {name: np.float32(10) for name in METRIC_NAMES}
    at_s = np.arange(100.0)
    frames = [pd.DataFrame({"host": host, "at_s": at_s, **rows}) for host in ("a", "b")]
    return pd.concat(frames, ignore_index=True).assign(user=np.float32(user), system=np.float32(0))


@pytest.mark.parametrize(("user", "then", "work"), [(20, 90, 1.0), (90, 100, 100 / 160)])
def test_a_hog_takes_what_is_free_and_shares_the_rest(
    user: float, then: float, work: float
) -> None:
    metrics = _metrics(user)
    found = hogged(metrics, "b", 50.0)

    ill = (found["host"] == "b") & (found["at_s"] >= 50)
    assert found[~ill].equals(metrics[~ill].astype(found.dtypes))
    assert pytest.approx(then) == found.loc[ill, "user"].mean()
    assert pytest.approx(10 * work) == found.loc[ill, "ctxt"].mean()
    assert {11.0} == set(found.loc[ill, "runq_sz"])
    assert 10.0 == found.loc[ill, "ldavg_1"].iloc[0] < found.loc[ill, "ldavg_1"].iloc[-1] < 11


def test_every_result_of_a_paper_has_a_threshold_and_one_of_ours_beside_it() -> None:
    assert {(row.detector, row.kind) for row in ROWS} == set(OURS)
    assert set(OURS) <= set(ABOVE)
    assert {each.name for each in PUBLISHED} == {detector for detector, _ in ABOVE}
    assert set(WHY_NOT) <= {(row.detector, row.kind, row.fault) for row in ROWS}
    assert len(ROWS) == len({(row.detector, row.kind, row.fault) for row in ROWS})


def test_the_committed_page_has_a_reason_for_each_result_that_does_not_come_back() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/papers.md").read_text()
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    lost = {(row[0].strip("| "), row[1].split(" ")[0]) for row in rows if row[4:5] == ["no"]}

    def named(detector: str, kind: str | None) -> str:
        return f"`{detector}`" if kind is None else f"`{detector}` ({kind})"

    assert len(lost) > 10
    assert lost == {(named(detector, kind), fault) for detector, kind, fault in WHY_NOT}
    assert "Not known." not in page
