"""The detectors of `mprof nodes`: every one has a page, thresholds of its own, and a look."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from development.pages.detectors import detector_page, write_pages
from mprof.cli.explain import explain
from mprof.peers.detectors.registry import DETECTORS, PUBLISHED, Detector

ROOT = Path(__file__).parents[2]


EVERY = (*DETECTORS, *PUBLISHED)


@pytest.mark.parametrize("detector", EVERY, ids=lambda each: each.name)
def test_a_threshold_is_named_after_its_detector_and_shown_on_its_page(detector: Detector) -> None:
    page = detector_page(detector)

    assert detector.thresholds
    for one in detector.thresholds:
        assert one.name.startswith((f"{detector.name}.", "peers."))
        assert f"| {one.name} | {one.default:g} |" in page


def test_the_committed_pages_are_up_to_date(tmp_path: Path) -> None:
    write_pages(tmp_path)

    committed = ROOT / "docs/reference/detectors"
    assert {each.name for each in tmp_path.iterdir()} == {each.name for each in committed.iterdir()}
    for each in tmp_path.iterdir():
        assert each.read_text() == (committed / each.name).read_text(), "regenerate: make docs"


def test_explain_lists_detectors_beside_rules() -> None:
    listed = CliRunner().invoke(_app(), []).output

    assert "hotspot_key" in listed
    assert all(each.name in listed for each in EVERY)


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(explain)
    return app
