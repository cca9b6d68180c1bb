"""The machinery that counts: the same for a seed, and its sums."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reliability.__main__ import main
from reliability.draw import draw
from reliability.page import reliability_page
from reliability.score import (
    Outcome,
    Result,
    Said,
    Share,
    judge_job,
    judge_jobs,
    marks_missed,
    result_of,
)

JOBS = 200


@pytest.fixture(scope="module")
def result() -> Result:
    return result_of(judge_jobs(4, JOBS))


def said(word: str, truth: str, *, run: str = "rerun", times: int = 1) -> tuple[Said, ...]:
    return (Said(run, "hotspot_key", word, truth),) * times  # type: ignore[arg-type]


def outcome(*many: tuple[Said, ...]) -> Outcome:
    return Outcome(1, 0, ("map",), True, (), tuple(one for some in many for one in some))


def test_a_quick_run_judges_every_job_without_an_error(result: Result) -> None:
    assert len(result.outcomes) == JOBS
    assert result.crashes == 0
    assert 0.75 * JOBS < sum(one.died for one in result.outcomes) < JOBS
    assert {cause for one in result.outcomes for cause in one.true} >= {
        "large_accumulated_results.map", "large_accumulated_results.group", "hotspot_key",
        "large_intermediate_results", "large_external_data", "large_framework_buffer.map",
    }  # fmt: skip


def test_of_a_job_that_does_not_die_nothing_is_true_and_nothing_named(result: Result) -> None:
    for one in result.outcomes:
        if not one.died:
            assert one.true == ()
            assert not [s for s in one.said if s.said in ("sure", "likely", "possible")]


def test_a_job_is_the_same_alone_and_among_others(result: Result) -> None:
    for index in (0, 17, 101):
        assert judge_job(4, index) == result.outcomes[index]


def test_two_jobs_are_not_alike() -> None:
    assert draw(4, 1).heap_max != draw(4, 2).heap_max


def test_only_jobs_of_the_kinds_that_were_asked_for_are_judged() -> None:
    some = list(judge_jobs(4, 3, runs=("watch",), kinds=("external",)))

    assert [any("external" in kind for kind in one.kinds) for one in some] == [True] * 3


def test_what_may_be_said_counts_neither_for_nor_against() -> None:
    one = outcome(
        said("sure", "true", times=3), said("sure", "false"), said("sure", "may", times=4)
    )

    share, tolerated = result_of([one]).named(lambda s: s.said == "sure")

    assert (share.count, share.of, tolerated) == (3, 4, 4)


def test_the_interval_is_wilsons() -> None:
    # Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662
    low, high = Share(81, 263).interval

    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_marks_are_missed_one_by_one() -> None:
    right = outcome(said("sure", "true", times=99), said("sure", "false", times=1))
    wrong = outcome(said("sure", "true", times=98), said("sure", "false", times=2))
    denied = outcome(said("sure", "true", times=98), said("silent", "true", times=2))
    left = outcome(said("sure", "true", times=84), said("cannot tell", "true", times=16))
    watched = outcome(said("cannot tell", "true", run="watch", times=16))

    assert marks_missed(result_of([right])) == []
    assert [line.split()[0] for line in marks_missed(result_of([wrong]))] == ["sure"]
    assert "denied" in marks_missed(result_of([denied]))[0]
    assert "left open after rerun" in marks_missed(result_of([left]))[0]
    assert marks_missed(result_of([watched])) == []


def test_sure_in_one_run_and_silent_in_another_is_a_contradiction(result: Result) -> None:
    for one in result.outcomes:
        by_cause: dict[str, set[str]] = {}
        for each in one.said:
            by_cause.setdefault(each.cause, set()).add(each.said)
        expected = {c for c, words in by_cause.items() if {"sure", "silent"} <= words}
        assert expected == set(one.contradictions)


def test_the_page_shows_words_rules_and_the_command(result: Result) -> None:
    page = reliability_page(result, "make reliability")

    assert page.startswith("# How often a verdict is right\n")
    assert "```\nmake reliability\n```" in page
    assert page.count("\n| `") >= 12
    share, tolerated = result.named(lambda s: s.said == "sure")
    assert f"| *sure* | 99% | {share.value:.1%}" in page
    assert f"of {share.of:,} | {tolerated:,} |" in page
    assert all(len(line) < 400 for line in page.splitlines())


def test_the_command_writes_lines_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, page = tmp_path / "jobs.jsonl", tmp_path / "page.md"

    code = main(
        ["--seed", "4", "--jobs", "5", "--runs", "watch", "--jsonl", str(lines),
         "--page", str(page), "--show", "1"]
    )  # fmt: skip

    assert code == 0
    read = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [one["job"] for one in read] == [f"4:{i}" for i in range(5)]
    assert "--seed 4 --jobs 5" in page.read_text()
    assert "5 jobs" in capsys.readouterr().out


def test_one_job_is_shown_with_every_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--only", "4:2", "--runs", "watch"])

    out = capsys.readouterr().out
    assert out.startswith("== 4:2\n")
    assert "large_framework_buffer.shuffle" in out
