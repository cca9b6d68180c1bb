"""Slow and silent DataNodes in the recordings of TraceBench: three rules side by side.

Run it as ``python tests/benchmarks/tracebench.py FOLDER [--seed N] [--page FILE]``; with
``--altered`` it prints what `wb-durations` says of the controls with faults that are put into
them: durations of some nodes made longer, or their rows taken out, for all or a part of the time.
Names of nodes are permuted by the seed before anything is measured, since the faulty ones have the
lowest numbers. The threshold of the papers' rule is the 97th percentile of the controls; a control
is judged by the others' alone. The rule of HDFS and `wb-durations` have one setting, and learn
nothing.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.distance import pdist, squareform

from mprof.peers.detectors.wb_durations import compare_durations
from mprof.peers.tables.intervals import intervals_of_transfers
from mprof.sources.reader import Losses
from mprof.sources.tracebench import TRACEBENCH

NODES = 50
PREFIX = "datanode"
WRITES = "writeBlock"
LEAST = 5
KERNEL_DECADES = 0.25
GRID = np.arange(-6.0, 4.0, 0.05)  # decades of seconds
QUANTILE = 0.97
LOW_THRESHOLD_S = 0.005  # dfs.datanode.slowpeer.low.threshold.ms


@dataclass(frozen=True)
class Recording:
    """One file, its names permuted."""

    file: str
    fault: str
    request: str
    delay_ms: str
    faulty: frozenset[str]
    hosts: tuple[str, ...]
    transfers: pd.DataFrame

    @property
    def is_control(self) -> bool:
        return not self.faulty and not self.transfers.empty

    def writes(self) -> dict[str, np.ndarray]:
        rows = self.transfers[self.transfers["operation"] == WRITES]
        every = {str(host): each.to_numpy() for host, each in rows.groupby("host")["seconds"]}
        return {host: each for host, each in every.items() if len(each) >= LEAST}


@dataclass(frozen=True)
class Named:
    """The nodes that a rule names, or why it names none."""

    nodes: frozenset[str]
    withheld: str | None = None


def recordings(folder: Path, seed: int) -> Iterator[Recording]:
    rng = np.random.default_rng(seed)
    with (folder / "manifest.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        numbers = rng.permutation(NODES)
        renamed = {f"{PREFIX}{n + 1:03d}": f"node-{numbers[n]:02d}" for n in range(NODES)}
        parts = [part.to_pandas() for _, part in TRACEBENCH.read(folder / row["file"], Losses())]
        transfers = pd.concat(parts)
        transfers = transfers[transfers["host"].isin(list(renamed))]
        names = [] if row["faulty_nodes"] == "-" else row["faulty_nodes"].split(",")
        yield Recording(
            file=row["file"], fault=row["fault"], request=row["request"], delay_ms=row["delay_ms"],
            faulty=frozenset(renamed[one] for one in names), hosts=tuple(renamed.values()),
            transfers=transfers.assign(host=transfers["host"].map(renamed), source=row["file"]),
        )  # fmt: skip


def of_mprof(recording: Recording) -> Named:
    found = compare_durations(intervals_of_transfers(recording.transfers), recording.hosts)
    return Named(frozenset(found.indicted), found.withheld)


def of_hdfs(recording: Recording) -> Named:
    return slow_peers(recording.writes())


def slow_peers(samples: Mapping[str, np.ndarray]) -> Named:
    """``OutlierDetector`` of HDFS on the nodes' medians."""
    medians = {host: float(np.median(each)) for host, each in samples.items()}
    if not medians:
        return Named(frozenset(), "nothing to compare")
    values = np.array(list(medians.values()))
    middle = float(np.median(values))
    deviation = 1.4826 * float(np.median(np.abs(values - middle)))
    bound = max(LOW_THRESHOLD_S, 3 * middle, middle + 3 * deviation)
    return Named(frozenset(host for host, each in medians.items() if each > bound))


