"""The kinds of death, and which error is which.

The messages below are a closed list: HotSpot throws no OutOfMemoryError with another text
(``memory/universe.cpp``, ``memory/metaspace.cpp``, ``prims/jvm.cpp`` ``JVM_StartThread``), and the
JDK's own classes construct the rest (``java.nio.Bits``, ``sun.nio.ch.FileChannelImpl``,
``jdk.internal.util.ArraysSupport``, ``ArrayList.hugeCapacity``).
Two limits lie outside the heap: that of direct buffers, which the JDK keeps count of (``direct``),
and what the operating system grants the process (``native``).
An OutOfMemoryError with another text whose topmost frame is no class of the JDK was made by the
application: the VM leaves the failing allocation on top, a constructor call leaves its caller.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from mprof.code_site import CodeSite
from mprof.engines import is_jdk_class
from mprof.trace.throwable import OUT_OF_MEMORY, Throwable

__all__ = ["MEMORY_KINDS", "DeathKind", "kind_of_error", "kind_of_message"]

DeathKind = Literal[
    "heap",
    "gc-overhead",
    "array-limit",
    "direct",
    "native",
    "metaspace",
    "threads",
    "application-made",
    "container-physical",
    "container-virtual",
    "application-master",
    "not-memory",
    "none",
]

MEMORY_KINDS: Final[frozenset[DeathKind]] = frozenset(
    {
        "heap",
        "gc-overhead",
        "array-limit",
        "direct",
        "native",
        "metaspace",
        "threads",
        "container-physical",
        "container-virtual",
    }
)
"""The kinds that are a death of memory."""

# messages thrown by the virtual machine itself: the text decides, whatever is on the stack
_BY_THE_VM: Final[tuple[tuple[str, DeathKind], ...]] = (
    ("Java heap space", "heap"),  # 11+ may add ": failed reallocation of scalar replaced objects"
    ("GC overhead limit exceeded", "gc-overhead"),
    ("Requested array size exceeds VM limit", "array-limit"),
    ("Metaspace", "metaspace"),
    ("Compressed class space", "metaspace"),
    ("PermGen space", "metaspace"),  # JDK 7
    ("unable to create native thread", "threads"),
    ("unable to create new native thread", "threads"),  # JDK 8
    ("Out of swap space", "native"),
)
# messages of errors that classes of the JDK construct: an application could write them too
_BY_THE_JDK: Final[tuple[tuple[re.Pattern[str], DeathKind], ...]] = (
    (re.compile(r"^Cannot reserve \d+ bytes of direct buffer memory"), "direct"),
    (re.compile(r"^Direct buffer memory"), "direct"),
    (re.compile(r"^Unable to allocate \d+ bytes"), "native"),
    (re.compile(r"^Map failed"), "native"),
    (re.compile(r"^Required (?:array )?(?:length|size) (?:exceeds|too large)"), "array-limit"),
    (re.compile(r"^Overflow: String length out of range"), "array-limit"),
    (re.compile(r"^UTF\w+ String size is"), "array-limit"),
)


def kind_of_error(error: Throwable) -> DeathKind:
    """The kind of death that an OutOfMemoryError, or a library's subclass of it, stands for."""
    if error.class_name != OUT_OF_MEMORY:
        # a library's own subclass; Netty's counts the direct memory that Netty took
        return "direct" if "Direct" in error.class_name else "application-made"
    message = (error.message or "").strip()
    by_vm = _vm_kind(message)
    if by_vm is not None:
        return by_vm
    top = next((f for f in error.stack if f.method != "<init>" or not _is_error(f)), None)
    if top is not None and not is_jdk_class(top.class_name):
        return "application-made"
    by_jdk = _jdk_kind(message)
    if by_jdk is not None:
        return by_jdk
    if top is None:
        return "application-made"
    if top.class_name.endswith(".Unsafe"):  # malloc() said no; JDK 8 gives no message
        return "native"
    if top.class_name.endswith((".Bits", ".FileChannelImpl")):
        return "direct"
    # hugeCapacity() and its like construct the error without a text: the array would be too long
    return "threads" if top.class_name == "java.lang.Thread" else "array-limit"


def _is_error(frame: CodeSite) -> bool:
    return frame.class_name.startswith("java.lang.") and frame.class_name.endswith(
        ("Error", "Throwable")
    )


def kind_of_message(message: str) -> DeathKind | None:
    """The kind that a message without its class stands for; None if it is none of the JVM's."""
    return _vm_kind(message) or _jdk_kind(message)


def _vm_kind(message: str) -> DeathKind | None:
    return next((kind for text, kind in _BY_THE_VM if message.startswith(text)), None)


def _jdk_kind(message: str) -> DeathKind | None:
    return next((kind for pattern, kind in _BY_THE_JDK if pattern.search(message)), None)
