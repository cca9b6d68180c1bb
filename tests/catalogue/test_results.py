"""Results of runs are kept: what is done is skipped, and the pages show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from development.pages.cases import RESULTS, catalogue_table, latest
from mprof.catalogue import Case, find_case, replay_case
from mprof.catalogue.results import (
    Result,
    add_result,
    fingerprint,
    read_results,
)
from mprof.cli.series import Series
from mprof.errors import UsageError

ROOT = Path(__file__).parents[2] / "cases"
SLUGS = ("in-mem-word-count", "reduce-merge", "graph-partitioner")


def result(case: str = "a", seed: int = 1, *, correct: bool = True, mark: str = "") -> Result:
    return Result(case, "run", seed, "2026-11-23", correct, ("x",), (), 75.0, mark)


def series(file: Path | None, seed: int | None = None, **settings: Any) -> Series:
    cases = [find_case(ROOT, slug) for slug in SLUGS]
    return Series(cases, file=file, way="run", seed=seed, settings=settings)


def test_results_come_back_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "results"
    for seed in (3, 1, 2):
        add_result(file, result(seed=seed))

    assert [one.seed for one in read_results(file)] == [3, 1, 2]
    assert [one.seed for one in latest(read_results(file))["a"]] == [1, 2, 3]
    assert read_results(tmp_path / "absent") == ()
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_a_first_run_that_leaves_something_to_a_rerun_is_no_fault() -> None:
    done = replay_case(find_case(ROOT, "mahout-ssvd"), first_run=True)

    assert done.needs_rerun
    assert Result.of(done, "mark").correct
    assert Result.of(done, "mark").problems


def test_a_line_that_a_kill_has_cut_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "results"
    add_result(file, result(seed=1))
    add_result(file, result(seed=2))
    file.write_bytes(file.read_bytes()[:-9])

    assert [one.seed for one in read_results(file)] == [1]
    add_result(file, result(seed=3))
    assert [one.seed for one in read_results(file)] == [1, 3]


@pytest.mark.parametrize("text", ["no JSON\n", "{}\n", "\xff\xfe\n", "[1]\n{}\n"])
def test_another_file_is_refused_and_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "results"
    file.write_bytes(text.encode("latin-1"))

    with pytest.raises(UsageError, match="does not hold results of cases"):
        read_results(file)
    with pytest.raises(UsageError):
        add_result(file, result())

    assert file.read_bytes() == text.encode("latin-1")


def test_what_is_done_is_not_run_again(tmp_path: Path) -> None:
    file = tmp_path / "results"
    first = series(file)
    for case in first.to_run():
        if case.slug == SLUGS[1]:
            first.failed(case, "the job succeeded")
            break
        first.ended(case, replay_case(case))

    again = series(file)

    assert [case.slug for case in again.to_run()] == [SLUGS[2]]
    assert again.wrong_before() == ["reduce-merge (before: the job succeeded)"]
    # Another seed or setting is another run.
    assert len(list(series(file, seed=2).to_run())) == 3
    assert len(list(series(file, a=1).to_run())) == 3
    assert len(list(series(None).to_run())) == 3


def test_a_case_that_was_changed_is_run_again() -> None:
    case = find_case(ROOT, SLUGS[0])

    def print_of(changed: Case, seed: int = 1) -> str:
        return fingerprint(changed, seed=seed, way="run", settings={})

    job = msgspec.structs.replace(case.job, settings={"a": 1})
    assert print_of(case) == print_of(find_case(ROOT, SLUGS[0]))
    assert print_of(case) != print_of(msgspec.structs.replace(case, job=job))
    assert print_of(case) != print_of(case, seed=2)
    # What is only said of it changes nothing.
    assert print_of(case) == print_of(msgspec.structs.replace(case, title="other"))


def test_the_pages_show_the_latest_runs(tmp_path: Path) -> None:
    (tmp_path / SLUGS[0]).symlink_to(ROOT / SLUGS[0])
    case = find_case(tmp_path, SLUGS[0])
    mark = fingerprint(case, seed=1, way="run", settings={})

    assert "none since its last change" in catalogue_table([case], link="")
    add_result(tmp_path / RESULTS, result(case.slug, correct=False, mark=mark))
    assert "wrong with seed 1 (2026-11-23)" in catalogue_table([case], link="")
    add_result(tmp_path / RESULTS, result(case.slug, mark=mark))
    assert "| right with seed 1 (2026-11-23) |" in catalogue_table([case], link="")
    add_result(tmp_path / RESULTS, result(case.slug, mark="of another one"))
    assert "none since its last change" in catalogue_table([case], link="")
