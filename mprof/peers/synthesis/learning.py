"""Learns from labelled runs of which kind a sickness is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mprof.errors import EvidenceError
from mprof.peers.detectors.registry import DETECTORS
from mprof.peers.findings import look_at_nodes
from mprof.peers.recordings import Recording
from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.ten_values import DETECTORS_ASKED, statistics_of
from mprof.peers.synthesis.training import Experiment, experiment_of, learn_tree, leave_one_out
from mprof.peers.synthesis.tree import SicknessTree
from mprof.threshold import thresholds_moved

__all__ = ["Synthesis", "experiments_of", "synthesise"]

Progress = Callable[[str, float | None], None]
_ASKED: Final = tuple(each for each in DETECTORS if each.name in DETECTORS_ASKED)


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A tree, and how it fares.

    Attributes:
        tree: learnt of all runs; None where there is nothing to tell apart.
        why_not: why there is none.
        confusion: what trees say of each run that were learnt of the others.
        confusion_by_indicted: the same, with the mean of the others taken over those that are
            indicted (section VII of Blimey).
    """

    tree: SicknessTree | None
    why_not: str | None = None
    confusion: Confusion | None = None
    confusion_by_indicted: Confusion | None = None


def experiments_of(
    recordings: Sequence[Recording], *, thresholds: Mapping[str, float], progress: Progress
) -> tuple[Experiment, ...]:
    """The statistics and the classes of the nodes of every recording, each recording once.

    Args:
        recordings: with labels; one without counts as a run without a fault.
        thresholds: of the detectors, by name, where control runs set them.
        progress: is told which one is looked at.
    """
    every = list({each.folder: each for each in recordings}.values())
    found = []
    for number, each in enumerate(every):
        progress(f"asking the detectors of {each.name}", number / len(every))
        with thresholds_moved(thresholds):
            looks = look_at_nodes(each.store, detectors=_ASKED)
            statistics = statistics_of(looks, each.hosts)
        found.append(experiment_of(each, statistics))
    return tuple(found)


def synthesise(
    experiments: Sequence[Experiment], *, seed: int = 0, progress: Progress = lambda *_: None
) -> Synthesis:
    """Learn a tree of these runs, and try it leaving one run out at a time."""
    progress("learning a tree", None)
    try:
        tree = learn_tree(experiments, seed=seed)
    except EvidenceError as error:
        return Synthesis(None, why_not=error.what)
    return Synthesis(
        tree,
        confusion=leave_one_out(experiments, seed=seed),
        confusion_by_indicted=leave_one_out(experiments, others="indicted", seed=seed),
    )
