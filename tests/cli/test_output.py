"""Output that does not arrive whole never ends with 0, and an old file is never half replaced."""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builders.commands import mprof

from mprof.cli.output import check_new, say_object, write_file
from mprof.errors import UsageError

FULL = Path("/dev/full")


def _mprof(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mprof", *words],
        stderr=subprocess.PIPE, text=True, timeout=60, cwd=Path(__file__).parents[2], **options,
    )  # fmt: skip


def test_an_output_whose_reader_has_enough_ends_quietly_as_a_signal_would_end_it() -> None:
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as pipe:  # noqa: PTH123
        done = _mprof("explain", "4", stdout=pipe)

    assert (done.returncode, done.stderr) == (141, "")


def test_an_output_that_is_closed_does_not_end_with_0() -> None:
    closed = _mprof("explain", "4", preexec_fn=lambda: os.close(1))

    assert closed.returncode == 2
    assert closed.stderr.splitlines() == [
        "mprof: the output was not read to its end: Bad file descriptor",
        "next step: read all of it, or write it to a file",
    ]


def test_an_object_with_the_name_of_a_file_that_is_not_utf_8_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say_object({"not_read": ["part-\udcff"], "limit": 0.5})

    assert json.loads(capsys.readouterr().out)["limit"] == 0.5


def test_a_link_to_nothing_is_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "report.html").symlink_to(tmp_path / "nothing")

    with pytest.raises(UsageError, match="already exists"):
        check_new(tmp_path / "report.html", force=False)


def test_a_link_beside_a_file_that_is_written_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tmp_path / "others"
    others.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda _: "guessed")
    (tmp_path / ".mprof-guessed.new").symlink_to(others)

    with pytest.raises(UsageError, match="cannot be written"):
        write_file(tmp_path / "report.html", "page")
    assert "mine" == others.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rerun", "x", "--probes", "two", "--", "hadoop"), "invalid value for '--probes'"),
        (("no-such-verb",), "no such command 'no-such-verb'"),
        (("heap", "--top", "0", "x"), "invalid value for '--top': 0 is not in the range x>=1"),
        (("diagnose",), "missing argument '"),
    ],
)
def test_wrong_usage_is_one_line_and_the_next_step(words: tuple[str, ...], message: str) -> None:
    done = mprof(*words)

    said, next_step = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert said.startswith(f"mprof: {message}")
    assert next_step.startswith("next step: mprof")
    assert next_step.endswith("--help")


@pytest.mark.parametrize("words", [(), ("cases",), ("cluster",)])
def test_without_arguments_the_help_is_all_that_is_said(words: tuple[str, ...]) -> None:
    done = mprof(*words)

    assert done.returncode == 2
    assert "Usage: mprof" in done.stdout + done.stderr
    assert "next step" not in done.stderr


def test_names_in_a_message_are_harmless_and_cut() -> None:
    name = "job\x1b[2J\nmprof: done" + "x" * 3000

    done = mprof("diagnose", name)

    said, next_step = done.stderr.splitlines()
    assert done.returncode == 3
    assert "job\\x1b[2J mprof: donexxx" in said
    assert " ... " in said
    assert len(said) <= 1000
    assert next_step.startswith("next step: ")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full to write to")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["explain"], ["cases", "list", "--json"], ["--version"]])
def test_a_full_disk_behind_stdout_is_one_clear_error(command: list[str], unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mprof", *command],
            stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=60,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "mprof: the output could not be written whole: No space left on device",
        "next step: make room on that disk, or write somewhere else",
    ]


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full to write to")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_stderr_does_not_change_the_exit_code(unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mprof", "diagnose", "no-such-job"],
            stderr=full, env=environment, timeout=60, cwd=Path(__file__).parents[2],
        )  # fmt: skip

    assert done.returncode == 3


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

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="cannot be written"):
        write_file(pipe, "nobody reads it, and nobody waits")

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


_WAITS_IN_A_SUBCOMMAND = """
import sys, time
import mprof.runs
from mprof.cli import main
def wait(*_arguments, **_options):
    try:
        print("up", flush=True)
        time.sleep(60)
    finally:
        print("cleared up")
mprof.runs.diagnose_all = wait
sys.argv = ["mprof", "diagnose", "-"]
main()
"""


@pytest.mark.parametrize("program", [_WAITS, _WAITS_IN_A_SUBCOMMAND], ids=["heap", "subcommand"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_sigterm_ctrl_c_and_a_closed_terminal_end_the_same_way_and_say_so_once(
    number: signal.Signals, program: str
) -> None:
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "up\n"
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()

    assert (process.returncode, out, err) == (130, "cleared up\n", "mprof: interrupted\n")


_KEEPS_WHAT_IS_IGNORED = """
import importlib, signal
main = importlib.import_module("mprof.cli.main")
def work():
    signal.raise_signal(signal.SIGINT)
    print("still here", flush=True)
    signal.raise_signal(signal.SIGTERM)
    return 0
main._run = work
main.main()
"""


def test_a_background_job_keeps_ignoring_ctrl_c_and_is_ended_by_sigterm() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KEEPS_WHAT_IS_IGNORED],
        capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip

    said = (done.returncode, done.stdout, done.stderr)
    assert said == (130, "still here\n", "mprof: interrupted\n")


# Ctrl-C does not end the driver. It has the pipe open for as long as it lives.
_IS_SLOW_TO_END = """
import importlib, os, sys
from mprof.hadoop import driver
main = importlib.import_module("mprof.cli.main")
driver._INTERRUPT_GRACE_SECONDS = 1.0
DRIVER = '''
import os, signal, sys, time
pipe = os.open(sys.argv[1], os.O_WRONLY)
# Not by a file object: a handler that writes to it while it is being written to fails.
signal.signal(signal.SIGINT, lambda *_: os.write(pipe, b"interrupted" + bytes([10])))
os.write(pipe, b"up" + bytes([10]))
time.sleep(60)
'''
def run():
    command = [sys.executable, "-c", DRIVER, sys.argv[1]]
    try:
        driver.run_driver(command, environment=os.environ, on_line=print)
    finally:
        print("cleared up")
main._run = run
main.main()
"""


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_does_not_cut_the_clearing_up_short(
    tmp_path: Path, first: signal.Signals, second: signal.Signals
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", _IS_SLOW_TO_END, str(pipe)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            with pipe.open() as driver:
                assert driver.readline() == "up\n"
                process.send_signal(first)
                assert driver.readline() == "interrupted\n"
                process.send_signal(second)
                out, err = process.communicate(timeout=60)
                assert select.select([driver], [], [], 0)[0], "the driver lives on"
                assert driver.read() == ""
        finally:
            process.kill()

    assert (process.returncode, out, err) == (130, "cleared up\n", "mprof: interrupted\n")


def test_a_folder_that_is_not_there_is_said_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="its folder is not there"):
        check_new(tmp_path / "none" / "report.html", force=True)
    check_new(tmp_path / "report.html", force=False)
    check_new(None, force=False)
