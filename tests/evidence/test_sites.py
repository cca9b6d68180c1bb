"""A death between two calls takes the line from another death of the same job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.keys import field_key, static_key
from builders.snapshots import MIB, holding, snapshot

from mprof.evidence import CodeSite, Unknown, known
from mprof.evidence.assemble import assemble
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import HolderKey
from mprof.trace import read_trace

JOB = "1700000000000_0001"
MAP = f"attempt_{JOB}_m_000003_0"
STATIC = static_key("com.x.Words", "INSTANCE", "seen")
LINE = CodeSite("com.x.Count", "map", "Count.java", 24)
OOM = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main"}


def died(
    folder: Path,
    site: CodeSite | None,
    *,
    mode: str = "watch",
    place: str = "map",
    key: HolderKey = STATIC,
) -> JobRun:
    """A run that died with a map of 160 MB, held by that frame."""
    writer = EventWriter(MAP, heap_max=256 * MIB, mode=mode)
    writer.add("dump", file="oom.hprof", reason="oom")
    writer.add("failure", place="map", **OOM)
    held = holding(key, 160 * MIB, site=site)
    death = snapshot("oom", [held], at_death=True, place=place)
    trace = read_trace(writer.write(folder, position={"phase": 3, "records_in": 90}))
    snapshots = {MAP: (death,)}
    return JobRun(f"job_{JOB}", mode, traces=(trace,), snapshots=snapshots)  # type: ignore[arg-type]


def site_of(*runs: JobRun) -> CodeSite | None:
    holders = assemble(runs).holders
    assert not isinstance(holders, Unknown)
    return holders[0].site


def test_the_line_comes_from_the_run_that_died_within_the_call(tmp_path: Path) -> None:
    runs = [died(tmp_path / "1", LINE), died(tmp_path / "2", None, mode="profile")]

    assert site_of(*runs) == CodeSite("com.x.Count", "map", "Count.java", 24)


def test_a_field_of_the_mapper_takes_the_line_too(tmp_path: Path) -> None:
    # between two calls it is map()'s that Hadoop calls, of which no line is known
    conf = JobConf({"mapreduce.job.map.class": "com.x.Count"})
    field = field_key("com.x.Count", "words")
    within = CodeSite("com.x.Count", "add", "Count.java", 31)
    runs = [died(tmp_path / "1", within, key=field), died(tmp_path / "2", None, key=field)]
    runs = [replace(run, conf=conf) for run in runs]

    assert site_of(*runs) == CodeSite("com.x.Count", "add", "Count.java", 31)
    assert site_of(runs[1]) == CodeSite("com.x.Count", "map")


def test_a_place_without_a_line_keeps_its_method(tmp_path: Path) -> None:
    # the field of another class is not this one's, whatever its line
    elsewhere = CodeSite("com.x.Other", "reduce", None, None)
    runs = [died(tmp_path / "1", LINE), died(tmp_path / "2", elsewhere, mode="profile")]

    assert site_of(*runs) == CodeSite("com.x.Other", "reduce", None, None)


@pytest.mark.parametrize(("mode", "place"), [("verify", "map"), ("watch", "setup")])
def test_a_death_elsewhere_or_of_one_record_alone_says_nothing(
    tmp_path: Path, mode: str, place: str
) -> None:
    runs = [
        died(tmp_path / "1", LINE, mode=mode, place=place),
        died(tmp_path / "2", None, mode="profile"),
    ]

    assert site_of(*runs) is None


def test_what_its_class_initializer_fills_is_told_of_this_death_alone(tmp_path: Path) -> None:
    """The table was loaded when the job died again, between two calls of another thread."""
    initializer = CodeSite("com.x.Words", "<clinit>", "Words.java", 29)
    first, second = died(tmp_path / "1", initializer), died(tmp_path / "2", None, mode="profile")

    (loading,), (loaded,) = (
        known(assemble(runs).holders) or () for runs in ([first], [first, second])
    )
    assert loading.in_initializer
    assert (loaded.site, loaded.in_initializer) == (initializer, False)
