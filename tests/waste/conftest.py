"""The heap that these tests share."""

from builders.wasteful_heap import wasteful_dump

__all__ = ["wasteful_dump"]
