"""`wb-ends`: attempts that fail or hang on one node, told from those that do so anywhere."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
from scipy.stats import fisher_exact

from mprof.peers.detectors.wb_ends import FAILED_ABOVE, SIGNIFICANCE, compare_ends
from mprof.store import frame_of

HOSTS = ("a", "b", "c", "d", "e", "f")
EACH = 6
SECONDS = 20.0


def _attempt(
    task: int, host: str, *, number: int = 0, state: str = "succeeded", seconds: float = SECONDS
) -> dict[str, Any]:
    return {
        "job": "job_1_0001", "attempt": f"attempt_1_0001_m_{task:06d}_{number}", "kind": "map",
        "host": host, "state": state, "started_s": 1000.0,
        "finished_s": None if state == "running" else 1000.0 + seconds,
    }  # fmt: skip


def _healthy(tasks: range = range(EACH * len(HOSTS))) -> list[dict[str, Any]]:
    return [_attempt(task, HOSTS[task % len(HOSTS)]) for task in tasks]


def _table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return frame_of("attempts", rows).to_pandas()


def _failing(tasks: range, host: str, then: str | None) -> list[dict[str, Any]]:
    """Tasks that fail on a host, and are run again on another."""
    failed = [_attempt(task, host, state="failed", seconds=5.0) for task in tasks]
    again = [_attempt(task, then, number=1) for task in tasks] if then else []
    return [*failed, *again]


def test_nobody_is_named_where_all_attempts_end_well() -> None:
    found = compare_ends(_table(_healthy()))

    assert () == found.indicted
    assert {False} == {node.indicted for node in found.nodes}


def test_a_node_is_named_on_which_tasks_fail_that_end_well_elsewhere() -> None:
    found = compare_ends(_table([*_healthy(), *_failing(range(100, 105), "c", then="d")]))

    assert ("c",) == found.indicted
    (seen,) = found.nodes[0].observations
    assert 100 * 5 / (EACH + 5) == pytest.approx(seen.own)
    assert 0.0 == seen.peers
    assert 1005.0 == found.nodes[0].since_s
    assert (1005.0,) * 5 == found.nodes[0].alarms_s


def test_failures_whose_time_is_not_known_have_no_time() -> None:
    rows = [*_healthy(), *_failing(range(100, 105), "c", then="d")]
    timeless = [one | ({"finished_s": None} if one["state"] == "failed" else {}) for one in rows]

    found = compare_ends(_table(timeless))

    assert ("c",) == found.indicted
    assert (None, None) == (found.nodes[0].since_s, found.nodes[0].until_s)


def test_failures_of_reducers_are_not_lost_among_mappers_that_end_well() -> None:
    reducers = [
        {**row, "kind": "reduce", "attempt": str(row["attempt"]).replace("_m_", "_r_")}
        for row in (*_healthy(range(24)), *_failing(range(100, 103), "c", then="d"))
        if not (row["host"] == "c" and row["state"] == "succeeded")
    ]

    found = compare_ends(_table([*_healthy(range(600)), *reducers]))

    assert ("c",) == found.indicted
    assert (100.0, 0.0) == (
        found.nodes[0].observations[0].own,
        found.nodes[0].observations[0].peers,
    )


def test_tasks_that_fail_wherever_they_are_run_are_the_fault_of_the_job() -> None:
    rows = _healthy()
    for task in range(100, 104):
        rows += [
            _attempt(task, host, number=number, state="failed")
            for number, host in enumerate(("c", "d", "e"))
        ]

    assert () == compare_ends(_table(rows)).indicted


def test_a_node_is_named_only_where_chance_does_not_explain_its_failures() -> None:
    """The counts are those of Fisher's exact test of the one node against the others."""
    named = []
    for failed in range(1, 8):
        rows = [*_healthy(), *_failing(range(100, 100 + failed), "c", then="d")]
        others = (len(HOSTS) - 1) * EACH + failed
        chance = 2 * len(HOSTS) * fisher_exact([[failed, EACH], [0, others]], "greater").pvalue
        expected = failed > FAILED_ABOVE.value and chance < SIGNIFICANCE.value
        assert (("c",) if expected else ()) == compare_ends(_table(rows)).indicted, failed
        named.append(expected)

    assert [False, True] == [each for each, other in pairwise([*named, None]) if each != other]


def _only_failing(hosts: tuple[str, ...], each: int = EACH) -> list[dict[str, Any]]:
    """All tasks fail on these nodes, and end well on the others; none is run twice."""
    return [
        _attempt(task, host, state="failed" if host in hosts else "succeeded")
        for task, host in enumerate(host for host in HOSTS for _ in range(each))
    ]


@pytest.mark.parametrize("each", [1, EACH])
@pytest.mark.parametrize("well", [0, 1, 3])
def test_where_everything_fails_on_most_nodes_nobody_can_be_told_from_the_others(
    well: int, each: int
) -> None:
    """Neither is all well: the jobs may be at fault, or the nodes."""
    lost = len(HOSTS) - well

    found = compare_ends(_table(_only_failing(HOSTS[well:], each)))

    assert found.disputed
    assert () == found.nodes
    where = "on each of the 6 nodes" if not well else f"on {lost} of 6 nodes"
    assert f"{where} all attempts that ended failed" in str(found.withheld)


def test_nodes_on_which_everything_fails_do_not_hide_each_other() -> None:
    found = compare_ends(_table(_only_failing(("b", "e"), each=30)))

    assert {"b", "e"} == set(found.indicted)
    assert {0.0} == {node.observations[0].peers for node in found.nodes if node.indicted}


