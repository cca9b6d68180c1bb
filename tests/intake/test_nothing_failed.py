"""Words that look like a death and are none: of executors given back, and of killed attempts."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.messages import remarks_on

IDLE = (
    "17/05/03 08:41:07 INFO A: Removing executor 5 because it has been idle for 60 seconds (new 9)",
    "21/05/03 08:41:07 INFO ExecutorAllocationManager: Executors 4,5 removed due to idle timeout.",
)


@pytest.mark.parametrize("line", IDLE)
def test_an_executor_that_was_given_back_is_no_failure(line: str, tmp_path: Path) -> None:
    kinds, _ = told_of(tmp_path, f"Is yarn killing us?\n\n{line}\n")

    assert kinds == []
    assert any("it is no failure" in one for one in remarks_on(line))


def test_one_that_was_lost_is_none_of_these() -> None:
    line = "17/05/03 08:41:07 ERROR YarnScheduler: Lost executor 5 on w3: Slave lost"

    assert not any("it is no failure" in one for one in remarks_on(line))


_DONE = (
    "17/02/07 02:54:11 INFO mapreduce.Job: Job job_1480000000000_0042 completed successfully\n"
    "17/02/07 02:54:11 INFO mapreduce.Job: Counters: 52\n\tJob Counters \n"
)
KILLED = {
    "\t\tKilled map tasks=4\n\t\tKilled reduce tasks=1\n": (
        "4 attempts of map tasks and 1 attempt of reduce tasks were killed and none failed"
    ),
    "\t\tKilled reduce tasks=1\n": "1 attempt of reduce tasks was killed and none failed",
    "\t\tFailed map tasks=2\n\t\tKilled map tasks=4\n": "",
    "\t\tKilled map tasks=0\n": "",
}


@pytest.mark.parametrize("counters", KILLED)
def test_killed_attempts_of_a_job_that_went_well(counters: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_DONE}{counters}")

    assert "did not fail" in report
    assert ("killed and none failed" in report) is bool(KILLED[counters])
    assert KILLED[counters] in report


@pytest.mark.parametrize(
    ("spilled", "told"), [(160, ""), (200, ""), (240, "2.4 for each"), (300, "300 records were")]
)
def test_records_that_were_spilled_again_are_no_lack_of_memory(
    spilled: int, told: str, tmp_path: Path
) -> None:
    counters = f"\t\tMap output records=100\n\t\tSpilled Records={spilled}\n"

    _, report = told_of(tmp_path, f"{_DONE}{counters}")

    assert ("records were spilled" in report) is bool(told)
    assert told in report
