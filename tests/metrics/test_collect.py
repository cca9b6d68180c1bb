"""``mprof collect`` as a user runs it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pytest
from builders.recorded_rows import read_rows

from mprof.errors import UsageError
from mprof.metrics import METRIC_NAMES
from mprof.metrics.collector import collect
from mprof.peers.detectors.bb_window import compare

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the files of Linux")


def _start(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mprof", "collect", "--dir", str(folder), *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


def _rows(folder: Path) -> pd.DataFrame:
    frames = [pd.DataFrame(read_rows(file)) for file in sorted(folder.iterdir())]
    return pd.concat(frames, ignore_index=True)


def test_rows_are_written_for_as_long_as_was_asked(tmp_path: Path) -> None:
    process = _start(tmp_path, "--seconds", "1", "--interval", "0.2", "--host", "me")
    out, err = process.communicate(timeout=60)
    rows = _rows(tmp_path)

    assert (0, "") == (process.returncode, err)
    assert out.startswith("5 rows in ")
    assert ["me"] * 5 == list(rows["host"])
    assert [0.2] * 4 == pytest.approx(list(np.diff(rows["at_s"])), abs=0.15)
    assert rows["ctxt"].notna().all()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_file_and_then_the_program(
    tmp_path: Path, number: signal.Signals
) -> None:
    process = _start(tmp_path, "--interval", "0.1")
    deadline_s = time.monotonic() + 30
    while not (tmp_path.exists() and any(tmp_path.iterdir())) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    rows = _rows(tmp_path)

    assert (0, "") == (process.returncode, err)
    assert out.startswith(f"{len(rows)} rows in ")
    assert len(rows) >= 2


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    process = _start(tmp_path / "file")
    _, err = process.communicate(timeout=60)

    assert 2 == process.returncode
    assert ["mprof", "next step"] == [line.split(":")[0] for line in err.splitlines()]


@pytest.mark.parametrize(
    "wrong", [{"interval_s": 0.0}, {"interval_s": float("nan")}, {"back_end": "none"}]
)
def test_wrong_arguments_write_nothing(tmp_path: Path, wrong: dict[str, float | str]) -> None:
    with pytest.raises(UsageError):
        collect(tmp_path / "f", host="h", stop=Event(), **wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "f").exists()


def test_what_was_collected_here_is_compared_with_peers(tmp_path: Path) -> None:
    """This machine's own rows, and five copies with some noise, one of them with a hog."""
    collect(tmp_path, host="here", interval_s=0.1, seconds=16, stop=Event())
    # Every six seconds, so that they are enough for windows of two minutes; on a busy machine some
    # rows come late, and what lacks rows is not compared.
    own = _rows(tmp_path).iloc[:80].reset_index(drop=True)
    own["at_s"] = own["at_s"].iloc[0] + 6.0 * np.arange(80)
    generator = np.random.default_rng(1)
    copies = []
    for number in range(5):
        copy = own.copy()
        noise = generator.normal(1, 0.02, (len(own), len(METRIC_NAMES)))
        copy[list(METRIC_NAMES)] = own[list(METRIC_NAMES)].astype(np.float32) * noise
        copy["host"] = f"copy{number}"
        copies.append(copy)
    assert () == compare(pd.concat([own, *copies])).indicted

    copies[2]["iowait"] = copies[2]["iowait"] + 40
    result = compare(pd.concat([own, *copies]))
    assert ("copy2",) == result.indicted
    assert "iowait" == result.nodes[0].observations[0].what
