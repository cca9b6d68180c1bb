"""What a detector says of the nodes that it compared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

    from mprof.store import Rows

__all__ = [
    "Clock",
    "Comparison",
    "Look",
    "MasterStanding",
    "NodeStanding",
    "Observation",
    "Spell",
    "View",
]

View = Literal["attempts", "transfers", "heartbeats", "metrics"]
"""A table of the store: what is counted by different means, and can be wrong in different ways."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing in which a node differs from its peers.

    Attributes:
        what: the metric, or the state whose durations were compared (``iowait``, ``map``).
        own: the node's figure.
        peers: that of its peers, in the same unit.
        unit: of both.
    """

    what: str
    own: float
    peers: float
    unit: str


@dataclass(frozen=True, slots=True)
class Spell:
    """A time in which a node was not as its peers.

    Attributes:
        what: nothing was heard of it, it was slow, or it was in alarm otherwise.
        begin_s: seconds since the epoch.
        end_s: when it was over, or the last time that is known.
        lasts: it was not over then.
    """

    what: Literal["silent", "slow", "differs"]
    begin_s: float
    end_s: float
    lasts: bool


@dataclass(frozen=True, slots=True)
class NodeStanding:
    """One node against its peers.

    Attributes:
        host: its name.
        indicted: the detector names it; None where it cannot tell (too little was seen of it).
        score: the detector's statistic; larger is worse, above 1 is indicted.
        since_s: start of the first window in which it was in alarm, seconds since the epoch; None
            where it never was.
        until_s: start of the last such window, or end of the last spell.
        observations: what differs, the most telling first.
        why_not: why the detector cannot tell, None where it can.
        because_of: the nodes that it waited for, so that it is not indicted though it is slow.
        alarms_s: start of each window in which it was in alarm, or each moment that tells of it.
        jobs: jobs that show it, each by itself; 1 where the comparison is of one thing, 0 where it
            is of several jobs that are told by themselves.
        spells: when it was silent or slow, by their begins; empty where the detector tells no time.
        chance: that any node of the comparison looks so by chance; None where no test says.
        visible_in: of each state that was compared, how many times slower the node would have had
            to be in it, all the time, to be found in 19 of 20 cases; infinite where no slowness
            would have been.
    """

    host: str
    indicted: bool | None
    score: float
    since_s: float | None = None
    until_s: float | None = None
    observations: tuple[Observation, ...] = ()
    why_not: str | None = None
    because_of: tuple[str, ...] = ()
    alarms_s: tuple[float, ...] = ()
    jobs: int = 1
    spells: tuple[Spell, ...] = ()
    chance: float | None = None
    visible_in: tuple[tuple[str, float], ...] = ()

    @property
    def visible(self) -> float | None:
        """The least of these factors; None where no slowness would have been found."""
        least = min((factor for _, factor in self.visible_in), default=math.inf)
        return least if math.isfinite(least) else None


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock that is not that of most nodes, so that the node was compared with its times moved.

    Attributes:
        host: whose.
        ahead_s: seconds that it is ahead; behind is negative.
        shown_by: what shows it.
    """

    host: str
    ahead_s: float
    shown_by: str


@dataclass(frozen=True, slots=True)
class MasterStanding:
    """The master, or what else all nodes share, as the nodes together show it.

    Attributes:
        alarm: it is at fault; None where the detector cannot tell.
        rate: share of the nodes that show it, Blimey's alarm rate of a master fault; NaN where the
            detector cannot tell.
        since_s: start of the first window in which most nodes showed it at once, seconds since the
            epoch; None where there is none.
        until_s: start of the last such window.
        observations: what differs from what is usual, which stands for the peers.
        why_not: why the detector cannot tell, None where it can.
    """

    alarm: bool | None
    rate: float
    since_s: float | None = None
    until_s: float | None = None
    observations: tuple[Observation, ...] = ()
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a detector says of the nodes of one stretch of time.

    Attributes:
        detector: its name.
        nodes: every node that was to be compared, the most suspect first; empty where the verdict
            is withheld as a whole.
        withheld: why nothing can be said of any node (peers that are not comparable, no healthy
            majority, nothing seen); None where the nodes were compared.
        asked: whether the detector had what it needs to be asked; otherwise `withheld` says what.
        disputed: it is withheld since nodes differ and neither side is the exception.
        clocks: that are not those of most nodes, as far as that was asked.
        windows: number of windows that were compared.
        left_out: metrics or states that were not compared, since nothing was collected of them.
        master: what it says of the master; None if it looks at nodes alone.
    """

    detector: str
    nodes: tuple[NodeStanding, ...]
    withheld: str | None = None
    windows: int = 0
    left_out: tuple[str, ...] = ()
    master: MasterStanding | None = None
    asked: bool = True
    disputed: bool = False
    clocks: tuple[Clock, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether nodes differ of which nothing can be said: neither side, or a whole rack."""
        return self.disputed or any(node.indicted is None and node.score > 1 for node in self.nodes)

    @property
    def indicted(self) -> tuple[str, ...]:
        """Names of the nodes that are indicted."""
        return tuple(node.host for node in self.nodes if node.indicted)

    def with_unseen(self, hosts: Iterable[str], why_not: str) -> Comparison:
        """The same, and of other nodes that nothing can be said; nothing where it is withheld.

        Args:
            hosts: nodes that should be there; those that were compared are passed over.
            why_not: the detector cannot tell of them.
        """
        if self.withheld is not None:
            return self
        others = sorted(set(hosts) - {node.host for node in self.nodes})
        unseen = (NodeStanding(host, indicted=None, score=0.0, why_not=why_not) for host in others)
        return replace(self, nodes=(*self.nodes, *unseen))


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison, and what it was made of.

    Attributes:
        evidence: in words: ``attempts of job_1_0001``, ``block transfers of FILE``.
        comparison: what the detector says.
        of: the table that was looked at.
        kind: of heartbeats, the call; None of others.
        island: the nodes that were compared, where not all were compared with each other.
        rows: where those of the table lie that may tell that one node waited for another.
    """

    evidence: str
    comparison: Comparison
    of: View
    kind: str | None = None
    island: str | None = None
    rows: Rows | None = field(default=None, compare=False, repr=False)

    def read_rows(self) -> pd.DataFrame | None:
        """The rows of the table; None where they tell nothing of waiting.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        return None if self.rows is None else self.rows.read()
