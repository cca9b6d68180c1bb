"""The page of tables that an evaluation makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from statsmodels.stats.proportion import proportion_confint

from testbed.campaign import campaign
from testbed.evaluation import Evaluation, Verdicts
from testbed.judging import ALL, Tally, tally
from testbed.recorded import Recorded, Slowdown
from testbed.run import CONTROL
from testbed.simpler import SIMPLER

__all__ = ["BEFORE", "CALIBRATED", "THEN", "lists", "page", "share"]

_CONTROL: Final = "control"
_COMMANDS: Final = (
    "mprof calibrate testbed/recordings/none-* -o FILE",
    "python -m testbed.evaluate --labels --calibration FILE --page PAGE",
)
CALIBRATED: Final = "calibrated"
"""Thresholds as `mprof calibrate` sets them by the controls."""
THEN: Final = "then"
"""With the thresholds `BEFORE`."""
BEFORE: Final = {"wb-durations.least-ratio": 1.5}
"""Thresholds that had other values while the blind ones were recorded."""


def page(found: Evaluation) -> str:
    """The page of `docs/reference`."""
    return "\n".join([*_head(found), *_tables(found), ""])


def _head(found: Evaluation) -> Iterator[str]:
    """What a reader takes from the page, and how to read its tables."""
    faulty = tally(
        [one for recordings in found.faults.values() for one in recordings], found.detectors[ALL]
    )
    controls = tally(found.controls, found.detectors[ALL])
    yield from (
        "# The testbed: real faults on a real cluster",
        "",
        (
            f"`mprof nodes` names the sick slave in {faulty.found} of the {faulty.sick} recordings"
            f" that have one, and {faulty.accused} of the {faulty.healthy} healthy nodes in them;"
            f" where nothing is wrong it names {controls.accused} of {controls.healthy}."
        ),
        (
            "The [first table](#detectors-tp-fp) shows which detector finds which fault, the second"
            " what simpler rules find, and [another](#how-long-until-it-is-seen) how long it takes"
            " until a sick node is named."
        ),
        "",
        f"{len(found.recordings)} recordings of HDFS and YARN 3.4 with a master and six slaves.",
        "`testbed/README.md` says how they are made.",
        (
            "In each of them one slave, or the master, has a fault that starts with the first job"
            " and lasts to the end; controls have no fault."
        ),
        "Nothing here is simulated.",
        "The tables use the current thresholds, and also guard against regressions.",
        "Each detector has the same settings for all recordings and workloads.",
        "`bb-profile` learns its profiles from all controls; for a control, from the others.",
        "Ranges are 95 % Wilson confidence intervals.",
        "TP: recordings in which the sick node is named, of those with a sick node.",
        "FP: healthy nodes that are named, of all healthy nodes.",
        "",
        "```",
        *_COMMANDS,
        "```",
    )


def _of_recording(found: Evaluation) -> Iterator[str]:
    """What was changed while the recordings were made, and what ran beside them."""
    yield from _section(
        "How they were recorded",
        "Detectors were worked on while the first of these were recorded, and `wb-ends` after"
        " short trials of `reduce-hang` and `checksum-error` that are not among them.",
        "After some twenty recordings `bb-loss` was made, since nothing saw packet loss;"
        " `hb-delay` was taught to see heartbeats that are not sent, and `wb-ends` attempts"
        " that are overtaken; and the least difference of the load average was raised, after"
        " a control in which it named a node.",
        "The recordings are of machines of two processors that were not all as fast: the same"
        " work took up to 2.8 times as long without a fault.",
        f"{len(_blind(found))} came after all of that, and no detector was changed while they"
        " were recorded: a [blind result](#the-blind-ones). Beside half of the first 53 of them"
        " tests and measurements ran at idle priority (`SCHED_IDLE`), and beside two"
        " (`none-sort-10-speculation`, `cpu-hog-pig-7-speculation`) another program took a"
        " third of a processor.",
        "Of these 53 one with a CPU hog was missed, whose maps took 1.46 times as long as those"
        " of others, because `wb-durations.least-ratio` was 1.5. Ten more controls were"
        " recorded then, so that they are enough to make a detector more sensitive; it was"
        " lowered to 1.4 since, by controls alone: none of their nodes is named at 1.25"
        " either, and healthy nodes of TraceBench differ by less than a third.",
    )


def _tables(found: Evaluation) -> Iterator[str]:
    yield from _of_missing(found)
    yield from _of_rates(
        "Detectors: TP / FP", found, found.detectors,
        "A withheld verdict counts as not found.",
    )  # fmt: skip
    yield from _of_rates("Simpler rules: TP / FP", found, found.simpler, *_SIMPLER_LINES)
    yield from _of_calibrated(found)
    yield from _of_blind(found)
    yield from _of_controls(found)
    yield from _of_withheld(found)
    yield from _of_delays(found)
    yield from _of_master(found)
    yield from _of_cost(found)
    yield from _of_recording(found)
    yield from lists(found)


_SIMPLER_LINES: Final = tuple(f"`{name}`: {what}." for name, what in SIMPLER.items())


def _of_calibrated(found: Evaluation) -> Iterator[str]:
    """What `mprof nodes` says by the thresholds that controls set, beside the defaults."""
    if CALIBRATED not in found.otherwise:
        return
    both = {
        "by default": found.detectors[ALL],
        CALIBRATED: found.otherwise[CALIBRATED][ALL],
    }
    yield from _of_rates(
        "With thresholds set by the controls: TP / FP",
        found,
        both,
        "`mprof nodes` with its default thresholds, and with those that `mprof calibrate` sets from"
        " the controls alone.",
        "Each control is judged by thresholds that it helped to set; [synthesis](synthesis.md) says"
        " what to expect of a new one.",
    )
    yield _row(_CONTROL, _rates(found.controls, both))


_BLIND_SINCE_S: Final = 1_795_600_000
"""When the detectors were what they are now, but for `BEFORE`."""


def _blind(found: Evaluation) -> list[Recorded]:
    return [one for one in found.recordings if one.from_s >= _BLIND_SINCE_S]


def _of_blind(found: Evaluation) -> Iterator[str]:
    yield from _section(
        "The blind ones",
        "Sick slaves and healthy nodes that are named in the recordings made after the last change"
        " of a detector, with the thresholds of that time: "
        + ", ".join(f"`{name}` {value:g}" for name, value in BEFORE.items())
        + ".",
    )
    blind = _blind(found)
    rows = {
        "with a fault": [one for one in blind if one.fault is not None],
        "controls": [one for one in blind if one.fault is None],
    }
    yield from _table_head("recordings", ["number", "sick slaves named", "healthy nodes named"])
    for name, recordings in rows.items():
        of_all = tally(recordings, found.otherwise[THEN][ALL])
        counts = ((of_all.found, of_all.sick), (of_all.accused, of_all.healthy))
        named = [f"{count} of {of}: {share(count, of)}" if of else "-" for count, of in counts]
        yield _row(name, [str(len(recordings)), *named])


def _of_missing(found: Evaluation) -> Iterator[str]:
    """What the campaign has still to record: a table that lacks it must not look complete."""
    there = {one.name for one in found.recordings}
    planned = list(campaign())
    missing = Counter(one.fault for one in planned if one.name not in there)
    if missing:
        yield from (
            "",
            f"{sum(missing.values())} of {len(planned)} planned runs are still to be recorded"
            " (`python -m testbed.campaign --list`): "
            + ", ".join(
                f"{count} {'controls' if fault == CONTROL else f'of {fault}'}"
                for fault, count in missing.items()
            )
            + ".",
        )


def _of_cost(found: Evaluation) -> Iterator[str]:
    workloads = sorted({one.workload for one in found.recordings})
    yield from _section(
        "What each fault cost",
        "How much longer the same work takes during the fault: the number of tasks completed,"
        " compared with a control of the same workload over the same length of time; the control"
        " recorded nearest in time is used, because machines differ.",
        "The table gives the mean over the recordings, and their number; a control is compared with"
        " the nearest other control, and the largest difference in either direction is given.",
    )
    yield from _table_head("fault", workloads)
    for fault, recordings in [*found.faults.items(), (_CONTROL, found.controls)]:
        cells = [
            _cost([found.slowdowns[one.name] for one in recordings if one.workload == workload],
                  is_control=fault == _CONTROL)
            for workload in workloads
        ]  # fmt: skip
        yield _row(fault, cells)


def _cost(every: Sequence[Slowdown], *, is_control: bool) -> str:
    if every and not any(one.completed for one in every):
        return f"no task ended ({len(every)})"
    known = [one.percent for one in every if one.percent is not None]
    if not known:
        return "-"
    if is_control:
        return f"up to {max(map(abs, known)):.0f} % ({len(every)})"
    return f"{sum(known) / len(known):+.0f} % ({len(every)})"


def _of_rates(title: str, found: Evaluation, rules: Verdicts, *lines: str) -> Iterator[str]:
    yield from _section(title, *lines)
    yield from _table_head("fault", rules)
    for fault, recordings in found.faults.items():
        yield _row(fault, _rates(recordings, rules))
    every = [one for recordings in found.faults.values() for one in recordings]
    tallies = [tally(every, verdicts) for verdicts in rules.values()]
    yield _row(
        "all",
        [f"{share(one.found, one.sick)} / {share(one.accused, one.healthy)}" for one in tallies],
    )


def _rates(recordings: Sequence[Recorded], rules: Verdicts) -> list[str]:
    """Of each rule, recordings found and healthy nodes named."""
    tallies = [tally(recordings, verdicts) for verdicts in rules.values()]
    return [f"{_found(one)} / {one.accused} of {one.healthy}" for one in tallies]


def _found(one: Tally) -> str:
    return f"{one.found} of {one.sick}" if one.sick else "-"


def _of_controls(found: Evaluation) -> Iterator[str]:
    yield from _section(
        "Controls",
        "Nodes named although nothing is wrong (false alarms), of all nodes of the controls.",
    )
    yield from _table_head("rule", ["named", "share"])
    for name, one in found.tallies(found.controls).items():
        cells = [f"{one.accused} of {one.healthy}", share(one.accused, one.healthy)]
        yield _row(f"`{name}`", cells)


def _of_withheld(found: Evaluation) -> Iterator[str]:
    yield from _section(
        "Withheld",
        "Recordings in which a detector withholds its verdict on all nodes, for a stated reason.",
    )
    yield from _table_head("fault", found.detectors)
    for fault, recordings in [*found.faults.items(), (_CONTROL, found.controls)]:
        tallies = [tally(recordings, verdicts) for verdicts in found.detectors.values()]
        yield _row(fault, [f"{one.withheld} of {one.recordings}" for one in tallies])


def _of_delays(found: Evaluation) -> Iterator[str]:
    yield from _section(
        "How long until it is seen",
        "Median time from the start of the fault until the detector names the sick node, from the"
        " data written so far, and keeps naming it; and the number of recordings.",
        "A job's history is written when the job ends, so detectors that read it cannot be faster.",
    )
    yield from _table_head("fault", found.detectors)
    for fault, recordings in found.faults.items():
        tallies = [tally(recordings, verdicts) for verdicts in found.detectors.values()]
        yield _row(
            fault,
            [
                f"{median(one.delays_s):.0f} s ({len(one.delays_s)})" if one.delays_s else "-"
                for one in tallies
            ],
        )


def _of_master(found: Evaluation) -> Iterator[str]:
    yield from _section(
        "The master",
        "Share of the slaves whose heartbeats are repeatedly late at the same time as those of most"
        " others (Blimey's alarm rate for a master fault, 0.73 of 50 nodes in the paper): mean and"
        " minimum over the recordings.",
    )
    yield from _table_head("fault", ["mean", "minimum", "recordings"])
    for fault, recordings in [*found.faults.items(), (_CONTROL, found.controls)]:
        rates = tally(recordings, found.detectors[ALL]).alarm_rates
        if rates:
            mean = sum(rates) / len(rates)
            yield _row(fault, [f"{mean:.2f}", f"{min(rates):.2f}", str(len(rates))])


def lists(found: Evaluation) -> Iterator[str]:
    """What was missed, and who was wrongly named: an item each."""
    yield from _section(
        "What was missed",
        "Recordings with a sick slave that no detector names, and what the fault cost in them.",
        "In the word count a node sends about 1 MB in half a minute, and healthy nodes, which wait"
        " for a processor, retransmit as many segments as a loss of 1 % causes: 58 to 112 in the"
        " whole recording; the sick node retransmits 126.",
    )
    for one in found.missed:
        yield f"- `{one.name}` ({one.node}): {_in_words(found.slowdowns[one.name])}"
    if not found.missed:
        yield "None."
    yield from _section("Healthy nodes that were named")
    for one, host in found.accused:
        by = [
            name
            for name, verdicts in found.detectors.items()
            if name != ALL and host in verdicts[one.name].named
        ]
        sick = f"{one.node} was sick" if one.node else "nothing was wrong"
        yield f"- `{one.name}`: {host}, by {', '.join(by)}; {sick}"
    if not found.accused:
        yield "None."


def _in_words(cost: Slowdown) -> str:
    if not cost.completed:
        return "no task ended"
    if cost.percent is None:
        return f"{cost.completed} tasks ended; there is no control of this workload"
    return f"the same work took {cost.percent:+.0f} %"


def share(count: int, of: int) -> str:
    """A share with its confidence interval; a dash of nothing."""
    if not of:
        return "-"
    low, high = proportion_confint(count, of, method="wilson")
    return f"{count / of:.2f} ({low:.2f} to {high:.2f})"


def _section(title: str, *lines: str) -> Iterator[str]:
    yield from ("", f"## {title}", "", *lines)
    if lines:
        yield ""


def _table_head(first: str, others: Iterable[str]) -> Iterator[str]:
    names = [first, *others]
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"


def _row(first: str, cells: Iterable[str]) -> str:
    return f"| {' | '.join([first, *cells])} |"
