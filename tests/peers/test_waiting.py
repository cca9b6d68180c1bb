"""A node that waits for a sick one is told from the sick one by what it does without it.

Every write goes through two nodes, each of which records it as long as the slower one takes:

    node-01 ──┐            node-01 writes mostly with the sick node-00,
              ├─ node-00   the others with each other and now and then with it
    node-02 ──┘
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.stores import add, store_of

from mprof.peers.findings import find_sick_nodes
from mprof.store import Store

NODES = [f"node-{number:02d}" for number in range(10)]
SICK, WAITS = NODES[0], NODES[1]
BEGIN_S = 1.6e9


def writes(
    pairs: list[tuple[str, str]], *, slow: set[str], seed: int = 1, known: bool = True
) -> list[dict[str, Any]]:
    """Both ends of each write; ``slow`` ones make it take ten times as long."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, (one, other) in enumerate(pairs):
        seconds = float(rng.lognormal(0, 0.2)) * (10 if {one, other} & slow else 1)
        for host, peer in ((one, other), (other, one)):
            row = {
                "host": host, "operation": "HDFS_WRITE", "status": "ok", "seconds": seconds,
                "started_s": BEGIN_S + number,
            }  # fmt: skip
            if known:
                row |= {"peer": peer, "block": f"blk_{number}"}
            rows.append(row)
    return rows


def pairs(*, with_sick: int, without: int, seed: int = 2) -> list[tuple[str, str]]:
    """Pairs in which ``WAITS`` meets the sick node so often, and others so often."""
    rng = np.random.default_rng(seed)
    healthy = NODES[2:]
    every = [(WAITS, SICK)] * with_sick
    every += [(WAITS, healthy[number % len(healthy)]) for number in range(without)]
    for number, one in enumerate(healthy):
        every += [(one, healthy[(number + step) % len(healthy)]) for step in (1, 2, 3) * 4]
    every += [(SICK, one) for one in healthy]
    return [every[place] for place in rng.permutation(len(every))]


def named(store: Store) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    found = find_sick_nodes(store)
    waiting = {one.host: one.because_of for one in found.waiting}
    return sorted(one.host for one in found.suspects), waiting


def test_a_node_that_is_slow_with_the_sick_one_only_waits_for_it(tmp_path: Path) -> None:
    rows = writes(pairs(with_sick=60, without=8), slow={SICK})

    assert named(store_of(tmp_path, transfers=rows)) == ([SICK], {WAITS: (SICK,)})


def test_a_node_that_is_slow_without_the_other_too_is_sick_itself(tmp_path: Path) -> None:
    rows = writes(pairs(with_sick=60, without=8), slow={SICK, WAITS})

    assert named(store_of(tmp_path, transfers=rows)) == ([SICK, WAITS], {})


def test_too_few_writes_without_the_sick_node_excuse_nobody(tmp_path: Path) -> None:
    rows = writes(pairs(with_sick=60, without=4), slow={SICK})

    assert named(store_of(tmp_path, transfers=rows)) == ([SICK, WAITS], {})


def test_where_the_other_end_is_not_known_nobody_is_excused(tmp_path: Path) -> None:
    rows = writes(pairs(with_sick=60, without=8), slow={SICK}, known=False)

    assert named(store_of(tmp_path, transfers=rows)) == ([SICK, WAITS], {})


def test_two_that_are_slow_only_with_each_other_excuse_neither(tmp_path: Path) -> None:
    every = pairs(with_sick=60, without=8)
    rows = writes([pair for pair in every if pair != (SICK, WAITS)], slow=set())
    rows = [
        {**row, "seconds": row["seconds"] * (10 if {row["host"], row["peer"]} == {SICK, WAITS}
                                             else 1)}
        for row in rows
    ]  # fmt: skip

    assert named(store_of(tmp_path, transfers=rows)) == ([SICK, WAITS], {})


