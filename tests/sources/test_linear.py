"""Every reader takes time in proportion to what it reads, and a bounded amount of memory.

Each input is built to make a search begin anew at every place, or a text grow by copies of itself.
Two sizes are compared within one run: four times as much takes four times as long, and would take
sixteen times as long if each character cost as many others.
"""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders.growth import times_longer

from mprof.history import parse_conf, parse_history
from mprof.io.json import has_number_beyond_long
from mprof.sources import json_objects as objects
from mprof.sources import reader as reading
from mprof.sources.json_objects import json_objects
from mprof.sources.reader import Losses, Reader
from mprof.sources.readers import READERS

MOST = 8.0
"""Times as long for four times as much: twice as long as linear, half as long as quadratic."""

IN_LINES = {
    "Prometheus text", "DataNode log", "NodeManager log", "TraceBench recording", "list of hosts",
    "samples of mprof collect",
}  # fmt: skip
_KINDS = {reader.kind: reader for reader in READERS}
_SAMPLE = b'{"sysstat": {"hosts": [{"nodename": "n", "statistics": ['
_TRACE = b"2014-08-20 12:34:56,789 INFO DataNode.clienttrace: "
_MOVED = b"2014-08-20 12:34:56,789 INFO ContainerImpl: Container container_1_1_1_1"
_TSV = b"host\top\tstart_ms\tend_ms\tstatus\n"
_HISTORY = b'Meta VERSION="1" .\nJob JOBID="job_1_0001" SUBMIT_TIME="1" ERROR="'
_AVRO = b'Avro-Json\n{"type": "record", "name": "E", "fields": [{"name": "a", "type": "int"}]}\n'

PUMPS: dict[str, tuple[str, bytes, bytes, bytes]] = {
    # kind, begin, what is repeated, end
    "borders": ("Rumen job trace", b"", b"}{", b""),
    "borders in a text": ("Rumen job trace", b'{"jobID": "', b"}{", b""),
    "borders in many texts": ("Rumen job trace", b'{"jobID": ["', b'}{", "', b'"]}'),
    "escaped quotes": ("Rumen job trace", b'{"', b'}{\\"', b""),
    "texts that are not closed": ("Rumen job trace", b"", b'{"jobID}\n', b""),
    "backslashes": ("/jmx dump", b'{"beans": "', b"\\", b""),
    "deep lists": ("/jmx dump", b'{"beans": ', b"[", b""),
    "spaces": ("/jmx dump", b'{"beans": []}', b" ", b"{"),
    "topology": ("Rumen topology", b"", b'{"name": "}{"}', b""),
    "answers": ("Prometheus export", b"", b'{"status": "}{', b""),
    "a long label": ("Prometheus text", b"node_load1{", b"a", b"} 1 1\n"),
    "labels not closed": ("Prometheus text", b"node_load1{", b'a="\\"', b"} 1 1\n"),
    "braces": ("Prometheus text", b"node_load1{", b"} ", b"\n"),
    "many labels": ("Prometheus text", b"node_load1{", b'a="b",', b"} 1 1\n"),
    "client traces": ("DataNode log", _TRACE, b"clienttrace ", b"\n"),
    "sources": ("DataNode log", _TRACE, b" src: a, dest: b, bytes: 1, op: c, cliID: d", b"\n"),
    "digits": ("DataNode log", _TRACE + b" src: a", b":1", b", dest: \n"),
    "containers": ("NodeManager log", _MOVED, b" to Container container_1", b"\n"),
    "samples": ("sadf -j", _SAMPLE, b'{"timestamp": ', b""),
    "spaces of samples": ("sadf -j", _SAMPLE, b"{ ", b""),
    "fields": ("TraceBench recording", _TSV, b"a\t", b"\n"),
    "words": ("list of hosts", b"", b"a ", b"\n"),
    "lines": ("list of hosts", b"", b"a\n", b""),
    "rows": ("samples of mprof collect", b"", b'{"host": ', b"\n"),
    "short lines of an error": ("job history", _HISTORY, b"a\n", b'" .\n'),
    "empty lines of an error": ("job history", _HISTORY, b"\n", b'" .\n'),
    "escapes": ("job history", _HISTORY, b"\\.", b'" .\n'),
    "pairs": ("job history", _HISTORY, b'" A="', b'" .\n'),
    "counters": ("job history", _HISTORY + b'" COUNTERS="', b"{(a)(b)[(c)(d)(1)]", b'" .\n'),
    "quotes with a long number": ("job history", _AVRO + b"9999999999999999999 ", b'\\"', b"\n"),
}  # fmt: skip


def _read(reader: Reader) -> Callable[[Path], object]:
    return lambda path: [part for _, part in reader.read(path, Losses())]


