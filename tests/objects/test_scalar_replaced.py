"""What compiled code held in scalar-replaced objects: on heaps built by hand, and for real.

The real one is a job that dies twice, once with the objects and once without them
(``-XX:-EliminateAllocations``): the second dump says what the first must be found to say.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from builders.holders import large_holders
from builders.hprof_builder import Builder, FrameSpec
from objects.tasks import die_of_memory, forget

from mprof.cli.heap_text import headline
from mprof.engines import MAPREDUCE, UserClasses
from mprof.heap import open_heap
from mprof.heap.summary import HeapSummary
from mprof.objects import HeapObjects, path_in_words, read_objects
from mprof.objects.summary import summarise_dump

MIB = 1024 * 1024
REDUCE = """
org.apache.hadoop.mapreduce.Reducer.run
org.apache.hadoop.mapred.ReduceTask.runNewReducer
org.apache.hadoop.mapred.ReduceTask.run
"""
_MOST_DEATHS = 4  # the compiler gives a method up where a branch is taken for the first time
GROWN_BY_HALF = 1851  # 10, 15, 22, 33, 49, 73, 109, 163, 244, 366, 549, 823, 1234, 1851
NODE = {"key": "object", "value": "object", "next": "object"}


def heap() -> Builder:
    builder = Builder()
    builder.class_("java.util.HashMap", fields={"table": "object", "size": "int"})
    builder.class_("java.util.HashMap$Node", fields=NODE)
    builder.class_("java.util.HashSet", fields={"map": "object"})
    builder.class_("java.util.LinkedList$Node", fields={"item": "object", "next": "object",
                                                        "prev": "object"})  # fmt: skip
    return builder


def large(builder: Builder, mebibytes: float = 4) -> int:
    return builder.primitives("byte", bytes(round(mebibytes * MIB)))


def map_with(builder: Builder, value: int) -> int:
    """A HashMap with one large key and a value."""
    entry = builder.instance("java.util.HashMap$Node", key=large(builder), value=value)
    table = builder.array("java.util.HashMap$Node", [0, entry])
    return builder.instance("java.util.HashMap", table=table, size=1)


def present(builder: Builder) -> int:
    value = builder.instance("java.lang.Object")
    builder.set_static("java.util.HashSet", "PRESENT", "object", value)
    return value


def died(
    builder: Builder, folder: Path, *frames: tuple[str, list[int]], is_oom: bool = True
) -> HeapObjects:
    """The heap of a task that died in these methods, from the top, with their locals."""
    builder.class_("java.lang.OutOfMemoryError")
    specs = []
    for text, nodes in (*frames, *((line, []) for line in REDUCE.split())):
        class_name, method = text.rsplit(".", 1)
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, nodes))
    oom = FrameSpec("java.lang.OutOfMemoryError", "<init>", "A.java", 1, [])
    builder.thread("main", [oom, *specs] if is_oom else specs)
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    return read_objects(path, user_classes=UserClasses(MAPREDUCE))


def test_what_nothing_refers_to_is_what_the_frame_of_the_user_held(tmp_path: Path) -> None:
    builder = heap()
    kept = [large(builder, 2), large(builder, 2)] + [0] * (GROWN_BY_HALF - 2)
    builder.array("java.lang.Object", kept)

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []))

    (holder,) = large_holders(objects)
    assert str(holder.key) == "local com.acme.R.reduce java.util.ArrayList"
    assert (holder.lifecycle, holder.bytes // MIB) == ("group", 4)
    assert (holder.length, holder.capacity) == (2, GROWN_BY_HALF)
    assert holder.site is not None
    assert (holder.site.class_name, holder.site.method) == ("com.acme.R", "reduce")
    assert objects.frames[1].share == 1.0
    assert any("scalar-replaced" in loss for loss in objects.losses)


def summary_of_program(builder: Builder, folder: Path, *frames: str) -> HeapSummary:
    """What is said of a program that died in these methods, which have no locals."""
    builder.class_("java.lang.OutOfMemoryError")
    specs = [FrameSpec("java.lang.OutOfMemoryError", "<init>", "A.java", 1, [])]
    for text in frames:
        class_name, method = text.rsplit(".", 1)
        builder.class_(class_name)
        specs.append(FrameSpec(class_name, method, "A.java", 1, []))
    builder.thread("main", specs)
    path = folder / "oom.hprof"
    path.write_bytes(builder.build())
    return summarise_dump(path)[1]


def test_what_one_of_several_methods_of_a_program_held_is_no_frames(tmp_path: Path) -> None:
    builder = heap()
    kept = [large(builder, 2), large(builder, 2)] + [0] * (GROWN_BY_HALF - 2)
    builder.array("java.lang.Object", kept)

    summary = summary_of_program(builder, tmp_path, "com.acme.Fill.all", "com.acme.Main.main")

    holder = summary.holders[0]
    assert (holder.thread, holder.site, holder.length) == (None, None, 2)
    assert 0.9 < holder.share <= 1.0  # of the heap with what no root reaches
    assert summary.lost_bytes < MIB
    first, second = headline(summary)
    assert first.startswith("ArrayList that no root of the dump reaches holds 4.0 MB")
    assert second == 'Thread "main" ran out of memory in com.acme.Fill.all (A.java:1).'


def test_the_only_method_of_a_program_held_what_no_root_reaches(tmp_path: Path) -> None:
    builder = heap()
    builder.array("java.lang.Object", [large(builder)] + [0] * (GROWN_BY_HALF - 1))

    (holder, *_) = summary_of_program(builder, tmp_path, "com.acme.Main.main").holders

    assert holder.name == "local ArrayList of Main.main()"
    assert holder.share <= 1.0


def test_what_is_spread_over_many_objects_is_said_to_be_lost(tmp_path: Path) -> None:
    builder = heap()
    for _ in range(40):
        large(builder, 0.1)

    summary = summary_of_program(builder, tmp_path, "com.acme.Fill.all", "com.acme.Main.main")

    *_, ran_out, lost = headline(summary)
    assert summary.lost_bytes == 40 * (round(0.1 * MIB) + 16 + 7 & ~7)
    assert ran_out == 'Thread "main" ran out of memory in com.acme.Fill.all (A.java:1).'
    assert lost.startswith("No root of the dump reaches 4.0 MB more")


@pytest.mark.parametrize("slots", [GROWN_BY_HALF - 1, GROWN_BY_HALF + 1, 33])
def test_an_array_of_another_length_is_no_lists(tmp_path: Path, slots: int) -> None:
    builder = heap()
    builder.array("java.lang.Object", [large(builder)] + [0] * (slots - 1))

    (holder,) = large_holders(died(builder, tmp_path, ("com.acme.R.reduce", [])))

    assert str(holder.key) == "local com.acme.R.reduce java.lang.Object[]"


def test_a_map_of_one_value_is_a_sets_where_that_value_is_a_sets(tmp_path: Path) -> None:
    builder = heap()
    map_with(builder, present(builder))

    (holder,) = large_holders(died(builder, tmp_path, ("com.acme.R.reduce", [])))

    assert str(holder.key) == "local com.acme.R.reduce java.util.HashSet"
    assert holder.class_name == "java.util.HashMap"  # where the memory stands


def test_a_map_of_another_value_is_a_map(tmp_path: Path) -> None:
    builder = heap()
    present(builder)
    map_with(builder, builder.instance("java.lang.Object"))

    (holder,) = large_holders(died(builder, tmp_path, ("com.acme.R.reduce", [])))

    assert str(holder.key) == "local com.acme.R.reduce java.util.HashMap"


def test_the_map_of_a_set_is_named_by_it_where_a_frame_of_its_own_has_it(tmp_path: Path) -> None:
    builder = heap()
    kept = map_with(builder, present(builder))

    objects = died(
        builder, tmp_path, ("java.util.HashMap.putVal", [kept]), ("com.acme.R.reduce", [])
    )

    (holder,) = large_holders(objects)
    assert str(holder.key) == "local com.acme.R.reduce java.util.HashSet"


def test_objects_that_only_refer_to_each_other_are_held_as_one(tmp_path: Path) -> None:
    builder = heap()
    items = [large(builder, 1) for _ in range(5)]  # before the nodes, in the order of addresses
    nodes = [builder.instance("java.util.LinkedList$Node", item=item) for item in items]
    for before, after in pairwise(nodes):
        builder.set(before, next=after)
        builder.set(after, prev=before)

    (holder,) = large_holders(died(builder, tmp_path, ("com.acme.R.reduce", [])))

    assert str(holder.key) == "local com.acme.R.reduce java.util.LinkedList$Node"
    assert holder.bytes // MIB == 5


def test_where_several_methods_may_have_held_it_nothing_is_said_of_its_life(tmp_path: Path) -> None:
    builder = heap()
    large(builder)

    objects = died(builder, tmp_path, ("com.acme.Text.parse", []), ("com.acme.R.reduce", []))

    (holder,) = large_holders(objects)
    assert (holder.key.method, holder.lives_for) == ("reduce", None)


def test_what_roots_hold_is_theirs(tmp_path: Path) -> None:
    builder = heap()
    shared = large(builder)
    builder.array("java.lang.Object", [shared, large(builder, 6)])

    objects = died(builder, tmp_path, ("com.acme.R.reduce", [shared]))

    assert {(one.key.value_class, one.bytes // MIB) for one in large_holders(objects)} == {
        ("byte[]", 4),
        ("java.lang.Object[]", 6),
    }


def test_without_user_code_on_a_stack_it_is_garbage(tmp_path: Path) -> None:
    builder = heap()
    large(builder)

    objects = died(builder, tmp_path, ("java.lang.Object.wait", []))

    assert objects.live_bytes < MIB


def test_in_a_dump_of_no_error_it_is_garbage(tmp_path: Path) -> None:
    builder = heap()
    large(builder)

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []), is_oom=False)

    assert objects.live_bytes < MIB


def test_in_a_damaged_dump_it_may_be_what_a_lost_object_held(tmp_path: Path) -> None:
    builder = heap()
    lost = large(builder) + 8  # where no object of the dump begins
    builder.instance("java.util.HashMap$Node", key=lost)

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []))

    assert objects.losses
    assert objects.live_bytes < MIB


@pytest.mark.parametrize(
    ("sizes", "is_garbage"),
    [([1] * 8, False), ([1] * 9, True), ([5, *[0.05] * 8], False), ([5, *[0.05] * 20], True)],
)
def test_what_is_spread_over_many_objects_is_garbage(
    tmp_path: Path, sizes: list[float], is_garbage: bool
) -> None:
    builder = heap()
    for size in sizes:  # 64 KB and more are large
        large(builder, size)

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []))

    assert (objects.live_bytes < MIB) == is_garbage
    assert any("scalar-replaced" in loss for loss in objects.losses) != is_garbage


def test_another_thread_in_code_of_the_user_may_have_held_it_as_well(tmp_path: Path) -> None:
    builder = heap()
    large(builder)
    builder.class_("com.acme.Worker")
    builder.thread("worker", [FrameSpec("com.acme.Worker", "run", "A.java", 1, [])])

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []))

    (holder,) = large_holders(objects)
    assert holder.lives_for is None


ROW, COUNTS = "com.acme.Row", "com.acme.Counts"
AT_WORK = ("com.acme.Counts.grow", "com.acme.Row$$Lambda.accept", "com.acme.Row.plus")


def rows(builder: Builder, *rows: str, mebibytes: float = 4) -> int:
    """Counts, large ones, that no row has; and small ones in the field of a row each."""
    for name in {ROW, *rows}:
        builder.class_(name, fields={"counts": "object", "spare": "object"})
    builder.class_(COUNTS, fields={"table": "object"})
    for name in rows:
        builder.root(0x01, builder.instance(name, counts=builder.instance(COUNTS)))
    return builder.instance(COUNTS, table=large(builder, mebibytes))


def in_methods(counts: int, row: list[int], reduce: list[int]) -> list[tuple[str, list[int]]]:
    """Frames that work on counts: row.plus() has called them."""
    grow, accept, plus = AT_WORK
    return [(grow, [counts]), (accept, []), (plus, row), ("com.acme.R.reduce", reduce)]


def test_what_a_method_is_at_work_on_was_where_all_others_of_its_class_are(tmp_path: Path) -> None:
    builder = heap()
    counts = rows(builder, ROW, ROW)

    objects = died(builder, tmp_path, *in_methods(counts, [], []))

    (holder,) = large_holders(objects)
    assert str(holder.key) == "local com.acme.R.reduce com.acme.Row.counts.table"
    assert (holder.lifecycle, holder.bytes // MIB) == ("group", 4)
    assert path_in_words(holder) == "local Row.counts.table of R.reduce()"
    assert any("only methods that are at work" in loss for loss in objects.losses)


def test_a_lambda_that_has_captured_it_does_not_hold_it(tmp_path: Path) -> None:
    builder = heap()
    counts = rows(builder, ROW)
    name = "com.acme.Row$$Lambda"
    builder.class_(name, fields={"arg$1": "object"})
    captured = builder.instance(name, **{"arg$1": counts})
    grow, _, *others = in_methods(counts, [], [])

    objects = died(builder, tmp_path, grow, ("com.acme.Counts.forEach", [captured]), *others)

    (holder,) = large_holders(objects)
    assert str(holder.key) == "local com.acme.R.reduce com.acme.Row.counts.table"


@pytest.mark.parametrize("why", ["elsewhere too", "none alike", "two fields", "small"])
def test_where_others_of_its_class_do_not_tell_it_is_named_by_itself(
    why: str, tmp_path: Path
) -> None:
    builder = heap()
    others = {"elsewhere too": [ROW, "com.acme.Other"], "none alike": []}.get(why, [ROW])
    counts = rows(builder, *others, mebibytes=0.01 if why == "small" else 4)
    if why == "two fields":
        both = {"counts": builder.instance(COUNTS), "spare": builder.instance(COUNTS)}
        builder.root(0x01, builder.instance(ROW, **both))

    objects = died(builder, tmp_path, *in_methods(counts, [], []))

    assert not any("counts" in each.key.fields for each in large_holders(objects))
    assert objects.losses == ()


@pytest.mark.parametrize(
    "who",
    [
        "its row", "another row", "reduce", "a method of the row", "a method between",
        "another object", "a lambda that is kept", "no row at work",
    ],
)  # fmt: skip
def test_what_is_held_as_the_dump_says_stays_there(who: str, tmp_path: Path) -> None:
    builder = heap()
    counts = rows(builder, ROW)
    row = [builder.instance(ROW, counts=counts)] if who == "its row" else []
    if who == "another row":
        row = [builder.instance(ROW, counts=builder.instance(COUNTS))]
    if who == "another object":
        builder.root(0x01, builder.array("java.lang.Object", [counts]))
    if who == "a lambda that is kept":
        builder.class_("com.acme.Row$$Lambda", fields={"arg$1": "object"})
        kept = builder.instance("com.acme.Row$$Lambda", **{"arg$1": counts})
        builder.root(0x01, builder.array("java.lang.Object", [kept]))
    if who == "a method of the row":  # as a static one may
        row = [counts]
    frames = in_methods(
        counts, row, [counts] if who == "reduce" else [] if who == "a method of the row" else row
    )
    if who == "a method between":
        frames.insert(3, ("com.acme.Helper.merge", [counts]))
    if who == "no row at work":
        del frames[2]

    objects = died(builder, tmp_path, *frames)

    assert not any("at work" in loss for loss in objects.losses)
    (holder,) = large_holders(objects)
    if who == "its row":
        assert str(holder.key) == "local com.acme.R.reduce com.acme.Row.counts.table"
    if who == "reduce":
        assert str(holder.key) == "local com.acme.R.reduce com.acme.Counts.table"


@pytest.mark.parametrize("why", ["no error", "damaged"])
def test_a_dump_that_does_not_show_all_at_an_error_is_taken_at_its_word(
    why: str, tmp_path: Path
) -> None:
    builder = heap()
    counts = rows(builder, ROW)
    builder.root(0x01, large(builder, 2))  # written last

    frames = in_methods(counts, [], [])
    objects = died(builder, tmp_path, *frames, is_oom=why != "no error")
    if why == "damaged":
        path = tmp_path / "oom.hprof"
        path.write_bytes(path.read_bytes()[: -1 * MIB])
        objects = read_objects(path, user_classes=UserClasses(MAPREDUCE))
        assert objects.losses

    assert not any("at work" in loss for loss in objects.losses)
    assert not any("counts" in each.key.fields for each in large_holders(objects))


def test_where_a_method_lies_between_it_may_have_had_the_row_as_well(tmp_path: Path) -> None:
    builder = heap()
    *above, reduce = in_methods(rows(builder, ROW), [], [])

    objects = died(builder, tmp_path, *above, ("com.acme.Helper.merge", []), reduce)

    (holder,) = large_holders(objects)
    assert str(holder.key) == "local com.acme.R.reduce com.acme.Row.counts.table"
    assert holder.lives_for is None


def test_what_nothing_refers_to_is_named_by_the_field_of_those_alike(tmp_path: Path) -> None:
    builder = heap()
    rows(builder, ROW)

    plus, reduce = in_methods(0, [], [])[2:]
    (holder,) = large_holders(died(builder, tmp_path, plus, reduce))

    assert str(holder.key) == "local com.acme.R.reduce com.acme.Row.counts.table"


@pytest.mark.parametrize("is_at_work", [True, False])
def test_what_nothing_refers_to_has_no_field_of_objects_that_are_no_locals(
    is_at_work: bool, tmp_path: Path
) -> None:
    """Of a reducer's own field, or of a class with no method on the stack."""
    reducer = "com.acme.R"
    builder = heap()
    builder.class_("org.apache.hadoop.mapreduce.Reducer")
    builder.class_(reducer, above="org.apache.hadoop.mapreduce.Reducer",
                   fields={"total": "object"})  # fmt: skip
    builder.class_(COUNTS, fields={"table": "object"})
    builder.root(0x01, builder.instance(reducer, total=builder.instance(COUNTS)))
    builder.instance(COUNTS, table=large(builder))
    above = [("com.acme.R.merge", [])] if is_at_work else []

    objects = died(builder, tmp_path, *above, ("com.acme.R.reduce", []))

    assert [str(each.key) for each in large_holders(objects)] == [
        "local com.acme.R.reduce com.acme.Counts.table"
    ]


