"""Equal failures are told once, with their count and the first ids; the JSON object has all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from builders.container_logs import found

from mprof.findings import Findings, alike_in
from mprof.report import render_findings, render_findings_json


def _id(job: int, task: int) -> str:
    return f"attempt_1700000000000_{job:04}_m_{task:06}_0"


def _printed(failed: Iterable[tuple[int, int, str]]) -> str:
    return "".join(
        f"24/03/01 10:11:16 INFO mapreduce.Job: Task Id : {_id(job, task)}, Status : FAILED\n"
        f"Error: java.io.IOException: {said}\n"
        for job, task, said in failed
    )


def _found(tmp_path: Path, text: str) -> Findings:
    file = tmp_path / "pasted"
    file.write_text(text)
    return found(file)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no answer of store-7:9042 after 3 tries", "no answer of depot:9042 after 41 tries"),
        ("node1/10.0.0.7:8020 refused", "head.example.com/10.0.9.1:8020 refused"),
        ("batch 0x7fe1 of 12 MB", "batch 0xab01c of 1.5 GB"),
        ("part-9f3ac is gone", "part-77bde is gone"),
        (
            "no lease 0f8b6c1e-90a1-4c1d-8a52-3f1f2b6f7a10",
            "no lease aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
        ),
    ],
)
def test_ids_counts_sizes_and_addresses_make_no_difference(one: str, other: str) -> None:
    assert alike_in(one) == alike_in(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no answer of store-7:9042", "no route to store-7:9042"),
        ("thrown at Reader.java:1077", "thrown at Writer.java:1077"),
        ("Java heap space", "GC overhead limit exceeded"),
        ("column face is missing", "column deed is missing"),
    ],
)
def test_words_do(one: str, other: str) -> None:
    assert alike_in(one) != alike_in(other)


def test_a_hundred_equal_attempts_are_one_line_of_the_others(tmp_path: Path) -> None:
    told = _found(
        tmp_path,
        _printed((5, task, f"no answer of node{task}:9042") for task in range(100))
        + _printed([(5, 200, "the table is locked")]),
    )
    text = render_findings(told)
    others = text.partition("OTHER FAILED ATTEMPTS\n")[2].partition("\n\n")[0].split("\n")

    assert [line.partition(": Error")[0] for line in others] == [
        f"  {_id(5, 1)}, {_id(5, 2)}, {_id(5, 3)} and 96 more",
        f"  {_id(5, 200)}",
    ]
    assert len(text) < 5000


def test_lines_that_all_differ_are_told_up_to_a_number(tmp_path: Path) -> None:
    words = "abcdefghijklmnopqrstuvwxyz"
    told = _found(
        tmp_path, _printed((5, task, f"no column q{one}q") for task, one in enumerate(words))
    )
    others = render_findings(told).partition("OTHER FAILED ATTEMPTS\n")[2].partition("\n\n")[0]

    assert len(others.split("\n")) == 21
    assert others.endswith("\n  and 5 more: in the JSON object (--json)")


def test_one_failure_of_several_jobs_is_told_once(tmp_path: Path) -> None:
    told = _found(
        tmp_path,
        _printed((job, task, "the queue is closed") for job in (5, 6, 7) for task in (0, 1)),
    )
    text = render_findings(told)

    assert text.partition("\n\n")[2].startswith("6 FAILURES, ALIKE, IN 3 JOBS\n")
    assert text.count("IOException: the queue is closed") == 2  # the message, and the others
    assert all(_id(job, task) in text for job in (5, 6, 7) for task in (0, 1))


def test_that_one_task_alone_fails_each_time_is_told(tmp_path: Path) -> None:
    row = (5, 188, "the queue is closed")
    one = [_printed([row]).replace("_000188_0", f"_000188_{number}") for number in range(3)]
    told = render_findings(_found(tmp_path, "".join(one)))
    others = render_findings(_found(tmp_path, _printed([row, (5, 7, "the queue is closed")])))

    assert told.partition("\n\n")[2].startswith("3 FAILURES, ALIKE, ALL ATTEMPTS OF ONE TASK\n")
    assert others.partition("\n\n")[2].startswith("2 FAILURES, ALIKE\n")


def test_the_json_object_has_every_attempt_and_the_diagnosis_of_every_job(tmp_path: Path) -> None:
    told = _found(
        tmp_path,
        _printed((job, task, "the queue is closed") for job in (5, 6) for task in range(30)),
    )
    published = json.loads(render_findings_json(told))

    assert {one["attempt_id"] for one in published["deaths"]} == {
        _id(job, task) for job in (5, 6) for task in range(30)
    }
    assert len(published["diagnoses"]) == 2
    assert len(published["diagnoses"][0]["attempts"]) == 29


def test_two_jobs_with_different_failures_are_told_each(tmp_path: Path) -> None:
    told = _found(tmp_path, _printed([(5, 0, "the queue is closed"), (6, 0, "no such queue")]))
    text = render_findings(told)

    assert "2 FAILURES\n  1. " in text
    assert "ALIKE" not in text
    assert "IOException: the queue is closed" in text
    assert "IOException: no such queue" in text


def test_the_same_kill_in_containers_of_other_sizes_is_told_with_the_size_of_each(
    tmp_path: Path,
) -> None:
    killed = "".join(
        f"24/03/01 10:11:16 INFO mapreduce.Job: Task Id : {_id(job, 0)}, Status : FAILED\n"
        f"Container [pid=24,containerID=container_1700000000000_{job:04}_01_000002] is running "
        f"beyond physical memory limits. Current usage: {size}.1 GB of {size} GB physical memory "
        "used; 2.0 GB of 20 GB virtual memory used. Killing container.\n"
        for job, size in ((5, 1), (6, 4))
    )
    text = " ".join(render_findings(_found(tmp_path, killed)).split())

    assert "mapreduce.map.memory.mb=2048" in text
    assert "mapreduce.map.memory.mb=8192" in text


def test_jobs_of_which_no_end_is_told_are_named_in_one_sentence(tmp_path: Path) -> None:
    lines = (
        f"24/03/01 10:11:16 INFO mapreduce.Job: Running job: job_1700000000000_{job:04}\n"
        for job in range(1, 9)
    )
    told = _found(tmp_path, "".join(lines))

    (said,) = told.answers
    assert said.startswith("job_1700000000000_0001, job_1700000000000_0002, ")
    assert "job_1700000000000_0005 and 3 more were submitted, and nothing" in said


def test_one_job_alone_is_named_alone(tmp_path: Path) -> None:
    line = "24/03/01 10:11:16 INFO mapreduce.Job: Running job: job_1700000000000_0005\n"

    (said,) = _found(tmp_path, line).answers
    assert said.startswith("job_1700000000000_0005 was submitted, and nothing")
