"""The page of reports says what the recorded cases say today, and the site has each report."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages.commands import ROOT

from development.site.gallery import EXHIBITS, gallery_page, hang_reports

pytestmark = pytest.mark.slow
PAGE = ROOT / "docs" / "gallery.md"
CASES = ROOT / "cases"


def test_the_committed_page_is_up_to_date() -> None:
    assert gallery_page(CASES) == PAGE.read_text(encoding="utf-8"), "regenerate: make docs"


def test_each_exhibit_is_linked_to_its_report(tmp_path: Path) -> None:
    (tmp_path / "gallery.md").write_bytes(PAGE.read_bytes())

    hang_reports(tmp_path, cases=CASES)

    page = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    for exhibit in EXHIBITS:
        assert 1 == page.count(f"](gallery/{exhibit.report})")
        report = (tmp_path / "gallery" / exhibit.report).read_text(encoding="utf-8")
        assert report.startswith("<!doctype html>")
