"""``python -m reliability --seed S --jobs N``: how often the verdicts are right."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from reliability.healthy import Healthy, healthy_tasks, judged
from reliability.observe import RUNS, Run
from reliability.page import reliability_page
from reliability.score import (
    WORDS,
    Outcome,
    Result,
    Share,
    judge_jobs,
    marks_missed,
    result_of,
    truth_and_runs,
)
from reliability.truth import CAUSES
from reliability.words import job_in_words, truth_in_words, verdicts_in_words

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge jobs, print what came of it; 1 where a mark is missed and ``--marks`` was given."""
    parser = argparse.ArgumentParser(prog="python -m reliability", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="index of the first job")
    parser.add_argument("--runs", default=",".join(RUNS), help="of " + ", ".join(RUNS))
    parser.add_argument("--kinds", nargs="*", default=[], help="words of the kinds of jobs")
    parser.add_argument("--jsonl", type=Path, help="write one line for each job")
    parser.add_argument("--show", type=int, default=0, help="print so many jobs with faults")
    parser.add_argument("--fault", default="", help="show jobs of which a fault has these words")
    parser.add_argument(
        "--finished",
        action="store_true",
        help="judge what is said of more input to tasks that came to their end, in a larger heap",
    )
    parser.add_argument("--only", help="SEED:INDEX of one job, printed with every verdict")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--marks", action="store_true", help="end with 1 where a mark is missed")
    given = parser.parse_args(arguments)
    runs: tuple[Run, ...] = tuple(run for run in RUNS if run in given.runs.split(","))
    if given.only:
        seed, _, index = given.only.partition(":")
        show(int(seed), int(index), runs, all_of_them=True)
        return 0
    if given.finished:
        print_fits([judged(*each) for each in healthy_tasks(given.seed, given.jobs)])
        return 0
    outcomes = []
    shown = 0
    lines = given.jsonl.open("w", encoding="utf-8") if given.jsonl else None
    for outcome in judge_jobs(
        given.seed, given.jobs, runs=runs, kinds=given.kinds, first=given.first
    ):
        outcomes.append(outcome)
        if lines is not None:
            print(outcome.as_json(), file=lines)
        if shown < given.show and _is_wanted(outcome, given.fault):
            shown += 1
            show(outcome.seed, outcome.index, runs)
    if lines is not None:
        lines.close()
    result = result_of(outcomes, runs)
    print_result(result)
    missed = marks_missed(result)
    for line in missed:
        print(f"missed: {line}")
    if given.page:
        command = f'make reliability RELIABILITY="--seed {given.seed} --jobs {given.jobs}"'
        given.page.write_text(reliability_page(result, command), encoding="utf-8")
    return 1 if given.marks and missed else 0


def _is_wanted(outcome: Outcome, words: str) -> bool:
    return any(all(word in fault for word in words.split()) for fault in outcome.faults)


def show(seed: int, index: int, runs: Sequence[Run], *, all_of_them: bool = False) -> None:
    """Print a job, what is true of it, and what each run says."""
    task, truth, found = truth_and_runs(seed, index, runs)
    print(f"== {seed}:{index}")
    for line in (*job_in_words(task, truth), *truth_in_words(truth)):
        print(f"  {line}")
    for run, diagnosis in found.items():
        print(f"  {run}:")
        for line in verdicts_in_words(diagnosis.verdicts, truth, all_of_them=all_of_them):
            print(line)
    print()


def print_fits(tasks: Sequence[Healthy]) -> None:
    """Print how often more input is said to fit, and how often it does."""
    said = [one for one in tasks if one.safe_times is not None]
    right = Share(sum(one.fits for one in said), len(said))
    print(f"{len(tasks)} tasks came to their end; more input is said to fit in {len(said)}")
    print(f"it does: {right}")


def print_result(result: Result) -> None:
    """Print the tables of a result."""
    print(f"{len(result.outcomes)} jobs, {sum(one.died for one in result.outcomes)} died")
    print("\nnamed causes: right, of those that are true or false; tolerated beside them")
    for word in WORDS:
        share, tolerated = result.named(lambda s, w=word: s.said == w)  # type: ignore[misc]
        print(f"  {word:42} {share}, tolerated {tolerated}")
        for run in result.runs:
            share, tolerated = result.named(
                lambda s, w=word, r=run: s.said == w and s.run == r  # type: ignore[misc]
            )
            print(f"    {run:40} {share}, tolerated {tolerated}")
    print("\nby rule")
    for cause in CAUSES:
        share, tolerated = result.named(lambda s, c=cause: s.cause == c)  # type: ignore[misc]
        denied = result.answered("silent", lambda s, c=cause: s.cause == c)  # type: ignore[misc]
        open_ = result.answered("cannot tell", lambda s, c=cause: s.cause == c)  # type: ignore[misc]
        print(
            f"  {cause:42} right {share}, tolerated {tolerated}; of {denied.of} true "
            f"{denied.count} denied, {open_.count} open"
        )
    print("\ntrue causes")
    for run in result.runs:
        denied = result.answered("silent", lambda s, r=run: s.run == r)  # type: ignore[misc]
        open_ = result.answered("cannot tell", lambda s, r=run: s.run == r)  # type: ignore[misc]
        print(f"  {run}: denied {denied}; cannot tell {open_}")
        print(f"    of all verdicts cannot tell {result.open_verdicts(run)}")
    print(f"\ncontradictions {result.contradictions}; crashes {result.crashes}")
    for cause, count in result.contradictory():
        print(f"  {count:5} {cause}")
    print(f"deaths after which every verdict was silent {result.silent_deaths}")
    print("\nmost frequent faults")
    for fault, count in result.worst_faults()[:25]:
        print(f"  {count:5} {fault}")
    print("\nworst kinds (jobs with a fault)")
    for kind, faulty, jobs in result.worst_kinds()[:20]:
        print(f"  {kind:24} {faulty} of {jobs}")


if __name__ == "__main__":
    sys.exit(main())
