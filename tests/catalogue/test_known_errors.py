"""The page of the study's errors: all 56 are on it once, links lead to cases, sums add up."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from pathlib import Path

from mprof.catalogue import Case, load_cases

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/known-errors.md"
# Table 1 of the paper: all errors of a cause, and those of which it is the second cause.
OF_THE_PAPER = {
    "large framework buffer": (6, 0),
    "improper data partition": (3, 0),
    "hotspot key": (15, 13),
    "large single record": (6, 3),
    "large external data": (8, 0),
    "large intermediate results": (4, 0),
    "large accumulated results": (30, 0),
}
# The study knows no cause of the kind of a large input split.
OURS = {
    "large_framework_buffer": "large framework buffer",
    "improper_partition": "improper data partition",
    "hotspot_key": "hotspot key",
    "large_single_record": "large single record",
    "large_external_data": "large external data",
    "large_intermediate_results": "large intermediate results",
    "large_accumulated_results": "large accumulated results",
}
SOURCES = {"Stack Overflow": 30, "mailing list": 13, "blog": 2, "book": 11}


def table(title: str) -> list[list[str]]:
    """The rows below the table head that begins with this title."""
    lines = PAGE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {title} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


ERRORS = table("no.")
CASES = {case.slug: case for case in load_cases(ROOT / "cases")}


def causes(row: list[str]) -> list[str]:
    return row[4].split(", ")


def case_of(row: list[str]) -> Case | None:
    if row[5] == "none":
        return None
    match = re.fullmatch(r"\[([a-z0-9-]+)\]\((.+)\)", row[5])
    assert match is not None, row
    slug, link = match.groups()
    assert slug in CASES, f"number {row[0]}: there is no case {slug}"
    assert link == f"../../cases/{CASES[slug].relative_path}/README.md"
    assert (PAGE.parent / link).is_file(), link
    return CASES[slug]


def test_each_of_the_56_errors_is_there_once() -> None:
    assert [row[0] for row in ERRORS] == [str(number) for number in range(1, 57)]
    places = [row[1].split(", ")[0] for row in ERRORS]
    assert len(set(places)) == 56
    named = [row[1].split(", ")[1] for row in ERRORS if "," in row[1]]
    assert sorted(named) == [f"e{number:02}" for number in range(1, 22)]


def test_the_totals_per_cause_are_those_of_the_rows_and_of_the_paper() -> None:
    every = Counter(chain.from_iterable(causes(row) for row in ERRORS))
    second = Counter(chain.from_iterable(causes(row)[1:] for row in ERRORS))
    counted = {cause: (every[cause], second[cause]) for cause in every}
    assert counted == OF_THE_PAPER

    told = {name: (int(number), int(beside)) for name, _, beside, number in table("cause")}
    totals = told.pop("all")
    assert told == counted
    assert totals == (sum(every.values()), sum(second.values())) == (72, 16)
    for name, first, beside, number in table("cause"):
        assert int(first) + int(beside) == int(number), name


def test_the_totals_per_source_are_those_of_the_rows() -> None:
    counted = Counter(source for row in ERRORS for source in SOURCES if source in row[2])
    assert counted == SOURCES
    told = {name.removesuffix("s"): int(number) for name, number in table("source")}
    assert told == {**SOURCES, "all": 56}


def test_a_row_leads_to_a_case_or_says_why_there_is_none() -> None:
    without = [row[0] for row in ERRORS if case_of(row) is None]
    assert all(ERRORS[int(number) - 1][6] for number in without)
    told = f"{56 - len(without)} have one, {len(without)} have none."
    assert told in PAGE.read_text()


def test_a_case_with_other_causes_than_the_study_is_marked() -> None:
    """Nothing may pass for the same that has another cause."""
    for row in ERRORS:
        case = case_of(row)
        if case is None:
            continue
        ids = (cause.split(".")[0] for cause in case.expected.causes)
        named = {OURS[cause] for cause in ids if cause in OURS}
        assert named == set(causes(row)) or row[6], f"number {row[0]}: {case.slug} has {named}"


def test_jobs_of_the_paper_that_are_no_known_error_are_named() -> None:
    mapped = {case.slug.removesuffix("-plain") for row in ERRORS if (case := case_of(row))}
    of_paper = {case.slug for case in CASES.values() if case.kind == "case"}
    rest = {slug for slug in of_paper - mapped if not CASES[slug].is_plain_variant}
    last = PAGE.read_text().split("## The other way round")[1]
    assert all(slug in last for slug in rest), rest
