"""Alarms, weighed and counted; and when nothing is said."""

from __future__ import annotations

import numpy as np
import pytest

from mprof.peers.comparison import Comparison
from mprof.peers.detectors.repeated_alarms import Rounds, alarm_counts, comparison_of


def _rounds(differs: list[list[int]], agree: list[int] | None = None) -> Rounds:
    alarms = np.array(differs, dtype=bool)
    return Rounds(
        start_s=100.0 + 10 * np.arange(len(alarms)),
        seen=np.ones_like(alarms),
        differs=alarms,
        agree=np.array(agree or [1] * len(alarms), dtype=bool),
    )


def _compare(rounds: Rounds) -> Comparison:
    return comparison_of(
        rounds, detector="d", hosts=tuple("abcdefgh"[: rounds.seen.shape[1]]), half_life=2,
        indicted_above=1.5, observe=lambda _node, _when: (), left_out=(),
    )  # fmt: skip


def test_an_alarm_weighs_half_after_the_half_life() -> None:
    alarms = np.array([[True], [False], [False], [True]])

    counts = alarm_counts(alarms, np.ones_like(alarms), 2)

    # 1, then half after two rounds, then 0.5 * 2**-0.5 + 1
    assert [1, 2**-0.5, 0.5, 1 + 0.5 * 2**-0.5] == pytest.approx(counts[:, 0])


def test_a_round_that_does_not_count_leaves_the_number_as_it_is() -> None:
    alarms = np.array([[True], [True], [True]])
    counted = np.array([[True], [False], [True]])

    assert [1, 1, 1 + 2**-0.5] == pytest.approx(alarm_counts(alarms, counted, 2)[:, 0])


def test_one_alarm_is_a_suspicion_and_two_in_a_row_indict() -> None:
    once = _compare(_rounds([[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]))
    twice = _compare(_rounds([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]))

    assert () == once.indicted
    assert ("a", 110.0) == (once.nodes[0].host, once.nodes[0].since_s)
    assert ("b",) == twice.indicted
    assert [None] * 3 == [node.since_s for node in twice.nodes[1:]]


def test_rounds_without_a_majority_count_for_nobody() -> None:
    rounds = _rounds([[1, 0, 0, 0]] * 5, agree=[0, 0, 1, 1, 1])
    mostly = _rounds([[1, 0, 0, 0]] * 5, agree=[0, 0, 0, 1, 1])

    assert (120.0, ("a",)) == (_compare(rounds).nodes[0].since_s, _compare(rounds).indicted)
    withheld = _compare(mostly).withheld
    assert withheld is not None
    assert "3 of 5" in withheld


def test_more_than_a_quarter_of_the_nodes_is_not_indicted() -> None:
    two = _compare(_rounds([[1, 1, 0, 0, 0, 0, 0, 0]] * 3))
    three = _compare(_rounds([[1, 1, 1, 0, 0, 0, 0, 0]] * 3))

    assert ("a", "b") == two.indicted
    assert () == three.nodes
    assert three.withheld is not None
    assert "3 of 8" in three.withheld


def test_of_a_node_that_was_seldom_seen_nothing_good_is_said() -> None:
    rounds = _rounds([[0, 0, 1, 0]] * 10)
    rounds.seen[3:, :2] = False
    rounds.seen[4:, 2] = False
    result = {node.host: node for node in _compare(rounds).nodes}

    assert [None, None, True, False] == [result[host].indicted for host in "abcd"]
    assert "3 of 10" in str(result["a"].why_not)
    assert result["c"].why_not is None
