"""Two dumps, one after the other: what grew is what the program is known to have added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders.hprof_builder import Builder, FrameSpec
from typer.testing import CliRunner

import mprof
from mprof.cli.subcommands import app
from mprof.errors import UsageError
from mprof.objects.comparison import HeapComparison, HolderChange, compare_dumps

TICK = 4000  # elements of each tick's array


def _dump(
    folder: Path, name: str, *, ticks: int, cached: int, salt: int = 0, native: int = 0
) -> Path:
    """A static list of ticks, a static map of buffers, and a thread that works on the list."""
    builder = Builder(base=0x7_0000_0000 if name != "moved" else 0x7_1000_0000)
    builder.class_("java.util.ArrayList", fields={"size": "int", "elementData": "object"})
    builder.class_("java.util.ImmutableCollections", statics={"SALT32L": ("long", salt)})
    builder.class_("java.lang.Thread", fields={"name": "object", "eetop": "long"})
    builder.class_("app.Tick", fields={"data": "object"})
    builder.class_("app.Feed")
    for field, count in (("LISTENERS", ticks), ("CACHE", cached)):
        held = [
            builder.instance("app.Tick", data=builder.primitives("byte", [0] * TICK))
            for _ in range(count)
        ]
        array = builder.array("java.lang.Object", held)
        whole = builder.instance("java.util.ArrayList", size=count, elementData=array)
        builder.set_static("app.Feed", field, "object", whole)
    thread = builder.thread("main", [FrameSpec("app.Feed", "read", "Feed.java", 12)])
    builder.set(thread, eetop=native)
    path = folder / f"{name}.hprof"
    path.write_bytes(builder.build())
    return path


def _holder(found: HeapComparison, name: str) -> HolderChange:
    return next(one for one in found.holders if one.name == name)


def test_the_sum_of_what_was_added_is_the_growth(tmp_path: Path) -> None:
    before = _dump(tmp_path, "a", ticks=100, cached=80)
    after = _dump(tmp_path, "b", ticks=400, cached=30)
    found = compare_dumps(before, after)

    tick = 16 + (TICK + 16)  # the object and its array
    assert [one.name for one in found.holders] == ["static app.Feed.LISTENERS",
                                                   "static app.Feed.CACHE"]  # fmt: skip
    grown, shrunk = found.holders
    assert 300 * (tick + 4) == grown.growth_bytes  # and a reference in the list's array
    assert -50 * (tick + 4) == shrunk.growth_bytes
    assert (100, 400) == (grown.length_before, grown.length_after)
    assert (80, 30) == (shrunk.length_before, shrunk.length_after)
    assert "app.Tick" == grown.element_class
    assert 250 * (tick + 4) == found.growth_bytes
    rows = {one.name: one for one in found.classes}
    assert 250 == rows["app.Tick"].growth_objects == rows["byte[]"].growth_objects
    assert 250 * 16 == rows["app.Tick"].growth_bytes
    grew = {name for name, one in rows.items() if one.growth_bytes}
    assert grew == {"app.Tick", "byte[]", "java.lang.Object[]"}  # of others what they retain
    assert sum(one.growth_bytes for one in found.classes) == found.growth_bytes


def test_the_other_way_round_everything_has_the_other_sign(tmp_path: Path) -> None:
    before = _dump(tmp_path, "a", ticks=100, cached=80)
    after = _dump(tmp_path, "b", ticks=400, cached=30)
    there, back = compare_dumps(before, after), compare_dumps(after, before)
    for one in ("holders", "classes"):
        assert {row.name: row.growth_bytes for row in getattr(there, one)} == {
            row.name: -row.growth_bytes for row in getattr(back, one)
        }
    assert there.growth_bytes == -back.growth_bytes


def test_a_holder_that_was_not_there_grew_from_nothing(tmp_path: Path) -> None:
    found = compare_dumps(
        _dump(tmp_path, "a", ticks=0, cached=80), _dump(tmp_path, "b", ticks=90, cached=80)
    )
    listeners = _holder(found, "static app.Feed.LISTENERS")
    assert 0 == listeners.bytes_before
    assert None is listeners.length_before
    assert 0 == _holder(found, "static app.Feed.CACHE").growth_bytes


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"salt": 7}, {"salt": 7}, True),
        ({"salt": 7, "native": 64}, {"salt": 8, "native": 64}, False),
        ({"native": 4096}, {"native": 4096}, True),
        ({"native": 4096}, {"native": 8192}, False),
        ({}, {}, None),
        ({"salt": 7}, {"native": 64}, None),
    ],
)
def test_one_process_is_told_by_what_it_draws_and_where_its_threads_are(
    tmp_path: Path, first: dict[str, int], second: dict[str, int], expected: bool | None
) -> None:
    before = _dump(tmp_path, "a", ticks=100, cached=80, **first)
    after = _dump(tmp_path, "b", ticks=130, cached=80, **second)
    found = compare_dumps(before, after)
    assert expected == found.same_process
    same = {one.same_object for one in found.paths}
    if expected:  # what lies in front of the new objects is where it was
        assert True in same
    else:
        assert same == {expected}


def test_an_object_that_was_moved_is_not_taken_for_the_same_one(tmp_path: Path) -> None:
    before = _dump(tmp_path, "a", ticks=100, cached=80, salt=7)
    moved = _dump(tmp_path, "moved", ticks=100, cached=80, salt=7)
    found = compare_dumps(before, moved)
    assert True is found.same_process
    assert {False} == {one.same_object for one in found.paths}
    assert 0 == found.growth_bytes


def _mprof(*words: str | Path) -> Any:
    return CliRunner().invoke(app, ["heap", *map(str, words)])


def test_the_first_sentence_says_what_grew_by_how_much_and_who_holds_it(tmp_path: Path) -> None:
    before = _dump(tmp_path, "a", ticks=100, cached=80)
    after = _dump(tmp_path, "b", ticks=400, cached=80)
    lines = _mprof(before, after).output.splitlines()
    assert lines[0] == (
        "Static app.Feed.LISTENERS grew most, by 1.2 MB (from 394 KB to 1.5 MB), 100 % of what "
        "the heap grew by: java.util.ArrayList, 100 -> 400 entries of Tick; "
        'a method in thread "main" uses it.'
    )
    assert "Holders that grew" in lines
    assert "Holders that shrank" not in lines
    lines = _mprof(after, before).output.splitlines()
    assert lines[0].startswith("No holder grew by ")
    assert "Holders that shrank" in lines


def test_json_is_what_the_api_gives(tmp_path: Path) -> None:
    before = _dump(tmp_path, "a", ticks=100, cached=80)
    after = _dump(tmp_path, "b", ticks=400, cached=80)
    value = json.loads(_mprof(before, after, "--json").stdout)
    assert mprof.compare_heaps(str(before), after).to_json() == value
    assert {"before", "after", "holders", "classes", "paths", "same_process"} <= value.keys()


@pytest.mark.parametrize("option", ["--histogram", "--strings", "--redact=out.hprof"])
def test_what_is_for_one_dump_is_refused(tmp_path: Path, option: str) -> None:
    before = _dump(tmp_path, "a", ticks=1, cached=1)
    assert isinstance(_mprof(before, before, option).exception, UsageError)
