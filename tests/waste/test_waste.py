"""What a heap could do without: byte for byte on a real dump, and as a walk of each object says."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from builders.hprof_builder import Builder
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.heap import Heap, duplicate_strings, open_heap
from mprof.heap.columns import HeapColumns
from mprof.waste import Waste, collections_of, find_waste
from mprof.waste.shapes import Flaw
from mprof.waste.wasted import LoaderRow, Origin

STATIC = "static WastefulHeap."


@pytest.fixture(scope="module")
def waste(wasteful_dump: Path) -> Waste:
    return find_waste(wasteful_dump)


@pytest.fixture(scope="module")
def heap(wasteful_dump: Path) -> Heap:
    return open_heap(wasteful_dump)


def _origin(row: Any, name: str) -> tuple[int, int]:
    """Objects and bytes that come from a static field of the program."""
    (found,) = [one for one in row.origins if one.name == STATIC + name]
    return found.objects, found.saved_bytes


# Bytes by the layout of a 64-bit JVM with compressed references: an object array of n takes
# 16 + 4 n, rounded up to 8; HashMap 48, LinkedHashMap 56, ArrayList and Long 24.
COLLECTIONS = {
    ("java.util.HashMap", "empty", "EMPTY_MAPS"): 48,
    ("java.util.LinkedHashMap", "empty", "USED_AND_EMPTY"): 56 + (16 + 16 * 4),
    # the list, and its array of 10, instead of an array of 1
    ("java.util.ArrayList", "single", "SINGLE_LISTS"): 24 + 56 - 24,
    ("java.util.ArrayList", "sparse", "SPARSE_LISTS"): (16 + 1000 * 4) - 24,
    # 1024 slots, where 4 are enough for 3 at a load of 3/4
    ("java.util.HashSet", "sparse", "SPARSE_SETS"): (16 + 1024 * 4) - (16 + 4 * 4),
    ("java.util.Vector", "oversized", "VECTORS"): (16 + 8 * 4) - (16 + 4 * 4),
    ("java.lang.StringBuilder", "sparse", "BUILDERS"): (16 + 400) - 40,
    # 101 slots, where 3 elements need 4, since one is always free
    ("java.util.ArrayDeque", "sparse", "RINGS"): 424 - 32,
}


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize(("class_name", "flaw", "field"), COLLECTIONS)
def test_collections_save_what_their_right_size_leaves(
    waste: Waste, class_name: str, flaw: str, field: str
) -> None:
    (row,) = [row for row in waste.collections if (row.class_name, row.flaw) == (class_name, flaw)]
    assert (1000, 1000 * COLLECTIONS[class_name, flaw, field]) == _origin(row, field)
    assert row.saved_bytes >= 1000 * COLLECTIONS[class_name, flaw, field]


@pytest.mark.jvm
@pytest.mark.slow
def test_a_list_that_is_full_wastes_nothing(waste: Waste) -> None:
    names = {one.name for row in waste.collections for one in row.origins}
    assert STATIC + "FULL_LISTS" not in names


@pytest.mark.jvm
@pytest.mark.slow
def test_boxes_texts_and_arrays_that_are_equal_save_all_but_one(waste: Waste) -> None:
    (longs,) = [row for row in waste.boxes if row.class_name == "java.lang.Long"]
    assert (990, 990 * 24) == _origin(longs, "BOXES")
    assert longs.cached >= 256  # those of the JDK's own cache
    assert waste.strings is not None
    # "text number 0": a String of 24 and bytes of 16 + 13
    assert (996, 996 * (24 + 32)) == _origin(waste.strings, "TEXTS")
    texts = {row.text: (row.copies, row.saved_bytes) for row in waste.texts}
    assert (249, 249 * 56) == texts["text number 3"]
    (copies,) = [row for row in waste.arrays if row.class_name == "long[]"]
    assert (998, 998 * 40) == _origin(copies, "COPIES")


@pytest.mark.jvm
@pytest.mark.slow
def test_arrays_of_zeros_are_named_with_their_field(waste: Waste) -> None:
    rows = {row.class_name: row for row in waste.zeros}
    assert (1000, 1000 * 416) == _origin(rows["int[]"], "ZEROS")
    assert Origin(name="static WastefulHeap$Plugin.DATA", objects=3, saved_bytes=3 * 1016) in (
        rows["byte[]"].origins
    )


@pytest.mark.jvm
@pytest.mark.slow
def test_a_map_whose_keys_have_one_hash_is_named(waste: Waste) -> None:
    (row,) = [row for row in waste.chains if row.origin == STATIC + "CROWDED"]
    assert ("java.util.HashMap", 50, 50, 50, 49) == (
        row.class_name, row.entries, row.longest, row.equal, row.crowded)  # fmt: skip


@pytest.mark.jvm
@pytest.mark.slow
def test_class_loaders_that_one_reference_keeps_are_named_by_its_path(waste: Waste) -> None:
    plugins = [row for row in waste.loaders if row.class_name == "java.net.URLClassLoader"]
    assert [(1, 1, 16)] * 3 == [(row.classes, row.objects, row.shallow_bytes) for row in plugins]
    paths = [" / ".join(row.held_by) for row in plugins if row.held_by is not None]
    assert 2 == len(paths)  # the third is held by a list and by an array
    assert any("keptOnce" in path for path in paths)
    assert any("ThreadLocal" in path for path in paths)
    (row,) = [row for row in waste.several if row.class_name == "WastefulHeap$Plugin"]
    assert (3, 3) == (row.loaders, row.objects)


@pytest.mark.jvm
@pytest.mark.slow
def test_lengths_and_room_are_those_that_a_walk_of_each_collection_finds(
    wasteful_dump: Path, heap: Heap
) -> None:
    columns = HeapColumns(wasteful_dump)
    seen = 0
    for part in collections_of(columns):
        for node, length, capacity in zip(
            part.nodes.tolist(), part.lengths.tolist(), part.capacities.tolist(), strict=True
        ):
            found = heap.container(node)
            assert found is not None, heap.class_name(node)
            assert length == found.length, heap.class_name(node)
            assert capacity in (found.capacity, -1 if found.capacity < 0 else None), (
                heap.class_name(node))  # fmt: skip
            seen += 1
    assert seen > 8000


@pytest.mark.jvm
@pytest.mark.slow
def test_equal_strings_are_those_that_a_walk_of_each_string_finds(waste: Waste, heap: Heap) -> None:
    expected = duplicate_strings(heap, limit=20)
    assert waste.strings is not None
    assert (expected.copies, expected.wasted_bytes) == (
        waste.strings.copies, waste.strings.saved_bytes)  # fmt: skip
    assert [(row.text, row.copies, row.wasted_bytes) for row in expected.texts] == [
        (row.text, row.copies, row.saved_bytes) for row in waste.texts
    ]


@pytest.mark.jvm
@pytest.mark.slow
def test_boxes_and_arrays_are_those_that_a_walk_of_each_object_finds(
    waste: Waste, heap: Heap
) -> None:
    for row in waste.boxes:
        nodes = heap.instances(row.class_name).tolist()
        values = Counter(repr(heap.fields(node)["value"]) for node in nodes)
        size = heap.shallow(nodes[0])
        assert (len(nodes), len(values), size * (len(nodes) - len(values))) == (
            row.objects, row.distinct, row.saved_bytes)  # fmt: skip
    texts = {heap.fields(node)["value"] for node in heap.instances("java.lang.String").tolist()}
    for copies in waste.arrays:
        groups: dict[bytes, list[int]] = defaultdict(list)
        for node in heap.instances(copies.class_name).tolist():
            content = heap.primitive_array(node).tobytes()
            if any(content) and node not in texts:
                groups[content].append(heap.shallow(node))
        repeated = [sizes for sizes in groups.values() if len(sizes) > 1]
        assert len(repeated) == copies.distinct
        assert sum(map(len, repeated)) - len(repeated) == copies.copies
        assert sum(sum(sizes[1:]) for sizes in repeated) == copies.saved_bytes


# --- built heaps ----------------------------------------------------------------------------------


WIDE = {"reference": 8, "header": 16, "array_header": 24, "base": 0x7F00_0000_0000}
"""Without compressed pointers."""


class _Sized(Builder):
    def sizes_of(self, one: int) -> int:
        """Bytes of an object, and of the map inside a set."""
        held = self._by_identifier[one]
        inner = held.values.get("map")
        return held.size + (self._by_identifier[inner].size if isinstance(inner, int) else 0)


def _lists_and_maps(seed: int, **options: Any) -> tuple[bytes, dict[int, tuple[int, int, int]]]:
    """Lists and maps of random size and room, and of each: length, slots, flaw."""
    chance, builder = random.Random(seed), _Sized(**options)
    builder.class_("java.util.ArrayList", fields={"size": "int", "elementData": "object"})
    builder.class_("java.util.HashMap", fields={"table": "object", "size": "int"})
    links = {"hash": "int", "key": "object", "value": "object", "next": "object"}
    builder.class_("java.util.HashMap$Node", fields=links)
    builder.class_("java.util.HashSet", fields={"map": "object"})
    truth: dict[int, tuple[int, int, int]] = {}
    held = []
    for _ in range(chance.randrange(5, 40)):
        length, kind = chance.choice([0, 1, 2, 3, 9, 20]), chance.randrange(3)
        if kind == 0:
            room = length + chance.choice([0, 0, 1, 5, 100])
            element = builder.string("x")
            array = builder.array("java.lang.Object", [element] * length + [0] * (room - length))
            one = builder.instance("java.util.ArrayList", size=length, elementData=array)
            needed = length
        else:
            room = chance.choice([64, 128, 1024])
            nodes = [builder.instance("java.util.HashMap$Node", hash=n) for n in range(length)]
            array = builder.array("java.util.HashMap$Node", nodes + [0] * (room - length))
            one = builder.instance("java.util.HashMap", table=array, size=length)
            if kind == 2:
                one = builder.instance("java.util.HashSet", map=one)
            needed = 1
            while needed * 0.75 < length:
                needed *= 2
        held.append(one)
        size = builder._array_size(builder.reference, room)
        saved = size - builder._array_size(builder.reference, needed)
        flaw = Flaw.none
        if length == 0:
            flaw = Flaw.empty
            saved = size + builder.sizes_of(one)
        elif length == 1:
            flaw = Flaw.single
            replaced = builder._array_size(builder.reference, 2 if kind == 1 else 1)
            entry = 0 if kind == 0 else builder._instance_size(
                builder._classes["java.util.HashMap$Node"])  # fmt: skip
            saved = size + builder.sizes_of(one) + entry - replaced
        elif saved > 0:
            flaw = Flaw.sparse if length < room / 4 else Flaw.oversized
        truth[one] = (length, int(flaw), saved if flaw else 0)
    builder.class_("app.Main", statics={"ALL": ("object", builder.array("java.lang.Object", held))})
    return builder.build(), truth


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 30), st.sampled_from([{}, WIDE]))
def test_random_collections_have_the_flaw_and_the_bytes_that_were_built(
    tmp_path_factory: pytest.TempPathFactory, seed: int, options: dict[str, Any]
) -> None:
    data, truth = _lists_and_maps(seed, **options)
    path = tmp_path_factory.mktemp("built") / "built.hprof"
    path.write_bytes(data)
    columns = HeapColumns(path)
    found = {}
    for part in collections_of(columns):
        addresses = columns.heads(part.nodes).addresses.tolist()
        rows = zip(part.lengths.tolist(), part.flaws.tolist(), part.wasted.tolist(), strict=True)
        found |= dict(zip(addresses, rows, strict=True))
    assert truth == found
    waste = find_waste(path)
    assert sum(saved for *_, saved in truth.values()) == sum(
        row.saved_bytes for row in waste.collections
    )
    assert {"static app.Main.ALL"} >= {one.name for row in waste.collections for one in row.origins}


def test_an_array_that_two_lists_share_is_no_waste_of_either(tmp_path: Path) -> None:
    # ALL -> two lists -> one array of 100, which would be freed with neither
    builder = Builder()
    builder.class_("java.util.ArrayList", fields={"size": "int", "elementData": "object"})
    array = builder.array("java.lang.Object", [builder.string("a"), builder.string("b")] + [0] * 98)
    lists = [builder.instance("java.util.ArrayList", size=2, elementData=array) for _ in range(2)]
    builder.class_(
        "app.Main", statics={"ALL": ("object", builder.array("java.lang.Object", lists))}
    )
    path = tmp_path / "shared.hprof"
    path.write_bytes(builder.build())
    assert () == find_waste(path).collections


def test_a_heap_of_nothing_wastes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "nothing.hprof"
    path.write_bytes(Builder().build())
    waste = find_waste(path)
    assert ((), (), None, (), (), (), ()) == (
        waste.collections, waste.boxes, waste.strings, waste.texts, waste.arrays, waste.zeros,
        waste.chains)  # fmt: skip


def _loader(path: Path, *, holders: int, weak: bool) -> LoaderRow:
    """A loader with two classes, which refer to it, under so many fields, and a weak reference."""
    builder = Builder()
    builder.class_("java.lang.ClassLoader", fields={"name": "object"})
    builder.class_("app.Loader", above="java.lang.ClassLoader", fields={"classes": "object"})
    builder.class_("java.lang.ref.Reference", fields={"referent": "object"})
    builder.class_("java.lang.ref.WeakReference", above="java.lang.ref.Reference")
    builder.class_("app.Holder", fields={"loader": "object"})
    loader = builder.instance("app.Loader")
    classes = [builder.class_(f"app.Plugin{n}", loader=loader) for n in range(2)]
    builder.set(loader, classes=builder.array("java.lang.Class", classes))
    held = [builder.instance("app.Holder", loader=loader) for _ in range(holders)]
    if weak:
        held.append(builder.instance("java.lang.ref.WeakReference", referent=loader))
    everything = builder.array("java.lang.Object", held)
    builder.class_("app.Main", statics={"ALL": ("object", everything)})
    path.write_bytes(builder.build())
    (row,) = [row for row in find_waste(path).loaders if row.class_name == "app.Loader"]
    return row


@pytest.mark.parametrize("weak", [False, True])
def test_a_loader_is_named_where_one_reference_from_outside_keeps_it(
    tmp_path: Path, weak: bool
) -> None:
    one = _loader(tmp_path / "one.hprof", holders=1, weak=weak)
    assert (2, ("static app.Main.ALL -> java.lang.Object[]", "[0] -> app.Holder",
                "loader -> app.Loader")) == (one.classes, one.held_by)  # fmt: skip
    assert _loader(tmp_path / "two.hprof", holders=2, weak=weak).held_by is None
