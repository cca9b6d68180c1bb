"""The table of messages: every entry, by its examples, and its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.catalogue import load_cases, replay_case
from mprof.messages import MESSAGES, Message, message_page, read_messages, write_pages
from mprof.messages.message import Example

ROOT = Path(__file__).parents[2]
EXAMPLES = [(one, example) for one in MESSAGES for example in one.examples]


@pytest.mark.parametrize(
    ("message", "example"), EXAMPLES, ids=[f"{m.id}: {e.title}" for m, e in EXAMPLES]
)
def test_a_message_speaks_where_its_examples_say(message: Message, example: Example) -> None:
    evidence = example.evidence()

    found = {one.id: reading for one, reading in read_messages(evidence)}

    assert example.speaks == (message.id in found)
    for reading in found.values():
        assert "None" not in reading.sentence + reading.next_step
        assert reading.sentence.endswith((".", "?"))
        assert all(one.new and one.text.endswith(".") for one in reading.settings)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: one.id)
def test_every_message_has_an_example_of_both_kinds_and_a_source(message: Message) -> None:
    assert {True, False} == {one.speaks for one in message.examples}
    assert message.sources
    assert message.id == message.module.rsplit(".", 1)[-1]


def test_the_pages_are_those_that_the_files_make(tmp_path: Path) -> None:
    write_pages(tmp_path / "messages")
    committed = ROOT / "docs" / "reference" / "messages"

    made = {each.name: each.read_text() for each in (tmp_path / "messages").iterdir()}

    assert {each.name: each.read_text() for each in committed.iterdir()} == made


def test_every_file_is_in_the_table() -> None:
    package = ROOT / "mprof" / "messages"
    files = {
        each.stem for folder in ("known", "leaks") for each in (package / folder).glob("*.py")
    } - {"__init__"}

    assert files == {one.id for one in MESSAGES}
    assert len(MESSAGES) == len(files)


def test_a_page_is_found_by_its_id_and_nothing_else_is() -> None:
    page = message_page("sort-buffer_does_not_fit")

    assert page is not None
    assert page.startswith("# The sort buffer does not fit")
    assert message_page("heap") is None


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
    for example in message.examples[:1]:
        reading = message.reads(example.evidence())

        assert reading is not None
        (setting,) = reading.settings
        assert (setting.property, setting.old) == ("mapreduce.task.io.sort.mb", "400")
        assert heap_mb // 4 < int(setting.new) <= heap_mb // 2
        assert "-Xmx800m" in setting.text
        assert "-Xmx256m" in reading.sentence
