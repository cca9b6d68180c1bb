"""``mprof calibrate`` and ``mprof nodes --calibration``, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders.commands import mprof
from builders.stores import store_of
from jsonschema import validate

from development.json_schema import json_schema
from mprof.cli.calibrate import spread
from mprof.peers.calibration.values import Calibration
from simulation.run import Run

ROOT = Path(__file__).parents[2]
NODES = [{"host": f"n{number}", "known_from": "test"} for number in range(1, 4)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], []),
        (["c", "-o", "f"], ["c", "-o", "f"]),
        (
            ["c", "--faults", "a", "b", "-o", "f"],
            ["c", "--faults", "a", "--faults", "b", "-o", "f"],
        ),
        (
            ["--faults", "a", "--faults", "b", "--json", "c"],
            ["--faults", "a", "--faults", "b", "--json", "c"],
        ),
        (["c", "--faults"], ["c", "--faults"]),
    ],
)  # fmt: skip
def test_folders_behind_one_option_belong_to_it(given: list[str], expected: list[str]) -> None:
    assert expected == spread(given, "--faults")


def test_from_runs_to_the_kind_of_sickness(tmp_path: Path) -> None:
    size = {"nodes": 6, "jobs": 1, "maps_a_node": 8, "reduces_a_node": 2}
    controls = [Run(seed=seed, **size).record(tmp_path / f"none-{seed}") for seed in (1, 2)]
    faults = [
        Run(seed=seed, fault="cpu-hog", **size).record(tmp_path / f"hog-{seed}")
        for seed in (12, 13, 15, 14)
    ]
    file, picture = tmp_path / "c.json", tmp_path / "tree.svg"

    made = mprof("calibrate", *controls, "--faults", *faults[:3], "-o", file, "--picture", picture)
    asked = mprof("nodes", faults[3] / "store", "--calibration", file)
    value = json.loads(mprof("nodes", faults[3] / "store", "--calibration", file, "--json").stdout)

    assert 0 == made.returncode, made.stderr
    assert "2 control runs with 12 nodes" in made.stdout
    assert "LEAVING ONE RUN OUT" in made.stdout
    schema = (ROOT / "docs/reference/calibration.schema.json").read_text()
    assert schema == json_schema(Calibration, "What mprof calibrate writes"), "run: make docs"
    validate(json.loads(file.read_text()), json.loads(schema))
    assert picture.read_text().startswith("<svg")
    label = json.loads((faults[3] / "label.json").read_text())
    assert f"{label['node']}: cpu-hog (100% of 3 such vectors, learnt from 3 runs)" in asked.stdout
    assert "bb-profile was not asked" not in asked.stdout
    validate(value, json.loads((ROOT / "docs/reference/nodes.schema.json").read_text()))
    assert {label["node"]} == {
        one["host"] for one in value["kinds"] if one["class"] == "cpu-hog: this node"
    }

    again = mprof("calibrate", *controls, "-o", file)
    assert (2, True) == (again.returncode, "already exists" in again.stderr)


@pytest.mark.parametrize("content", ["", '{"format": 1', "[]", '{"format": 7}'])
def test_a_broken_calibration_is_one_line(tmp_path: Path, content: str) -> None:
    store_of(tmp_path / "store", nodes=NODES)
    (tmp_path / "c.json").write_text(content)
    done = mprof("nodes", tmp_path / "store", "--calibration", tmp_path / "c.json")

    assert 3 == done.returncode
    assert ["mprof: ", "next st"] == [line[:7] for line in done.stderr.splitlines()]
    assert "c.json cannot be read" in done.stderr


def test_wrong_runs_are_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    for name, label in (("sick", {"fault": "hog", "node": "n1"}), ("plain", None)):
        store_of(tmp_path / name, nodes=NODES)
        if label is not None:
            (tmp_path / name / "label.json").write_text(json.dumps(label))
    file = tmp_path / "c.json"

    sick = mprof("calibrate", tmp_path / "sick", "-o", file)
    plain = mprof("calibrate", tmp_path / "plain", "--faults", tmp_path / "plain", "-o", file)
    none = mprof("calibrate", tmp_path / "none", "-o", file)

    assert [3, 3, 3] == [one.returncode for one in (sick, plain, none)]
    assert "its label names the fault hog" in sick.stderr
    assert "has no label.json" in plain.stderr
    assert "there is no folder" in none.stderr
    assert not file.exists()
