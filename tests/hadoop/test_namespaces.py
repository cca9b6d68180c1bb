"""A network of one's own: who reaches what listens there, and what is said where there is none."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mprof.hadoop import namespaces

NOBODY = 65534
LISTENER = """
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], socket.gethostname(), flush=True)
while True:
    server.accept()[0].sendall(b"here")
"""


def run(*words: str | Path, uid: int | None = None) -> subprocess.CompletedProcess[str]:
    other = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
    return subprocess.run(words, capture_output=True, text=True, check=False, **other)


@pytest.fixture(scope="module")
def possible() -> None:
    done = run(*namespaces.program(), "isolate", "true")
    if done.returncode != 0:
        pytest.skip(f"no network namespaces here: {done.stderr.strip()}")


@pytest.fixture
def other() -> Iterator[list[str | Path]]:
    """The program as another user can start it: from where everybody may read."""
    python = shutil.which("python3", path="/usr/bin:/bin")
    if os.geteuid() != 0 or python is None:
        pytest.skip("only root can become another user, who needs a Python in /usr/bin")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield [python, "-I", "-S", shutil.copy(namespaces.__file__, folder)]


@pytest.fixture
def listener() -> Iterator[subprocess.Popen[str]]:
    words = [*namespaces.program(), "isolate", sys.executable, "-I", "-c", LISTENER]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def heard(connection: socket.socket, port: int) -> bytes:
    with connection:
        connection.settimeout(10)
        connection.connect(("127.0.0.1", port))
        return connection.recv(4)


@pytest.mark.usefixtures("possible")
def test_what_listens_there_is_reached_from_there_alone(listener: subprocess.Popen[str]) -> None:
    assert listener.stdout is not None
    port, host = listener.stdout.readline().split()

    assert host == "localhost"
    assert namespaces.is_elsewhere(listener.pid)
    assert heard(namespaces.connecting_socket(listener.pid), int(port)) == b"here"
    with pytest.raises(ConnectionRefusedError):
        heard(socket.socket(), int(port))
    # The same from a command that enters: its sockets are made there.
    client = f"import socket; print(socket.create_connection(('127.0.0.1', {port})).recv(4))"
    entered = run(*namespaces.program(), "enter", str(listener.pid), sys.executable, "-c", client)
    assert entered.stdout == "b'here'\n"


@pytest.mark.usefixtures("possible")
def test_another_user_does_not_get_in(
    listener: subprocess.Popen[str], other: list[str | Path]
) -> None:
    assert listener.stdout is not None
    listener.stdout.readline()

    refused = run(*other, "enter", str(listener.pid), "echo", "in", uid=NOBODY)

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "Permission denied" in refused.stderr


@pytest.mark.usefixtures("possible")
def test_an_ordinary_user_stays_who_it_is_without_any_power(other: list[str | Path]) -> None:
    says = "id -u; id -g; grep CapEff /proc/self/status; grep -c : /proc/net/dev"
    done = run(*other, "isolate", "/bin/sh", "-c", says, uid=NOBODY)
    if done.returncode != 0:
        pytest.skip(f"no user namespaces here: {done.stderr.strip()}")

    # Of the interfaces, loopback is the only one.
    assert done.stdout.split() == [str(NOBODY), str(NOBODY), "CapEff:", "0" * 16, "1"]


def test_this_process_and_one_that_is_gone_are_not_elsewhere() -> None:
    with subprocess.Popen(["true"]) as ended:
        pass

    assert not namespaces.is_elsewhere(os.getpid())
    assert not namespaces.is_elsewhere(ended.pid)
    with pytest.raises(OSError, match="No such file"):
        namespaces.connecting_socket(ended.pid)


def test_where_none_can_be_had_the_reason_is_told_and_nothing_runs() -> None:
    # In a user namespace that may have no network namespace below it, by the kernel's own limit.
    limit = "echo 0 >/proc/sys/user/max_net_namespaces || exit 3"
    wrapped = ["unshare", "--user", "--map-root-user", "/bin/sh", "-c", f'{limit}; exec "$@"', "sh"]
    if shutil.which("unshare") is None or run(*wrapped, "true").returncode != 0:
        pytest.skip("no user namespaces here, or no unshare")

    done = run(*wrapped, *namespaces.program(), "isolate", "echo", "ran")

    assert (done.returncode, done.stdout) == (71, "")
    assert done.stderr == "unshare: No space left on device\n"


@pytest.mark.usefixtures("possible")
def test_a_network_that_could_not_be_entered_is_none() -> None:
    code = (
        "import errno\nfrom mprof.hadoop import namespaces\n"
        "def refused(pid): raise OSError(errno.EACCES, '')\n"
        "namespaces.enter = refused\nnamespaces.isolate()"
    )

    done = run(sys.executable, "-c", code)

    assert done.stderr.splitlines()[-1] == "PermissionError: [Errno 13] Permission denied: 'setns'"


def test_a_command_that_is_not_there_is_told_from_a_network_that_is_not() -> None:
    done = run(*namespaces.program(), "enter", str(os.getpid()), "/no/such/command")

    assert done.returncode == 127
