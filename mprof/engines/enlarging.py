"""Methods that make a container larger: two arrays of it are alive meanwhile.

A library names such methods freely, and its classes are known; a user's method of such a name
(``resize`` of a picture, ``growForest``) may do anything, so its object has to be looked at too.
"""

from __future__ import annotations

from mprof.engines.classes import UserClasses

__all__ = ["enlarges_container", "is_enlarging_name"]

_NAMES = frozenset({
    "addAll", "copyOf", "copyOfRange", "doubleCapacity", "enlarge", "ensureCapacity",
    "ensureCapacityInternal", "ensureExplicitCapacity", "ensureRoom", "expand", "expandCapacity",
    "expandTable", "grow", "growArray", "growCapacity", "growTable", "increaseCapacity",
    "newCapacity", "realloc", "reallocate", "rehash", "resize", "resizeStamp", "resizeTable",
    "setCapacity", "transfer", "tryPresize",
})  # fmt: skip
_PREFIXES = ("ensureCapacity", "grow", "rehash", "resize")


def enlarges_container(class_name: str, method: str, classes: UserClasses) -> bool:
    """Whether a method of the JDK or of a library enlarges a container; a user's never does."""
    named = is_enlarging_name(method) or method.startswith(_PREFIXES)
    return named and classes.kind(class_name) == "neutral"


def is_enlarging_name(method: str) -> bool:
    """Whether a method of a container (arrays and a count) that users wrote enlarges it."""
    return method in _NAMES
