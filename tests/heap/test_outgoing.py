"""All references of a heap at once against the plain look-up of one object after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder
from builders.random_heaps import random_heap

from mprof.heap import Heap, open_heap
from mprof.kernels import cores

_OF_STACKS = {"<frame>", "<thread>", "<local>"}


def _plain(heap: Heap, node: int) -> list[int]:
    """References by name, and the class of an instance; a weak reference holds nothing.

    What the boot loader loaded is a root itself, so no instance needs to hold it.
    """
    name = heap.class_name(node)
    targets = [
        each.target
        for each in heap.references(node)
        if each.name not in _OF_STACKS and (each.name != "referent" or "Weak" not in name)
    ]
    if not heap.is_class(node) and not name.endswith("[]"):
        class_node, _ = heap.class_objects(name)[0]
        if "<loader>" in {each.name for each in heap.references(class_node)}:
            targets.append(class_node)
    return sorted(targets)


def _open(tmp_path: Path, seed: int, *, references: bool = True, paths: bool = True) -> Heap:
    path = tmp_path / "built.hprof"
    path.write_bytes(random_heap(seed).build())
    return open_heap(path, references=references, paths=paths)


def _row(heap: Heap, node: int) -> list[int]:
    starts, targets = heap.outgoing
    row: list[int] = []
    at = int(starts[node])
    while at > 0:
        row.append(int(targets[at]))
        if row[-1] < 0:
            return [*row[:-1], ~row[-1]]
        at += 1
    return row


@pytest.mark.parametrize("seed", range(4))
def test_the_rows_hold_what_each_object_refers_to(tmp_path: Path, seed: int) -> None:
    heap = _open(tmp_path, seed)
    compared = 0
    for node in range(heap.nodes):
        row = sorted(_row(heap, node))
        assert row == (_plain(heap, node) if heap.is_object(node) else []), heap.class_name(node)
        compared += len(row)
    assert compared >= 20


@pytest.mark.parametrize("seed", range(4))
def test_any_number_of_cores_makes_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    alone = _open(tmp_path, seed)
    monkeypatch.setattr(cores, "core_count", lambda: 3)
    monkeypatch.setattr(cores, "_SMALLEST_PART", alone.nodes // 3)
    together = _open(tmp_path, seed)
    assert alone.nodes == together.nodes
    assert [_row(alone, node) for node in range(alone.nodes)] == [
        _row(together, node) for node in range(together.nodes)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_heap_is_the_same_with_its_references_and_with_paths(tmp_path: Path, seed: int) -> None:
    with_paths, kept = _open(tmp_path, seed, references=False), _open(tmp_path, seed, paths=False)
    both, neither = _open(tmp_path, seed), _open(tmp_path, seed, references=False, paths=False)

    assert with_paths.nodes == kept.nodes
    every = list(range(1, kept.nodes))
    both.prepare()
    assert both.paths_from_root(every) == with_paths.paths_from_root(every)
    alone = _open(tmp_path, seed)
    assert [alone.path_from_root(node) for node in every] == both.paths_from_root(every)
    assert [_row(both, node) for node in every] == [_row(kept, node) for node in every]
    for node in range(kept.nodes):
        assert with_paths.address(node) == kept.address(node)
        assert with_paths.retained(node) == kept.retained(node)
        assert with_paths.referrers(node).tolist() == kept.referrers(node).tolist()
    with pytest.raises(ValueError, match="was opened without paths"):
        kept.path_from_root(1)
    with pytest.raises(ValueError, match="without its references"):
        _ = neither.outgoing


def test_what_waits_for_its_finalizer_has_its_row_and_is_in_none_of_a_final_reference(
    tmp_path: Path,
) -> None:
    builder = Builder()
    builder.class_("java.lang.ref.Reference", fields={"referent": "object"})
    builder.class_("java.lang.ref.FinalReference", above="java.lang.ref.Reference")
    builder.class_("java.lang.ref.Finalizer", above="java.lang.ref.FinalReference")
    builder.class_("app.Thing", fields={"payload": "object"})
    payload = builder.primitives("long", [1] * 50)
    waiting = builder.instance("app.Thing", payload=payload)
    reference = builder.instance("java.lang.ref.Finalizer", referent=waiting)
    builder.set_static("java.lang.ref.Finalizer", "unfinalized", "object", reference)
    path = tmp_path / "built.hprof"
    path.write_bytes(builder.build())

    heap = open_heap(path, references=True)

    rows = {at: heap.node_at(at) for at in (waiting, reference, payload)}
    assert None not in rows.values()
    assert rows[payload] in _row(heap, rows[waiting] or 0)
    assert rows[waiting] not in _row(heap, rows[reference] or 0)
