"""Hostile values in a real browser: no page runs what they say, and its policy breaks nothing."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.driving import BROWSER, DRIVER, Page, browser
from builders.hostile import ALL, filled
from builders.job_histories import Job, Machine, SimulatedCluster
from selenium.webdriver.common.keys import Keys

from mprof.peers.pictures import Pictures
from mprof.report.html import page_of as page_of_diagnosis
from mprof.report.nodes.html import page_of as page_of_nodes
from mprof.report.nodes.view import NodesView
from mprof.report.published import Report
from mprof.report.triage.html import page_of as page_of_triage
from mprof.report.triage.view import TriageView
from mprof.triage import Cluster
from mprof.views import Site, write_site
from mprof.views.picture import picture_of
from mprof.views.server import serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        BROWSER is None or DRIVER is None,
        reason="no Chromium with its driver on this machine: install chromium chromium-driver",
    ),
]

VIEWS = ("heatmap", "stream", "detail", "tasks", "alarms")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    jobs = [Job("ann", 600.0 * at, failing_task={"map": 3} if at == 2 else {}) for at in range(6)]
    cluster = SimulatedCluster(seed=1, machines={3: Machine(fails=0.7)}).run(jobs)
    for rows in (cluster.jobs, cluster.attempts):
        for name in {"job", "name", "user", "host", "attempt", "error"} & {*rows.columns}:
            rows[name] = rows[name] + ALL
    named = tuple(sorted(set(cluster.attempts["host"])))
    racks = (cluster.racks + ALL).set_axis([f"{host}{ALL}" for host in cluster.hosts])
    hostile = Cluster(cluster.jobs, cluster.attempts, racks.reindex(list(named)), named)
    write_site(Site(ALL, picture_of(hostile), None, {}, "1"), folder)
    (folder / "stamp.txt").write_text("1", encoding="ascii")
    return folder


def assert_nothing_ran(page: Page) -> None:
    assert "1" != page.driver.title
    assert [] == page.all("img, iframe, object, embed, [onerror], [onload], [onmouseover]")
    assert [] == [line for line in page.said() if "icon" not in line]


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_a_report_runs_nothing_of_its_evidence(page: Page, tmp_path: Path, turn: int) -> None:
    pictures = filled(Pictures, ALL, turn)
    for name, text in {
        "report": page_of_diagnosis(filled(Report, ALL, turn)),
        "triage": page_of_triage(filled(TriageView, ALL, turn)),
        "nodes": page_of_nodes(filled(NodesView, ALL, turn), pictures, store=ALL),
    }.items():
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        page.driver.get(file.as_uri())

        assert_nothing_ran(page)
        # The style sheet is there: its policy has the digest that Chromium computes.
        assert page.colour("paper")
        assert page.all("svg")


def test_what_slips_through_is_not_run(page: Page, tmp_path: Path) -> None:
    """The policy alone: markup that no escaping has stopped."""
    text = page_of_triage(filled(TriageView, "x", 0))
    slipped = (
        "<script>document.title='1'</script><img src=x onerror=\"document.title='1'\">"
        "<script src='data:text/javascript,document.title=1'></script>"
        "<a id=x href=\"javascript:void(document.title='1')\">x</a>"
        "<b id=y style='color: rgb(1, 2, 3)'>y</b>"
    )
    file = tmp_path / "page.html"
    file.write_text(text.replace("<footer>", f"{slipped}<footer>"), encoding="utf-8")
    page.driver.get(file.as_uri())
    page.run("document.getElementById('x').click()")

    assert page.driver.title.startswith("mprof:")
    assert "rgb(1, 2, 3)" != page.run("return getComputedStyle(document.getElementById('y')).color")
    assert any("Content Security Policy" in line for line in page.said())


@pytest.mark.parametrize("is_served", [False, True])
def test_the_views_of_a_cluster_run_nothing_of_it(
    page: Page, hostile_site: Path, is_served: bool
) -> None:
    with serving(hostile_site, "127.0.0.1", 0) as served:
        address = served if is_served else (hostile_site / "index.html").as_uri()
        page.driver.get(address)
        page.settle()
        job = page.run("return JSON.parse(document.getElementById('facts').textContent).jobs.id[2]")
        assert job.endswith(ALL)
        for view in VIEWS:
            page.driver.get("about:blank")
            page.driver.get(f"{address}#view={view}&job={urllib.parse.quote(job)}")
            page.settle()
            page.run("document.querySelector('.plate:not([hidden]) .scroller').focus()")
            page.press(Keys.ARROW_DOWN)

            assert_nothing_ran(page)
            assert not page.find("#fault").is_displayed()


def test_a_link_names_no_script(page: Page, hostile_site: Path, tmp_path: Path) -> None:
    planted = tmp_path / "planted.js"
    planted.write_text("document.title = '1';", encoding="utf-8")
    address = (hostile_site / "index.html").as_uri()
    page.driver.get(f"{address}#colour=../../../../../../../..{planted.with_suffix('')}")
    page.settle()

    assert_nothing_ran(page)
    assert not any("planted" in each for each in page.asked_for())
