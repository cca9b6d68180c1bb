"""The table of messages: every entry, by its examples, and its pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.logged_deaths import attempt, ended, failed, limits, out_of_memory
from builders.message_examples import EXAMPLES, Example

from development.pages.messages import HEADINGS, write_pages
from mprof.catalogue import load_cases, replay_case
from mprof.code_site import CodeSite
from mprof.evidence import ContainerFacts, ContainerProcess, Evidence, Job, Kind
from mprof.evidence.container import DirectHolder
from mprof.messages import MESSAGES, Message, Reading, read_messages
from mprof.trace import Death
from mprof.units import MIB

ROOT = Path(__file__).parents[2]
EVERY = [(name, example) for name, examples in EXAMPLES.items() for example in examples]


@pytest.mark.parametrize(("name", "example"), EVERY, ids=[f"{n}: {e.title}" for n, e in EVERY])
def test_a_message_speaks_where_its_examples_say(name: str, example: Example) -> None:
    evidence = example.evidence()

    found = {one.id: reading for one, reading in read_messages(evidence)}

    assert example.speaks == (name in found)
    for reading in found.values():
        assert "None" not in reading.sentence + reading.next_step
        assert reading.sentence.endswith((".", "?"))
        assert all(one.new and one.text.endswith(".") for one in reading.settings)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: one.id)
def test_every_message_has_an_example_of_both_kinds_a_source_and_a_page(message: Message) -> None:
    lines = message.page.split("\n")[1:]

    assert {one.speaks for one in EXAMPLES[message.id]} == {True, False}
    assert message.sources
    assert tuple(line for line in lines if line and not line.startswith(" ")) == HEADINGS


def test_ids_are_unique_and_every_example_is_of_a_message() -> None:
    ids = [one.id for one in MESSAGES]

    assert sorted(ids) == sorted(set(ids))
    assert set(EXAMPLES) == set(ids)


def test_the_pages_are_those_that_the_files_make(tmp_path: Path) -> None:
    write_pages(tmp_path / "messages")
    committed = ROOT / "docs" / "reference" / "messages"

    made = {each.name: each.read_text() for each in (tmp_path / "messages").iterdir()}

    assert {each.name: each.read_text() for each in committed.iterdir()} == made


@pytest.mark.parametrize(
    ("slug", "message", "proof"),
    [
        ("file-systems", "file_system_never_closed", "known to"),
        ("mapper-threads", "multithreaded_mapper", "known to"),
        ("direct-buffers", "direct_memory", "proves"),
        ("metaspace", "class_memory", "proves"),
        ("too-many-threads", "no_more_threads", "proves"),
    ],
)
def test_a_recorded_job_is_told_what_is_known_of_it(slug: str, message: str, proof: str) -> None:
    case = next(one for one in load_cases(ROOT / "cases") if one.slug == slug)

    found = replay_case(case).diagnosed

    said = {one.message.id: one.reading.proof for one in found.diagnosis.said}
    assert said[message] == proof
    # knowledge beside a measurement names no cause, and changes none
    named = {one.cause for one in found.diagnosis.causes}
    assert not named & {one.id for one in MESSAGES}


def test_recorded_jobs_of_another_kind_are_told_nothing() -> None:
    cases = [one for one in load_cases(ROOT / "cases") if one.evidence.is_dir()]
    plain = [one for one in cases if one.slug in {"in-mem-word-count", "hash-join", "reduce-merge"}]

    assert len(plain) == 3
    assert [()] * 3 == [replay_case(one).diagnosed.diagnosis.said for one in plain]


def test_the_buffer_that_is_advised_is_one_that_the_jvm_can_allocate() -> None:
    # With Serial, Parallel and G1 of JDK 17 half of -Xmx fits beside 8 MB of live objects, at
    # -Xmx100m, 256m and 1024m; the old generation of the first two is two thirds of the heap.
    heap_mb, message = 256, next(one for one in MESSAGES if one.id == "sort_buffer_does_not_fit")
    for example in EXAMPLES[message.id][:1]:
        reading = message.reads(example.evidence())

        assert reading is not None
        (setting,) = reading.settings
        assert (setting.property, setting.old) == ("mapreduce.task.io.sort.mb", "400")
        assert heap_mb // 4 < int(setting.new) <= heap_mb // 2
        assert "-Xmx800m" in setting.text
        assert "-Xmx256m" in reading.sentence


def reading_of(evidence: Evidence, name: str) -> Reading:
    return {one.id: reading for one, reading in read_messages(evidence)}[name]


def test_a_buffer_of_unknown_size_proves_nothing_and_no_size_is_advised() -> None:
    # the job may have Hadoop's default of 100 MB, and something else filled the heap before
    unknown = out_of_memory(
        "org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init", memory=limits(heap_mb=1024)
    )

    reading = reading_of(unknown, "sort_buffer_does_not_fit")

    assert (reading.proof, reading.settings) == ("suggests", ())


def test_a_heap_as_large_as_its_container_proves_nothing_where_the_processes_are_known() -> None:
    # the program of a Streaming job took three quarters of the container, the JVM the rest
    processes = (
        ContainerProcess(1, "java", 256 * MIB, is_task=True),
        ContainerProcess(2, "python3 mapper.py", 768 * MIB),
    )
    memory = limits(heap_mb=1024, container_mb=1024)
    alone = ended("", kind="container-physical", memory=memory)
    listed = replace(alone, container=ContainerFacts(processes=processes))

    assert reading_of(alone, "heap_leaves_no_room").proof == "proves"
    assert reading_of(listed, "heap_leaves_no_room").proof == "suggests"


def test_an_option_of_a_master_that_names_the_error_does_not_say_that_it_met_it() -> None:
    virtual = (
        "Container is running beyond virtual memory limits. Dump of the process-tree: java "
        "-Xmx1024m -XX:+HeapDumpOnOutOfMemoryError org.apache.hadoop.mapreduce.v2.app.MRAppMaster"
    )

    reading = reading_of(ended(virtual, kind="application-master"), "application_master_died")

    assert (reading.proof, reading.settings) == ("suggests", ())


def test_groups_of_counters_are_not_called_counters_in_hadoop_1() -> None:
    groups = failed(
        "java.lang.RuntimeException: Error: Exceeded limits on number of groups in counters - "
        "Groups=51 Limit=50"
    )

    assert "more than 50 groups of counters, so" in reading_of(groups, "too_many_counters").sentence


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=/data/d -Xmx1g", "at /data/d ("),
        ("-Xmx1g -XX:+HeapDumpOnOutOfMemoryError", "deleted with the task"),
        ("-XX:+HeapDumpOnOutOfMemoryError -XX:-HeapDumpOnOutOfMemoryError", "makes a heap dump"),
        ("-Xmx1g", "makes a heap dump"),
    ],
)
def test_a_dump_that_the_options_ask_for_is_not_asked_for_again(options: str, said: str) -> None:
    evidence = out_of_memory("com.example.Job.map", conf={"mapreduce.map.java.opts": options})

    steps = [one.next_step for _, one in read_messages(evidence) if "dump" in one.next_step]

    assert steps
    assert all(said in one for one in steps)


def test_of_hadoop_1_a_heap_dump_is_advised_only_where_a_heap_was_full() -> None:
    job = Job("job_201305060708_0042")
    full = replace(out_of_memory("com.example.Job.map"), job=job)
    direct = replace(
        attempt(Death("direct", "java.lang.OutOfMemoryError: Direct buffer memory")), job=job
    )

    steps = [
        " ".join(reading.next_step for _, reading in read_messages(one)) for one in (full, direct)
    ]

    assert ["HeapDumpOnOutOfMemoryError" in one for one in steps] == [True, False]


@pytest.mark.parametrize(
    ("frames", "name"),
    [
        (
            ("java.util.HashMap.resize", "java.util.HashMap.put", "java.util.HashSet.add"),
            "a HashSet",
        ),
        (("java.util.ArrayList.grow", "java.util.Iterator.forEachRemaining"), "an ArrayList"),
        (
            (
                "scala.collection.mutable.ResizableArray$class.ensureSize",
                "scala.collection.mutable.ArrayBuffer.ensureSize",
                "scala.collection.AbstractIterator.toArray",
            ),
            "an ArrayBuffer",
        ),
        (("gnu.trove.impl.hash.TPrimitiveHash.rehash",), "a TPrimitiveHash"),
    ],
)
def test_the_collection_is_named_and_neither_its_helpers_nor_what_goes_over_it(
    frames: tuple[str, ...], name: str
) -> None:
    one = next(each for each in MESSAGES if each.id == "collection_was_enlarged")

    reading = one.reads(out_of_memory("java.util.Arrays.copyOf", *frames, "com.example.Job.map"))

    assert reading is not None
    assert f"while {name} was being enlarged for com.example.Job.map" in reading.sentence


def test_of_a_task_that_stood_still_the_listed_stack_is_read_and_none_is_asked_for() -> None:
    words = (
        "Timed out after 40 secs (diagnostics); its heap was not full: after the last collections "
        "at most 81 MB of 128 MB (event log) were live"
    )
    still = ended(words)
    stack = (
        *(CodeSite("java.util.regex.Pattern$Loop", "match") for _ in range(90)),
        CodeSite("com.example.Parse$Mapper", "map", "Parse.java", 41),
        CodeSite("org.apache.hadoop.mapred.MapTask", "run"),
    )
    listed = replace(still, death=replace(still.death, stack=stack))

    step = reading_of(listed, "task_timeout").next_step
    assert "com.example.Parse$Mapper.map (Parse.java:41)" in step
    assert "jstack" not in step
    assert "jstack" in reading_of(still, "task_timeout").next_step


def test_a_death_of_direct_buffers_names_the_field_that_holds_them_in_a_dump() -> None:
    death = Death("direct", "java.lang.OutOfMemoryError: Direct buffer memory")
    plain = attempt(death)
    held = DirectHolder("this.channels (Encode.channels)", "java.util.HashMap", 120 * MIB, 250)
    named = replace(plain, container=ContainerFacts(direct=held))

    told = [reading_of(one, "direct_memory") for one in (plain, named)]

    words = "this.channels (Encode.channels), HashMap, holds 250 direct buffers, 120 MB in all."
    assert [words in one.sentence for one in told] == [False, True]
    assert "a heap dump" in told[0].next_step
    assert "this.channels (Encode.channels)" in told[1].next_step


@pytest.mark.parametrize(
    ("kind", "begins"),
    [("heap", "The heap ran out while"), ("gc-overhead", "The collector gave up while")],
)
def test_a_collector_that_gave_up_did_so_at_any_allocation(kind: Kind, begins: str) -> None:
    evidence = out_of_memory(
        "java.util.HashMap.resize", "java.util.HashMap.put", "com.example.Job.map", kind=kind
    )
    reading = next(
        found for one, found in read_messages(evidence) if one.id == "collection_was_enlarged"
    )

    assert reading.sentence.startswith(begins)
    assert ("need not be what filled the heap" in reading.sentence) is begins.endswith("up while")


def test_a_map_in_a_class_of_the_metastore_is_nobodys_code() -> None:
    evidence = out_of_memory(
        "java.util.HashMap.resize",
        "java.util.HashMap.put",
        "org.apache.hadoop.hive.metastore.api.SerDeInfo$SerDeInfoStandardScheme.read",
    )

    assert "collection_was_enlarged" not in {one.id for one, _ in read_messages(evidence)}
