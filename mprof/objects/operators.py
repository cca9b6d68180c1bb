"""Operators of a compiled script among the objects of a heap, and the statements they come from."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.code import ScriptSite
from mprof.engines import SCRIPT_FRAMEWORKS, OperatorFields
from mprof.heap import Heap

__all__ = ["script_site", "script_site_of_any"]


def script_site_of_any(heap: Heap, nodes: Iterable[int | None]) -> ScriptSite | None:
    """The statement of the first of these objects that knows one."""
    sites = (script_site(heap, node) for node in nodes if node is not None)
    return next((site for site in sites if site is not None), None)


def script_site(heap: Heap, node: int) -> ScriptSite | None:
    """The statement an operator, or the operator that a task's own object feeds, was compiled from.

    None of an object that is neither, and of an operator that the framework added or that stands
    inside another one: such operators have no alias.
    """
    class_name = heap.class_name(node)
    family = (class_name, *heap.super_classes(class_name))
    for framework in SCRIPT_FRAMEWORKS:
        for driver in framework.drivers:
            if driver.class_name in family:
                fed = (heap.reference(node, name) for name in driver.names)
                return script_site_of_any(heap, fed)
        fields = framework.operators
        if fields.base in family:
            held = heap.reference(node, fields.alias)
            alias = heap.string(held) if held is not None else None
            if alias:
                operator = class_name.rpartition(".")[2]
                return ScriptSite(framework.name, alias, _line(heap, node, fields), operator)
    return None


def _line(heap: Heap, node: int, fields: OperatorFields) -> int | None:
    """The line of its first place; an operator that the framework added has -1."""
    places = heap.reference(node, fields.locations)
    first = next(iter(heap.members(places)), None) if places is not None else None
    line = heap.number(first, fields.line) if first is not None else None
    return line if line is not None and line > 0 else None
