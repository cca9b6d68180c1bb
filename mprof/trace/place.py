"""Where an attempt stood, told by a stack in a log: the last resort where no event says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mprof.trace.throwable import StackFrame

__all__ = ["place_on_stack"]

# where the attempt stood, by what is on the stack; the first that fits wins
_PLACES: Final = (
    ("combine", re.compile(r"\.Task\$(?:New|Old)CombinerRunner\.combine$")),
    ("init", re.compile(r"\.MapTask\$MapOutputBuffer\.init$|\.MapTask\.createSortingCollector$")),
    ("sort", re.compile(r"\.MapOutputBuffer\.(?:sortAndSpill|mergeParts|flush)$")),
    ("sort", re.compile(r"\.MergeManagerImpl\.(?:close|finalMerge)$")),
    ("shuffle", re.compile(r"^org\.apache\.hadoop\.mapreduce\.task\.reduce\.")),
    ("shuffle", re.compile(r"\.ReduceTask\$ReduceCopier")),
)
_TEMPLATES: Final = (
    (re.compile(r"\.mapreduce\.Mapper\.run$|\.mapred\.MapRunner\.run$"), "map"),
    (re.compile(r"\.mapreduce\.Reducer\.run$|\.ReduceTask\.runOldReducer$"), "reduce"),
)
_STEPS: Final = {
    "setup": "setup",
    "configure": "setup",
    "cleanup": "cleanup",
    "close": "cleanup",
    "map": "map",
    "reduce": "reduce",
}


def place_on_stack(stack: Sequence[StackFrame]) -> str | None:
    """The step of the task: ``map``, ``shuffle`` and so on; None where no frame says."""
    names = [f"{frame.class_name}.{frame.method}" for frame in stack]
    for place, pattern in _PLACES:
        if any(pattern.search(name) for name in names):
            return place
    for index, name in enumerate(names):
        for pattern, template in _TEMPLATES:
            if pattern.search(name):
                return _step(stack[:index], template)
    return None


def _step(above: Sequence[StackFrame], template: str) -> str:
    """What the template had called: its lowest frame that is one of the template's methods."""
    for frame in reversed(above):
        if frame.method in _STEPS:
            return _STEPS[frame.method]
    return template
