"""What mprof collect has written is read as it was sampled."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

from mprof.metrics import METRIC_NAMES
from mprof.metrics.recording import Recording
from mprof.sources import import_files
from mprof.store import Store


def recorded(folder: Path, count: int) -> Path:
    with closing(Recording(folder, host="node-1")) as recording:
        for number in range(count):
            recording.add(1000.0 + number, {name: float(number) for name in METRIC_NAMES})
    (file,) = folder.glob("*.jsonl.gz")
    return file


def test_samples_come_back_whole(tmp_path: Path) -> None:
    file = recorded(tmp_path / "metrics", 30)
    store = Store(tmp_path / "store")

    (one,) = import_files([file], store)

    assert (one.kind, one.rows, one.unread) == ("samples of mprof collect", 30, 0)
    rows = store.read("metrics").sort_values("at_s")
    assert rows["at_s"].tolist() == [1000.0 + number for number in range(30)]
    assert set(rows["host"]) == {"node-1"}
    assert all(rows[name].tolist() == [float(n) for n in range(30)] for name in METRIC_NAMES)


def test_a_file_of_a_node_that_died_is_read_up_to_there(tmp_path: Path) -> None:
    lines = gzip.decompress(recorded(tmp_path / "metrics", 20).read_bytes()).splitlines(True)
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(
        b"".join(lines[:10]) + b'{"host": "node-1", "at_s": nothing}\n' + lines[10][:40]
    )
    store = Store(tmp_path / "store")

    (one,) = import_files([torn], store)

    assert (one.rows, one.unread) == (10, 2)
    assert one.first_unread is not None
    assert one.first_unread.startswith("line 11 is no sample of mprof collect")
