"""Nodes are compared with their like, and what makes them alike is not how fast they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders.stores import store_of
from hypothesis import given
from hypothesis import strategies as st

from mprof.errors import EvidenceError
from mprof.peers.findings import NodeFindings, find_sick_nodes
from mprof.peers.verdict.islands import islands_by_hardware, islands_by_rack, islands_of_list
from mprof.report.nodes import render_text
from mprof.sources.island_list import islands_in
from mprof.store import Store

FAST = [f"fast-{number:02d}" for number in range(6)]
SLOW = [f"slow-{number:02d}" for number in range(6)]
GIB = 1 << 30


def attempts(
    factors: dict[str, float], *, racks: dict[str, str] | None = None, job: str = "job_1_0001"
) -> list[dict[str, Any]]:
    """Maps that take 20 to 40 s times the factor of their host, three at a time."""
    rng = np.random.default_rng(1)
    rows = []
    for host, factor in factors.items():
        for number in range(15):
            begin = 1.6e9 + 40 * factor * (number // 3)
            rows.append(
                {
                    "job": job, "attempt": f"attempt_{host}_{number}", "kind": "map", "host": host,
                    "rack": (racks or {}).get(host), "started_s": begin,
                    "finished_s": begin + float(rng.uniform(20, 40)) * factor,
                    "state": "succeeded",
                }
            )  # fmt: skip
    return rows


TWO_MODELS = dict.fromkeys(FAST, 1.0) | dict.fromkeys(SLOW, 2.5)


def processors(of_fast: int, of_slow: int) -> list[dict[str, Any]]:
    amounts = dict.fromkeys(FAST, of_fast) | dict.fromkeys(SLOW, of_slow)
    return [
        {"host": host, "what": "processors", "amount": float(amount)}
        for host, amount in amounts.items()
    ]


def named(found: NodeFindings) -> list[str]:
    return sorted(one.host for one in found.suspects)


def durations(found: NodeFindings) -> list[Any]:
    return [look for look in found.looks if look.comparison.detector == "wb-durations"]


def test_two_models_of_machine_without_evidence_of_it_are_withheld(tmp_path: Path) -> None:
    found = find_sick_nodes(store_of(tmp_path, attempts=attempts(TWO_MODELS)))

    assert named(found) == []
    assert [look.comparison.disputed for look in durations(found)] == [True]
    assert render_text(found).startswith(
        "No node is named: no healthy majority: map takes 2.5 times as long on 6 of 12 nodes as on"
    )


@pytest.mark.parametrize("sick", [FAST[3], SLOW[3]])
def test_within_models_that_differ_in_processors_the_sick_one_is_named(
    sick: str, tmp_path: Path
) -> None:
    rows = attempts(TWO_MODELS | {sick: TWO_MODELS[sick] * 4})
    found = find_sick_nodes(store_of(tmp_path, attempts=rows, hardware=processors(8, 4)))

    assert named(found) == [sick]
    assert {look.island for look in found.looks} == {"8 processors", "4 processors"}


def test_two_models_with_nobody_sick_name_nobody(tmp_path: Path) -> None:
    store = store_of(tmp_path, attempts=attempts(TWO_MODELS), hardware=processors(8, 4))

    found = find_sick_nodes(store)

    assert named(found) == []
    assert all(look.comparison.withheld is None for look in durations(found))


def test_a_sick_minority_of_like_hardware_is_no_island(tmp_path: Path) -> None:
    factors = dict.fromkeys([*FAST, *SLOW], 1.0) | dict.fromkeys(SLOW[:3], 4.0)
    store = store_of(tmp_path, attempts=attempts(factors), hardware=processors(8, 8))

    assert named(find_sick_nodes(store)) == SLOW[:3]


def test_a_node_that_lost_half_of_its_memory_is_compared_with_the_others(tmp_path: Path) -> None:
    hardware = [
        {"host": host, "what": "memory", "amount": (16 if host == FAST[0] else 32) * GIB}
        for host in [*FAST, *SLOW]
    ]
    factors = dict.fromkeys([*FAST, *SLOW], 1.0) | {FAST[0]: 4.0}

    found = find_sick_nodes(store_of(tmp_path, attempts=attempts(factors), hardware=hardware))

    assert named(found) == [FAST[0]]
    assert found.suspects[0].hardware == "16 GiB memory"
    assert found.suspects[0].confidence == "possible"


def test_a_list_of_the_user_goes_before_hardware(tmp_path: Path) -> None:
    store = store_of(tmp_path, attempts=attempts(TWO_MODELS), hardware=processors(8, 8))
    listed = dict.fromkeys(FAST, "new") | dict.fromkeys(SLOW, "old")

    found = find_sick_nodes(store, islands=listed)

    assert {look.island for look in durations(found)} == {"new", "old"}
    assert all(look.comparison.withheld is None for look in durations(found))


def test_a_whole_slow_rack_is_not_blamed_and_its_sick_node_is(tmp_path: Path) -> None:
    racks = dict.fromkeys(FAST, "a") | dict.fromkeys(SLOW[:3], "b") | dict.fromkeys(SLOW[3:], "c")
    factors = dict.fromkeys([*FAST, *SLOW], 1.0) | dict.fromkeys(SLOW[:3], 2.5)
    alone = find_sick_nodes(store_of(tmp_path / "alone", attempts=attempts(factors)))
    store = store_of(tmp_path / "racks", attempts=attempts(factors, racks=racks))

    found = find_sick_nodes(store)

    assert named(alone) == SLOW[:3]
    assert named(found) == []
    (first, *_) = durations(found)
    reasons = {node.host: node.why_not for node in first.comparison.nodes if node.why_not}
    assert sorted(reasons) == SLOW[:3]
    assert all("rack b differ" in str(reason) for reason in reasons.values())
    assert render_text(found).startswith(
        "No node is named: of 12 nodes some differ, and nothing says"
    )


def test_where_racks_are_of_two_models_nodes_are_compared_within_them(tmp_path: Path) -> None:
    racks = dict.fromkeys(FAST, "a") | dict.fromkeys(SLOW, "b")
    rows = attempts(TWO_MODELS | {SLOW[2]: 10.0}, racks=racks)

    found = find_sick_nodes(store_of(tmp_path, attempts=rows))

    assert named(found) == [SLOW[2]]
    assert [look.island for look in durations(found)] == [None, "rack a", "rack b"]


def test_sick_nodes_all_over_the_racks_are_named_as_without_racks(tmp_path: Path) -> None:
    racks = {host: "ab"[place % 2] for place, host in enumerate([*FAST, *SLOW])}
    factors = dict.fromkeys([*FAST, *SLOW], 1.0) | {FAST[0]: 4.0, SLOW[1]: 4.0}

    found = find_sick_nodes(store_of(tmp_path, attempts=attempts(factors, racks=racks)))

    assert named(found) == [FAST[0], SLOW[1]]
    assert all(look.island is None for look in found.looks)


def test_in_a_rack_of_mostly_sick_nodes_the_healthy_one_is_not_named(tmp_path: Path) -> None:
    racks = dict.fromkeys(FAST, "a") | dict.fromkeys(SLOW, "b")
    factors = dict.fromkeys([*FAST, *SLOW], 1.0) | dict.fromkeys(SLOW[1:], 3.0)

    found = find_sick_nodes(store_of(tmp_path, attempts=attempts(factors, racks=racks)))

    assert not {*FAST, SLOW[0]} & set(named(found))


HOSTS = st.lists(st.integers(0, 30).map("host-{}".format), min_size=1, max_size=20, unique=True)
AMOUNTS = st.sampled_from([4.0, 8.0, 16.0, 7.9, 0.0, float("nan")])


@given(hosts=HOSTS, data=st.data())
def test_every_node_is_in_one_island_and_each_island_can_be_compared(
    hosts: list[str], data: st.DataObject
) -> None:
    rows = [
        {"host": host, "what": what, "amount": data.draw(AMOUNTS)}
        for host in hosts
        for what in ("processors", "memory")
        if data.draw(st.booleans())
    ]
    hardware = pd.DataFrame(rows, columns=["host", "what", "amount"])

    found = islands_by_hardware(hardware, hosts)

    if found is not None:
        assert set(found.of) == set(hosts)
        assert all(len(found.nodes(name)) >= 3 for name in found.names)
        assert set(found.apart) <= set(hosts)


def test_amounts_that_differ_by_a_little_are_of_one_model() -> None:
    hosts = [*FAST, *SLOW]
    rows = [
        {"host": host, "what": "memory", "amount": (31.2 + 0.05 * place) * GIB}
        for place, host in enumerate(hosts)
    ]

    assert islands_by_hardware(pd.DataFrame(rows), hosts) is None


def test_racks_with_too_few_nodes_are_no_islands() -> None:
    racks = dict.fromkeys(FAST, "a") | dict.fromkeys(SLOW[:2], "b")

    assert islands_by_rack(racks, racks) is None


def test_nodes_that_the_list_leaves_out_are_an_island_of_their_own() -> None:
    found = islands_of_list({"one": "a"}, ["one", "two"])

    assert dict(found.of) == {"one": "a", "two": "not listed"}
    assert found.not_seen == ()


def test_hosts_of_the_list_that_no_table_tells_of_are_named(tmp_path: Path) -> None:
    store = store_of(tmp_path, attempts=attempts(dict.fromkeys(FAST, 1.0)))

    found = find_sick_nodes(store, islands={**dict.fromkeys(FAST, "a"), "fsat-00": "a"})

    assert found.islands is not None
    assert found.islands.not_seen == ("fsat-00",)
    assert "listed, and not seen: fsat-00" in render_text(found)


def test_a_list_of_islands_is_read_with_tabs_spaces_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "islands"
    file.write_text(
        "# since March\nnode-1\told machines\n\nnode-2  new  # today\nnode-1 old machines"
    )

    assert islands_in(file) == {"node-1": "old machines", "node-2": "new"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("node-1\n", "names no island"),
        ("node-1 a\nnode-1 b\n", "in two islands, a and b"),
        ("# nothing\n", "lists no host"),
    ],
)
def test_a_list_that_says_no_islands_is_one_line(text: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / "islands"
    file.write_text(text)

    with pytest.raises(EvidenceError, match=what):
        islands_in(file)


def test_hosts_of_a_list_may_have_other_names_than_in_the_tables(tmp_path: Path) -> None:
    factors = {f"{host}.example.org": factor for host, factor in TWO_MODELS.items()}
    store: Store = store_of(tmp_path, attempts=attempts(factors))
    listed = dict.fromkeys(FAST, "new") | {host.upper(): "old" for host in SLOW}

    found = find_sick_nodes(store, islands=listed)

    assert {look.island for look in durations(found)} == {"new", "old"}
