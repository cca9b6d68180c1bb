"""The side of a node that is sick: its containers, its blocks, or both.

A worker of Hadoop is two daemons on one machine: a NodeManager, which runs tasks, and a DataNode,
which keeps blocks. Which of both to take out of service is told by what indicts the node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from mprof.peers.comparison import Look, NodeStanding

__all__ = ["Side", "side_of"]

Side = Literal["compute", "storage"]

_OF_METRIC: Final[dict[str, frozenset[Side]]] = {
    **dict.fromkeys(
        ("user", "system", "ctxt", "runq_sz", "plist_sz", "ldavg_1", "fault"),
        frozenset[Side]({"compute"}),
    ),
    **dict.fromkeys(
        ("iowait", "pgpgin", "pgpgout", "bread", "bwrtn"), frozenset[Side]({"storage"})
    ),
    # Both what tasks copy and blocks go through the network.
    **dict.fromkeys(
        ("eth_rxbyt", "eth_txbyt", "tcp_abort_on_data", "rto_max", "retrans"),
        frozenset[Side]({"compute", "storage"}),
    ),
}
_OF_HEARTBEAT: Final[dict[str, frozenset[Side]]] = {
    "nodeHeartbeat": frozenset({"compute"}),
    "sendHeartbeat": frozenset({"storage"}),
}
# Where a daemon of the node itself was asked: the ports that Hadoop gives to DataNodes (9864, 9865;
# 50075 before 3.0) and NodeManagers (8042, 8044). A port that a site has chosen tells nothing.
_ANSWER: Final = re.compile(r"answer of (?:localhost|127\.0\.0\.1):(\d+)")
_OF_PORT: Final[dict[str, frozenset[Side]]] = {
    **dict.fromkeys(("9864", "9865", "50075"), frozenset[Side]({"storage"})),
    **dict.fromkeys(("8042", "8044"), frozenset[Side]({"compute"})),
}
_NOT_KNOWN: Final = frozenset[Side]()


def side_of(reasons: Iterable[tuple[Look, NodeStanding]]) -> tuple[Side, ...]:
    """The sides that these looks show, given what differs in each; none where nothing tells.

    Attempts and containers show the compute side, transfers of blocks the storage side, and
    heartbeats that of the daemon that sends them. Of metrics the one that differs most decides.
    """
    found: set[Side] = set()
    for look, node in reasons:
        found |= _shown_by(look, node)
    return tuple(sorted(found))


def _shown_by(look: Look, node: NodeStanding) -> frozenset[Side]:
    if look.of == "attempts":
        return frozenset({"compute"})
    if look.of == "transfers":
        return frozenset({"storage"})
    if look.of == "heartbeats":
        return _of_heartbeat(look.kind or "")
    most = next((each.what for each in node.observations), "")
    return _OF_METRIC.get(most, _NOT_KNOWN)


def _of_heartbeat(kind: str) -> frozenset[Side]:
    answer = _ANSWER.fullmatch(kind)
    if answer is not None:
        return _OF_PORT.get(answer[1], _NOT_KNOWN)
    return _OF_HEARTBEAT.get(kind, _NOT_KNOWN)
