"""A failure that is no memory death says what it comes from."""

from __future__ import annotations

from mprof.trace.death import _of_error
from mprof.trace.throwable import Throwable


def _evidence(error: Throwable) -> str:
    return _of_error(error, where="event log", thread="main", place="setup").evidence


def test_the_innermost_cause_stands_beside_the_outermost_line() -> None:
    root = Throwable("java.lang.NoClassDefFoundError", "org/lib/Cache")
    middle = Throwable("java.lang.reflect.InvocationTargetException")
    error = Throwable("java.lang.RuntimeException", middle.class_name, causes=(middle, root))

    assert "caused by java.lang.NoClassDefFoundError: org/lib/Cache" in _evidence(error)


def test_a_cause_that_the_line_names_already_is_not_said_twice() -> None:
    root = Throwable("java.io.IOException", "no room")
    error = Throwable("java.lang.RuntimeException", "java.io.IOException: no room", causes=(root,))

    assert "caused by" not in _evidence(error)
