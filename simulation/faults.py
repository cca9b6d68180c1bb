"""What faults do to a node: factors of its speeds, and what its counters show beside the work."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

__all__ = ["FAULTS", "NEIGHBOUR", "Fault", "slower"]


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    Attributes:
        cpu: of its speed, what is left for the work of jobs.
        disk: likewise.
        net: likewise.
        loss: share of the packets that the node loses.
        hangs: the kind of attempt that never ends on the node.
        down: nothing of the node is heard any more.
        master: the master stops, again and again; no node is at fault.
        shows: what the counters of the node show more, by metric.
    """

    cpu: float = 1.0
    disk: float = 1.0
    net: float = 1.0
    loss: float = 0.0
    hangs: str | None = None
    down: bool = False
    master: bool = False
    shows: Mapping[str, float] = field(default_factory=dict)


FAULTS: Mapping[str, Fault] = {
    "cpu-hog": Fault(cpu=0.3, shows={"user": 65, "runq_sz": 4, "ldavg_1": 4}),
    "disk-hog": Fault(
        disk=0.25, shows={"iowait": 35, "pgpgout": 6e4, "bwrtn": 1.2e5, "ldavg_1": 1.5}
    ),
    "packet-loss-5": Fault(net=0.4, loss=0.05, shows={"rto_max": 180}),
    "packet-loss-50": Fault(net=0.03, loss=0.5, shows={"rto_max": 4000, "tcp_abort_on_data": 2}),
    "map-stop": Fault(hangs="map"),
    "reduce-stop": Fault(hangs="reduce"),
    "node-down": Fault(down=True),
    "resource-manager-stop": Fault(master=True),
}
"""By the names of the testbed; the factors are rough, and of no measurement."""

NEIGHBOUR = Fault(cpu=0.5, disk=0.5, net=0.5)
"""Another guest of the same host takes half of it, which the node's own counters do not show."""


def slower(times: float, parts: Collection[str] = ("cpu", "disk", "net")) -> Fault:
    """A node that takes so many times as long for what these parts of it do."""
    cpu, disk, net = (1 / times if each in parts else 1.0 for each in ("cpu", "disk", "net"))
    return Fault(cpu=cpu, disk=disk, net=net)
