"""`kahuna-bb`: Kahuna's black box as published: pairs of decaying histograms of profiles.

The paper: Tan, Pan, Kavulya, Marinelli, Gandhi and Narasimhan, *Kahuna: Problem Diagnosis for
MapReduce-Based Cloud Computing Environments*, NOMS 2010.

| step | what the paper says | section |
|---|---|---|
| metrics | the fourteen of its table II, once a second | V, table II |
| profiles | K, learnt by expectation maximisation on fault-free runs of several workloads | VI.B |
| label | one of the K | VI.B |
| histogram | of each node, decayed exponentially with time | VI.B |
| distance | square root of the Jensen-Shannon divergence of every two nodes, each period | VI.B |
| verdict | further than a threshold from a majority of the other nodes | VI.B |
| threshold | one for each workload and size of the cluster | VIII |

It differs from [`ganesha`](ganesha.md) in two points: vectors far from every profile have no label
of their own, and alarms are not counted: the first one indicts. What the paper leaves open is
decided as there: K is 7, metrics are scaled, a label weighs half after 120 s, a period is a sample,
and a node is compared once its samples fill one half-life. One threshold is used for all workloads.

`mprof calibrate` learns the profiles, and the threshold of the distance, from control runs; without
profiles it is not asked.

According to the paper it is blind to 1 % of lost packets, to a full disk if little is written, and
to reducers that hang if most nodes show it; if more packets are lost, it also indicts healthy
nodes. [The papers](../papers.md) says which results were reproduced here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from mprof.peers.comparison import Comparison, Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, withheld
from mprof.peers.detectors.request import Asked
from mprof.peers.profiles.labelled import Labelled, labels_in_rows
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.published.profile_histograms import (
    NO_PROFILES,
    SADC_VECTOR,
    profile_levels,
    why_withheld,
)
from mprof.peers.published.verdicts import verdict
from mprof.threshold import Threshold

__all__ = ["ABOVE", "DETECTOR", "THRESHOLDS", "compare_labels", "looks", "without_unknown"]

DETECTOR: Final = "kahuna-bb"

HALF_LIFE: Final = Threshold(
    "kahuna-bb.half-life", 120, "s", "of a label in the histogram; free in the paper, as in ganesha"
)
ABOVE: Final = Threshold(
    "kahuna-bb.above", 0.25, "square root of the Jensen-Shannon divergence",
    "indicts; the paper has one for each workload and size, and gives none. By it 3 % of the nodes"
    " of our testbed's controls are indicted; `calibrate` replaces it with a value from other"
    " control runs",
)  # fmt: skip

THRESHOLDS: Final = (FEWEST_NODES, HALF_LIFE, ABOVE)
"""Every parameter that the paper leaves open."""


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes."""
    rows = asked.metrics(SADC_VECTOR)
    if rows is None:
        return
    model = asked.profiles_as_published
    if model is None:
        found = withheld(DETECTOR, NO_PROFILES)
    else:
        labelled = labels_in_rows(rows, without_unknown(model), asked.engine)
        found = compare_labels(labelled, len(model.means))
    yield Look("profiles of the metrics of the operating system", found, of="metrics")


def without_unknown(model: ProfileModel) -> ProfileModel:
    """The same profiles, of which every vector is one."""
    return replace(model, cuts=(np.inf,) * len(model.cuts))


def compare_labels(labelled: Labelled, profiles: int) -> Comparison:
    """The verdict on labels, of which there are so many."""
    nothing = why_withheld(labelled, DETECTOR)
    if nothing is not None:
        return nothing
    found = profile_levels(labelled, profiles=profiles, half_life_s=HALF_LIFE.value)
    return verdict(found, detector=DETECTOR, threshold=ABOVE)
