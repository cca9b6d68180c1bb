"""The page of the documentation that says how often the verdicts are right."""

from __future__ import annotations

from reliability.score import MARKS, WORDS, Result, Share, marks_missed
from reliability.truth import CAUSES

__all__ = ["answers_table", "reliability_page", "rules_table", "words_table"]

_LEAD = """\
What *sure*, *likely* and *possible* in a report are worth: how often the cause that is named with the word is true, and how many true causes are denied or left open.
"""

_TRUTH = """\
## What is true of a job

A job is run on paper: its heap, its input, and what every consumer of memory holds after each record.
It dies where what is live exceeds what live objects may take.
Then it is run again with one thing changed, and what lets it come to its end says what it died of.

| cause | what is changed |
|---|---|
| `large_accumulated_results.*` | what user code keeps for the map, the reduce or the group is not kept |
| `large_input_split` | the split is cut into 2, 4 or 8, and every piece is run |
| `improper_partition.few_reducers` | the groups are dealt to 2, 4 or 8 times the reducers, and each is run |
| `improper_partition.unbalanced` | the partition is brought down to the mean |
| `hotspot_key` | no group is larger than the largest that passed; or the median group takes the place of G_m |
| `large_intermediate_results` | the work on R_n makes no more temporary objects than that on a record before |
| `large_single_record` | R_n is no larger than the largest record that passed |
| `large_external_data` | what was loaded from files is not loaded |
| `large_framework_buffer.map` | the sort buffer is halved, and brought down to an eighth |
| `large_framework_buffer.shuffle` | the ratio of the shuffle is halved |

A cause is *true* where its change lets the job live with the capacity 10 % smaller too, or where it is the largest consumer at death, and it held a share worth naming.
It is *tolerated*, neither required nor false, where the cure is marginal, or where several things fill the heap together and it is a small one of them.
Everything else is *false*; of a job that does not die every cause is.
A group, record or partition no larger than 1.3 times one that passed is ordinary, and no cause.
The exact definitions stand in `reliability/truth.py`, to be argued with.
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
            f"{len(result.outcomes):,} random jobs were drawn, {died:,} of which die of their heap, and "
            f"seen in {len(result.runs)} ways ({', '.join(result.runs)}); what is true of each is known, "
            "because it is a model.\nIntervals are Wilson's, of 95 %.\n"
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
    return _table(["word", "at least", "right", "tolerated beside that", *result.runs], rows)


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
        f"Causes that one run of a job is sure of and another denies: {result.contradictions:,}.",
        f"Deaths after which every verdict was silent: {_cell(result.silent_deaths)}.",
    ]
    lines += [f"A mark that is missed: {line}." for line in marks_missed(result)]
    return "\n".join(lines) + "\n"
