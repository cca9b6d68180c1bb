"""The operator of a script or query that a holder hangs on: its statement, and its method."""

from __future__ import annotations

from mprof.code_site import CodeSite, ScriptSite
from mprof.objects.contents import elements_of_small
from mprof.objects.owned_heap import OwnedHeap
from mprof.objects.point import Point
from mprof.objects.stacks import Blamed

__all__ = ["method_of_operator", "statement_of"]

_MOST_CALLERS = 200  # a plan nests a few operators, each with a few frames


def statement_of(owned: OwnedHeap, point: Point, blamed: Blamed | None) -> ScriptSite | None:
    """The statement of the innermost operator on the path, else of the nearest at work there.

    Else of the one that feeds the path or the frames: a combiner's own field.
    """
    operators = owned.operators
    path = [node for _, node in reversed(point.chain)]
    found = operators.first((*elements_of_small(owned.heap, point.node), *path))
    callers = _callers(blamed)
    return found or operators.first(callers) or operators.first_fed(path + callers)


def _callers(blamed: Blamed | None) -> list[int]:
    """The objects whose methods a frame and those below it run, nearest first."""
    if blamed is None:
        return []
    frame, thread = blamed
    below = thread.frames[thread.frames.index(frame) :][:_MOST_CALLERS]
    return [each.this for each in below if each.this is not None]


def method_of_operator(owned: OwnedHeap, point: Point) -> CodeSite | None:
    """The method that the path's operator works in, where no frame tells."""
    operator = point.chain[0][1]
    method = owned.operators.at_work.get(operator)
    return None if method is None else CodeSite(owned.class_of(operator), method)
