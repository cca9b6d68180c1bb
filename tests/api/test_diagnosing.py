"""``mprof.diagnose`` takes what ``mprof diagnose`` takes, and comes to the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from api.recorded import CASES, attempts, diagnosed
from builders import commands
from builders.hprof_builder import Builder

import mprof
from mprof.errors import EvidenceError
from mprof.runs import SilentObserver

CAPTURE = CASES / "in-mem-word-count" / "evidence"


def command_line(*words: str) -> str:
    return commands.mprof("diagnose", *words).stdout


def test_a_capture_gives_the_text_and_the_json_of_the_command_line() -> None:
    found = mprof.diagnose(CAPTURE)
    assert mprof.render_text(found).split() == command_line(str(CAPTURE)).split()
    assert mprof.to_json(found) == json.loads(command_line(str(CAPTURE), "--json"))
    assert mprof.render_json(found).strip() == command_line(str(CAPTURE), "--json").strip()
    assert mprof.render_html(found).startswith("<!doctype html>")


def test_the_causes_come_with_advice() -> None:
    found = mprof.diagnose(str(CAPTURE))
    causes = [one.cause for one in found.diagnosis.causes]
    assert "large_accumulated_results.map" == causes[0]
    assert set(causes) == {one.cause for one in found.diagnosis.advice}


def test_a_folder_with_the_logs_of_an_attempt_is_diagnosed(tmp_path: Path) -> None:
    died = next(one for one in attempts("in-mem-word-count") if one.is_map)
    folder = tmp_path / died.id
    shutil.copytree(died.folder, folder)
    found = mprof.diagnose(folder)
    assert "heap" == found.evidence.death.kind
    assert [died.id] == mprof.tables.attempts(found)["attempt_id"].tolist()
    assert mprof.tables.attempts(found)["run"].isna().all()
    assert mprof.holder_graph(found)


def test_a_history_file_is_diagnosed() -> None:
    found = mprof.diagnose(next(CAPTURE.rglob("*.jhist")))
    assert "heap" == found.evidence.death.kind


def test_a_lone_heap_dump_is_diagnosed_and_summed_up(tmp_path: Path) -> None:
    dump = tmp_path / "java_pid7.hprof"
    dump.write_bytes(Builder().build())
    assert "none" == mprof.diagnose(dump).evidence.death.kind
    assert mprof.read_heap(dump) == mprof.read_heap(str(dump))


def test_a_heap_summary_is_that_of_the_command_line(tmp_path: Path) -> None:
    dump = tmp_path / "java_pid7.hprof"
    dump.write_bytes(Builder().build())
    done = commands.mprof("heap", dump, "--json")
    assert json.loads(done.stdout) == mprof.read_heap(dump).to_json()


def test_what_is_not_there_raises_an_error_with_a_next_step() -> None:
    with pytest.raises(EvidenceError) as caught:
        mprof.diagnose("no-such-capture")
    assert isinstance(caught.value, mprof.MprofError)
    assert "name a capture folder" in caught.value.next_step


def test_an_observer_is_told_of_the_stages() -> None:
    stages: list[str] = []

    class Listener(SilentObserver):
        def stage(self, text: str) -> None:
            stages.append(text)

    mprof.diagnose(CAPTURE, observer=Listener())
    assert "evaluating the rules" in stages


def test_the_result_holds_the_runs_that_it_rests_on() -> None:
    found = diagnosed(CAPTURE)
    assert [(1, "watch"), (2, "profile")] == [(run.number, run.mode) for run in found.runs]
    assert found.heap_at_death in found.runs[1].snapshots[found.evidence.attempt.attempt_id or ""]
