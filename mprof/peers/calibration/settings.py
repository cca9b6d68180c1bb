"""Sets the sensitivity of every detector by runs in which nothing was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mprof.errors import EvidenceError
from mprof.peers.calibration.controls import Profiles, learn_profiles, trials_of
from mprof.peers.calibration.false_alarms import (
    ENOUGH_TO_SHOW,
    FEWEST_CONTROLS,
    Trial,
    any_of,
    chosen,
    held_out,
    held_out_of_each,
    share_of,
    why_not,
)
from mprof.peers.calibration.sensitivity import SENSITIVITIES, Sensitivity
from mprof.peers.calibration.values import Setting
from mprof.peers.recordings import Recording
from mprof.peers.statistics.share import Share

__all__ = ["Calibrated", "calibrate", "settings_of"]

Progress = Callable[[str, float | None], None]
_UNITS: Final = {"nodes": "nodes", "master": "masters"}


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What control runs ask for.

    Attributes:
        settings: one a sensitivity.
        any_detector: nodes that any detector indicts, of those that any has judged: the false
            alarms of `mprof nodes`.
        held_out: the same, where each run is judged by what the others ask for; None with a
            single run.
        profiles: of healthy nodes, for `bb-profile`.
    """

    settings: tuple[Setting, ...]
    any_detector: Share
    held_out: Share | None
    profiles: Profiles

    @property
    def thresholds(self) -> dict[str, float]:
        """What control runs set, for `mprof.threshold.thresholds_moved`."""
        return {each.threshold: each.value for each in self.settings if each.why_default is None}


def calibrate(
    controls: Sequence[Recording], *, seed: int = 0, progress: Progress = lambda *_: None
) -> Calibrated:
    """The most sensitive values with which at most 3 % of the nodes of control runs are indicted.

    Args:
        controls: runs in which nothing was wrong.
        seed: of what `bb-profile` learns.
        progress: is told how far it is.

    Raises:
        EvidenceError: if there is no control run, or a run has a fault.
    """
    if not controls:
        raise EvidenceError(
            "there is no control run to calibrate with",
            next_step="record runs while nothing is wrong, and name their folders",
        )
    for each in controls:
        if each.label is not None and each.label.fault is not None:
            raise EvidenceError(
                f"{each.folder} is no control: its label names the fault {each.label.fault}",
                next_step="name it with --faults",
            )
    profiles = learn_profiles(controls, seed=seed, progress=progress)
    trials = trials_of(controls, profiles, progress=progress)
    return settings_of(trials, profiles)


def settings_of(trials: Sequence[Trial], profiles: Profiles) -> Calibrated:
    """What these trials ask for.

    Args:
        trials: one a sensitivity of `SENSITIVITIES`.
        profiles: that were used.
    """
    of_nodes = [place for place, each in enumerate(SENSITIVITIES) if each.of == "nodes"]
    of_master = [place for place, each in enumerate(SENSITIVITIES) if each.of == "master"]
    settings: dict[int, Setting] = {}
    columns = []
    unseen: Share | None = None
    for places in (of_nodes, of_master):
        first = [_first(SENSITIVITIES[place], trials[place]) for place in places]
        group = [trials[place][begin:] for place, begin in zip(places, first, strict=True)]
        numbers = chosen(group, range(len(trials[0][0])), fewest=FEWEST_CONTROLS.value)
        defaults = [
            _default(SENSITIVITIES[place]) - begin
            for place, begin in zip(places, first, strict=True)
        ]
        set_ = [number is not None for number in numbers]
        several = len(trials[0][0]) > 1
        each_unseen = held_out_of_each(group, defaults=defaults, set_=set_)
        if places is of_nodes:
            unseen = held_out(group, defaults=defaults, set_=set_) if several else None
        for here, place in enumerate(places):
            number = numbers[here]
            settings[place] = _setting(
                SENSITIVITIES[place],
                trials[place],
                None if number is None else number + first[here],
                each_unseen[here] if several else None,
            )
            if places is of_nodes:
                columns.append(group[here][defaults[here] if number is None else number])
    return Calibrated(
        settings=tuple(settings[place] for place in sorted(settings)),
        any_detector=any_of(columns),
        held_out=unseen,
        profiles=profiles,
    )


def _default(sensitivity: Sensitivity) -> int:
    return sensitivity.candidates.index(sensitivity.threshold.default)


def _first(sensitivity: Sensitivity, trial: Trial) -> int:
    """Number of the first candidate that may be taken.

    Too few nodes to show that at most 3 % are false alarms may make a detector less sensitive than
    it is by default, and never more.
    """
    judged = max(share_of(row).total for row in trial)
    return 0 if judged >= ENOUGH_TO_SHOW.value else _default(sensitivity)


def _setting(
    sensitivity: Sensitivity, trial: Trial, number: int | None, unseen: Share | None
) -> Setting:
    row = trial[_default(sensitivity) if number is None else number]
    there = [each for each in row if each is not None]
    threshold = sensitivity.threshold
    return Setting(
        detector=sensitivity.detector,
        threshold=threshold.name,
        unit=threshold.unit,
        of=sensitivity.of,
        default=threshold.default,
        value=threshold.default if number is None else float(sensitivity.candidates[number]),
        why_default=why_not(trial, of=_UNITS[sensitivity.of]) if number is None else None,
        false_alarms=share_of(row),
        held_out=unseen,
        runs=len(there),
        withheld=sum(not each.judged for each in there),
    )
