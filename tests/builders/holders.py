"""The holders that a test asks for, of all that a heap has."""

from __future__ import annotations

from mprof.objects import LARGE_OBJECT, HeapObjects, Holder


def large_holders(objects: HeapObjects) -> tuple[Holder, ...]:
    """Those of the user that are large objects, largest first."""
    return tuple(
        one for one in objects.holders if one.owner == "user" and one.bytes >= LARGE_OBJECT.value
    )
