"""The collector's share of a processor is bounded, whatever it measures."""

from __future__ import annotations

import time

import pytest

from mprof.metrics import slow_measure
from mprof.metrics.slow_measure import SlowMeasure


def test_what_costs_much_is_measured_seldom() -> None:
    asked: list[int] = []

    def dear() -> float:
        asked.append(1)
        end_s = time.process_time() + 0.02
        while time.process_time() < end_s:
            pass
        return 1.0

    measure = SlowMeasure(dear, share=0.01)  # so not again for two seconds
    values = [measure.value() for _ in range(20)]

    assert [1.0] * 20 == values
    assert 1 == len(asked)


def test_a_measure_that_is_too_old_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = SlowMeasure(lambda: 1.0, share=1e-9)
    assert measure.value() == 1.0
    monkeypatch.setattr(slow_measure, "_OLDEST_S", -1.0)
    monkeypatch.setattr(measure, "_next_s", time.monotonic() + 100)

    assert measure.value() is None
