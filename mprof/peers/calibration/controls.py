"""What every detector says of control runs, with each value of its sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from mprof.errors import EvidenceError
from mprof.peers.calibration.false_alarms import Judged, Trial
from mprof.peers.calibration.sensitivity import SENSITIVITIES, Sensitivity
from mprof.peers.comparison import Look
from mprof.peers.detectors.registry import DETECTORS
from mprof.peers.findings import NothingComparedError, look_at_nodes
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.profiles.training import FOLDS, train
from mprof.peers.recordings import Recording
from mprof.store import Store
from mprof.threshold import thresholds_moved

__all__ = ["Profiles", "judged", "learn_profiles", "trials_of"]

Progress = Callable[[str, float | None], None]
_BY_NAME: Final = {each.name: each for each in DETECTORS}
_MASTER: Final = frozenset({"the master"})


@dataclass(frozen=True, slots=True)
class Profiles:
    """Profiles of healthy nodes.

    Attributes:
        model: of all control runs; None where they have too little.
        unseen: of each control run, profiles that were learnt without it; None where there is none.
        why_not: why there is no model.
    """

    model: ProfileModel | None
    unseen: tuple[ProfileModel | None, ...]
    why_not: str | None = None


def learn_profiles(controls: Sequence[Recording], *, seed: int, progress: Progress) -> Profiles:
    """Learn profiles from all control runs, and for each run from others."""
    every = [each.store.read("metrics") for each in controls]
    nobody = (None,) * len(controls)
    if all(each.empty for each in every):
        return Profiles(None, nobody, why_not="no control run has metrics")
    progress("learning profiles of healthy nodes", None)
    try:
        model = train([each for each in every if not each.empty], seed=seed)
    except EvidenceError as error:
        return Profiles(None, nobody, why_not=error.what)
    parts = min(len(controls), int(FOLDS.value))
    of_part = [_without(every, part, parts, seed) for part in range(parts)]
    return Profiles(model, tuple(of_part[run % parts] for run in range(len(controls))))


def _without(
    every: Sequence[pd.DataFrame], part: int, parts: int, seed: int
) -> ProfileModel | None:
    others = [run for number, run in enumerate(every) if number % parts != part and not run.empty]
    try:
        return train(others, seed=seed)
    except EvidenceError:
        return None


def trials_of(
    controls: Sequence[Recording], profiles: Profiles, *, progress: Progress
) -> tuple[Trial, ...]:
    """What each sensitivity of `SENSITIVITIES` makes of each run, for each of its candidates.

    Cost: each run is compared once for every candidate.
    """
    by_run = []
    for number, (control, model) in enumerate(zip(controls, profiles.unseen, strict=True)):
        progress(f"comparing the nodes of {control.name}", number / len(controls))
        by_run.append([_column(control.store, model, each) for each in SENSITIVITIES])
    return tuple(
        [[run[place][row] for run in by_run] for row in range(len(each.candidates))]
        for place, each in enumerate(SENSITIVITIES)
    )


def _column(
    store: Store, profiles: ProfileModel | None, sensitivity: Sensitivity
) -> list[Judged | None]:
    found = []
    for value in sensitivity.candidates:
        with thresholds_moved({sensitivity.threshold.name: value}):
            try:
                looks = look_at_nodes(
                    store, profiles=profiles, detectors=(_BY_NAME[sensitivity.detector],)
                )
            except NothingComparedError:
                looks = ()  # nothing for this detector
        found.append(judged(looks, of=sensitivity.of))
    return found


def judged(looks: Sequence[Look], *, of: str = "nodes") -> Judged | None:
    """Who is judged and who indicted in any of these looks; None where there is no look."""
    if of == "master":
        masters = [look.comparison.master for look in looks]
        told = [one for one in masters if one is not None and one.alarm is not None]
        if not any(one is not None for one in masters):
            return None
        return Judged(
            _MASTER if told else frozenset(),
            _MASTER if any(one.alarm for one in told) else frozenset(),
        )
    if not looks:
        return None
    nodes = [node for look in looks for node in look.comparison.nodes]
    return Judged(
        frozenset(node.host for node in nodes if node.indicted is not None),
        frozenset(node.host for node in nodes if node.indicted),
    )
