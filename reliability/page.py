"""The page of the documentation that says how often the verdicts are right."""

from __future__ import annotations

from reliability.score import MARKS, WORDS, Result, Share, marks_missed
from reliability.truth import CAUSES

__all__ = ["answers_table", "reliability_page", "rules_table", "words_table"]

_LEAD = """\
How far to trust *sure*, *likely* and *possible* in a report: how often a cause named with each word is true, and how many true causes are denied or left open.
"""

_TRUTH = """\
## What is true of a job

A job is simulated: its heap, its input, and what every consumer of memory holds after each record.
It dies when its live bytes exceed the bytes that live objects may take.
It is then simulated again with one thing changed; a change that lets the job finish shows what it died of.

| cause | what is changed |
|---|---|
| `large_accumulated_results.*` | what user code keeps for the map, the reduce or the group is not kept |
| `large_input_split` | the split is cut into 2, 4 or 8, and every piece is run |
| `improper_partition.few_reducers` | the groups are distributed over 2, 4 or 8 times as many reducers, and each is run |
| `improper_partition.unbalanced` | the partition is reduced to the mean size |
| `hotspot_key` | no group is larger than the largest that was processed without an error; or the median group replaces G_m |
| `large_intermediate_results` | R_n is processed with no more temporary objects than an earlier record |
| `large_single_record` | R_n is made no larger than the largest record that was processed without an error |
| `large_external_data` | what was loaded from files is not loaded |
| `large_framework_buffer.map` | the sort buffer is reduced to a half, and to an eighth |
| `large_framework_buffer.shuffle` | the shuffle's share of the heap is halved |

A cause is *true* if its change lets the job finish even with 10 % less heap, or if it is the largest consumer at death, and its share is large enough to name.
It is *tolerated*, neither required nor false, if its change only just lets the job finish, or if it is a small one of several consumers that fill the heap together.
Every other cause is *false*; for a job that does not die, all causes are.
A group, record or partition at most 1.3 times as large as one that was processed without an error is ordinary, and not a cause.
The exact definitions are in `reliability/truth.py`.
"""


def reliability_page(result: Result, command: str) -> str:
    """The page, of one result.

    Args:
        result: that it shows.
        command: that repeats it.
    """
    died = sum(one.died for one in result.outcomes)
    parts = [
        "# How often a verdict is right\n",
        _LEAD,
        (
            "Written by a command; do not edit.\n\n"
            f"{len(result.outcomes):,} random jobs were simulated, {died:,} of which run out of heap, each with "
            f"the evidence of {len(result.runs)} kinds of run ({', '.join(result.runs)}). Their true "
            "causes are known, because each job is a model.\nIntervals are 95 % Wilson intervals.\n"
        ),
        f"```\n{command}\n```\n",
        "## The words\n",
        words_table(result),
        "## The rules\n",
        rules_table(result),
        "## What is left open, and what is denied\n",
        answers_table(result),
        _rest(result),
        _TRUTH,
    ]
    return "\n".join(parts)


def _cell(share: Share) -> str:
    if not share.of:
        return "-"
    low, high = share.interval
    return f"{share.value:.1%} ({low:.1%} to {high:.1%}) of {share.of:,}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def words_table(result: Result) -> str:
    """How often each word was right, of all runs and of each."""
    rows = []
    for word in WORDS:
        share, tolerated = result.named(lambda s, w=word: s.said == w)  # type: ignore[misc]
        row = [f"*{word}*", f"{MARKS[word]:.0%}", _cell(share), f"{tolerated:,}"]
        for run in result.runs:
            of_run, _ = result.named(lambda s, w=word, r=run: s.said == w and s.run == r)  # type: ignore[misc]
            row.append(_cell(of_run))
        rows.append(row)
    return _table(["word", "at least", "right", "tolerated as well", *result.runs], rows)


def rules_table(result: Result) -> str:
    """How often each cause was named rightly, and how often it was left out."""
    rows = []
    for cause in CAUSES:
        row = [f"`{cause}`"]
        for word in WORDS:
            share, _ = result.named(lambda s, c=cause, w=word: s.cause == c and s.said == w)  # type: ignore[misc]
            row.append(_cell(share))
        denied = result.answered("silent", lambda s, c=cause: s.cause == c)  # type: ignore[misc]
        left = result.answered("cannot tell", lambda s, c=cause: s.cause == c)  # type: ignore[misc]
        rows.append([*row, _cell(denied), _cell(left)])
    return _table(
        ["cause", "*sure* and right", "*likely* and right", "*possible* and right",
         "denied, where true", "cannot tell, where true"], rows,
    )  # fmt: skip


def answers_table(result: Result) -> str:
    """What each run denied or left open."""
    rows = []
    for run in result.runs:
        denied = result.answered("silent", lambda s, r=run: s.run == r)  # type: ignore[misc]
        left = result.answered("cannot tell", lambda s, r=run: s.run == r)  # type: ignore[misc]
        rows.append([run, _cell(denied), _cell(left), _cell(result.open_verdicts(run))])
    head = ["run", "true causes denied", "true causes left open", "of all verdicts left open"]
    return _table(head, rows)


def _rest(result: Result) -> str:
    lines = [
        f"Causes that are *sure* in one run of a job and denied in another: {result.contradictions:,}.",
        f"Deaths for which all verdicts were silent: {_cell(result.silent_deaths)}.",
    ]
    lines += [f"Mark missed: {line}." for line in marks_missed(result)]
    return "\n".join(lines) + "\n"
