"""The counters of this machine, against other ways to read them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mprof.metrics import SAMPLED_NAMES, sockets
from mprof.metrics.host import HostReader
from mprof.metrics.proc import counted_by_network, devices, named_numbers, read_text, run_queue
from mprof.metrics.reading import row_of
from mprof.metrics.sockets import largest_rto_ms, rto_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the files of Linux")


def test_a_row_of_this_machine_knows_what_a_linux_machine_has() -> None:
    reader = HostReader()
    before = reader.read()
    time.sleep(0.3)
    row = row_of(before, reader.read())
    absent = {name for name, value in row.items() if value is None}

    # without a connection there is no timeout; a container may have no disk and no interface
    assert absent <= {"rto_max", "bread", "bwrtn", "eth_rxbyt", "eth_txbyt"}
    assert all(value >= 0 for value in row.values() if value is not None)
    assert set(SAMPLED_NAMES) == set(row)


def test_a_spinner_is_seen_in_user_time() -> None:
    reader = HostReader()
    before = reader.read()
    end_s = time.monotonic() + 0.6
    while time.monotonic() < end_s:
        pass
    row = row_of(before, reader.read())

    assert row["user"] is not None
    # of all processors, and another program may take some of this one
    assert row["user"] > 30 / (os.cpu_count() or 1)


def test_system_calls_and_page_faults_are_seen() -> None:
    reader = HostReader()
    before = reader.read()
    page, pages = 4096, 20_000
    touched = bytearray(page * pages)
    touched[::page] = b"x" * pages
    now = reader.read()

    # huge pages make fewer
    assert now.totals["fault"] - before.totals["fault"] >= page * pages // (2 << 20)


def test_counters_are_those_of_the_kernels_own_files() -> None:
    reading = HostReader().read()
    stat = dict(
        line.split(maxsplit=1) for line in Path("/proc/stat").read_text().splitlines() if line
    )
    ticks = os.sysconf("SC_CLK_TCK")
    user, nice, *_ = map(int, stat["cpu"].split())

    assert (user + nice) / ticks == pytest.approx(reading.totals["user"], abs=5)
    assert int(stat["ctxt"]) == pytest.approx(reading.totals["ctxt"], rel=0.01)


def test_the_files_of_the_kernel_that_lack_something_are_no_error(tmp_path: Path) -> None:
    assert run_queue(b"") is None
    assert run_queue(b"0.1 0.1 0.1 nonsense 3") is None
    assert (0, 7) == run_queue(b"0.1 0.1 0.1 0/7 3")
    assert {} == named_numbers(b"a\nb x\n\n")
    assert counted_by_network(b"TcpExt: A B\nTcpExt: 1 2\n", b"TCPAbortOnData") is None
    assert counted_by_network(b"TcpExt: A C\nTcpExt: 1\n", b"C") is None
    assert counted_by_network(b"\n\n", b"C") is None
    assert read_text(tmp_path / "none") is None


def test_what_stands_on_hardware_is_not_counted_twice(tmp_path: Path) -> None:
    (tmp_path / "sda" / "device").mkdir(parents=True)
    (tmp_path / "dm-0").mkdir()

    assert {"sda"} == devices(tmp_path, frozenset({"sda", "dm-0"}))
    assert {"dm-0"} == devices(tmp_path, frozenset({"dm-0"}))


def test_the_timeout_of_a_connection_is_read() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        accepted, _ = server.accept()
        with client, accepted:
            client.sendall(b"x")
            accepted.recv(1)
            found = largest_rto_ms()

    if found is None:
        pytest.skip("this machine has no ss, or may not ask for connections")
    # TCP_RTO_MIN and TCP_RTO_MAX of Linux
    assert 200 <= found <= 120_000


def test_of_no_connection_there_is_no_timeout() -> None:
    assert rto_of(b"State Recv-Q Send-Q\n") is None


def test_a_program_that_is_not_there_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_COMMAND", ("no-such-program-of-this-name",))
    assert largest_rto_ms() is None


def test_a_program_that_hangs_does_not_stop_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_COMMAND", ("sleep", "5"))
    monkeypatch.setattr(sockets, "_LONGEST_S", 0.1)
    began_s = time.monotonic()

    assert largest_rto_ms() is None
    assert time.monotonic() - began_s < 2


def test_the_collector_does_not_load_what_takes_long() -> None:
    slow = {"numpy", "pandas"}
    code = f"import sys, mprof.metrics.collector; print({slow} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "set()" == done.stdout.strip()
