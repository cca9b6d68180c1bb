"""What ``rerun --advised`` gives the job, and what it says of what it cannot give."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from mprof.advice import advise
from mprof.diagnosis import Advice, Diagnosed
from mprof.errors import EvidenceError
from mprof.runs import (
    SilentObserver,
    advising,
    diagnose_capture,
    open_capture,
    rerun_advised,
    rerunning,
)
from mprof.runs.capture import Capture, CapturedRun, RunManifest, write_manifest
from mprof.runs.captured_run import RunRequest

EVIDENCE = Path(__file__, "../../../cases/in-mem-word-count/evidence").resolve()
SPLIT = "mapreduce.input.fileinputformat.split.maxsize"
MINSIZE = "mapreduce.input.fileinputformat.split.minsize"
COMMAND = ["hadoop", "jar", "a.jar", "Main", "-D", f"{MINSIZE}=67108864", "in", "out"]


@dataclass
class Cluster:
    """A cluster that takes down what it is asked to run."""

    capture: Capture
    state: str
    final: frozenset[str] = frozenset()
    most_mb: int = 8192
    asked: list[RunRequest] = field(default_factory=list)

    def largest_container_mb(self) -> int:
        return self.most_mb

    def site_properties(self) -> SimpleNamespace:
        return SimpleNamespace(final=self.final)

    def run(
        self, _cluster: object, capture: Capture, request: RunRequest, _: object
    ) -> CapturedRun:
        self.asked.append(request)
        first = capture.runs[0]
        folder = capture.new_run_folder()
        shutil.copytree(first.path / "jobs", folder / "jobs")
        job = folder / "jobs" / first.manifest.job_ids[0]
        if self.state == "SUCCEEDED":
            shutil.rmtree(job / "attempts")
            (job / "job.jhist").unlink()
            told = (job / "job.json").read_text().replace('"FAILED"', '"SUCCEEDED"')
            (job / "job.json").write_text(told.replace('"attempts"', '"of_before"'))
        manifest = RunManifest(
            mode=request.mode, command=request.command, job_ids=first.manifest.job_ids,
            exit_code=0, seconds={}, started_ms=1, why=request.why, advised=request.advised,
        )  # fmt: skip
        write_manifest(folder, manifest)
        return CapturedRun(int(folder.name), folder, manifest)


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    shutil.copytree(EVIDENCE, tmp_path / "capture")
    return open_capture(tmp_path / "capture")


def on(monkeypatch: pytest.MonkeyPatch, cluster: Cluster) -> Cluster:
    @contextmanager
    def connected(*_: object, **__: object) -> Iterator[Cluster]:
        yield cluster

    monkeypatch.setattr(rerunning, "connect", connected)
    monkeypatch.setattr(advising, "make_way", lambda *_: None)
    monkeypatch.setattr(advising, "capture_run", cluster.run)
    return cluster


@pytest.mark.parametrize("state", ["SUCCEEDED", "FAILED"])
def test_all_settings_are_given_also_in_place_of_the_commands_own(
    capture: Capture, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    before = diagnose_capture(capture, SilentObserver())
    cluster = on(monkeypatch, Cluster(capture, state))
    result = rerun_advised(str(capture.path), COMMAND, embedded=True)
    (request,) = cluster.asked
    assert request.mode == "watch"
    assert request.advised is not None
    new = {one.property: one.new for one in before.diagnosis.advice
           if one.property and not one.first_aid}  # fmt: skip
    assert request.advised.given == new
    assert set(new) == {SPLIT, MINSIZE}
    # the folder has both; -D of the command is stronger, so it has the new value there, too
    expected = [*COMMAND[:5], f"{MINSIZE}={new[MINSIZE]}", *COMMAND[6:]]
    assert list(request.command) == expected
    assert result.job_failed == (state == "FAILED")
    assert result.diagnosed.advised is not None
    assert result.diagnosed.advised.run == 3
    assert [run.number for run in capture.runs] == [1, 2, 3]


def test_what_the_cluster_bars_is_said_and_the_rest_is_given(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = on(monkeypatch, Cluster(capture, "SUCCEEDED", final=frozenset({MINSIZE})))
    said: list[str] = []

    class Telling(SilentObserver):
        def output(self, line: str) -> None:
            said.append(line)

    rerun_advised(str(capture.path), COMMAND, embedded=True, observer=Telling())
    (request,) = cluster.asked
    assert request.advised is not None
    assert set(request.advised.given) == {SPLIT}
    assert any(MINSIZE in line and "final" in line for line in said)


def advised_by(monkeypatch: pytest.MonkeyPatch, *advice: Advice) -> None:
    def told(capture: Capture, observer: SilentObserver) -> Diagnosed:
        found = diagnose_capture(capture, observer)
        return replace(found, diagnosis=replace(found.diagnosis, advice=advice))

    monkeypatch.setattr(advising, "diagnose_capture", told)


def test_nothing_is_started_where_the_driver_sets_all_of_it_in_code(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = on(monkeypatch, Cluster(capture, "SUCCEEDED"))
    before = diagnose_capture(capture, SilentObserver())
    in_code = replace(before, evidence=replace(before.evidence, set_in_code=frozenset({SPLIT})))
    only = tuple(one for one in advise(in_code).diagnosis.advice if one.property == SPLIT)
    told = replace(in_code, diagnosis=replace(in_code.diagnosis, advice=only))
    monkeypatch.setattr(advising, "diagnose_capture", lambda *_: told)
    with pytest.raises(EvidenceError, match="by a call in its code"):
        rerun_advised(str(capture.path), COMMAND, embedded=True)
    assert cluster.asked == []


def test_where_code_has_to_change_the_heap_is_what_the_input_needs_within_the_cluster(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    advised_by(monkeypatch, Advice("large_accumulated_results.map", "code", "Keep less."))
    heap = 256
    for most_mb, megabytes in ((8192, range(2 * heap, 4 * heap + 1)), (480, range(384, 385))):
        cluster = on(monkeypatch, Cluster(capture, "FAILED", most_mb=most_mb))
        rerun_advised(str(capture.path), COMMAND, embedded=True)
        (request,) = cluster.asked
        assert request.advised is not None
        assert request.advised.kind == "room"
        options = request.advised.given["mapreduce.map.java.opts"]
        assert int(options.partition("-Xmx")[2].partition("m")[0]) in megabytes


def test_nothing_is_started_where_nothing_is_advised(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = on(monkeypatch, Cluster(capture, "SUCCEEDED"))
    before = diagnose_capture(capture, SilentObserver())
    nothing = replace(before, diagnosis=replace(before.diagnosis, advice=(), causes=()))
    monkeypatch.setattr(advising, "diagnose_capture", lambda *_: nothing)
    with pytest.raises(EvidenceError, match="nothing to try"):
        rerun_advised(str(capture.path), COMMAND, embedded=True)
    assert cluster.asked == []
