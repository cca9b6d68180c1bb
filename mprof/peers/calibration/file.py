"""The file that `mprof calibrate` writes and `mprof nodes --calibration` reads: one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from mprof.io.json import read_json
from mprof.io.printable import encodable
from mprof.peers.calibration.published import AsPublished
from mprof.peers.calibration.settings import Calibrated
from mprof.peers.calibration.values import Calibration, Run
from mprof.peers.recordings import Recording
from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.tree import SicknessTree
from mprof.version import __version__

__all__ = ["calibration_of", "load_calibration", "text_of"]


def calibration_of(
    calibrated: Calibrated,
    as_published: AsPublished,
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
        profiles_as_published=as_published.profiles,
        thresholds_as_published=dict(as_published.thresholds),
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
        name=encodable(recording.name),
        sources=recording.store.sources(),
        nodes=len(recording.hosts),
        fault=label.fault if label else None,
        node=label.node if label else None,
    )
