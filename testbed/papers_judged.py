"""What detectors as published say of recordings, each threshold set by those without a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mprof.peers.calibration.published import ABOVE, Levels, thresholds_of
from mprof.peers.statistics.share import Share, together

__all__ = ["Judgeable", "Judged", "Key", "indicted_in", "judged_by_papers"]

Key = tuple[str, str | None]
"""A detector, and the state or algorithm of it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What detectors as published say of recordings whose truth is known.

    Attributes:
        named: of each detector and kind, and of each fault, sick nodes that are named.
        false: likewise, healthy nodes that are.
        held_out: of each detector and kind, nodes of controls, each control judged by what the
            others ask for.
        thresholds: by name, that the controls ask for.
    """

    named: Mapping[tuple[Key, str], Share]
    false: Mapping[tuple[Key, str], Share]
    held_out: Mapping[Key, Share]
    thresholds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Judgeable:
    """A recording: its fault, its sick node (None of the master's), its nodes and their levels."""

    fault: str | None
    sick: str | None
    nodes: int
    levels: Levels


def judged_by_papers(every: Sequence[Judgeable]) -> Judged:
    """Set every threshold by the controls, and judge all recordings by it."""
    controls = [one for one in every if one.fault is None]
    thresholds = thresholds_of([one.levels for one in controls])
    named: dict[tuple[Key, str], list[Share]] = {}
    false: dict[tuple[Key, str], list[Share]] = {}
    for one in every:
        if one.fault is None:
            continue
        for key in ABOVE:
            indicted = indicted_in(one, key, thresholds)
            sick = frozenset({one.sick} if one.sick else ())
            cell = (key, one.fault)
            named.setdefault(cell, []).append(Share(len(sick & indicted), len(sick)))
            false.setdefault(cell, []).append(Share(len(indicted - sick), one.nodes - len(sick)))
    return Judged(
        {cell: together(shares) for cell, shares in named.items()},
        {cell: together(shares) for cell, shares in false.items()},
        {key: together(_held_out(controls, key)) for key in ABOVE},
        thresholds,
    )


def indicted_in(one: Judgeable, key: Key, thresholds: Mapping[str, float]) -> frozenset[str]:
    """The nodes that are indicted by a threshold of these, or by its default."""
    above = thresholds.get(ABOVE[key].name, ABOVE[key].default)
    return frozenset(host for host, level in one.levels.get(key, {}).items() if level > above)


def _held_out(controls: Sequence[Judgeable], key: Key) -> Iterator[Share]:
    for one in controls:
        others = thresholds_of([other.levels for other in controls if other is not one])
        yield Share(len(indicted_in(one, key, others)), len(one.levels.get(key, {})))
