"""No number that says whose memory it is decides by its exact value: heaps on either side of it.

Each pair of heaps is built by hand and differs in one measure, some 30 % or more below and above
its threshold. What is said of them is not the same, stays where the threshold is moved by 15 %, and
changes where it is moved beyond the one or the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec
from builders.witnesses import Said

from development.sweep import Verdicts, changes_within
from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import OBJECT_THRESHOLDS, SnapshotPoint, read_objects
from mprof.objects.thresholds import (
    CLASS_OF_A_HOLDER,
    GARBAGE,
    GROWN_FULL,
    LARGE_OBJECT,
    LEADS_ON,
    LEAST_LEFTOVER,
    LEAST_SLOTS,
    LISTED,
    MANY,
    SIDE_BY_SIDE,
)
from mprof.threshold import Threshold
from mprof.units import KIB, MIB

SAFE = 0.15
HADOOP = "org.apache.hadoop."
READER = f"{HADOOP}mapreduce.RecordReader"
TRACKING = f"{HADOOP}mapred.MapTask$NewTrackingRecordReader"
MERGE = f"{HADOOP}mapreduce.task.reduce.MergeManagerImpl"
BUFFER = f"{HADOOP}io.DataInputBuffer$Buffer"
MAP_TASK = ("mapreduce.Mapper.run", "mapred.MapTask.runNewMapper", "mapred.MapTask.run")
LIST = "java.util.ArrayList"


def heap() -> Builder:
    builder = Builder()
    builder.class_(LIST, fields={"elementData": "object", "size": "int"})
    builder.class_("com.acme.M")
    return builder


def array(builder: Builder, size: float) -> int:
    return builder.primitives("byte", bytes(round(size)))


def list_of(builder: Builder, elements: list[int]) -> int:
    data = builder.array("java.lang.Object", elements)
    return builder.instance(LIST, elementData=data, size=len(elements))


def at_work(builder: Builder, *held: int, oom: bool = False) -> Builder:
    """The task's thread in map(), with its locals; died of memory there where ``oom``."""
    specs = [FrameSpec("com.acme.M", "map", "M.java", 1, list(held))]
    for text in MAP_TASK:
        class_name, _, method = f"{HADOOP}{text}".rpartition(".")
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, []))
    if oom:
        builder.class_("java.lang.OutOfMemoryError")
        specs.insert(0, FrameSpec("java.lang.OutOfMemoryError", "<init>", "A.java", 1, []))
    builder.thread("main", specs)
    return builder


def a_static_of_a_library(size: float) -> Builder:
    builder = heap()
    builder.class_("com.google.common.cache.Registry", statics={"ALL": ("object", 0)})
    builder.set_static("com.google.common.cache.Registry", "ALL", "object", array(builder, size))
    return at_work(builder)


def a_local(size: float) -> Builder:
    builder = heap()
    return at_work(builder, array(builder, size))


def a_class_in_a_list(share: float) -> Builder:
    builder = heap()
    chars = builder.primitives("char", [0] * round(share * MIB / 2))
    return at_work(builder, list_of(builder, [array(builder, (1 - share) * MIB), chars]))


def a_list_with_room(used: float) -> Builder:
    builder = heap()
    slots = builder.array("java.lang.Object", [0] * 40_000)
    return at_work(builder, builder.instance(LIST, elementData=slots, size=round(used * 40_000)))


def a_field_that_keeps(share: float) -> Builder:
    # the rest lies in two other fields, of which neither keeps more
    builder = heap()
    name = "com.google.common.graph.Node"
    builder.class_(name, fields=dict.fromkeys("abc", "object"))
    sizes = {"a": share, "b": (1 - share) / 2, "c": (1 - share) / 2}
    arrays = {field: array(builder, size * MIB) for field, size in sizes.items()}
    return at_work(builder, builder.instance(name, **arrays))


def unreachable_beside_garbage(share: float) -> Builder:
    # of 8 MB some is spread over arrays that are too small for a collection's content
    builder = heap()
    for _ in range(round(8 * MIB * share / (32 * KIB))):
        array(builder, 32 * KIB)
    array(builder, 8 * MIB * (1 - share))
    return at_work(builder, oom=True)


def unreachable_slots(number: int) -> Builder:
    # 823 and 1234 slots are both what an ArrayList comes by, growing by half from ten on
    builder = heap()
    builder.array("java.lang.Object", [array(builder, 4 * MIB)] + [0] * (number - 1))
    return at_work(builder, oom=True)


def read_ahead(number: float) -> Builder:
    builder = heap()
    builder.class_(READER)
    builder.class_(TRACKING, above=READER, fields={"real": "object"})
    builder.class_("x.Blocks", above=READER, fields={"block": "object"})
    block = list_of(builder, [array(builder, 4 * KIB) for _ in range(round(number))])
    builder.root(0x01, builder.instance(TRACKING, real=builder.instance("x.Blocks", block=block)))
    return at_work(builder)


