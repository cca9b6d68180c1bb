"""How sensitive each detector is: one threshold of each, and the values that `calibrate` tries.

A false-alarm rate is one number and sets one threshold. Of the thresholds of a detector it is the
one that says how far from its peers a node must be; the others say what is compared with what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mprof.peers.detectors import (
    bb_loss,
    bb_profile,
    bb_window,
    hb_delay,
    hb_rate,
    wb_ends,
    wb_jobs,
)
from mprof.peers.tables import durations, job_scores
from mprof.threshold import Threshold

__all__ = ["SENSITIVITIES", "Sensitivity"]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A threshold that control runs may set.

    Attributes:
        detector: whose it is.
        threshold: the one to set.
        candidates: its values, from the most sensitive to the least; its default is among them.
        of: who is in false alarm by it: nodes, or the master.
    """

    detector: str
    threshold: Threshold
    candidates: tuple[float, ...]
    of: Literal["nodes", "master"] = "nodes"


SENSITIVITIES: Final = (
    Sensitivity(
        "wb-durations", durations.LEAST_RATIO,
        (1.25, 1.3, 1.4, 1.5, 1.6, 1.75, 2, 2.5, 3, 4, 6, 10),
    ),
    Sensitivity(wb_ends.DETECTOR, wb_ends.HANGS_ABOVE, (1.5, 2, 2.5, 3, 4, 6, 10)),
    Sensitivity(
        wb_jobs.DETECTOR, job_scores.CHANCE, (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4)
    ),
    Sensitivity(
        bb_window.DETECTOR, bb_window.ALARM_ABOVE,
        (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9),
    ),
    Sensitivity(
        bb_profile.DETECTOR, bb_profile.ALARM_ABOVE,
        (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8),
    ),
    Sensitivity(bb_loss.DETECTOR, bb_loss.LEAST_RATIO, (1.5, 2, 2.5, 3, 4, 6, 10, 20)),
    Sensitivity(
        hb_rate.DETECTOR, hb_rate.LEAST_RATIO, (0.8, 0.75, 0.67, 0.6, 0.5, 0.4, 0.3, 0.2)
    ),
    Sensitivity(hb_delay.DETECTOR, hb_delay.ALARM_RATIO, (1.5, 2, 2.5, 3, 4, 5, 7, 10, 20)),
    Sensitivity(
        hb_delay.DETECTOR, hb_delay.RISE_RATIO, (1.5, 2, 2.5, 3, 4, 5, 7, 10, 20), of="master"
    ),
)  # fmt: skip
"""In the order in which the detectors are asked."""
