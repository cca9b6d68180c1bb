"""Strings of the data that are interned.

What it means
    `String.intern()` puts a text into a table of the whole JVM. Up to JDK 6 it stood in the
    permanent generation, which is small; since then it is on the heap, where a text goes when
    nothing else refers to it, but the table slows down with millions of them. Guava's strong
    interners keep every text to the end.

What it does not prove
    That it ran out for this: see what was measured.

What to change
    Intern only texts of a fixed set; else a map of one's own, with a bound.

What would tell more
    `jcmd PID VM.stringtable` of a running task.
"""

from __future__ import annotations

from mprof.evidence import HEAP_KINDS
from mprof.messages.examples import holding, out_of_memory
from mprof.messages.leak import known_leak
from mprof.messages.message import Example, Source

__all__ = ["MESSAGE"]

_GUAVA = "com.google.common.collect.Interners"

MESSAGE = known_leak(
    id="interned_strings",
    title="Interned strings",
    known=(
        "Interning texts of the data is known to fill the JVM's table: up to JDK 6 the permanent "
        "generation, and with a strong interner of Guava the heap."
    ),
    cure="Intern only texts of a fixed set.",
    on_stack=(("java.lang.String", "intern"), (_GUAVA,)),
    holding=(_GUAVA, f"{_GUAVA}$InternerImpl"),
    kinds=HEAP_KINDS | {"metaspace"},
    sources=(
        Source("JDK 6 and earlier", "java.lang.String.intern", "PermGen space"),
        Source("Guava", f"{_GUAVA}.newStrongInterner"),
    ),
    examples=(
        Example("in the permanent generation",
                lambda: out_of_memory("java.lang.String.intern", "com.example.Job.map",
                                      words="PermGen space", kind="metaspace")),
        Example("a strong interner fills the heap", lambda: holding(f"{_GUAVA}$InternerImpl")),
        Example("a string is made",
                lambda: out_of_memory("java.lang.String.<init>", "com.example.Job.map"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
