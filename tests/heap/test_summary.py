"""The holder below a dominator, and paths in words."""

from __future__ import annotations

from pathlib import Path

from builders.hprof_builder import Builder, FrameSpec

from mprof.heap import Heap, main_holder, open_heap, summarise


def opened(builder: Builder, folder: Path) -> Heap:
    path = folder / "job.hprof"
    path.write_bytes(builder.build())
    return open_heap(path)


def below_the_thread(heap: Heap) -> str | None:
    thread = next(one for one in heap.threads if one.name == "main")
    found = main_holder(heap, thread.node)
    return None if found is None else f"{heap.class_name(found)} 0x{heap.address(found):x}"


def test_a_container_is_the_holder_and_not_the_one_large_thing_in_it(tmp_path: Path) -> None:
    # main -> list -> its array -> one large text
    builder = Builder()
    builder.class_("java.util.AbstractList", fields={"modCount": "int"})
    builder.class_(
        "java.util.ArrayList", above="java.util.AbstractList",
        fields={"elementData": "object", "size": "int"},
    )  # fmt: skip
    text = builder.primitives("byte", [7] * 5000)
    kept = builder.instance(
        "java.util.ArrayList", elementData=builder.array("java.lang.Object", [text]), size=1
    )
    builder.thread("main", [FrameSpec("app.Job", "map", "Job.java", 12, [kept])])

    assert below_the_thread(opened(builder, tmp_path)) == f"java.util.ArrayList 0x{kept:x}"


def test_of_a_chain_of_the_jobs_own_nodes_the_head_is_the_holder(tmp_path: Path) -> None:
    # main -> node -> node -> ... -> node, each with 100 bytes
    builder = Builder()
    builder.class_("app.Node", fields={"next": "object", "value": "object"})
    head = 0
    for _ in range(60):
        value = builder.primitives("byte", [7] * 100)
        head = builder.instance("app.Node", next=head, value=value)
    builder.thread("main", [FrameSpec("app.Job", "map", "Job.java", 12, [head])])

    assert below_the_thread(opened(builder, tmp_path)) == f"app.Node 0x{head:x}"


def test_what_a_static_holds_is_said_by_its_class_and_field(tmp_path: Path) -> None:
    # the boot loader's classes are roots themselves
    builder = Builder()
    builder.class_("app.Cache", statics={"KEPT": ("object", 0)})
    builder.set_static("app.Cache", "KEPT", "object", builder.primitives("byte", [7] * 9000))
    heap = opened(builder, tmp_path)

    largest = summarise(heap).dominators[0]
    found = largest.holder

    assert largest.path == ("system class -> app.Cache",)
    assert found is not None
    assert (found.class_name, found.path) == ("byte[]", ("static app.Cache.KEPT -> byte[]",))
