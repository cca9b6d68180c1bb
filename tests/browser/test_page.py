"""The HTML report in a real browser (``make test-browser``)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from browser.driving import BROWSER, DRIVER, browser
from builders.examples import examples_of

from mprof.catalogue import load_cases, replay_case
from mprof.diagnosis import diagnose
from mprof.report import render_html
from mprof.rules import RULES

ROOT = Path(__file__).parents[2]
WIDE = {"cooccur-matrix", "collaborative-filtering", "pig-join"}
"""Their classes, aliases and paths are long."""

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


@pytest.mark.skipif(DRIVER is None, reason="no driver of Chromium: install chromium-driver")
def test_no_page_is_wider_than_a_telephone(tmp_path: Path) -> None:
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    cases = [one for one in load_cases(ROOT / "cases") if one.slug in WIDE]
    reports = [replay_case(one).diagnosed for one in cases]
    reports += [diagnose(examples_of(rule)[0].evidence()) for rule in RULES]

    with browser() as opened:
        opened.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        for diagnosed in reports:
            page = tmp_path / "report.html"
            page.write_text(render_html(diagnosed), encoding="utf-8")
            opened.driver.get(page.as_uri())

            assert 390 == opened.run("return document.documentElement.scrollWidth")
