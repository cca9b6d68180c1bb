"""Jars are fetched from a repository on this machine, which does what repositories do."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.maven_repository import Repository, pinned, serving

from mprof.errors import ClusterError, UsageError
from mprof.hadoop import download as downloading
from mprof.hadoop.download import download

JAR = "org/example/one/1.0/one-1.0.jar"
OTHER = "org/example/two/2.0/two-2.0.jar"
CONTENT = random.Random(1).randbytes(700_000)
FILES = {JAR: CONTENT, OTHER: b"the other one"}


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.setattr(downloading, "_PAUSES_S", (0.0, 0.0, 0.0))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving(Repository(dict(FILES))) as served:
        yield served


def fetch(repository: Repository, folder: Path, url: str | None = None) -> None:
    jars = pinned(FILES)
    download(jars, repository=url or repository.url, folder=folder, progress=lambda _: None)


def kept(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def with_part(folder: Path, content: bytes) -> None:
    part = folder / f"{JAR}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(content)


def test_jars_come_to_their_places_and_nothing_else_stays(
    repository: Repository, tmp_path: Path
) -> None:
    seen: list[int] = []
    url = f"{repository.url}/"  # as people write it
    download(pinned(FILES), repository=url, folder=tmp_path, progress=seen.append)

    assert kept(tmp_path) == FILES
    assert seen[-1] == sum(map(len, FILES.values()))
    assert {path for path, _ in repository.asked} == set(FILES)


def test_an_answer_that_breaks_off_goes_on_where_it_did(
    repository: Repository, tmp_path: Path
) -> None:
    repository.cut[JAR] = 300_000
    fetch(repository, tmp_path)

    assert kept(tmp_path) == FILES
    assert [None, "bytes=300000-"] == [wanted for path, wanted in repository.asked if path == JAR]


def test_an_earlier_call_that_broke_off_is_gone_on_with(
    repository: Repository, tmp_path: Path
) -> None:
    with_part(tmp_path, CONTENT[:1000])
    fetch(repository, tmp_path)

    assert kept(tmp_path) == FILES
    assert (JAR, "bytes=1000-") in repository.asked


def test_a_repository_that_cannot_go_on_sends_all_of_it(
    repository: Repository, tmp_path: Path
) -> None:
    repository.has_ranges = False
    with_part(tmp_path, CONTENT[:1000])
    fetch(repository, tmp_path)

    assert kept(tmp_path) == FILES
    assert 1 == len([path for path, _ in repository.asked if path == JAR])


@pytest.mark.parametrize("part", [b"x" * 1000, b"x" * len(CONTENT), b"x" * 800_000, b""])
def test_a_part_of_something_else_is_thrown_away(
    repository: Repository, tmp_path: Path, part: bytes
) -> None:
    with_part(tmp_path, part)
    fetch(repository, tmp_path)

    assert kept(tmp_path) == FILES


def test_a_server_that_is_busy_is_asked_again(repository: Repository, tmp_path: Path) -> None:
    repository.codes[JAR] = [503, 416]
    with_part(tmp_path, CONTENT[:1000])
    fetch(repository, tmp_path)

    assert kept(tmp_path) == FILES


@pytest.mark.parametrize(
    "content",
    [b"x" * len(CONTENT), CONTENT + b"x", b"<html>log in</html>" * 40_000],
    ids=["same size", "longer", "a page"],
)
def test_what_is_not_the_pinned_jar_is_not_kept_and_is_not_asked_for_again(
    repository: Repository, tmp_path: Path, content: bytes
) -> None:
    repository.files[JAR] = content
    with pytest.raises(ClusterError, match=rf"{JAR}: its checksum is not the one") as raised:
        fetch(repository, tmp_path)

    assert "MPROF_MAVEN_REPOSITORY" in raised.value.next_step
    assert not [name for name in kept(tmp_path) if name.startswith(JAR)]
    assert 1 == len([path for path, _ in repository.asked if path == JAR])


def test_a_repository_without_the_jar_says_so_at_once(
    repository: Repository, tmp_path: Path
) -> None:
    del repository.files[JAR]
    with pytest.raises(ClusterError, match=rf"does not give {JAR}: 404 Not Found"):
        fetch(repository, tmp_path)

    assert 1 == len([path for path, _ in repository.asked if path == JAR])


def test_a_jar_that_stays_cut_off_is_an_error_and_what_arrived_stays(
    repository: Repository, tmp_path: Path
) -> None:
    repository.files[JAR] = CONTENT[:500_000]
    with pytest.raises(ClusterError, match="it ended after 500,000 of 700,000 bytes") as raised:
        fetch(repository, tmp_path)

    assert "what has arrived is kept" in raised.value.next_step
    assert CONTENT[:500_000] == kept(tmp_path)[f"{JAR}.part"]


def test_without_a_network_one_line_says_so(repository: Repository, tmp_path: Path) -> None:
    with serving(Repository({})) as gone:
        pass
    with pytest.raises(ClusterError, match=r"could not be fetched: Connection refused") as raised:
        fetch(repository, tmp_path, url=gone.url)

    assert "https_proxy" in raised.value.next_step
    assert "MPROF_MAVEN_REPOSITORY" in raised.value.next_step


def test_a_proxy_of_the_environment_is_used(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", repository.url.removesuffix("/maven2"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(ClusterError, match="404"):
        fetch(repository, tmp_path, url="http://repository.invalid/maven2")

    assert all(path.startswith("http://repository.invalid/maven2/") for path, _ in repository.asked)


def test_a_login_goes_to_the_repository_and_into_no_message(
    repository: Repository, tmp_path: Path
) -> None:
    del repository.files[OTHER]
    url = repository.url.replace("//", "//me:p%40ss@")
    with pytest.raises(ClusterError) as raised:
        fetch(repository, tmp_path, url=url)

    assert {"Basic bWU6cEBzcw=="} == set(repository.logins)  # base64 of me:p@ss
    assert "p%40ss" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["file:///repository", "ftp://host/maven2", "host/maven2", "http:", "http://h:x/", "http://[/"],
)
def test_what_is_no_http_address_is_refused(
    repository: Repository, tmp_path: Path, url: str
) -> None:
    with pytest.raises(UsageError, match="is no address of a Maven repository"):
        fetch(repository, tmp_path, url=url)


def test_a_full_disk_and_a_folder_that_cannot_be_written_are_told_apart(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ClusterError, match=r"cannot be kept: .*/file") as raised:
        fetch(repository, tmp_path / "file")
    assert "can be written with XDG_CACHE_HOME" in raised.value.next_step

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "part")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(ClusterError, match="there is no room for Hadoop's jars in") as raised:
        fetch(repository, tmp_path / "folder")
    assert "make room for 120 MB" in raised.value.next_step


def test_ctrl_c_does_not_wait_for_a_server_that_says_nothing(
    repository: Repository, tmp_path: Path
) -> None:
    more = threading.Event()
    repository.held[JAR] = more

    def interrupt(received: int) -> None:
        if received >= len(CONTENT) // 2:
            raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            download(pinned(FILES), repository=repository.url, folder=tmp_path, progress=interrupt)
        assert len(CONTENT) // 2 == (tmp_path / f"{JAR}.part").stat().st_size
    finally:
        more.set()


def test_two_processes_at_the_same_time_fetch_each_jar_whole(
    repository: Repository, tmp_path: Path
) -> None:
    program = (
        "import sys; from pathlib import Path; from mprof.hadoop.download import download;"
        "from mprof.hadoop.pinned import PinnedJar;"
        f"download({pinned(FILES)!r}, repository=sys.argv[1], folder=Path(sys.argv[2]),"
        " progress=lambda _: None)"
    )
    command = [sys.executable, "-c", program, repository.url, str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(2)]

    assert [0, 0] == [one.wait() for one in running]
    assert kept(tmp_path) == FILES
    assert len(FILES) == len(repository.asked)