@pytest.mark.parametrize("name", PUMPS)
def test_a_reader_takes_four_times_as_long_for_four_times_as_much(
    name: str, tmp_path: Path
) -> None:
    kind, begin, repeated, end = PUMPS[name]

    def make(size: int) -> Path:
        path = tmp_path / f"d-datanode-n.log{size}"
        # A line of more than 1 MB would be left out.
        longest = 500_000 if kind in IN_LINES else size
        count = max(1, min(size, longest) // len(repeated))
        path.write_bytes((begin + repeated * count + end) * max(1, size // longest))
        return path

    assert times_longer(make, _read(_KINDS[kind]), 50_000) < MOST


@pytest.mark.parametrize(
    ("begin", "repeated", "end"),
    [
        (b"<configuration><property><name>a</name><value>", b"b\n", b"</value></property>"),
        (b"<configuration><property><name>a</name><value>", b"&lt;", b"</value></property>"),
        (b"<configuration><property><name>", b"\na", b"</name><value>b</value></property>"),
        (b"<configuration><property>", b"<final>true</final>\n", b"</property>"),
        (b"<configuration>", b"<property><name>a</name><value>b</value></property>", b""),
    ],
)
def test_so_does_the_reader_of_a_configuration(begin: bytes, repeated: bytes, end: bytes) -> None:
    whole = b"<property><name>z</name><value>z</value></property></configuration>"

    def make(size: int) -> bytes:
        return begin + repeated * (size // len(repeated)) + end + whole

    assert parse_conf(make(100), name="x").get("z") == "z"
    assert times_longer(make, lambda data: parse_conf(data, name="x"), 100_000) < MOST


def test_so_does_the_search_for_numbers_that_count_nothing() -> None:
    def make(size: int) -> bytes:
        return b'[9999999999999999999, "' + b'\\"' * (size // 2)

    assert has_number_beyond_long(make(100))
    assert times_longer(make, has_number_beyond_long, 50_000) < MOST


def test_the_lines_of_an_error_stay_as_they_were() -> None:
    error = "\n".join("" if number % 3 else f"line {number}" for number in range(999))
    data = (
        'Meta VERSION="1" .\n'
        'MapAttempt TASK_TYPE="MAP" TASKID="task_1_0001_m_000000" TASK_STATUS="FAILED" '
        f'TASK_ATTEMPT_ID="attempt_1_0001_m_000000_0" FINISH_TIME="1" ERROR="{error}" .\n'
    )

    (task,) = parse_history(data.encode(), name="x").tasks

    assert task.attempts[0].error == error


def _given(path: Path) -> tuple[int, Losses]:
    losses = Losses()
    return sum(1 for _ in json_objects(path, losses)), losses


def _peak(read: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("inner", [b"\0", b'"a', b'\\"', b"{"], ids=repr)
def test_an_object_without_an_end_is_given_up_within_its_bound(
    inner: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bound itself would take seconds: 1 MiB here, of a file of 16 MiB in 16 KiB.
    monkeypatch.setattr(objects, "LONGEST_OBJECT", 1 << 20)
    path = tmp_path / "a.json"
    path.write_bytes(gzip.compress(b'{"beans": ' + inner * ((16 << 20) // len(inner))))

    assert path.stat().st_size < 64 << 10
    assert _peak(lambda: _given(path)) < 8 << 20
    assert _given(path)[1].count


@pytest.mark.parametrize(("mebibytes", "found"), [(3, ["1", "2"]), (9, ["1"])])
def test_behind_a_stretch_with_nothing_in_it_no_more_is_read(
    mebibytes: int, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "LONGEST_OBJECT", 1 << 20)
    for module in (objects, reading):
        monkeypatch.setattr(module, "MOST_SKIPPED", 4 << 20)
    zeros = bytes(mebibytes << 20)
    lines, stream = tmp_path / "lines.gz", tmp_path / "objects.gz"
    lines.write_bytes(gzip.compress(b"1\n" + zeros + b"\n2\n"))
    stream.write_bytes(gzip.compress(b'{"a":"1"}{' + zeros + b'}{"a":"2"}'))
    of_lines, of_objects = Losses(), Losses()

    assert [*reading.lines_of(lines, of_lines)] == found
    assert [each["a"] for each in json_objects(stream, of_objects)] == found
    assert of_lines.count == of_objects.count == 3 - len(found)


def _with_values(kind: str, count: int) -> bytes:
    return {
        "lists": b'{"a": [' + b"[]," * count + b"[]]}",
        "objects": b'{"a": [' + b'{"a":1},' * (count // 2) + b"1]}",
        "keys": b"{" + b",".join(b'"%d":1' % number for number in range(count)) + b"}",
    }[kind]


@pytest.mark.parametrize("kind", ["lists", "objects", "keys"])
def test_an_object_of_too_many_values_is_left_out(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "MOST_VALUES", 50_000)
    path = tmp_path / "a.json"

    path.write_bytes(_with_values(kind, 20_000) + b"\n" + _with_values(kind, 60_000) + b"{}")
    found, losses = _given(path)

    assert (found, losses.count) == (2, 1)
    assert losses.first is not None
    assert losses.first.startswith("an object has more than 50,000 values")
    # 150 bytes a value at most, besides the text itself, of which two copies are held.
    path.write_bytes(_with_values(kind, 24_000))
    assert _peak(lambda: _given(path)) < 50_000 * 150 + 3 * path.stat().st_size + (1 << 20)


def _splits(content: bytes) -> Iterator[bytes]:
    for at in range(len(content)):
        yield content[at : at + 1]


@pytest.mark.parametrize(
    ("content", "found", "lost"),
    [
        (b'{"a": 1}{"b": 2}\n {"c": 3}', 3, 0),
        (b'{"a": "}{"}{"b": "}\\"{"}', 2, 0),
        (b'{"a": ["}{", "}{"], "b": {"c": "}{"}}{"d": 1}', 2, 0),
        (b'{"a": "x}\n{"b": 1}\n{"c": 2}', 1, 1),  # the next one ends the text
        (b'{"a": "x}\n{"b": "y"}\n{"c": 3}', 1, 1),
        (b'{"a": x}{"b": 1}', 1, 1),
        (b'{"a": NaN}{"b": "\xff"}{"c": "\\ud800"}', 3, 0),
        (b'{"a": 1}{"b": ', 1, 1),
        (b"[1]", 0, 1),
        (b" \n", 0, 0),
    ],
)
def test_an_object_is_found_wherever_the_pieces_end(
    content: bytes, found: int, lost: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    whole = _given(path)
    monkeypatch.setattr(objects, "pieces_of", lambda _, __: _splits(content))

    for given, losses in (whole, _given(path)):
        assert (given, losses.count) == (found, lost)
