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
The measurement of [reliability](reliability.md), repeated with real tasks on a real cluster. Few have been run, so the intervals are wide.
"""

_HOW: Final = """\
## What is run

A job is drawn as for [the model](reliability.md), with a heap of 64 to 128 MB, and run on the embedded cluster with `mprof run` and `mprof rerun`, as a user would: a driver, an application master, and a JVM for each task.
One Java program follows a script that says what to keep, in which field or local, for how long, and by which law of growth; its input is text, or groups that a mapper generates.
One job in ten may die during the shuffle: several map tasks then each send every reducer a part of its partition, and each changed task has its own share of the heap for the shuffle.
Jobs of a seed may be run in an order chosen by the cause that is true in the model, so that rare causes are covered; never by their verdicts.
Seed 1 was drawn before deaths in the shuffle were added.
No evidence is simulated: the agent, the dumps, the dump reader and the job history are the real ones.
Combiners and multithreaded mappers are not drawn.
A single JVM without a cluster would be cheaper, but it has no history, no partitions of other reducers, and no rerun.

## What is true of a job

The definitions are those of `reliability/truth.py`; the outcomes come from real JVMs.
The model is fitted to the death, so that it dies at the record at which the task died, and then predicts which changes would let the task finish.
For every change, the changed task that is nearest to its limit is run, then others that the model expects within a factor of 1.6 of theirs, six in all, and more for a change whose first task did not end as predicted; all are tasks of one job, with the same heap and the same agent.
Their outcomes replace the model's predictions; for a changed task that was not run, the prediction stands.
An array takes up the memory that a changed task must not use.
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
            f"{len(others):,} of these with another error; they are not judged.\n"
            "Intervals are Wilson's, of 95 %; results are in `reliability/jvms/results.jsonl`, "
            "one line for each job.\n"
        ),
        '```\nmake reliability-jvms RELIABILITY_JVMS="--seed 1 --jobs 100"\n```\n',
        "An interrupted run resumes where it stopped; at most the job in progress is lost.\n",
        "## The words\n",
        words_table(result),
        "## The rules\n",
        rules_table(result),
        "## What is left open, and what is denied\n",
        answers_table(result),
        "## The model beside the JVMs\n",
        (
            f"Died within 10 % of the record that the model predicts: {places} of "
            f"{len(died) - len(others)}.\n"
            f"Changed tasks that were run: {len(changes):,}; with an outcome other than predicted: "
            f"{otherwise:,}.\n"
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
