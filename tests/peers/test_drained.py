"""Nodes that were taken out of service, told from those that died by how their work ended."""

from __future__ import annotations

import pandas as pd
import pytest

from mprof.peers.verdict.drained import drained_since

HOSTS = [f"n{number}" for number in range(6)]
GONE_S = 1000.0


def attempts(*, left: str, killed: str | None = None, each: float = 40.0) -> pd.DataFrame:
    """Two slots a node; a task takes 60 s, and one node begins none after `GONE_S`."""
    rows = []
    for host in HOSTS:
        for slot in (0.0, each / 2):
            for number in range(50):
                begin_s = slot + number * each
                if host == left and begin_s > GONE_S:
                    continue
                lost = host == killed and begin_s + 60 > GONE_S
                rows.append(
                    {
                        "attempt": f"{host}-{slot}-{number}", "host": host, "started_s": begin_s,
                        "finished_s": begin_s + 60, "state": "killed" if lost else "succeeded",
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def test_a_node_whose_work_ended_well_and_that_was_given_no_more_was_taken_out() -> None:
    found = drained_since(attempts(left="n3"), HOSTS)

    assert list(found) == ["n3"]
    assert found["n3"] == pytest.approx(GONE_S, abs=40)


def test_a_node_that_leaves_work_which_was_lost_or_never_ended_died() -> None:
    assert drained_since(attempts(left="n3", killed="n3"), HOSTS) == {}

    rows = attempts(left="n3")
    rows.loc[(rows["host"] == "n3") & (rows["finished_s"] > GONE_S), "finished_s"] = None
    assert drained_since(rows, HOSTS) == {}


def test_where_peers_were_given_little_meanwhile_nothing_is_taken_off() -> None:
    rows = attempts(left="n3")
    quiet = (rows["host"] != "n3") & rows["started_s"].between(GONE_S - 100, GONE_S + 200)

    assert drained_since(rows[~quiet], HOSTS) == {}
