"""What a heap dump holds, worked out the plain and slow way, from the bytes alone.

Written against the format description only; shares nothing with the code under test.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass, field

import networkx as nx

__all__ = ["OracleHeap", "dominators_by_removal", "read_oracle"]

WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
NOT_FOLLOWED = {"java/lang/ref/WeakReference", "java/lang/ref/PhantomReference",
                "java/lang/ref/FinalReference"}  # fmt: skip


@dataclass
class OracleHeap:
    """Vertices are identifiers, ``("frame", thread serial, number)`` and ``"root"``."""

    edges: dict[object, list[object]] = field(default_factory=lambda: defaultdict(list))
    class_of: dict[int, str] = field(default_factory=dict)

    def graph(self) -> nx.DiGraph:
        graph = nx.DiGraph()
        graph.add_node("root")
        for source, targets in self.edges.items():
            graph.add_edges_from((source, target) for target in targets)
        return graph

    def reachable(self, *, without: object = None) -> set[object]:
        seen, pending = {"root"}, ["root"]
        while pending:
            for target in self.edges.get(pending.pop(), ()):
                if target not in seen and target != without:
                    seen.add(target)
                    pending.append(target)
        return seen

    def retained(self, vertex: object, sizes: dict[int, int]) -> int:
        """Remove and mark: what is no longer reached without the vertex, itself included."""
        lost = self.reachable() - self.reachable(without=vertex)
        return sum(sizes.get(one, 0) for one in lost if isinstance(one, int))


def dominators_by_removal(edges: dict[object, list[object]], root: object) -> dict[object, set]:
    """By vertex, all vertices without which it is not reached, itself excluded."""

    def reach(without: object) -> set[object]:
        seen, pending = {root}, [root]
        while pending:
            for target in edges.get(pending.pop(), ()):
                if target not in seen and target != without:
                    seen.add(target)
                    pending.append(target)
        return seen

    everything = reach(None)
    found: dict[object, set] = {vertex: set() for vertex in everything}
    for vertex in everything - {root}:
        for lost in everything - reach(vertex) - {vertex}:
            found[lost].add(vertex)
    return found


def read_oracle(data: bytes) -> OracleHeap:
    """Reads a whole, sound dump."""
    end = data.index(b"\0")
    width = struct.unpack_from(">I", data, end + 1)[0]
    at = end + 13
    names: dict[int, str] = {}
    class_names: dict[int, str] = {}
    bodies: list[bytes] = []

    def ident(buffer: bytes, position: int) -> int:
        return int.from_bytes(buffer[position : position + width], "big")

    while at < len(data):
        tag, _, length = struct.unpack_from(">BII", data, at)
        body = data[at + 9 : at + 9 + length]
        at += 9 + length
        if tag == 0x01:
            names[ident(body, 0)] = body[width:].decode()
        elif tag == 0x02:
            class_names[ident(body, 4)] = names[ident(body, 8 + width)]
        elif tag in (0x0C, 0x1C):
            bodies.append(body)
    heap = OracleHeap()
    supers: dict[int, int] = {}
    fields: dict[int, list[tuple[str, int]]] = {}
    loaders: dict[int, int] = {}
    instances: list[tuple[int, int, bytes]] = []
    frames: list[tuple[int, int, int]] = []
    threads: dict[int, int] = {}
    roots: list[int] = []
    for body in bodies:
        at = 0
        while at < len(body):
            tag = body[at]
            one = ident(body, at + 1)
            if tag == 0x20:
                heap.class_of[one] = "java/lang/Class"
                supers[one] = ident(body, at + 5 + width)
                loaders[one] = ident(body, at + 5 + 2 * width)
                heap.edges[one] += [
                    target for k in range(1, 7) if (target := ident(body, at + 5 + k * width))
                ]
                at += 5 + 7 * width + 4
                (pool,) = struct.unpack_from(">H", body, at)
                assert pool == 0
                (statics,) = struct.unpack_from(">H", body, at + 2)
                at += 4
                for _ in range(statics):
                    kind = body[at + width]
                    if kind == 2 and ident(body, at + width + 1):
                        heap.edges[one].append(ident(body, at + width + 1))
                    at += width + 1 + WIDTHS.get(kind, width)
                (count,) = struct.unpack_from(">H", body, at)
                at += 2
                fields[one] = []
                for _ in range(count):
                    fields[one].append((names[ident(body, at)], body[at + width]))
                    at += width + 1
            elif tag == 0x21:
                class_ = ident(body, at + 5 + width)
                (length,) = struct.unpack_from(">I", body, at + 5 + 2 * width)
                at += 9 + 2 * width
                instances.append((one, class_, body[at : at + length]))
                at += length
            elif tag == 0x22:
                (length,) = struct.unpack_from(">I", body, at + 5 + width)
                class_ = ident(body, at + 9 + width)
                heap.class_of[one] = class_names[class_]
                at += 9 + 2 * width
                heap.edges[one] += [
                    target for k in range(length) if (target := ident(body, at + k * width))
                ]
                heap.edges[one].append(class_)
                at += length * width
            elif tag == 0x23:
                length, kind = struct.unpack_from(">IB", body, at + 5 + width)
                heap.class_of[one] = f"primitive {kind}"
                at += 10 + width + length * WIDTHS[kind]
            elif tag in (0x05, 0x07, 0xFF):
                roots.append(one)
                at += 1 + width
            elif tag == 0x01:
                roots.append(one)
                at += 1 + 2 * width
            elif tag in (0x02, 0x03):
                frames.append((one, *struct.unpack_from(">II", body, at + 1 + width)))
                at += 9 + width
            elif tag == 0x08:
                threads[struct.unpack_from(">I", body, at + 1 + width)[0]] = one
                at += 9 + width
            else:
                raise AssertionError(hex(tag))
    for one, class_, data_bytes in instances:
        heap.class_of[one] = class_names[class_]
        lineage, above = [], class_
        while above:
            lineage.append(above)
            above = supers.get(above, 0)
        is_weak = any(class_names[c] in NOT_FOLLOWED for c in lineage)
        at = 0
        for owner in lineage:
            for name, kind in fields.get(owner, ()):
                target = int.from_bytes(data_bytes[at : at + width], "big") if kind == 2 else 0
                at += WIDTHS.get(kind, width)
                hidden = (
                    is_weak and name == "referent"
                    and class_names[owner] == "java/lang/ref/Reference"
                )  # fmt: skip
                if target and not hidden:
                    heap.edges[one].append(target)
        heap.edges[one].append(class_)
    for class_, loader in loaders.items():
        if loader:
            heap.edges[loader].append(class_)
        elif class_names[class_].startswith("["):
            roots.append(class_)
    for target, serial, number in frames:
        vertex = ("frame", serial, number)
        heap.edges[threads[serial]].append(vertex)
        heap.edges[vertex].append(target)
    heap.edges["root"] += [*threads.values(), *roots]
    known = set(heap.class_of)
    for source in list(heap.edges):
        heap.edges[source] = [t for t in heap.edges[source] if t in known or isinstance(t, tuple)]
    return heap
