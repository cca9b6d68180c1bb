"""The generated pages are those that would be generated now."""

from __future__ import annotations

from pathlib import Path

from mprof.catalogue import load_cases, write_pages

ROOT = Path(__file__).parents[2]


def test_the_committed_pages_are_up_to_date(tmp_path: Path) -> None:
    cases = load_cases(ROOT / "cases")
    root, reference = tmp_path / "cases", tmp_path / "docs" / "reference"
    root.mkdir()
    reference.mkdir(parents=True)

    write_pages(cases, root=root, reference=reference)

    hint = "regenerate with: make docs"
    assert (root / "README.md").read_text() == (ROOT / "cases/README.md").read_text(), hint
    made = (reference / "cases.md").read_text()
    assert made == (ROOT / "docs/reference/cases.md").read_text(), hint


def test_links_on_the_reference_page_lead_to_the_cases() -> None:
    page = (ROOT / "docs/reference/cases.md").read_text()

    for case in load_cases(ROOT / "cases"):
        link = f"../../cases/{case.relative_path}/README.md"
        assert f"[{case.slug}]({link})" in page
        assert (ROOT / "docs/reference" / link).resolve().is_file()
