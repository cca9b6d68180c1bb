"""Each named question on a real dump, and what it is known to answer there; its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb", reason="duckdb is not there: pip install 'mprof-hadoop[sql]'")

from mprof.heap import Heap, open_heap
from mprof.questions import HeapTables
from mprof.questions.examples import EXAMPLES
from mprof.questions.schema import TABLES

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "heap-questions.md").read_text("utf-8")
BY_NAME = {one.name: one for one in EXAMPLES}


@pytest.fixture(scope="module")
def tables(wasteful_dump: Path) -> HeapTables:
    return HeapTables(wasteful_dump)


@pytest.fixture(scope="module")
def heap(wasteful_dump: Path) -> Heap:
    return open_heap(wasteful_dump)


def _answers(tables: HeapTables, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.sql(BY_NAME[name].sql).arrow().to_pylist()
    return rows


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_every_example_has_an_answer_largest_first(tables: HeapTables, name: str) -> None:
    rows = _answers(tables, name)
    order = re.search(r"ORDER BY (?:\w[.])?(\w+) DESC", BY_NAME[name].sql)
    assert order is not None
    values = [row[order[1]] for row in rows if row[order[1]] is not None]
    assert values == sorted(values, reverse=True)
    if name != "finalizers":  # JDK 18 and later have none of their own
        assert rows


@pytest.mark.jvm
@pytest.mark.slow
def test_examples_say_what_is_known_of_that_heap(tables: HeapTables, heap: Heap) -> None:
    histogram = {row["name"]: row for row in _answers(tables, "histogram")}
    for one in heap.class_histogram:
        if one.name != "WastefulHeap$Plugin":  # that three loaders define
            row = histogram[one.name]
            assert (one.objects, one.shallow_bytes, one.retained_bytes) == (
                row["objects"], row["shallow"], row["retained"])  # fmt: skip

    biggest = _answers(tables, "biggest-objects")
    roots = [node for node in heap.dominator_roots().tolist() if heap.is_object(node)]
    assert heap.retained(roots[0]) == biggest[0]["retained"]
    assert heap.address(roots[0]) == biggest[0]["id"]

    duplicates = _answers(tables, "duplicate-classes")
    assert ("WastefulHeap$Plugin", 3) in {(row["name"], row["loaders"]) for row in duplicates}

    strings = {row["text"]: row for row in _answers(tables, "duplicate-strings")}
    assert (250, 250, 249 * 56) == tuple(
        strings["text number 1"][name] for name in ("strings", "arrays", "saved")
    )

    zeros = {row["class"]: row for row in _answers(tables, "zero-arrays")}
    assert zeros["int[]"]["arrays"] >= 1000

    boxes = {row["class"]: row for row in _answers(tables, "boxed-numbers")}
    longs = heap.instances("java.lang.Long").tolist()
    assert (len(longs), len({heap.fields(node)["value"] for node in longs})) == (
        boxes["java.lang.Long"]["objects"], boxes["java.lang.Long"]["different"])  # fmt: skip

    statics = _answers(tables, "statics")
    (sparse,) = [row for row in statics if row["name"] == "SPARSE_LISTS"]
    assert heap.retained(int(heap.statics("WastefulHeap")["SPARSE_LISTS"] or 0)) == (
        sparse["retained"])  # fmt: skip

    maps = {row["size"]: row["maps"] for row in _answers(tables, "maps-by-size")}
    found = heap.instances("java.util.HashMap", subclasses=True).tolist()
    assert sum(heap.fields(node)["size"] == 0 for node in found) == maps[0]

    dominators = {row["dominator"]: row["arrays"]
                  for row in _answers(tables, "immediate-dominators")}  # fmt: skip
    nodes = heap.instances("byte[]").tolist()
    assert sum(
        heap.class_name(heap.dominator(node) or 0) == "java.lang.String" for node in nodes
    ) == dominators["java.lang.String"]  # fmt: skip

    holders = _answers(tables, "holders")
    assert "static WastefulHeap.SPARSE_SETS" in {row["name"] for row in holders[:3]}


def test_the_page_has_every_example_as_it_is() -> None:
    for one in EXAMPLES:
        assert f"### {one.name}\n" in PAGE
        assert f"```sql\n{one.sql.strip()}\n```" in PAGE
        assert one.asks in PAGE
    assert sorted(BY_NAME) == sorted(re.findall(r"^### ([\w-]+)$", PAGE, re.MULTILINE))


def test_the_page_has_every_table_and_column() -> None:
    for table in TABLES:
        _, _, section = PAGE.partition(f"\n### Table {table.name}\n")
        section = section.partition("\n### ")[0]
        assert [column.name for column in table.columns] == re.findall(
            r"^\| `(\w+)` \|", section, re.MULTILINE
        ), table.name
