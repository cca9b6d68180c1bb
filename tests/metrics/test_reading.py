"""From two readings of counters to a row."""

from __future__ import annotations

from mprof.metrics import SAMPLED_NAMES
from mprof.metrics.reading import Reading, row_of


def _reading(second: float, totals: dict[str, float], **levels: float) -> Reading:
    return Reading(1e9 + second, second, 4, totals, levels)


def test_a_row_has_all_metrics_and_what_is_not_known_is_none() -> None:
    row = row_of(_reading(0, {}), _reading(1, {}))

    assert list(SAMPLED_NAMES) == list(row)
    assert {None} == set(row.values())


def test_shares_are_of_all_processors_and_rates_per_second() -> None:
    before = _reading(10, {"user": 100.0, "iowait": 5.0, "ctxt": 1000, "eth_rxbyt": 0})
    now = _reading(12, {"user": 106.0, "iowait": 5.0, "ctxt": 1500, "eth_rxbyt": 9}, ldavg_1=0.5)
    row = row_of(before, now)

    # 6 s of 4 processors for 2 s
    assert (75.0, 0.0, 250.0, 4.5) == (row["user"], row["iowait"], row["ctxt"], row["eth_rxbyt"])
    assert 0.5 == row["ldavg_1"]


def test_ticks_that_are_coarser_than_the_clock_make_no_more_than_all() -> None:
    assert 100 == row_of(_reading(0, {"user": 0}), _reading(1, {"user": 4.04}))["user"]


def test_a_counter_that_went_back_or_came_anew_is_not_known() -> None:
    row = row_of(_reading(0, {"ctxt": 10}), _reading(1, {"ctxt": 5, "fault": 3}))

    assert (None, None) == (row["ctxt"], row["fault"])


def test_two_readings_at_one_moment_have_no_rates() -> None:
    assert row_of(_reading(1, {"ctxt": 10}), _reading(1, {"ctxt": 15}))["ctxt"] is None
