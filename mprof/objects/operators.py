"""Operators of a compiled script or query in a heap, and the statements they come from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from mprof.code_site import ScriptSite
from mprof.engines import SCRIPT_FRAMEWORKS, ColumnFields, OperatorFields, ScriptFramework
from mprof.heap import Heap

__all__ = ["Operators"]

_MOST_OPERATORS: Final = 1000
_MOST_EXPRESSIONS: Final = 256
_MOST_STEPS: Final = 16  # from an operator back to the tables


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

    @cached_property
    def at_work(self) -> dict[int, str]:
        """The operators that may hold something themselves, and the method that each works in.

        And the functions that they call.
        """
        fields = [each.operators for each in self._frameworks]
        works = [(each.base, each.method) for each in fields if each.method]
        works += [
            (each.functions.class_name, each.functions.name) for each in fields if each.functions
        ]
        return {
            int(node): method
            for base, method in works
            for node in self._heap.instances(base, subclasses=True)[:_MOST_OPERATORS]
        }

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
        alias = self._text(node, fields.name)
        if not alias:
            return None
        operator = self._heap.class_name(node).rpartition(".")[2]
        columns = _Columns(self._heap, fields.columns).of(node) if fields.columns else ()
        return ScriptSite(framework.name, alias, self._line(node, fields), operator, columns)

    def _text(self, node: int, field: str) -> str | None:
        held = self._heap.reference(node, field)
        return self._heap.string(held) if held is not None else None

    def _line(self, node: int, fields: OperatorFields) -> int | None:
        """The line of its first place; an operator that the framework added has -1."""
        places = self._heap.reference(node, fields.locations) if fields.locations else None
        first = next(iter(self._heap.members(places)), None) if places is not None else None
        line = self._heap.number(first, fields.line) if first is not None else None
        return line if line is not None and line > 0 else None


class _Columns:
    """The columns of tables that operators of a query work on."""

    def __init__(self, heap: Heap, fields: ColumnFields) -> None:
        self._heap = heap
        self._fields = fields

    def of(self, operator: int) -> tuple[str, ...]:
        """Those of its operands, named as the tables name them, in the order of their names.

        Empty where the operators before it are not of the same step, so that a name which one of
        them gave cannot be followed to a table.
        """
        operands: list[int] = []
        for way in self._fields.operands:
            node: int | None = operator
            for name in way:
                node = self._heap.reference(node, name) if node is not None else None
            if node is not None:
                operands.append(node)
        return tuple(sorted(self._followed(operator, self._names(operands), _MOST_STEPS)))

    def _followed(self, operator: int, names: set[str], steps: int) -> set[str]:
        """Names of an operator's input as the tables name them."""
        before = self._before(operator)
        if not names or steps == 0:
            return set()
        if not before:
            # The first operator of a step: of a scan its names are those of a table.
            return names if not any(_is_given(name) for name in names) else set()
        found: set[str] = set()
        for name in names:
            for parent in before:
                made = self._made(parent, name)
                inner = self._names([made]) if made is not None else {name}
                followed = self._followed(parent, inner, steps - 1)
                if inner and not followed:
                    return set()
                found |= followed
        return found

    def _before(self, operator: int) -> list[int]:
        held = self._heap.reference(operator, self._fields.parents)
        return self._heap.members(held)[:_MOST_STEPS] if held is not None else []

    def _made(self, operator: int, name: str) -> int | None:
        """The expression that an operator gives a name to."""
        lineage = self._heap.reference(operator, self._fields.lineage)
        content = self._heap.container(lineage) if lineage is not None else None
        if content is None or content.backing is None:
            return None
        entries = [each for each in self._heap.elements(content.backing).tolist() if each >= 0]
        for entry in entries[:_MOST_EXPRESSIONS]:
            link: int | None = entry
            while link is not None:
                key = self._heap.reference(link, "key")
                if key is not None and self._heap.string(key) == name:
                    return self._heap.reference(link, "value")
                link = self._heap.reference(link, "next")
        return None

    def _names(self, nodes: list[int]) -> set[str]:
        """All columns in some expressions, whatever lists and functions are around them."""
        found: set[str] = set()
        seen: set[int] = set()
        waiting = list(nodes)
        while waiting and len(seen) < _MOST_EXPRESSIONS:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if self._heap.container(node) is not None:
                waiting += self._heap.members(node)
            elif self._heap.array_length(node) >= 0:
                waiting += [each for each in self._heap.elements(node).tolist() if each >= 0]
            elif self._is_expression(node):
                fields = self._heap.reference_fields(node)
                name = fields.get(self._fields.name)
                text = self._heap.string(name) if name is not None else None
                if text:
                    found.add(text)
                else:
                    waiting += fields.values()
        return found

    def _is_expression(self, node: int) -> bool:
        name = self._heap.class_name(node)
        return self._fields.base in (name, *self._heap.super_classes(name))


def _is_given(name: str) -> bool:
    """Whether Hive made up a name: ``_col0``, ``KEY._col0``, ``VALUE._col1``."""
    return name.startswith(("_col", "KEY.", "VALUE."))
