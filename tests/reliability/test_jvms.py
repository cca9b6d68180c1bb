"""The judge of real tasks: scripts and inputs as the model has them, truth by what was run."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from builders.judged_tasks import external, kept, map_task, of_group, reduce_task, work

from mprof.errors import MprofError
from mprof.hadoop.java import java_home
from mprof.units import KIB, MIB
from reliability.jvms import kept as results
from reliability.jvms.changes import in_line, judged
from reliability.jvms.drawn import drawn
from reliability.jvms.page import jvms_page
from reliability.jvms.real import Ended
from reliability.jvms.script import Part, script_of, write_inputs
from reliability.jvms.slots import slots_of
from reliability.laws import Law
from reliability.model import Shuffling, Task, end_of

JOB = Path(__file__).parents[2] / "reliability/jvms/job"
PROGRAM = Path(__file__).parent / "programs/Growing.java"


@pytest.fixture(scope="module")
def growing(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    try:
        home = java_home()
    except MprofError:
        pytest.skip("no JDK")
    folder = tmp_path_factory.mktemp("growing")
    sources = [PROGRAM, JOB / "com/example/script/Keeper.java"]
    subprocess.run([home / "bin/javac", "-d", folder, *sources], check=True)
    return [str(home / "bin/java"), "-Xmx32m", "-cp", str(folder), "com.example.script.Growing"]


@pytest.mark.jvm
@pytest.mark.parametrize(
    "law",
    [
        Law("linear"), Law("power", 2.3), Law("log", 400.0), Law("n log n", 1e4),
        Law("saturating", 4.0), Law("cache", 0.37), Law("flushed", 0.23), Law("steps", 7.0),
        Law("late", 0.4), Law("lazy", 0.3), Law("old", 0.17), Law("young", 0.17),
        Law("doubling", 5000.0),
    ],
    ids=lambda law: law.name,
)  # fmt: skip
def test_what_user_code_keeps_follows_the_law_of_the_model(
    law: Law, growing: list[str], tmp_path: Path
) -> None:
    one = kept(50, law.name, law.k, at=1000)
    # what is old was young before
    young = [kept(50, "young", law.k, at=1000, name="young")] if law.name == "old" else []
    script = script_of(Part(map_task(one, *young)), tmp_path).split(";")[1]

    done = subprocess.run(
        growing, input=f"{script}\n1000\n", capture_output=True, text=True, check=True
    )

    rows = np.array([line.split() for line in done.stdout.splitlines()], float)
    after, during = one.law.held(np.arange(1001) / 1000)
    if law.name == "doubling":
        # one array at a time is counted here; two are there while it copies
        during = after
    # elements are whole: one of them may be missing
    element = int(script.split("|")[8])
    assert rows[:, 0] == pytest.approx(during[1:] * one.bytes, abs=element + 16)
    assert rows[:, 1] == pytest.approx(after[1:] * one.bytes, abs=element + 16)


@pytest.mark.parametrize("index", range(20))
def test_a_job_is_small_enough_and_its_own(index: int) -> None:
    job = drawn(5, index)

    again = drawn(5, index)

    assert job.task.heap_max <= 128 * MIB
    most = 40 * MIB if job.task.shuffling is None else 400 * MIB
    assert sum(float(part.sizes.sum()) for part in job.parts) <= most
    assert slots_of(job.task) == slots_of(again.task)
    assert (job.task.input.sizes == again.task.input.sizes).all()
    assert len(job.parts) == (job.task.reducers if job.task.side == "reduce" else len(job.parts))


def test_the_lines_of_a_map_are_the_records_of_the_model(tmp_path: Path) -> None:
    task = replace(map_task(work(1), records=3, sizes=[120, 400, 90], spikes={1: 7.5}), grain=2)

    write_inputs([Part(task)], tmp_path / "input")

    lines = (tmp_path / "input/part-0000.txt").read_bytes().splitlines(keepends=True)
    assert [len(line) for line in lines] == [60, 60, 200, 200, 45, 45]
    assert [line.split(b" ")[0] for line in lines] == [b"1,1"] * 2 + [b"7.5,1"] * 2 + [b"1,1"] * 2


def test_groups_go_to_the_reducers_that_the_model_deals_them_to(tmp_path: Path) -> None:
    tasks = [reduce_task(of_group(1), groups=lengths, sizes=100) for lengths in ([3, 5], [2, 2, 2])]

    write_inputs([Part(task) for task in tasks], tmp_path / "input")

    rows = [line.split() for line in (tmp_path / "input/groups.txt").read_text().splitlines()]
    records: Counter[tuple[int, int]] = Counter()
    for bucket, count, size, *_ in rows:
        records[int(bucket) % 2, int(bucket)] += int(count)
        assert len(bucket) + int(size) == 100
    by_reducer = [
        [n for (p, _), n in sorted(records.items()) if p == reducer] for reducer in (0, 1)
    ]
    assert by_reducer == [[3, 5], [2, 2, 2]]


def test_records_of_a_group_that_differ_keep_their_order(tmp_path: Path) -> None:
    task = reduce_task(of_group(1), groups=[4], sizes=[100, 100, 900, 100])

    write_inputs([Part(task)], tmp_path / "input")

    rows = [line.split() for line in (tmp_path / "input/groups.txt").read_text().splitlines()]
    assert [(row[1], int(row[2]) + 18, row[4]) for row in rows] == [
        ("2", 100, "0"), ("1", 900, "2"), ("1", 100, "3"),
    ]  # fmt: skip


def shuffling(partition_mb: float, ratio: float, maps: int = 5) -> Task:
    """A reducer with 240 MB of room, of 20 groups."""
    task = reduce_task(groups=[10] * 20, sizes=partition_mb * MIB / 200)
    return replace(task, shuffling=Shuffling(ratio, maps, partition_mb * MIB))


def test_every_map_sends_a_reducer_as_much_as_the_others_do(tmp_path: Path) -> None:
    tasks = [replace(shuffling(one, 0.9), grain=8) for one in (1.0, 2.5)]

    write_inputs([Part(task) for task in tasks], tmp_path / "input")

    sent: Counter[tuple[str, int]] = Counter()
    for file in (tmp_path / "input").iterdir():
        for line in file.read_text().splitlines():
            bucket, count, size, _ = line.split()
            sent[file.name, int(bucket) % 2] += int(count) * (int(size) + len(bucket))
    assert len({name for name, _ in sent}) == 5
    for reducer, whole in ((0, 1.0), (1, 2.5)):
        parts = [size for (_, number), size in sent.items() if number == reducer]
        assert sum(parts) == pytest.approx(whole * MIB, rel=0.02)
        assert max(parts) == pytest.approx(whole * MIB / 5, rel=0.02)


def test_changed_tasks_of_a_shuffle_have_ratio_and_room_of_their_own() -> None:
    # 240 MB may be live, 10 are the JVM's: 0.98 of a heap of 256 MB is too much, and half is not
    task = shuffling(500, 0.98, maps=40)
    ran: list[Part] = []

    def run(parts: Sequence[Part]) -> list[Ended]:
        ran.extend(parts)
        return _on_paper(parts, float(in_it.usable))

    in_it, end = in_line(task, 0, "shuffle")
    found = judged(in_it, end, run)
    never = judged(in_it, end, lambda parts: [Ended(True, 0) for _ in parts])

    assert end.place == "shuffle"
    assert "large_framework_buffer.shuffle" in found.truth.true
    assert not never.truth.true
    ratios = {script_of(part, Path()).split(";")[0].split("|")[2] for part in ran}
    assert ratios >= {"0.98", "0.49"}


@pytest.mark.parametrize("step", [1, 150, 221, 700])
def test_a_model_in_line_dies_where_the_task_died(step: int) -> None:
    task = map_task(kept(1000), in_flight=0.0)  # on paper at record 221

    in_it, end = in_line(task, step, "work")

    found = end_of(in_it)
    assert end.step == step
    assert found is not None
    assert found.step == step


def _on_paper(parts: Sequence[Part], usable: float) -> list[Ended]:
    """What a heap of that size makes of changed tasks."""
    ended = []
    for part in parts:
        left = None if part.factors is None else np.array(part.factors)
        end = end_of(part.task, factors=left, usable=usable - part.taken, buffer=part.buffer)
        ended.append(Ended(end is not None, 0 if end is None else end.step, ""))
    return ended


def test_what_became_of_the_changed_tasks_decides_and_not_the_model() -> None:
    # 100 MB are loaded, and 120 of 160 MB kept where the heap of 240 MB is full
    task = map_task(external(100), kept(160, at=1000), in_flight=0.0)
    on_paper = end_of(task)
    assert on_paper is not None
    task, end = in_line(task, on_paper.step, "work")

    as_expected = judged(task, end, lambda parts: _on_paper(parts, float(task.usable)))
    nothing_helps = judged(task, end, lambda parts: [Ended(True, end.step) for _ in parts])

    assert "large_external_data" in as_expected.truth.true
    assert "large_external_data" not in nothing_helps.truth.true
    assert all(one.ended is not None or one.load for one in nothing_helps.changes)


def test_of_every_question_at_least_one_change_is_run() -> None:
    task = map_task(external(100), kept(160, at=1000), in_flight=0.0)
    end = end_of(task)
    assert end is not None
    ran: list[Part] = []

    def run(parts: Sequence[Part]) -> list[Ended]:
        ran.extend(parts)
        return _on_paper(parts, float(task.usable))

    found = judged(*in_line(task, end.step, "work"), run)

    asked = {one.about for one in found.changes}
    assert {one.about for one in found.changes if one.ended is not None} == asked
    assert 0 < len(ran) <= 12


def test_every_changed_task_names_its_own_sort_buffer() -> None:
    task = map_task(kept(260, at=1000), external(60), in_flight=0.0, buffer_mb=4)
    end = end_of(task)
    assert end is not None

    found = judged(*in_line(task, end.step, "work"), lambda parts: _on_paper(parts, task.usable))

    # one job runs them all: what it has itself is that of the first
    assert {one.part.buffer for one in found.changes} == {4 * MIB, 2 * MIB, 0.5 * MIB}


def _line(index: int, said: str, word: str) -> dict[str, object]:
    return {
        "seed": 1, "index": index, "kinds": ["map"], "heap": [64, "G1"], "died": True,
        "expected": ["work", 100], "death": {"watch": ["heap", 0, "map", 101]},
        "true": ["hotspot_key"] if word == "true" else [], "contradictions": [], "silent": [],
        "said": [["watch", "hotspot_key", said, word]],
        "changes": [["size of the group", 0.9, None, [7, "heap"]]],
    }  # fmt: skip


def test_a_line_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    results.append(file, _line(0, "sure", "true"))
    results.append(file, _line(1, "sure", "false"))
    file.write_bytes(file.read_bytes()[:-20])  # ended while it wrote

    assert results.done(results.read(file)) == {(1, 0)}
    results.append(file, _line(2, "silent", "true"))

    assert results.done(results.read(file)) == {(1, 0), (1, 2)}


def test_the_page_counts_right_wrong_and_denied() -> None:
    lines = [_line(0, "sure", "true"), _line(1, "sure", "false"), _line(2, "silent", "true")]

    page = jvms_page(lines)

    assert "50.0% (9.5% to 90.5%) of 2" in page
    assert "| sure | `hotspot_key` | watch | 1 |" in page
    assert "| denied | `hotspot_key` | watch | 1 |" in page
    assert "predicts: 3 of 3" in page
    assert "with an outcome other than predicted: 3." in page


def test_a_job_that_came_to_its_end_has_nothing_true_and_is_counted() -> None:
    ended = {**_line(2, "silent", "false"), "died": False}
    for name in ("true", "death", "changes"):
        ended.pop(name)

    page = jvms_page([_line(0, "sure", "true"), ended])

    assert "2 random jobs (seed 1) were run in JVMs; 1 died" in page


def test_a_task_without_room_for_it_gets_no_script_of_what_is_gone(tmp_path: Path) -> None:
    task: Task = map_task(external(100), kept(160, at=1000))

    text = script_of(Part(task, (0.0, 1.0), taken=30 * KIB, buffer=2 * MIB), tmp_path)

    head, *rest = text.split(";")
    assert head == f"{30 * KIB}|2|0.0"
    assert [line.split("|")[1] for line in rest] == ["map"]
