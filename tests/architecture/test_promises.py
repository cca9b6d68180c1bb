"""Each promise of the page names tests that exist, and each link of the page leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/promises.md"
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | "))
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| promise ")
]
IS_A_TEST = {".py": r"^def test_", ".java": r"^\s+@(?:Test|ParameterizedTest|TestFactory)\b"}


def test_there_are_promises() -> None:
    assert len(ROWS) > 30


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_promise_is_held_by_tests_that_are_there(row: tuple[str, ...]) -> None:
    promise, held_by = row
    named = re.findall(r"`([\w./-]+/[\w./-]+)`", held_by)
    assert named, promise
    for name in named:
        path = ROOT / name
        assert path.is_file(), name
        assert re.search(IS_A_TEST[path.suffix], path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", ["SECURITY.md", "docs/promises.md"])
def test_a_link_leads_to_a_file(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert links
    assert [] == [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_the_pages_are_found_from_the_first_ones(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "promises.md" in text
    assert "SECURITY.md" in text