def test_garbage_of_a_frameworks_class_is_none_of_its_parts(tmp_path: Path) -> None:
    # what is unreachable is none of the instances that the shuffle's memory is told by
    builder = heap()
    large(builder)
    output = "org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput"
    builder.class_(output, fields={"memory": "object"})
    builder.instance(output, memory=large(builder, 0.05))

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []))

    assert objects.shuffle_bytes == 0


def test_small_garbage_counts_for_nobody(tmp_path: Path) -> None:
    garbage = heap()
    large(garbage)
    garbage.array("java.lang.Object", [garbage.instance("java.util.HashMap$Node")])
    clean = heap()
    large(clean)
    (tmp_path / "clean").mkdir()

    objects = died(garbage, tmp_path, ("com.acme.R.reduce", []))
    expected = died(clean, tmp_path / "clean", ("com.acme.R.reduce", []))

    # the array's class, which the other heap does not have, is a root
    assert objects.live_bytes - expected.live_bytes < 200
    assert sum(each.bytes for each in objects.owners) == objects.live_bytes
    assert objects.bytes_of("user") == expected.bytes_of("user")


@pytest.mark.jvm
@pytest.mark.slow
def test_a_job_dies_of_the_same_set_whether_it_is_scalar_replaced_or_not(
    job_classes: Path, tmp_path: Path
) -> None:
    def death(option: str) -> tuple[HeapObjects, int]:
        """The heap at death, and how much of it no root reaches."""
        folder = tmp_path / option
        folder.mkdir(exist_ok=True)
        dump = die_of_memory(
            job_classes, folder, "ManyKeysMapper", "TreeSetReducer", "-", heap="96m",
            options=("-XX:TieredStopAtLevel=4", f"-XX:{option}"),
        )  # fmt: skip
        unreachable = open_heap(dump).unreachable.shallow_bytes
        objects = read_objects(dump, user_classes=UserClasses(MAPREDUCE))
        forget(folder)
        return objects, unreachable

    whole, unreachable = death("-EliminateAllocations")
    assert unreachable < MIB
    for _ in range(_MOST_DEATHS):
        replaced, unreachable = death("+EliminateAllocations")
        if unreachable > 50 * MIB:
            break
    else:
        pytest.fail("the compiler replaced nothing by scalars")

    expected, found = whole.holders[0], replaced.holders[0]
    assert found.key == expected.key
    assert found.site is not None
    assert expected.site is not None
    assert (found.site.class_name, found.site.method) == (
        expected.site.class_name, expected.site.method,
    )  # fmt: skip
    assert found.bytes == pytest.approx(expected.bytes, rel=0.1)
    assert expected.lifecycle == "group"
    # the driver runs in this JVM too: it may have held the set as well, for all a dump can say
    assert found.lives_for is None


