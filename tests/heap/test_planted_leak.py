"""A leak that was planted in a real program, found from the terminal as a user would."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from builders.jvm import compile_java
from typer.testing import CliRunner

from mprof.cli.subcommands import app
from mprof.hadoop.java import java_home

SOURCE = Path(__file__).parent / "java" / "PlantedLeak.java"


def planted(home: Path, classes: Path, *, sessions: int) -> Path:
    """The dump that the program makes of itself."""
    dump = classes / "planted.hprof"
    java = [str(home / "bin/java"), "-Xmx128m", "-XX:+UseSerialGC", "-cp", str(classes)]
    subprocess.run(
        [*java, "shop.PlantedLeak", str(dump), str(sessions)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return dump


def _said(dump: Path, *options: str) -> Any:
    words = ["heap", str(dump), *options, "--json"]
    return json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)


@pytest.mark.jvm
def test_from_the_holder_of_the_headline_down_to_the_leak(tmp_path: Path) -> None:
    home = java_home()
    compile_java(home, [SOURCE], tmp_path)
    dump = planted(home, tmp_path, sessions=4000)

    holder = _said(dump)["holders"][0]
    assert holder["name"] == (
        "field PlantedLeak.Audit.ended (reached from static "
        "shop.PlantedLeak$Registry.INSTANCE.services)"
    )
    one, steps = holder["id"], []
    for _ in range(8):
        answer = _said(dump, "--dominates", one, "--top", "3")
        steps.append((answer["object"]["class"], answer["object"]["share"]))
        below = answer["dominates"][0]
        if below["share"] < 0.5:
            break
        one = below["id"]

    # The audit's map -> the table: there the way parts.
    assert [name for name, _ in steps] == ["java.util.HashMap", "java.util.HashMap$Node[]"]
    assert all(share > 0.7 for _, share in steps)
    sessions = _said(dump, "--class", "PlantedLeak$Session", "--top", "1")
    assert 4000 == sessions["objects"]
    path = _said(dump, "--path", sessions["instances"][0]["id"])["path"]
    ways = [step["by"] for step in path]
    assert ["services", "value", "ended", "table"] == [
        way for way in ways if way in ("services", "value", "ended", "table")
    ][:4]