def test_what_is_killed_with_its_job_says_nothing_of_any_node() -> None:
    found = compare_ends(_table([row | {"state": "killed"} for row in _healthy()]))

    assert {None} == {node.indicted for node in found.nodes}


def test_a_node_is_named_on_which_two_attempts_hang_while_all_others_end() -> None:
    rows = [_attempt(task, "c", state="killed", seconds=8 * SECONDS) for task in (100, 101)]

    found = compare_ends(_table([*_healthy(), *rows]))

    assert ("c",) == found.indicted
    (seen,) = found.nodes[0].observations
    assert (8 * SECONDS, SECONDS) == (seen.own, seen.peers)


def test_what_runs_still_has_run_until_the_last_that_is_known() -> None:
    rows = [_attempt(task, "c", state="running") for task in (100, 101)]
    late = {**_attempt(102, "d"), "started_s": 1180.0, "finished_s": 1195.0}

    assert () == compare_ends(_table([*_healthy(), *rows])).indicted
    assert ("c",) == compare_ends(_table([*_healthy(), *rows, late])).indicted


def test_a_job_without_an_end_says_nothing_of_the_time_after_it() -> None:
    rows = [_attempt(task, "c", state="running") for task in (100, 101)]
    a_week_later = {**_attempt(1, "d"), "job": "job_1_0002", "started_s": 600_000.0,
                    "finished_s": 600_020.0}  # fmt: skip

    assert () == compare_ends(_table([*_healthy(), *rows, a_week_later])).indicted


def test_a_single_long_attempt_may_have_more_data() -> None:
    one = _attempt(100, "c", state="killed", seconds=8 * SECONDS)
    again = _attempt(100, "c", number=1, state="killed", seconds=8 * SECONDS)

    assert () == compare_ends(_table([*_healthy(), one, again])).indicted


def test_attempts_that_hang_on_several_nodes_may_wait_for_each_other() -> None:
    rows = [
        _attempt(100 + place, host, state="killed", seconds=8 * SECONDS)
        for place, host in enumerate(("c", "c", "d"))
    ]

    assert () == compare_ends(_table([*_healthy(), *rows])).indicted


def test_the_longest_of_a_few_is_no_measure_of_what_hangs() -> None:
    few = _healthy(range(9))
    rows = [_attempt(task, "c", state="killed", seconds=8 * SECONDS) for task in (100, 101)]

    assert () == compare_ends(_table([*few, *rows])).indicted
    assert ("c",) == compare_ends(_table([*_healthy(range(10)), *rows])).indicted


def test_two_nodes_are_not_compared_and_a_node_without_attempts_is_not_known() -> None:
    two = compare_ends(_table([_attempt(1, "a"), _attempt(2, "b")]))
    all_of_them = compare_ends(_table(_healthy()), [*HOSTS, "g"])

    assert two.withheld is not None
    assert (None, "no attempt was seen on it") == next(
        (node.indicted, node.why_not) for node in all_of_them.nodes if node.host == "g"
    )


def _overtaken(tasks: range, host: str, *, starts_s: float = 1006.0) -> list[dict[str, Any]]:
    """Tasks that hang on a host until a second attempt elsewhere has ended."""
    rows = []
    for task in tasks:
        rows.append(_attempt(task, host, state="killed", seconds=26.0))
        second = _attempt(task, HOSTS[0], number=1)
        rows.append({**second, "started_s": starts_s, "finished_s": starts_s + SECONDS})
    return rows


def _without(host: str) -> list[dict[str, Any]]:
    return [row for row in _healthy() if row["host"] != host]


def test_a_node_whose_attempts_were_all_overtaken_is_named() -> None:
    found = compare_ends(_table([*_without("c"), *_overtaken(range(100, 102), "c")]))

    assert ("c",) == found.indicted
    (seen,) = found.nodes[0].observations
    assert (26.0, SECONDS) == (seen.own, seen.peers)


@pytest.mark.parametrize(
    "rows",
    [
        # one of the kind ended well there
        [*_healthy(), *_overtaken(range(100, 104), "c")],
        # it was one attempt
        [*_without("c"), *_overtaken(range(100, 101), "c")],
        # killed for another reason, and run again afterwards
        [*_without("c"), *_overtaken(range(100, 104), "c", starts_s=1027.0)],
        # the later attempts, which lose the race
        [*_without("c"), *_overtaken(range(100, 104), "c", starts_s=990.0)],
        # on two nodes
        [
            row
            for row in (*_overtaken(range(100, 103), "c"), *_overtaken(range(200, 203), "d"),
                        *_without("c"))
            if (row["host"], row["state"]) != ("d", "succeeded")
        ],
    ],
)  # fmt: skip
def test_attempts_that_are_overtaken_now_and_then_name_nobody(rows: list[dict[str, Any]]) -> None:
    assert () == compare_ends(_table(rows)).indicted


@pytest.mark.parametrize(("seconds", "named"), [(28.0, ()), (35.0, ("c",))])
def test_of_a_node_without_success_half_as_long_again_is_long(
    seconds: float, named: tuple[str, ...]
) -> None:
    stopped = [_attempt(task, "c", state="killed", seconds=seconds) for task in (100, 101)]

    assert named == compare_ends(_table([*_without("c"), *stopped])).indicted
    assert () == compare_ends(_table([*_healthy(), *stopped])).indicted