@pytest.mark.parametrize("is_unfinished", [True, False])
def test_an_array_of_arrays_that_a_method_was_making_is_that_methods(
    tmp_path: Path, *, is_unfinished: bool
) -> None:
    # ``new double[4][...]``: no variable has it before all rows are made
    builder = heap()
    rows = [builder.primitives("double", [0.0] * (MIB // 8)) for _ in range(3)]
    builder.array("double[]", [*rows, *([] if not is_unfinished else [0])])

    objects = died(builder, tmp_path, ("com.acme.R.distances", []), ("com.acme.R.reduce", []))

    (holder,) = large_holders(objects)
    method = "distances" if is_unfinished else "reduce"
    assert str(holder.key) == f"local com.acme.R.{method} double[][]"
    assert (holder.length, holder.bytes // MIB) == (3, 3)
    assert (holder.lifecycle == "none") == (not is_unfinished)
    assert any("3 of 4 rows" in loss for loss in objects.losses) == is_unfinished


def test_what_a_library_was_making_is_of_no_one_method(tmp_path: Path) -> None:
    builder = heap()
    rows = [builder.primitives("double", [0.0] * (MIB // 8)) for _ in range(3)]
    builder.array("double[]", [*rows, 0])
    methods = ("java.lang.reflect.Array.newInstance", "com.acme.R.table", "com.acme.R.reduce")

    objects = died(builder, tmp_path, *((method, []) for method in methods))

    (holder,) = large_holders(objects)
    assert (str(holder.key), holder.lifecycle) == ("local com.acme.R.reduce double[][]", "none")


def test_what_the_same_method_held_beside_an_array_that_it_was_making_is_its_own_too(
    tmp_path: Path,
) -> None:
    builder = heap()
    rows = [builder.primitives("double", [0.0] * (MIB // 8)) for _ in range(3)]
    builder.array("double[]", [*rows, 0])
    large(builder, 4)

    objects = died(builder, tmp_path, ("com.acme.R.reduce", []))

    assert sorted(one.bytes // MIB for one in large_holders(objects)) == [3, 4]
    assert all(one.key.method == "reduce" for one in large_holders(objects))
