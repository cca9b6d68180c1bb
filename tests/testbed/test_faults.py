"""When a fault is there, and that it is gone afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import pytest

from testbed import faults
from testbed.faults import at_times, midway

if TYPE_CHECKING:
    from testbed.cluster import Cluster
    from testbed.machine import Node

_LONGEST_S = 60.0


class _Made:
    """A fault that tells how often it came and went."""

    def __init__(self) -> None:
        self.came = self.went = 0
        self.twice = threading.Event()

    @contextmanager
    def fault(self, _cluster: Cluster, _node: Node) -> Iterator[None]:
        self.came += 1
        if self.came == 2:
            self.twice.set()
        try:
            yield
        finally:
            self.went += 1


_NOWHERE = cast("Cluster", None), cast("Node", None)


def test_a_fault_that_is_there_at_times_comes_again_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(faults, "_AT_TIMES_S", 0.001)
    made = _Made()
    with at_times(made.fault)(*_NOWHERE):
        assert made.twice.wait(_LONGEST_S)
    assert made.came == made.went >= 2


def test_a_fault_of_midway_does_not_come_to_a_run_that_ends_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = _Made()
    with midway(made.fault)(*_NOWHERE):
        pass
    assert (0, 0) == (made.came, made.went)

    monkeypatch.setattr(faults, "_MIDWAY_S", 0.001)
    here = threading.Event()

    @contextmanager
    def noted(*given: object) -> Iterator[None]:
        with made.fault(*given):  # type: ignore[arg-type]
            here.set()
            yield

    with midway(noted)(*_NOWHERE):
        assert here.wait(_LONGEST_S)
    assert (1, 1) == (made.came, made.went)
