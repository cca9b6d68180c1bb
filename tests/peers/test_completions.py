"""Smoothed completions against a sum over every attempt, one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from mprof.peers.statistics.completions import EFFECTIVE_WIDTH, smoothed

HOSTS = ("a", "b", "c")


def _attempts(rows: list[tuple[str, str, float, float, bool]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["host", "group", "started_s", "until_s", "completed"])


def _one_by_one(
    rows: pd.DataFrame, at_s: float, width_s: float, most_own: float
) -> dict[str, tuple[float, float, float]]:
    """Own rate, expected rate and work in hand of each host, as the definition has them."""
    result = dict.fromkeys(HOSTS, (0.0, 0.0, 0.0))
    for group in set(rows["group"]):
        ended = rows[(rows["group"] == group) & rows["completed"]]
        took_s = ended["until_s"] - ended["started_s"]
        longest = 1.5 * took_s.median() if len(ended) else np.inf
        rate, held = dict.fromkeys(HOSTS, 0.0), dict.fromkeys(HOSTS, 0.0)
        for row in rows[rows["group"] == group].itertuples():
            kernel = norm(at_s, width_s)
            let_go_s = min(row.until_s, row.started_s + longest)
            held[row.host] += kernel.cdf(let_go_s) - kernel.cdf(row.started_s)
            rate[row.host] += kernel.pdf(row.until_s) if row.completed else 0.0
        total = sum(held.values())
        for host in HOSTS:
            own, expected, in_hand = result[host]
            share = held[host] / total if total > 0 else 0.0
            if share <= most_own:
                own, expected = own + rate[host], expected + share * sum(rate.values())
            result[host] = (own, expected, in_hand + held[host])
    return result


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(HOSTS), st.sampled_from("xy"), st.floats(0, 100), st.floats(0.1, 50),
            st.booleans(),
        ),
        min_size=1, max_size=25,
    ),
    width_s=st.floats(2, 30),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_it_is_what_a_sum_over_all_attempts_gives(
    rows: list[tuple[str, str, float, float, bool]], width_s: float
) -> None:
    table = _attempts([(h, g, s, s + long, done) for h, g, s, long, done in rows])
    at_s = np.array([-20.0, 3.0, 50.0, 77.7, 140.0])
    found = smoothed(table, HOSTS, at_s, width_s=width_s, most_own=0.9, long_since=1.5)

    for number, moment in enumerate(at_s):
        for column, host in enumerate(HOSTS):
            by_hand = _one_by_one(table, moment, width_s, 0.9)[host]
            one = (
                found.own[number, column], found.expected[number, column],
                found.in_hand[number, column],
            )  # fmt: skip
            # where the work of a class all but vanishes, shares of it are shares of rounding
            if by_hand[2] > 1e-6:
                assert one == pytest.approx(by_hand, rel=1e-5, abs=1e-8)


def test_attempts_in_many_parts_are_summed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    start = np.sort(rng.uniform(0, 5000, 700))
    table = pd.DataFrame({
        "host": rng.choice(HOSTS, 700), "group": "x", "started_s": start,
        "until_s": start + rng.uniform(5, 60, 700), "completed": True,
    })  # fmt: skip
    at_s = np.arange(0, 5000, 20.0)
    whole = smoothed(table, HOSTS, at_s, width_s=15, most_own=1, long_since=np.inf)
    monkeypatch.setattr("mprof.peers.statistics.completions._AT_ONCE", 13)
    parts = smoothed(table, HOSTS, at_s, width_s=15, most_own=1, long_since=np.inf)

    np.testing.assert_allclose(parts.own, whole.own, atol=1e-9)
    np.testing.assert_allclose(parts.in_hand, whole.in_hand, atol=1e-9)


def test_the_smoothed_rate_is_as_uncertain_as_a_count_in_the_effective_window() -> None:
    rng = np.random.default_rng(1)
    width_s, rate = 10.0, 2.0
    ends = np.sort(rng.uniform(0, 40_000, rng.poisson(40_000 * rate)))
    table = pd.DataFrame({
        "host": "a", "group": "x", "started_s": ends - 1e-3, "until_s": ends, "completed": True,
    })  # fmt: skip
    at_s = np.arange(200, 39_800, 40.0)
    own = smoothed(
        table, ("a", "b", "c"), at_s, width_s=width_s, most_own=1, long_since=np.inf
    ).own[:, 0]
    in_count = own * EFFECTIVE_WIDTH * width_s

    assert in_count.var() == pytest.approx(in_count.mean(), rel=0.15)  # as of Poisson's counts
