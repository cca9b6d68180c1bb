"""What a job says is shown as it is, and obeyed by no terminal, whatever it holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.hprof_builder import Builder, FrameSpec

from mprof import diagnose
from mprof.cli.heap import heap
from mprof.io.printable import clipped, one_line, printable
from mprof.report import render_html, render_json, render_text

EVIL = "a\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202egpj\nmprof: done\x7f\udcff"
SHOWN = r"a\x1b[2J\x1b]0;owned\x07 \x9b31m\u202egpj mprof: done\x7f\xff"
ATTEMPT = "attempt_1700000000000_0001_m_000000_0"


def test_what_a_terminal_would_obey_is_written_out() -> None:
    assert one_line(EVIL) == SHOWN
    assert printable("tab\tand\nline \x00") == "tab\tand\nline \\x00"
    assert printable("schön 漢字 \U0001f600 a\u00a0b") == "schön 漢字 \U0001f600 a\u00a0b"


def test_every_control_character_is_written_out() -> None:
    controls = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), 0x2066]
    kept = {ord("\t"), ord("\n")}

    for code in controls:
        assert printable(chr(code)).isprintable() is (code not in kept), hex(code)


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert clipped("a" * 50 + "z" * 50, 25) == "a" * 10 + " ... " + "z" * 10
    assert clipped("short", 25) == "short"


def _dump(name: str) -> bytes:
    heap = Builder()
    kept = heap.primitives("long", list(range(5000)))
    heap.class_(name, fields={"kept": "object"})
    mapper = heap.instance(name, kept=kept)
    heap.thread(name, [FrameSpec(name, "map", f"{name}.java", 3, [mapper])])
    return heap.build()


def _lines(text: str) -> None:
    assert "\x1b" not in text
    assert all(line == "" or line.replace("\u00a0", " ").isprintable() for line in text.split("\n"))
    assert not any(line.startswith("mprof: done") for line in text.split("\n"))


def test_the_names_in_a_heap_dump_are_harmless_in_every_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = EVIL.removesuffix("\udcff")
    dump = tmp_path / "a\x1b[2J.hprof"
    dump.write_bytes(_dump(name))

    diagnosed = diagnose(dump)
    heap(dump)
    heap(dump, histogram=True)

    _lines(capsys.readouterr().out)
    _lines(render_text(diagnosed))
    assert "\x1b" not in render_html(diagnosed)
    assert "\x1b" not in render_json(diagnosed)


def test_the_log_of_a_container_is_harmless(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT)
    writer.add(
        "failure",
        place="map",
        class_="java.lang.IllegalStateException",
        message=EVIL.removesuffix("\udcff"),
        stack=["org.example.M.map(M.java:1)"],
    )
    syslog = (
        "2026-01-01 10:00:00,000 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        "child : java.lang.IllegalStateException: \x1b[2J\x9b31m\n"
        "\tat org.example.M.map(M.java:1)\n"
    )
    folder = writer.write(tmp_path, files={"syslog": syslog})

    text = render_text(diagnose(folder))

    _lines(text)
    assert r"\x1b[2J" in text


def test_a_file_name_that_is_not_utf_8_is_in_the_json_object(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT)
    folder = writer.write(tmp_path, files={"syslog": ""})
    (folder / "oom-\udcff.hprof").mkdir()

    told = json.loads(render_json(diagnose(folder)))

    assert any(r"oom-\xff.hprof" in loss for loss in told["losses"])
