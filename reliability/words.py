"""A drawn job, what is true of it and what was said of it, in words for who tunes the rules."""

from __future__ import annotations

from mprof.rules import CannotTell, Fires, Verdict, Verdicts
from mprof.units import GIB, KIB, MIB
from reliability.model import Consumer, Task, course_of
from reliability.truth import CAUSES, Truth

__all__ = ["job_in_words", "truth_in_words", "verdict_in_words"]


def size(value: float) -> str:
    """A size, in the largest unit of which there is one."""
    for unit, name in ((GIB, "GB"), (MIB, "MB"), (KIB, "KB")):
        if abs(value) >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.3g} B"


def job_in_words(task: Task, truth: Truth) -> list[str]:
    """The job, its input and its consumers, a line each."""
    given, end = task.input, truth.end
    lines = [
        (
            f"{' + '.join(task.kinds)}: {task.side} task, -Xmx {size(task.heap_max)} "
            f"({task.collector}), usable {size(task.usable)}, base {size(task.base)}, "
            f"buffer {size(task.buffer)}, grain {task.grain}, {task.threads} at once"
        ),
        f"input: {given.records * task.grain:,} records, {size(given.sizes.sum())}"
        + (f" in {len(given.groups)} groups" if given.groups is not None else "")
        + f"; reducers {task.reducers}",
    ]
    if task.partitions:
        mean = sum(task.partitions) / len(task.partitions)
        lines.append(f"partition {task.own}: {task.partitions[task.own] / mean:.3g} times the mean")
    if task.shuffling is not None:
        how = task.shuffling
        lines.append(
            f"shuffle: ratio {how.ratio:.3g}, {how.maps} maps, partition {size(how.bytes)}, "
            f"peak {size(how.peak(task.heap_max))}"
        )
    if end is None:
        lines.append("it comes to its end")
        return lines + [_consumer(task, i, None) for i in range(len(task.consumers))]
    lines.append(
        f"dies in {end.place} at record {end.step * task.grain:,} of "
        f"{given.records * task.grain:,}: live {size(end.live)}, refused {size(end.refused)}"
        f"{' (an array)' if end.array else ''}, record in flight {size(end.flight)}"
    )
    return lines + [_consumer(task, i, truth) for i in range(len(task.consumers))]


def _consumer(task: Task, i: int, truth: Truth | None) -> str:
    one: Consumer = task.consumers[i]
    law = one.law.name + (f" {one.law.k:.3g}" if one.law.k != 1.0 else "")
    text = f"  {one.name}: {one.level}, {one.owner}, {law} by {one.by}"
    if one.file is not None:
        text += f", from {one.file[0]} ({size(one.file[1])}{'' if one.seen else ', unseen'})"
    if truth is not None and truth.end is not None:
        end = truth.end
        text += f": {size(end.held[i])} at death ({end.held[i] / task.usable:.1%})"
        if end.step > 1:
            row = course_of(task).during[i]
            text += f", {size(row[end.step - 1])} in the step before, most {size(row.max())}"
    return text


def truth_in_words(truth: Truth) -> list[str]:
    """What is true, what may be said, and why."""
    lines = [f"true: {', '.join(c for c in CAUSES if c in truth.true) or 'none'}"]
    lines += [f"  {cause}: {why}" for cause, why in truth.why.items()]
    return lines


def verdict_in_words(verdict: Verdict) -> str:
    """One verdict as a report would give it."""
    if isinstance(verdict, Fires):
        return f"FIRES {verdict.confidence}/{verdict.evidence}: {verdict.sentence}"
    if isinstance(verdict, CannotTell):
        return f"cannot tell without {verdict.missing} [{verdict.run_that_would_tell}]"
    return f"silent: {verdict.why}"


def verdicts_in_words(verdicts: Verdicts, truth: Truth, *, all_of_them: bool) -> list[str]:
    """What was said of each cause that is true, may be, or was named; `!!` where it is wrong."""
    lines = []
    for cause, verdict in verdicts.items():
        word, fired = truth.of(cause), isinstance(verdict, Fires)
        wrong = (fired and word == "false") or (
            word == "true" and not fired and not isinstance(verdict, CannotTell)
        )
        if all_of_them or fired or word != "false":
            lines.append(f"    {'!!' if wrong else '  '} {cause}: {verdict_in_words(verdict)}")
    return lines
