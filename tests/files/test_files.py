"""Files of others: whatever is in the place of one, it is read, or said not to be, at once."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError, is_there, open_file, read_ends, read_file
from mprof.io.json import read_json

MIB = 1024 * 1024


def _socket(path: Path) -> None:
    os.chdir(path.parent)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "it is a pipe, not a file"),
        (Path.mkdir, "it is a folder"),
        (_socket, "it is a socket, not a file"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
        (lambda path: path.symlink_to("nowhere"), "No such file or directory"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
        (lambda path: path.symlink_to("/proc/self/mem"), "Input/output error"),
    ],
)
@pytest.mark.parametrize("read", [read_file, read_ends])
def test_what_is_no_file_is_said_at_once(
    make: Callable[[Path], None], reason: str, read: Callable[..., object], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evidence"
    make(path)

    assert is_there(path)
    with pytest.raises(UnreadableError) as raised:
        read(path, limit_bytes=MIB)
    assert (raised.value.reason, raised.value.missing) == (reason, False)
    assert isinstance(raised.value, EvidenceError)


@pytest.mark.parametrize("name", ["none", "x" * 300, "no\0ne"])
def test_a_file_that_is_not_there_is_missing(name: str, tmp_path: Path) -> None:
    path = tmp_path / name

    assert not is_there(path)
    with pytest.raises(UnreadableError) as raised:
        open_file(path)
    assert raised.value.missing


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"what it holds")
    (tmp_path / "link").symlink_to("real")

    assert read_file(tmp_path / "link", limit_bytes=13) == b"what it holds"


def test_a_file_that_says_it_is_empty_is_read_by_what_it_gives() -> None:
    path = Path("/proc/self/stat")

    assert path.stat().st_size == 0
    assert read_file(path, limit_bytes=MIB).startswith(str(os.getpid()).encode())


def test_a_file_beyond_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"a" * 60 + b"z" * 40)

    with pytest.raises(UnreadableError, match="larger than 99 bytes"):
        read_file(path, limit_bytes=99)
    assert read_ends(path, limit_bytes=100) == (path.read_bytes(), 0)
    assert read_ends(path, limit_bytes=20) == (b"a" * 10 + b"\n" + b"z" * 10, 80)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"\xff", b"[" * 100_000, b'{"n": "x"}', b'{"n": 1e400}', b'{"n": NaN}',
        b'{"n": %d}' % 10**400, b'{"n": %d}' % 2**63, b'{"n": -' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_json_that_is_damaged_is_one_error(content: bytes, tmp_path: Path) -> None:
    class Number(msgspec.Struct):
        n: int

    path = tmp_path / "x.json"
    path.write_bytes(content)

    with pytest.raises(UnreadableError, match=r"x\.json cannot be read: "):
        read_json(path, Number)


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
def test_every_java_long_is_a_number(number: int, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"n": %d, "digits": "%d"}' % (number, 10**30))

    assert read_json(path, dict[str, int | str])["n"] == number
