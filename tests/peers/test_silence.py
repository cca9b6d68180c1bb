"""Silences: found where they were made, and not where chance leaves gaps."""

from __future__ import annotations

import numpy as np
import pytest

from mprof.peers.statistics.silence import Silence, silences

LENGTH_S = 3600.0


def found(
    *, nodes: int = 20, each: int = 60, quiet: dict[int, tuple[float, float]], seed: int = 1
) -> tuple[Silence, ...]:
    """Signs of life at any time, but of some nodes not between these two."""
    rng = np.random.default_rng(seed)
    node = np.repeat(np.arange(nodes), each)
    at_s = rng.uniform(0, LENGTH_S, len(node))
    kept = np.ones(len(node), dtype=bool)
    for one, (begin, end) in quiet.items():
        kept &= ~((node == one) & (at_s >= begin) & (at_s < end))
    return silences(node[kept], at_s[kept], np.full(kept.sum(), np.nan), nodes=nodes)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("begin", [0.2, 0.5, 0.75])
def test_a_node_that_dies_is_told_since_when(begin: float, seed: int) -> None:
    (one,) = found(quiet={7: (begin * LENGTH_S, np.inf)}, seed=seed)

    assert (7, True) == (one.node, one.lasts)
    assert begin * LENGTH_S - 400 < one.begin_s <= begin * LENGTH_S
    assert one.end_s == pytest.approx(LENGTH_S, abs=60)


def test_a_node_that_comes_back_is_told_until_when() -> None:
    (one,) = found(quiet={3: (1000.0, 2200.0)})

    assert (3, False) == (one.node, one.lasts)
    assert 600 < one.begin_s <= 1000 < 2200 <= one.end_s < 2600


def test_a_node_of_which_nothing_was_ever_heard_is_silent_all_the_time() -> None:
    (one,) = found(quiet={3: (0.0, np.inf)})

    assert (3, True, 1) == (one.node, one.lasts, one.silent)
    assert one.end_s - one.begin_s == pytest.approx(LENGTH_S, abs=60)


def test_of_several_each_is_told_with_the_number_of_them() -> None:
    several = found(quiet=dict.fromkeys((1, 5, 9), (1800.0, np.inf)))

    assert [(1, 3), (5, 3), (9, 3)] == [(one.node, one.silent) for one in several]


def test_chance_leaves_hardly_any() -> None:
    wrong = [one for seed in range(300) for one in found(each=40, quiet={}, seed=seed)]

    assert len(wrong) <= 6  # 3 of 300 are what the bound allows


def test_a_node_that_is_heard_of_late_may_have_been_added() -> None:
    assert () == found(quiet={3: (0.0, 2000.0)})


def test_what_runs_is_no_silence_and_bursts_are_one_sign() -> None:
    rng = np.random.default_rng(1)
    node = np.repeat(np.arange(10), 60)
    at_s = rng.uniform(0, LENGTH_S, 600)
    kept = ~((node == 2) & (at_s > 1000))
    until_s = np.full(600, np.nan)
    last = np.flatnonzero((node == 2) & kept)[np.argmax(at_s[(node == 2) & kept])]
    until_s[last] = LENGTH_S

    assert () == silences(node[kept], at_s[kept], until_s[kept], nodes=10)
    # sixty signs in six seconds are six
    bursts = np.floor(at_s / 600) * 600
    assert () == silences(node[kept], bursts[kept], np.full(kept.sum(), np.nan), nodes=10)


def test_nothing_at_all_is_no_silence_of_anybody() -> None:
    none = np.zeros(0)

    assert () == silences(none.astype(np.intp), none, none, nodes=5)
