"""The report that a run keeps, and when it is printed as it is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mprof.catalogue import load_cases
from mprof.cli.stored import keep_report, kept_report
from mprof.report import render_html, render_json, render_text
from mprof.runs import Capture, SilentObserver, diagnose_capture, open_capture
from mprof.version import __version__

ROOT = Path(__file__).parents[2]


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    case = next(one for one in load_cases(ROOT / "cases") if one.evidence.is_dir())
    folder = tmp_path / "capture"
    shutil.copytree(case.evidence, folder)
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    return open_capture(folder)


def test_what_was_kept_is_what_a_diagnosis_says(capture: Capture) -> None:
    diagnosed = diagnose_capture(capture, SilentObserver())

    assert kept_report(capture, html=False, json=False) is None
    keep_report(capture.latest.path, diagnosed)

    assert kept_report(capture, html=False, json=False) == render_text(diagnosed)
    assert kept_report(capture, html=True, json=False) == render_html(diagnosed)
    assert kept_report(capture, html=False, json=True) == render_json(diagnosed)


def newer(capture: Capture) -> None:
    (capture.path / "new").touch()
    os.utime(capture.path / "new", (1e10, 1e10))


def other_version(capture: Capture) -> None:
    (capture.latest.path / "diagnosis.json").write_text('{"mprof_version": "0.0"}')


def older_schema(capture: Capture) -> None:
    (capture.latest.path / "diagnosis.json").write_text("{}")


def damaged(capture: Capture) -> None:
    (capture.latest.path / "diagnosis.json").write_text("{")


def without_text(capture: Capture) -> None:
    (capture.latest.path / "report.txt").unlink()


CHANGES = [newer, other_version, older_schema, damaged, without_text]


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_it_is_not_printed_where_it_may_not_be_true_any_more(
    capture: Capture, change: Callable[[Capture], None]
) -> None:
    folder = capture.latest.path
    for name, text in (("report.txt", "x\n"), ("report.html", "x")):
        (folder / name).write_text(text)
    (folder / "diagnosis.json").write_text(f'{{"mprof_version": "{__version__}"}}')
    assert kept_report(capture, html=False, json=False) == "x"

    change(capture)

    assert kept_report(capture, html=False, json=False) is None
