"""Papers' figures, theirs redone, and ours, on one set of recordings: ``python -m testbed.papers``.

Each detector as published has its threshold set by the controls, so that at most 3 % of their nodes
are indicted; profiles by which a control is judged are learnt of others. With ``--page`` it writes
`docs/reference/papers.md`. ``--tracebench`` takes the folder of TraceBench's recordings, which are
no part of this repository.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from mprof.peers.calibration.published import ABOVE, Levels, levels_of, thresholds_of
from mprof.peers.detectors.registry import PUBLISHED
from mprof.peers.detectors.request import Asked
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.profiles.training import train
from mprof.peers.published import kahuna_wb
from mprof.peers.published.profile_histograms import SADC_VECTOR
from mprof.peers.statistics.share import Share, together
from mprof.store import Store
from mprof.threshold import thresholds_moved
from simulation.run import Run
from testbed.campaign import RECORDINGS
from testbed.judging import ALL, Verdict, judge
from testbed.papers_judged import Judgeable, Judged, Key, indicted_in, judged_by_papers
from testbed.papers_say import OURS, ROWS, WHY_NOT, Row
from testbed.reasons import (
    FAULTS,
    FEWER_VECTORS,
    Found,
    reasons,
    with_early_heartbeats,
    with_unfinished,
)
from testbed.recorded import Recorded, read_recordings
from tests.benchmarks.tracebench import Recording, of_mprof, recordings

__all__ = ["main", "missing_reasons", "page"]

_PARTS: Final = 4
"""Profiles by which a control is judged are learnt of the controls of the other parts."""

_SIMULATED: Final = {
    "cpu-hog": "CPUHog", "disk-hog": "DiskHog", "packet-loss-5": "PacketLoss5",
    "packet-loss-50": "PacketLoss50", "map-stop": "HANG-1036", "reduce-stop": "HANG-1152",
    "resource-manager-stop": "HANG-2051",
}  # fmt: skip
_SEEDS: Final = range(1, 6)
_CONTROL_SEEDS: Final = range(101, 121)
_USUAL: Final = Run(nodes=10)
_FOUND: Final = 0.65
"""Of the sick nodes, as in Blimey: "every fault is detected (with TP > 0.65)"."""


def _of_testbed(
    every: Sequence[Recorded], workers: Executor
) -> tuple[list[Judgeable], list[Verdicts]]:
    """What detectors as published, and ours, say of each recording of the testbed."""
    both = [_profiles(every, among, workers) for among in (SADC_VECTOR, None)]
    levels = list(workers.map(_levels, [one.store for one in every], both[0],
                              [one.slaves for one in every]))  # fmt: skip
    ours = partial(judge, with_delays=False, thresholds={})
    return [
        Judgeable(one.fault, one.node if one.sick else None, len(one.slaves), of)
        for one, of in zip(every, levels, strict=True)
    ], list(workers.map(ours, every, both[1]))


Verdicts = Mapping[str, Verdict]
_CHANGED: Final = ("cpu-hog", "disk-hog", "map-hang", "reduce-hang", "checksum-error")
_DURATIONS: Final[tuple[Key, ...]] = (("kahuna-wb", "map"), ("blimey-wb", "map"))
_RATES: Final[tuple[Key, ...]] = (("blimey-hb", "rate"),)


def _profiles(
    every: Sequence[Recorded], among: tuple[str, ...] | None, workers: Executor
) -> list[ProfileModel]:
    """The profiles by which each recording is judged: of all controls, or of those of others."""
    controls = [one for one in every if one.fault is None]
    sets = [controls]
    sets += [
        [one for place, one in enumerate(controls) if place % _PARTS != part]
        for part in range(_PARTS)
    ]
    stores = [[one.store for one in each] for each in sets]
    whole, *others = workers.map(_train, stores, [among] * len(stores))
    of_control = {one.name: others[place % _PARTS] for place, one in enumerate(controls)}
    return [of_control.get(one.name, whole) for one in every]


def _train(stores: Sequence[Store], among: tuple[str, ...] | None) -> ProfileModel:
    runs = [store.read("metrics") for store in stores]
    with thresholds_moved(FEWER_VECTORS):
        return train(runs) if among is None else train(runs, among=among)


def _levels(store: Store, profiles: ProfileModel, hosts: Sequence[str]) -> Levels:
    asked = Asked(store, None, frozenset(hosts), profiles_as_published=profiles)
    return levels_of(look for each in PUBLISHED for look in each.looks(asked))


def _of_simulation(folder: Path, workers: Executor) -> list[Judgeable]:
    runs = [Run(nodes=_USUAL.nodes, seed=seed) for seed in _CONTROL_SEEDS]
    runs += [
        Run(nodes=_USUAL.nodes, seed=seed, fault=fault) for fault in _SIMULATED for seed in _SEEDS
    ]
    places = [folder / f"simulated-{number}" for number in range(len(runs))]
    stores = list(workers.map(_recorded, runs, places))
    half = len(_CONTROL_SEEDS) // 2  # the other half sets the thresholds
    profiles = workers.submit(_train, stores[:half], SADC_VECTOR).result()
    hosts = [f"n{number + 1}" for number in range(_USUAL.nodes)]
    kept = list(zip(runs, stores, strict=True))[half:]
    levels = workers.map(
        _levels, [store for _, store in kept], [profiles] * len(kept), [hosts] * len(kept)
    )
    return [
        Judgeable(run.label["fault"], None if run.node == "master" else run.node, run.nodes, of)
        for (run, _), of in zip(kept, levels, strict=True)
    ]


def _recorded(run: Run, place: Path) -> Store:
    return Store.at(run.record(place) / "store")


_OF_WRITES: Final = (kahuna_wb.DETECTOR, "write block")


def _of_tracebench(folder: Path) -> Iterator[str]:
    """Blocks that are written, in recordings of a real HDFS with slow and killed DataNodes."""
    every = [one for one in recordings(folder, seed=1) if not one.transfers.empty]
    named = {one.file: _writes(one) for one in every}
    thresholds = thresholds_of([named[one.file].levels for one in every if one.is_control])
    yield from _head("recordings", [f"`{kahuna_wb.DETECTOR}` (write block)", "`wb-durations`"])
    for name, some in _groups(every):
        cells = []
        theirs = [(one, indicted_in(named[one.file], _OF_WRITES, thresholds)) for one in some]
        for verdicts in (theirs, [(one, of_mprof(one).nodes) for one in some]):
            tp = together(Share(len(n & one.faulty), len(one.faulty)) for one, n in verdicts)
            fp = together(
                Share(len(n - one.faulty), len(one.hosts) - len(one.faulty)) for one, n in verdicts
            )
            cells.append(_both(tp, fp))
        yield _row(name, cells)


def _writes(one: Recording) -> Judgeable:
    rows = one.transfers[one.transfers["operation"] == "writeBlock"]
    rows = rows.assign(ended_s=rows["started_s"] + rows["seconds"])
    levels: Levels = {}
    if not rows.empty:
        found = kahuna_wb.compare_state(rows[["host", "ended_s", "seconds"]], "write block")
        above = ABOVE[_OF_WRITES].value
        levels = {
            _OF_WRITES: {n.host: n.score * above for n in found.nodes if n.indicted is not None}
        }
    return Judgeable(one.fault, None, len(one.hosts), levels)


def _groups(every: Iterable[Recording]) -> Iterator[tuple[str, list[Recording]]]:
    some = list(every)
    yield "controls", [one for one in some if one.is_control]
    for low, high in ((1, 5), (10, 20)):
        chosen = [one for one in some if one.fault == "slowDN" and low <= len(one.faulty) <= high]
        yield f"{low} to {high} of 50 DataNodes slow", chosen
    yield "DataNodes killed", [one for one in some if one.fault == "killDN" and one.faulty]


@dataclass(frozen=True, slots=True)
class _Tables:
    """All that the page is made of."""

    testbed: Judged
    ours: Mapping[tuple[str, str], tuple[Share, Share]]
    of_controls: Mapping[str, Share]
    simulated: Judged
    reasons: Sequence[Found]
    unfinished: Judged
    early: Judged
    tracebench: Sequence[str]


def _ours(
    every: Sequence[Recorded], verdicts: Sequence[Verdicts]
) -> tuple[dict[tuple[str, str], tuple[Share, Share]], dict[str, Share]]:
    """Of each detector of ours, and all of them, by fault: sick nodes and healthy ones named."""
    cells: dict[tuple[str, str], list[tuple[Share, Share]]] = {}
    controls: dict[str, list[Share]] = {}
    for one, of in zip(every, verdicts, strict=True):
        for name, verdict in of.items():
            sick = Share(len(one.sick & verdict.named), len(one.sick))
            wrong = Share(len(verdict.named - one.sick), len(one.slaves) - len(one.sick))
            if one.fault is None:
                controls.setdefault(name, []).append(wrong)
            else:
                cells.setdefault((name, one.fault), []).append((sick, wrong))
    return (
        {key: (together(a for a, _ in every), together(b for _, b in every))
         for key, every in cells.items()},
        {name: together(shares) for name, shares in controls.items()},
    )  # fmt: skip


def _comes_back(row: Row, found: Judged) -> bool | None:
    """Whether the result of a paper is the same here; None where the paper does not say."""
    if row.is_found is None:
        return None
    cell = ((row.detector, row.kind), row.fault)
    # Of a fault of the master the paper counts the alarms of all nodes.
    share = found.named[cell] if found.named[cell].total else found.false[cell]
    return ((share.rate or 0.0) > _FOUND) == row.is_found


def missing_reasons(found: Judged) -> list[Row]:
    """Results that do not come back and for which no reason is written."""
    return [
        row
        for row in ROWS
        if _comes_back(row, found) is False and (row.detector, row.kind, row.fault) not in WHY_NOT
    ]


def page(tables: _Tables) -> str:
    """The page of `docs/reference`."""
    return "\n".join([*_lines(tables), ""])


_HEAD: Final = (
    "# The papers: Kahuna, Ganesha and Blimey, as published and here",
    "",
    (
        "`mprof nodes STORE --detectors NAMES` asks the detectors of the papers as they describe"
        " them; what each paper says and leaves open stands on the pages of"
        " [`kahuna-bb`](detectors/kahuna-bb.md), [`kahuna-wb`](detectors/kahuna-wb.md),"
        " [`ganesha`](detectors/ganesha.md), [`blimey-bb`](detectors/blimey-bb.md),"
        " [`blimey-wb`](detectors/blimey-wb.md) and [`blimey-hb`](detectors/blimey-hb.md)."
    ),
    "",
    (
        "TP: sick nodes that are named, of all; FP: healthy nodes that are named, of all in"
        " recordings with that fault."
    ),
    (
        "Thresholds of the papers' detectors are set by the controls, so that at most 3 % of their"
        " nodes are named; ours are at their defaults."
    ),
    (
        "A paper's result *comes back* where it says that a fault is detected and more than 0.65 of"
        " the sick nodes are named (Blimey's own measure), or where it says that it is not and no"
        " more are."
    ),
    "Figures of the papers that their texts do not carry are given in their words.",
    "",
    (
        "What comes back: hogs of the disk, maps that hang and lost packets for the black boxes,"
        " CPU hogs for durations, lost packets and a master that hangs for the delay of heartbeats."
    ),
    (
        "What does not has [measured reasons](#what-does-not-come-back-and-why) of three kinds:"
        " slaves whose processors are full, runs of five minutes instead of thirty, and a Hadoop"
        " whose heartbeats keep to the clock."
    ),
    "",
    "```",
    "python -m testbed.papers --page PAGE --tracebench FOLDER",
    "```",
    "",
    "Without `--tracebench` the last table is left out.",
)


def _lines(tables: _Tables) -> Iterator[str]:
    yield from _HEAD
    compared = [row for row in ROWS if row.is_found is not None]
    back = sum(_comes_back(row, tables.testbed) is True for row in compared)
    yield from (
        "", "## Side by side", "",
        (f"On the recordings of [the testbed](testbed.md): {back} of {len(compared)} results come"
        " back."), "",
    )  # fmt: skip
    columns = ["fault", "in the paper", "as published, here", "comes back", "ours", "all of ours"]
    yield from _head("detector", columns)
    for row in ROWS:
        cell = ((row.detector, row.kind), row.fault)
        ours = OURS[row.detector, row.kind]
        same = _comes_back(row, tables.testbed)
        yield _row(
            _named(row),
            [
                f"{row.fault} ({row.theirs})", row.says,
                _both(tables.testbed.named[cell], tables.testbed.false[cell]),
                "-" if same is None else "yes" if same else "no",
                f"`{ours}` {_both(*tables.ours[ours, row.fault])}",
                _both(*tables.ours[ALL, row.fault]),
            ],
        )  # fmt: skip
    yield from _controls(tables)
    yield from _why(tables)
    yield from (
        "", "## Simulated clusters", "",
        (f"Ten nodes, {len(_SEEDS)} runs of each fault; thresholds and profiles of"
        f" {len(_CONTROL_SEEDS)} controls. How a rule behaves, and no result on machines."), "",
    )  # fmt: skip
    yield from _head("detector", [f"{fault} ({theirs})" for fault, theirs in _SIMULATED.items()])
    for key in ABOVE:
        cells = [(key, fault) for fault in _SIMULATED]
        yield _row(
            _key_name(key),
            [_both(tables.simulated.named[each], tables.simulated.false[each]) for each in cells],
        )
    yield from ("", "## TraceBench", "", *tables.tracebench)


def _controls(tables: _Tables) -> Iterator[str]:
    yield from (
        "", "## Where nothing is wrong", "",
        ("Nodes of controls that are named. Each control is judged by thresholds that the others"
        " ask for; Ganesha and Blimey have 0.03."), "",
    )  # fmt: skip
    yield from _head("detector", ["threshold", "named, held out", "ours", "named"])
    for key, threshold in ABOVE.items():
        ours = OURS.get(key, "wb-durations")
        value = tables.testbed.thresholds.get(threshold.name)
        shown = f"{threshold.default:g} (too few nodes)" if value is None else f"{value:.3g}"
        yield _row(
            _key_name(key),
            [shown, f"{tables.testbed.held_out[key]}", f"`{ours}`", f"{tables.of_controls[ours]}"],
        )
    yield _row("", ["", "", f"`{ALL}`", f"{tables.of_controls[ALL]}"])


def _why(tables: _Tables) -> Iterator[str]:
    yield from ("", "## What does not come back, and why", "")
    by_reason: dict[str, list[Row]] = {}
    for row in ROWS:
        if _comes_back(row, tables.testbed) is False:
            reason = WHY_NOT.get((row.detector, row.kind, row.fault), "Not known.")
            by_reason.setdefault(reason, []).append(row)
    for reason, rows in by_reason.items():
        which = ", ".join(f"{_named(row)} {row.fault}" for row in rows)
        yield f"- {which}: {reason}"
    yield from (
        "", "### What moves Ganesha", "",
        ("One thing changed at a time: profiles of every second control, the threshold by the"
        " others. In the last rows the recordings of those controls stand for machines with so many"
        " times the processors, and a program that wants 70 % of all of them is added to one node"
        " of each: it gets what is free, and shares the rest with the work."), "",
    )  # fmt: skip
    yield from _head("changed", ["threshold", *FAULTS, "healthy nodes named"])
    for one in tables.reasons:
        cells = [f"{one.named[each]}" if each in one.named else "-" for each in FAULTS]
        yield _row(one.variant.name, [f"{one.threshold:.2f}", *cells, f"{one.false}"])
    yield from (
        "", "### What Hadoop 0.18 gave that this does not", "",
        "As published, and the same recordings with what the papers' systems had.", "",
    )  # fmt: skip
    yield from _head("detector", ["with", *_CHANGED])
    changed = {
        "tasks that did not end count with the time that they ran": (tables.unfinished, _DURATIONS),
        "a heartbeat more when a task ends": (tables.early, _RATES),
    }
    for what, (found, keys) in changed.items():
        for key in keys:
            for name, of in (("-", tables.testbed), (what, found)):
                cells = [_both(of.named[key, each], of.false[key, each]) for each in _CHANGED]
                yield _row(_key_name(key), [name, *cells])


def _named(row: Row) -> str:
    return _key_name((row.detector, row.kind))


def _key_name(key: Key) -> str:
    return f"`{key[0]}`" if key[1] is None else f"`{key[0]}` ({key[1]})"


def _both(tp: Share, fp: Share) -> str:
    sick = f"{tp.count} of {tp.total}" if tp.total else "-"
    return f"{sick} / {fp.count} of {fp.total}"


def _head(first: str, others: Sequence[str]) -> Iterator[str]:
    yield f"| {' | '.join([first, *others])} |"
    yield f"|{'---|' * (1 + len(others))}"


def _row(first: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join([first, *cells])} |"


def _tables(folder: Path, tracebench: Path | None, workers: Executor) -> _Tables:
    every = read_recordings(RECORDINGS, folder, workers)
    testbed, verdicts = _of_testbed(every, workers)
    ours, of_controls = _ours(every, verdicts)
    if tracebench is None:
        trace = ["Not redone: `--tracebench` names no folder with its recordings."]
    else:
        trace = [
            ("Blocks that are written, in its recordings of a real HDFS with 50 DataNodes, which no"
            " paper above has. Its other states are of no use there: there are no tasks."), "",
            *_of_tracebench(tracebench),
        ]  # fmt: skip
    simulated = judged_by_papers(_of_simulation(folder, workers))
    why = reasons(every, workers)
    return _Tables(
        judged_by_papers(testbed), ours, of_controls, simulated, why, with_unfinished(every),
        with_early_heartbeats(every), trace,
    )  # fmt: skip


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(prog="python -m testbed.papers", description=__doc__)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--tracebench", type=Path, help="folder of TraceBench's recordings")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    if given.tracebench is not None and not (given.tracebench / "manifest.tsv").is_file():
        parser.error(f"{given.tracebench} has no manifest.tsv")
    with (
        tempfile.TemporaryDirectory(prefix="mprof-papers-") as folder,
        ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as workers,
    ):
        tables = _tables(Path(folder), given.tracebench, workers)
    for row in missing_reasons(tables.testbed):
        print(f"no reason is written for {_named(row)} {row.fault}")
    if given.page is None:
        print(page(tables))
    else:
        given.page.write_text(page(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
