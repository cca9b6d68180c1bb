"""Which sensitivities control runs ask for: compared with trying everything."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.peers.calibration.false_alarms import (
    ENOUGH_TO_SHOW,
    FEWEST_CONTROLS,
    MOST_FALSE,
    Judged,
    any_of,
    chosen,
    held_out,
    held_out_of_each,
    share_of,
    why_not,
)
from mprof.peers.statistics.share import Share

HOSTS = [f"n{number}" for number in range(20)]


def run_with(*indicted: int, judged: int = 20) -> Judged:
    return Judged(frozenset(HOSTS[:judged]), frozenset(HOSTS[number] for number in indicted))


NOBODY = Judged(frozenset(), frozenset())


@st.composite
def trials(
    draw: st.DrawFn, count: int, runs: int, candidates: int
) -> list[list[list[Judged | None]]]:
    """Trials in which a later candidate indicts a part of what the one before does."""
    found = []
    for _ in range(count):
        rows: list[list[Judged | None]] = [[] for _ in range(candidates)]
        for _ in range(runs):
            if draw(st.integers(0, 7)) == 0:
                for row in rows:
                    row.append(None)
                continue
            judged = frozenset(draw(st.sets(st.sampled_from(HOSTS), min_size=12)))
            left = frozenset(draw(st.sets(st.sampled_from(sorted(judged)), max_size=3)))
            for row in rows:
                row.append(Judged(judged, left))
                left = frozenset(host for host in left if draw(st.integers(0, 2)) > 0)
        found.append(rows)
    return found


def allowed(row: list[Judged | None]) -> bool:
    """At most 3 of 100 nodes, told by counting every node of every run."""
    nodes = [(run, host) for run, each in enumerate(row) if each for host in each.judged]
    named = [(run, host) for run, host in nodes if host in row[run].indicted]  # type: ignore[union-attr]
    there = [each for each in row if each]
    return (
        bool(nodes)
        and 100 * len(named) <= 3 * len(nodes)
        and (2 * sum(not each.judged for each in there) <= len(there))
    )


@given(trials(1, 6, 4))
def test_alone_a_detector_gets_the_first_value_that_counting_allows(
    every: list[list[list[Judged | None]]],
) -> None:
    expected = next((number for number, row in enumerate(every[0]) if allowed(row)), None)

    assert (expected,) == chosen(every, range(6))


@given(trials(3, 5, 3))
def test_together_detectors_name_at_most_three_per_cent_if_any_values_do(
    every: list[list[list[Judged | None]]],
) -> None:
    numbers = chosen(every, range(5))
    alone = [chosen([trial], range(5))[0] for trial in every]
    rows = [t[n] for t, n in zip(every, numbers, strict=True) if n is not None]
    named = {
        (run, host)
        for row in rows
        for run, each in enumerate(row)
        if each
        for host in each.indicted
    }
    judged = {
        (run, host) for row in rows for run, each in enumerate(row) if each for host in each.judged
    }
    assert [n is None for n in alone] == [n is None for n in numbers]
    if 100 * len(named) > 3 * len(judged):
        # only where the least sensitive of all are too many still, and then nothing is given up
        assert alone == list(numbers)
        last = any_of([t[-1] for t, n in zip(every, numbers, strict=True) if n is not None])
        assert 100 * last.count > 3 * last.total
    else:
        assert all(
            n is None or n >= a for n, a in zip(numbers, alone, strict=True) if a is not None
        )


@given(trials(2, 4, 3))
def test_a_held_out_run_is_judged_by_what_the_others_ask_for(
    every: list[list[list[Judged | None]]],
) -> None:
    columns: list[list[Judged | None]] = [[], []]
    for run in range(4):
        # the same trials, of which the run was never part
        rest = [[[r for n, r in enumerate(row) if n != run] for row in trial] for trial in every]
        numbers = chosen(rest, range(3))
        for place in range(2):
            number = numbers[place]
            columns[place].append(every[place][1 if number is None else number][run])

    assert any_of(columns) == held_out(every, defaults=[1, 1], set_=[True, True])
    assert tuple(map(share_of, columns)) == held_out_of_each(
        every, defaults=[1, 1], set_=[True, True]
    )


def test_a_run_that_differs_from_the_others_is_seen_in_the_held_out_rate() -> None:
    quiet = [run_with()] * 4
    loud = run_with(0, 1, 2, 3)
    trial = [[*quiet, loud], [*quiet, run_with()]]

    assert (1,) == chosen([trial], range(5))
    # without the loud run the others ask for the first value, with which it has four of twenty
    assert Share(4, 100) == held_out([trial], defaults=[0], set_=[True])


def test_what_is_left_at_its_default_is_judged_with_it() -> None:
    trial = [[run_with(0)] * 3, [run_with()] * 3]

    assert Share(3, 60) == held_out([trial], defaults=[0], set_=[False])


def test_the_detector_with_the_most_false_alarms_gives_way() -> None:
    # 100 nodes: three of the one, two others of the other, five together
    first = [[run_with(0, 1, 2), *[run_with()] * 4], [run_with(0), *[run_with()] * 4]]
    second = [[run_with(3, 4), *[run_with()] * 4], [run_with(3), *[run_with()] * 4]]

    assert (0,) == chosen([first], range(5))
    assert (0,) == chosen([second], range(5))
    assert (1, 0) == chosen([first, second], range(5))


def test_a_value_that_says_nothing_is_not_taken() -> None:
    trial = [[NOBODY, NOBODY, run_with()], [run_with()] * 3]

    assert (1,) == chosen([trial], range(3))


def test_the_same_node_named_by_two_detectors_is_one_false_alarm() -> None:
    assert Share(1, 20) == any_of([[run_with(3)], [run_with(3)]])
    assert Share(2, 20) == any_of([[run_with(3)], [run_with(4, judged=10)]])


def test_too_few_nodes_say_how_many_are_needed() -> None:
    trial = [[run_with(judged=6)] * 5]

    assert (None,) == chosen([trial], range(5), fewest=FEWEST_CONTROLS.value)
    assert "30 nodes of control runs were judged, and 34 are needed" in why_not(trial, of="nodes")
    assert "no control run has anything for it" == why_not([[None]], of="nodes")
    assert "the fewest are 15.0%" in why_not([[run_with(0, 1, 2)] * 2], of="nodes")


def test_the_numbers_of_nodes_are_those_that_three_per_cent_asks_for() -> None:
    fewest = next(n for n in product(range(1, 99)) if 1 / n[0] <= MOST_FALSE.value)[0]
    enough = next(n for n in range(1, 999) if wilson(0, n)[1] <= MOST_FALSE.value)

    assert (fewest, enough) == (FEWEST_CONTROLS.value, ENOUGH_TO_SHOW.value)


def wilson(count: int, total: int) -> tuple[float, float]:
    """By the formula of the paper."""
    z, p = 1.959963984540054, count / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total**2))
    return middle - half, middle + half


@pytest.mark.parametrize(("count", "total"), [(0, 1), (1, 1), (2, 60), (30, 60), (125, 125)])
def test_the_interval_is_wilsons(count: int, total: int) -> None:
    found = Share(count, total).interval

    assert found is not None
    assert wilson(count, total) == pytest.approx(found, abs=1e-12)


def test_of_nothing_there_is_no_share() -> None:
    assert (None, None, "0 of 0") == (Share(0, 0).rate, Share(0, 0).interval, str(Share(0, 0)))
    assert "2 of 60 (3.3 %, 0.9 to 11.4 %)" == str(Share(2, 60))
