"""Output that does not arrive whole never ends with 0, and an old file is never half replaced."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mprof.cli.output import write_file
from mprof.errors import UsageError

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full to write to")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["explain"], ["cases", "list", "--json"], ["--version"]])
def test_a_full_disk_behind_stdout_is_one_clear_error(command: list[str], unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mprof.cli", *command],
            stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=60,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "mprof: the output could not be written whole: No space left on device",
        "next step: make room on that disk, or write somewhere else",
    ]


def test_a_file_is_replaced_by_a_whole_one_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.html"
    write_file(report, "the old one")
    write_file(report, "a newer one")
    assert report.read_text() == "a newer one"

    def half(path: Path, content: bytes) -> None:
        path.write_text(content[:4].decode())
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(UsageError, match="No space left on device"):
        write_file(report, "the newest one")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    assert report.read_text() == "a newer one"


def test_a_link_stays_one_and_a_device_is_written_to(tmp_path: Path) -> None:
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("the old one")
    link.symlink_to(real)
    write_file(link, "the new one")
    assert (link.is_symlink(), real.read_text()) == (True, "the new one")

    device = tmp_path / "null"
    device.symlink_to(os.devnull)
    write_file(device, "nothing")
    assert not Path(os.devnull).is_file()


_WAITS = """
import importlib, time
main = importlib.import_module("mprof.cli.main")
def wait():
    try:
        print("up", flush=True)
        time.sleep(60)
    finally:
        print("cleared up", flush=True)
main._run = wait
main.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_sigterm_and_ctrl_c_end_the_same_way(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WAITS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "up\n"
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()

    assert (process.returncode, out, err) == (130, "cleared up\n", "mprof: interrupted\n")
