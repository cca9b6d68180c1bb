"""`bb-loss`: nodes whose segments TCP must send again far more often than those of their peers.

Definition. If a link, a card or a switch port loses packets, whatever the node sends through it
must be sent again, and so must whatever others send to it. In each window the number of segments
that a node sent again is compared with the number that its peers need for as many bytes. A node
that is far above what chance allows, again and again, is indicted.

None of the papers has this detector. Blimey uses the largest retransmission timeout of a node as a
metric of its black box. Today's TCP mostly sends a lost segment again before its timeout, so
transfers hardly slow down and the timeout does not rise (decision 0035). The count does rise: at
1 % loss seven of the 690 segments of 1 MB are sent again.

- The number of all segments is not collected; it is estimated from the bytes as if every segment
  were full. With small messages more segments would be sent again for each MB.
- Packets that are sent *to* a sick node are lost too, so its peers also send some of them again:
  the number of the node itself is as many times theirs as it has partners.
- Loss that all nodes have, as in a switch that they share, shows on none of them.
- A node that sends so little that a loss of 1 % would not show is not compared.

It needs the counter `retrans`, which `mprof collect`, `sadf -j` and node_exporter give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, Look, Observation
from mprof.peers.detectors.repeated_alarms import (
    FEWEST_NODES,
    Rounds,
    comparison_of,
    too_few_nodes,
    withheld,
)
from mprof.peers.detectors.request import Asked
from mprof.peers.tables.metric_survey import HOUR_S, MetricSurvey, survey_of_rows
from mprof.pieces import Engine
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["DETECTOR", "LEAST_RATIO", "THRESHOLDS", "compare_rows", "looks"]

DETECTOR: Final = "bb-loss"

WINDOW: Final = Threshold("bb-loss.window", 120, "s", "as long as the window of bb-window")
STEPS: Final = Threshold(
    "bb-loss.steps", 4, "windows per length of a window", "a window starts every 30 s"
)
FEWEST_SAMPLES: Final = Threshold(
    "bb-loss.fewest-samples", 8, "samples per window",
    "two a step; at one sample in 60 s the window grows to 480 s",
)  # fmt: skip
LEAST_FILLED: Final = Threshold(
    "bb-loss.least-filled", 0.5, "share of the window",
    "a node must have been seen for most of the time in which its peers are compared",
)  # fmt: skip
LEAST_RESENT: Final = Threshold(
    "bb-loss.least-resent", 10, "segments sent again in a window",
    "a connection that breaks down sends its last segment again up to fifteen times in as many"
    " minutes; if ten are sent again in two minutes, several were lost",
)  # fmt: skip
MEANT: Final = Threshold(
    "bb-loss.meant", 0.01, "of the segments",
    "the loss that is meant to be found: a node that sends too little to show it is not judged",
)  # fmt: skip
LEAST_SHARE: Final = Threshold(
    "bb-loss.least-share", 0.002, "of the segments",
    "a fifth of the loss of 1 % that is meant to be found: a peer of the sick node may have as"
    " much, and is not named",
)  # fmt: skip
LEAST_RATIO: Final = Threshold(
    "bb-loss.least-ratio", 2, "times what peers need for as many bytes",
    "packets that peers send to a sick node are lost too: with three nodes that is half of what"
    " they send, so the sick one is at twice their number; with more nodes it is further above",
)  # fmt: skip
LEAST_DEVIATIONS: Final = Threshold(
    "bb-loss.deviations", 4, "standard deviations of a count",
    "lost segments come in bursts, which makes counts vary by more than chance would",
)  # fmt: skip
HALF_LIFE: Final = Threshold(
    "bb-loss.half-life", 8, "windows", "an alarm weighs half after 240 s, as in bb-window"
)
INDICTED_ABOVE: Final = Threshold(
    "bb-loss.indicted-above", 4, "weighted number of alarms",
    "five alarms in a row reach it; one burst is in four windows",
)  # fmt: skip

THRESHOLDS: Final = (
    FEWEST_NODES, WINDOW, STEPS, FEWEST_SAMPLES, LEAST_FILLED, LEAST_RESENT, MEANT, LEAST_SHARE,
    LEAST_RATIO, LEAST_DEVIATIONS, HALF_LIFE, INDICTED_ABOVE,
)  # fmt: skip
"""Every free parameter of the detector."""

_COUNTERS: Final = ("eth_txbyt", "retrans")
_SUMS: Final = pa.schema(
    {
        "host": pa.string(),
        "step": pa.int64(),
        "seconds": pa.float64(),
        "sent": pa.float64(),
        "resent": pa.float64(),
    }
)
_ROWS_AT_ONCE: Final = 2_000_000
_FAR: Final = 1e15
_PAYLOAD_BYTES: Final = 1448.0  # of a full segment on Ethernet
_MB: Final = 1e6
_MOST: Final = 1e12  # a second: counters that went over their end look like more
_NO_COUNT: Final = (
    "bb-loss was not run: the metrics do not say how much a node sent and how many segments TCP"
    " sent again (eth_txbyt, retrans); mprof collect, sadf -j and node_exporter do"
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What all parts of a comparison have in common.

    Attributes:
        interval_s: between two samples of a node.
        step_s: from the start of a window to that of the next.
    """

    interval_s: float
    step_s: float