def distances(samples: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Median square-root Jensen-Shannon distance of each node to the others (Kahuna)."""
    width = KERNEL_DECADES / (GRID[1] - GRID[0])
    densities = []
    for each in samples.values():
        counts = np.histogram(np.log10(np.maximum(each, 1e-6)), bins=GRID)[0].astype(float)
        smooth = gaussian_filter1d(counts, width)
        densities.append(smooth / smooth.sum())
    if len(densities) < 2:
        return {}
    apart = squareform(pdist(np.array(densities), "jensenshannon")) / np.sqrt(np.log(2))
    np.fill_diagonal(apart, np.nan)
    return dict(zip(samples, np.nanmedian(apart, axis=1).tolist(), strict=True))


def of_the_papers(every: list[Recording]) -> Callable[[Recording], Named]:
    known = {one.file: distances(one.writes()) for one in every}
    controls = [one.file for one in every if one.is_control]

    def named(recording: Recording) -> Named:
        if not known[recording.file]:
            return Named(frozenset(), "nothing to compare")
        seen = [d for c in controls if c != recording.file for d in known[c].values()]
        bound = float(np.quantile(seen, QUANTILE))
        far = known[recording.file].items()
        return Named(frozenset(host for host, distance in far if distance > bound))

    return named


@dataclass(frozen=True)
class Alteration:
    """A fault that is put into a recording.

    Attributes:
        times: how much longer the sick nodes take; infinite where nothing is heard of them.
        nodes: number of sick nodes.
        begin: of the fault, as a share of the recording.
        end: likewise.
    """

    times: float = 1.0
    nodes: int = 1
    begin: float = 0.0
    end: float = 1.0

    def of(self, recording: Recording, seed: int) -> Recording:
        rng = np.random.default_rng([seed, *recording.file.encode()])
        sick = [str(one) for one in rng.permutation(recording.hosts)[: self.nodes]]
        rows = recording.transfers
        first, last = rows["started_s"].min(), rows["started_s"].max()
        length = last - first
        until = math.inf if self.end >= 1 else first + self.end * length
        ill = rows["host"].isin(sick) & rows["started_s"].between(
            first + self.begin * length, until
        )
        if math.isinf(self.times):
            rows = rows[~ill]
        else:
            rows = rows.assign(seconds=rows["seconds"] * np.where(ill, self.times, 1.0))
        return replace(recording, faulty=frozenset(sick), transfers=rows)


SILENT = math.inf
ALTERATIONS = {
    "nothing": Alteration(nodes=0),
    "1 node 1.5 times slower": Alteration(1.5),
    "1 node 2 times slower": Alteration(2.0),
    "1 node 3 times slower": Alteration(3.0),
    "10 nodes 1.5 times slower": Alteration(1.5, nodes=10),
    "10 nodes 2 times slower": Alteration(2.0, nodes=10),
    "1 node 2 times slower from 50 %": Alteration(2.0, begin=0.5),
    "1 node 4 times slower from 50 %": Alteration(4.0, begin=0.5),
    "1 node 4 times slower from 30 to 60 %": Alteration(4.0, begin=0.3, end=0.6),
    "1 node silent": Alteration(SILENT),
    "1 node silent from 20 %": Alteration(SILENT, begin=0.2),
    "1 node silent from 50 %": Alteration(SILENT, begin=0.5),
    "1 node silent from 30 to 60 %": Alteration(SILENT, begin=0.3, end=0.6),
    "3 nodes silent from 50 %": Alteration(SILENT, nodes=3, begin=0.5),
    "45 nodes silent": Alteration(SILENT, nodes=45),
}


@dataclass
class Counts:
    """Nodes that were named in recordings with one alteration, or in which none was."""

    named: int = 0
    sick: int = 0
    false: int = 0
    healthy: int = 0
    withheld: int = 0


def altered(controls: list[Recording], alteration: Alteration, seed: int) -> Counts:
    counts = Counts()
    for control in controls:
        one = alteration.of(control, seed)
        found = of_mprof(one)
        counts.named += len(found.nodes & one.faulty)
        counts.sick += len(one.faulty)
        counts.false += len(found.nodes - one.faulty)
        counts.healthy += len(one.hosts) - len(one.faulty)
        counts.withheld += found.withheld is not None
    return counts


def table_of_altered(controls: list[Recording], seed: int) -> Iterator[str]:
    yield f"| altered, seed {seed} | sick nodes named | healthy nodes named | withheld |"
    yield "|---|---|---|---|"
    for name, alteration in ALTERATIONS.items():
        one = altered(controls, alteration, seed)
        tp = f"{one.named} of {one.sick}" if one.sick else "-"
        fp, withheld = f"{one.false} of {one.healthy}", f"{one.withheld} of {len(controls)}"
        yield f"| {name} | {tp} | {fp} | {withheld} |"


def rules(every: list[Recording]) -> Mapping[str, Callable[[Recording], Named]]:
    return {
        "wb-durations": of_mprof,
        "HDFS slow peers": of_hdfs,
        "the papers' majority": of_the_papers(every),
    }


def cell(recording: Recording, named: Named) -> str:
    if named.withheld is not None and not named.nodes:
        return "withheld" if named.withheld.startswith("no healthy") else "nothing to compare"
    right = len(named.nodes & recording.faulty)
    wrong = len(named.nodes - recording.faulty)
    return f"{right} / {wrong}" if recording.faulty else f"- / {wrong}"


def what(recording: Recording) -> str:
    if recording.fault == "slowDN":
        return f"{len(recording.faulty)} slow by {recording.delay_ms} ms"
    if recording.fault == "killDN":
        return f"{len(recording.faulty)} killed" if recording.faulty else "control, none killed"
    if recording.fault == "slowHDFS":
        return f"control, all slow by {recording.delay_ms} ms ({recording.request})"
    return f"control ({recording.request})"


def page(every: list[Recording]) -> str:
    by_rule = rules(every)
    lines = [
        "# Slow and silent nodes by the durations of their work",
        "",
        (
            "`wb-durations` (`mprof/peers/detectors/wb_durations.py`) on the recordings of "
            "TraceBench: HDFS with 50 DataNodes, some of them slowed or killed."
        ),
        "Each cell has the faulty nodes that were named / the healthy ones that were.",
        (
            "These files have been looked at while the rule was made: the table is a bar against "
            "regressions, not a blind result."
        ),
        "",
        "`python tests/benchmarks/tracebench.py FOLDER --page docs/reference/peer-durations.md`",
        "",
        (
            'Recordings: Zhou, Chen, Wang, Zheng, Lyu, "TraceBench: An open data set for '
            'trace-oriented monitoring", CloudCom 2014, DOI 10.1109/CloudCom.2014.79.'
        ),
        "HDFS slow peers: `OutlierDetector`, on the nodes' medians of `writeBlock`.",
        (
            "The papers' majority: the median square-root Jensen-Shannon distance to the others, "
            "above the 97th percentile of the control recordings (a control by the other ones)."
        ),
        "",
        f"| recording | {' | '.join(by_rule)} |",
        f"|---|{'---|' * len(by_rule)}",
    ]
    for one in every:
        cells = " | ".join(cell(one, rule(one)) for rule in by_rule.values())
        lines.append(f"| {what(one)} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--altered", action="store_true", help="put faults into the controls")
    given = parser.parse_args()
    if given.altered:
        every = recordings(given.folder, 1)
        controls = [one for one in every if one.is_control]
        for line in table_of_altered(controls, given.seed):
            print(line, flush=True)
        return
    text = page(list(recordings(given.folder, given.seed)))
    if given.page is not None:
        given.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
