"""Tasks show the compute side of a node, blocks its storage side, and the network both."""

from __future__ import annotations

import pytest

from mprof.metrics import METRIC_NAMES
from mprof.peers.comparison import Comparison, Look, NodeStanding, Observation, View
from mprof.peers.verdict.sides import side_of


def shown(of: View, what: str = "map", kind: str | None = None) -> tuple[str, ...]:
    node = NodeStanding(
        "a", indicted=True, score=2.0, observations=(Observation(what, 2.0, 1.0, "s"),)
    )
    return side_of([(Look("e", Comparison("d", (node,)), of=of, kind=kind), node)])


@pytest.mark.parametrize(
    ("of", "what", "kind", "sides"),
    [
        ("attempts", "reduce copy", None, ("compute",)),
        ("transfers", "HDFS_WRITE", None, ("storage",)),
        ("heartbeats", "mean round trip", "nodeHeartbeat", ("compute",)),
        ("heartbeats", "mean round trip", "sendHeartbeat", ("storage",)),
        ("heartbeats", "mean round trip", "answer of localhost:9864", ("storage",)),
        ("heartbeats", "mean round trip", "answer of localhost:8042", ("compute",)),
        ("heartbeats", "mean round trip", "answer of nn:9870", ()),
        ("heartbeats", "mean round trip", "of something else", ()),
        ("metrics", "user", None, ("compute",)),
        ("metrics", "bwrtn", None, ("storage",)),
        ("metrics", "eth_rxbyt", None, ("compute", "storage")),
    ],
)
def test_the_side_follows_from_what_differs(
    of: View, what: str, kind: str | None, sides: tuple[str, ...]
) -> None:
    assert shown(of, what, kind) == sides


def test_every_metric_shows_a_side() -> None:
    assert all(shown("metrics", name) for name in METRIC_NAMES)


def test_tasks_and_blocks_together_show_both_sides() -> None:
    node = NodeStanding("a", indicted=True, score=2.0)
    every: list[tuple[View, str | None]] = [("attempts", None), ("transfers", None)]
    looks = [(Look("e", Comparison("d", (node,)), of=of, kind=kind), node) for of, kind in every]

    assert side_of(looks) == ("compute", "storage")
