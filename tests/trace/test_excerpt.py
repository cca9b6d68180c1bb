"""An excerpt says of a log what the whole log says, in bounded memory."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from builders.whole_logs import parse_logs

from mprof.trace import blocks, excerpt, read_log
from mprof.trace.excerpt import excerpt_of
from mprof.trace.logs import Logs, joined_logs
from mprof.trace.signals import SIGNAL

INFO = "2024-03-01 10:{:02}:{:02},{:03} INFO [main] org.apache.hadoop.mapred.MapTask: Spilling {}\n"
PIECES = (
    (
        "2024-03-01 11:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error "
        "running child "
        ": java.lang.OutOfMemoryError: Java heap space\n\tat a.B.map(B.java:57)\n\tat "
        "c.D.run(D.java)\n"
        "Caused by: java.lang.Error: first\nsecond\n\tat e.F.g(F.java:1)\n\t... 3 more\n"
    ),
    "java.lang.OutOfMemoryError: GC overhead limit exceeded\n",
    "java.io.IOException: a message\nof several\nlines\n\tat a.B.map(B.java:57)\n",
    'Exception in thread "x" java.lang.RuntimeException\n\tat a.B.map(B.java:57)\n',
    "# There is insufficient memory for the Java Runtime Environment to continue.\n",
    "2024-03-01 11:00:44,716 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: x\n",
    (
        "2024-03-01 11:00:44,716 INFO [main] org.apache.hadoop.mapred.Task: Task "
        "'attempt_1700000000000_0001_m_000001_0' done.\n"
    ),
)


def _log(chance: random.Random) -> str:
    parts = []
    for number in range(chance.randrange(1, 60)):
        parts += [
            INFO.format(chance.randrange(60), chance.randrange(60), chance.randrange(999), number)
            for _ in range(chance.choice((0, 1, 2, 3, 30, 90)))
        ]
        parts.append(chance.choice(PIECES))
    return "".join(parts)


def _told(found: excerpt.Excerpt) -> Logs:
    return joined_logs([read_log("syslog", found)])


SEARCHES = {"by re": blocks._by_re, "by RE2": blocks._by_re2}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_what_is_read_of_an_excerpt_is_what_is_read_of_the_log(
    search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(blocks, "_matches", search)
    for seed in range(40):
        chance = random.Random(seed)
        text = _log(chance)
        data = text.encode()
        cut = [data[at : at + 777] for at in range(0, len(data), 777)]

        whole, told = parse_logs([("syslog", text)]), _told(excerpt_of(cut))

        assert whole.errors == told.errors, seed
        assert whole == told, seed


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_lines_with_a_hit_are_those_that_hold_one_by_themselves(
    search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # line by line, as Python's search has it; blank lines before a frame are none
    monkeypatch.setattr(blocks, "_matches", search)
    chance = random.Random(5)
    odd = ("", "  ", "\t", "\tat a.B.c(D.java)", "  task_1", "\x00\xff at", "Error\r", "at x")
    for _ in range(300):
        lines = [chance.choice((*odd, *PIECES[0].splitlines())) for _ in range(30)]
        data = "".join(f"{line}\n" for line in lines).encode("latin-1")
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
        some = np.array(sorted(chance.sample(range(30), 12)))
        for rows in (np.arange(30), some):
            expected = [re.search(SIGNAL, lines[row]) is not None for row in rows.tolist()]
            assert expected == search(data, ends, rows, SIGNAL).tolist()


def test_a_log_full_of_warnings_takes_no_more_memory_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(excerpt, "MOST_LINES", 50)
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1 << 10)
    warning = (
        b"2024-03-01 10:00:00,000 WARN [main] a.B: java.io.IOException: again\n\tat a.B.c(D.java)\n"
    )
    died = PIECES[0].encode()

    found = excerpt_of([warning * 1000, died, warning * 1000])

    assert found.left_out > 1000
    assert sum(len(lines) for _, lines in found.parts) < 600
    logs = _told(found)
    (memory,) = [each for each in logs.errors if "OutOfMemoryError" in each.error.class_name]
    assert 2001 == memory.line


def test_a_block_is_searched_in_few_calls_however_many_of_its_lines_are_hits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # a call costs more than the search of a line: one for each line took 20 times as long
    calls = []
    search = blocks._matches
    monkeypatch.setattr(blocks, "_matches", lambda *given: calls.append(given) or search(*given))
    lines = [INFO.format(1, 2, 3, 4), *PIECES] * 2000

    found = excerpt_of(["".join(lines).encode()])

    assert 0 < len(calls) <= 6
    whole = parse_logs([("syslog", "".join(lines))])
    assert len(whole.errors) == len(_told(found).errors)


def test_the_lines_between_the_parts_that_the_tail_has_are_numbered_in_their_place() -> None:
    lines = tuple(f"line {number}" for number in range(1, 11))
    parts = ((1, lines[:2]), (9, lines[8:]))

    found = excerpt.Excerpt(parts, lines[3:], 10).numbered()

    assert [*found] == [(at, line) for at, line in enumerate(lines, 1) if at != 3]
