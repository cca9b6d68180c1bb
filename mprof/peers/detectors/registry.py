"""The detectors: each in a module of its own, which is loaded when it is first asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from mprof.threshold import Threshold

if TYPE_CHECKING:  # mprof explain lists the detectors where pandas need not be installed
    from mprof.peers.comparison import Look
    from mprof.peers.detectors.request import Asked

__all__ = ["DETECTORS", "Detector"]


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
    """

    name: str
    title: str
    one_sided: bool = True

    @property
    def module(self) -> str:
        """Name of its module."""
        return f"mprof.peers.detectors.{self.name.replace('-', '_')}"

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
