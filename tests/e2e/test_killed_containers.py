"""Containers that YARN kills for their memory, and what a rerun with room for them shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e.conftest import Command

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

DONE = 0
DIAGNOSED = 5
LINES = 15_000


@pytest.fixture(scope="module")
def few_lines(lines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first of the lines: a task sleeps a millisecond at each."""
    folder = tmp_path_factory.mktemp("few")
    text = (lines / "lines.txt").read_text().splitlines(keepends=True)[:LINES]
    (folder / "lines.txt").write_text("".join(text))
    return folder


def crowded(jar: Path, lines: Path, out: Path, way: str, megabytes: int, options: str) -> list[str]:
    settings = {
        "acme.way": way,
        "acme.megabytes": str(megabytes),
        "mapreduce.map.memory.mb": "1024",
        "mapreduce.map.java.opts": options,
        "mapreduce.map.maxattempts": "1",
        "mapreduce.job.maps": "1",
        "mapreduce.input.fileinputformat.split.minsize": "100000000",
    }
    words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    return ["hadoop", "jar", str(jar), "acme.Crowded", *words, str(lines), str(out)]


@pytest.mark.parametrize(
    ("way", "megabytes", "options", "place"),
    [
        ("native", 1300, "-Xmx256m", "native"),
        ("child", 1100, "-Xmx256m", "child_processes"),
        ("direct", 1200, "-Xmx400m -XX:MaxDirectMemorySize=1500m", "direct"),
        ("heap", 1300, "-Xmx1800m", "heap"),
    ],
)
def test_the_place_of_the_memory_is_named_and_room_proves_the_container_too_small(
    mprof: Command, jar: Path, few_lines: Path, tmp_path: Path,
    way: str, megabytes: int, options: str, place: str,
) -> None:  # fmt: skip
    capture = str(tmp_path / "capture")
    job = crowded(jar, few_lines, tmp_path / "out", way, megabytes, options)

    watched = mprof("run", "--embedded", "-o", capture, "--json", "--", *job)

    assert watched.exit_code == DIAGNOSED, watched.stderr
    report = watched.json
    assert report["death"]["kind"] == "container-physical"
    causes = [one["cause"] for one in report["causes"]]
    assert ("large_accumulated_results.map" in causes) == (place == "heap"), causes
    assert report["container"]["place"] == place, report["container"]
    assert report["container"]["room"]["asked_mb"] is None

    again = mprof("rerun", "--embedded", capture, "--json", "--", *job)

    assert again.exit_code == DONE, again.stderr
    report = again.json
    assert report["death"]["kind"] == "container-physical"
    if place == "heap":  # the probes before the kill say whose it was
        assert report["causes"][0]["cause"] == "large_accumulated_results.map"
        assert "kept" in report["causes"][0]["where"]["path"]
    (run,) = report["container"]["elsewhere"]
    assert run["outcome"] == "finished"
    assert run["peak_bytes"] > megabytes << 20
    (advice,) = [one for one in report["advice"] if one["cause"] == "container_memory"]
    assert advice["old"] == "1024"
    assert run["peak_bytes"] <= int(advice["new"]) << 20 <= run["asked_mb"] << 20
    assert "proven" in advice["text"]


def test_a_heap_that_the_container_ended_dies_of_its_cause_where_it_has_room(
    mprof: Command, jar: Path, few_lines: Path, tmp_path: Path
) -> None:
    capture = str(tmp_path / "capture")
    job = crowded(jar, few_lines, tmp_path / "out", "heap", 3000, "-Xmx1300m")

    watched = mprof("run", "--embedded", "-o", capture, "--json", "--", *job)

    assert watched.json["death"]["kind"] == "container-physical"
    assert watched.json["container"]["place"] == "heap"

    again = mprof("rerun", "--embedded", "--no-verify", capture, "--json", "--", *job)

    assert again.exit_code == DIAGNOSED, again.stderr
    report = again.json
    assert report["death"]["kind"] == "heap"
    assert report["causes"][0]["cause"] == "large_accumulated_results.map"
    assert "kept" in report["causes"][0]["where"]["path"]
    room = report["container"]["room"]
    assert room["plain_mb"] == 1024
    assert room["asked_mb"] == room["wanted_mb"] > 2000
    assert "the container was larger" in " ".join(report["container"]["sentences"])
