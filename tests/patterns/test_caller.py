"""The step of the job that called the code which holds the memory."""

from __future__ import annotations

import pytest

from mprof.evidence import StackFrame
from mprof.patterns import Where, caller_of

STACK = (
    StackFrame("java.util.HashMap", "put"),
    StackFrame("lib.Table$Row", "add", "Table.java", 9, user=True),
    StackFrame("lib.Reader", "load", "Reader.java", 50, user=True),
    StackFrame("com.x.JoinMapper$Inner", "fill", "JoinMapper.java", 30, user=True),
    StackFrame("com.x.JoinMapper", "setup", "JoinMapper.java", 20, user=True),
    StackFrame("org.apache.hadoop.mapreduce.Mapper", "run"),
)


@pytest.mark.parametrize(
    ("class_name", "method", "step"),
    [
        ("lib.Table$Row", "add", "setup"),
        ("lib.Reader", "load", "setup"),
        # a class within the step's own says enough
        ("com.x.JoinMapper$Inner", "fill", None),
        ("com.x.JoinMapper", "setup", None),
        # a place that another death showed, or none
        ("lib.Reader", "close", None),
        ("lib.Reader", "", None),
    ],
)
def test_it_is_the_lowest_frame_of_the_user_s_where_that_is_another_class(
    class_name: str, method: str, step: str | None
) -> None:
    found = caller_of(Where(class_name, method, None, None, "this.rows"), STACK)

    assert (found.method if found is not None else None) == step


@pytest.mark.parametrize("stack", [None, (), STACK[-1:]])
def test_without_a_frame_of_the_user_s_there_is_none(stack: tuple[StackFrame, ...] | None) -> None:
    assert caller_of(Where("lib.Reader", "load", None, None, ""), stack) is None
