"""All references of a heap in one pass against the plain look-up of one object after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from heap.test_analysis import _open, _random_heap

from mprof.heap import Heap
from mprof.heap.outgoing import outgoing_references
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
        class_node = heap.class_node(name)
        assert class_node is not None
        if "<loader>" in {each.name for each in heap.references(class_node)}:
            targets.append(class_node)
    return sorted(targets)


@pytest.mark.parametrize("seed", range(4))
def test_the_columns_hold_what_each_object_refers_to(tmp_path: Path, seed: int) -> None:
    heap = _open(tmp_path, _random_heap(seed).build())
    starts, targets = outgoing_references(heap)
    compared = 0
    for node in filter(heap.is_object, range(1, heap.nodes)):
        mine = sorted(targets[starts[node] : starts[node + 1]].tolist())
        assert mine == _plain(heap, node), heap.class_name(node)
        compared += len(mine)
    assert compared >= 20


@pytest.mark.parametrize("seed", range(4))
def test_any_number_of_cores_reads_the_same_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    heap = _open(tmp_path, _random_heap(seed).build())
    alone = outgoing_references(heap)
    monkeypatch.setattr(cores, "core_count", lambda: 3)
    monkeypatch.setattr(cores, "_SMALLEST_PART", heap.nodes // 3)
    together = outgoing_references(heap)
    assert alone.starts.tolist() == together.starts.tolist()
    assert alone.targets.tolist() == together.targets.tolist()
