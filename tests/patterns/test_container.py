"""Where the memory of a killed container was: named where the bounds say so, else not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders.evidence import CAPACITY, map_attempt

from mprof.evidence import (
    ContainerFacts,
    ContainerProcess,
    Death,
    Evidence,
    InOtherRoom,
    JvmMemory,
    Memory,
    RoomGiven,
)
from mprof.evidence.container import DirectHolder
from mprof.patterns import ContainerUse, container_use_of, own_container_bytes, room_sentences
from mprof.units import GIB, MIB


def process(
    mib: int, *, task: bool = False, shell: bool = False, name: str = "x"
) -> ContainerProcess:
    return ContainerProcess(1, name, mib * MIB, is_task=task, is_shell=shell)


def jvm(resident: int, heap: int, committed: int, direct: int = 0, **more: Any) -> JvmMemory:
    return JvmMemory(
        resident_bytes=resident * MIB,
        heap_peak_bytes=heap * MIB,
        heap_committed_bytes=committed * MIB,
        direct_bytes=direct * MIB,
        **more,
    )


def killed(facts: ContainerFacts, heap_max: int | None = 256, kind: str = "physical") -> Evidence:
    memory = Memory(container_bytes=facts.limit_bytes or 0)
    if heap_max is not None:
        memory = replace(memory, heap_max_bytes=heap_max * MIB)
    death = Death(f"container-{kind}", "beyond the limit")  # type: ignore[arg-type]
    return map_attempt(death=death, memory=memory, container=facts)


def use(
    total: int, seen: JvmMemory | None, *processes: ContainerProcess, heap_max: int | None = 256
) -> ContainerUse:
    facts = ContainerFacts(1 * GIB, total * MIB, processes=processes, jvm=seen)
    found = container_use_of(killed(facts, heap_max))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("seen", "task", "child", "heap_max", "place"),
    [
        # what the kernel counts, what the JVM says of its heap, its buffers; -Xmx
        (jvm(1030, 930, 1000), 1040, 0, 1800, "heap"),
        (jvm(1030, 100, 256), 1030, 0, 256, "native"),
        (jvm(1030, 100, 256, direct=800), 1030, 0, 256, "direct"),
        (jvm(200, 60, 128), 200, 850, 256, "child_processes"),
        (jvm(1030, 300, 700, direct=0), 1030, 0, 800, None),  # the heap has 300 to 700
        # only the cluster's list of processes: -Xmx alone bounds the heap
        (None, 1030, 0, 200, "outside_heap"),
        (None, 1030, 0, 1800, None),
        (None, 150, 900, 200, "child_processes"),
        # seen long before: what came since may be the heap's, the buffers', or neither's
        (jvm(200, 100, 128), 1030, 0, 1800, None),
        (jvm(200, 100, 128), 1030, 0, 200, "outside_heap"),
    ],
)
def test_the_place_is_named_where_its_least_is_more_than_the_most_of_every_other(
    seen: JvmMemory | None, task: int, child: int, heap_max: int, place: str | None
) -> None:
    listed = [process(2, shell=True), process(task, task=True)]
    listed += [process(child)] if child else []
    found = use(task + child + 2, seen, *listed, heap_max=heap_max)
    assert found.place == place
    assert (found.run_that_would_tell is None) == (place is not None)


def test_without_a_list_of_processes_what_the_jvm_did_not_have_may_be_theirs() -> None:
    found = use(1040, jvm(1030, 930, 1000), heap_max=1800)
    assert found.place == "heap"
    assert use(1040, jvm(300, 200, 256), heap_max=400).place is None


def test_the_parts_never_leave_out_what_was_there() -> None:
    # whatever the measured values: the true sizes lie within the bounds
    for heap, direct, other, child in [(500, 0, 90, 0), (90, 300, 100, 40), (60, 0, 300, 200)]:
        seen = jvm(heap + direct + other, heap - 20, heap + 30, direct)
        rows = (process(heap + direct + other, task=True), process(child))
        found = use(heap + direct + other + child, seen, *rows, heap_max=900)
        truth = {"heap": heap, "direct": direct, "native": other, "child_processes": child}
        for part in found.parts:
            assert part.least_bytes <= truth[part.place] * MIB <= part.most_bytes, part


def test_what_the_agent_saw_after_the_kill_is_not_taken_for_what_was_there_before() -> None:
    # killed at 1,030 MB, 945 of them heap; when the agent looked the heap had 95 MB more
    found = use(1030, jvm(1125, 1040, 1100), process(1030, task=True), heap_max=1800)
    assert found.place == "heap"
    sizes = {part.place: part for part in found.parts}
    assert sizes["heap"].least_bytes <= 945 * MIB <= sizes["heap"].most_bytes
    assert sizes["native"].least_bytes <= 85 * MIB <= sizes["native"].most_bytes
    # the same of buffers: 900 MB of 1,030, then 950 of 1,080
    found = use(1030, jvm(1080, 50, 64, direct=950), process(1030, task=True))
    sizes = {part.place: part for part in found.parts}
    assert found.place == "direct"
    assert sizes["direct"].least_bytes <= 900 * MIB <= sizes["direct"].most_bytes


def test_children_are_named_the_largest_first_and_shells_are_none() -> None:
    rows = [process(2, shell=True, name="bash"), process(200, task=True, name="java")]
    rows += [process(10 * n, name=f"tool{n}") for n in range(1, 6)]
    found = use(2 + 200 + 150, jvm(200, 50, 60), *rows)
    assert found.place == "child_processes"
    assert "The largest is tool5 50 MB, beside 4 smaller ones." in found.sentence


def grown(*looks: tuple[int, int]) -> str:
    """What is said of a process of native memory with so many MB after so many records."""
    in_bytes = tuple((record, size * MIB) for record, size in looks)
    seen = jvm(looks[-1][1], 100, 256, looks=in_bytes, threads=31)
    return use(looks[-1][1], seen, process(looks[-1][1], task=True)).sentence


def test_native_growth_is_given_a_record_where_it_is_even() -> None:
    said = grown(*((1800 * step, 130 + 180 * step) for step in range(6)))
    assert "from 130 MB at record 0 to 1.0 GB at record 9,000, 102 KB a record." in said
    assert "31 threads" in said


def test_growth_that_came_early_is_given_no_size_a_record() -> None:
    """A buffer for each of 300 channels, nearly all of them met within the first records."""
    said = grown((0, 124), (24, 241), (159, 580), (398, 880), (64_548, 1237), (132_087, 1423))
    assert "1.4 GB at record 132,087, half of that by record 398." in said
    assert "a record." not in said


def test_two_looks_at_a_process_draw_no_line() -> None:
    said = grown((0, 130), (9000, 1030))
    assert said.endswith("from 130 MB at record 0 to 1.0 GB at record 9,000.")


def test_what_holds_the_direct_buffers_is_named_where_they_took_the_memory() -> None:
    held = DirectHolder("this.channels (Encode.channels)", "java.util.HashMap", 1000 * MIB, 250)
    words = "this.channels (Encode.channels), HashMap, holds 250 direct buffers, 1000 MB in all."

    def said(direct_mib: int) -> str:
        seen = jvm(1130, 100, 128, direct=direct_mib)
        facts = ContainerFacts(
            1 * GIB, 1130 * MIB, processes=(process(1130, task=True),), jvm=seen, direct=held
        )
        found = container_use_of(killed(facts))
        assert found is not None
        return found.sentence

    assert words in said(1000)
    assert words not in said(10)


def test_a_limit_of_address_space_names_no_place() -> None:
    facts = ContainerFacts(1 * GIB, 300 * MIB, 2 * GIB, 3 * GIB, jvm=jvm(300, 100, 200))
    found = container_use_of(killed(facts, kind="virtual"))
    assert found is not None
    assert found.place is None
    assert "address space, of which the processes had 3.0 GB" in found.sentence
    assert "300 MB of it was memory in use" in found.sentence


def test_a_kill_of_which_no_size_is_known_says_so() -> None:
    found = container_use_of(killed(ContainerFacts()))
    assert found is not None
    assert found.place is None
    assert found.run_that_would_tell == "rerun"


def test_a_sum_alone_bounds_no_part() -> None:
    found = use(1100, None, heap_max=None)
    assert (found.place, found.parts) == (None, ())
    assert " 0 B" not in found.sentence
    assert use(1100, None, heap_max=256).parts[0].most_bytes == 256 * MIB


def test_a_death_of_the_heap_has_no_such_finding() -> None:
    assert container_use_of(map_attempt(container=ContainerFacts(1 * GIB, 1 * GIB))) is None


def test_the_jobs_own_container_is_that_without_what_mprof_added() -> None:
    room = RoomGiven(1024, 3072, 3072, 32)
    evidence = map_attempt(
        memory=Memory(256 * MIB, CAPACITY, CAPACITY, CAPACITY, 3 * GIB),
        container=ContainerFacts(3 * GIB, room=room),
    )
    assert own_container_bytes(evidence) == 1 * GIB
    untouched = replace(evidence, container=ContainerFacts(room=replace(room, asked_mb=None)))
    assert own_container_bytes(untouched) == 3 * GIB


@pytest.mark.parametrize(
    ("room", "said"),
    [
        (RoomGiven(188, 288, None, 32), "288 MB were asked for instead of 188 MB, and its heap"),
        (RoomGiven(1024, 3072, 3072, 32), "For this run the container was larger"),
        (RoomGiven(1024, 8192, 9000, 32, "maximum"), "The cluster grants no larger container"),
        (RoomGiven(1024, None, None, 32, "resource"), "by resource type itself"),
        (RoomGiven(None, None, None, 32, "hadoop"), "This Hadoop cannot"),
        (RoomGiven(None, None, None, 32), "The driver did not start from the configuration"),
    ],
)
def test_what_was_done_to_the_container_is_said_and_what_could_not_be_done(
    room: RoomGiven, said: str
) -> None:
    sentences = room_sentences(map_attempt(container=ContainerFacts(room=room)))
    assert said in " ".join(sentences)


def test_a_container_that_stayed_as_it_was_needs_no_word() -> None:
    room = RoomGiven(1024, None, None, 32)
    assert room_sentences(map_attempt(container=ContainerFacts(room=room))) == ()


def test_what_became_of_the_task_in_a_larger_container_is_said() -> None:
    heap = 256 * MIB
    runs = (
        InOtherRoom(2048, "finished", None, 1300 * MIB, heap),
        InOtherRoom(4096, "died", "heap", None, 2 * heap),
    )
    memory = Memory(heap, CAPACITY, CAPACITY, CAPACITY, 1 * GIB)
    first, second = room_sentences(
        map_attempt(memory=memory, container=ContainerFacts(elsewhere=runs))
    )
    assert "2,048 MB the same task, with the same heap, finished" in first
    assert "1.3 GB at most" in first
    assert "with another heap, died too (heap)." in second
