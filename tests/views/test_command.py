"""``mprof view`` as a command, and pages that are served."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from builders.commands import mprof
from builders.job_histories import Job, SimulatedCluster

from mprof.errors import EvidenceError, UsageError
from mprof.runs import SilentObserver
from mprof.store import SourceNote, Store, frame_of
from mprof.views import Wanted, check_folder, make_site
from mprof.views.server import serving, stamp_of, watch

ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    cluster = SimulatedCluster(nodes=4, seed=1).run([Job("ann", 0.0), Job("bob", 600.0)])
    made = Store(tmp_path / "store")
    with made.writing("one") as writer:
        for table, rows in (("jobs", cluster.jobs), ("attempts", cluster.attempts)):
            columns = rows.drop(columns="source").to_dict("records")
            writer.write(table, frame_of(table, columns))
        writer.finish(SourceNote("one", "/logs/one", "test", 1, writer.rows, 0, None))
    return made


def ran(*words: object) -> subprocess.CompletedProcess[str]:
    return mprof("view", *words)


def test_a_store_becomes_pages(store: Store, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = ran(store.folder, "-o", site)

    assert 0 == done.returncode, done.stderr
    assert "2 jobs, 4 nodes, " in done.stdout
    assert done.stdout.rstrip().endswith(str(site / "index.html"))
    assert (site / "index.html").is_file()
    assert 0 == ran(store.folder, "-o", site, "--no-alarms").returncode  # its own are replaced


def test_what_others_wrote_is_left_alone(store: Store, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "thesis.txt").write_text("mine", encoding="utf-8")
    done = ran(store.folder, "-o", site)

    assert 2 == done.returncode
    assert "holds other things than pages of mprof view" in done.stderr
    assert "next step: choose a new folder with -o" in done.stderr
    assert ["thesis.txt"] == [path.name for path in site.iterdir()]
    with pytest.raises(UsageError):
        check_folder(site / "thesis.txt")


def test_a_folder_without_histories_ends_with_3(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = ran(tmp_path / "logs", "-o", tmp_path / "site")

    assert 3 == done.returncode
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "site").exists()


def test_tables_without_attempts_show_nothing(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="nothing to show"):
        make_site(Store(tmp_path / "store"), tmp_path / "site", Wanted("x"), SilentObserver())
    assert not (tmp_path / "site").exists()


def test_a_folder_whose_name_is_not_utf_8_has_its_name_written_out(
    store: Store, tmp_path: Path
) -> None:
    wanted = Wanted("a\udcffb", alarms=False)
    make_site(store, tmp_path / "site", wanted, SilentObserver())

    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "<title>mprof: a\\xffb</title>" in page


def test_a_folder_without_captures_is_said_to_have_none(store: Store, tmp_path: Path) -> None:
    wanted = Wanted("x", captures=(tmp_path,), alarms=False)
    with pytest.raises(EvidenceError, match="no capture"):
        make_site(store, tmp_path / "site", wanted, SilentObserver())


def planted(link: Path, target: Path) -> Path:
    """A file of somebody's, and a link to it that is in the way."""
    target.write_text("mine", encoding="utf-8")
    link.symlink_to(target)
    return target


