"""The signs of local mode are found in a long log in about the time that it takes to go through."""

from __future__ import annotations

import re
import time

import pytest

from mprof.engines import signs_of_local_mode

LINE = (
    "17/05/22 23:51:08 INFO TaskSetManager: Finished task 6.0 in stage 3.0 (TID 14) in 2674 ms on "
    "w2 (executor 6) (7/400)"
)
SIGNS = (
    "INFO Executor: Starting executor ID driver on host localhost",
    "/usr/bin/java -javaagent:/opt/idea/lib/idea_rt.jar=60339:/opt/idea/bin -cp a.jar Main",
    "Thread[org.eclipse.osgi.x,5,main]",
    "[error] (run-main-group-0) java.lang.OutOfMemoryError",
    "spark-submit --master local[4] a.jar",
)
MOST_TIMES = 8.0  # one expression a line; all signs a line took 18 times as long


@pytest.mark.parametrize("sign", SIGNS)
def test_each_sign_is_found_among_other_lines(sign: str) -> None:
    assert signs_of_local_mode([LINE, sign, LINE]) == sign


def test_other_lines_cost_little() -> None:
    lines = [LINE] * 50_000
    word = re.compile(r"driver|localhost")
    started = time.process_time()
    assert not any(map(word.search, lines))
    through = time.process_time() - started

    started = time.process_time()
    found = signs_of_local_mode(lines)

    assert found == ""
    assert time.process_time() - started < MOST_TIMES * through
