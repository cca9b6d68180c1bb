"""Histories of every format; the shared recordings are compared with what their text says."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from typing import Any

import fastavro
import pytest
from builders.shared_data import SHARED_DATA, needs_shared_data

from mprof.errors import EvidenceError
from mprof.history import FILE_SYSTEM, JobHistory, parse_history, read_history

SHARED = SHARED_DATA / "jhist"
FILES = sorted(SHARED.glob("*/*.jhist")) if SHARED.is_dir() else []
FAILED = [path for path in FILES if "FAILED" in path.name]


def _raw_events(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text("utf-8").split("\n")[2:]
    return [json.loads(line) for line in lines if line.strip()]


def _without_format(job: JobHistory) -> dict[str, Any]:
    return {
        name: getattr(job, name)
        for name in JobHistory.__dataclass_fields__
        if name not in {"format", "losses"}
    }


# A schema in the shape of Hadoop's, small enough to read, with the unions of schema B.
COUNTERS = {
    "type": "record",
    "name": "JhCounters",
    "fields": [
        {"name": "name", "type": "string"},
        {
            "name": "groups",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "JhCounterGroup",
                    "fields": [
                        {"name": "name", "type": "string"},
                        {
                            "name": "counts",
                            "type": {
                                "type": "array",
                                "items": {
                                    "type": "record",
                                    "name": "JhCounter",
                                    "fields": [
                                        {"name": "name", "type": "string"},
                                        {"name": "value", "type": "long"},
                                    ],
                                },
                            },
                        },
                    ],
                },
            },
        },
    ],
}
NS = "org.apache.hadoop.mapreduce.jobhistory"
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Event",
    "namespace": NS,
    "fields": [
        {
            "name": "type",
            "type": {
                "type": "enum",
                "name": "EventType",
                "symbols": [
                    "JOB_SUBMITTED",
                    "MAP_ATTEMPT_STARTED",
                    "MAP_ATTEMPT_FAILED",
                    "NEW_ONE",
                ],
            },
        },
        {
            "name": "event",
            "type": [
                {
                    "type": "record",
                    "name": "JobSubmitted",
                    "fields": [
                        {"name": "jobid", "type": "string"},
                        {"name": "jobName", "type": "string"},
                        {"name": "submitTime", "type": "long"},
                        {"name": "acls", "type": {"type": "map", "values": "string"}},
                    ],
                },
                {
                    "type": "record",
                    "name": "TaskAttemptUnsuccessfulCompletion",
                    "fields": [
                        {"name": "taskid", "type": "string"},
                        {"name": "attemptId", "type": "string"},
                        {"name": "taskType", "type": "string"},
                        {"name": "status", "type": ["null", "string"]},
                        {"name": "error", "type": "string"},
                        {"name": "counters", "type": ["null", COUNTERS]},
                    ],
                },
            ],
        },
    ],
}
SUBMITTED = {
    "jobid": "job_1_0001",
    "jobName": "word  count",
    "submitTime": 1700000000000,
    "acls": {"string": "*"},
}
UNSUCCESSFUL = {
    "taskid": "task_1_0001_m_000003",
    "attemptId": "attempt_1_0001_m_000003_1",
    "taskType": "MAP",
    "status": "FAILED",
    "error": "Error: Java heap space",
    "counters": {
        "name": "COUNTERS",
        "groups": [
            {
                "name": "org.apache.hadoop.mapreduce.TaskCounter",
                "counts": [{"name": "MAP_INPUT_RECORDS", "value": 1885}],
            }
        ],
    },
}


def _binary(*events: tuple[str, str, dict[str, Any]], schema: dict[str, Any] = SCHEMA) -> bytes:
    parsed = fastavro.parse_schema(json.loads(json.dumps(schema)))
    out = io.BytesIO()
    for type_, record, fields in events:
        event = {"type": type_, "event": (f"{NS}.{record}", fields)}
        fastavro.schemaless_writer(out, parsed, event)
    return b"Avro-Binary\n" + json.dumps(schema).encode() + b"\n" + out.getvalue()


EVENTS = (
    ("JOB_SUBMITTED", "JobSubmitted", SUBMITTED),
    ("MAP_ATTEMPT_FAILED", "TaskAttemptUnsuccessfulCompletion", UNSUCCESSFUL),
)


def test_a_binary_history_gives_the_failed_attempt_with_its_counters() -> None:
    job = parse_history(_binary(*EVENTS), name="x.jhist")

    assert (job.format, job.job_id, job.name) == ("avro-binary", "job_1_0001", "word  count")
    (task,) = job.tasks
    (attempt,) = task.attempts
    assert (task.type, task.index, attempt.number, attempt.state) == ("map", 3, 1, "FAILED")
    assert attempt.error == "Error: Java heap space"
    assert attempt.counters.get("MAP_INPUT_RECORDS") == 1885
    assert attempt.counters.get("MAP_OUTPUT_RECORDS") is None
    assert job.state is None
    assert "no end of the job" in job.losses[-1]


def test_json_with_union_tags_reads_as_the_same_job_as_the_binary_file() -> None:
    tagged = {
        **UNSUCCESSFUL,
        "status": {"string": "FAILED"},
        "counters": {f"{NS}.JhCounters": UNSUCCESSFUL["counters"]},
    }
    lines = [
        {"type": "JOB_SUBMITTED", "event": {f"{NS}.JobSubmitted": SUBMITTED}},
        {
            "type": "MAP_ATTEMPT_FAILED",
            "event": {f"{NS}.TaskAttemptUnsuccessfulCompletion": tagged},
        },
    ]
    text = "Avro-Json\n" + json.dumps(SCHEMA) + "\n" + "\n\n".join(map(json.dumps, lines)) + "\n"

    from_json = parse_history(text.encode(), name="x.jhist")

    assert from_json.format == "avro-json"
    assert _without_format(from_json) == _without_format(
        parse_history(_binary(*EVENTS), name="x.jhist")
    )


@pytest.mark.parametrize("cut", [1, 7, 40, 120])
def test_a_binary_history_that_breaks_off_keeps_the_events_before_the_break(cut: int) -> None:
    job = parse_history(_binary(*EVENTS)[:-cut], name="x.jhist")

    assert job.job_id == "job_1_0001"
    assert job.tasks == ()
    assert any("cut off or damaged" in loss for loss in job.losses)


def test_garbage_after_the_events_is_a_stated_loss_and_no_crash() -> None:
    job = parse_history(_binary(*EVENTS) + b"\xff\xfe\x81\x00\x9c" * 9, name="x.jhist")

    assert len(job.tasks) == 1
    assert any("cut off or damaged" in loss for loss in job.losses)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b" \n ", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not a job history file"),
        (b"Avro-Binary", "schema"),
        (b'Avro-Json\n{"type": "rec', "schema"),
        (b'Avro-Binary\n{"type": "no such type"}\n\x00\x01', "not an Avro schema"),
        (
            b'Avro-Json\n{"type": "record", "name": "E", "fields": [{"name":"a","type":"int"}]}\n',
            "no event",
        ),
    ],
)
def test_a_wrong_file_is_one_clear_error_with_a_next_step(data: bytes, says: str) -> None:
    with pytest.raises(EvidenceError, match=says) as caught:
        parse_history(data, name="x.jhist")
    assert "\n" not in str(caught.value)
    assert caught.value.next_step


@pytest.mark.parametrize("name", [["x"], {"y": 1}, 7])
def test_what_a_schema_says_beyond_its_types_is_left_unread(name: object) -> None:
    named = json.dumps({"type": "string", "name": name})
    schema = json.dumps(SCHEMA).replace('"type": "string"', f'"type": {named}', 1)
    assert named in schema
    event = {"type": "JOB_SUBMITTED", "event": {f"{NS}.JobSubmitted": SUBMITTED}}
    data = f"Avro-Json\n{schema}\n{json.dumps(event)}\n".encode()

    assert parse_history(data, name="x.jhist").job_id == SUBMITTED["jobid"]


def test_a_missing_file_is_evidence_missing() -> None:
    with pytest.raises(EvidenceError, match="No such file") as caught:
        read_history(Path("/no/such/file.jhist"))
    assert caught.value.exit_code == 3


@needs_shared_data
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:36])
def test_tasks_attempts_and_states_are_those_of_the_recorded_events(path: Path) -> None:
    raw = _raw_events(path)
    job = read_history(path)

    started = sum(event["type"] == "TASK_STARTED" for event in raw)
    attempts = sum(event["type"].endswith("_ATTEMPT_STARTED") for event in raw)
    failed = sum(event["type"].endswith("_ATTEMPT_FAILED") for event in raw)
    assert job.losses == ()
    assert len(job.tasks) == started
    assert sum(len(task.attempts) for task in job.tasks) == attempts
    assert len(job.failed_attempts()) == failed
    assert job.state == ("FAILED" if path in FAILED else "SUCCEEDED")


@needs_shared_data
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:36])
def test_a_binary_copy_of_a_recorded_history_reads_as_the_same_job(path: Path) -> None:
    schema_line = path.read_bytes().split(b"\n", 2)[1]
    parsed = fastavro.parse_schema(json.loads(schema_line))
    out = io.BytesIO()
    body = "\n".join(json.dumps(event) for event in _raw_events(path))
    for record in fastavro.json_reader(io.StringIO(body), parsed):
        (tag,) = json.loads(body.split("\n", 1)[0])["event"]
        body = body.split("\n", 1)[1] if "\n" in body else ""
        fastavro.schemaless_writer(
            out, parsed, {"type": record["type"], "event": (tag, record["event"])}
        )

    job = parse_history(b"Avro-Binary\n" + schema_line + b"\n" + out.getvalue(), name="x.jhist")

    assert job.format == "avro-binary"
    assert _without_format(job) == _without_format(read_history(path))


@needs_shared_data
def test_a_failed_attempt_keeps_its_whole_error_its_container_and_its_splits() -> None:
    (path,) = [each for each in FAILED if "0.23.9" in each.name]
    attempt = read_history(path).failed_attempts()[0]

    assert attempt.error.startswith("Error: java.lang.RuntimeException: Intentional map failure\n")
    assert "FailJob$FailMapper.map(FailJob.java:55)" in attempt.error
    assert attempt.container_id == "container_1399356417814_19732_01_000002"
    assert attempt.wall_splits_ms is not None
    assert (attempt.wall_splits_ms[0], len(attempt.wall_splits_ms)) == (4278, 12)


@needs_shared_data
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:36])
def test_a_torn_last_line_costs_that_event_alone(path: Path) -> None:
    data = path.read_bytes().rstrip()

    job = parse_history(data[:-20], name="x.jhist")

    assert job.tasks == tuple(read_history(path).tasks)
    assert job.state is None
    assert any("last line is cut off" in loss for loss in job.losses)


@needs_shared_data
def test_history_text_of_mapreduce_1_gives_the_same_shape_with_unescaped_values() -> None:
    (path,) = SHARED.glob("hraven/job_2013*")
    text = path.read_text()
    job = read_history(path)

    assert (job.format, job.state, job.user) == ("text-1", "SUCCEEDED", "user1")
    assert [task.type for task in job.tasks] == ["setup", "map", "reduce", "cleanup"]
    (map_task,) = [task for task in job.tasks if task.type == "map"]
    assert map_task.attempts[0].host == "localhost"
    line = next(x for x in text.splitlines() if x.startswith("MapAttempt") and "MAP_INPUT_REC" in x)
    for name in ("MAP_INPUT_RECORDS", "SPILLED_RECORDS", "COMMITTED_HEAP_BYTES"):
        value = re.search(rf"\[\({name}\)\(.*?\)\((\d+)\)\]", line)
        assert value is not None
        assert map_task.attempts[0].counters.get(name) == int(value[1])
    assert job.counters.get("HDFS_BYTES_READ", group=FILE_SYSTEM) == 47


def test_an_error_of_mapreduce_1_over_several_lines_stays_one_record() -> None:
    text = (
        'Meta VERSION="1" .\n'
        'Job JOBID="job_201311192236_0001" JOBNAME="j" USER="u" SUBMIT_TIME="5" JOBCONF="c" .\n'
        'MapAttempt TASK_TYPE="MAP" TASKID="task_201311192236_0001_m_000000" '
        'TASK_ATTEMPT_ID="attempt_201311192236_0001_m_000000_0" TASK_STATUS="FAILED" '
        'FINISH_TIME="9" HOSTNAME="/rack/host7" ERROR="Error: Java heap space\n'
        '\tat com\\.example\\.M\\.map(M\\.java:5) said \\"no\\"\n" .\n'
        'Task TASKID="task_201311192236_0001_m_000000" TASK_TYPE="MAP" TASK_STATUS="FAI'
    )

    job = parse_history(text.encode(), name="history")

    (attempt,) = job.failed_attempts()
    assert attempt.error == 'Error: Java heap space\n\tat com.example.M.map(M.java:5) said "no"\n'
    assert attempt.host == "host7"
    assert any("cut off or damaged" in loss for loss in job.losses)


def _damaged(data: bytes, rng: random.Random) -> bytes:
    """Cut off, flipped, left out, or with garbage between."""
    at = rng.randrange(len(data))
    match rng.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        case 2:
            return data[:at] + data[at + rng.randrange(200) :]
        case _:
            return data[:at] + rng.randbytes(rng.randrange(1, 50)) + data[at:]


@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_history_is_a_partial_job_or_one_clear_error(seed: int) -> None:
    rng = random.Random(seed)
    text = (
        "Avro-Json\n" + json.dumps(SCHEMA) + "\n"
        + json.dumps({"type": "JOB_SUBMITTED", "event": {f"{NS}.JobSubmitted": SUBMITTED}}) + "\n\n"
        + json.dumps({"type": "MAP_ATTEMPT_FAILED",
                      "event": {f"{NS}.TaskAttemptUnsuccessfulCompletion": UNSUCCESSFUL}}) + "\n"
    )  # fmt: skip
    whole = rng.choice([text.encode(), _binary(*EVENTS)])

    try:
        job = parse_history(_damaged(_damaged(whole, rng), rng), name="x.jhist")
    except EvidenceError as error:
        assert error.next_step  # noqa: PT017 - either outcome is right
    else:
        assert job.losses or job.job_id


def test_an_event_whose_members_are_not_those_of_its_type_is_left_out_and_said() -> None:
    broken = {**UNSUCCESSFUL, "counters": {"name": "C", "groups": [{"counts": 7}]}}
    lines = [
        {"type": "JOB_SUBMITTED", "event": {f"{NS}.JobSubmitted": SUBMITTED}},
        {
            "type": "MAP_ATTEMPT_FAILED",
            "event": {f"{NS}.TaskAttemptUnsuccessfulCompletion": broken},
        },
    ]
    text = "Avro-Json\n" + json.dumps(SCHEMA) + "\n" + "\n".join(map(json.dumps, lines)) + "\n"

    job = parse_history(text.encode(), name="x.jhist")

    assert job.name == "word  count"
    assert "history: 1 events are damaged and left out" in job.losses
