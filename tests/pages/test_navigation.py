"""No page is lost: navigation and first page lead to each, or to the index of its folder."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from pages.commands import ROOT

DOCS = ROOT / "docs"
NAVIGATION = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]
INDEXED = {"decisions", "errors", "rules", "messages", "detectors", "samples"}
"""Folders whose README.md leads to their pages."""


def named(entry: Any) -> Iterator[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from named(each)


def pages() -> set[str]:
    return {
        str(page.relative_to(DOCS))
        for page in DOCS.rglob("*.md")
        if page.parent.name not in INDEXED
    }


def test_the_navigation_names_each_page() -> None:
    assert set() == pages() - set(named(NAVIGATION))


def test_the_navigation_names_no_page_twice() -> None:
    entries = list(named(NAVIGATION))
    assert sorted(set(entries)) == sorted(entries)


def test_the_first_page_leads_to_each_page() -> None:
    index = (DOCS / "index.md").read_text()
    assert set() == pages() - {"index.md"} - set(re.findall(r"\]\(([^)#]+)", index))
