"""Stack chunks of virtual threads: the one class whose instances differ in size."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder

from mprof.heap import open_heap, quick_histogram

STACK_CHUNK = "jdk.internal.vm.StackChunk"


@pytest.mark.parametrize(
    ("reference", "measured"),
    [
        # words of the stack: bytes of the chunk, as JDK 25 reports them (java.lang.instrument)
        (4, {174: 1488, 177: 1512, 330: 2776, 2780: 22984}),  # G1
        (8, {193: 1632, 195: 1648, 622: 5112, 2780: 22648}),  # ZGC
    ],
)
def test_a_stack_chunk_is_as_large_as_its_count_of_words_says(
    reference: int, measured: dict[int, int], tmp_path: Path
) -> None:
    builder = Builder(reference=reference, header=12, array_header=16, base=0x400_0000_0000)
    builder.class_(
        STACK_CHUNK, fields={"parent": "object", "size": "int", "sp": "int", "bottom": "int"}
    )
    for kind in ("byte", "char", "int", "long"):  # so that the layout is fitted
        for length in range(1, 6):
            for _ in range(4):
                builder.root(0xFF, builder.primitives(kind, [0] * length))
                builder.root(0xFF, builder.array("java.lang.Object", [0] * length))
    chunks: dict[int, int] = {}
    for words in measured:
        chunks[words] = builder.instance(STACK_CHUNK, size=words, sp=words // 2)
        builder.root(0xFF, chunks[words])
    path = tmp_path / "chunks.hprof"
    path.write_bytes(builder.build())
    heap = open_heap(path)
    assert f"{reference}-byte references, 12-byte headers" in heap.layout
    nodes = {words: heap.node_at(address) for words, address in chunks.items()}
    assert measured == {words: heap.shallow(node) for words, node in nodes.items() if node}
    (row,) = [row for row in quick_histogram(path).classes if row.name == STACK_CHUNK]
    assert (len(measured), sum(measured.values())) == (row.objects, row.shallow_bytes)
