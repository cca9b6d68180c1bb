"""The parts of a holder's key: whose it is, and the fields from there.

Keys are made by `mprof.objects`: ``field C.f``, ``static C.f``, ``local C.m V``, ``written C.m V``,
where V may be numbered (``V #2``) and f and V may go on into the fields of user objects (``f.g``).
The record in flight is ``record F``, F being the field of the framework that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REUSED_KEYS", "LocalKey", "class_and_fields", "is_of_records", "local_key"]

REUSED_KEYS = ("record key", "record value")
"""Of the objects that Hadoop hands out again for each record."""


def is_of_records(key: str) -> bool:
    """Whether it is of what a reader holds, or of the key or value that is handed out."""
    return key.startswith("record ")


@dataclass(frozen=True, slots=True)
class LocalKey:
    """The key of what a local holds.

    Attributes:
        class_name: of the frame.
        method: of the frame.
        value: class of the local.
        fields: from the local on, joined by dots; often empty.
        number: among the locals of its class, empty for the first.
    """

    class_name: str
    method: str
    value: str
    fields: str = ""
    number: str = ""


def class_and_fields(named: str) -> tuple[str, str]:
    """``("com.x.A$B", "index.rows")`` for ``com.x.A$B.index.rows``.

    Where no part looks like a class, the last dot parts them.
    """
    parts = named.split(".")
    at = _class_at(parts)
    if at is None:
        owner, _, member = named.rpartition(".")
        return owner, member
    return ".".join(parts[: at + 1]), ".".join(parts[at + 1 :])


def local_key(rest: str) -> LocalKey:
    """The parts of a key after ``local`` or ``written``."""
    frame, _, local = rest.partition(" ")
    class_name, _, method = frame.rpartition(".")
    named, _, number = local.partition(" ")
    parts = named.split(".")
    at = _class_at(parts)
    end = len(parts) if at is None else at + 1
    return LocalKey(class_name, method, ".".join(parts[:end]), ".".join(parts[end:]), number)


def _class_at(parts: list[str]) -> int | None:
    """Packages begin with a small letter, classes with a capital one (JLS 6.1) or are nested."""
    return next((n for n, part in enumerate(parts) if part[:1].isupper() or "$" in part), None)
