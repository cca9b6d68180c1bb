"""Methods that add to a container, and those that take from one, by their names."""

from __future__ import annotations

from typing import Final

__all__ = ["ADDS", "TAKES"]

ADDS: Final = frozenset({
    "add", "addAll", "addElement", "addFirst", "addLast", "append", "appendCodePoint", "compute",
    "computeIfAbsent", "insert", "insertElementAt", "merge", "offer", "offerFirst", "offerLast",
    "push", "put", "putAll", "putFirst", "putIfAbsent", "putLast", "write",
})  # fmt: skip
"""Methods that enlarge what they are called on; of the JDK's collections, builders and streams, and
of those that are made like them."""

TAKES: Final = frozenset({
    "drainTo", "poll", "pollFirst", "pollLast", "pop", "remove", "removeFirst", "removeLast",
    "take", "takeFirst", "takeLast",
})  # fmt: skip
"""Methods that take out of what they are called on, or wait until they can; of the JDK's queues."""
