"""The facts about a container, from the cluster's words, the agent's log and the other runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.attempts import EventWriter
from builders.keys import field_key
from builders.snapshots import holding, snapshot

from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.evidence.container import DirectHolder
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import read_trace
from mprof.units import GIB, MIB

JOBS = ("1700000000000_0001", "1700000000000_0002")
HEAP = 900 * MIB
WORDS = (
    "Container [pid=1] is running 5B beyond the 'PHYSICAL' memory limit. Current usage: 1.0 GB of "
    "1 GB physical memory used; 3.9 GB of 2.1 GB virtual memory used. Killing container.\n"
    "\t|- 10 9 1 1 (bash) 9 8 1000000 800 /bin/bash -c java org.apache.hadoop.mapred.YarnChild x\n"
    "\t|- 11 10 1 1 (java) 9 8 1000000 60000 java org.apache.hadoop.mapred.YarnChild x\n"
    "\t|- 12 11 1 1 (python3) 9 8 1000000 200800 python3 count.py\n"
)


def killed(folder: Path) -> JobRun:
    writer = EventWriter(f"attempt_{JOBS[0]}_m_000003_0", heap_max=HEAP)
    for used, record in ((40, 0), (90, 700), (60, 900)):
        writer.add(
            "process", resident=(used + 120) * MIB, resident_peak=210 * MIB, heap_used=used * MIB,
            heap_committed=128 * MIB, direct=0, threads=30, non_heap=40 * MIB,
            at={"phase": "map", "records_in": record},
        )  # fmt: skip
    writer.add("memory", major=True, used_before=128 * MIB, at={"phase": "map"})  # too late
    trace = read_trace(writer.write(folder), diagnostics=WORDS, state="FAILED")
    conf = {"mapreduce.map.memory.mb": "1024", "mprof.container.headroom.mb": "32"}
    conf["mprof.container.map.plain.mb"] = "1024"
    return JobRun(f"job_{JOBS[0]}", "watch", traces=(trace,), conf=JobConf(conf), state="FAILED")


def with_room(folder: Path, *, index: int = 3, heap: int = HEAP) -> JobRun:
    writer = EventWriter(f"attempt_{JOBS[1]}_m_{index:06d}_0", heap_max=heap, mode="profile")
    writer.add("process", resident=300 * MIB, resident_peak=1200 * MIB, heap_used=9)
    writer.add("memory", major=True, used_after=100 * MIB, at={"phase": "map", "records_in": 9})
    writer.add("end", outcome="done")
    trace = read_trace(writer.write(folder), state="SUCCEEDED")
    conf = {
        "mprof.container.headroom.mb": "32",
        "mprof.container.map.plain.mb": "1024",
        "mprof.container.map.mb": "2048",
        "mprof.container.room.map.mb": "2048",
        "mapreduce.map.resource.memory-mb": "2048",
    }
    return JobRun(
        f"job_{JOBS[1]}", "profile", traces=(trace,), conf=JobConf(conf), state="SUCCEEDED"
    )


def container_advice(diagnosed: Diagnosed) -> list[tuple[str | None, str | None, str]]:
    from mprof.advice import advise

    return [(one.old, one.new, one.text) for one in advise(diagnosed).diagnosis.advice]


def test_the_facts_are_those_of_the_log_and_of_the_cluster(tmp_path: Path) -> None:
    diagnosed = diagnose_runs([killed(tmp_path)])
    facts = diagnosed.evidence.container
    assert facts is not None
    used = GIB + 5  # as the words say, beyond the limit
    assert (facts.limit_bytes, facts.used_bytes, facts.peak_bytes) == (GIB, used, used)
    assert [(one.program, one.is_task, one.is_shell) for one in facts.processes] == [
        ("bash", False, True),
        ("java", True, False),
        ("python3 count.py", False, False),
    ]
    seen = facts.jvm
    assert seen is not None
    assert seen.heap_peak_bytes == 90 * MIB  # not that of the last look
    assert [record for record, _ in seen.looks] == [0, 700, 900]
    assert diagnosed.diagnosis.container is not None
    assert diagnosed.diagnosis.container.place == "child_processes"
    assert diagnosed.diagnosis.causes == ()


def test_a_task_that_finishes_in_a_larger_container_proves_the_first_too_small(
    tmp_path: Path,
) -> None:
    diagnosed = diagnose_runs([killed(tmp_path / "1"), with_room(tmp_path / "2")])
    assert diagnosed.evidence.death.kind == "container-physical"
    (old, new, text), (_, heap, _) = container_advice(diagnosed)
    assert (
        heap == "-Xmx900m"
    )  # the job left it to Hadoop, which would enlarge it with the container
    assert (old, new) == ("1024", "1408")  # 1,200 MB at the peak, and a tenth: 1,320, in steps
    assert not any("what filled the heap" in loss for loss in diagnosed.losses)
    assert "which is proven: in one of 2,048 MB the task finished" in text
    assert any(
        "finished; its processes were seen to take 1.2 GB at most" in s
        for s in diagnosed.diagnosis.room
    )


def test_another_heap_or_another_task_proves_nothing(tmp_path: Path) -> None:
    for number, other in enumerate(
        (with_room(tmp_path / "a", heap=HEAP // 2), with_room(tmp_path / "b", index=4))
    ):
        found = container_advice(diagnose_runs([killed(tmp_path / f"k{number}"), other]))
        assert not any("proven" in text for _, _, text in found)


def test_a_log_without_looks_at_the_process_leaves_the_jvm_unknown(tmp_path: Path) -> None:
    writer = EventWriter(f"attempt_{JOBS[0]}_m_000003_0", heap_max=HEAP)
    trace = read_trace(writer.write(tmp_path), state="FAILED", diagnostics=WORDS)
    facts = diagnose_runs([JobRun(f"job_{JOBS[0]}", "watch", traces=(trace,))]).evidence.container
    assert facts is not None
    assert facts.jvm is None
    assert facts.room is None


def test_the_holder_of_direct_buffers_is_that_of_the_dump_with_most(tmp_path: Path) -> None:
    """The kill left no dump; the same task in a larger container was probed twice."""

    def probe(record: int, buffers: int) -> HeapObjects:
        channels = holding(
            field_key("com.example.Job", "channels"), 60_000, field_path="this.channels",
            direct_bytes=buffers * 4 * MIB, direct_buffers=buffers,
        )  # fmt: skip
        return snapshot(f"probe-before_record-{record}", [channels])

    probed = with_room(tmp_path / "2")
    of_task = {f"attempt_{JOBS[1]}_m_000003_0": (probe(1, 2), probe(90, 250), probe(50, 200))}
    probed = replace(probed, snapshots=of_task)
    facts = diagnose_runs([killed(tmp_path / "1"), probed]).evidence.container

    assert facts is not None
    assert facts.direct == DirectHolder(
        "this.channels (Job.channels)", "java.util.HashMap", 1000 * MIB, 250
    )
    alone = diagnose_runs([killed(tmp_path / "3")]).evidence.container
    assert alone is not None
    assert alone.direct is None
