"""Single objects and classes of built heaps: beside networkx, and what was built in."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from builders.hostile import ALL, obeyed
from builders.hprof_builder import Builder, FrameSpec
from builders.random_heaps import random_heap
from jsonschema import validate
from oracles.heap_oracle import read_oracle
from typer.testing import CliRunner

from mprof.cli.subcommands import app
from mprof.errors import EvidenceError, UsageError
from mprof.heap import Heap, open_heap, summarise
from mprof.heap.browse import (
    ask_class,
    ask_dominated,
    ask_object,
    ask_path,
    node_of,
    picture_of,
)
from mprof.heap.browse.tree import tree_of
from mprof.report.heap import page_of

SCHEMAS = Path(__file__).parents[2] / "docs/reference"
EVERY = 10_000
CLASS = "java/lang/Class"


def _open(tmp_path: Path, data: bytes) -> Heap:
    path = tmp_path / "built.hprof"
    path.write_bytes(data)
    return open_heap(path)


def _ids(rows: Any) -> list[int]:
    return sorted(int(row.id, 16) for row in rows if row.id is not None)


@pytest.mark.parametrize("seed", range(6))
def test_an_object_is_what_a_plain_reader_says(tmp_path: Path, seed: int) -> None:
    data = random_heap(seed).build()
    oracle = read_oracle(data)
    graph = oracle.graph()
    reached = oracle.reachable()
    idoms = nx.immediate_dominators(graph, "root")
    heap = _open(tmp_path, data)
    sizes = {heap.address(node): heap.shallow(node) for node in range(1, heap.nodes)}
    tree = nx.DiGraph((above, one) for one, above in idoms.items() if above != one)
    for node in range(1, heap.nodes):
        if not heap.is_object(node):
            continue
        one = heap.address(node)
        answer = ask_object(heap, node, rows=EVERY)

        assert oracle.retained(one, sizes) == answer.object.retained_bytes
        assert answer.object.share == answer.object.retained_bytes / heap.shallow_bytes
        # Frames and threads that refer to it have no id, or are threads.
        found = answer.referrers
        assert found is not None
        if not heap.is_class(node):  # the plain reader lets each instance refer to its class
            referrers = {each for each in graph.predecessors(one) if each in reached}
            assert {each for each in referrers if isinstance(each, int)} == set(
                _ids(each.object for each in found)
            )
        assert len(found) == answer.referrer_count
        direct = [each for each, above in idoms.items() if above == one and each != one]
        assert sorted(each for each in direct if isinstance(each, int)) == _ids(answer.dominates)
        below = nx.descendants(tree, one)
        assert sum(isinstance(each, int) for each in below) == answer.dominates_objects
        if isinstance(idoms[one], int):
            assert answer.dominator is not None
            assert idoms[one] == int(answer.dominator.id or "", 16)
        # A way along references.
        steps = [int(step.object.id, 16) if step.object.id else None for step in answer.path]
        assert steps[-1] == one
        for above, under in pairwise(steps):
            if above is not None and under is not None:
                assert under in oracle.edges[above] or under in graph[above]
        by_class = ask_dominated(heap, node, rows=EVERY).classes
        assert len([each for each in direct if isinstance(each, int)]) == sum(
            each.objects for each in by_class
        )


@pytest.mark.parametrize("seed", range(6))
def test_each_byte_of_a_heap_is_in_one_row_of_its_tree(tmp_path: Path, seed: int) -> None:
    heap = _open(tmp_path, random_heap(seed).build())
    tree = tree_of(heap)

    assert heap.shallow_bytes == tree.totals[0] == sum(tree.shallow)
    assert heap.nodes == tree.below[0] == sum(tree.objects)
    for at, identifier in enumerate(tree.ids):
        if identifier and tree.alone[at]:
            assert heap.retained(node_of(heap, identifier)) == tree.totals[at]
    least = tree_of(heap, most_rows=7)
    assert 7 == len(least.ids)
    assert sorted(tree.totals, reverse=True)[:7] == sorted(least.totals, reverse=True)
    assert all(above < at for at, above in enumerate(least.parents) if at)


def _shop() -> Builder:
    """A list of items below a static, and a string that says what a page could obey."""
    builder = Builder()
    builder.class_("shop.Base", fields={"name": "object", "count": "int"})
    builder.class_(
        "shop.Item",
        above="shop.Base",
        fields={"price": "double", "sold": "boolean", "letter": "char"},
    )
    items = [
        builder.instance(
            "shop.Item", name=builder.string(f"item {n}{ALL if n == 0 else ''}"), count=n,
            price=n + 0.5, sold=True, letter=0x41,
        )
        for n in range(60)
    ]  # fmt: skip
    rows = builder.array("shop.Item", [*items, 0, 0])
    builder.class_("shop.Shelf", fields={"items": "object", "numbers": "object", "none": "object"})
    shelf = builder.instance("shop.Shelf", items=rows, numbers=builder.primitives("int", [7, -8]))
    builder.class_("java.lang.ref.Reference", fields={"referent": "object"})
    builder.class_("java.lang.ref.WeakReference", above="java.lang.ref.Reference")
    lost = builder.instance("shop.Shelf")
    weak = builder.instance("java.lang.ref.WeakReference", referent=lost)
    builder.class_("shop.Main", statics={"SHELF": ("object", shelf), "LIMIT": ("int", 12),
                                         "WEAK": ("object", weak)})  # fmt: skip
    builder.thread("main\x1b[2J", [FrameSpec("shop.Main", "main", "Main.java", 9, [shelf])])
    builder.shelf, builder.rows, builder.lost = shelf, rows, lost  # type: ignore[attr-defined]
    builder.items, builder.weak = items, weak  # type: ignore[attr-defined]
    return builder


def test_fields_have_their_values(tmp_path: Path) -> None:
    builder: Any = _shop()
    heap = _open(tmp_path, builder.build())

    item = ask_object(heap, node_of(heap, hex(builder.items[3])), rows=EVERY)
    values = {each.name: (each.declared_by, each.type, each.value) for each in item.fields}
    assert values == {
        "price": ("shop.Item", "double", "3.5"),
        "sold": ("shop.Item", "boolean", "true"),
        "letter": ("shop.Item", "char", "'A'"),
        "name": ("shop.Base", "object", '"item 3"'),
        "count": ("shop.Base", "int", "3"),
    }
    shelf = ask_object(heap, node_of(heap, hex(builder.shelf)), rows=EVERY)
    assert ["60 of 62 elements in use", "2 entries of int", "null"] == [
        each.value for each in shelf.fields
    ]
    array = ask_object(heap, node_of(heap, hex(builder.rows)), rows=61)
    assert (61, 62) == (len(array.fields), array.field_count)
    assert ["[0]", "[1]"] == [each.name for each in array.fields[:2]]
    assert "null" == array.fields[60].value
    numbers = shelf.fields[1].object
    assert numbers is not None
    found = ask_object(heap, node_of(heap, numbers.id or ""), rows=EVERY)
    assert [("[0]", "int", "7"), ("[1]", "int", "-8")] == [
        (each.name, each.type, each.value) for each in found.fields
    ]
    weak = ask_object(heap, node_of(heap, hex(builder.weak)), rows=EVERY)
    assert [f"{hex(builder.lost)}, which no root reaches"] == [each.value for each in weak.fields]


def test_a_class_has_its_statics_loader_and_largest_objects(tmp_path: Path) -> None:
    builder: Any = _shop()
    heap = _open(tmp_path, builder.build())

    main = ask_class(heap, "shop.Main", rows=5)
    assert [("SHELF", True), ("LIMIT", False), ("WEAK", True)] == [
        (each.name, each.object is not None) for each in main.statics
    ]
    assert ("<boot>",) == main.loaders
    assert [hex(builder.class_identifier("shop.Main"))] == [*main.ids]
    items = ask_class(heap, "Item", rows=5)
    assert ("shop.Item", 60, 5) == (items.name, items.objects, len(items.instances))
    assert ("shop.Base", "java.lang.Object") == items.super_classes
    # The name of the first one is the longest.
    assert hex(builder.items[0]) == items.instances[0].id
    assert 60 == ask_class(heap, "shop.Base", rows=5).subclass_objects


def test_a_path_of_a_long_list_has_two_ends(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Link", fields={"next": "object"})
    links = [builder.instance("app.Link") for _ in range(500)]
    for link, following in pairwise(links):
        builder.set(link, next=following)
    builder.class_("app.Main", statics={"FIRST": ("object", links[0])})
    heap = _open(tmp_path, builder.build())

    path = ask_path(heap, node_of(heap, hex(links[-1]))).path

    assert 60 == len(path)
    # The class object, then 500 links.
    assert [441] == [step.left_out for step in path if step.left_out]
    assert hex(links[-1]) == path[-1].object.id


def test_of_a_large_array_a_field_of_each_is_named_once(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Item", fields={"n": "int"})
    items = [builder.instance("app.Item", n=n) for n in range(300)]
    rows = builder.array("app.Item", [0, *items, *items])
    builder.class_("app.Main", statics={"ROWS": ("object", rows)})
    heap = _open(tmp_path, builder.build())
    array, wanted = (node_of(heap, hex(one)) for one in (rows, items[41]))

    assert "[42]" == heap.reference_name(array, wanted)
    assert heap.reference_name(wanted, array) is None
    nodes = [node_of(heap, hex(one)) for one in items]
    assert {node: f"[{n + 1}]" for n, node in enumerate(nodes)} == heap.reference_names(
        array, nodes
    )


def test_what_there_is_not_is_one_clear_error(tmp_path: Path) -> None:
    builder: Any = _shop()
    heap = _open(tmp_path, builder.build())

    with pytest.raises(UsageError, match="is no address of an object"):
        node_of(heap, "shop.Item")
    with pytest.raises(EvidenceError, match="is not there"):
        node_of(heap, "0x1234567")
    with pytest.raises(EvidenceError, match="no root reaches"):
        node_of(heap, hex(builder.lost))
    with pytest.raises(EvidenceError, match=r"similar names are shop\.Item"):
        ask_class(heap, "shop.items.Item", rows=1)
    with pytest.raises(EvidenceError, match="there is no class Zebra"):
        ask_class(heap, "Zebra", rows=1)


# --- as a user calls it ---------------------------------------------------------------------------


def _mprof_heap(*words: str) -> Any:
    return CliRunner().invoke(app, ["heap", *words])


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hprof"
    path.write_bytes(_shop().build())
    return path


@pytest.mark.parametrize("option", ["object", "path", "dominates", "class"])
def test_each_answer_is_text_and_json_of_its_schema(dump: Path, option: str) -> None:
    builder: Any = _shop()
    builder.build()
    what = "shop.Item" if option == "class" else hex(builder.rows)

    said = _mprof_heap(str(dump), f"--{option}", what, "--top", "7")
    value = json.loads(_mprof_heap(str(dump), f"--{option}", what, "--top", "7", "--json").stdout)

    schema = json.loads((SCHEMAS / f"heap-{option}.schema.json").read_text(encoding="utf-8"))
    validate(value, schema)
    assert value.keys() == schema["properties"].keys()
    assert 0 == said.exit_code
    assert " %" in said.stdout
    assert [] == obeyed(said.stdout)
    if option != "class":
        assert said.stdout.startswith(f"shop.Item[] {what} 60 of 62 elements in use\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--object", "0x12345"), 3, "is not there"),
        (("--path", "main"), 2, "is no address"),
        (("--class", "Zebra"), 3, "there is no class Zebra"),
        (("--object", "0x1", "--class", "x"), 2, "--object and --class exclude each other"),
        (("--html", "x.html", "--json"), 2, "--html and --json exclude each other"),
        (("--port", "80"), 2, "--port has no part in this without --serve"),
        (("--object", "0x1", "--force"), 2, "--force has no part in this without --html"),
        (("--path", "0x1", "--histogram"), 2, "--path and --histogram exclude each other"),
    ],
)
def test_wrong_questions_end_in_one_error(
    dump: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    error = _mprof_heap(str(dump), *words).exception

    assert isinstance(error, (UsageError, EvidenceError))
    assert code == error.exit_code
    assert says in str(error)


def test_a_page_is_written_once(dump: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert 0 == _mprof_heap(str(dump), "--html", str(page)).exit_code
    text = page.read_text(encoding="utf-8")
    assert "shop.Item" in text
    assert [] == obeyed(text)

    again = _mprof_heap(str(dump), "--html", str(page))

    assert isinstance(again.exception, UsageError)
    assert text == page.read_text(encoding="utf-8")
    assert 0 == _mprof_heap(str(dump), "--html", str(page), "--force").exit_code


def test_a_page_of_many_large_objects_is_bounded(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Row", fields={"text": "object", "next": "object"})
    rows = [
        builder.instance("app.Row", text=builder.string(f"{n} " + "x" * 300)) for n in range(15_000)
    ]
    builder.class_("app.Main", statics={"ROWS": ("object", builder.array("app.Row", rows))})
    heap = _open(tmp_path, builder.build())

    picture = picture_of(heap, summarise(heap), ("x",))

    # Each row retains more than a twenty-thousandth; the tree has a bounded number.
    assert 25_000 == len(picture.tree.ids)
    assert len(json.dumps(picture.to_json())) < 6_000_000


def test_a_page_of_many_deep_stacks_and_long_names_is_bounded(tmp_path: Path) -> None:
    builder = Builder()
    name = f"app.{'Long' * 10_000}"
    builder.class_(name)
    one = builder.instance(name)
    frames = [FrameSpec("app.Main", f"step{n}", "Main.java", n, [one]) for n in range(150)]
    for n in range(400):
        builder.thread(f"worker {n}", frames)
    heap = _open(tmp_path, builder.build())

    picture = picture_of(heap, summarise(heap), ("x",))

    assert 400 == len(picture.threads)
    assert {150} == {thread.frame_count for thread in picture.threads}
    assert {100, 4} == {len(thread.frames) for thread in picture.threads}
    assert len(page_of(picture)) < 10_000_000
