"""What a cluster's own runs say about its detectors, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mprof.peers.calibration.published import ABOVE
from mprof.peers.calibration.sensitivity import SENSITIVITIES
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.statistics.share import Share
from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.tree import SicknessTree

__all__ = ["NOTHING_SET", "Calibration", "Run", "Setting"]

_OF_PAPERS: Final = frozenset(each.name for each in ABOVE.values())
_KNOWN: Final = frozenset(each.threshold.name for each in SENSITIVITIES)


@dataclass(frozen=True, slots=True)
class Setting:
    """One threshold, and how it fares on control runs.

    Attributes:
        detector: whose it is.
        threshold: its name.
        unit: of the value.
        of: who is in false alarm by it: ``nodes`` or ``master``.
        default: its value without calibration.
        value: that is in force with the calibration.
        why_default: why it was left as it is; None where control runs set it.
        false_alarms: nodes indicted with the value, of those judged, in the control runs.
        held_out: the same, where each run is judged by the value that the others ask for: what to
            expect of a new run. None with a single run.
        runs: control runs in which there was anything for the detector.
        withheld: those of them in which it says nothing of anyone.
    """

    detector: str
    threshold: str
    unit: str
    of: str
    default: float
    value: float
    why_default: str | None
    false_alarms: Share
    held_out: Share | None
    runs: int
    withheld: int


@dataclass(frozen=True, slots=True)
class Run:
    """A run that the calibration is of.

    Attributes:
        name: of its folder.
        sources: that its store holds: the first digits of the SHA-256 of each file.
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
        profiles_as_published: of healthy nodes, for `ganesha` and `kahuna-bb`.
        thresholds_as_published: of the detectors of papers, by name: what control runs ask for.
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
    profiles_as_published: ProfileModel | None = None
    thresholds_as_published: dict[str, float] | None = None

    def __post_init__(self) -> None:
        for each in self.settings:
            if each.threshold not in _KNOWN:
                raise ValueError(f"it sets {each.threshold}, which this version does not know")
            if not 0 < each.value < float("inf"):
                raise ValueError(f"it sets {each.threshold} to {each.value}")
        for name, value in (self.thresholds_as_published or {}).items():
            if name not in _OF_PAPERS:
                raise ValueError(f"it sets {name}, which this version does not know")
            if not 0 < value < float("inf"):
                raise ValueError(f"it sets {name} to {value}")

    @property
    def thresholds(self) -> dict[str, float]:
        """What control runs set, for `mprof.threshold.thresholds_moved`."""
        ours = {each.threshold: each.value for each in self.settings if each.why_default is None}
        return ours | (self.thresholds_as_published or {})


NOTHING_SET: Final = Calibration(
    format=1, made_by="", made_at="", controls=(), faults=(), node_runs=0, settings=(),
    any_detector=Share(0, 0),
)  # fmt: skip
"""Without a calibration: every threshold at its default, no profiles and no tree."""
