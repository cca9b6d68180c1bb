"""Comparisons that should be the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mprof.peers.comparison import Comparison

__all__ = ["assert_same"]


def assert_same(one: Comparison, other: Comparison) -> None:
    """But for the last digits of means, which are sums of parts."""
    bare = [
        replace(each, nodes=tuple(replace(node, observations=()) for node in each.nodes))
        for each in (one, other)
    ]
    assert bare[0] == bare[1]
    for mine, theirs in zip(one.nodes, other.nodes, strict=True):
        assert [each.what for each in mine.observations] == [
            each.what for each in theirs.observations
        ]
        for figure in ("own", "peers"):
            assert [getattr(each, figure) for each in mine.observations] == pytest.approx(
                [getattr(each, figure) for each in theirs.observations], rel=1e-9
            )
