"""Why a paper's figure does not come back: the same recordings with one thing changed at a time.

Each variant of Ganesha learns profiles of every second control, sets the threshold by the other
controls, so that at most 3 % of their nodes are indicted, and is then asked of the runs with a
fault. The two at the end have nothing to learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from mprof.metrics import METRICS
from mprof.peers.calibration.published import ABOVE, Levels, levels_of, thresholds_of
from mprof.peers.comparison import Look
from mprof.peers.profiles.labelled import labels_in
from mprof.peers.profiles.training import train
from mprof.peers.published import blimey_hb, blimey_wb, ganesha, kahuna_wb
from mprof.peers.published.profile_histograms import SADC_VECTOR
from mprof.peers.statistics.share import Share
from mprof.threshold import thresholds_moved
from testbed.papers_judged import Judgeable, Judged, Key, judged_by_papers
from testbed.recorded import Recorded

__all__ = [
    "FAULTS", "FEWER_VECTORS", "VARIANTS", "Found", "Variant", "hogged", "reasons",
    "with_early_heartbeats", "with_unfinished",
]  # fmt: skip

FAULTS: Final = ("cpu-hog", "disk-hog", "map-hang")
"""Those that Ganesha finds by its paper: CPUHog, DiskHog and HANG-1036."""

_RATES: Final = tuple(
    each.name for each in METRICS if each.kind == "rate" and each.name in SADC_VECTOR
)
_LINEAR: Final = {
    # Of so large a least difference, the logarithm is linear.
    **{f"peers.least.{name}": 1e10 for name in _RATES},
    "bb-profile.rate-floor": 1e-9,
}
FEWER_VECTORS: Final = {"bb-profile.most-vectors": 10_000}
"""With as many, training takes a fifth of the time, and finds as much."""

_PAPERS_HOG: Final = 70.0
_WARM_UP_S: Final = 20.0


def _as_long(every: int) -> dict[str, float]:
    """Alarms count for as long where there are fewer of them."""
    numbers = (ganesha.ALARM_HALF_LIFE, ganesha.INDICTED_ABOVE)
    return {each.name: each.default / every for each in numbers}


@dataclass(frozen=True, slots=True)
class Variant:
    """What is changed.

    Attributes:
        name: of the row.
        every: take every so many samples only.
        learnt_of: number of controls that profiles are learnt of.
        moved: thresholds that have other values.
        processors: times as many as the recorded nodes have; the hog then is added to one node of
            a control, since what it would have shown there was not recorded.
    """

    name: str
    every: int = 1
    learnt_of: int = 11
    moved: Mapping[str, float] = field(default_factory=dict)
    processors: float | None = None


VARIANTS: Final = (
    Variant("as in the table"),
    Variant("every 5th second", every=5, moved=_as_long(5)),
    Variant("every 15th second", every=15, moved=_as_long(15)),
    Variant("profiles of 1 control", learnt_of=1),
    Variant("profiles of 4 controls", learnt_of=4),
    Variant("3 profiles", moved={"bb-profile.profiles": 3}),
    Variant("14 profiles", moved={"bb-profile.profiles": 14}),
    Variant("28 profiles", moved={"bb-profile.profiles": 28}),
    Variant("rates without logarithm", moved=_LINEAR),
    Variant("a label weighs half after 30 s", moved={"ganesha.half-life": 30}),
    Variant("a label weighs half after 60 s", moved={"ganesha.half-life": 60}),
    Variant("one alarm indicts", moved={"ganesha.indicted-above": 0.5}),
    Variant("hog added, as many processors", processors=1.0),
    Variant("hog added, 1.5 times the processors", processors=1.5),
    Variant("hog added, 2 times the processors", processors=2.0),
    Variant("hog added, 4 times the processors", processors=4.0),
)
"""In the order of the rows."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a variant.

    Attributes:
        variant: which.
        threshold: that the controls ask for.
        named: of each fault, sick nodes that are named.
        false: healthy nodes that are named in these runs.
    """

    variant: Variant
    threshold: float
    named: Mapping[str, Share]
    false: Share


def reasons(recordings: Sequence[Recorded], workers: Executor) -> list[Found]:
    """Every variant on the recordings."""
    chosen = [one for one in recordings if one.fault is None or one.fault in FAULTS]
    tables = [(one.fault, one.node, one.from_s, one.store.read("metrics")) for one in chosen]
    return list(workers.map(_of_variant, VARIANTS, [tables] * len(VARIANTS)))


_Run = tuple[str | None, str | None, float, pd.DataFrame]


def _of_variant(variant: Variant, runs: Sequence[_Run]) -> Found:
    with thresholds_moved({**FEWER_VECTORS, **variant.moved}):
        return _found(variant, runs)


def _found(variant: Variant, runs: Sequence[_Run]) -> Found:
    controls = [_changed(metrics, variant) for fault, _, _, metrics in runs if fault is None]
    half = controls[::2][: variant.learnt_of]
    model = train(half, among=SADC_VECTOR)
    key: Key = (ganesha.DETECTOR, None)

    def levels(metrics: pd.DataFrame) -> Mapping[str, float]:
        found = ganesha.compare_labels(labels_in(metrics, model), len(model.means))
        return levels_of([Look("metrics", found, of="metrics")]).get(key, {})

    of_others: list[Levels] = [{key: levels(each)} for each in controls[1::2]]
    threshold = thresholds_of(of_others)[ABOVE[key].name]
    named = {}
    false, healthy = 0, 0
    for fault, sick in _with_faults(runs, variant):
        right = 0
        for node, metrics in sick:
            found = levels(metrics)
            indicted = {host for host, level in found.items() if level > threshold}
            right += node in indicted
            false += len(indicted - {node})
            healthy += metrics["host"].nunique() - 1
        named[fault] = Share(right, len(sick))
    return Found(variant, threshold, named, Share(false, healthy))


def _with_faults(
    runs: Sequence[_Run], variant: Variant
) -> Iterator[tuple[str, list[tuple[str, pd.DataFrame]]]]:
    if variant.processors is None:
        for fault in FAULTS:
            yield (
                fault,
                [(node, _changed(metrics, variant)) for of, node, _, metrics in runs
                 if of == fault and node],
            )  # fmt: skip
        return
    controls = [(from_s, metrics) for fault, _, from_s, metrics in runs if fault is None][1::2]
    sick = []
    for number, (from_s, metrics) in enumerate(controls):
        hosts = sorted(metrics["host"].unique())
        node = hosts[number % len(hosts)]
        sick.append((node, hogged(_changed(metrics, variant), node, from_s)))
    yield FAULTS[0], sick


def _changed(metrics: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    """Every so many samples, on a machine with so many times the processors."""
    if variant.every > 1:
        metrics = metrics.sort_values(["host", "at_s"])
        number = metrics.groupby("host").cumcount()
        metrics = metrics[number % variant.every == 0]
    if variant.processors is not None:
        metrics = metrics.copy()
        metrics[["user", "system"]] /= variant.processors
    return metrics


def hogged(metrics: pd.DataFrame, node: str, from_s: float) -> pd.DataFrame:
    """The same with a program on one node that wants 70 % of the processors (Ganesha, table 2).

    What the processors do not have, it and the work of the node share by what each wants; what
    moves with the work (switches, faults, bytes) is as much less as the work gets less. It waits
    in the queue as one more task, as it did on the testbed.

    Args:
        metrics: of a control, as shares of the processors that there are then.
        node: that gets it.
        from_s: since when.
    """
    metrics = metrics.astype(dict.fromkeys(SADC_VECTOR, np.float64))
    ill = (metrics["host"] == node) & (metrics["at_s"] >= from_s)
    own = metrics.loc[ill, ["user", "system"]].sum(axis=1)
    share = np.minimum(1.0, 100.0 / (own + _PAPERS_HOG))
    moved = ["user", "system", "ctxt", "fault", "eth_rxbyt", "eth_txbyt", "pgpgin", "pgpgout",
             "bread", "bwrtn"]  # fmt: skip
    for name in moved:
        metrics.loc[ill, name] *= share
    metrics.loc[ill, "user"] += _PAPERS_HOG * share
    metrics.loc[ill, "runq_sz"] += 1
    since = metrics.loc[ill, "at_s"] - from_s
    metrics.loc[ill, "ldavg_1"] += 1 - np.exp(-since / 60)
    return metrics


def with_unfinished(every: Sequence[Recorded]) -> Judged:
    """Durations compared as published, and what did not end counts with the time that it ran.

    A task that hangs is ended after ten minutes in the papers' runs, and by the end of the job
    here.
    """
    return judged_by_papers([_judgeable(one, _durations_of(one)) for one in every])


def _durations_of(one: Recorded) -> Levels:
    rows = one.attempts[one.attempts["host"].isin(one.slaves)]
    ended_s = rows["finished_s"].fillna(one.until_s)
    table = pd.DataFrame(
        {"host": rows["host"], "ended_s": ended_s, "seconds": ended_s - rows["started_s"]}
    )
    looks = []
    for state in ("map", "reduce"):
        mine = table[(rows["kind"] == state) & (table["seconds"] >= 0)]
        if not mine.empty:
            looks += [
                Look(state, compare(mine, state), of="attempts", kind=state)
                for compare in (kahuna_wb.compare_state, blimey_wb.compare_state)
            ]
    return levels_of(looks)


def with_early_heartbeats(every: Sequence[Recorded]) -> Judged:
    """Rates of heartbeats as a TaskTracker sent them: one more whenever a task of it ends."""
    return judged_by_papers([_judgeable(one, _rates_of(one)) for one in every])


def _rates_of(one: Recorded) -> Levels:
    beats = one.tables["heartbeats"]
    beats = beats.loc[beats["kind"] == "nodeHeartbeat", ["host", "at_s"]]
    ends = one.attempts.dropna(subset=["finished_s"])
    ends = ends[ends["host"].isin(one.slaves)].rename(columns={"finished_s": "at_s"})
    sent = pd.concat([beats, ends[["host", "at_s"]]]).sort_values(["host", "at_s"])
    look = Look("rates", blimey_hb.compare_rates(sent), of="heartbeats", kind="rate")
    return levels_of([look])


def _judgeable(one: Recorded, levels: Levels) -> Judgeable:
    return Judgeable(one.fault, one.node if one.sick else None, len(one.slaves), levels)
