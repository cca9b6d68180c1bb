"""`mprof nodes`, `mprof view` and `mprof triage` name the same nodes, with the same confidence."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from builders.job_histories import Job, Machine, SimulatedCluster, store_of
from builders.part_of_today import of_today
from builders.shared_data import SHARED_DATA, needs_shared_data
from builders.troubled_jobs import APPLICATION_ERROR, BEGIN_S, TroubledJob, add_rows

from mprof.peers.calibration.values import NOTHING_SET
from mprof.peers.findings import NodeFindings, NothingComparedError, find_sick_nodes
from mprof.report.nodes import render_json, render_text
from mprof.report.nodes.view import view_of
from mprof.sources import import_files
from mprof.store import Scope, Store
from mprof.triage import Branch, cluster_of, node
from mprof.triage.facts import facts_of
from mprof.triage.ranking import triage_job
from mprof.views.alarms import Alarms
from mprof.views.picture import picture_of
from testbed.recording import parts_of

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "testbed" / "recordings"
MOST_JOBS = 3
"""Of a store that are triaged."""

WEAKER = {"sure": "likely", "likely": "possible", "possible": "possible"}
ALSO = {"failures_of_the_node", "copies_that_failed", "failures_on_one_node", "late_master"}
"""What triage says of a job's own attempts, beside what nodes says."""


def answer(store: Store) -> NodeFindings | None:
    try:
        return node.find_sick_nodes(store, scope=Scope())
    except NothingComparedError:
        return None


