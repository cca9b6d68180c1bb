"""The sensitivity that control runs ask for."""

from __future__ import annotations

import pandas as pd
import pytest
from builders.metric_nodes import Cluster, cpu_hog

from mprof.errors import EvidenceError
from mprof.peers import bb_profile, bb_window
from mprof.peers.calibration.settings import calibrate
from mprof.peers.comparison import Comparison, NodeStanding
from mprof.peers.profile_training import train
from mprof.threshold import Threshold, thresholds_moved

LEVEL = Threshold("test.level", 5, "units", "an example")


def _detector(run: pd.DataFrame) -> Comparison:
    """Indicts the nodes whose ``badness`` is above the level; below 1 nothing is said."""
    if LEVEL.value < 1:
        return Comparison("test", (), withheld="too little")
    return Comparison(
        "test",
        tuple(
            NodeStanding(host, badness > LEVEL.value, badness / LEVEL.value)
            for host, badness in zip(run["host"], run["badness"], strict=True)
        ),
    )


def _run(*badness: float) -> pd.DataFrame:
    return pd.DataFrame({"host": [f"n{i}" for i in range(len(badness))], "badness": badness})


def test_the_first_value_with_at_most_three_per_cent_is_taken() -> None:
    # of 100 nodes: 4 above 2, 3 above 3
    controls = [_run(*[1.0] * 96, 3.0, 4.0, 5.0, 9.0)]
    found = calibrate(_detector, controls, threshold=LEVEL, candidates=(1, 2, 3, 4, 5))

    assert {"test.level": 3.0} == found.thresholds
    assert (0.03, None, 100, 0) == (found.rate, found.held_out_rate, found.nodes, found.withheld)


def test_a_run_that_differs_from_the_others_is_seen_in_the_held_out_rate() -> None:
    quiet = _run(*[1.0] * 10)
    loud = _run(*[1.0] * 8, 4.0, 4.0)
    found = calibrate(_detector, [quiet] * 4 + [loud], threshold=LEVEL, candidates=(1, 2, 3, 4))

    assert {"test.level": 4.0} == found.thresholds
    assert 0 == found.rate
    # without the loud run the others ask for 1, with which it has two of the fifty nodes
    assert 2 / 50 == found.held_out_rate


def test_a_value_with_which_nothing_is_said_is_not_taken() -> None:
    found = calibrate(_detector, [_run(0.1, 0.2)], threshold=LEVEL, candidates=(0.5, 2))

    assert {"test.level": 2.0} == found.thresholds


def test_controls_that_no_value_fits_are_an_error_in_words() -> None:
    with pytest.raises(EvidenceError, match="more than 3% of the nodes"):
        calibrate(_detector, [_run(7, 8)], threshold=LEVEL, candidates=(1, 2))
    with pytest.raises(EvidenceError, match="no control run"):
        calibrate(_detector, [], threshold=LEVEL, candidates=(1, 2))


def test_both_detectors_are_calibrated_and_still_see_a_hog() -> None:
    controls = [Cluster(nodes=10, seed=seed, seconds=400).table() for seed in range(20, 26)]
    sick = Cluster(nodes=10, seed=30, seconds=400, faults={3: cpu_hog}).table()
    model = train([Cluster(nodes=6, seed=seed, seconds=600).table() for seed in (101, 102)])

    window = calibrate(
        bb_window.compare, controls,
        threshold=bb_window.ALARM_ABOVE, candidates=bb_window.ALARM_ABOVE_CANDIDATES,
    )  # fmt: skip
    profile = calibrate(
        lambda run: bb_profile.compare(run, model), controls,
        threshold=bb_profile.ALARM_ABOVE, candidates=bb_profile.ALARM_ABOVE_CANDIDATES,
    )  # fmt: skip

    assert window.rate <= 0.03
    assert profile.rate <= 0.03
    assert (60, 60) == (window.nodes, profile.nodes)
    with thresholds_moved({**window.thresholds, **profile.thresholds}):
        assert ("node003",) == bb_window.compare(sick).indicted
        assert ("node003",) == bb_profile.compare(sick, model).indicted
