"""The verb ``mprof heap``, called as a user calls it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from builders.hprof_builder import Builder, FrameSpec, gzip_like_hotspot
from typer.testing import CliRunner

from mprof.cli.subcommands import app
from mprof.errors import EvidenceError
from mprof.heap import duplicate_strings, open_heap

FRAME_KEYS = {"class", "method", "file", "line", "retained_bytes", "reachable_bytes"}


def _mprof_heap(*words: str) -> Any:
    return CliRunner().invoke(app, ["heap", *words])


def _dump() -> bytes:
    builder = Builder(segment_bytes=500)
    builder.class_("app.Job", fields={"cache": "object"})
    texts = [builder.string("the same text") for _ in range(6)]
    cache = builder.array("java.lang.Object", texts)
    job = builder.instance("app.Job", cache=cache)
    builder.primitives("int", [1, 2, 3])
    builder.thread("main", [FrameSpec("app.Job", "map", "Job.java", 12, [job])])
    return builder.build()


def _json(path: Path, *options: str) -> dict[str, object]:
    result = _mprof_heap(str(path), "--json", *options)
    assert 0 == result.exit_code, result.output
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


def test_the_json_has_every_field_of_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "job.hprof"
    path.write_bytes(_dump())
    value = _json(path)
    assert {"objects", "shallow_bytes", "identifier_bytes", "layout", "classes", "dominators",
            "threads", "unreachable", "losses"} <= value.keys()  # fmt: skip
    assert [] == value["losses"]
    assert {"objects": 1, "shallow_bytes": 32} == value["unreachable"]
    (thread,) = value["threads"]
    (frame,) = thread["frames"]
    assert FRAME_KEYS == frame.keys()
    assert ("app.Job", "map", "Job.java", 12) == (
        frame["class"], frame["method"], frame["file"], frame["line"])  # fmt: skip
    assert frame["retained_bytes"] == frame["reachable_bytes"] > 6 * 24
    for row in value["classes"]:
        assert {"name", "objects", "shallow_bytes", "retained_bytes"} == row.keys()
    for row in value["dominators"]:
        assert {"id", "class", "shallow_bytes", "retained_bytes", "path", "holder"} == row.keys()
        assert row["path"]
    by_name = {row["name"]: row for row in value["classes"]}
    assert 6 == by_name["java.lang.String"]["objects"] - 1  # and the thread's name


@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        lambda plain: gzip.compress(plain[:900]) + gzip.compress(plain[900:]),
        lambda plain: gzip_like_hotspot(plain, block=512),
    ],
    ids=["by hand", "two members", "as HotSpot writes it"],
)
def test_a_packed_dump_says_the_same_as_the_plain_one(tmp_path: Path, pack: object) -> None:
    plain = tmp_path / "job.hprof"
    plain.write_bytes(_dump())
    packed = tmp_path / "job.hprof.gz"
    packed.write_bytes(pack(_dump()))  # type: ignore[operator]
    assert _json(plain) == _json(packed)


@pytest.mark.parametrize("block", [512, 0])
def test_a_cut_gz_is_read_as_far_as_it_goes(tmp_path: Path, block: int) -> None:
    packed = gzip_like_hotspot(_dump(), block=block) if block else gzip.compress(_dump())
    for cut in range(len(packed) // 2, len(packed), 97):
        path = tmp_path / "cut.hprof.gz"
        path.write_bytes(packed[:cut])
        try:
            value = _json(path)
        except AssertionError:
            continue
        assert any("gz" in str(loss) for loss in value["losses"])  # type: ignore[attr-defined]


def test_left_over_parts_are_read_as_one_dump(tmp_path: Path) -> None:
    data = _dump()
    for number, (start, end) in enumerate([(0, 700), (700, 701), (701, len(data))]):
        (tmp_path / f"job.hprof.p{number}").write_bytes(data[start:end])
    value = _json(tmp_path / "job.hprof")
    plain = tmp_path / "whole.hprof"
    plain.write_bytes(data)
    whole = _json(plain)
    assert len(value["losses"]) == 1  # type: ignore[arg-type]
    assert {**whole, "losses": value["losses"]} == value


def test_the_quick_histogram_counts_garbage_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "job.hprof"
    path.write_bytes(_dump())
    value = _json(path, "--histogram")
    whole = _json(path)
    assert value["includes_unreachable"] is True
    assert value["objects"] == whole["objects"] + whole["unreachable"]["objects"]  # type: ignore[operator,index]


def test_the_text_names_frame_path_and_duplicate_strings(tmp_path: Path) -> None:
    path = tmp_path / "job.hprof"
    path.write_bytes(_dump())
    result = _mprof_heap(str(path), "--strings", "--top", "5")
    assert 0 == result.exit_code, result.output
    assert "app.Job.map (Job.java:12)" in result.stdout
    assert "5 x  'the same text'" in result.stdout


@pytest.mark.parametrize("rows", ["0", "many", "-1"])
def test_a_table_has_a_number_of_rows(rows: str) -> None:
    result = _mprof_heap("job.hprof", f"--top={rows}")
    assert 2 == result.exit_code
    assert rows in result.output
    assert "--top" in result.output


def test_the_search_for_duplicate_strings_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mprof.heap.strings._REPORT_EVERY", 2)
    path = tmp_path / "job.hprof"
    path.write_bytes(_dump())
    told: list[tuple[str, float]] = []

    opened = open_heap(path)
    found = duplicate_strings(opened, progress=lambda what, share: told.append((what, share)))

    assert found.copies == 5
    strings = len(opened.instances("java.lang.String"))  # the six, and the thread's name
    assert [share for _, share in told] == [*(n / strings for n in range(0, strings, 2)), 1.0]
    assert {what for what, _ in told} == {"looking for duplicate strings"}


def test_a_missing_file_is_an_evidence_error(tmp_path: Path) -> None:
    result = _mprof_heap(str(tmp_path / "none.hprof"))
    assert isinstance(result.exception, EvidenceError)


def test_below_a_thread_the_object_that_holds_most_is_named_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "job.hprof"
    path.write_bytes(_dump())
    result = _mprof_heap(str(path))
    lines = [line.strip() for line in result.stdout.splitlines()]
    at = next(n for n, line in enumerate(lines) if "of it: java.lang.Object[]" in line)
    assert lines[at + 1] == 'thread "main": app.Job.map (Job.java:12)'
    assert lines[at + 2 : at + 4] == ["<local> -> app.Job", "cache -> java.lang.Object[]"]
