"""A network that only the processes of one user reach: Linux's network namespaces.

Loopback is no barrier between the users of a machine, and Hadoop without Kerberos believes whoever
names a user. In a network namespace of its own the embedded cluster has a loopback interface that
nobody else can connect to, and no other interface. An ordinary user gets one together with a user
namespace, in which it keeps its own user id. The host name is ``localhost`` in it, because the
machine's own may stand for an address that is not there.

Joining the namespace of another user's process is refused by the kernel (setns(2)).

Also a program of its own, which needs nothing but Python's library::

    python -I -S namespaces.py isolate COMMAND...    run it in a new namespace, or end with 71
    python -I -S namespaces.py enter PID COMMAND...  run it in the namespaces of that process
    python -I -S namespaces.py socket PID            send a socket of them through standard input
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Sequence

__all__ = ["connecting_socket", "enter", "is_elsewhere", "isolate", "program"]

_NOT_ISOLATED = 71  # EX_OSERR of sysexits.h

# linux/sched.h
_NEW_UTS = 0x04000000
_NEW_USER = 0x10000000
_NEW_NET = 0x40000000

# linux/sockios.h and linux/if.h
_SET_FLAGS = 0x8914
_UP_AND_RUNNING = 0x1 | 0x40


def program() -> list[str]:
    """The beginning of a command line of this program."""
    return [sys.executable, "-I", "-S", __file__]


def isolate() -> None:
    """Move this process to a network of its own; it must have a single thread.

    Raises:
        OSError: if the kernel, or what the process runs in, does not allow it, or does not let
            other processes of this user enter.
    """
    own, (waits, signals) = os.getpid(), os.pipe()
    guest = os.fork()
    if guest == 0:
        os.close(signals)
        os.read(waits, 1)
        os._exit(_exit_code_of_entering(own))
    os.close(waits)
    try:
        _isolate()
    finally:
        os.close(signals)
        _, status = os.waitpid(guest, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise OSError(code, os.strerror(code), "setns")


def _exit_code_of_entering(pid: int) -> int:
    try:
        enter(pid)
    except OSError as error:
        return error.errno or 1
    return 0


def _isolate() -> None:
    uid, gid = os.geteuid(), os.getegid()
    try:
        _unshare(_NEW_NET | _NEW_UTS)
    except OSError:  # no administrator: only in a user namespace
        _unshare(_NEW_USER | _NEW_NET | _NEW_UTS)
        _tell_kernel("setgroups", "deny")  # without which gid_map is not writable
        _tell_kernel("uid_map", f"{uid} {uid} 1")
        _tell_kernel("gid_map", f"{gid} {gid} 1")
    socket.sethostname("localhost")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", _UP_AND_RUNNING))


def enter(pid: int) -> None:
    """Move this process to the namespaces of another; it must have a single thread.

    Raises:
        OSError: if the process does not exist, or is another user's.
    """
    # All are opened first. The user namespace is joined first, since the others belong to it.
    joined = [
        (os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC), kind)
        for name, kind in (("user", _NEW_USER), ("net", _NEW_NET), ("uts", _NEW_UTS))
        if not _is_shared(pid, name)
    ]
    for descriptor, kind in joined:
        _checked("setns", _libc().setns(descriptor, kind))


def is_elsewhere(pid: int) -> bool:
    """Whether the process has another network than this one; False where that cannot be told."""
    try:
        return not _is_shared(pid, "net")
    except OSError:
        return False


def connecting_socket(pid: int) -> socket.socket:
    """A TCP socket that connects in the network of another process of this user.

    A socket stays in the network in which it was made, and this process may have threads, which
    keeps it from entering a user namespace: a child process enters, and sends the socket.

    Raises:
        OSError: if the process does not exist, or is another user's.
    """
    import subprocess  # here alone, and no pathlib: the program starts in half the time

    here, there = socket.socketpair()
    with here:
        with there:
            done = subprocess.run(
                [*program(), "socket", str(pid)],
                stdin=there.fileno(),
                capture_output=True,
                text=True,
                check=False,
            )
        _, descriptors, _, _ = socket.recv_fds(here, 1, 1)
    if not descriptors:
        raise OSError(done.stderr.strip() or f"exit {done.returncode}")
    return socket.socket(fileno=descriptors[0])


def _send_socket() -> None:
    with (
        socket.socket(fileno=0) as standard_input,
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made,
    ):
        socket.send_fds(standard_input, [b"s"], [made.fileno()])


def _is_shared(pid: int, name: str) -> bool:
    return os.path.samefile(f"/proc/{pid}/ns/{name}", f"/proc/self/ns/{name}")  # noqa: PTH121  no pathlib


def _tell_kernel(name: str, text: str) -> None:
    with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123  no pathlib
        file.write(text)


def _unshare(kinds: int) -> None:
    _checked("unshare", _libc().unshare(kinds))


def _checked(call: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), call)


def _libc() -> ctypes.CDLL:
    # os.unshare and os.setns came with Python 3.12.
    return ctypes.CDLL(None, use_errno=True)


def _main(arguments: Sequence[str]) -> int:
    word, *rest = arguments
    try:
        if word == "isolate":
            isolate()
        else:
            enter(int(rest.pop(0)))
        if word == "socket":
            _send_socket()
            return 0
    except (OSError, AttributeError) as error:  # a libc without these functions
        return _failed(error, _NOT_ISOLATED if word == "isolate" else 1)
    try:
        os.execvp(rest[0], rest)  # noqa: S606  it becomes the command
    except OSError as error:
        return _failed(error, 127)


def _failed(error: Exception, code: int) -> int:
    if isinstance(error, OSError) and error.strerror:
        sys.stderr.write(f"{error.filename}: {error.strerror}\n")
    else:
        sys.stderr.write(f"{error}\n")
    return code


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
