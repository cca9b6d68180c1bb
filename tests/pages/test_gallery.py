"""The page of reports says what the recorded cases say today, and the site has each report."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages.commands import ROOT

from development.site.gallery import (
    EXHIBITS,
    PICTURES,
    draw_pictures,
    gallery_page,
    hang_reports,
)
from development.site.pictures import HEIGHT, WIDTH, draw, what_is_missing

MOST_BYTES = 1_500_000
PAGE = ROOT / "docs" / "gallery.md"
CASES = ROOT / "cases"


@pytest.mark.slow
def test_the_committed_page_is_up_to_date() -> None:
    assert gallery_page(CASES) == PAGE.read_text(encoding="utf-8"), "regenerate: make docs"


@pytest.mark.slow
def test_each_exhibit_is_linked_to_its_report(tmp_path: Path) -> None:
    (tmp_path / "gallery.md").write_bytes(PAGE.read_bytes())

    hang_reports(tmp_path, cases=CASES)

    page = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    for exhibit in EXHIBITS:
        assert f"\n[The report](gallery/{exhibit.report})\n" in page
        assert f"\n[{exhibit.picture}](gallery/{exhibit.report})\n" in page
        report = (tmp_path / "gallery" / exhibit.report).read_text(encoding="utf-8")
        assert report.startswith("<!doctype html>")


def size_of(webp: bytes) -> tuple[int, int]:
    """Width and height of a WebP picture in the extended format (RFC 9649, section 2.7)."""
    assert (webp[:4], webp[8:16]) == (b"RIFF", b"WEBPVP8X")
    width, height = (int.from_bytes(webp[at : at + 3], "little") for at in (24, 27))
    return width + 1, height + 1


def test_each_exhibit_has_a_picture_and_all_are_small() -> None:
    pictures = {file.name: file.read_bytes() for file in (PAGE.parent / PICTURES).iterdir()}

    assert {f"{exhibit.name}.webp" for exhibit in EXHIBITS} == set(pictures)
    assert {(WIDTH, HEIGHT)} == {size_of(each) for each in pictures.values()}
    assert len(set(pictures.values())) == len(pictures)
    assert sum(map(len, pictures.values())) < MOST_BYTES


def test_without_a_browser_the_old_pictures_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / PICTURES / "hash-join.webp"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"old")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "Chromium" == draw_pictures(ROOT / "cases", tmp_path)
    assert [b"old"] == [each.read_bytes() for each in old.parent.iterdir()]


@pytest.mark.browser
@pytest.mark.skipif(what_is_missing() is not None, reason="no Chromium with its driver")
def test_a_picture_is_what_a_browser_shows_of_the_top_of_a_page(tmp_path: Path) -> None:
    tall = "<body style='margin:0'><div style='height:1200px'></div>{}"
    pages = {"a": tall.format(""), "b": tall.format("<h1>below</h1>"), "c": "<h1>above</h1>"}
    draw(pages, tmp_path)
    drawn = {file.stem: file.read_bytes() for file in tmp_path.iterdir()}

    assert {(WIDTH, HEIGHT)} == {size_of(each) for each in drawn.values()}
    assert drawn["a"] == drawn["b"]  # what stands below the picture is not in it
    assert drawn["a"] != drawn["c"]
