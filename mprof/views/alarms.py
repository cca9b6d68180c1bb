"""The alarms of the detectors over time, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mprof.peers.comparison import Look

__all__ = ["Alarms"]


@dataclass(frozen=True, slots=True)
class Alarms:
    """What the detectors say of the nodes.

    Attributes:
        looks: every comparison that was made.
    """

    looks: Sequence[Look]

    def as_json(self, hosts: Sequence[str]) -> dict[str, Any]:
        """As the page takes it: alarms, indictments, and why verdicts were withheld.

        ``judged``: of some node it is known whether it is as its peers; ``disputed``: why no node
        can be named although nodes differ, or all are in trouble.
        """
        place = {host: number for number, host in enumerate(hosts)}
        detectors = list(dict.fromkeys(look.comparison.detector for look in self.looks))
        alarms, indicted = [], []
        for look in self.looks:
            detector = detectors.index(look.comparison.detector)
            for node in look.comparison.nodes:
                if node.host not in place:
                    continue
                alarms += [[detector, place[node.host], at_s] for at_s in node.alarms_s]
                if node.indicted:
                    what = ", ".join(each.what for each in node.observations)
                    indicted.append([detector, place[node.host], node.since_s, look.evidence, what])
        withheld = [
            [detectors.index(look.comparison.detector), look.evidence, look.comparison.withheld]
            for look in self.looks
            if look.comparison.withheld is not None
        ]
        return {
            "detectors": detectors, "alarms": alarms, "indicted": indicted, "withheld": withheld,
            "compared": len(self.looks),
            "judged": any(
                node.indicted is not None for look in self.looks for node in look.comparison.nodes
            ),
            "disputed": next(
                (look.comparison.withheld for look in self.looks if look.comparison.disputed), None
            ),
            "masterLate": any(
                look.comparison.master is not None and look.comparison.master.alarm is True
                for look in self.looks
            ),
        }  # fmt: skip
