"""`ganesha`: Ganesha as published: pairs of decaying histograms of profiles, alarms counted.

The paper: Pan, Tan, Kavulya, Gandhi and Narasimhan, *Ganesha: Black-Box Diagnosis of MapReduce
Systems*, HotMetrics 2009.

| step | what the paper says | section |
|---|---|---|
| metrics | the fourteen of its table 1, once a second | 4, table 1 |
| profiles | K = 7 Gaussians, equal priors, by expectation maximisation, of fault-free runs | 4.1 |
| its start | K-means, run several times, the result of least distortion | 4.1 |
| label | the best Gaussian; "unknown" if the vector differs significantly from all of them | 4.1 |
| histogram | all counts times a decay factor, then 1 to the label that was seen | 4.1 |
| distance | square root of the Jensen-Shannon divergence of every two nodes, at each sample | 4.1 |
| alarm | further than a threshold from more than (n-1)/2 nodes | 4.1 |
| verdict | an exponentially weighted number of alarms above a threshold | 4.1 |
| goal | 3 % of the nodes of fault-free runs are indicted | 5.1 |

What it leaves open: whether metrics are scaled (here as for [`bb-profile`](bb-profile.md): rates by
their logarithm, then all by their standard deviation), when a vector is unknown (beyond 999 of
1,000 vectors of the training), the decay, the weight of an alarm and both thresholds. The base of
the logarithm is not given; here it is 2. Nothing is said of the first seconds: a node is compared
once its samples fill one half-life of the histogram.

`mprof calibrate` learns the profiles, and the threshold of the distance, from control runs; without
profiles it is not asked.

According to the paper it is blind to reducers that hang (HANG-1152), and to 5 % of lost packets; at
50 % it also indicts healthy nodes. [The papers](../papers.md) says which results were reproduced
here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mprof.peers.comparison import Comparison, Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, withheld
from mprof.peers.detectors.request import Asked
from mprof.peers.profiles.labelled import Labelled, labels_in_rows
from mprof.peers.published.profile_histograms import (
    NO_PROFILES,
    SADC_VECTOR,
    profile_levels,
    why_withheld,
)
from mprof.peers.published.verdicts import Repeated, verdict
from mprof.threshold import Threshold

__all__ = ["ABOVE", "DETECTOR", "THRESHOLDS", "compare_labels", "looks"]

DETECTOR: Final = "ganesha"

HALF_LIFE: Final = Threshold(
    "ganesha.half-life", 120, "s",
    "of a label in the histogram; free in the paper, and as long as Blimey's window",
)  # fmt: skip
ABOVE: Final = Threshold(
    "ganesha.above", 0.2, "square root of the Jensen-Shannon divergence",
    "an alarm; free in the paper. By it 3 % of the nodes of our testbed's controls are indicted;"
    " `calibrate` replaces it with a value from other control runs",
)  # fmt: skip
ALARM_HALF_LIFE: Final = Threshold(
    "ganesha.alarm-half-life", 120, "samples",
    "an alarm weighs half when the label that raised it does; free in the paper",
)  # fmt: skip
INDICTED_ABOVE: Final = Threshold(
    "ganesha.indicted-above", 45, "weighted number of alarms",
    "an alarm a second for a minute comes to 50; free in the paper",
)  # fmt: skip

THRESHOLDS: Final = (FEWEST_NODES, HALF_LIFE, ABOVE, ALARM_HALF_LIFE, INDICTED_ABOVE)
"""Every parameter that the paper leaves open."""


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes."""
    rows = asked.metrics(SADC_VECTOR)
    if rows is None:
        return
    model = asked.profiles_as_published
    found = (
        withheld(DETECTOR, NO_PROFILES)
        if model is None
        else compare_labels(labels_in_rows(rows, model, asked.engine), len(model.means))
    )
    yield Look("profiles of the metrics of the operating system", found, of="metrics")


def compare_labels(labelled: Labelled, profiles: int) -> Comparison:
    """The verdict on labels of which ``profiles`` is that of vectors far from every Gaussian."""
    nothing = why_withheld(labelled, DETECTOR)
    if nothing is not None:
        return nothing
    return verdict(
        profile_levels(labelled, profiles=profiles + 1, half_life_s=HALF_LIFE.value),
        detector=DETECTOR,
        threshold=ABOVE,
        repeated=Repeated(ALARM_HALF_LIFE.value, INDICTED_ABOVE.value),
    )
