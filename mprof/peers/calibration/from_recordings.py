"""From folders of recorded runs to a calibration."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mprof.errors import EvidenceError
from mprof.peers.calibration.file import calibration_of
from mprof.peers.calibration.published import calibrate_published
from mprof.peers.calibration.settings import calibrate
from mprof.peers.calibration.values import Calibration
from mprof.peers.recordings import LABEL, Recording, recordings_in
from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.learning import Synthesis, experiments_of, synthesise
from mprof.remote.address import Place

__all__ = ["Made", "make_calibration"]

Progress = Callable[[str, float | None], None]


@dataclass(frozen=True, slots=True)
class Made:
    """A calibration, and what is not kept in its file.

    Attributes:
        calibration: what is.
        confusion_by_indicted: what trees say of runs that they were not learnt of, if the mean of
            the others is over those that are indicted; None without a tree.
    """

    calibration: Calibration
    confusion_by_indicted: Confusion | None


def make_calibration(
    controls: Sequence[Place],
    faults: Sequence[Place] = (),
    *,
    seed: int = 0,
    stage: Callable[[str], None] = lambda _: None,
    progress: Progress = lambda *_: None,
) -> Made:
    """Set every detector by control runs, and learn a tree from labelled ones.

    Args:
        controls: folders, or addresses of stores, of runs in which nothing was wrong.
        faults: those of labelled runs.
        seed: of what is drawn by chance.
        stage: is told what begins.
        progress: is told how far that is.

    Raises:
        EvidenceError: if a folder holds no run, a control has a fault, or a run lacks its label.
    """
    with tempfile.TemporaryDirectory(prefix="mprof-calibrate-") as scratch:
        stage("reading recordings")
        runs = recordings_in(controls, scratch=Path(scratch) / "controls", progress=progress)
        labelled = recordings_in(faults, scratch=Path(scratch) / "faults", progress=progress)
        _check_labels(labelled)
        stage("calibrating")
        calibrated = calibrate(runs, seed=seed, progress=progress)
        as_published = calibrate_published([each.store for each in runs], seed=seed)
        synthesis = Synthesis(None)
        if labelled:
            stage("learning kinds of sickness")
            experiments = experiments_of(
                [*runs, *labelled], thresholds=calibrated.thresholds, progress=progress
            )
            synthesis = synthesise(experiments, seed=seed, progress=progress)
        calibration = calibration_of(
            calibrated,
            as_published,
            controls=runs,
            faults=labelled,
            tree=synthesis.tree,
            why_no_tree=synthesis.why_not,
            confusion=synthesis.confusion,
        )
    return Made(calibration, synthesis.confusion_by_indicted)


def _check_labels(labelled: Sequence[Recording]) -> None:
    for each in labelled:
        if each.label is None:
            raise EvidenceError(
                f"{each.folder} has no {LABEL}, which says what was wrong",
                next_step='write one: {"fault": "disk full", "node": "host-07"}',
            )
