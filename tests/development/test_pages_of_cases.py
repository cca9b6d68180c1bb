"""The generated pages are those that would be generated now."""

from __future__ import annotations

from pathlib import Path

from development.pages.cases import bounds_set, write_pages
from mprof.catalogue import load_cases
from mprof.catalogue.case import setting_texts

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


def test_what_a_case_sets_stands_in_its_row() -> None:
    page = (ROOT / "docs/reference/cases.md").read_text()
    rows = page.split("## What each case sets")[1].splitlines()
    harness = ("memory.mb", "maxattempts", "speculative", "java.opts")

    for case in load_cases(ROOT / "cases"):
        if case.kind == "control":
            continue
        (row,) = (row for row in rows if row.startswith(f"| [{case.slug}]"))
        side = "map" if case.phase == "map" else "reduce"
        options = case.job.settings[f"mapreduce.{side}.java.opts"]
        assert f"| `{options}` |" in row
        for text in setting_texts(case.job.settings):
            if not text.split("=")[0].endswith(harness):
                assert row.count(f"`{text}`") == 1, f"{case.slug}: {text}"


def test_a_case_names_the_bounds_that_it_sets_on_its_page() -> None:
    """Spilling, flushing, map-side aggregation, collectors: what makes a small job die is told."""
    for case in load_cases(ROOT / "cases"):
        if case.kind == "control":
            continue
        page = (case.folder / "README.md").read_text()
        for key in (key for keys in bounds_set(case).values() for key in keys):
            name = "pig.spill." if key.startswith("pig.spill.") else key
            assert f"`{name}" in page, f"{case.slug} does not say that it sets {key}"
        for key, value in case.job.settings.items():
            options = str(value).split() if key.endswith("java.opts") else []
            for option in options:
                assert option.startswith("-Xmx") or f"`{option}`" in page, (case.slug, option)
