"""Recorded evidence says what happened, not on whose machine."""

from __future__ import annotations

import io
import re
from pathlib import Path

import fastavro
import msgspec
import pytest

from development.recording import _configuration, _event, _history, _kept
from development.scrub import Scrubber, scrub_values
from mprof.history import parse_conf

SCRUBBER = Scrubber(
    folders=(
        (re.compile("/home/ann/.cache/mprof/cases/[\\w-]+"), "/input"),
        (re.compile("/home/ann"), "/home/user"),
    ),
    hosts=("vm",),
    user="ann",
)


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("file:/home/ann/.cache/mprof/cases/x-1-ab/t.txt:0+9", "file:/input/t.txt:0+9"),
        ("Connecting to vm/192.168.4.2:8032", "Connecting to node/10.0.0.1:8032"),
        ("http://vm:8088/proxy", "http://node:8088/proxy"),
        ("usercache/ann/appcache", "usercache/user/appcache"),
        ("user.name: ann", "user.name: user"),
        ("OpenJDK 64-Bit Server vm, 17.0.15", "OpenJDK 64-Bit Server vm, 17.0.15"),
        ("0.0.0.0:8030 and 127.0.0.1:9", "0.0.0.0:8030 and 127.0.0.1:9"),
        ("annotated in java.vm.name", "annotated in java.vm.name"),
    ],
)
def test_machine_names_are_replaced_and_nothing_else(text: str, scrubbed: str) -> None:
    assert SCRUBBER.text(text) == scrubbed


def test_a_value_may_be_a_name_as_a_whole_but_a_key_is_never_changed() -> None:
    event = {"vm": "vm", "user": ["ann", 3], "place": ("vm", {"ann": "anna"})}

    assert scrub_values(event, SCRUBBER.value) == {
        "vm": "node", "user": ["user", 3], "place": ("node", {"ann": "anna"}),
    }  # fmt: skip


def test_a_torn_event_is_left_out() -> None:
    assert _event('{"type":"attach","host":"vm"}', SCRUBBER) == b'{"type":"attach","host":"node"}\n'
    assert _event('{"type":"atta', SCRUBBER) == b""


def test_history_keeps_its_events(tmp_path: Path) -> None:
    schema = {
        "type": "record",
        "name": "Event",
        "fields": [
            {"name": "type", "type": "string"},
            {
                "name": "event",
                "type": [
                    {"type": "record", "name": "A", "fields": [{"name": "x", "type": "string"}]},
                    {"type": "record", "name": "B", "fields": [{"name": "x", "type": "string"}]},
                ],
            },
        ],
    }
    body = io.BytesIO()
    for record in (
        {"type": "a", "event": ("A", {"x": "vm"})},
        {"type": "b", "event": ("B", {"x": "42"})},
    ):
        fastavro.schemaless_writer(body, schema, record)
    head = b"Avro-Binary\n" + msgspec.json.encode(schema) + b"\n"
    file = tmp_path / "job.jhist"
    file.write_bytes(head + body.getvalue())

    scrubbed = _history(file, SCRUBBER)

    assert scrubbed.startswith(head)
    rest = io.BytesIO(scrubbed[len(head) :])
    read = [
        fastavro.schemaless_reader(rest, schema, None, return_record_name=True) for _ in range(2)
    ]
    assert [each["event"] for each in read] == [("A", {"x": "node"}), ("B", {"x": "42"})]
    assert rest.read() == b""


def test_of_the_configuration_what_somebody_set_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "conf.xml"
    file.write_text(
        "<configuration>"
        "<property><name>mapreduce.job.reduces</name><value>3</value>"
        "<source>mapred-default.xml</source></property>"
        "<property><name>yarn.nodemanager.x</name><value>3</value>"
        "<source>yarn-default.xml</source></property>"
        "<property><name>my.own</name><value>/home/ann/x</value>"
        "<source>programmatically</source></property>"
        "<property><name>mapreduce.application.classpath</name><value>/a/*</value>"
        "<source>mapred-site.xml</source></property>"
        "</configuration>"
    )

    conf = parse_conf(_configuration(file, SCRUBBER), name="conf.xml")

    assert conf.get("mapreduce.job.reduces") == "3"
    assert conf.get("my.own") == "/home/user/x"
    assert conf.get("yarn.nodemanager.x") is None
    assert conf.get("mapreduce.application.classpath") is None


def test_dumps_and_logs_of_healthy_attempts_are_not_kept(tmp_path: Path) -> None:
    dead, healthy = tmp_path / "dead", tmp_path / "healthy"
    for attempt in (dead, healthy):
        attempt.mkdir()
        for name in ("syslog", "events.jsonl", "position.bin", "x.hprof", "launch_container.sh"):
            (attempt / name).write_text("{}")
    (dead / "events.jsonl").write_text('{"type": "failure"}')

    assert [f"{file.parent.name}/{file.name}" for file in _kept(tmp_path)] == [
        "dead/events.jsonl", "dead/position.bin", "dead/syslog",
        "healthy/events.jsonl", "healthy/position.bin",
    ]  # fmt: skip
