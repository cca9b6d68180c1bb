"""The page of the documentation that says how often verdicts on real tasks are right."""

from __future__ import annotations

from collections import Counter
from typing import Final

from reliability.jvms.kept import Line, outcomes
from reliability.page import answers_table, rules_table, words_table
from reliability.score import result_of

__all__ = ["jvms_page"]

_RUNS: Final = ("watch", "rerun")

_LEAD: Final = """\
The same question as [on the model](reliability.md), asked of real tasks on a real cluster; how wide the intervals are says how many have been run.
"""

_HOW: Final = """\
## What is run

A job is drawn as for [the model](reliability.md), with a heap of 64 to 128 MB, and run on the embedded cluster by `mprof run` and `mprof rerun`, as a user would: a driver, an application master, and a JVM for each task.
One Java program reads a script of what it keeps, in which field or local, for how long, and by which law; its input is text, or groups that a mapper makes.
One job in ten may die while it fetches: then as many map tasks as are drawn send each reducer a part of its partition, and each changed task has its own share of the heap for the shuffle.
Which jobs of a seed are run first may be chosen by the cause that is true on paper, so that the rare ones come up; never by what was said of them.
Jobs of seed 1 were drawn before there were deaths in the shuffle.
Nothing of the evidence is made up: the agent, the dumps, their reader and the history are those of any job.
Not drawn are combiners, and mappers with several threads.
A single JVM without a cluster would be cheaper, but has no history, no partitions of other reducers, and no rerun.

## What is true of a job

The definitions are those of `reliability/truth.py`; the answers come from JVMs.
The model is brought in line with the death (it dies at the record at which the task died), and asked which changes would cure.
Of every question the changed task that is nearest to its limit is run for real, then others that the model expects within a factor of 1.6 of theirs, six in all, and more of a question of which one did not end as on paper: each is a task of one job, with the same heap and the same agent.
What became of them replaces the model's answer; where a changed task was not run, that stands.
Memory that a task is to do without is taken from it by an array.
"""


def jvms_page(lines: list[Line]) -> str:
    """The page, of the lines that were kept."""
    judged = outcomes(lines)
    result = result_of(judged, _RUNS)
    died = [line for line in lines if line["died"]]
    others = [line for line in lines if "other" in line]
    changes = [change for line in lines for change in line.get("changes", ())]
    otherwise = sum((one[2] is None) != (one[3][1] == "") for one in changes)
    seeds = sorted({line["seed"] for line in lines})
    places = sum(_is_near(line) for line in died if "other" not in line)
    parts = [
        "# How often a verdict on a real task is right\n",
        _LEAD,
        (
            "Written by a command; do not edit.\n\n"
            f"{len(lines):,} random jobs (seed {', '.join(map(str, seeds))}) were run in JVMs; "
            f"{len(died):,} died of their heap or ran so out of room that they were ended, "
            f"{len(others):,} of these by something else than a memory error, and are not judged.\n"
            "Intervals are Wilson's, of 95 %; results stand in `reliability/jvms/results.jsonl`, "
            "a line for each job.\n"
        ),
        '```\nmake reliability-jvms RELIABILITY_JVMS="--seed 1 --jobs 100"\n```\n',
        "A run that was ended goes on where it was: at most the job at work is lost.\n",
        "## The words\n",
        words_table(result),
        "## The rules\n",
        rules_table(result),
        "## What is left open, and what is denied\n",
        answers_table(result),
        "## The model beside the JVMs\n",
        (
            f"Died within a tenth of the record that the drawn model expects: {places} of "
            f"{len(died) - len(others)}.\n"
            f"Changed tasks that were run: {len(changes):,}; that lived where the model expects "
            f"death, or the other way round: {otherwise:,}.\n"
        ),
        "## Wrong verdicts\n",
        _wrong(lines),
        _HOW,
    ]
    return "\n".join(parts)


def _is_near(line: Line) -> bool:
    expected, death = line["expected"], line["death"]["watch"]
    if expected is None:
        return False
    return bool(abs(expected[1] - death[3]) <= 0.1 * max(expected[1], 1))


def _wrong(lines: list[Line]) -> str:
    counts = Counter(
        f"{'denied' if said[2] == 'silent' else said[2]} | `{said[1]}` | {said[0]}"
        for line in lines
        for said in line.get("said", ())
        if (said[2] == "silent" and said[3] == "true")
        or (said[2] in ("sure", "likely", "possible") and said[3] == "false")
    )
    if not counts:
        return "None.\n"
    rows = [f"| {what} | {many} |" for what, many in counts.most_common()]
    return "\n".join(["| said | cause | run | jobs |", "|---|---|---|---|", *rows]) + "\n"
