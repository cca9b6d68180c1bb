"""What mprof wrote itself is known as that, whole or in parts, and read as no text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from builders.container_logs import found

from mprof.intake import take_in
from mprof.report import render_findings

_EVIDENCE = Path(__file__, "../../../cases/in-mem-word-count/evidence").resolve()


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    shutil.copytree(_EVIDENCE, tmp_path / "capture")
    return tmp_path / "capture"


@pytest.mark.parametrize("part", [".", "runs/001", "runs/001/jobs/*"])
def test_a_part_of_a_capture_is_read_as_its_capture(capture: Path, part: str) -> None:
    [folder] = capture.glob(part) if part != "." else [capture]

    taken = take_in([str(folder)], lambda name: None)

    assert [one.resolve() for one in taken.captures] == [capture]
    assert not taken.unused
    assert (f"{folder} is a part of {capture}" in " ".join(taken.notes)) is (part != ".")


def test_a_run_without_its_capture_is_read_but_not_the_files_about_it(
    capture: Path, tmp_path: Path
) -> None:
    shutil.move(capture / "runs" / "001", tmp_path / "alone")
    page = (
        "<!doctype html>\n<html><body><main>\n<h1>mprof &middot; a job</h1>\n</main></body></html>"
    )
    (tmp_path / "alone" / "report.html").write_text(page)

    findings = found(tmp_path / "alone")
    told = " ".join(render_findings(findings).split())

    assert "run.json: mprof wrote it itself" in told
    assert "report.html: mprof wrote it itself" in told
    assert [one.kind for one in findings.told[0].dead] == ["heap"]


def test_a_file_of_another_program_with_that_name_is_read(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(
        "Task Id : attempt_1760000000000_0001_m_000001_0, Status : FAILED\nError: Java heap space\n"
    )

    assert [one.kind for one in found(tmp_path / "run.json").told[0].dead] == ["heap"]
