"""The HTML report in a real browser (``make test-browser``)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from builders.examples import examples_of

from mprof.diagnosis import diagnose
from mprof.report import render_html
from mprof.rules import RULES

BROWSER = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: install chromium"),
]

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update"]  # fmt: skip


def test_the_page_shows_verdict_curve_and_advice(tmp_path: Path) -> None:
    evidence = examples_of(RULES[0])[0].evidence()
    page = tmp_path / "report.html"
    page.write_text(render_html(diagnose(evidence)), encoding="utf-8")

    assert BROWSER is not None
    shown = subprocess.run(
        [BROWSER, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout

    assert "ran out of heap" in shown
    assert "<polyline" in shown
    assert "How it grew" in shown
