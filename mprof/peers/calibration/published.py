"""What control runs ask of the detectors that are as published: profiles, and a threshold of each.

Each has its threshold set so that at most 3 % of the nodes of control runs are indicted (Blimey,
section VII.A.2; Ganesha has as many). Their levels are all known from one pass over the runs, so
that the threshold is the smallest with which it is so. The profiles are of all control runs; the
papers do not say whether those of the test are others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from mprof.errors import EvidenceError
from mprof.peers.calibration.false_alarms import FEWEST_CONTROLS, MOST_FALSE
from mprof.peers.comparison import Look
from mprof.peers.detectors.registry import PUBLISHED
from mprof.peers.detectors.request import Asked
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.profiles.training import train
from mprof.peers.published import blimey_bb, blimey_hb, blimey_wb, ganesha, kahuna_bb, kahuna_wb
from mprof.peers.published.profile_histograms import SADC_VECTOR
from mprof.store import Store
from mprof.threshold import Threshold

__all__ = ["ABOVE", "AsPublished", "Levels", "calibrate_published", "levels_of", "thresholds_of"]

ABOVE: Final[Mapping[tuple[str, str | None], Threshold]] = {
    (kahuna_bb.DETECTOR, None): kahuna_bb.ABOVE,
    **{(kahuna_wb.DETECTOR, state): each for state, each in kahuna_wb.ABOVE.items()},
    (ganesha.DETECTOR, None): ganesha.ABOVE,
    (blimey_bb.DETECTOR, None): blimey_bb.ABOVE,
    **{(blimey_wb.DETECTOR, state): each for state, each in blimey_wb.ABOVE.items()},
    **{(blimey_hb.DETECTOR, each): above for each, above in blimey_hb.ABOVE.items()},
}
"""The threshold of each detector and kind of look."""

Levels = Mapping[tuple[str, str | None], Mapping[str, float]]
"""By detector and kind of look: the level of each node that was compared."""

_LEAST: Final = 1e-3  # of which a score is a multiple


@dataclass(frozen=True, slots=True)
class AsPublished:
    """What control runs ask for.

    Attributes:
        profiles: of the fourteen metrics of Ganesha and Kahuna; None where there is too little.
        thresholds: by name; those are left out for which too few nodes were judged.
    """

    profiles: ProfileModel | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)


def calibrate_published(controls: Sequence[Store], *, seed: int = 0) -> AsPublished:
    """Learn profiles of control runs, and set every threshold by them."""
    every = [store.read("metrics") for store in controls]
    try:
        runs = [each for each in every if not each.empty]
        profiles = train(runs, among=SADC_VECTOR, seed=seed) if runs else None
    except EvidenceError:
        profiles = None
    levels = [
        levels_of(look for each in PUBLISHED for look in each.looks(_asked(store, profiles)))
        for store in controls
    ]
    return AsPublished(profiles, thresholds_of(levels))


def _asked(store: Store, profiles: ProfileModel | None) -> Asked:
    hosts = frozenset(store.read("nodes", columns=["host"])["host"].dropna())
    return Asked(store, None, hosts, profiles_as_published=profiles)


def levels_of(looks: Iterable[Look]) -> Levels:
    """The largest level of each node, by the thresholds in force."""
    found: dict[tuple[str, str | None], dict[str, float]] = {}
    for look in looks:
        key = (look.comparison.detector, look.kind)
        levels = found.setdefault(key, {})
        for node in look.comparison.nodes:
            if node.indicted is not None:
                level = node.score * ABOVE[key].value
                levels[node.host] = max(level, levels.get(node.host, 0.0))
    return found


def thresholds_of(runs: Sequence[Levels]) -> dict[str, float]:
    """The smallest thresholds with which at most 3 % of the nodes of these runs are indicted."""
    return dict(_thresholds(runs))


def _thresholds(runs: Sequence[Levels]) -> Iterator[tuple[str, float]]:
    for key, threshold in ABOVE.items():
        levels = np.sort([level for run in runs for level in run.get(key, {}).values()])[::-1]
        if len(levels) >= FEWEST_CONTROLS.value:
            allowed = int(MOST_FALSE.value * len(levels))
            yield threshold.name, max(float(levels[allowed]), _LEAST)
