"""The sensitivities that simulated control runs ask for, and the file that keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.stores import store_of

from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError
from mprof.peers.calibration.controls import Profiles
from mprof.peers.calibration.false_alarms import Judged
from mprof.peers.calibration.file import calibration_of, load_calibration, text_of
from mprof.peers.calibration.published import AsPublished, calibrate_published
from mprof.peers.calibration.sensitivity import SENSITIVITIES
from mprof.peers.calibration.settings import Calibrated, calibrate, settings_of
from mprof.peers.calibration.values import Calibration
from mprof.peers.detectors.registry import DETECTORS
from mprof.peers.findings import find_sick_nodes, look_at_nodes, suspects
from mprof.peers.recordings import Label, Recording, recordings_in
from mprof.peers.statistics.share import Share
from mprof.peers.synthesis.learning import Synthesis, experiments_of, synthesise
from mprof.report.calibration import calibration_text
from mprof.store import Store
from mprof.threshold import thresholds_moved
from simulation.run import Run

NOBODY = {"progress": lambda *_: None}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three control runs of twelve nodes, and one with a hog."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in (1, 2, 3):
        Run(nodes=12, seed=seed, jobs=1).record(folder / "controls" / f"none-{seed}")
    Run(nodes=12, seed=9, jobs=1, fault="cpu-hog").record(folder / "faults" / "cpu-hog-9")
    return folder


@pytest.fixture(scope="module")
def controls(recorded: Path) -> tuple[Recording, ...]:
    return recordings_in([recorded / "controls"], scratch=recorded / "scratch", **NOBODY)


@pytest.fixture(scope="module")
def calibrated(controls: tuple[Recording, ...]) -> Calibrated:
    return calibrate(controls)


@pytest.fixture(scope="module")
def calibration(
    recorded: Path, controls: tuple[Recording, ...], calibrated: Calibrated
) -> Calibration:
    faults = recordings_in([recorded / "faults"], scratch=recorded / "scratch", **NOBODY)
    experiments = experiments_of([*controls, *faults], thresholds=calibrated.thresholds, **NOBODY)
    found = synthesise(experiments)
    return calibration_of(
        calibrated, calibrate_published([each.store for each in controls]), controls=controls,
        faults=faults, tree=found.tree, why_no_tree=found.why_not, confusion=found.confusion,
    )  # fmt: skip


@pytest.mark.parametrize("sensitivity", SENSITIVITIES, ids=lambda each: each.threshold.name)
def test_candidates_go_from_sensitive_to_not_and_hold_the_default(sensitivity: Any) -> None:
    lower_is_stricter = sensitivity.threshold.name in {"hb-rate.alarm-below", "wb-jobs.chance"}

    assert sensitivity.threshold.default in sensitivity.candidates
    assert sorted(sensitivity.candidates, reverse=lower_is_stricter) == list(sensitivity.candidates)


def test_every_detector_has_a_sensitivity() -> None:
    assert {each.name for each in DETECTORS} == {each.detector for each in SENSITIVITIES}


def test_the_false_alarms_are_those_that_asking_the_detectors_again_gives(
    calibrated: Calibrated, controls: tuple[Recording, ...]
) -> None:
    by_name = {each.name: each for each in DETECTORS}
    for setting in calibrated.settings:
        # The runs are of one job each, which tells wb-jobs nothing.
        if setting.of != "nodes" or setting.detector == "wb-jobs":
            continue
        named = judged = 0
        for control, model in zip(controls, calibrated.profiles.unseen, strict=True):
            with thresholds_moved({setting.threshold: setting.value}):
                looks = look_at_nodes(
                    control.store, profiles=model, detectors=[by_name[setting.detector]]
                )
            named += len(suspects(looks))
            judged += len({
                node.host
                for look in looks
                for node in look.comparison.nodes
                if node.indicted is not None
            })  # fmt: skip
        assert Share(named, judged) == setting.false_alarms


def test_with_enough_nodes_every_detector_is_set_and_names_few(calibrated: Calibrated) -> None:
    of_nodes = [each for each in calibrated.settings if each.of == "nodes"]
    # The runs are of one job each, which tells wb-jobs nothing.
    of_nodes = [each for each in of_nodes if each.detector != "wb-jobs"]

    assert [None] * 7 == [each.why_default for each in of_nodes]
    assert [36] * 7 == [each.false_alarms.total for each in of_nodes]
    assert all(100 * each.false_alarms.count <= 3 * 36 for each in of_nodes)
    assert 100 * calibrated.any_detector.count <= 3 * calibrated.any_detector.total
    assert calibrated.held_out is not None
    assert 36 == calibrated.held_out.total


def test_too_few_nodes_to_show_a_rate_make_no_detector_more_sensitive(
    calibrated: Calibrated,
) -> None:
    candidates = {each.threshold.name: each.candidates for each in SENSITIVITIES}

    for each in calibrated.settings:
        values = candidates[each.threshold]
        assert values.index(each.value) >= values.index(each.default)


@pytest.mark.parametrize(("runs", "expected"), [(7, 0.3), (6, 0.5)])
def test_enough_nodes_make_a_detector_as_sensitive_as_they_allow(
    runs: int, expected: float
) -> None:
    nodes = frozenset(f"n{number}" for number in range(18))  # 126 of seven runs, 108 of six
    quiet = Judged(nodes, frozenset())
    trials = [[[quiet] * runs for _ in each.candidates] for each in SENSITIVITIES]
    found = settings_of(trials, Profiles(None, (None,) * runs))
    (window,) = (each for each in found.settings if each.detector == "bb-window")

    assert expected == window.value


def test_three_masters_are_too_few(calibrated: Calibrated) -> None:
    (master,) = (each for each in calibrated.settings if each.of == "master")

    assert "3 masters of control runs were judged, and 34 are needed" in str(master.why_default)
    assert master.threshold not in calibrated.thresholds


def test_too_few_nodes_leave_everything_as_it_is(controls: tuple[Recording, ...]) -> None:
    found = calibrate(controls[:1])

    assert {} == found.thresholds
    assert found.held_out is None
    assert all(each.value == each.default for each in found.settings)
    # its own run cannot judge what was learnt of it
    profile = next(each for each in found.settings if each.detector == "bb-profile")
    assert 0 == profile.false_alarms.total


def test_no_run_is_judged_by_profiles_of_its_own(calibrated: Calibrated) -> None:
    models = calibrated.profiles.unseen

    assert calibrated.profiles.model is not None
    assert all(each is not None and each != calibrated.profiles.model for each in models)
    assert models[0] != models[1]


def test_a_damaged_control_run_is_said_and_not_left_out(tmp_path: Path) -> None:
    rows = [
        {"host": host, "operation": "HDFS_WRITE", "started_s": 1.6e9, "seconds": 1.0}
        for host in ("a", "b", "c")
    ]
    store = store_of(tmp_path / "run", transfers=rows)
    (file,) = (store.folder / "transfers").iterdir()
    file.write_bytes(b"PAR1 and no more")

    with pytest.raises(EvidenceError, match="is damaged"):
        calibrate([Recording("run", tmp_path, store, None)])


def test_a_run_with_a_fault_is_no_control(controls: tuple[Recording, ...]) -> None:
    sick = replace(controls[0], label=Label("cpu-hog", "n1"))

    with pytest.raises(EvidenceError, match="its label names the fault cpu-hog"):
        calibrate([*controls, sick])
    with pytest.raises(EvidenceError, match="no control run"):
        calibrate([])


def test_a_calibrated_look_names_the_sick_node_and_its_kind(
    recorded: Path, calibration: Calibration
) -> None:
    folder = recorded / "faults" / "cpu-hog-9"
    label = json.loads((folder / "label.json").read_text())
    found = find_sick_nodes(Store.at(folder / "store"), calibration=calibration)
    kinds = {each.host: each.classified.name for each in found.kinds}
    by = {look.comparison.detector for look, _ in found.suspects[0].looks}

    assert [label["node"]] == [one.host for one in found.suspects]
    assert {"bb-window", "bb-profile"} <= by
    assert 12 == len(kinds)
    # of a single run of the fault a tree cannot be learnt that separates one vector
    assert calibration.confusion is not None
    assert 1 in calibration.confusion.experiments


def test_without_a_calibration_one_line_says_why_bb_profile_was_not_asked(recorded: Path) -> None:
    found = find_sick_nodes(Store.at(recorded / "controls" / "none-1" / "store"))
    (said,) = [look for look in found.looks if look.comparison.detector == "bb-profile"]

    assert "bb-profile was not run: it has no profiles" in str(said.comparison.withheld)
    assert () == found.kinds


def test_a_tree_says_nothing_of_a_single_job(recorded: Path, calibration: Calibration) -> None:
    store = Store.at(recorded / "controls" / "none-1" / "store")

    assert () == find_sick_nodes(store, job="job_1", calibration=calibration).kinds


def test_a_run_whose_folder_is_not_utf_8_has_its_name_written_out(
    controls: tuple[Recording, ...], calibrated: Calibrated
) -> None:
    runs = [replace(controls[0], name="a\udcffb")]
    made = calibration_of(
        calibrated, AsPublished(), controls=runs, faults=(), tree=None, why_no_tree="",
        confusion=None,
    )  # fmt: skip

    assert json.loads(text_of(made))["controls"][0]["name"] == "a\\xffb"


def test_the_file_says_what_was_calibrated(calibration: Calibration, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text_of(calibration))
    read = load_calibration(tmp_path / "c.json")

    assert calibration == read
    assert [("none-1", 12, ("simulated",))] == [
        (run.name, run.nodes, run.sources) for run in read.controls[:1]
    ]
    assert [("cpu-hog-9", "cpu-hog", Run(nodes=12, seed=9, fault="cpu-hog").node)] == [
        (run.name, run.fault, run.node) for run in read.faults
    ]
    assert 36 == read.node_runs


def _cut(text: str) -> str:
    return text[: len(text) // 2]


def _changed(change: Callable[[dict[str, Any]], None]) -> Callable[[str], str]:
    def damage(text: str) -> str:
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        lambda _: "",
        lambda _: "[]",
        _changed(lambda each: each.update(format=2)),
        _changed(lambda each: each["settings"][0].update(threshold="no.such")),
        _changed(lambda each: each["settings"][0].update(value=-1)),
        _changed(lambda each: each["settings"][0].update(value="high")),
        _changed(lambda each: each["profiles"]["scales"].pop()),
        _changed(lambda each: each["tree"]["nodes"][0].update(value=0, cut=1.0, left=0, right=0)),
        _changed(lambda each: each["tree"]["nodes"][0]["counts"].pop()),
        _changed(lambda each: each["confusion"]["matrix"].pop()),
    ],
)
def test_a_damaged_file_is_an_error_in_words(
    calibration: Calibration, tmp_path: Path, damage: Callable[[str], str]
) -> None:
    (tmp_path / "c.json").write_text(damage(text_of(calibration)))

    with pytest.raises(UnreadableError, match=r"c\.json cannot be read"):
        load_calibration(tmp_path / "c.json")


def test_the_text_says_what_was_set_and_what_was_not(calibration: Calibration) -> None:
    text = calibration_text(calibration, fewest_experiments=3)

    assert "3 control runs with 36 nodes" in text
    assert "hb-delay.rise-ratio 3 times what is usual for the node (of the master): 3 " in text
    assert "36 nodes do not show that the rate is 3% or less: 125" in text
    assert "too few runs to say anything of (3 are needed)" in text


def test_runs_of_one_class_give_no_tree(controls: tuple[Recording, ...]) -> None:
    experiments = experiments_of(controls, thresholds={}, **NOBODY)
    found = synthesise(experiments)

    assert isinstance(found, Synthesis)
    assert (None, "there are no two classes of nodes to tell apart") == (found.tree, found.why_not)


def test_a_recording_named_twice_is_one_experiment(controls: tuple[Recording, ...]) -> None:
    assert 1 == len(experiments_of([controls[0], controls[0]], thresholds={}, **NOBODY))
