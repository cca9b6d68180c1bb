"""The detectors: each in a module of its own, which is loaded when it is first asked.

Ours make the verdict of `mprof nodes`. Those of the papers are asked by name, and stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from mprof.errors import UsageError
from mprof.threshold import Threshold

if TYPE_CHECKING:  # mprof explain lists the detectors where pandas need not be installed
    from mprof.peers.comparison import Look
    from mprof.peers.detectors.request import Asked

__all__ = ["ALL", "DETECTORS", "PUBLISHED", "Detector", "detectors_named"]

ALL: Final = "all"
"""Stands for all of ours."""


class _Module(Protocol):
    """What the module of a detector defines; its docstring is the detector's page."""

    THRESHOLDS: tuple[Threshold, ...]

    def looks(self, asked: Asked) -> Iterator[Look]: ...


@dataclass(frozen=True, slots=True)
class Detector:
    """One way to tell a sick node.

    Attributes:
        name: as pages and tables print it.
        title: what it compares, in a few words.
        one_sided: it blames a node that is slower or does less, and never one that differs in the
            other direction.
        paper: in which it is described, if it is as published; None if it is ours.
    """

    name: str
    title: str
    one_sided: bool = True
    paper: str | None = None

    @property
    def module(self) -> str:
        """Name of its module."""
        package = "detectors" if self.paper is None else "published"
        return f"mprof.peers.{package}.{self.name.replace('-', '_')}"

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """Every free parameter."""
        return self._loaded.THRESHOLDS

    def looks(self, asked: Asked) -> Iterator[Look]:
        """Its comparisons of what the store holds; none where it holds nothing for it."""
        return self._loaded.looks(asked)

    @property
    def _loaded(self) -> _Module:
        return cast("_Module", import_module(self.module))


DETECTORS: Final = (
    Detector("wb-durations", "how long the same work takes on each node"),
    Detector("wb-ends", "attempts that fail or hang on a node and end well elsewhere"),
    Detector("wb-jobs", "how nodes fare with the jobs of several users"),
    Detector(
        "bb-window",
        "the metrics of each node against a random draw from its peers",
        one_sided=False,
    ),
    Detector(
        "bb-profile",
        "how long each node shows each of the profiles of healthy nodes",
        one_sided=False,
    ),
    Detector("bb-loss", "how much of what each node sends TCP must send again"),
    Detector("hb-rate", "how much each node completes of the work that it has in hand"),
    Detector("hb-delay", "how long the master's answers take to reach each node"),
)
"""In the order in which they are asked."""

_KAHUNA: Final = (
    "Tan et al., Kahuna: Problem Diagnosis for MapReduce-Based Cloud Computing Environments"
)
_GANESHA: Final = "Pan et al., Ganesha: Black-Box Diagnosis of MapReduce Systems"
_BLIMEY: Final = "Pan et al., Blind Men and the Elephant: Piecing Together Hadoop for Diagnosis"

PUBLISHED: Final = (
    Detector(
        "kahuna-bb", "histograms of profiles of metrics, in pairs", one_sided=False, paper=_KAHUNA
    ),
    Detector("kahuna-wb", "histograms of durations, in pairs", one_sided=False, paper=_KAHUNA),
    Detector(
        "ganesha", "histograms of profiles of metrics, in pairs, repeatedly", one_sided=False,
        paper=_GANESHA,
    ),
    Detector(
        "blimey-bb", "the last 120 vectors of metrics against a draw from peers", one_sided=False,
        paper=_BLIMEY,
    ),
    Detector(
        "blimey-wb", "densities of durations against the global estimate", one_sided=False,
        paper=_BLIMEY,
    ),
    Detector(
        "blimey-hb", "rates of heartbeats, and their delay between two clocks", one_sided=False,
        paper=_BLIMEY,
    ),
)  # fmt: skip
"""As their papers describe them."""


def detectors_named(names: str) -> tuple[Detector, ...]:
    """The detectors of a list of names with commas between them, in the order of the tables.

    Raises:
        UsageError: if there is no such detector.
    """
    wanted = {name.strip() for name in names.split(",")}
    known = {each.name: each for each in (*DETECTORS, *PUBLISHED)}
    name = min(wanted - {ALL, *known}, default=None)
    if name is not None:
        raise UsageError(
            f"there is no detector {name!r}",
            next_step=f"name some of these, with commas between them: {', '.join((ALL, *known))}",
        )
    if ALL in wanted:
        wanted |= {each.name for each in DETECTORS}
    return tuple(each for name, each in known.items() if name in wanted)