def looks(asked: Asked) -> Iterator[Look]:
    """Compare how much the store's nodes had to send again."""
    rows = asked.metrics(_COUNTERS)
    if rows is not None:
        found = compare_rows(rows, asked.engine)
        yield Look("segments that TCP sent again", found, of="metrics")


def compare_rows(rows: Rows, engine: Engine) -> Comparison:
    """Say which nodes must send more again than their peers; a part at a time is in memory.

    Cost: linear in nodes and time.

    Args:
        rows: columns ``host``, ``at_s``, ``eth_txbyt`` and ``retrans``.
        engine: works on the parts.
    """
    survey = survey_of_rows(engine, rows)
    plan = _plan(survey)
    sums = engine.frame(partial(_sums_of_rows, plan), _parts(survey, rows), _SUMS)
    if sums.empty:
        return replace(withheld(DETECTOR, _NO_COUNT), asked=False)
    hosts = tuple(sorted(set(sums["host"])))
    if len(hosts) < FEWEST_NODES.value:
        say = " say how many segments TCP sent again"
        return too_few_nodes(DETECTOR, len(hosts), that=say)
    found = _compared(sums, plan, hosts)
    return found.with_unseen(survey.hosts, "it does not say what TCP sent again")


def _parts(survey: MetricSurvey, rows: Rows) -> tuple[Rows, ...]:
    """Some hours each: what two files tell of the same moment lies in one part."""
    a_part = max(1, round(_ROWS_AT_ONCE * len(survey.hours) / max(survey.rows, 1)))
    firsts = range(0, len(survey.hours), a_part)
    hours = [survey.hours[first : first + a_part] for first in firsts]
    found = (rows.between(each[0] * HOUR_S, (each[-1] + 1) * HOUR_S) for each in hours)
    return tuple(part for part in found if part.groups)


def _plan(survey: MetricSurvey) -> _Plan:
    interval_s = survey.interval_s or 1.0
    window_s = max(WINDOW.value, FEWEST_SAMPLES.value * interval_s)
    return _Plan(interval_s, window_s / STEPS.value)


def _sums_of_rows(plan: _Plan, part: Rows) -> pd.DataFrame:
    """What each node sent, and sent again, in each step of time."""
    table = part.read().reindex(columns=["host", "at_s", *_COUNTERS])
    figures = table.drop(columns="host").to_numpy(dtype=np.float64, na_value=np.nan)
    known = table["host"].notna().to_numpy() & np.isfinite(figures).all(axis=1)
    known &= (figures[:, 1:] >= 0).all(axis=1) & (figures[:, 1:] <= _MOST).all(axis=1)
    rows = pd.DataFrame(figures[known], columns=["at_s", "sent", "resent"])
    rows["host"] = table["host"][known].astype(str).to_numpy()
    rows = rows.drop_duplicates(["host", "at_s"]).sort_values(["host", "at_s"])
    # Nodes may be sampled at a pace of their own.
    intervals = rows.groupby("host")["at_s"].diff().groupby(rows["host"]).median()
    rows["seconds"] = rows["host"].map(intervals).fillna(plan.interval_s)
    rows[["sent", "resent"]] = rows[["sent", "resent"]].mul(rows["seconds"], axis=0)
    steps = np.clip(rows["at_s"].to_numpy() / plan.step_s, -_FAR, _FAR)
    rows["step"] = np.floor(steps).astype(np.int64)
    return rows.groupby(["host", "step"], as_index=False)[["seconds", "sent", "resent"]].sum()


