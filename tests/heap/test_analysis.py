"""Built dumps, whole: counts, sizes, dominators and frames against a plain reading of the bytes."""

from __future__ import annotations

import random
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from builders.hprof_builder import Builder, FrameSpec
from builders.random_heaps import random_heap
from oracles.heap_oracle import read_oracle

from mprof.heap import Heap, open_heap


def _open(tmp_path: Path, data: bytes) -> Heap:
    path = tmp_path / "built.hprof"
    path.write_bytes(data)
    return open_heap(path)


GENERATIONS = [
    {"version": "1.0.1", "width": 4, "compact_strings": False},
    {"version": "1.0.1", "width": 8, "compact_strings": False},
    {"version": "1.0.2", "width": 8, "segment_bytes": 300},
    {"version": "1.0.2", "width": 8, "roots_first": True},
    {"version": "1.0.2", "width": 4, "segment_bytes": 200, "roots_first": True},
]


@pytest.mark.parametrize("options", GENERATIONS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_every_generation_of_dump_is_read_as_a_plain_reader_reads_it(
    tmp_path: Path, seed: int, options: dict[str, object]
) -> None:
    builder = random_heap(seed, **options)
    data = builder.build()
    oracle = read_oracle(data)
    heap = _open(tmp_path, data)
    assert () == heap.losses

    reached = {one for one in oracle.reachable() if isinstance(one, int)}
    assert reached == {heap.address(node) for node in range(heap.nodes) if heap.is_object(node)}
    assert len(reached) == heap.objects
    assert len(oracle.class_of) - len(reached) == heap.unreachable.objects

    sizes = {heap.address(node): heap.shallow(node) for node in range(1, heap.nodes)}
    idoms = nx.immediate_dominators(oracle.graph(), "root")
    vertex_of: dict[int, object] = {0: "root"}
    for thread in heap.threads:
        for number, frame in enumerate(thread.frames):
            vertex_of[frame.node] = ("frame", thread.serial, number)
    for node in range(1, heap.nodes):
        vertex = vertex_of.get(node, heap.address(node))
        if vertex not in idoms:
            assert not heap.threads or node in heap.frames_by_node  # a frame without locals
            continue
        above = heap.dominator(node)
        assert above is not None
        assert idoms[vertex] == vertex_of.get(above, heap.address(above))
        assert oracle.retained(vertex, sizes) == heap.retained(node)


@pytest.mark.parametrize("seed", range(20))
def test_what_no_root_reaches_has_nodes_where_they_are_asked_for(tmp_path: Path, seed: int) -> None:
    data = random_heap(seed).build()
    path = tmp_path / "built.hprof"
    path.write_bytes(data)
    oracle = read_oracle(data)
    reached = {one for one in oracle.reachable() if isinstance(one, int)}
    strays = oracle.class_of.keys() - reached
    usual = open_heap(path, references=True)

    heap = open_heap(path, references=True, paths=False, unreachable=True)

    assert {heap.address(node) for node in heap.unreachable_nodes.tolist()} == strays
    assert heap.unreachable == usual.unreachable
    assert heap.objects == usual.objects + len(strays)
    assert heap.shallow_bytes == usual.shallow_bytes + usual.unreachable.shallow_bytes
    # the tops reach all of them, and none is reached from another but in a circle
    graph = oracle.graph()
    tops = [heap.address(node) for node in heap.unreachable_tops.tolist()]
    below = [nx.descendants(graph, top) if top in graph else set() for top in tops]
    assert strays <= set(tops).union(*below)
    for number, top in enumerate(tops):
        others = set().union(*below[:number], *below[number + 1 :])
        assert top not in others
    # what roots reach keeps its dominators
    for node in range(1, usual.nodes):
        if usual.is_object(node):
            same = heap.node_at(usual.address(node))
            assert same is not None
            assert heap.retained(same) == usual.retained(node)


@pytest.mark.parametrize("seed", range(4))
def test_sizes_are_those_of_the_built_layout(tmp_path: Path, seed: int) -> None:
    builder = random_heap(seed)
    for _ in range(5):  # enough of each kind that the layout can be fitted
        for length in range(6):
            builder.primitives("byte", [0] * length)
            builder.primitives("long", [0] * length)
            builder.array("app.Node", [0] * length)
        builder.instance("app.Node")
        builder.instance("app.Sub")
    heap = _open(tmp_path, builder.build())
    assert "fitted" in heap.layout
    for node in range(1, heap.nodes):
        if heap.is_object(node) and not heap.is_class(node):
            assert builder.sizes[heap.address(node)] == heap.shallow(node), heap.class_name(node)


@pytest.mark.parametrize("seed", range(6))
def test_what_others_keep_alive_is_found_as_by_walking_up_the_dominators(
    tmp_path: Path, seed: int
) -> None:
    heap = _open(tmp_path, random_heap(seed).build())
    chance = random.Random(seed)
    above = sorted(chance.sample(range(1, heap.nodes), heap.nodes // 8))

    def walked(node: int) -> bool:
        at = heap.dominator(node)
        while at is not None and at not in above:
            at = heap.dominator(at)
        return at is not None

    expected = [node for node in range(heap.nodes) if walked(node)]
    starts, ends = heap.dominated_ranges(np.array(above, np.int64))
    found = [node for start, end in zip(starts, ends, strict=True) for node in range(start, end)]
    assert expected == found
    assert 0 < len(expected) < heap.nodes
    assert all(each.size == 0 for each in heap.dominated_ranges(np.array([], np.int64)))


def test_the_first_elements_are_those_that_have_a_node_in_order(tmp_path: Path) -> None:
    builder = Builder()
    items = [builder.primitives("byte", [0] * (i % 7)) for i in range(9000)]
    sparse = builder.array("java.lang.Object", [0, 0xDEAD0000, *items[:2], 0, *items[2:], 0])
    builder.thread("main", [FrameSpec("app.Job", "run", "Job.java", 1, [sparse, items[0]])])
    heap = _open(tmp_path, builder.build())
    array, item = heap.node_at(sparse), heap.node_at(items[0])
    assert array is not None
    assert item is not None
    nodes = [node for node in heap.elements(array).tolist() if node >= 0]
    assert len(nodes) == 9000
    for most in (0, 1, 3, 5000, 9000, 20_000):
        assert heap.first_elements(array, most) == nodes[:most]
    assert heap.first_elements(item, 5) == []


def test_static_references_are_those_of_each_class_looked_at_alone(tmp_path: Path) -> None:
    seen = 0
    for seed in range(6):
        heap = _open(tmp_path, random_heap(seed).build())
        expected = [
            (name, each.name, each.target)
            for name in dict.fromkeys(heap.class_names())
            for node, _ in heap.class_objects(name)[:1]
            for each in heap.references(node)
            if not each.name.startswith("<")
        ]
        assert expected == heap.static_references()
        seen += len(expected)
    assert seen >= 5


def test_an_object_held_by_one_frame_is_retained_by_it_and_a_shared_one_by_the_thread(
    tmp_path: Path,
) -> None:
    # thread → upper → a ; thread → lower → a, b
    builder = Builder()
    a = builder.primitives("byte", [0] * 100)
    b = builder.primitives("byte", [0] * 1000)
    builder.thread(
        "main",
        [
            FrameSpec("app.Job", "inner", "Job.java", 7, [a]),
            FrameSpec("app.Job", "outer", "Job.java", 3, [a, b]),
        ],
    )
    heap = _open(tmp_path, builder.build())
    (thread,) = heap.threads
    inner, outer = thread.frames
    node_a, node_b = heap.node_at(a), heap.node_at(b)
    assert node_a is not None
    assert node_b is not None
    assert ("app.Job", "inner", "Job.java", 7) == (
        inner.class_name, inner.method, inner.file, inner.line)  # fmt: skip
    assert 0 == inner.retained_bytes
    assert heap.shallow(node_a) == inner.reachable_bytes
    assert heap.shallow(node_b) == outer.retained_bytes
    assert heap.shallow(node_a) + heap.shallow(node_b) == outer.reachable_bytes
    assert thread.node == heap.dominator(node_a)
    assert outer.node == heap.dominator(node_b)
    assert "main" == thread.name
    steps = heap.path_from_root(node_b)
    assert ["thread", "<frame>", "<local>"] == [step.via for step in steps]
    assert outer == steps[1].frame


def test_an_object_that_waits_for_its_finalizer_is_reachable_and_spoils_no_holder(
    tmp_path: Path,
) -> None:
    # static → f1 → (final) held ← static ; static → f2 → (final) waiting → payload
    builder = Builder()
    builder.class_("java.lang.ref.Reference", fields={"referent": "object"})
    builder.class_("java.lang.ref.FinalReference", above="java.lang.ref.Reference")
    builder.class_("java.lang.ref.Finalizer", above="java.lang.ref.FinalReference")
    builder.class_("app.Thing", fields={"payload": "object"})
    held, waiting = builder.instance("app.Thing"), builder.instance("app.Thing")
    payload = builder.primitives("long", [1] * 50)
    builder.set(waiting, payload=payload)
    holder = builder.array("app.Thing", [held])
    f1 = builder.instance("java.lang.ref.Finalizer", referent=held)
    f2 = builder.instance("java.lang.ref.Finalizer", referent=waiting)
    builder.set_static("java.lang.ref.Finalizer", "unfinalized", "object",
                       builder.array("java.lang.Object", [f1, f2]))  # fmt: skip
    builder.set_static("app.Thing", "ALL", "object", holder)
    heap = _open(tmp_path, builder.build())
    node = heap.node_at(waiting)
    assert node is not None
    assert 0 == heap.dominator(node)
    assert heap.retained(node) > heap.shallow(node)
    assert "waits for its finalizer" == heap.path_from_root(node)[0].via
    node = heap.node_at(held)
    assert node is not None
    assert heap.node_at(holder) == heap.dominator(node)


def test_the_thread_that_ran_out_of_memory_is_found_and_its_jni_locals_are_put_right(
    tmp_path: Path,
) -> None:
    builder = Builder()
    builder.class_("java.lang.OutOfMemoryError")
    local, native = builder.primitives("int", [1]), builder.primitives("int", [1, 2])
    builder.thread("idle", [FrameSpec("java.lang.Object", "wait", line=-3)])
    builder.thread(
        "worker",
        [
            FrameSpec("java.lang.OutOfMemoryError", "<init>", jni_locals=[native]),
            FrameSpec("java.util.Arrays", "copyOf", line=-3),
            FrameSpec("app.Job", "run", "Job.java", 12, [local]),
        ],
    )
    heap = _open(tmp_path, builder.build())
    assert heap.oom_thread is not None
    assert "worker" == heap.oom_thread.name
    frames = heap.oom_thread.frames
    assert [(), (heap.node_at(native),), (heap.node_at(local),)] == [f.locals for f in frames]


def test_fields_elements_and_strings_come_back_as_they_went_in(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Base", fields={"x": "int", "name": "object"})
    builder.class_(
        "app.Derived", above="app.Base", fields={"x": "long", "c": "char", "z": "boolean"}
    )
    text = builder.string("grüße, 漢字")
    one = builder.instance("app.Derived", x=-5, c=0x41, z=1, name=text)
    builder.set(one)
    builder._by_identifier[one].values.clear()
    builder._by_identifier[one].values.update({"x": 7, "c": 0x41, "z": True, "name": text})
    array = builder.array("app.Base", [one, 0, one])
    builder.root(0x01, array)
    heap = _open(tmp_path, builder.build())
    node = heap.node_at(one)
    text_node = heap.node_at(text)
    assert node is not None
    assert text_node is not None
    fields = heap.fields(node)
    assert {
        "x": 7,
        "app.Derived.x": 7,
        "app.Base.x": 7,
        "c": "A",
        "z": True,
        "name": text_node,
    } == {name: fields[name] for name in ("x", "app.Derived.x", "app.Base.x", "c", "z", "name")}
    assert "grüße, 漢字" == heap.string(text_node)
    array_node = heap.node_at(array)
    assert array_node is not None
    assert [node, -1, node] == heap.elements(array_node).tolist()
    assert [("[0]", node), ("[2]", node)] == [
        (r.name, r.target) for r in heap.references(array_node)
    ]
    assert [array_node] == heap.referrers(node).tolist()
    assert ("app.Base", "java.lang.Object") == heap.super_classes("app.Derived")
    assert [node] == heap.instances("app.Base", subclasses=True).tolist()
    assert [] == heap.instances("app.Base").tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_field_asked_for_by_name_is_the_one_among_all_fields(tmp_path: Path, seed: int) -> None:
    heap = _open(tmp_path, random_heap(seed).build())
    asked = 0
    for node in range(1, heap.nodes):
        fields, references = heap.fields(node), heap.reference_fields(node)
        for name, value in fields.items():
            is_number = isinstance(value, int) and not isinstance(value, bool)
            assert (value if is_number else None) == heap.number(node, name)
            asked += is_number
            if "." not in name:
                assert references.get(name) == heap.reference(node, name)
        assert heap.number(node, "noSuchField") is heap.reference(node, "noSuchField") is None
    assert asked > 10


def test_hash_tries_and_buffers_of_scala_are_containers(tmp_path: Path) -> None:
    # HashMap -> root -> content: key, value, key, value, node below -> content: key, value
    trie = "scala.collection.immutable.HashMap"
    node = "scala.collection.immutable.BitmapIndexedMapNode"
    buffer = "scala.collection.mutable.ArrayBuffer"
    builder = Builder()
    builder.class_(trie, fields={"rootNode": "object"})
    builder.class_(node, fields={"content": "object", "size": "int"})
    builder.class_(buffer, fields={"array": "object", "size0": "int"})
    for name in ("app.Key", "app.Value"):
        builder.class_(name, fields={"x": "int"})
    keys = [builder.instance("app.Key", x=at) for at in range(3)]
    values = [builder.instance("app.Value", x=at) for at in range(3)]
    below = builder.instance(
        node, content=builder.array("java.lang.Object", [keys[2], values[2]]), size=1
    )
    content = [keys[0], values[0], keys[1], values[1], below]
    root = builder.instance(node, content=builder.array("java.lang.Object", content), size=3)
    table = builder.instance(trie, rootNode=root)
    listed = builder.instance(
        buffer, array=builder.array("java.lang.Object", [*keys, 0, 0]), size0=3
    )
    for one in (table, listed):
        builder.root(0xFF, one)
    heap = _open(tmp_path, builder.build())
    found = [heap.container(heap.node_at(one) or 0) for one in (table, listed)]
    assert [("map", 3, "app.Value"), ("list", 3, "app.Key")] == [
        (one.kind, one.length, one.element_class) for one in found if one is not None
    ]


@pytest.mark.parametrize("many", [0, 3, 63, 64, 65, 66, 200])
def test_links_of_a_list_without_a_count_are_counted(tmp_path: Path, many: int) -> None:
    # queue -head-> link without an item -> link -> ... -> link <-tail- queue; one frame is at work
    # at each end: it has the second and the last link as locals
    queue, link = "java.util.concurrent.ConcurrentLinkedQueue", "app.Link"
    builder = Builder()
    builder.class_(queue, fields={"head": "object", "tail": "object"})
    builder.class_(link, fields={"item": "object", "next": "object"})
    builder.class_("app.Item", fields={"x": "int"})
    following, links = 0, []
    for at in reversed(range(many + 1)):
        item = builder.instance("app.Item", x=at) if at else 0
        following = builder.instance(link, item=item, next=following)
        links.insert(0, following)
    listed = builder.instance(queue, head=links[0], tail=links[-1])
    builder.root(0xFF, listed)
    for one in {links[min(1, many)], links[-1]}:
        builder.root(0xFF, one)

    heap = _open(tmp_path, builder.build())
    found = heap.container(heap.node_at(listed) or 0)

    assert found is not None
    assert (found.kind, found.length) == ("queue", many)
    assert found.element_class == ("app.Item" if many else "")


def test_a_cache_of_segments_is_one_container(tmp_path: Path) -> None:
    # cache -> segments -> segment -> table (atomic) -> array -> entry -> reference -> value
    cache, segment = "com.google.common.cache.LocalCache", "app.Segment"
    atomic = "java.util.concurrent.atomic.AtomicReferenceArray"
    builder = Builder()
    builder.class_(cache, fields={"segments": "object"})
    builder.class_(segment, fields={"table": "object", "count": "int"})
    builder.class_(atomic, fields={"array": "object"})
    builder.class_("app.Entry", fields={"valueReference": "object"})
    builder.class_("app.Strong", fields={"referent": "object"})
    builder.class_("app.Value", fields={"x": "int"})

    def segment_of(many: int) -> int:
        values = [builder.instance("app.Value", x=at) for at in range(many)]
        strong = [builder.instance("app.Strong", referent=each) for each in values]
        entries = [builder.instance("app.Entry", valueReference=each) for each in strong]
        array = builder.array("java.lang.Object", [*entries, 0])
        return builder.instance(segment, table=builder.instance(atomic, array=array), count=many)

    segments = [segment_of(2), segment_of(5)]
    whole = builder.instance(cache, segments=builder.array(segment, segments))
    builder.root(0xFF, whole)

    heap = _open(tmp_path, builder.build())
    found = heap.container(heap.node_at(whole) or 0)

    assert found is not None
    assert (found.kind, found.length, found.capacity) == ("map", 7, 9)
    assert found.element_class == "app.Value"


@pytest.mark.parametrize(("many", "is_container"), [(3, False), (100, True)])
def test_a_future_is_a_container_of_what_waits_for_it_where_that_is_much(
    tmp_path: Path, many: int, is_container: bool
) -> None:
    future, waits = "java.util.concurrent.CompletableFuture", "app.Completion"
    builder = Builder()
    builder.class_(future, fields={"result": "object", "stack": "object"})
    builder.class_(waits, fields={"next": "object"})
    following = 0
    for _ in range(many):
        following = builder.instance(waits, next=following)
    never = builder.instance(future, result=0, stack=following)
    builder.root(0xFF, never)

    heap = _open(tmp_path, builder.build())
    found = heap.container(heap.node_at(never) or 0)

    assert (found is not None) == is_container
    if found is not None:
        assert (found.length, found.element_class) == (many, waits)
