"""How an object that is published takes its members from the facts."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import Struct

__all__ = ["Published"]

P = TypeVar("P", bound="Published")


class Published(Struct, frozen=True, kw_only=True):
    """An object of JSON."""

    @classmethod
    def taken(cls: type[P], facts: object, **given: Any) -> P:
        """An object with the members that are given, and the others as the facts call them.

        A name that the facts do not have is a fault; that types agree is tested by reading back
        what is published of every recorded case.
        """
        names = (name for name in cls.__struct_fields__ if name not in given)
        return cls(**{name: getattr(facts, name) for name in names}, **given)
