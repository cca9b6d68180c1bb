"""How long a daemon takes to answer is timed, whatever it does instead of answering."""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from mprof.errors import UsageError
from mprof.metrics.answers import Answers, time_answer
from mprof.metrics.collector import collect
from mprof.sources import import_files
from mprof.store import Store

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@contextmanager
def daemon(behave: Callable[[socket.socket, Event], None]) -> Iterator[str]:
    """The address of something that listens, and treats each connection like this."""
    over = Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            behave(self.request, over)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/jmx?qry=java.lang:type=Runtime"
        finally:
            over.set()
            server.shutdown()
            serving.join()


def answers(connection: socket.socket, _: Event) -> None:
    connection.sendall(WHOLE)


def stands_still(_: socket.socket, over: Event) -> None:
    over.wait()


def drips(connection: socket.socket, over: Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not over.wait(0.02):
        try:
            connection.sendall(b"x")
        except OSError:
            return


def breaks_off(_: socket.socket, __: Event) -> None:
    pass


def test_an_answer_is_timed_to_its_end() -> None:
    def late(connection: socket.socket, over: Event) -> None:
        over.wait(0.2)
        connection.sendall(WHOLE)

    with daemon(late) as url:
        took_s = time_answer(url)

    assert took_s is not None
    assert 0.2 <= took_s < 5


@pytest.mark.parametrize("behave", [stands_still, drips])
def test_a_daemon_that_does_not_finish_has_taken_as_long_as_was_waited(
    behave: Callable[[socket.socket, Event], None],
) -> None:
    with daemon(behave) as url:
        assert 0.3 == time_answer(url, longest_s=0.3)


def test_nobody_to_answer_is_not_a_fast_answer() -> None:
    with daemon(answers) as url:
        pass
    assert time_answer(url) is None
    with daemon(breaks_off) as url:
        assert time_answer(url) is None


@pytest.mark.parametrize(
    "url",
    ["localhost:9864/jmx", "ftp://n1/", "http://", "http://n1:x/", "http://u:p@n1/", "http://n 1"],
)
def test_what_is_no_address_is_told_before_anything_is_written(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="no address of a daemon"):
        collect(tmp_path / "f", host="h", ask=(url,), stop=Event())
    assert not (tmp_path / "f").exists()


def test_a_daemon_is_asked_again_and_again_and_one_that_hangs_delays_no_other() -> None:
    stop = Event()
    with daemon(answers) as fast, daemon(stands_still) as slow:
        asking = Answers((fast, slow), stop=stop, interval_s=0.01)
        seen = []
        while len(seen) < 5:
            seen += asking.take()
        stop.set()

    assert {one.kind for one in seen} == {f"answer of {fast.split('/')[2]}"}


def test_what_was_timed_is_in_the_store_as_heartbeats(tmp_path: Path) -> None:
    with daemon(answers) as url:
        collect(
            tmp_path / "files", host="n1", interval_s=0.1, seconds=0.5, ask=(url,), stop=Event()
        )
    store = Store(tmp_path / "store")

    done = list(import_files([tmp_path / "files"], store))

    assert {"samples of mprof collect"} == {one.kind for one in done}
    rows = store.read("heartbeats")
    assert {("n1", f"answer of {url.split('/')[2]}")} == set(
        rows[["host", "kind"]].itertuples(index=False, name=None)
    )
    assert rows["round_trip_s"].between(0, 5).all()
    assert 5 == len(store.read("metrics"))
