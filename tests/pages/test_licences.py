"""A site that contains what its notice does not tell, or lacks a licence, is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages.commands import ROOT

from development.site.licences import FOLDER, add_licences, unnoticed_in

OF_SCRIPTS = "Package: clipboard@2.0.11\nLicense: MIT\nCopyright: Zeno Rocha\n"
WORKER = (ROOT / "development/site/theme/assets/javascripts/iframe-worker.js").read_text()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """What Zensical makes of the pages, as far as licences matter."""
    scripts = tmp_path / "assets" / "javascripts"
    for folder in (scripts, tmp_path / FOLDER, tmp_path / "assets" / "stylesheets" / "modern"):
        folder.mkdir(parents=True)
    (scripts / "LICENSE").write_text(OF_SCRIPTS)
    (scripts / "iframe-worker.js").write_text(WORKER)
    for text in (ROOT / "licenses" / "site").iterdir():
        (tmp_path / FOLDER / text.name).write_bytes(text.read_bytes())
    return tmp_path


def test_our_own_licence_is_added_and_the_unused_variant_goes(site: Path) -> None:
    add_licences(site, ROOT)

    assert [] == list(unnoticed_in(site))
    assert (ROOT / "LICENSE").read_bytes() == (site / FOLDER / "LICENSE.txt").read_bytes()
    assert [] == list((site / "assets" / "stylesheets").iterdir())


def test_a_package_of_another_version_is_told(site: Path) -> None:
    add_licences(site, ROOT)
    scripts = site / "assets" / "javascripts"
    (scripts / "LICENSE").write_text(OF_SCRIPTS.replace("2.0.11", "3.0.0"))
    (scripts / "new.js").write_text("/*! lunr 2.3.9, somewhere: a search */\n")

    assert [
        "clipboard 3.0.0 is not in licenses/NOTICE.txt",
        "lunr 2.3.9 is not in licenses/NOTICE.txt",
    ] == list(unnoticed_in(site))


def test_a_licence_that_is_named_and_not_there_is_told(site: Path) -> None:
    assert ["licenses/NOTICE.txt names LICENSE.txt, which is not there"] == list(unnoticed_in(site))