def _compared(sums: pd.DataFrame, plan: _Plan, hosts: tuple[str, ...]) -> Comparison:
    steps = np.unique(sums["step"].to_numpy())
    seconds, sent, resent = (
        _in_windows(sums, what, steps, hosts) for what in ("seconds", "sent", "resent")
    )
    shows = sent >= LEAST_RESENT.value / MEANT.value * _PAYLOAD_BYTES
    seen = seconds >= LEAST_FILLED.value * plan.step_s * STEPS.value
    seen &= shows | (resent >= LEAST_RESENT.value)
    sent, resent = np.where(seen, sent, 0.0), np.where(seen, resent, 0.0)
    expected = sent * _rate_of_others(sent, resent)
    differs = seen & (resent >= LEAST_RESENT.value)
    differs &= resent >= LEAST_SHARE.value * sent / _PAYLOAD_BYTES
    differs &= resent >= LEAST_RATIO.value * expected
    differs &= resent - expected > LEAST_DEVIATIONS.value * np.sqrt(expected + 1)
    enough = seen.sum(axis=1) >= FEWEST_NODES.value
    if not enough.any():
        return withheld(
            DETECTOR,
            f"no {FEWEST_NODES.value:.0f} nodes sent so much at the same time that a loss of"
            f" {MEANT.value:.0%} would show",
        )
    agree = differs.sum(axis=1) <= (seen.sum(axis=1) - 1) / 2
    rounds = Rounds((steps * plan.step_s)[enough], seen[enough], differs[enough], agree[enough])

    def observe(node: int, when: NDArray[np.bool_]) -> tuple[Observation, ...]:
        own_sent, own_resent = (each[enough][when, node].sum() for each in (sent, resent))
        others_sent, others_resent = (
            each[enough][when].sum() - own for each, own in ((sent, own_sent), (resent, own_resent))
        )
        return (
            Observation(
                what="retrans",
                own=float(own_resent / max(own_sent / _MB, 1e-3)),
                peers=float(others_resent / max(others_sent / _MB, 1e-3)),
                unit="segments/MB",
            ),
        )

    return comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=hosts,
        half_life=HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
    )


def _in_windows(
    sums: pd.DataFrame, what: str, steps: NDArray[np.int64], hosts: tuple[str, ...]
) -> NDArray[np.float64]:
    """The sums over each window: a row a window that begins with a step, a column a node."""
    grid = np.zeros((len(steps), len(hosts)))
    place = np.searchsorted(steps, sums["step"].to_numpy())
    node = np.searchsorted(hosts, sums["host"].to_numpy(dtype=str))
    np.add.at(grid, (place, node), sums[what].to_numpy(dtype=np.float64))
    total = np.zeros_like(grid)
    for later in range(int(STEPS.value)):
        # By number, and not by place: between two steps there may be years.
        place = np.minimum(np.searchsorted(steps, steps + later), len(steps) - 1)
        there = steps[place] == steps + later
        total[there] += grid[place[there]]
    return total


def _rate_of_others(sent: NDArray[np.float64], resent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each node the segments that its peers sent again, for each byte that they sent."""
    others_sent = sent.sum(axis=1, keepdims=True) - sent
    others_resent = resent.sum(axis=1, keepdims=True) - resent
    rate = np.zeros_like(sent)
    np.divide(others_resent, others_sent, out=rate, where=others_sent > 0)
    return rate
