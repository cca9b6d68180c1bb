"""Who holds the heap, as a networkx graph: from threads and classes down to the containers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, count
from typing import Final

from mprof.code_site import CodeSite
from mprof.diagnosis import Diagnosed
from mprof.extras import MissingPackageError, how_to_install
from mprof.objects import HeapObjects, Holder, PathStep

try:
    import networkx as nx
except ModuleNotFoundError as error:
    raise MissingPackageError(
        "mprof.holder_graph needs networkx", next_step=how_to_install("notebook")
    ) from error

__all__ = ["holder_graph"]

_HADOOP: Final = "Hadoop"


def holder_graph(diagnosed: Diagnosed) -> nx.DiGraph:
    """The holder paths of the diagnosed attempt's heap at death.

    Edges lead from what holds to what is held. Each has a ``name``: the field or local by which it
    holds (``counts``, ``this``, ``local java.util.ArrayList``, ``[i]`` for the elements of an
    array), and ``frame`` from a thread to its frames.

    Nodes are texts, unique in the graph. Each has a ``kind`` and a short ``label``:

    =========  =====================================================================================
    kind       what it is
    =========  =====================================================================================
    thread     a thread
    frame      the method whose locals hold something; ``class_name``, ``method``, ``file`` and
               ``line`` as far as they are known; ``user_bytes``, the user memory that its locals
               reach, where it is a frame of the thread that died
    class      a class: its static field holds, or the mapper, reducer or other object of it
               (``this``) that no frame on the stack has at that moment
    framework  Hadoop itself, which hands out the record in flight and keeps the buffers
    object     an object on a path; ``class_name``
    =========  =====================================================================================

    The accumulation point of a holder, mostly a container, says besides: ``holder`` (as in
    `mprof.tables.holders`), ``owner`` (as in the report), ``lifecycle``, ``bytes``, ``doubling``,
    and of a container ``length`` and ``element_class``. ``bytes`` are counted for one holder only,
    so they may be added up. An attribute that is not known, or does not apply, is left out.

    What follows an accumulation point is one look inside: its array and what stands there.
    Two locals of one class in one frame are told apart only where their paths are the same.

    Returns:
        The graph; empty where no heap at death is known. Where the report takes the last dump
        before the death in place of a missing one, so does the graph.
    """
    graph = nx.DiGraph()
    snapshot = diagnosed.heap_at_death
    if snapshot is None:
        return graph
    for holder in snapshot.holders:
        node = _add_holder(graph, holder)
        listed = diagnosed.evidence.holder(holder.key)
        if listed is not None:  # the evidence knows of earlier dumps too
            graph.add_node(node, owner=listed.owner)
    _add_user_bytes(graph, snapshot)
    return graph


def _add_holder(graph: nx.DiGraph, holder: Holder) -> str:
    """Adds its path; the node of its accumulation point."""
    # A holder without a path is a part of the framework's memory, known by its name alone.
    steps = holder.path or (PathStep(str(holder.key), holder.class_name),)
    names = (_first_name(holder, steps[0]), *(step.name for step in steps[1:]))
    root = _add_root(graph, holder, steps[0])
    point = _point_at(holder, steps)
    nodes = _free_path(graph, root, names, point)
    above = root
    for node, name, step in zip(nodes, names, steps, strict=True):
        label = step.class_name.rpartition(".")[2]
        graph.add_node(node, kind="object", label=label, class_name=step.class_name)
        if above is not None:
            graph.add_edge(above, node, name=name)
        above = node
    graph.add_node(
        nodes[point],
        holder=str(holder.key),
        owner=holder.owner,
        lifecycle=holder.lifecycle,
        bytes=holder.bytes,
        doubling=holder.doubling,
        **_known(length=holder.length, element_class=holder.element_class),
    )
    return nodes[point]


def _add_root(graph: nx.DiGraph, holder: Holder, first: PathStep) -> str | None:
    """The node that a path hangs from; None where the dump does not say what holds it."""
    declared_in = _static_of(first)
    if declared_in is None and holder.site is None and first.name == first.class_name:
        declared_in = first.class_name  # an object of the task, between two calls of it
    if declared_in is not None:
        label = declared_in.rpartition(".")[2]
        graph.add_node(f"class {declared_in}", kind="class", label=label, class_name=declared_in)
        return f"class {declared_in}"
    if holder.site is not None:
        return _add_frame(graph, holder.site, holder.thread)
    if first.name.startswith("unheld "):
        return None
    graph.add_node(_HADOOP, kind="framework", label=_HADOOP)
    return _HADOOP


def _add_frame(graph: nx.DiGraph, site: CodeSite, thread: str | None) -> str:
    node = _frame_node(site.class_name, site.method, site.file, site.line, thread)
    graph.add_node(
        node,
        kind="frame",
        label=f"{site.class_name.rpartition('.')[2]}.{site.method}()",
        class_name=site.class_name,
        method=site.method,
        **_known(file=site.file, line=site.line),
    )
    if thread is not None:
        graph.add_node(f"thread {thread}", kind="thread", label=thread)
        graph.add_edge(f"thread {thread}", node, name="frame")
    return node


def _add_user_bytes(graph: nx.DiGraph, snapshot: HeapObjects) -> None:
    """Of a method that stands on the stack several times, what its topmost frame reaches."""
    for each in reversed(snapshot.frames):
        node = _frame_node(each.class_name, each.method, each.file, each.line, snapshot.thread)
        if node in graph and each.user_bytes is not None:
            graph.add_node(node, user_bytes=each.user_bytes)


def _frame_node(
    class_name: str, method: str, file: str | None, line: int | None, thread: str | None
) -> str:
    place = file or "unknown source"
    at = f"{place}:{line}" if line is not None else place
    return f"thread {thread or 'unknown'}: {class_name}.{method} ({at})"


def _static_of(first: PathStep) -> str | None:
    """The class whose static field a path begins with: its name is ``CLASS.FIELD``."""
    if " " in first.name or first.name == first.class_name:
        return None
    return first.name.rpartition(".")[0] or None


def _first_name(holder: Holder, first: PathStep) -> str:
    if _static_of(first) is not None:
        return first.name.rpartition(".")[2]
    return "this" if holder.site is None and first.name == first.class_name else first.name


def _point_at(holder: Holder, steps: Sequence[PathStep]) -> int:
    """Which step is the accumulation point; the path goes one look further into it."""
    paths = accumulate((step.name for step in steps), lambda path, name: f"{path}.{name}")
    found = (at for at, path in enumerate(paths) if path == holder.field_path)
    return next(found, len(steps) - 1)


def _free_path(
    graph: nx.DiGraph, root: str | None, names: Sequence[str], point: int
) -> tuple[str, ...]:
    """Nodes of a path whose accumulation point is no other holder's yet.

    Holders share the objects that lead to them. Two locals of one class in one frame have equal
    paths; the second gets a number.
    """
    every = (_path(root, names, number) for number in count(1))
    return next(nodes for nodes in every if "holder" not in graph.nodes.get(nodes[point], {}))


def _path(root: str | None, names: Sequence[str], number: int) -> tuple[str, ...]:
    first = names[0] if number == 1 else f"{names[0]} #{number}"
    start = f"{root} > {first}" if root is not None else first
    return tuple(accumulate(names[1:], lambda above, name: f"{above} > {name}", initial=start))


def _known(**attributes: str | int | None) -> dict[str, str | int]:
    return {name: value for name, value in attributes.items() if value is not None}
