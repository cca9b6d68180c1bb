"""The file that `mprof calibrate` writes and `mprof nodes --calibration` reads: one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import msgspec

from mprof.json_file import read_json
from mprof.peers.calibration.sensitivity import SENSITIVITIES
from mprof.peers.calibration.settings import Calibrated, Setting
from mprof.peers.profile_model import ProfileModel
from mprof.peers.recordings import Recording
from mprof.peers.share import Share
from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.tree import SicknessTree
from mprof.version import __version__

__all__ = ["Calibration", "Run", "calibration_of", "load_calibration", "text_of"]

_KNOWN: Final = frozenset(each.threshold.name for each in SENSITIVITIES)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that the calibration is of.

    Attributes:
        name: of its folder.
        sources: that its store holds: the begin of the SHA-256 of each file.
        nodes: that were seen in it.
        fault: what was wrong; None if nothing was.
        node: that had it; ``master`` for the master.
    """

    name: str
    sources: tuple[str, ...]
    nodes: int
    fault: str | None = None
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a cluster's own runs say about its detectors.

    Attributes:
        format: of the file.
        made_by: version of mprof.
        made_at: ISO 8601, UTC.
        controls: runs in which nothing was wrong.
        faults: runs with a known fault, of which the tree was learnt beside the controls.
        node_runs: nodes of the control runs, one of each run for itself.
        settings: every sensitivity, set or left at its default.
        any_detector: false alarms of all detectors together in the control runs.
        held_out: the same, where each run is judged by what the others ask for.
        profiles: of healthy nodes, for `bb-profile`.
        why_no_profiles: why there are none.
        tree: says of which kind a sickness is.
        why_no_tree: why there is none.
        confusion: what trees say of runs that they were not learnt of.
    """

    format: Literal[1]
    made_by: str
    made_at: str
    controls: tuple[Run, ...]
    faults: tuple[Run, ...]
    node_runs: int
    settings: tuple[Setting, ...]
    any_detector: Share
    held_out: Share | None = None
    profiles: ProfileModel | None = None
    why_no_profiles: str | None = None
    tree: SicknessTree | None = None
    why_no_tree: str | None = None
    confusion: Confusion | None = None

    def __post_init__(self) -> None:
        for each in self.settings:
            if each.threshold not in _KNOWN:
                raise ValueError(f"it sets {each.threshold}, which this version does not know")
            if not 0 < each.value < float("inf"):
                raise ValueError(f"it sets {each.threshold} to {each.value}")

    @property
    def thresholds(self) -> dict[str, float]:
        """What control runs set, for `mprof.threshold.thresholds_moved`."""
        return {each.threshold: each.value for each in self.settings if each.why_default is None}


def calibration_of(
    calibrated: Calibrated,
    *,
    controls: Sequence[Recording],
    faults: Sequence[Recording],
    tree: SicknessTree | None,
    why_no_tree: str | None,
    confusion: Confusion | None,
) -> Calibration:
    """The content of the file, as of now."""
    of_controls = tuple(map(_run, controls))
    return Calibration(
        format=1,
        made_by=__version__,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        controls=of_controls,
        faults=tuple(map(_run, faults)),
        node_runs=sum(each.nodes for each in of_controls),
        settings=calibrated.settings,
        any_detector=calibrated.any_detector,
        held_out=calibrated.held_out,
        profiles=calibrated.profiles.model,
        why_no_profiles=calibrated.profiles.why_not,
        tree=tree,
        why_no_tree=why_no_tree,
        confusion=confusion,
    )


def text_of(calibration: Calibration) -> str:
    """The file's text."""
    return msgspec.json.format(msgspec.json.encode(calibration), indent=1).decode() + "\n"


def load_calibration(path: Path) -> Calibration:
    """Read a file.

    Raises:
        UnreadableError: if there is none, or it is damaged or of another version.
    """
    return read_json(path, Calibration)


def _run(recording: Recording) -> Run:
    label = recording.label
    return Run(
        name=recording.name,
        sources=recording.store.sources(),
        nodes=len(recording.hosts),
        fault=label.fault if label else None,
        node=label.node if label else None,
    )
