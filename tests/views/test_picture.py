"""What the views show, against the attempts that it is made of."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders.job_histories import Job, Machine, SimulatedCluster

from mprof.store import frame_of
from mprof.triage import Cluster
from mprof.views import Site, write_site
from mprof.views.columns import MOST_LEVEL, NOT_KNOWN, NOT_RUN
from mprof.views.picture import Picture, heat_of, picture_of
from mprof.views.stripes import attempt_levels, stripes_of


def cluster(**what: Any) -> Cluster:
    work = [Job(f"user{i % 2}", 600.0 * i, maps=30, reduces=8) for i in range(4)]
    return SimulatedCluster(nodes=8, nodes_a_rack=4, seed=3, **what).run(work)


@pytest.fixture(scope="module")
def picture() -> Picture:
    return picture_of(cluster(machines={5: Machine(fails=0.5)}))


def test_the_heatmap_has_the_failure_ratio_of_every_job_and_node(picture: Picture) -> None:
    heat = heat_of(picture, "failures", 0)
    for column, job in enumerate(picture.jobs["job"]):
        for row, host in enumerate(picture.hosts):
            of_cell = picture.attempts[picture.attempts["kind"] == "map"]
            mine = of_cell[(of_cell["job"] == job) & (of_cell["host"] == host)]
            states = mine["state"].tolist()
            ended = states.count("failed") + states.count("succeeded")
            if not states:
                assert NOT_RUN == heat[row, column]
            elif ended:
                assert round(MOST_LEVEL * states.count("failed") / ended) == heat[row, column]


def test_cells_of_a_job_come_in_order_of_falling_data(picture: Picture) -> None:
    for _, cells in picture.cells.groupby(["job_number", "kind_number"]):
        known = cells["volume"].dropna()
        assert known.is_monotonic_decreasing
        assert cells["volume"].isna().sort_values(kind="stable").tolist() == (
            cells["volume"].isna().tolist()
        )


def test_orders_hold_every_node_once_and_trouble_puts_the_bad_one_first(picture: Picture) -> None:
    for order in picture.orders.values():
        assert sorted(order) == list(range(8))
    assert "node005" == picture.hosts[picture.orders["trouble"][0]]
    racks = [picture.racks[host] for host in picture.orders["rack"]]
    assert ["rack00"] * 4 + ["rack01"] * 4 == racks


def test_a_node_that_never_ran_anything_has_a_blank_row() -> None:
    idle = cluster()
    idle = Cluster(idle.jobs, idle.attempts, idle.racks, (*idle.hosts, "node900"))
    heat = heat_of(picture_of(idle), "score", 0)

    assert (heat[-1] == NOT_RUN).all()


def test_a_job_of_which_only_attempts_are_known_is_shown() -> None:
    whole = cluster()
    shown = picture_of(Cluster(whole.jobs.iloc[1:], whole.attempts, whole.racks, whole.hosts))

    assert set(whole.jobs["job"]) == set(shown.jobs["job"])
    assert shown.jobs["began_s"].is_monotonic_increasing


def rows(*times: tuple[float, float]) -> pd.DataFrame:
    return frame_of(
        "attempts",
        [
            {"job": "job_1_0001", "kind": "map", "host": "a", "started_s": start,
             "finished_s": end, "state": "succeeded"}
            for start, end in times
        ],
    ).to_pandas()  # fmt: skip


def test_stripes_are_fifths_of_the_time_between_first_start_and_last_end() -> None:
    attempts = rows((0, 20), (15, 41), (80, 100))
    stripes = stripes_of(attempts, np.zeros(3, dtype=np.int64), np.array([3, 9, 5], dtype="u1"), 1)

    assert [[9, 9, 9, NOT_RUN, 5]] == stripes.tolist()


def test_stripes_of_attempts_without_times_are_not_known() -> None:
    attempts = rows((0, 10)).assign(started_s=np.nan)

    assert [[NOT_KNOWN] * 5] == stripes_of(
        attempts, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint8), 1
    ).tolist()


def test_attempts_that_all_take_as_long_are_none_slow() -> None:
    assert [0, 0, 0] == attempt_levels(rows((0, 10), (5, 15), (7, 17))).tolist()


def test_the_pages_hold_every_cell_and_every_attempt(picture: Picture, tmp_path: Path) -> None:
    write_site(Site("</script><b>", picture), tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    facts = json.loads(re.search(r'<script id="facts"[^>]*>(.*?)</script>', page, re.DOTALL)[1])

    assert "</script><b>" == facts["name"]
    assert len(picture.cells) == sum(facts["groups"]["cells"])
    stream = zlib.decompress(base64.b64decode(part(tmp_path / "cells" / "0.js")))
    hosts = np.frombuffer(stream[: 4 * len(picture.cells)], "<u4")
    assert picture.cells["host_number"].tolist() == hosts.tolist()
    assert len(picture.attempts) == sum(
        part(tmp_path / "tasks" / f"{number}.js")["rows"] for number in range(len(picture.jobs))
    )
    assert "http://" not in page
    assert "https://" not in page


def part(path: Path) -> Any:
    """The value that a part hands to the page."""
    text = path.read_text(encoding="utf-8")
    return json.loads("[" + text.removeprefix("mprofPart(").removesuffix(");\n") + "]")[1]
