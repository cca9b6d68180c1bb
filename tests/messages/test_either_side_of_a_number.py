"""What a message says on either side of a number that decides, a sixth of it away or more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.container_logs import told_of
from builders.logged_deaths import out_of_memory

from mprof.evidence import Evidence
from mprof.messages import read_messages
from mprof.trace import Needs

_LOST = (
    "\n\n20/02/11 13:22:08 ERROR YarnScheduler: Lost executor 11 on w31: Container killed by YARN "
    "for exceeding memory limits.  {0} GB of {0} GB physical memory used. Consider boosting "
    "spark.executor.memoryOverhead.\n"
)
_SUBMITTED = "Spark 2.4 on YARN: spark-submit --deploy-mode cluster --conf spark.executor.memory=4g"


def _said_of(evidence: Evidence, needs: Needs) -> set[str]:
    death = replace(evidence.death, needs=needs)
    return {one.id for one, _ in read_messages(replace(evidence, death=death))}


@pytest.mark.parametrize(("rows", "is_said"), [(420, False), (580, True)])
def test_rows_of_a_scan_of_hbase(rows: int, *, is_said: bool) -> None:
    said = _said_of(out_of_memory(side="map"), Needs(rows_at_once=rows))

    assert ("hbase_scanner_caching" in said) is is_said


@pytest.mark.parametrize(("reducers", "is_said"), [(3, False), (5, True)])
def test_the_last_of_many_reducers(reducers: int, *, is_said: bool) -> None:
    needs = Needs(reducers=(reducers, 97), clauses=("JOIN",))

    assert ("hive_last_reducer" in _said_of(out_of_memory(side="reduce"), needs)) is is_said


@pytest.mark.parametrize(("overhead", "is_said"), [(1080, False), (1475, True)])
def test_more_than_a_container_had_was_not_in_it(
    overhead: int, *, is_said: bool, tmp_path: Path
) -> None:
    _, report = told_of(
        tmp_path,
        f"{_SUBMITTED} --conf spark.executor.memoryOverhead={overhead} a.jar{_LOST.format('5')}",
    )

    assert ("was not in force in that container" in report) is is_said


@pytest.mark.parametrize(("most", "is_said"), [(2750, False), (3400, True)])
def test_a_heap_that_is_half_as_large_is_not_advised(
    most: int, *, is_said: bool, tmp_path: Path
) -> None:
    _, report = told_of(
        tmp_path,
        f"{_SUBMITTED} a.jar. yarn.scheduler.maximum-allocation-mb={most} is in yarn-site.xml."
        f"{_LOST.format('4.5')}",
    )

    assert ("--conf spark.executor.memory=" in report) is is_said


@pytest.mark.parametrize(("asked_mb", "is_said"), [(210, False), (300, True)])
def test_a_piece_that_only_a_heap_takes(asked_mb: int, *, is_said: bool, tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "# There is insufficient memory for the Java Runtime Environment to continue.\n"
        f"# Native memory allocation (mmap) failed to map {asked_mb << 20} bytes for committing "
        "reserved memory.\n",
    )

    assert "refused the JVM more memory" in report
    assert ("A smaller -Xms or -Xmx reduces the request" in report) is is_said


def test_what_malloc_was_refused_is_of_no_heap(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "# There is insufficient memory for the Java Runtime Environment to continue.\n"
        f"# Native memory allocation (malloc) failed to allocate {300 << 20} bytes for "
        "Chunk::new\n",
    )

    assert "refused the JVM more memory" in report
    assert "reduces the request" not in report