@pytest.mark.parametrize("seed", range(5))
def test_the_waiting_node_is_found_whatever_the_names(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    names = dict(zip(NODES, rng.permutation(NODES).tolist(), strict=True))
    rows = writes(pairs(with_sick=60, without=8, seed=seed), slow={SICK}, seed=seed)
    rows = [{**row, "host": names[row["host"]], "peer": names[row["peer"]]} for row in rows]

    sick, waiting = named(store_of(tmp_path, transfers=rows))

    assert (sick, waiting) == ([names[SICK]], {names[WAITS]: (names[SICK],)})


def job(*, reading_s: float, transfers: bool) -> dict[str, list[dict[str, Any]]]:
    """Maps of which those that read from the sick node take long; it runs slow maps itself."""
    rng = np.random.default_rng(4)
    attempts, reads = [], []
    for place, host in enumerate(NODES):
        for number in range(40):
            attempt = f"attempt_1_0001_m_{place:03d}{number:03d}_0"
            from_sick = host == WAITS and number < 32
            source = SICK if from_sick else NODES[2 + number % 8]
            seconds = float(rng.uniform(20, 30)) * (8 if host == SICK else 1)
            seconds += reading_s if from_sick else 0
            begin = BEGIN_S + 40 * number
            attempts.append(
                {
                    "job": "job_1_0001", "attempt": attempt, "kind": "map", "host": host,
                    "started_s": begin, "finished_s": begin + seconds, "state": "succeeded",
                }
            )  # fmt: skip
            reads.append(
                {
                    "host": source, "peer": host, "operation": "HDFS_READ", "status": "ok",
                    "started_s": begin, "seconds": seconds / 2, "attempt": attempt,
                }
            )  # fmt: skip
    return {"attempts": attempts, "transfers": reads if transfers else []}


def test_maps_that_are_slow_when_they_read_from_the_sick_node_wait_for_it(tmp_path: Path) -> None:
    found = find_sick_nodes(
        store_of(tmp_path, **job(reading_s=150, transfers=True)), job="job_1_0001"
    )

    (look,) = (one for one in found.looks if one.evidence == "attempts of job_1_0001")
    standings = {node.host: node for node in look.comparison.nodes}
    assert standings[SICK].indicted
    assert standings[WAITS].indicted is False
    assert standings[WAITS].because_of == (SICK,)


def test_maps_whose_reads_are_in_no_log_are_not_excused(tmp_path: Path) -> None:
    found = find_sick_nodes(
        store_of(tmp_path, **job(reading_s=150, transfers=False)), job="job_1_0001"
    )

    (look,) = (one for one in found.looks if one.evidence == "attempts of job_1_0001")
    assert set(look.comparison.indicted) == {SICK, WAITS}


def test_what_reducers_wait_for_the_last_map_is_no_copy_of_theirs(tmp_path: Path) -> None:
    """Those of node-01 start with the job; those of the others when its maps have ended."""
    rng = np.random.default_rng(6)
    rows: list[dict[str, Any]] = []
    for host in NODES:
        for number in range(12):
            seconds = float(rng.uniform(20, 30)) * (20 if host == SICK else 1)
            rows.append({"kind": "map", "host": host, "started_s": BEGIN_S + number,
                         "finished_s": BEGIN_S + number + seconds})  # fmt: skip
    last_map_s = max(row["finished_s"] for row in rows)
    for host in NODES:
        for _ in range(8):
            begin = BEGIN_S + 5 if host == WAITS else last_map_s + 1
            shuffled = max(begin, last_map_s) + float(rng.uniform(30, 40))
            rows.append({"kind": "reduce", "host": host, "started_s": begin,
                         "shuffled_s": shuffled, "sorted_s": shuffled + 1,
                         "finished_s": shuffled + float(rng.uniform(100, 120))})  # fmt: skip
    for number, row in enumerate(rows):
        row |= {"job": "job_1_0001", "attempt": f"attempt_{number}", "state": "succeeded"}
    store = Store(tmp_path)
    add(store, "job", {"attempts": rows})

    found = find_sick_nodes(store)

    (look,) = (one for one in found.looks if one.evidence == "attempts of job_1_0001")
    standings = {node.host: node for node in look.comparison.nodes}
    assert standings[SICK].indicted
    assert standings[WAITS].indicted is False
    assert standings[WAITS].because_of == ()
    assert found.waiting == ()
