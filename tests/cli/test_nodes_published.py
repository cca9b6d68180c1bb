"""``mprof nodes --detectors``: the detectors of papers beside ours, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from mprof.cli.nodes import nodes
from mprof.errors import UsageError
from mprof.peers.calibration.controls import Profiles
from mprof.peers.calibration.file import calibration_of, text_of
from mprof.peers.calibration.published import calibrate_published
from mprof.peers.calibration.settings import Calibrated
from mprof.peers.detectors.registry import DETECTORS, PUBLISHED
from mprof.peers.statistics.share import Share
from mprof.store import Store
from simulation.run import Run

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/nodes.schema.json").read_text())
EVERY = ",".join(each.name for each in PUBLISHED)
SIZE: dict[str, Any] = {"nodes": 6, "jobs": 2, "maps_a_node": 10, "reduces_a_node": 3}
Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Path]:
    """A store with a sick node, its name, and a calibration of runs in which nothing was wrong."""
    folder = tmp_path_factory.mktemp("published")
    run = Run(seed=5, fault="cpu-hog", **SIZE)
    store = run.record(folder / "hog") / "store"
    controls = [
        Store.at(Run(seed=seed, **SIZE).record(folder / f"none-{seed}") / "store")
        for seed in range(1, 7)
    ]
    nothing = Calibrated((), Share(0, 0), None, Profiles(None, (None,) * 6))
    calibration = calibration_of(
        nothing, calibrate_published(controls), controls=(), faults=(), tree=None, why_no_tree=None,
        confusion=None,
    )  # fmt: skip
    file = folder / "calibration.json"
    file.write_text(text_of(calibration))
    assert run.node is not None
    return store, run.node, file


@pytest.fixture
def ask(recorded: tuple[Path, str, Path], capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(detectors: str, **options: Any) -> dict[str, Any]:
        nodes(recorded[0], json=True, detectors=detectors, **options)
        value: dict[str, Any] = json.loads(capsys.readouterr().out)
        validate(value, SCHEMA)
        return value

    return asked


def test_detectors_of_papers_name_the_sick_node_and_no_suspect_is_of_them(
    ask: Ask, recorded: tuple[Path, str, Path]
) -> None:
    _, sick, calibration = recorded
    value = ask(EVERY, calibration=calibration)

    named = {
        (one["detector"], one["kind"]): [n["host"] for n in one["nodes"] if n["indicted"]]
        for one in value["as_published"]
    }
    assert [] == value["suspects"] == value["comparisons"]
    assert {each.name for each in PUBLISHED} == {detector for detector, _ in named}
    assert all(one["paper"] for one in value["as_published"])
    for key in (("ganesha", None), ("kahuna-bb", None)):
        assert [sick] == named[key], key
    assert sick in named["kahuna-wb", "map"]


def test_ours_say_the_same_with_and_without_them(ask: Ask) -> None:
    alone, both = ask("all"), ask("all,blimey-wb,blimey-hb")

    assert [] == alone["as_published"]
    assert 4 == len(both.pop("as_published"))
    del alone["as_published"]
    assert alone == both
    assert alone["suspects"]


def test_some_of_ours_can_be_asked_alone(ask: Ask) -> None:
    value = ask("wb-durations,bb-window")

    assert {"wb-durations", "bb-window"} == {one["detector"] for one in value["comparisons"]}


def test_without_profiles_those_that_need_some_say_so(ask: Ask) -> None:
    (one,) = ask("ganesha")["as_published"]

    assert [] == one["nodes"]
    assert "mprof calibrate learns them" in one["withheld"]


def test_the_text_says_whose_verdict_it_is(
    recorded: tuple[Path, str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    store, sick, calibration = recorded
    nodes(store, detectors="ganesha,kahuna-wb", calibration=calibration)
    text = capsys.readouterr().out

    assert text.startswith("Detectors as published were asked alone")
    assert f"ganesha (profiles of the metrics of the operating system): names {sick} (" in text
    assert "SUSPECTS" not in text


def test_a_name_that_no_detector_has_is_one_error_with_all_names(
    recorded: tuple[Path, str, Path],
) -> None:
    with pytest.raises(UsageError, match="there is no detector 'kahuna'") as told:
        nodes(recorded[0], detectors="ganesha,kahuna")

    assert all(each.name in str(told.value.next_step) for each in (*DETECTORS, *PUBLISHED))


def test_who_follows_asks_all_of_ours(recorded: tuple[Path, str, Path]) -> None:
    with pytest.raises(UsageError, match="--follow asks all detectors of ours"):
        nodes(recorded[0], detectors="ganesha", follow_=True)