@pytest.mark.parametrize("name", ["mprof-view.txt", "stamp.txt", "index.html", "cells", "memory"])
def test_pages_are_written_through_no_link(store: Store, tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    wanted = Wanted("x", alarms=False, live="1")
    make_site(store, site, wanted, SilentObserver())
    if name in {"cells", "memory"}:
        shutil.rmtree(site / name, ignore_errors=True)
    else:
        (site / name).unlink()
    others = planted(site / name, tmp_path / "others")

    if name == "mprof-view.txt":  # a folder that only says that it is one of pages
        with pytest.raises(UsageError):
            make_site(store, site, wanted, SilentObserver())
    else:
        make_site(store, site, wanted, SilentObserver())
        assert not (site / name).is_symlink()

    assert "mine" == others.read_text(encoding="utf-8")


def test_a_folder_that_is_a_link_is_not_filled(store: Store, tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "site").symlink_to(tmp_path / "others")

    with pytest.raises(UsageError, match="is a link"):
        make_site(store, tmp_path / "site", Wanted("x"), SilentObserver())
    assert [] == [*(tmp_path / "others").iterdir()]


def test_the_server_gives_out_its_folder_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<p>here", encoding="utf-8")
    with serving(site, "127.0.0.1", 0) as address:
        assert address.startswith("http://127.0.0.1:")
        assert b"<p>here" == urllib.request.urlopen(address).read()
        for path in ("../secret", "%2e%2e/secret", "secret"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(address + path)
            refused.value.close()
            assert 404 == refused.value.code


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        refused.close()
        return refused.code


def test_the_server_gives_nothing_to_who_does_not_know_its_token(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("page", encoding="utf-8")
    with serving(tmp_path, "127.0.0.1", 0) as address, serving(tmp_path, "127.0.0.1", 0) as other:
        root, token = address.rstrip("/").rsplit("/", 1)

        assert len(token) >= 20
        assert token not in other
        assert [200, 200] == [status_of(address), status_of(f"{address}index.html?1")]
        for path in ("", "/", "/index.html", f"/{token[:-1]}/", f"//x/{token}/", "/%00/", "/é/x"):
            assert 404 == status_of(urllib.parse.quote(f"{root}{path}", safe=":/%"))
        with urllib.request.urlopen(address) as answer:
            assert "frame-ancestors 'none'" == answer.headers["Content-Security-Policy"]
            assert "no-referrer" == answer.headers["Referrer-Policy"]


def test_the_server_follows_no_link(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "cells").mkdir(parents=True)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "index.html").write_text("secret", encoding="utf-8")
    (site / "index.html").symlink_to(tmp_path / "secrets" / "index.html")
    (site / "memory").symlink_to(tmp_path / "secrets")
    (site / "cells" / "0.js").write_text("plain", encoding="utf-8")
    (site / "circle").symlink_to(site / "circle")
    with serving(site, "127.0.0.1", 0) as address:
        assert 200 == status_of(f"{address}cells/0.js")
        for path in ("", "index.html", "memory/", "memory/index.html", "circle", "cells/", "cells"):
            assert 404 == status_of(address + path)


def test_a_request_that_is_none_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path, "127.0.0.1", 0) as address:
        port, token = urllib.parse.urlsplit(address).port, address.rstrip("/").rsplit("/", 1)[1]
        for request in (
            "GET / HTTP/1.1\r\nHost: [\r\n\r\n", "GET * HTTP/1.1\r\n\r\n", "\r\n\r\n",
            "GET http://[/ HTTP/1.0\r\n\r\n", f"GET /{token}/%00 HTTP/1.0\r\n\r\n",
            f"GET /{token}/{'a' * 5000} HTTP/1.0\r\n\r\n", "HEAD /\xe9 HTTP/1.0\r\n\r\n",
            f"GET /{token}/{'../' * 20}etc/passwd HTTP/1.0\r\n\r\n", "\x00\x1b[2J\r\n\r\n",
        ):  # fmt: skip
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(request.encode("latin-1"))
                connection.shutdown(socket.SHUT_WR)
                answer = connection.makefile("rb").read()
            assert b" 200 " not in answer[:20]

    assert ("", "") == capfd.readouterr()


def test_pages_are_made_again_once_a_change_has_rested(tmp_path: Path) -> None:
    stamps = iter(["a", "a", "b", "c", "c", "c", "d", "d"])
    stop, made = threading.Event(), []

    def look() -> str:
        stamp = next(stamps, None)
        if stamp is None:
            stop.set()
            return "d"
        return stamp

    def make(stamp: str) -> None:
        made.append(stamp)
        if stamp == "c":
            raise EvidenceError("half a file", next_step="wait")

    faults: list[str] = []
    watch(look, make, stop, made_of="a", seconds=0.0, fault=lambda error: faults.append(error.what))

    assert ["c", "d"] == made  # neither what still changes, nor what could not be read once more
    assert ["half a file"] == faults


def test_a_stamp_changes_with_what_is_in_the_folder(tmp_path: Path) -> None:
    empty = stamp_of(tmp_path)
    (tmp_path / "one").write_text("1", encoding="utf-8")
    with_one = stamp_of(tmp_path)
    (tmp_path / "one").write_text("12", encoding="utf-8")

    assert 3 == len({empty, with_one, stamp_of(tmp_path)})
    assert stamp_of(tmp_path) == stamp_of(tmp_path)


def test_a_stamp_of_a_file_changes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "job.jhist"
    file.write_text("1", encoding="utf-8")
    before = stamp_of(file)
    (tmp_path / "other").write_text("1", encoding="utf-8")
    same = stamp_of(file)
    file.write_text("12", encoding="utf-8")

    assert before == same != stamp_of(file)


def test_pages_among_what_they_show_do_not_make_themselves_anew(tmp_path: Path) -> None:
    site = tmp_path / "logs" / "site"
    site.mkdir(parents=True)
    before = stamp_of(tmp_path, apart_from=site)
    (site / "index.html").write_text("made", encoding="utf-8")
    made = stamp_of(tmp_path, apart_from=site)
    (tmp_path / "logs" / "new.log").write_text("1", encoding="utf-8")

    assert before == made != stamp_of(tmp_path, apart_from=site)


def test_served_pages_follow_what_is_added_and_end_with_130(store: Store, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mprof", "view", str(store.folder), "-o",
               str(tmp_path / "site"), "--no-alarms", "--serve", "--port", "0"]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        assert "2 jobs, 4 nodes" in process.stdout.readline()
        address = process.stdout.readline().split()[0]
        before = urllib.request.urlopen(f"{address}stamp.txt").read()
        store.drop("one")
        cluster = SimulatedCluster(nodes=5, seed=2).run([Job("eve", 0.0)])
        with store.writing("two") as writer:
            writer.write(
                "attempts",
                frame_of("attempts", cluster.attempts.drop(columns="source").to_dict("records")),
            )
            writer.finish(SourceNote("two", "/logs/two", "test", 1, writer.rows, 0, None))
        while "1 job, 5 nodes" not in (line := process.stdout.readline()):
            assert line
        assert before != urllib.request.urlopen(f"{address}stamp.txt").read()
    finally:
        process.terminate()
    process.stdout.close()
    assert 130 == process.wait(timeout=60)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("127.0.0.1:1", 200),
        ("[::1]", 200),
        ("evil.example.org", 421),
        ("[", 421),
        ("[::1", 421),
        ("a]b", 421),
    ],
)
def test_a_name_that_only_leads_to_this_machine_is_refused(
    tmp_path: Path, host: str, status: int
) -> None:
    (tmp_path / "index.html").write_text("page", encoding="utf-8")
    with serving(tmp_path, "127.0.0.1", 0) as address:
        request = urllib.request.Request(address, headers={"Host": host})
        try:
            with urllib.request.urlopen(request) as answer:
                seen = answer.status
        except urllib.error.HTTPError as error:
            seen = error.code
            error.close()

    assert status == seen
