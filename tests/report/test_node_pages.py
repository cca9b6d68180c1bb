"""Pages of nodes and of a triage: whole, offline, and drawn as the numbers say."""

from __future__ import annotations

import json
import platform
import re
from pathlib import Path

import pytest
from builders.metric_stores import store_of
from builders.networks import network
from builders.pages import assert_whole_and_offline
from builders.troubled_jobs import BEGIN_S, TroubledJob, add_rows

from mprof.peers.findings import find_sick_nodes
from mprof.peers.pictures import Band, Spread, Strip, pictures_of
from mprof.report.lanes import lanes_svg
from mprof.report.node_pictures import band_svg, strip_svg
from mprof.report.nodes import render_html, render_text
from mprof.report.triage import render_html as render_triage
from mprof.store import Scope, Store
from mprof.triage.answer import Lane, LaneAttempt, Timeline
from mprof.triage.facts import facts_of
from mprof.triage.ranking import triage_job

SICK = "node-03"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One job with a slow node, whose processor is busy as well."""
    made = Store(tmp_path_factory.mktemp("pages") / "store")
    job = TroubledJob(slower={3: 4}, maps=300)
    job.into(made)
    rows = [
        {"host": job.host(node), "at_s": BEGIN_S + second,
         "user": (90.0 if node == 3 else 40.0) + (second * 7 + node * 3) % 5}
        for node in range(job.nodes) for second in range(0, 700, 2)
    ]  # fmt: skip
    add_rows(made, "metrics", {"metrics": rows})
    return made


def test_a_strip_has_the_durations_of_each_node_and_the_suspect_on_top(store: Store) -> None:
    found = find_sick_nodes(store)
    (strip,) = pictures_of(found, store, Scope()).strips
    rows = store.read("attempts").query("kind == 'map'")
    medians = (rows["finished_s"] - rows["started_s"]).groupby(rows["host"]).median()

    assert strip.rows[0].host == SICK
    assert strip.rows[0].is_suspect
    assert {row.host: row.middle for row in strip.rows} == pytest.approx(medians.to_dict())


def test_a_band_has_the_suspect_and_the_middle_half_of_its_peers(store: Store) -> None:
    (band,) = pictures_of(find_sick_nodes(store), store, Scope()).bands

    assert (band.host, band.what) == (SICK, "user")
    assert min(band.own) >= 90
    assert 40 <= min(band.low) <= max(band.high) <= 45
    assert band.alarm_s is not None
    assert 0 <= band.alarm_s[0] <= band.alarm_s[1] <= band.at_s[-1]


def test_nodes_beyond_the_page_are_counted_and_no_suspect_is_among_them(tmp_path: Path) -> None:
    made = Store(tmp_path / "store")
    TroubledJob(nodes=40, maps=1200, reduces=0, slower={39: 4}).into(made)

    (strip,) = pictures_of(find_sick_nodes(made), made, Scope()).strips

    assert len(strip.rows) + strip.hidden == 40
    assert [row.host for row in strip.rows if row.is_suspect] == ["node-39"]


def test_the_page_of_nodes_is_whole_and_asks_the_network_for_nothing(store: Store) -> None:
    found = find_sick_nodes(store)

    page = render_html(found, pictures_of(found, store, Scope()), store="<b>cluster")

    assert_whole_and_offline(page)
    assert page.count("<svg") == 3
    assert SICK in page
    assert "&lt;b&gt;cluster" in page


def test_a_page_without_suspects_has_no_picture(tmp_path: Path) -> None:
    made = Store(tmp_path / "store")
    TroubledJob().into(made)
    found = find_sick_nodes(made)

    page = render_html(found, pictures_of(found, made, Scope()), store="cluster")

    assert_whole_and_offline(page)
    assert "<svg" not in page
    assert 'class="verdict fine"' in page


def test_nodes_that_could_not_be_compared_are_not_counted_among_the_healthy(
    tmp_path: Path,
) -> None:
    made = Store(tmp_path / "store")
    job = TroubledJob()
    job.into(made)

    text = render_text(find_sick_nodes(made, hosts=["node-77", "node-78"]))

    assert text.startswith(
        f"None of {job.nodes} nodes differs from its peers; 2 more could not be compared.\n"
    )


def test_a_page_is_not_green_while_a_node_could_not_be_compared(tmp_path: Path) -> None:
    made = Store(tmp_path / "store")
    TroubledJob().into(made)
    found = find_sick_nodes(made, hosts=["node-77"])

    page = render_html(found, pictures_of(found, made, Scope()), store="cluster")

    assert 'class="verdict unknown"' in page
    assert 'class="verdict fine"' not in page


def test_an_import_that_was_broken_off_is_said_and_nobody_is_called_well(tmp_path: Path) -> None:
    made = Store(tmp_path / "store")
    TroubledJob().into(made)
    mark = {"what": ["/logs"], "machine": platform.node()}
    (made.folder / "importing-0.json").write_text(json.dumps(mark))
    found = find_sick_nodes(made)

    page = render_html(found, pictures_of(found, made, Scope()), store="cluster")

    assert "an import of /logs was broken off: run it again" in render_text(found)
    assert 'class="verdict unknown"' in page


def test_a_node_that_loses_packets_has_its_picture(tmp_path: Path) -> None:
    found = find_sick_nodes(made := store_of(tmp_path / "s", network(6, loss={2: 0.05})))

    pictures = pictures_of(found, made, Scope())

    assert_whole_and_offline(render_html(found, pictures, store="cluster"))
    assert ("n2", "retrans") in [(band.host, band.what) for band in pictures.bands]


def test_the_page_of_a_triage_is_whole_and_marks_what_is_named(store: Store) -> None:
    facts = facts_of(store, "job_1700000000_0001", diagnose_command="mprof diagnose")

    page = render_triage(triage_job(facts))

    assert_whole_and_offline(page)
    lanes = re.findall(r'<rect class="(lane[^"]*)"', page)
    assert lanes.count("lane marked") == 1
    assert len(lanes) == 12
    assert page.count('class="attempt succeeded"') >= 336  # every attempt, and the legend


def test_a_bar_of_a_strip_stands_where_its_durations_say() -> None:
    rows = (Spread("a", 50, 75, 100, 9, is_suspect=True), Spread("b", 25, 30, 50, 9, False))

    svg = strip_svg(Strip("map", "attempts", rows, hidden=0))

    bars = re.findall(r'class="bar( marked)?" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    (_, first, width), (_, second, narrower) = bars
    assert float(width) == pytest.approx(2 * float(narrower))
    assert float(first) == pytest.approx(float(second) + float(narrower))


def test_a_gap_in_a_metric_is_a_gap_in_its_curve() -> None:
    nan = float("nan")
    band = Band("a", "user", "%", (0, 1, 2, 3, 4), (1, 2, nan, 4, 5), (1, 1, 1, 1, 1),
                (2, 2, 2, 2, 2), None)  # fmt: skip

    svg = band_svg(band)

    assert svg.count('class="curve own"') == 2
    assert svg.count('class="band"') == 1


def test_attempts_stand_in_their_lane_at_their_time() -> None:
    attempts = (
        LaneAttempt("a_m_0", True, "succeeded", 0.0, 50.0, marked=False),
        LaneAttempt("a_r_0", False, "failed", 50.0, 50.0, marked=True),
    )
    svg = lanes_svg(Timeline(100.0, (Lane("n1", False, attempts),), 0))

    place = r'x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"'
    bars = re.findall(rf'class="attempt (\w+)(?: marked)?" {place}', svg)[:2]
    (one, x1, y1, w1), (two, x2, y2, w2) = bars
    assert (one, two) == ("succeeded", "failed")
    assert float(x2) == pytest.approx(float(x1) + float(w1), abs=0.11)
    assert w1 == w2
    assert float(y2) > float(y1)
    assert "<title>a_r_0: failed, 50 s</title>" in svg
