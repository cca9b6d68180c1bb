"""Keys of holders, in few words."""

from __future__ import annotations

from mprof.objects import HolderKey

__all__ = ["field_key", "local_key", "record_key", "static_key"]


def field_key(class_name: str, *fields: str) -> HolderKey:
    """What a field of a mapper or the like holds, and fields from there on."""
    return HolderKey("field", class_name, fields=fields)


def static_key(class_name: str, *fields: str) -> HolderKey:
    """What a static field holds, and fields from there on."""
    return HolderKey("static", class_name, fields=fields)


def local_key(
    class_name: str, method: str, value_class: str, *fields: str, number: int = 1
) -> HolderKey:
    """What a local of a frame holds, and fields from there on."""
    return HolderKey("local", class_name, method, value_class, fields, number)


def record_key(name: str) -> HolderKey:
    """A field of the framework, or of a record reader, with the record in flight."""
    return HolderKey("record", fields=(name,))
