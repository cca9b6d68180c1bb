"""A heap to be looked around in: its objects and classes one by one, its dominator tree in rows.

The terminal, the page and the server of ``mprof heap`` show these values and judge nothing.
"""

from mprof.heap.browse.picture import HeapPicture, picture_of
from mprof.heap.browse.questions import (
    ask_class,
    ask_dominated,
    ask_object,
    ask_path,
    check_id,
    node_of,
)
from mprof.heap.browse.values import ClassAnswer, DominatedAnswer, ObjectAnswer, PathAnswer

__all__ = [
    "ClassAnswer",
    "DominatedAnswer",
    "HeapPicture",
    "ObjectAnswer",
    "PathAnswer",
    "ask_class",
    "ask_dominated",
    "ask_object",
    "ask_path",
    "check_id",
    "node_of",
    "picture_of",
]
