"""What the cluster's own master says of its nodes, beside what a comparison finds.

A ResourceManager calls a node ``LOST`` that has sent no heartbeat for ten minutes, ``UNHEALTHY``
whose own check of its disks fails, ``DECOMMISSIONED`` that somebody has taken out. The first
two are facts, whatever a comparison finds; of the last, silence is no sickness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pandas as pd

from mprof.store import Tables

__all__ = ["Reported", "reported_nodes"]

_WELL: Final = frozenset({"RUNNING", "NEW"})
_OUT: Final = frozenset({"DECOMMISSIONED", "DECOMMISSIONING", "SHUTDOWN"})
_GONE: Final = frozenset({"LOST", "REBOOTED"})


@dataclass(frozen=True, slots=True)
class Reported:
    """A node that the ResourceManager does not call well.

    Attributes:
        host: its name.
        state: as YARN names it.
        since_s: of one that is gone, its last report of its health, which comes every ten minutes
            (``yarn.nodemanager.health-checker.interval-ms``): it went then or up to ten minutes
            later; else when it was first found so, as far back as was asked. Seconds since 1970
            UTC, None where no time is known.
        at_s: when it was found so last; None where no time is known.
        report: what the node itself said of its health; None for nothing.
    """

    host: str
    state: str
    since_s: float | None
    at_s: float | None
    report: str | None

    @property
    def is_taken_out(self) -> bool:
        """Whether somebody has taken it out of service, which is no sickness."""
        return self.state in _OUT


def reported_nodes(tables: Tables) -> tuple[Reported, ...]:
    """The nodes that were not well when the ResourceManager was asked last, by their names."""
    rows = tables.read("node_states")
    if rows.empty:
        return ()
    rows = rows[rows["host"].notna()].sort_values("at_s", kind="stable", na_position="first")
    found = []
    for host, of_host in rows.groupby("host", sort=True):
        last = of_host.iloc[-1]
        if last["state"] in _WELL:
            continue
        same = of_host["state"].eq(last["state"])
        run = of_host[same[::-1].cummin()[::-1]]
        heard = run["heard_s"].min() if last["state"] in _GONE else run["at_s"].min()
        found.append(
            Reported(
                str(host), str(last["state"]), _known(heard), _known(last["at_s"]),
                last["report"] if isinstance(last["report"], str) else None,
            )
        )  # fmt: skip
    return tuple(found)


def _known(at_s: float) -> float | None:
    return None if pd.isna(at_s) else float(at_s)
