"""What the user names: a job id, a history file, a capture; and what the command prints."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import msgspec
import pytest
from builders.part_of_today import of_today
from builders.shared_data import SHARED_DATA, needs_shared_data
from builders.troubled_jobs import OUT_OF_MEMORY, TroubledJob
from jsonschema import validate

from mprof.errors import EvidenceError, UsageError
from mprof.peers.calibration.values import NOTHING_SET, Setting
from mprof.peers.statistics.share import Share
from mprof.report.triage import render_html, render_json, render_text
from mprof.runs import SilentObserver
from mprof.sources import import_files
from mprof.store import Store
from mprof.triage import Triage, triage
from testbed.recording import parts_of
from testbed.triaged import named_by_triage

ROOT = Path(__file__).parents[2]
CASES = ROOT / "cases"
RECORDINGS = ROOT / "testbed" / "recordings"
JOB = TroubledJob().id
SCHEMA = json.loads((ROOT / "docs/reference/triage.schema.json").read_text())


def ask(what: Path | str, store: Path | None = None) -> Triage:
    return triage(str(what), store=store, observer=SilentObserver())


def answers(found: Triage) -> list[str]:
    return [one.name for one in found.fired]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a job on a cluster of which one node is slow."""
    store = Store(tmp_path_factory.mktemp("slow") / "store")
    TroubledJob(slower={3: 4}).into(store)
    return store.folder


def test_a_master_that_was_late_while_the_job_ran_is_told(tmp_path: Path) -> None:
    (recording,) = RECORDINGS.glob("resource-manager-stop-random-writer-1-*")
    store = Store(tmp_path / "store")
    list(import_files(parts_of(recording), store))

    told = [ask(job, store.folder).branch("node").findings for job in store.read("jobs")["job"]]

    assert {"late_master"} == {one.id for findings in told for one in findings}


def test_of_what_the_testbed_recorded_sick_nodes_are_told_and_hardly_any_other() -> None:
    """Of the controls, of one recording of each fault, and of all of the hog, which tasks show.

    A fifth of these each day.
    """
    labels = {
        path.parent: json.loads(path.read_text())
        for path in sorted(RECORDINGS.glob("*/label.json"))
    }
    told = [
        (folder, said)
        for folder, said in labels.items()
        if said["fault"] in {None, "cpu-hog"} or said["seed"] == 1
    ]
    looked_at = dict(of_today(told))
    healthy = accused = hogs = found = 0
    # Started anew: what is forked of a process with threads may wait for a lock for ever.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as workers:
        named_by_job = list(workers.map(named_by_triage, looked_at))
    for said, jobs in zip(looked_at.values(), named_by_job, strict=True):
        healthy += len(jobs) * (6 - (said["node"] is not None))
        accused += sum(len(named - {said["node"]}) for named in jobs)
        hogs += said["fault"] == "cpu-hog"
        found += said["fault"] == "cpu-hog" and any(said["node"] in named for named in jobs)

    assert healthy >= 40
    assert accused <= 0.03 * healthy
    assert found >= 0.5 * hogs


@pytest.mark.parametrize(
    ("case", "cause"),
    [
        ("find-frequent-values", "large_accumulated_results.group"),
        ("cdh-job", "large_framework_buffer.map"),
        ("controls/metaspace", "death.metaspace"),
    ],
)
def test_a_recorded_death_of_memory_is_memory_and_its_first_cause_is_told(
    case: str, cause: str
) -> None:
    found = ask(CASES / case / "evidence")
    memory = found.branch("memory")

    assert answers(found)[0] == "memory"
    assert memory.confidence == "sure"
    assert memory.ended_job
    assert cause in [one.id for one in memory.findings]
    assert found.branch("node").verdict == "cannot tell"
    assert str(CASES / case / "evidence") in str(memory.step and memory.step.command)


@pytest.mark.parametrize("case", ["own-exception", "application-made"])
def test_a_recorded_error_of_the_job_is_the_application(case: str) -> None:
    found = ask(CASES / "controls" / case / "evidence")

    # It ran on one machine, so that the machine cannot be ruled out.
    assert [(one.name, one.confidence) for one in found.fired] == [("application", "possible")]


def test_of_a_recorded_job_that_did_well_nothing_fires() -> None:
    found = ask(CASES / "controls" / "secondary-sort" / "evidence")

    assert answers(found) == []
    assert "no attempt failed" in str(found.branch("memory").why)


def test_a_history_alone_is_enough_gzip_or_not(tmp_path: Path) -> None:
    (history,) = (CASES / "cdh-job/evidence/runs/001").rglob("*.jhist")
    packed = tmp_path / "job.jhist.gz"
    packed.write_bytes(gzip.compress(history.read_bytes()))

    assert answers(ask(history)) == ["memory"]
    assert answers(ask(packed)) == ["memory"]


def test_a_job_of_a_store_is_diagnosed_from_the_history_that_it_came_from(tmp_path: Path) -> None:
    (history,) = (CASES / "cdh-job/evidence/runs/001").rglob("*.jhist")
    copied = tmp_path / "job.jhist"
    shutil.copy(history, copied)
    store = Store(tmp_path / "store")
    (imported,) = import_files([copied], store)
    job = str(store.read("jobs")["job"].iloc[0])

    with_history = ask(job, store.folder)
    copied.unlink()
    without = ask(job.replace("job_", "application_"), store.folder)

    assert imported.outcome == "imported"
    ids = [one.id for one in with_history.branch("memory").findings]
    assert ids[0] == "memory_deaths"
    assert len(ids) == 2  # and what the diagnosis says of it
    assert [one.id for one in without.branch("memory").findings] == ["memory_deaths"]


