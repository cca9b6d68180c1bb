"""Every verb that takes a store takes its address, and says of it what it says of the folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.commands import mprof
from builders.fake_webhdfs import FakeHdfs, fake_hdfs

HISTORIES = (
    Path(__file__).resolve().parents[2]
    / "testbed/recordings/checksum-error-pig-1-speculation/histories"
)
JOB = "job_1795506508590_0013"


@pytest.fixture(scope="module")
def hdfs() -> Iterator[FakeHdfs]:
    with fake_hdfs() as made:
        yield made


@pytest.fixture(scope="module")
def stores(hdfs: FakeHdfs, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The same store in a folder and at an address."""
    both = str(tmp_path_factory.mktemp("here") / "store"), f"{hdfs.address}/data/store"
    told = [mprof("import", HISTORIES, "--store", store, "--json") for store in both]
    rows = [json.loads(one.stdout)["rows"] for one in told]
    assert rows[0] == rows[1] > 100, told[1].stderr
    assert both[1] == json.loads(told[1].stdout)["store"]
    return both


@pytest.mark.parametrize(
    "words",
    [
        ("nodes", "STORE", "--json"),
        ("nodes", "STORE"),
        ("triage", JOB, "--store", "STORE", "--json"),
        ("triage", "job_1_0001", "--store", "STORE"),
        ("import", HISTORIES, "--store", "STORE"),
    ],
    ids=lambda words: " ".join(map(str, words))[:20],
)
def test_what_is_said_of_a_folder_is_said_of_an_address(
    stores: tuple[str, str], words: tuple[str, ...]
) -> None:
    here, there = (
        mprof(*(store if word == "STORE" else word for word in words)) for store in stores
    )

    def said(text: str) -> list[str]:
        lines = text.replace(stores[1], stores[0]).splitlines()
        return [line.partition(" rows in ")[0] for line in lines]

    assert here.returncode == there.returncode
    assert said(here.stdout) == said(there.stdout)
    assert said(here.stderr) == said(there.stderr)


def test_pages_are_made_of_an_address_of_a_store_and_of_files(
    stores: tuple[str, str], hdfs: FakeHdfs, tmp_path: Path
) -> None:
    for path in HISTORIES.iterdir():
        hdfs.files[f"/logs/{path.name}"] = path.read_bytes(), 1.7e9
    hdfs.make("/logs")
    told = [
        mprof("view", what, "-o", tmp_path / f"{number}", "--no-alarms")
        for number, what in enumerate((*stores, f"{hdfs.address}/logs"))
    ]

    first, *others = (one.stdout.splitlines()[0] for one in told)
    assert "2 jobs, " in first
    assert [first, first] == others


def test_a_calibration_takes_addresses(stores: tuple[str, str], tmp_path: Path) -> None:
    here, there = (
        mprof("calibrate", store, "-o", tmp_path / f"{number}.json")
        for number, store in enumerate(stores)
    )
    assert here.returncode == there.returncode == 0, there.stderr
    made = [json.loads((tmp_path / f"{number}.json").read_text()) for number in range(2)]
    assert made[0].keys() == made[1].keys()
    for name in ("settings", "any_detector", "thresholds_as_published", "node_runs"):
        assert made[0][name] == made[1][name], name


def test_what_is_no_store_is_said(hdfs: FakeHdfs) -> None:
    done = mprof("nodes", f"{hdfs.address}/logs")

    assert 3 == done.returncode
    assert f"mprof: {hdfs.address}/logs is no folder of tables" in done.stderr
