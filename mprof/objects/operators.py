"""Operators of a compiled script among the objects of a heap, and the statements they come from."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.code import ScriptSite
from mprof.engines import SCRIPT_FRAMEWORKS, OperatorFields, ScriptFramework
from mprof.heap import Heap

__all__ = ["Operators"]


class Operators:
    """The operators of a heap, looked at when asked for."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._frameworks = tuple(
            each
            for each in SCRIPT_FRAMEWORKS
            if heap.instances(each.operators.base, subclasses=True).size
        )

    def site(self, node: int | None) -> ScriptSite | None:
        """The statement an operator was compiled from.

        None of an object that is no operator, and of an operator that the framework added or that
        stands inside another one: such operators have no alias.
        """
        if node is None or not self._frameworks:
            return None
        family = self._family(node)
        for framework in self._frameworks:
            if framework.operators.base in family:
                return self._site(node, framework)
        return None

    def first(self, nodes: Iterable[int | None]) -> ScriptSite | None:
        """The statement of the first of these objects that is an operator with one."""
        if not self._frameworks:
            return None
        sites = (self.site(node) for node in nodes)
        return next((site for site in sites if site is not None), None)

    def first_fed(self, nodes: Iterable[int | None]) -> ScriptSite | None:
        """The statement of the operator that the first mapper, combiner or reducer feeds."""
        if not self._frameworks:
            return None
        fed = (each for node in nodes if node is not None for each in self._fed(node))
        return self.first(fed)

    def _fed(self, node: int) -> list[int | None]:
        family = self._family(node)
        return [
            self._heap.reference(node, name)
            for framework in self._frameworks
            for driver in framework.drivers
            if driver.class_name in family
            for name in driver.names
        ]

    def _family(self, node: int) -> tuple[str, ...]:
        class_name = self._heap.class_name(node)
        return (class_name, *self._heap.super_classes(class_name))

    def _site(self, node: int, framework: ScriptFramework) -> ScriptSite | None:
        fields = framework.operators
        held = self._heap.reference(node, fields.alias)
        alias = self._heap.string(held) if held is not None else None
        if not alias:
            return None
        operator = self._heap.class_name(node).rpartition(".")[2]
        return ScriptSite(framework.name, alias, self._line(node, fields), operator)

    def _line(self, node: int, fields: OperatorFields) -> int | None:
        """The line of its first place; an operator that the framework added has -1."""
        places = self._heap.reference(node, fields.locations)
        first = next(iter(self._heap.members(places)), None) if places is not None else None
        line = self._heap.number(first, fields.line) if first is not None else None
        return line if line is not None and line > 0 else None
