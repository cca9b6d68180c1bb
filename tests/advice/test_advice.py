"""Advice, checked against the straight line the evidence was made with."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from builders.evidence import (
    CAPACITY,
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.examples import examples_of

from mprof.advice import CONTAINER_MEMORY, advise
from mprof.advice.of_map import smaller_buffer
from mprof.advice.properties import container_for
from mprof.diagnosis import Advice, Cause, diagnose
from mprof.evidence import (
    Composition,
    ContainerFacts,
    ContainerProcess,
    Death,
    DeathPosition,
    Evidence,
    ExternalLoad,
    Group,
    GroupSizes,
    Lifecycle,
    MapBuffer,
    Memory,
    OpenedFile,
    Owner,
    Partitions,
    Place,
    Progress,
    RecordSizes,
    Shuffle,
    Split,
    StackFrame,
    Unknown,
)
from mprof.evidence.distribution import Distribution
from mprof.history import JobConf
from mprof.job_run import PartitionFile
from mprof.rules import RULES
from mprof.rules.rule import Fires
from mprof.trace.container import ContainerEnd
from mprof.units import GIB, KIB, MIB

AIM = 0.85 * CAPACITY
GROUPS = "large_accumulated_results.reduce"
BUFFER = "large_framework_buffer.map"
FILLS = Fires("likely", "dump", "the sort buffer takes much of the heap")
EVERY = [(rule, e) for rule in RULES for e in examples_of(rule) if e.says == "FIRES"]


def advice(evidence: Evidence) -> tuple[Advice, ...]:
    """The cures; first aid has tests of its own."""
    every = advise(diagnose(evidence)).diagnosis.advice
    return tuple(one for one in every if not one.first_aid)


MODEL_FILE = (OpenedFile("hdfs:/m", 40 * MIB),)


def killed(line: str, used_bytes: int) -> Death:
    end = ContainerEnd("physical", line, physical_used_bytes=used_bytes)
    return Death("container-physical", line, container=end)


def line(evidence: Evidence, name: str) -> Advice:
    return next(one for one in advice(evidence) if one.property == name)


def words(done: float = 0.4, **conf: str) -> Evidence:
    evidence = map_attempt(progress=Progress(done, "bytes"), conf=conf)
    return with_growth(evidence, "this.counts", 170 * MIB)


@pytest.mark.parametrize(("rule", "example"), EVERY)
def test_every_cause_has_advice_in_whole_sentences(rule, example) -> None:  # type: ignore[no-untyped-def]
    mine = [one for one in advice(example.evidence()) if one.cause == rule.cause]
    assert mine
    for one in mine:
        assert one.text.endswith((".", ".)"))
        assert (one.kind == "setting") == (one.property is not None) == (one.new is not None)


def test_a_setting_never_comes_out_as_it_was() -> None:
    for _, example in EVERY:
        for one in advice(example.evidence()):
            assert one.kind != "setting" or one.old != one.new


def test_the_split_is_the_largest_that_fits_with_room_to_spare() -> None:
    # 70 MB do not grow; 170 MB at 40 % of 64 MB grow in proportion
    found = line(words(), "mapreduce.input.fileinputformat.split.maxsize")
    fits = [n for n in range(2, 9) if 70 * MIB + 170 * MIB / 0.4 / n <= AIM]
    assert int(found.new or 0) == 64 // fits[0] * MIB
    assert found.predicted_peak_bytes == pytest.approx(
        70 * MIB + 170 * MIB / 0.4 / fits[0], rel=0.01
    )


def test_splits_of_so_many_lines_get_fewer_lines() -> None:
    # NLineInputFormat knows no size of a split; by size it would be an eighth to a half of it
    conf = {
        "mapreduce.job.inputformat.class": "org.apache.hadoop.mapreduce.lib.input.NLineInputFormat",
        "mapreduce.input.lineinputformat.linespermap": "3000",
    }
    by_size = line(words(), "mapreduce.input.fileinputformat.split.maxsize")
    pieces = 64 * MIB // int(by_size.new or 1)
    (found,) = (one for one in advice(words(**conf)) if one.cause == "large_input_split")
    assert found.property == "mapreduce.input.lineinputformat.linespermap"
    assert (found.old, found.new) == ("3000", str(3000 // pieces))


def test_combined_splits_of_the_old_api_have_a_largest_size_all_the_same() -> None:
    evidence = words(**{"mapred.mapper.new-api": "false"})
    kind = "org.apache.hadoop.mapred.lib.CombineFileSplit"
    split = Split("hdfs:/in/part-0", None, 64 * MIB, splittable=True, class_name=kind)
    by_maps = {one.property for one in advice(evidence)}
    by_size = {one.property for one in advice(replace(evidence, split=split))}
    assert "mapreduce.job.maps" in by_maps - by_size
    assert "mapreduce.input.fileinputformat.split.maxsize" in by_size - by_maps


# After 4,001 records: what has far fewer elements drops some already, or brings keys together.
@pytest.mark.parametrize(
    ("class_name", "length", "said"),
    [
        ("java.lang.StringBuilder", None, "as it arrives"),
        ("java.util.PriorityQueue", 4000, "drop the last"),
        ("java.util.TreeMap", 4000, "drop the last"),
        ("java.util.PriorityQueue", 1000, "bring equal keys together"),
        ("java.util.TreeMap", 20, "bring equal keys together"),
        ("java.util.TreeMap", None, "bring equal keys together"),
        ("java.util.HashMap", 4000, "bring equal keys together"),
        ("com.tree.Buffer.Words", None, "bring equal keys together"),  # a package says nothing
    ],
)
def test_what_a_mapper_keeps_is_replaced_by_what_it_is_for(
    class_name: str, length: int | None, said: str
) -> None:
    evidence = words()
    (one,) = evidence.holders  # type: ignore[misc]
    evidence = replace(evidence, holders=(replace(one, class_name=class_name, length=length),))
    found = next(one for one in advice(evidence) if one.kind == "code")
    others = {"as it arrives", "drop the last", "bring equal keys together"} - {said}
    assert said in found.text
    assert not any(other in found.text for other in others)


@pytest.mark.parametrize("name", ["mapreduce.job.combine.class", "mapred.combiner.class", "x"])
def test_a_combiner_is_told_to_bring_keys_together_where_there_is_one(name: str) -> None:
    found = next(one for one in advice(words(**{name: "com.x.Sum"})) if one.kind == "code")
    assert ("let the combiner and the sort bring" in found.text) is (name != "x")
    assert ("let the sort bring" in found.text) is (name == "x")


def test_a_combiner_that_keeps_over_its_passes_is_not_told_to_use_a_combiner() -> None:
    at = DeathPosition("combine", record=700, group=31, record_in_group=4, spill=2)
    found = next(
        one
        for one in advice(replace(words(), place="combine", position=at))
        if one.cause == "large_accumulated_results.map"
    )
    assert "let the combiner" not in found.text
    assert "where the combiner does, clear it in cleanup() or close()" in found.text
    assert "every" not in found.text


def test_a_smallest_split_that_is_larger_is_lowered_too() -> None:
    name = "mapreduce.input.fileinputformat.split.minsize"
    found = line(words(**{name: str(32 * MIB)}), name)
    assert int(found.new or 0) < 32 * MIB
    assert found.old == str(32 * MIB)


def test_the_old_api_is_told_a_number_of_maps() -> None:
    found = line(words(**{"mapred.mapper.new-api": "false"}), "mapreduce.job.maps")
    assert int(found.new or 0) >= 4


def test_the_sort_buffer_leaves_room_at_the_end_of_the_split() -> None:
    evidence = map_attempt(
        progress=Progress(0.9, "bytes"),
        map_buffer=MapBuffer(130 * MIB, allocated=True),
        conf={"mapreduce.task.io.sort.mb": "130"},
    )
    found = line(with_growth(evidence, "this.seen", 40 * MIB), "mapreduce.task.io.sort.mb")
    rest = CAPACITY - 130 * MIB - 40 * MIB + 40 * MIB / 0.9
    assert found.old == "130"
    assert 16 <= int(found.new or 0) <= 65
    assert rest + int(found.new or 0) * MIB <= AIM


@pytest.mark.parametrize(("rest_mib", "is_set"), [(60, True), (170, True), (235, False)])
def test_no_sort_buffer_is_advised_beside_which_the_mapper_would_not_fit(
    rest_mib: int, *, is_set: bool
) -> None:
    # 240 MB, of which so many are neither the buffer's nor grow
    buffer = MapBuffer((CAPACITY // MIB - rest_mib) * MIB, allocated=True)
    base = map_attempt(map_buffer=buffer, conf={"mapreduce.task.io.sort.mb": str(rest_mib)})
    evidence = diagnose(replace(base, memory=replace(base.memory, live_bytes_at_death=CAPACITY)))
    cause = Cause(next(rule for rule in RULES if rule.cause == BUFFER), FILLS)

    found = smaller_buffer(evidence.evidence, evidence.patterns, cause)

    assert [one.property is not None for one in found] == [is_set]
    assert all((one.predicted_peak_bytes or 0) <= 0.9 * CAPACITY for one in found)


def test_a_buffer_that_cannot_be_allocated_becomes_one_that_can() -> None:
    evidence = map_attempt(place="init", map_buffer=MapBuffer(300 * MIB, allocated=False))
    found = line(evidence, "mapreduce.task.io.sort.mb")
    assert 16 <= int(found.new or 0) * MIB / MIB <= CAPACITY / MIB / 1.5


def shuffling(mib: int, count: int) -> Evidence:
    sizes = (mib * MIB,) * count
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(178 * MIB, 178 * MIB, held_bytes=215 * MIB),
        partitions=Partitions(0, bytes=sizes, records=tuple(s // 100 for s in sizes)),
        reducers=count,
        conf={"mapreduce.reduce.shuffle.input.buffer.percent": "0.7"},
    )


def test_the_shuffle_ratio_leaves_room_for_what_stood_above_the_bound() -> None:
    found = line(shuffling(230, 4), "mapreduce.reduce.shuffle.input.buffer.percent")
    ratio = float(found.new or 0)
    assert found.old == "0.7"
    assert 0.1 <= ratio <= 0.7 * 2 / 3
    assert 25 * MIB + 215 / 178 * ratio * 256 * MIB <= AIM


@pytest.mark.parametrize(("mib", "count", "name"), [
    (230, 4, "mapreduce.reduce.shuffle.input.buffer.percent"),
    (300, 4, "mapreduce.job.reduces"),
])  # fmt: skip
def test_no_peak_is_predicted_beside_a_table_that_was_still_being_filled(
    mib: int, count: int, name: str
) -> None:
    """Of 25 MB beside the shuffle 20 are a static map, of which nobody knows how large it gets."""
    table = holder("static Ranked.RANKS", 20 * MIB, lifecycle="reduce", method="<clinit>")
    whole = shuffling(mib, count)
    filling = replace(whole, holders=(replace(table, in_initializer=True),))

    loaded, half = line(replace(whole, holders=(table,)), name), line(filling, name)

    assert loaded.predicted_peak_bytes is not None
    assert "about" in loaded.text
    assert (half.new, half.predicted_peak_bytes) == (loaded.new, None)
    assert "at least" in half.text
    assert "static Ranked.RANKS had 20 MB when the task died" in half.text


def test_what_was_live_at_death_is_all_that_a_shuffle_can_count_on() -> None:
    # a parallel collector: 160 of 240 MB were live when a segment found no room in one piece
    evidence = shuffling(230, 4)
    assert isinstance(evidence.shuffle, Shuffle)
    evidence = replace(
        evidence,
        memory=replace(evidence.memory, live_bytes_at_death=160 * MIB),
        shuffle=replace(evidence.shuffle, held_bytes=140 * MIB),
    )
    found = line(evidence, "mapreduce.reduce.shuffle.input.buffer.percent")
    assert 20 * MIB + 1.25 * float(found.new or 0) * 256 * MIB <= 0.85 * 160 * MIB


def test_a_shuffle_buffer_that_is_as_small_as_advised_is_left_alone() -> None:
    evidence = shuffling(230, 4)
    assert isinstance(evidence.shuffle, Shuffle)
    tenth = replace(evidence.shuffle, limit_bytes=25 * MIB)
    name = "mapreduce.reduce.shuffle.input.buffer.percent"
    evidence = replace(evidence, shuffle=tenth, conf={name: "0.1"})

    found = advise(diagnose(evidence)).diagnosis

    assert "large_framework_buffer.shuffle" in {one.cause for one in found.causes}
    assert name not in {one.property for one in found.advice}


def test_so_many_reducers_that_the_largest_partition_fits_the_bound() -> None:
    found = line(shuffling(400, 5), "mapreduce.job.reduces")
    reducers = int(found.new or 0)
    # a partition of 2,000 MB over that many, and one fewer
    assert 2000 / reducers <= 178 < 2000 / (reducers - 1)
    assert found.old == "5"


def test_so_many_reducers_that_what_the_reducer_keeps_fits() -> None:
    sizes = (1000, 1000, 1000)
    evidence = with_growth(
        reduce_attempt(
            partitions=Partitions(0, records=sizes, bytes=sizes),
            reducers=3,
            progress=Progress(0.5, "records"),
        ),
        "this.index",
        190 * MIB,
        lifecycle="reduce",
        unit="group",
        last_x=30,
    )
    reducers = int(line(evidence, "mapreduce.job.reduces").new or 0)

    def need(n: int) -> float:
        # 62 groups over n reducers, of which the fullest has one more than the mean
        return 50 * MIB + 190 * MIB / 0.5 * 3 / n + 190 * MIB / 31

    # two deviations of what a group brings are a part in forty of that
    assert need(reducers) <= AIM < 1.03 * need(reducers - 1)


def test_kept_map_output_goes_back_to_hadoops_default() -> None:
    evidence = replace(
        shuffling(180, 4),
        place="reduce",
        progress=Progress(0.9, "records"),
        conf={"mapreduce.reduce.input.buffer.percent": "0.7"},
    )
    found = line(evidence, "mapreduce.reduce.input.buffer.percent")
    assert (found.old, found.new) == ("0.7", "0.0")


def test_a_model_that_was_loaded_whole_may_have_its_room() -> None:
    one = replace(holder("this.model", 130 * MIB), loaded_before_first_record=True)
    load = ExternalLoad(130 * MIB, (key_of("this.model"),), "setup", (OpenedFile("hdfs:/m", 9),))
    evidence = map_attempt(
        holders=(one,),
        external=load,
        conf={"mapreduce.map.java.opts": "-Xmx256m -XX:+UseSerialGC"},
        memory=replace(map_attempt().memory, container_bytes=320 * MIB),
    )
    heap = line(evidence, "mapreduce.map.java.opts")
    assert heap.new == "-Xmx320m -XX:+UseSerialGC"
    assert line(evidence, "mapreduce.map.memory.mb").new == "512"
    assert "hdfs:/m" in advice(evidence)[0].text


def test_options_that_both_sides_share_come_along_with_a_larger_heap() -> None:
    # mapreduce.map.java.opts is not set: what is advised would replace mapred.child.java.opts
    one = replace(holder("this.model", 130 * MIB), loaded_before_first_record=True)
    evidence = map_attempt(
        holders=(one,),
        external=ExternalLoad(130 * MIB, (key_of("this.model"),), "setup", MODEL_FILE),
        conf={"mapred.child.java.opts": "-Xmx256m -Dacme.licence=/etc/acme"},
    )
    heap = line(evidence, "mapreduce.map.java.opts")
    assert (heap.old, heap.new) == (None, "-Xmx320m -Dacme.licence=/etc/acme")


@pytest.mark.parametrize("secret", ["s3cr3t", "'s3cr3t'", '"s3cr3t"', "s3,cr3t"])
def test_options_are_advised_without_their_secrets_which_the_user_is_to_write(secret: str) -> None:
    one = replace(holder("this.model", 130 * MIB), loaded_before_first_record=True)
    job = JobConf({"mapreduce.map.java.opts": f"-Xmx256m -Ddb.password={secret} -Dx=1"})
    evidence = map_attempt(
        holders=(one,),
        external=ExternalLoad(130 * MIB, (key_of("this.model"),), "setup", MODEL_FILE),
        conf=dict(job.shown_all()),
    )
    heap = line(evidence, "mapreduce.map.java.opts")
    assert "cr3t" not in repr(heap)
    assert heap.new is not None
    assert re.fullmatch(r"""-Xmx320m -Ddb.password=(['"]?)[*]{3}\1 -Dx=1""", heap.new)
    assert heap.text.endswith("Write your own values for ***, which stands for secrets.")


def test_a_hot_group_falls_into_as_many_parts_as_fit() -> None:
    groups = GroupSizes(Group(31, 100_000, whole=True), Distribution.of([9] * 7), all_reducers=True)
    evidence = with_growth(
        reduce_attempt(groups=groups), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    found = next(one for one in advice(evidence) if one.cause == "hotspot_key")
    # 400 MB for all of it, 164 MB of room
    assert "3 parts or more" in found.text
    assert found.kind == "data"


@pytest.mark.parametrize(
    ("class_name", "method"),
    [("java.util.HashSet", "drop duplicates"), ("java.lang.StringBuilder", "in pieces"),
     ("java.util.HashMap", "small separate job"), ("java.util.ArrayList", "(secondary sort)")],
)  # fmt: skip
def test_code_advice_is_the_method_that_replaces_the_container(
    class_name: str, method: str
) -> None:
    evidence = with_growth(reduce_attempt(), "local kept", 200 * MIB, lifecycle="group",
                           unit="record_in_group", last_x=50_000)  # fmt: skip
    assert isinstance(evidence.holders, tuple)
    evidence = replace(evidence, holders=(replace(evidence.holders[0], class_name=class_name),))
    text = advice(evidence)[0].text
    assert method in text
    assert "local kept" in text
    assert "Job.reduce()" in text


@pytest.mark.parametrize(
    ("place", "name", "is_told"),
    [
        ("reduce", "mapreduce.job.output.group.comparator.class", True),
        ("reduce", "mapred.output.value.groupfn.class", True),
        ("reduce", "mapreduce.job.combiner.group.comparator.class", False),
        ("combine", "mapreduce.job.output.group.comparator.class", False),
        ("combine", "mapreduce.job.combiner.group.comparator.class", True),
    ],
)
@pytest.mark.parametrize("class_name", ["java.util.HashSet", "java.util.ArrayDeque", "com.x.Kept"])
def test_a_secondary_sort_that_the_job_has_is_not_advised(
    place: Place, name: str, is_told: bool, class_name: str
) -> None:
    groups = GroupSizes(Group(31, 100_000, whole=True), Distribution.of([9] * 7), all_reducers=True)
    evidence = reduce_attempt(groups=groups, place=place, conf={name: "com.x.ByUser"})
    evidence = with_growth(evidence, "local kept", 200 * MIB, lifecycle="group",
                           unit="record_in_group", last_x=50_000)  # fmt: skip
    assert isinstance(evidence.holders, tuple)
    evidence = replace(evidence, holders=(replace(evidence.holders[0], class_name=class_name),))
    text = advice(evidence)[0].text
    assert ("com.x.ByUser" in text) is is_told
    assert ("secondary sort" in text) is not is_told


@pytest.mark.parametrize("is_grouped", [False, True])
def test_a_group_falls_apart_by_more_of_the_key_that_it_is_grouped_by(is_grouped: bool) -> None:
    groups = GroupSizes(Group(31, 100_000, whole=True), Distribution.of([9] * 7), all_reducers=True)
    conf = {"mapreduce.job.output.group.comparator.class": "com.x.ByUser"} if is_grouped else {}
    evidence = with_growth(
        reduce_attempt(groups=groups, conf=conf), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    text = next(one for one in advice(evidence) if one.cause == "hotspot_key").text
    assert ("group by more of the key than com.x.ByUser compares" in text) is is_grouped
    assert ("use a composite key" in text) is not is_grouped


def open_files(**conf: str) -> Evidence:
    """A reducer full of 1,000 open files of 80 KB, half-way; 30 MB are something else."""
    kept = with_growth(reduce_attempt(), "files", 1000 * 80 * KIB, lifecycle="reduce",
                       unit="group", last_x=30)  # fmt: skip
    assert isinstance(kept.holders, tuple)
    (one,) = kept.holders
    name = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat$LineRecordWriter"
    writers = replace(one, owner="writer", element_class=name, length=1000,
                      key=replace(one.key, class_name=name))  # fmt: skip
    series = tuple(replace(each, holder=writers.key) for each in kept.series)
    memory = replace(kept.memory, usable_bytes=1000 * 80 * KIB + 30 * MIB,
                     live_bytes_at_death=1000 * 80 * KIB + 30 * MIB)  # fmt: skip
    output = {"mapreduce.output.fileoutputformat.outputdir": "file:/out"}
    return replace(kept, holders=(writers,), series=series, memory=memory, conf=output | conf)


@pytest.mark.parametrize(
    ("conf", "is_advised"),
    [
        ({"io.file.buffer.size": "65536"}, True),
        # each file keeps 52 KB then, and twice as many are to come
        ({"io.file.buffer.size": "32768"}, False),
        ({"io.file.buffer.size": "4096"}, False),
        ({"io.file.buffer.size": "131072"}, False),  # more than each of them takes: not in it
        ({}, False),
        ({"io.file.buffer.size": "65536",
          "mapreduce.output.fileoutputformat.outputdir": "hdfs://nn/out"}, False),
    ],
)  # fmt: skip
def test_the_buffer_of_each_open_file_is_made_smaller_where_that_suffices(
    conf: dict[str, str], is_advised: bool
) -> None:
    found = [one for one in advice(open_files(**conf)) if one.property == "io.file.buffer.size"]

    assert [(one.old, one.new) for one in found] == [("65536", "4096")] * is_advised
    for one in found:
        files = 2000 * (80 - 60) * KIB
        assert one.predicted_peak_bytes == pytest.approx(files + 30 * MIB, rel=0.03)


def test_a_larger_heap_is_said_to_last_until_there_is_more_data() -> None:
    assert "A larger heap lasts until there is more data" in advice(words())[0].text


@pytest.mark.parametrize(("heap_mib", "advised"), [(1000, True), (600, False)])
def test_a_container_too_small_for_its_heap_is_a_finding_of_its_own(
    heap_mib: int, advised: bool
) -> None:
    memory = Memory(heap_mib * MIB, CAPACITY, CAPACITY, CAPACITY, 1 * GIB)
    found = [one for one in advice(map_attempt(memory=memory)) if one.cause == CONTAINER_MEMORY]
    assert [one.property for one in found] == ["mapreduce.map.memory.mb"] * advised


def test_of_a_container_that_was_killed_what_cannot_be_heap_is_told() -> None:
    evidence = map_attempt(death=Death("container-physical", "beyond physical memory limits"))
    (found,) = advice(evidence)
    assert "768 MB or more was not heap" in found.text
    assert "filled it" not in found.text  # the heap may have taken as much
    assert int(found.new or 0) == 1536


def test_the_container_is_to_hold_what_it_had_reached() -> None:
    death = killed("1.3 GB of 1 GB", 1331 * MIB)
    (found,) = advice(map_attempt(death=death))
    assert "killed at 1.3 GB" in found.text
    assert int(found.new or 0) == 1331 * 3 // 2


def test_of_a_container_that_yarn_rounded_up_what_was_asked_for_is_the_old_value() -> None:
    death = killed("1.3 GB of 1 GB", 1331 * MIB)
    evidence = map_attempt(death=death, conf={"mapreduce.map.memory.mb": "512"})
    (found,) = advice(evidence)
    assert found.old == "512"
    assert found.text.startswith("512 MB were asked for, and YARN rounded them up.")
    (found,) = advice(replace(evidence, conf={"mapreduce.map.memory.mb": "1024"}))
    assert found.old == "1024"
    assert "asked for" not in found.text


@pytest.mark.parametrize(("used_mib", "ordinary"), [(340, True), (700, False)])
def test_what_any_jvm_takes_beside_its_heap_is_not_called_unbounded(
    used_mib: int, ordinary: bool
) -> None:
    # a heap of 256 MB
    death = killed("beyond limits", used_mib * MIB)
    evidence = map_attempt(death=death)
    memory = replace(evidence.memory, heap_max_bytes=256 * MIB, container_bytes=320 * MIB)

    (line,) = advice(replace(evidence, memory=memory))

    assert ("the container is too small for them" in line.text) == ordinary
    assert ("only postpones the failure if what allocates that grows" in line.text) != ordinary


def test_the_container_of_an_advised_heap_is_advised_once() -> None:
    model = replace(
        holder("this.model", 130 * MIB, method="setup"), loaded_before_first_record=True
    )
    evidence = map_attempt(
        holders=(model,),
        external=ExternalLoad(130 * MIB, (key_of("this.model"),), "setup", MODEL_FILE),
        memory=Memory(256 * MIB, CAPACITY, CAPACITY, CAPACITY, 256 * MIB),
    )
    opts = line(evidence, "mapreduce.map.java.opts").new or ""
    found = [one for one in advice(evidence) if one.property == "mapreduce.map.memory.mb"]
    assert len(found) == 1
    assert int(found[0].new or 0) * 0.8 >= int(opts.removeprefix("-Xmx").removesuffix("m"))


def test_a_job_that_succeeded_gets_no_advice() -> None:
    memory = Memory(1000 * MIB, CAPACITY, CAPACITY, CAPACITY, 1 * GIB)
    assert advice(map_attempt(memory=memory, death=Death("none", "succeeded"))) == ()


def test_a_file_that_cannot_be_split_gets_no_split_advice() -> None:
    whole = Split("hdfs:/in/a.gz", 0, 64 * MIB, splittable=False)
    found = advice(replace(words(), split=whole))
    assert [one.property for one in found] == [None]


def _one_file_a_record(**conf: str) -> Evidence:
    records = RecordSizes(3, Unknown("its size", "none"), Distribution.of([900, 1000]),
                          being_read=True)  # fmt: skip
    return map_attempt(
        records=records,
        composition=Composition(framework_bytes=20 * MIB, record_bytes=150 * MIB),
        conf=conf,
    )


def test_a_record_that_was_never_read_whole_is_told_by_what_it_takes_of_the_heap() -> None:
    (one,) = advice(_one_file_a_record())
    assert "which takes 150 MB of the heap (the largest before it was 1000 B)" in one.text


@pytest.mark.parametrize("of_lines", [True, False])
def test_a_delimiter_of_the_jobs_own_is_to_be_looked_for_in_the_data(*, of_lines: bool) -> None:
    rule = next(one for one in RULES if one.cause == "large_single_record")
    reading = next(e.evidence() for e in examples_of(rule) if e.says == "FIRES")
    conf = {"textinputformat.record.delimiter": "\n--\n"}
    if not of_lines:
        conf["mapreduce.job.inputformat.class"] = "org.example.MessageFormat"

    told = next(
        one.text
        for one in advice(replace(reading, conf=conf))
        if one.cause == "large_single_record"
    )

    assert told.startswith(r"See whether the data still has the delimiter") == of_lines
    assert (r"'\n--\n'" in told) == of_lines
    assert "plit the record" in told


def test_a_limit_on_lines_is_advised_where_the_input_is_lines() -> None:
    combined = {"mapreduce.job.inputformat.class": "com.example.TextFileInput"}
    (lines,) = advice(_one_file_a_record())
    (files,) = advice(_one_file_a_record(**combined))
    assert "line.maxlength" in lines.text
    assert "line.maxlength" not in files.text


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (Group(31, 50001, digest="00ab"), True),
        (Group(31, 50001, digest="00ab", key="the"), False),
        (Group(31, 50001), False),
    ],
)
def test_a_hot_key_known_by_its_digest_alone_says_how_to_learn_it(group: Group, said: bool) -> None:
    others = Distribution.of(range(100, 900, 100))
    groups = GroupSizes(group, others, Unknown("sizes in bytes", "rerun"), all_reducers=True)
    evidence = with_growth(
        reduce_attempt(groups=groups), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50000,
    )  # fmt: skip

    (found,) = [one for one in advice(evidence) if one.cause == "hotspot_key"]

    assert ("the digest of its key, 00ab, was recorded" in found.text) is said
    assert ("--keys" in found.text) is said


HASHED = "org.apache.hadoop.mapreduce.lib.partition.HashPartitioner"


def unbalanced(largest: int, **conf: str) -> Evidence:
    """Partitions of 76 k records, 60 k of them in one; the file cuts them anew."""
    rest = (76_000 - largest) // 4
    file = PartitionFile("file:/capture/_partition.lst", (largest, rest, rest, rest, rest))
    rule = next(rule for rule in RULES if rule.cause == "improper_partition.unbalanced")
    example = next(
        e for e in examples_of(rule) if e.title == "it keeps all ids, and has most of them"
    )
    return replace(example.evidence(), partition_file=file, conf=conf)


def test_the_partition_file_of_the_measured_keys_is_advised_as_it_lies_there() -> None:
    old = "mapreduce.job.partitioner.class"
    evidence = unbalanced(15_400, **{old: HASHED})

    partitioner = line(evidence, old)
    assert (partitioner.old, partitioner.new) == (
        HASHED,
        "org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner",
    )
    assert "15,400 records instead of 60,000" in partitioner.text
    file = line(evidence, "mapreduce.totalorderpartitioner.path")
    assert file.new == "file:/capture/_partition.lst"
    # the field held 190 MB when it had met all of 60,000 records, in proportion
    assert partitioner.predicted_peak_bytes is not None
    assert partitioner.predicted_peak_bytes < 0.85 * CAPACITY


@pytest.mark.parametrize("name", ["mapreduce.job.partitioner.class", "mapred.partitioner.class"])
@pytest.mark.parametrize("is_measured", [True, False])
def test_a_partitioner_of_the_jobs_own_is_not_replaced_unasked(
    name: str, *, is_measured: bool
) -> None:
    # it may send all keys of a category to one reducer, and the results may rest on that
    evidence = unbalanced(15_400, **{name: "com.example.ByRegion"})
    file = evidence.partition_file if is_measured else None

    mine = [
        one
        for one in advice(replace(evidence, partition_file=file))
        if one.cause == "improper_partition.unbalanced"
    ]

    assert [one.kind for one in mine] == ["code"]
    assert mine[0].text.startswith("com.example.ByRegion is the job's own partitioner. ")
    assert ("15,400 records instead of 60,000" in mine[0].text) is is_measured


def test_a_job_of_the_old_api_gets_the_partitioner_of_the_old_api() -> None:
    evidence = unbalanced(15_400, **{"mapred.mapper.new-api": "false"})

    partitioner = line(evidence, "mapred.partitioner.class")
    assert partitioner.new == "org.apache.hadoop.mapred.lib.TotalOrderPartitioner"


def test_where_one_key_is_more_than_a_partitions_share_it_has_to_be_split() -> None:
    evidence = unbalanced(40_000)

    mine = [one for one in advice(evidence) if one.cause == "improper_partition.unbalanced"]

    assert [one.kind for one in mine] == ["data"]
    # 40,000 records where the mean is 15,200: in three parts each is below it
    assert "mod 3" in mine[0].text


def test_without_sampled_keys_the_advice_says_how_to_sample_them() -> None:
    evidence = replace(unbalanced(15_400), partition_file=None)

    mine = [one for one in advice(evidence) if one.cause == "improper_partition.unbalanced"]

    assert [one.kind for one in mine] == ["code"]
    assert "--keys" in mine[0].text


def test_a_buffer_that_was_never_there_leaves_a_quarter_of_the_heap_to_the_mapper() -> None:
    # 300 MB asked of 240: 0.85 * 240 MB - 60 MB = 144 MB
    evidence = map_attempt(place="init", map_buffer=MapBuffer(300 * MIB, allocated=False))
    assert line(evidence, "mapreduce.task.io.sort.mb").new == "144"


def shuffled(sizes_mib: tuple[int, ...], held_mib: int = 190, limit_mib: int = 175) -> Evidence:
    sizes = tuple(size * MIB for size in sizes_mib)
    return reduce_attempt(
        place="shuffle",
        shuffle=Shuffle(limit_mib * MIB, 185 * MIB, held_bytes=held_mib * MIB),
        composition=Composition(
            framework_bytes=(held_mib + 10) * MIB, shuffle_bytes=held_mib * MIB
        ),
        partitions=Partitions(0, records=tuple(s // 100 for s in sizes), bytes=sizes),
        reducers=len(sizes),
    )


def test_the_largest_of_nearly_even_partitions_has_to_fit_and_not_the_mean() -> None:
    # 1,200 MB in all; 0.85 * 240 - 50 = 154 MB of room: 1,200 / 154 -> 8, and 380 / 300 times more
    even, nearly = shuffled((300,) * 4), shuffled((380, 240, 300, 280))
    assert line(even, "mapreduce.job.reduces").new == "8"
    assert line(nearly, "mapreduce.job.reduces").new == "10"


def test_a_shuffle_that_held_more_above_its_bound_gets_a_smaller_ratio() -> None:
    ratio = "mapreduce.reduce.shuffle.input.buffer.percent"
    # (204 MB - what is not map output) / (times the bound that was held * 256 MB), down to 0.05s
    within = line(shuffled((230, 225, 235), held_mib=150, limit_mib=140), ratio)
    above = line(shuffled((230, 225, 235), held_mib=210, limit_mib=105), ratio)
    assert within.new == "0.35"  # 114 / (1.25 * 256) = 0.356
    assert above.new == "0.25"  # two thirds of 105 / 256 = 0.27, and 174 / (2 * 256) = 0.34
    assert above.predicted_peak_bytes == 30 * MIB + round(2 * 0.25 * 256 * MIB)


@pytest.mark.parametrize(("whole", "parts"), [(True, "2 parts"), (False, "4 parts")])
def test_of_a_group_that_was_not_counted_to_its_end_twice_as_many_parts_are_safe(
    whole: bool, parts: str
) -> None:
    # 200 MB held, 40 MB beside it: 200 / (204 - 40) -> 2
    groups = GroupSizes(Group(31, 50_000, whole=whole), Distribution.of([9] * 7), all_reducers=True)
    evidence = with_growth(
        reduce_attempt(groups=groups), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    (found,) = [one for one in advice(evidence) if one.cause == "hotspot_key"]
    assert parts in found.text


@pytest.mark.parametrize(
    ("heap_gib", "memory_mb"), [(1.0, 1280), (3.0, 3840), (3.3, 4608), (4.1, 5632)]
)
def test_a_container_is_asked_for_in_the_steps_of_a_scheduler(
    heap_gib: float, memory_mb: int
) -> None:
    # 1.25 times the heap, up to the next 128 MB; beyond 4 GB to the next 512 MB
    assert container_for(round(heap_gib * GIB)) == memory_mb


@pytest.mark.parametrize(("lines_now", "advised"), [("1000", "500"), ("1", None), ("x", None)])
def test_splits_by_lines_get_fewer_lines_or_no_advice(lines_now: str, advised: str | None) -> None:
    conf = {
        "mapreduce.job.inputformat.class": "org.apache.hadoop.mapreduce.lib.input.NLineInputFormat",
        "mapreduce.input.lineinputformat.linespermap": lines_now,
    }
    evidence = words(0.9, **conf)
    found = [one for one in advice(evidence) if one.cause == "large_input_split"]
    assert [(one.property or "").rpartition(".")[2] for one in found] == (
        ["linespermap"] if advised else []
    )
    assert [one.new for one in found] == ([advised] if advised else [])


def test_more_reducers_are_more_than_there_are() -> None:
    # a mean partition just larger than a reducer's heap, in a job that has plenty of reducers
    evidence = shuffled((270,) * 3, held_mib=100, limit_mib=600)
    evidence = replace(evidence, memory=replace(evidence.memory, usable_bytes=2000 * MIB,
                                                live_bytes_at_death=2000 * MIB))  # fmt: skip
    shuffle = Shuffle(1900 * MIB, 1900 * MIB, held_bytes=1900 * MIB)
    found = line(replace(evidence, shuffle=shuffle), "mapreduce.job.reduces")
    assert (found.old, found.new) == ("3", "4")


@pytest.mark.parametrize(("when", "heap"), [("setup", True), ("loading", False)])
def test_a_larger_heap_is_advised_for_data_that_was_loaded_whole_only(
    when: str, heap: bool
) -> None:
    one = replace(holder("this.model", 130 * MIB), loaded_before_first_record=True)
    load = ExternalLoad(130 * MIB, (key_of("this.model"),), when, MODEL_FILE)  # type: ignore[arg-type]
    evidence = map_attempt(holders=(one,), external=load)
    assert any(one.property == "mapreduce.map.java.opts" for one in advice(evidence)) is heap


def test_what_the_driver_sets_in_its_code_is_to_be_changed_there() -> None:
    old = "mapreduce.job.partitioner.class"
    evidence = replace(
        unbalanced(15_400, **{old: "com.example.ByRegion"}), set_in_code=frozenset({old})
    )
    split = "mapreduce.input.fileinputformat.split.maxsize"

    (mine,) = [one for one in advice(evidence) if one.cause == "improper_partition.unbalanced"]

    assert mine.kind == "code"
    assert "setPartitionerClass(TotalOrderPartitioner.class)" in mine.text
    assert "instead of 60,000" in mine.text
    assert "overrides -D" in line(replace(words(), set_in_code=frozenset({split})), split).text
    assert "overrides -D" not in line(words(), split).text


@pytest.mark.parametrize(
    "name", ["mapreduce.job.output.group.comparator.class", "mapred.output.value.groupfn.class"]
)
def test_a_job_with_groups_of_its_own_is_not_told_to_cut_whole_keys(name: str) -> None:
    evidence = unbalanced(15_400, **{name: "com.example.ByUser"})

    (mine,) = [one for one in advice(evidence) if one.cause == "improper_partition.unbalanced"]

    assert (mine.kind, mine.property) == ("code", None)
    assert "com.example.ByUser" in mine.text


@pytest.mark.parametrize("combines", [True, False])
def test_no_input_format_comes_between_map_and_reduce(*, combines: bool) -> None:
    of_map = _one_file_a_record()
    conf = {"mapreduce.job.combine.class": "org.example.Sum"} if combines else {}
    evidence = reduce_attempt(records=of_map.records, composition=of_map.composition, conf=conf)
    (one,) = (each for each in advice(evidence) if each.cause == "large_single_record")
    assert "input format" not in one.text
    assert ("map() or the combiner write it" in one.text) == combines
    assert "let map()" in one.text
    assert "input format" in advice(of_map)[0].text


@pytest.mark.parametrize(("reducers", "sorts"), [(0, False), (2, True)])
def test_a_job_without_reducers_has_no_combiner_and_no_sort_to_leave_it_to(
    reducers: int, *, sorts: bool
) -> None:
    conf = {"mapreduce.job.combine.class": "com.x.Sum"}
    text = advice(replace(words(**conf), reducers=reducers))[0].text
    assert ("the combiner and the sort" in text) == sorts
    assert ("sort" in text) == sorts


@pytest.mark.parametrize(("mib", "advised"), [(400, True), (400_000, False)])
def test_reducers_are_at_most_ten_times_as_many_in_the_shuffle_too(
    mib: int, *, advised: bool
) -> None:
    # 10 reducers with 400,000 MB each: more than 20,000 would be needed, so it is no cause
    told = [one for one in advice(shuffling(mib, 10)) if "improper_partition" in one.cause]
    numbers = [int(one.new or 0) for one in told if one.property == "mapreduce.job.reduces"]
    assert bool(numbers) == bool(told) == advised
    assert all(10 < number <= 100 for number in numbers)


def test_a_childs_container_is_taken_to_the_end_of_the_input() -> None:
    # at a quarter of the input the child had 800 of 1,100 MB: at the end 3,200 beside 300
    jvm = ContainerProcess(1, "java", 300 * MIB, is_task=True)
    child = ContainerProcess(2, "python3 sum.py", 800 * MIB)
    facts = ContainerFacts(1024 * MIB, 1100 * MIB, processes=(jvm, child))
    memory = replace(map_attempt().memory, container_bytes=1024 * MIB)
    for done, least in ((0.25, 3500), (1.0, 1100)):
        evidence = map_attempt(
            death=killed("1.1 GB of 1 GB", 1100 * MIB),
            container=facts,
            memory=replace(memory, live_bytes_at_death=50 * MIB),
            progress=Progress(done, "bytes"),
        )
        found = line(evidence, "mapreduce.map.memory.mb")
        assert least <= int(found.new or 0) <= 1.6 * least


@pytest.mark.parametrize(
    ("conf", "none"),
    [
        ({"mapreduce.map.output.key.class": "org.apache.hadoop.io.NullWritable"}, True),
        ({"mapreduce.job.output.key.class": "org.apache.hadoop.io.NullWritable"}, True),
        (
            {
                "mapreduce.map.output.key.class": "org.apache.hadoop.io.Text",
                "mapreduce.job.output.key.class": "org.apache.hadoop.io.NullWritable",
            },
            False,
        ),
        ({}, False),
    ],
)
def test_records_without_a_key_are_not_told_to_salt_it(conf: dict[str, str], *, none: bool) -> None:
    groups = GroupSizes(Group(31, 100_000, whole=True), Distribution.of([9] * 7), all_reducers=True)
    evidence = with_growth(
        reduce_attempt(groups=groups, conf=conf), "local list", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip
    text = next(one.text for one in advice(evidence) if one.cause == "hotspot_key")
    assert ("salt the key" in text) != none
    assert ("NullWritable" in text) == none
    assert "3 parts or more" in text


@pytest.mark.parametrize(
    ("owner", "change"),
    [
        ("user", "Do not keep this.counts in memory (Job.map(), line 42). Instead, "),
        ("writer", "Let the output send this.counts more often (Job.map(), line 42): "),
        ("reader", "Do not read this.counts ahead (Job.map(), line 42): "),
        (
            "library",
            "Close or release what each call opens (Job.map(), line 42): this.counts keeps ",
        ),
    ],
)
def test_who_has_to_change_is_whoever_keeps_it(owner: Owner, change: str) -> None:
    evidence = words()
    (mine,) = evidence.holders if isinstance(evidence.holders, tuple) else ()
    evidence = replace(evidence, holders=(replace(mine, owner=owner),))

    (found,) = (one for one in advice(evidence) if one.cause == "large_accumulated_results.map")

    assert found.text.startswith(change)


@pytest.mark.parametrize(
    ("size", "says"), [(300, "no larger than others, produced"), (9 * MIB, "a single one produced")]
)
def test_less_is_to_be_made_of_a_record_that_is_no_larger_than_others(size: int, says: str) -> None:
    evidence = map_attempt(
        holders=(holder("local list", 150 * MIB, lifecycle="record"),),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
        records=RecordSizes(4001, size, Distribution.of([290, 295, 300, 310] * 50)),
    )
    text = " ".join(
        one.text for one in advice(evidence) if one.cause == "large_intermediate_results"
    )

    assert says in text
    assert ("larger record arrives" in text) is (size > 300)


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ([0, 90, 180, 180, 180, 180, 180, 180], "the bound was reached"),
        ([180 * (1 - 2 ** (-i / 1.2)) for i in range(8)], "heap with room for its limit"),
        ([180 * i / 7 for i in range(8)], "larger heap lasts until there is more data"),
    ],
)
def test_whether_a_larger_heap_helps_follows_the_law(sizes: list[float], says: str) -> None:
    size = round(sizes[-1] * MIB)
    evidence = map_attempt(
        holders=(holder("this.seen", size),),
        series=(growing_series("this.seen", [one * MIB for one in sizes]),),
    )
    text = " ".join(
        one.text for one in advice(evidence) if one.cause == "large_accumulated_results.map"
    )
    assert says in text


def test_no_larger_heap_for_data_is_advised_where_the_container_was_killed() -> None:
    model = replace(holder("this.model", 170 * MIB), loaded_before_first_record=True)
    load = ExternalLoad(170 * MIB, (model.key,), "setup", MODEL_FILE)
    of_heap = map_attempt(holders=(model,), external=load)
    room = replace(of_heap.memory, container_bytes=400 * MIB)
    of_kill = replace(of_heap, death=Death("container-physical", "beyond its limit"), memory=room)
    assert [one.cause for one in diagnose(of_kill).diagnosis.causes] == ["large_external_data"]

    def heaps(evidence: Evidence) -> list[str]:
        mine = (one for one in advice(evidence) if one.cause == "large_external_data")
        return [one.property for one in mine if one.property and "java.opts" in one.property]

    assert heaps(of_heap)
    assert not heaps(of_kill)


_SPILL = StackFrame("org.apache.hadoop.mapred.MapTask$MapOutputBuffer", "sortAndSpill", user=False)


def in_combiner(done: float | None, *stack: StackFrame) -> Evidence:
    """100 MB in a field of the combiner, beside a sort buffer of 80 MB of 240 MB."""
    base = map_attempt(
        place="combine",
        position=DeathPosition("combine", record=9000, group=4001, record_in_group=1),
        progress=Progress(done, "records of the pass") if done else Unknown("how far it was"),
        map_buffer=MapBuffer(80 * MIB, allocated=True),
        stack=stack,
        conf={"mapreduce.task.io.sort.mb": "80"},
    )
    return with_growth(base, "this.seen", 100 * MIB, lifecycle="reduce", unit="group")


def test_what_a_combiner_keeps_ends_with_its_pass_and_a_smaller_buffer_shortens_that() -> None:
    # 240 MB are live: 100 at half of the pass, so 200 at its end, beside 140 of other things
    evidence = in_combiner(0.5, _SPILL)

    code, buffer, merge = (one for one in advice(evidence) if one.cause == GROUPS)

    assert "This pass of the combiner would need 340 MB in all, and 240 MB are usable" in code.text
    assert "postpone" not in code.text
    # half of the buffer: 100 + 140 - 40 = 200 MB, less than 85 % of 240
    assert (buffer.old, buffer.new) == ("80", "40")
    assert buffer.predicted_peak_bytes == pytest.approx(200 * MIB, rel=0.02)
    # of three spills or more the merge would combine all there is of a partition
    assert (merge.property, merge.old) == ("mapreduce.map.combine.minspills", "3")


@pytest.mark.parametrize(
    "evidence", [in_combiner(0.5), in_combiner(None, _SPILL), in_combiner(0.02, _SPILL)]
)
def test_no_buffer_is_advised_for_a_merge_nor_where_the_pass_has_no_end_that_fits(
    evidence: Evidence,
) -> None:
    # a merge combines what all spills have; at 2 % of the pass no eighth of it fits
    mine = [one for one in advice(evidence) if one.cause == GROUPS]

    assert [one.kind for one in mine] == ["code"]
    assert "a pass of the combiner is over one partition" in mine[0].text
    assert "postpone" not in mine[0].text


@pytest.mark.parametrize(("lifecycle", "says"), [("map", "Let a reducer"), ("reduce", "one key")])
def test_many_open_writers_are_to_be_closed_and_nothing_can_be_sent_more_often(
    lifecycle: Lifecycle, says: str
) -> None:
    made = map_attempt if lifecycle == "map" else reduce_attempt
    unit = "record" if lifecycle == "map" else "group"
    evidence = with_growth(made(), "this.out", 170 * MIB, lifecycle=lifecycle, unit=unit, last_x=60)
    (mine,) = evidence.holders if isinstance(evidence.holders, tuple) else ()
    writers = replace(mine, owner="writer", length=61, element_class=mine.key.class_name)
    evidence = replace(evidence, holders=(writers,))

    found = next(one for one in advice(evidence) if one.cause.startswith("large_accumulated"))

    assert found.text.startswith("61 record writers are open, and each keeps its buffers")
    assert says in found.text
    assert "more often" not in found.text


@pytest.mark.parametrize(("spare_mib", "said"), [(0, False), (30, False), (90, True)])
def test_an_array_that_larger_contents_left_is_to_be_released(spare_mib: int, said: bool) -> None:
    evidence = with_growth(reduce_attempt(), "this.rows", 90 * MIB, lifecycle="group",
                           unit="record_in_group")  # fmt: skip
    text = replace(holder("this.text", 100 * MIB, lifecycle="reduce", class_name="Text"),
                   spare_bytes=spare_mib * MIB)  # fmt: skip
    evidence = replace(evidence, holders=(*evidence.held, text))

    advice = [one.text for one in advise(diagnose(evidence)).diagnosis.advice]

    released = [one for one in advice if one.startswith("Release the room of this.text: ")]
    assert len(released) == said
    assert all("90 MB of its 100 MB are not in use" in one for one in released)
