"""What is true of jobs of which anybody can say it: each a heap of 240 MB, 10 of them the JVM's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders.judged_tasks import external, kept, map_task, of_group, reduce_task, work

from mprof.units import GIB, MIB
from reliability.laws import Law
from reliability.model import Consumer, Input, Shuffling, Task
from reliability.truth import CAUSES, truth_of

M1, SPLIT = "large_accumulated_results.map", "large_input_split"
R2, G3 = "large_accumulated_results.reduce", "large_accumulated_results.group"
R4, X5 = "large_intermediate_results", "large_external_data"
P61, P62 = "improper_partition.few_reducers", "improper_partition.unbalanced"
K7, S8 = "hotspot_key", "large_single_record"
B91, B92 = "large_framework_buffer.map", "large_framework_buffer.shuffle"


def shuffle(ratio: float, heaps: float, *, base_mb: int = 30, partitions: object = None) -> Task:
    """A reducer with 4 GB that fetches a partition of so many heaps from 400 maps."""
    sizes = (1.0,) * 400 if partitions is None else partitions
    return Task(
        side="reduce", heap_max=4 * GIB, usable=int(3.8 * GIB), block=int(3.8 * GIB),
        container=6 * GIB, collector="G1", base=base_mb * MIB,
        input=Input(np.ones(200), np.ones(200), np.full(20, 10)), consumers=(),
        reducers=len(sizes), partitions=sizes,  # type: ignore[arg-type]
        shuffling=Shuffling(ratio, 400, heaps * 4 * GIB),
    )  # fmt: skip


def one_large(records: int, index: int, times: float, size: float = 100.0) -> np.ndarray:
    """Sizes of records that are all alike but one."""
    sizes = np.full(records, size)
    sizes[index] *= times
    return sizes


ONE_OF_THREE = [20] * 30

# name: (task, true, false); what is in neither is tolerated
JOBS: dict[str, tuple[Task, set[str], set[str]]] = {
    "a list of all records, half-way through a split that can be cut": (
        map_task(kept(440)), {M1, SPLIT}, {R4, X5, B91, S8}),
    "the same in a file that cannot be cut": (
        map_task(kept(440), splittable=False), {M1}, {R4, X5, B91, S8}),
    "a list that would need a hundred heaps": (
        map_task(kept(24_000)), {M1}, {SPLIT, R4, X5, B91}),
    "a list of all bytes, in a split of which most is one record that nobody could foresee": (
        map_task(kept(500, by="bytes", at=1000 * 100.0), sizes=one_large(1000, 900, 20_000)), {M1},
        {X5, R4, B91, S8, SPLIT}),
    "a list flushed at a size that the heap does not have": (
        map_task(kept(165 * 2, "flushed", 0.1)), {M1}, {X5, R4, B91}),
    "a set of distinct values that saturates": (
        map_task(kept(230, "log", 1000.0)), {M1}, {X5, R4, S8}),
    "two generations handed on": (
        map_task(kept(400, "old", 0.1), kept(400, "young", 0.1, name="young")), {M1, SPLIT},
        {X5, R4, B91}),
    "a list that begins late": (
        map_task(kept(400, "late", 0.8)), {M1}, {X5, R4, B91}),
    "a cache that is full at once, beside a little of all else": (
        map_task(kept(200, "cache", 0.02), kept(40, name="some")), set(), {R4, S8, B91}),
    "a model that leaves no room for a small cache": (
        map_task(external(170), kept(60, "cache", 0.5)), {X5}, {R4, B91, S8}),
    "a model that fits beside a list without end": (
        map_task(external(100), kept(4000)), {M1}, {X5, R4, B91}),
    "a model that does not fit by itself": (
        map_task(external(300)), {X5}, {M1, R4, S8, SPLIT}),
    "work space of a fixed size that does not fit": (
        map_task(external(300, from_file=False)), set(), {M1, R4, X5, SPLIT}),
    "temporary objects of one record of ordinary size": (
        map_task(work(1), spikes={700: 400.0}), {R4}, {M1, X5, S8, B91, SPLIT}),
    "temporary objects of one record beside a little that is kept": (
        map_task(work(1), kept(48 / 0.92), spikes={920: 200.0}), {R4}, {X5, S8, B91}),
    "one record of 60 MB that becomes 200": (
        map_task(work(2, by="bytes", spiky=False), sizes=one_large(1000, 500, 750_000)),
        {R4, S8}, {M1, X5, B91, SPLIT}),
    "one record that cannot be read": (
        map_task(sizes=one_large(1000, 500, 2_500_000)), {S8}, {M1, X5, B91, SPLIT}),
    "records that are all too large for the work on each": (
        map_task(work(230)), set(), {M1, S8, X5, SPLIT}),
    "a record no larger than many that passed, beside a list": (
        map_task(kept(440), work(0.02), sizes=np.tile([100.0, 110.0], 500)),
        {M1, SPLIT}, {R4, S8, X5}),
    "a table that R_n loads into a static": (
        map_task(kept(240, "lazy", 0.6, static=True, file=("hdfs:/t", 80 * MIB))),
        set(), {R4, S8, M1}),
    "a table that the first record loads into a static": (
        map_task(kept(150, "lazy", 0.001, static=True, file=("hdfs:/t", 80 * MIB)),
                 kept(80, name="list")),
        {X5, M1}, {R4, S8, B91}),
    "a buffer of 83 % and 30 MB of a list at half the split": (
        map_task(kept(60), buffer_mb=200), {B91}, {R4, X5, S8}),
    "a buffer that cannot be allocated": (
        map_task(kept(1), buffer_mb=236), {B91}, {M1, R4, X5}),
    "a buffer of a quarter beside a list without end": (
        map_task(kept(4000), buffer_mb=60), {M1}, {B91, X5, R4}),
    "a buffer and one record of 20 MB": (
        map_task(work(0.01), spikes={500: 3000.0}, buffer_mb=205), {B91}, {M1, X5, S8}),
    "four quarters: a buffer, a model, a list, the rest": (
        map_task(kept(68 / 0.9), external(68), buffer_mb=68, base=36 * MIB), {M1}, {R4, S8}),
    "a buffer that is the largest of three": (
        map_task(kept(90), external(60), buffer_mb=95), {B91, M1, SPLIT}, {R4, S8}),
    "a record a little larger than many that passed beside a model": (
        map_task(external(165), sizes=[30 * MIB] * 20 + [38 * MIB] + [30 * MIB] * 5), {X5},
        {S8, R4, M1, SPLIT}),
    "a record that takes more than the list beside it": (
        map_task(kept(61 / 0.6), sizes=one_large(1000, 600, 190 / 1.5 * MIB / 100)), {S8},
        {X5, B91}),
    "a model, and much later a record that nobody could foresee": (
        map_task(external(205), kept(50), sizes=one_large(1000, 900, 4_000_000)), {X5},
        {R4, S8, B91}),
    "what a writer keeps": (
        map_task(kept(440, owner="writer")), set(), {R4, X5, S8, B91}),
    "a block that a reader holds": (
        map_task(kept(120, "blocks", 0.5, owner="reader", weights=(1, 2))), set(),
        {R4, X5, S8, B91}),
    "an index over all groups with one reducer": (
        reduce_task(kept(440, level="reduce", at=600), groups=[20] * 30, partitions=(600.0,)),
        {R2, P61}, {G3, K7, P62, R4, X5}),
    "an index over nine tenths of the data": (
        reduce_task(kept(250, level="reduce", at=900), groups=[20] * 45, partitions=(900.0, 100.0)),
        {R2, P62}, {G3, K7, R4, X5, P61}),
    "an index over a partition of three times the mean": (
        reduce_task(kept(280, level="reduce", at=900), groups=[20] * 45,
                    partitions=(900.0, 100.0, 100.0, 100.0)),
        {R2, P62}, {G3, K7, R4, X5, P61}),
    "an index that no number of reducers makes small": (
        reduce_task(kept(20_000, level="reduce", at=600), groups=[1] * 600), {R2},
        {P61, P62, G3, R4}),
    "one group of a hundred times the others": (
        reduce_task(of_group(0.2), groups=[20] * 30 + [2000] + [20] * 10, others=[20] * 500),
        {G3, K7}, {R2, R4, P61, P62, X5}),
    "groups of which one in twenty is as large": (
        reduce_task(of_group(0.22), groups=([1] * 19 + [1000]) * 3 + [1050], others=[1] * 900),
        {G3}, {K7, R2, R4}),
    "equal groups, and one a third larger": (
        reduce_task(of_group(0.22), groups=[800] * 4 + [1056], others=[800] * 900),
        {G3}, {R2, R4}),
    "equal groups, none of which fits": (
        reduce_task(of_group(1.0), groups=[500] * 4, others=[500] * 90), {G3, K7}, {R2, R4, X5}),
    "one group of few but heavy records": (
        reduce_task(Consumer("list", "group", Law("linear"), 2.0, by="bytes"),
                    groups=[20] * 40, others=[20] * 500,
                    sizes=np.concatenate((np.full(400, MIB / 20), np.full(20, 10 * MIB),
                                          np.full(380, MIB / 20)))),
        {G3, K7}, {R2, P61, X5}),
    "a record of a small group that becomes 300 MB": (
        reduce_task(work(2, by="bytes", spiky=False), groups=[3] * 200,
                    sizes=one_large(600, 301, 900_000)),
        {R4, S8}, {G3, K7, R2, X5}),
    "a shuffle whose ratio is too high": (
        shuffle(0.95, 5), {B92}, {P61, P62, R2}),
    "the same with a partition that twice the reducers would make small": (
        shuffle(0.95, 1.2), {B92}, {P62, R2}),
    "a partition of ten times the mean in a shuffle": (
        shuffle(0.95, 2, partitions=(10.0, *(1.0,) * 99)), {P62}, {R2, K7}),
    "a shuffle that spills": (shuffle(0.7, 50), set(), set(CAUSES)),
    "a job that comes to its end": (map_task(kept(200), external(15)), set(), set(CAUSES)),
    "two lists that fill the heap together": (
        map_task(kept(260, name="a"), kept(260, name="b")), {M1, SPLIT}, {R4, X5}),
    "a list without end and one record without end": (
        map_task(kept(4000), work(1), spikes={30: 900.0}), {M1, R4}, {X5, S8, B91}),
}  # fmt: skip


@pytest.mark.parametrize("name", JOBS)
def test_what_is_true_of(name: str) -> None:
    task, true, false = JOBS[name]

    truth = truth_of(task)

    assert true == truth.true, dict(truth.why)
    assert set() == false & (truth.true | truth.may), dict(truth.why)


def test_more_room_never_makes_a_job_die() -> None:
    for task, _, _ in JOBS.values():
        if truth_of(task).end is None:
            assert truth_of(replace(task, usable=2 * task.usable)).end is None