@needs_shared_data
def test_a_history_of_another_project_is_the_application() -> None:
    folder = SHARED_DATA / "jhist"
    found = [ask(path) for path in sorted(folder.rglob("*.jhist"))]

    assert found
    assert {name for one in found for name in answers(one)} <= {"application"}
    failed = [one for one in found if one.job.state == "failed"]
    assert failed
    assert all(answers(one) == ["application"] for one in failed)


def test_what_cannot_be_looked_up_is_one_line_with_the_next_step(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    (tmp_path / "notes.txt").write_text("no history")
    (tmp_path / "empty.jhist").write_text("")
    (tmp_path / "folder").mkdir()

    with pytest.raises(UsageError, match="nothing says where to look for job_1_0001"):
        ask("job_1_0001")
    with pytest.raises(EvidenceError, match="has no job job_1_0001; it has no jobs"):
        ask("job_1_0001", store.folder)
    with pytest.raises(EvidenceError, match="is no folder of tables"):
        ask("job_1_0001", tmp_path)
    with pytest.raises(EvidenceError, match="is no file or folder, nor the id of a job"):
        ask(tmp_path / "absent")
    with pytest.raises(EvidenceError, match="is not a job history file"):
        ask(tmp_path / "notes.txt")
    with pytest.raises(EvidenceError, match="is empty"):
        ask(tmp_path / "empty.jhist")
    with pytest.raises(EvidenceError, match="is a folder and no capture"):
        ask(tmp_path / "folder")


def test_a_history_that_a_store_has_not_is_to_be_imported_first(tmp_path: Path) -> None:
    (history,) = (CASES / "cdh-job/evidence/runs/001").rglob("*.jhist")

    with pytest.raises(EvidenceError) as caught:
        ask(history, Store(tmp_path / "store").folder)

    assert caught.value.next_step == f"mprof import {history} --store {tmp_path / 'store'}"


def test_the_json_object_is_as_its_schema_says(slow: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    job = TroubledJob(failing_tasks={("reduce", 5): OUT_OF_MEMORY}, slower={3: 4})
    job.into(store)
    for found in (
        ask(JOB, slow),
        ask(job.id, store.folder),
        ask(CASES / "controls/metaspace/evidence"),
    ):
        value = json.loads(render_json(found))

        validate(value, SCHEMA)
        assert value["answer"] == found.fired[0].name
        assert len({one["branch"] for one in value["branches"]}) == 5


def ran(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mprof", "triage", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)


def test_the_command_writes_one_page_and_keeps_what_is_there(slow: Path, tmp_path: Path) -> None:
    page = tmp_path / "triage.html"
    words = (JOB, "--store", slow, "--html", page)

    done = ran(*words, "--json", "--fail-on", "likely")
    again = ran(*words)

    assert done.returncode == 0  # the node is possible, and no more
    assert json.loads(done.stdout)["answer"] == "node"
    assert page.read_text().startswith("<!doctype html>")
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_a_calibration_says_how_far_apart_nodes_may_be(slow: Path, tmp_path: Path) -> None:
    """Its node is four times as slow; the control runs of this one allow for ten times."""
    settings = tuple(
        Setting(
            detector=name.partition(".")[0], threshold=name, unit="", of="nodes", default=1.0,
            value=value, why_default=None, false_alarms=Share(0, 60), held_out=None, runs=10,
            withheld=0,
        )
        for name, value in (("wb-durations.least-ratio", 10.0), ("hb-rate.alarm-below", 0.05))
    )  # fmt: skip
    file = tmp_path / "calibration.json"
    file.write_bytes(msgspec.json.encode(replace(NOTHING_SET, settings=settings)))

    without = json.loads(ran(JOB, "--store", slow, "--json").stdout)
    calibrated = json.loads(ran(JOB, "--store", slow, "--calibration", file, "--json").stdout)

    assert (without["answer"], calibrated["answer"]) == ("node", None)


def test_the_command_exits_as_documented() -> None:
    (history,) = (CASES / "cdh-job/evidence/runs/001").rglob("*.jhist")

    done = ran(history, "--fail-on", "sure")
    unknown = ran("job_1_0001")

    assert done.returncode == 1
    assert "The problem is its memory (sure)" in done.stdout.replace("\n", " ")
    assert unknown.returncode == 2
    assert unknown.stderr.count("\n") == 2


def test_the_text_says_what_to_do_next_and_what_it_is_not(slow: Path) -> None:
    text = render_text(ask(JOB, slow))

    head, _, rest = text.partition("\n\n")
    assert "The problem is a node (possible):" in head.replace("\n", " ")
    assert f"mprof nodes {slow}" in rest
    assert "NOT IT" in rest
    assert "Memory: no attempt failed" in rest


def test_names_in_a_job_are_harmless_in_the_page_and_on_a_terminal(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>\x1b[2J\nmprof: done"
    store = Store(tmp_path / "store")
    job = TroubledJob(user=evil, failing_tasks={("map", 60): f"Error: {evil}"})
    job.into(store)
    found = ask(job.id, store.folder)

    page, text = render_html(found), render_text(found)

    assert "<img" not in page
    assert "\x1b" not in page + text
    assert not any(line.startswith("mprof: done") for line in text.split("\n"))


def test_the_page_links_to_the_job_in_the_pages_of_a_cluster(slow: Path) -> None:
    link = "file:///site/index.html#view=detail&job=job_1_0001"

    assert f'href="{link.replace("&", "&amp;")}"' in render_html(ask(JOB, slow), link=link)
    assert "among the others" not in render_html(ask(JOB, slow))