@contextmanager
def each_comparison_once(
    found: dict[tuple[Path, Scope], NodeFindings],
) -> Iterator[None]:
    """All who ask for the nodes of one store and scope, with nothing set, get one answer.

    Several jobs of a store are triaged, and each compares all of its nodes.
    """

    def compared(store: Store, *, scope: Scope, **others: Any) -> NodeFindings:
        if others.get("engine") is not None or others.get("calibration") not in (None, NOTHING_SET):
            return find_sick_nodes(store, scope=scope, **others)
        key = store.folder, scope
        if key not in found:
            found[key] = find_sick_nodes(store, scope=scope, **others)
        return found[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(node, "find_sick_nodes", compared)
        yield


def node_branches(store: Store) -> Iterator[Branch]:
    for job in sorted(set(store.read("jobs", columns=["job"])["job"]))[-MOST_JOBS:]:
        facts = facts_of(store, job, diagnose_command="", store_named=store.folder)
        yield triage_job(facts).branch("node")


def assert_one_answer(store: Store, of_nodes: NodeFindings | None = None) -> int:
    """Hold the three against each other; the number of nodes that triage names.

    Args:
        store: of which they are asked.
        of_nodes: the answer of `find_sick_nodes` of the whole store, where that was asked already.
    """
    with each_comparison_once({} if of_nodes is None else {(store.folder, Scope()): of_nodes}):
        return _held_against_each_other(store)


def _held_against_each_other(store: Store) -> int:
    found = answer(store)
    named = {} if found is None else {one.host: one.confidence for one in found.suspects}
    picture = picture_of(cluster_of(store), found)
    of_view = {one.hosts[0]: one.confidence for one in picture.findings if one.id == "sick_node"}
    assert named == of_view
    told = 0
    for branch in node_branches(store):
        for one in branch.findings:
            if one.id != "sick_node":
                assert one.id in ALSO
                continue
            (host,) = one.hosts
            told += 1
            assert host in named
            assert f"{host} differs from its peers ({named[host]})" in one.sentence
            assert one.confidence in {named[host], WEAKER[named[host]]}
        step = branch.step
        if branch.findings and step is not None and str(step.command).startswith("mprof nodes"):
            assert branch.findings[0].id in {"sick_node", "late_master", "failures_on_one_node"}
            assert branch.findings[0].id != "sick_node" or branch.findings[0].hosts[0] in named
    return told


def imported(folder: Path, *what: Path) -> Store:
    store = Store(folder / "store")
    list(import_files(what, store))
    return store


@pytest.mark.parametrize(
    "name",
    ["cpu-hog-word-count-1", "disk-hog-pig-2", "none-sort-6", "packet-loss-50-pig-1-speculation"],
)
def test_of_a_recording_they_say_one_thing(name: str, tmp_path: Path) -> None:
    (recording,) = RECORDINGS.glob(f"{name}*")

    assert_one_answer(imported(tmp_path, *parts_of(recording)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "recording", of_today(sorted(RECORDINGS.iterdir())), ids=lambda path: path.name
)
def test_of_every_recording_they_say_one_thing(recording: Path, tmp_path: Path) -> None:
    assert_one_answer(imported(tmp_path, *parts_of(recording)))


@needs_shared_data
@pytest.mark.parametrize("name", ["jobtraces/mumak", "jhist"])
def test_of_what_others_recorded_they_say_one_thing(name: str, tmp_path: Path) -> None:
    assert_one_answer(imported(tmp_path, SHARED_DATA / name))


@needs_shared_data
@pytest.mark.slow
@pytest.mark.parametrize(
    "trace", sorted((SHARED_DATA / "jobtraces" / "gridmix").glob("*.gz")), ids=lambda one: one.name
)
def test_of_each_trace_of_gridmix_they_say_one_thing(trace: Path, tmp_path: Path) -> None:
    assert_one_answer(imported(tmp_path, trace))


@pytest.mark.parametrize(
    "jobs",
    [
        (TroubledJob(),),
        (TroubledJob(slower={3: 4}),),
        (TroubledJob(failing_nodes={2: APPLICATION_ERROR}),),
        (
            TroubledJob(maps=12, reduces=0, at_s=200, map_s=150),
            TroubledJob(id="job_1700000000_0002", slower={3: 4}, seed=1),
        ),
    ],
    ids=["healthy", "a slow node", "a failing node", "a node that is slow with another job"],
)
def test_of_jobs_in_trouble_they_say_one_thing(
    jobs: tuple[TroubledJob, ...], tmp_path: Path
) -> None:
    store = Store(tmp_path / "store")
    for job in jobs:
        job.into(store)

    assert_one_answer(store)


def test_where_everything_fails_on_every_node_none_of_them_says_that_all_is_well(
    tmp_path: Path,
) -> None:
    job = TroubledJob(nodes=6, failing_nodes=dict.fromkeys(range(6), "Error: IOException: no"))
    store = job.into(Store(tmp_path / "store"))
    found = find_sick_nodes(store)
    (branch,) = node_branches(store)
    alarms = Alarms(found.looks).as_json([job.host(node) for node in range(6)])
    ends = [one for one in json.loads(render_json(found))["comparisons"] if one["withheld"]]

    assert assert_one_answer(store) == 0
    why = "no healthy majority: on each of the 4 nodes all attempts that ended failed"
    assert why in render_text(found).splitlines()[0]
    assert "unknown" == view_of(found).mood
    assert any(one["withheld"].startswith(why) for one in ends)
    assert "cannot tell" == branch.verdict
    assert why in str(branch.why)
    assert why in alarms["disputed"]
    assert alarms["judged"] is False


def test_a_node_that_fares_badly_with_all_users_is_named_by_all_three(tmp_path: Path) -> None:
    cluster = SimulatedCluster(seed=7, machines={13: Machine(fails=0.7)})
    work = [Job(f"user{i % 3}", 600.0 * i) for i in range(10)]
    store = store_of(cluster.run(work), tmp_path / "store")

    assert assert_one_answer(store) > 0


def test_the_command_that_triage_prints_gives_the_same_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a store that is too large to be compared whole, it says of what time."""
    monkeypatch.setattr(node, "_MOST_ROWS", 0)
    store = Store(tmp_path / "store")
    job = TroubledJob(slower={3: 4})
    job.into(store)
    TroubledJob(id="job_1700000000_0002", slower={5: 4}, at_s=90_000, seed=1).into(store)
    rows = [{"host": job.host(each), "at_s": BEGIN_S, "user": 1.0} for each in range(job.nodes)]
    add_rows(store, "metrics", {"metrics": rows})
    facts = facts_of(store, job.id, diagnose_command="", store_named=store.folder)
    nodes = node.compare_nodes(facts)
    program, verb, *words = shlex.split(nodes.command)

    command = [sys.executable, "-m", program, verb, *words, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)

    assert "--since" in words
    assert nodes.found is not None
    assert [one.host for one in nodes.suspects] == ["node-03"]
    assert ran.stdout.strip() == render_json(nodes.found).strip()
