"""What an end that is known by its words quotes of them, and what each way to fail proves."""

from __future__ import annotations

import re

import pytest
from builders.logged_deaths import failed

from mprof.messages import Reading, read_messages
from mprof.messages.ends import quoted


def _quoted(line: str, words: str) -> str:
    found = re.search(words, f"above\n{line}\nbelow")
    assert found is not None
    return quoted(found, f"above\n{line}\nbelow")


def test_a_line_that_is_short_is_quoted_whole_wherever_its_words_stand() -> None:
    line = f"Copying {'a' * 70} --> {'b' * 70} failed: Disk quota exceeded"

    assert _quoted(line, "Disk quota") == line


def test_a_long_line_is_cut_at_its_end() -> None:
    line = f"No space left on device: {'word ' * 200}end"

    told = _quoted(line, "No space left")

    assert line.startswith(told.removesuffix(" ..."))
    assert told.endswith("word ...")


def test_of_a_long_line_that_says_it_late_both_ends_of_an_arrow_are_kept() -> None:
    source, target = f"hdfs://alpha/{'p' * 110}", f"hdfs://beta/{'q' * 60}"
    line = f"Copying {source} --> {target} failed {'again ' * 90}: Disk quota exceeded at last"

    told = _quoted(line, "Disk quota")

    assert f"{source} --> {target}" in told
    assert told.endswith("Disk quota exceeded at last")
    assert len(told) < len(line)


def _of(first_line: str) -> Reading:
    readings = {one.id: reading for one, reading in read_messages(failed(first_line))}
    return readings["host_not_reached"]


@pytest.mark.parametrize(
    ("line", "said", "step", "unsaid"),
    [
        (
            "java.net.NoRouteToHostException: No route to host",
            "its host is down, no route leads to that address",
            "nc -vz HOST PORT",
            "read the log of the process",
        ),
        # NetUtils.wrapException
        (
            (
                "java.net.ConnectException: Call From a1/10.0.0.1 to b2:9000 failed on connection "
                "exception: java.net.ConnectException: Connection refused; For more details see:"
            ),
            "no process listens at that address and port",
            "ss -ltn",
            "network",
        ),
        (
            "java.net.UnknownHostException: b2.example",
            "could not be resolved",
            "getent hosts",
            "nc -vz",
        ),
        # NetUtils.connect
        (
            (
                "org.apache.hadoop.net.ConnectTimeoutException: 20000 millis timeout while waiting "
                "for channel to be ready for connect. ch : java.nio.channels.SocketChannel"
            ),
            "did not answer when a connection was opened",
            "nc -vz HOST PORT",
            "stands still",
        ),
        (
            (
                "java.net.SocketTimeoutException: 60000 millis timeout while waiting for channel "
                "to be ready for read. ch : java.nio.channels.SocketChannel"
            ),
            "did not answer in time",
            "read the log of the process",
            "nc -vz",
        ),
        # PlainSocketImpl.c makes the same exception of EADDRNOTAVAIL
        (
            "java.net.NoRouteToHostException: Cannot assign requested address",
            "A connection to another process failed",
            "read the log of the process",
            "No route to host",
        ),
    ],
)
def test_each_way_of_not_reaching_a_process_says_what_it_proves(
    line: str, said: str, step: str, unsaid: str
) -> None:
    reading = _of(line)

    assert said in reading.sentence
    assert step in reading.next_step
    assert unsaid not in f"{reading.sentence} {reading.next_step}"


@pytest.mark.parametrize(
    ("value", "said"),
    [("6g", "take no unit (6144 for 6g)"), ("700MB", "(700 for 700MB)"), ("9k", "no unit. No")],
)
def test_a_size_with_a_unit_is_told_without(value: str, said: str) -> None:
    evidence = failed(
        f'java.lang.NumberFormatException: For input string: "{value}"',
        stack=("org.apache.hadoop.conf.Configuration.getLong",),
    )

    readings = {one.id: reading for one, reading in read_messages(evidence)}

    assert said in readings["size_with_a_unit"].sentence


@pytest.mark.parametrize(
    ("line", "whose"),
    [
        (
            "INFO ipc.Client: Retrying connect to server: h2/10.0.0.2:8032. Already tried 9 times",
            "8032 is as a rule the port of the ResourceManager, for clients",
        ),
        (
            "java.net.ConnectException: Call From a1/10.0.0.1 to b2:9866 failed on exception",
            "9866 is as a rule the port of a DataNode, for data (dfs.datanode.address)",
        ),
        # a port of the other side, and a line of a source file, are none of these
        ("java.net.ConnectException: Call From a1/10.0.0.1:50010 to b2:6066 failed", None),
        ("java.net.ConnectException: refused at a.B.c(Client.java:8032)", None),
        ("java.net.ConnectException: no way from a1:8020 to b2:8032", None),
        ("java.net.ConnectException: b2:18032 refused", None),
    ],
)
def test_the_port_that_is_named_says_who_should_have_answered(line: str, whose: str | None) -> None:
    sentence = _of(line).sentence

    if whose is None:
        assert "is as a rule the port" not in sentence
    else:
        assert whose in sentence
