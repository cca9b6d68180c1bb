"""Sentences that the text and the page of a diagnosis have alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mprof.evidence import Probes
from mprof.report.names import UNIT_WORDS
from mprof.report.published.advised import Advised
from mprof.report.published.nearness import FullAt, LivePart, Nearness
from mprof.report.published.report import Message, Report
from mprof.report.published.script import Line, Script
from mprof.units import format_bytes, format_count, format_ratio

__all__ = [
    "advised_sentences",
    "line_words",
    "live_part_name",
    "messages_of",
    "nearness_sentences",
    "probes_sentences",
    "script_sentence",
    "undecided",
    "untested",
]

_PART_NAMES = {"sort buffer": "the sort buffer", "shuffle": "map output, fetched"}


def advised_sentences(advised: Advised | None) -> tuple[str, ...]:
    """What came of it, then a sentence for each cause; empty where there was no such run."""
    if advised is None:
        return ()
    return (
        advised.sentence,
        *(f"{one.cause} is {one.verdict}: {one.sentence}" for one in advised.causes),
    )


def nearness_sentences(report: Report) -> Iterator[str]:
    """How full the heap was, what an attempt like it would die of, and what was not looked at."""
    near = report.nearness
    if near is None or not near.heap_bytes:
        return
    name = report.attempt.id if report.attempt is not None else None
    of_heap = (
        f"{format_bytes(near.live_bytes)} live of {format_bytes(near.heap_bytes)} "
        f"({format_ratio(near.live_bytes / near.heap_bytes)})"
    )
    most = near.most_left_bytes
    if near.at_most and most is not None:
        # What lived for a while only may have been any part of what collections left meanwhile.
        share = format_ratio(most / near.heap_bytes)
        of_heap = (
            f"at most {of_heap} for as long as it ran; collections left up to "
            f"{format_bytes(most)} ({share}), garbage included"
        )
    if near.later_bytes is not None:
        share = format_ratio(near.later_bytes / near.heap_bytes)
        of_heap += (
            " at a full collection; later minor ones, which leave garbage too, left up to "
            f"{format_bytes(near.later_bytes)} ({share})"
        )
    if near.briefly_bytes is not None:
        when = "at other times they" if near.later_bytes is not None else "minor collections"
        share = format_ratio(near.briefly_bytes / near.heap_bytes)
        of_heap += (
            f"; {when} left up to {format_bytes(near.briefly_bytes)} ({share}), of which nothing "
            "tells how much was live"
        )
    yield f"{name or 'The task'} came nearest: {of_heap}."
    if near.may_be_soft:
        yield (
            "Objects that only soft references hold, as in some caches, count as live here, and "
            "the JVM frees them before any OutOfMemoryError: with such a cache it was not as near "
            "as this."
        )
    yield _prediction(near)
    yield _what_fits(near)
    if not near.looked_at:
        yield (
            "Its classes were not looked at: by default a class histogram is made only once the "
            "old generation is 70 % full, and only if it fits into 1 % of the task's run time "
            "(agent settings histogram.percent and histogram.share)."
        )


def _prediction(near: Nearness) -> str:
    found = near.full_at
    if found is None:
        return f"No input size is predicted at which it would die: {near.why_not_full}."
    when = "at the earliest after" if found.at_the_earliest else "after about"
    full = f"If its growth continues, the heap is full {when} {format_count(found.ordinal)}"
    if found.group is not None:
        return f"{full} records of one group, {found.times:.1f} times those of group {found.group}."
    return f"{full} {UNIT_WORDS[found.unit][1]}, {found.times:.1f} times its input{_size(found)}."


def _what_fits(near: Nearness) -> str:
    if near.fits_times is None:
        return "Its garbage collections do not show whether more input would fit."
    return (
        f"Up to {near.fits_times:.1f} times its input should fit, as long as its records and "
        "groups grow no faster than that."
    )


def _size(found: FullAt) -> str:
    if found.input_bytes is None:
        return ""
    of = "split" if found.unit == "record" else "partition"
    return f": a {of} of {format_bytes(found.input_bytes)}"


def live_part_name(part: LivePart) -> str:
    """What a part of the live heap is called."""
    return _PART_NAMES.get(part.of) or f"all objects of class {part.class_name}"


def script_sentence(script: Script) -> str:
    """Which script or query it is, and what the listed lines are."""
    of = f" {script.name}" if script.name else ""
    the = "the" if script.name or script.lines else "a"
    sentence = f"The job was compiled from {the} {script.framework} {script.unit}{of}"
    if not script.lines:
        return f"{sentence}."
    named = any(one.named for one in script.lines)
    if script.unit == "query":
        return f"{sentence}{'; the clause that a cause names is marked' if named else ''}:"
    marked = ", the one that a cause names is marked" if named else ""
    return f"{sentence}. The statements of this step{marked}:"


def line_words(line: Line) -> tuple[str, str]:
    """Where it stands, and its text: the line as it is in the script, or the alias alone."""
    where = f"line {line.line}" if line.line is not None else "alias"
    return where, line.text or line.alias


def probes_sentences(probes: Probes | None) -> tuple[str, ...]:
    """What the probes of an attempt cost, and what was expected; empty where it had none."""
    if probes is None:
        return ()
    counted = ((probes.dumps, "heap dump"), (probes.histograms, "class histogram"))
    what = " and ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counted if n)
    share = ""
    if probes.attempt_seconds:
        ratio = format_ratio(probes.seconds / probes.attempt_seconds)
        share = f", {ratio} of the {probes.attempt_seconds:.0f} s that the attempt took"
    spent = f"{what} before its end took {probes.seconds:.1f} s{share}"
    return (spent, f"the plan was: {probes.planned}") if probes.planned else (spent,)


def messages_of(report: Report, *, known: bool) -> list[Message]:
    """What messages say, or what is known of such code.

    What sets the heap of a task is not said where a setting of it is advised, which names it.
    """
    advised = any(one.new and (one.property or "").endswith(_OPTIONS) for one in report.advice)
    return [
        one
        for one in report.messages
        if (one.proof == "known to") is known and not (advised and one.id == _WHAT_SETS_IT)
    ]


_WHAT_SETS_IT: Final = "heap_of_a_task"
_OPTIONS: Final = "java.opts"


def untested(report: Report) -> dict[tuple[str, str], tuple[str, ...]]:
    """The same as `undecided`, where anything was measured; else the first paragraph says it.

    Of words alone every rule lacks all that mprof would record.
    """
    is_measured = report.account is not None or report.curves or report.position is not None
    return undecided(report) if is_measured or report.probes is not None else {}


def undecided(report: Report) -> dict[tuple[str, str], tuple[str, ...]]:
    """(What is missing, the run that would bring it) -> the rules that lack it, said once.

    Nothing of a death whose message proves its cause, and no rule for what a message says. Where
    the attempt has been profiled the run is `profiled`: that run did not bring it, and another one
    is not promised to.
    """
    of_jobtracker = report.job is not None and report.job.of_jobtracker
    if report.conclusion == "no task" or report.death.any_process or of_jobtracker:
        return {}
    if any(one.proof == "proves" and one.causes for one in report.messages):
        return {}
    said = {cause for one in report.messages if one.proof != "known to" for cause in one.causes}
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for one in report.unknown:
        if one.rule in said:
            continue
        profiled = report.probes is not None and one.run_that_would_tell == "rerun"
        wanted = (one.missing, "profiled" if profiled else one.run_that_would_tell)
        found[wanted] = (*found.get(wanted, ()), one.rule)
    return found
