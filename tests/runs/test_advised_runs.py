"""A run with advised settings in a capture: it changes no fact, and is judged by itself.

The captures are those of a recorded case: a mapper that counts words in a map of its own dies of
its split. A further run is made of the first one's files, with and without its death.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mprof.advised import AdvisedSetting, Intervention
from mprof.report import render_html, render_json, render_text
from mprof.runs import SilentObserver, diagnose_capture, open_capture
from mprof.runs.capture import Capture, RunManifest, write_manifest

EVIDENCE = Path(__file__, "../../../cases/in-mem-word-count/evidence").resolve()
SPLIT = "mapreduce.input.fileinputformat.split.maxsize"


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    shutil.copytree(EVIDENCE, tmp_path / "capture")
    return open_capture(tmp_path / "capture")


def add_run(capture: Capture, *, value: str, finished: bool) -> Path:
    """A run with that largest split, of the files of the first."""
    first = capture.runs[0]
    folder = capture.new_run_folder()
    shutil.copytree(first.path / "jobs", folder / "jobs")
    job = folder / "jobs" / first.manifest.job_ids[0]
    conf = (job / "conf.xml").read_text()
    entry = f"<property><name>{SPLIT}</name><value>{value}</value></property>"
    (job / "conf.xml").write_text(conf.replace("</configuration>", f"{entry}</configuration>"))
    if finished:
        status = json.loads((job / "job.json").read_text())
        status["state"], status["attempts"] = "SUCCEEDED", []
        (job / "job.json").write_text(json.dumps(status))
        shutil.rmtree(job / "attempts")
        (job / "job.jhist").unlink()
    tried = Intervention(
        "settings", (AdvisedSetting("large_input_split", SPLIT, "16777216", 170 << 20),)
    )
    manifest = first.manifest
    write_manifest(
        folder,
        RunManifest(
            mode="watch", command=manifest.command, job_ids=manifest.job_ids, exit_code=0,
            seconds={}, started_ms=manifest.started_ms + 1, why="as advised", advised=tried,
        ),
    )  # fmt: skip
    return folder


def test_a_run_with_advised_settings_changes_no_fact(capture: Capture) -> None:
    before = diagnose_capture(capture, SilentObserver())
    add_run(capture, value="16777216", finished=True)
    after = diagnose_capture(capture, SilentObserver())
    assert after.evidence == before.evidence
    assert replace(after, advised=None).diagnosis == before.diagnosis
    assert before.advised is None


@pytest.mark.parametrize(
    ("value", "finished", "verdict"),
    [
        ("16777216", True, "proven"),
        ("16777216", False, "withdrawn"),
        ("33554432", False, "not decided"),
        ("33554432", True, "not decided"),
    ],
)
def test_it_is_judged_by_itself_and_every_report_says_so(
    capture: Capture, value: str, verdict: str, *, finished: bool
) -> None:
    folder = add_run(capture, value=value, finished=finished)
    diagnosed = diagnose_capture(capture, SilentObserver())
    said = json.loads(render_json(diagnosed))["advised"]
    assert said["run"] == int(folder.name)
    assert said["outcome"] == ("finished" if finished else "died")
    assert [(one["cause"], one["verdict"]) for one in said["causes"]] == [
        ("large_input_split", verdict)
    ]
    assert said["settings"][0]["in_effect"] == (value == "16777216")
    sentence = f"large_input_split is {verdict}"
    text = render_text(diagnosed)
    assert "WHAT CAME OF THE ADVICE" in text
    assert sentence in text
    assert sentence in render_html(diagnosed)
    split = next(one for one in diagnosed.diagnosis.causes if one.cause == "large_input_split")
    assert (split.confidence == "possible") == (verdict == "withdrawn")
    tried_again = [one for one in diagnosed.diagnosis.advice if one.property is not None
                   and one.cause == "large_input_split" and not one.first_aid]  # fmt: skip
    assert bool(tried_again) == (verdict != "withdrawn")


def test_the_object_is_as_its_schema_says(capture: Capture) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    add_run(capture, value="16777216", finished=False)
    schema = Path(__file__, "../../../docs/reference/diagnosis.schema.json").resolve()
    found = json.loads(render_json(diagnose_capture(capture, SilentObserver())))
    jsonschema.validate(found, json.loads(schema.read_text()))


def test_the_page_keeps_first_aid_apart_from_the_settings_to_copy(capture: Capture) -> None:
    page = render_html(diagnose_capture(capture, SilentObserver()))
    copied = page.partition("<h2>What to change</h2>")[2].partition("</pre>")[0]
    assert SPLIT in copied
    assert "java.opts" not in copied
    assert "First aid: " in page
    assert "-D mapreduce.map.java.opts=-Xmx384m" in page