def pinned_by_a_comparator(size: float) -> Builder:
    # ReduceTask's shuffle is there; a comparator's buffer still pins the array of a segment
    builder = heap()
    builder.class_(MERGE, fields={"inMemoryMapOutputs": "object"})
    builder.class_(BUFFER, fields={"buf": "object"})
    builder.class_(f"{HADOOP}io.DataInputBuffer", fields={"buffer": "object"})
    builder.class_(f"{HADOOP}io.WritableComparator", fields={"buffer": "object"})
    builder.root(0x01, builder.instance(MERGE, inMemoryMapOutputs=list_of(builder, [])))
    data = builder.instance(
        f"{HADOOP}io.DataInputBuffer",
        buffer=builder.instance(BUFFER, buf=array(builder, size)),
    )
    builder.root(0x01, builder.instance(f"{HADOOP}io.WritableComparator", buffer=data))
    return at_work(builder)


def a_pool_of_a_library(count: float) -> Builder:
    """So many objects of the user's, with 64 KB each, in a list that a library's static holds."""
    builder = heap()
    builder.class_("com.acme.Decoder", fields={"window": "object"})
    builder.class_("com.google.common.cache.Pool", statics={"IDLE": ("object", 0)})
    decoders = [
        builder.instance("com.acme.Decoder", window=array(builder, 64 * KIB))
        for _ in range(round(count))
    ]
    builder.set_static("com.google.common.cache.Pool", "IDLE", "object", list_of(builder, decoders))
    return at_work(builder)


@dataclass(frozen=True)
class Pair:
    """Two heaps, with the measure below and above the threshold."""

    threshold: Threshold
    build: Callable[[float], Builder]
    below: float
    above: float


PAIRS = (
    Pair(LARGE_OBJECT, a_static_of_a_library, 2 * MIB, 4.5 * MIB),
    Pair(LISTED, a_local, 40 * KIB, 100 * KIB),
    Pair(CLASS_OF_A_HOLDER, a_class_in_a_list, 0.006, 0.015),
    Pair(LEADS_ON, a_field_that_keeps, 0.36, 0.7),
    Pair(GARBAGE, unreachable_beside_garbage, 0.06, 0.15),
    Pair(GROWN_FULL, a_list_with_room, 0.14, 0.3),
    Pair(LEAST_SLOTS, unreachable_slots, 823, 1234),  # type: ignore[arg-type]
    Pair(MANY, read_ahead, 70, 140),
    Pair(LEAST_LEFTOVER, pinned_by_a_comparator, 40 * KIB, 100 * KIB),
    Pair(SIDE_BY_SIDE, a_pool_of_a_library, 70, 140),
)


def said_of(path: Path) -> Verdicts:
    point = SnapshotPoint(name="oom", at_death=True)
    objects = read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)
    holders = {
        str(one.key): f"{one.owner} {[step.name for step in one.path]} "
        f"{[each.class_name for each in one.classes]} {one.spare_bytes > 0}"
        for one in objects.holders
    }
    parts = {f"part {one.part}": "there" for one in objects.framework if one.count}
    return holders | parts


@pytest.fixture(scope="module", params=PAIRS, ids=lambda one: one.threshold.name)
def witnesses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Pair, Said, Said]]:
    pair: Pair = request.param
    folder = tmp_path_factory.mktemp("heaps")
    said = []
    for name, measure in (("below", pair.below), ("above", pair.above)):
        path = folder / f"{name}.hprof"
        path.write_bytes(pair.build(measure).build())
        said.append(Said(name, partial(said_of, path)))
    yield pair, said[0], said[1]
    for path in folder.iterdir():
        path.unlink()


def test_heaps_on_either_side_are_told_apart_and_15_percent_change_nothing(
    witnesses: tuple[Pair, Said, Said],
) -> None:
    pair, below, above = witnesses

    assert below.verdicts != above.verdicts
    assert not changes_within((below, above), pair.threshold, SAFE)


def test_the_threshold_is_what_decides(witnesses: tuple[Pair, Said, Said]) -> None:
    pair, below, above = witnesses
    factor = min(pair.threshold.default / pair.below, pair.above / pair.threshold.default)

    assert factor >= 1 + SAFE
    assert below.verdicts_with(pair.threshold, pair.below / 2) != below.verdicts
    assert above.verdicts_with(pair.threshold, pair.above * 2) != above.verdicts


def test_every_number_that_says_whose_memory_it_is_has_heaps_on_either_side() -> None:
    assert tuple(pair.threshold for pair in PAIRS) == OBJECT_THRESHOLDS
