"""The model against loops that anybody can follow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.judged_tasks import kept, map_task, of_group, reduce_task, work

from mprof.units import MIB
from reliability.draw import draw
from reliability.model import Shuffling, course_of, end_of


def test_a_line_dies_where_it_meets_the_limit() -> None:
    # 1 MB a record beside 20 MB of buffer and base: 220 records fit into 240 MB
    task = map_task(kept(1000), in_flight=0.0)

    end = end_of(task)

    assert end is not None
    assert (end.place, end.step) == ("work", 221)
    assert end.held[0] == pytest.approx(220 * MIB)
    assert end.live == task.usable


def test_groups_begin_with_nothing() -> None:
    task = reduce_task(of_group(1.0), groups=[100, 200, 229, 231, 5], in_flight=0.0)

    end = end_of(task)

    # 230 MB are left: the fourth group dies of its last record
    assert end is not None
    assert end.step == 100 + 200 + 229 + 231


def test_what_is_kept_of_a_group_is_gone_after_it() -> None:
    task = reduce_task(of_group(1.0), groups=[3, 2])

    held = course_of(task).after[0] / MIB

    assert held.tolist() == [0, 1, 2, 0, 1, 0]


def test_records_that_are_worked_on_at_once_add_up() -> None:
    task = map_task(work(60), records=10, in_flight=0.0)

    assert end_of(task) is None
    assert end_of(replace(task, threads=3)) is None
    four = end_of(replace(task, threads=4))
    assert four is not None
    assert four.step == 4


def test_a_buffer_that_does_not_fit_is_refused_before_anything_else() -> None:
    end = end_of(map_task(kept(10), buffer_mb=235))

    assert end is not None
    assert (end.place, end.refused) == ("init", 235 * MIB)


def test_the_copy_of_an_array_is_refused_as_a_whole() -> None:
    # 128 slots are full at record 128: record 129 asks for 256, two thirds of the container's array
    task = map_task(kept(400, "doubling", 1000), in_flight=0.0)

    end = end_of(task)

    assert end is not None
    assert end.array
    assert end.live < task.usable


@pytest.mark.parametrize("index", range(60))
def test_the_death_is_that_of_a_plain_loop_over_the_records(index: int) -> None:
    task = draw(41, index)
    if task.shuffling is not None:
        pytest.skip("no records are read in a shuffle")
    course = course_of(task)
    expected: tuple[str, int] | None = None
    fixed = task.base + task.buffer
    if task.buffer and (fixed > task.usable or task.buffer > task.block):
        expected = ("init", 0)
    elif fixed + sum(row[0] for row in course.after) > task.usable:
        expected = ("setup", 0)
    else:
        for step in range(1, task.input.records + 1):
            before = sum(float(row[step - 1]) for row in course.after)
            if (
                fixed + course.flight[step] + sum(float(r[step]) for r in course.during)
                > task.usable
            ):
                reading = fixed + course.flight[step] + before > task.usable
                expected = ("reading" if reading else "work", step)
                break

    end = end_of(task)

    assert expected == (None if end is None else (end.place, end.step))


@pytest.mark.parametrize("index", range(60))
def test_what_is_live_at_death_adds_up_and_fits(index: int) -> None:
    task = draw(42, index)
    end = end_of(task)
    if end is None:
        return
    buffer = 0 if end.place == "init" else task.buffer

    total = task.base + buffer + sum(end.held) + end.flight + end.shuffled

    assert end.live == pytest.approx(total, rel=1e-9)
    assert end.live <= task.usable * (1 + 1e-9)
    assert end.refused > 0
    assert all(size >= -1e-6 for size in end.held)


@pytest.mark.parametrize("maps", [3, 10, 37, 400])
@pytest.mark.parametrize("heaps", [0.2, 0.8, 3, 50])
def test_a_shuffle_holds_what_a_loop_over_its_segments_holds(maps: int, heaps: float) -> None:
    # MergeManagerImpl: reserve() stalls once used > limit; a merge frees its segments when it ends,
    # which here is as late as can be: when nobody can go on
    heap = 1000.0
    how = Shuffling(ratio=0.7, maps=maps, bytes=heaps * heap, overhead=0.0)
    limit, segment = 0.7 * heap, heaps * heap / maps
    used = peak = 0.0
    for _ in range(maps):
        if segment > 0.25 * limit:
            continue  # to disk
        if used > limit:
            used = 0.0
        used += segment
        peak = max(peak, used)

    held = how.peak(heap)

    assert peak <= held + 1e-6
    assert held <= peak + segment + 1e-6
