"""A place in the code of a job, as stacks, dumps and reports name it: of Java, or of a script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CodeSite", "KeptInCode", "ScriptSite"]


@dataclass(frozen=True, slots=True)
class CodeSite:
    """A method, and the line where it stood; ``file`` and ``line`` are null where unknown."""

    class_name: str
    method: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ScriptSite:
    """A statement of a script, or an operator of a query, that a framework compiled into the job.

    Attributes:
        framework: name of the framework.
        alias: what the statement defines, as the script calls it; the operator's id of a query.
        line: 1-based line of the script; None where it is not known, and of a query.
        operator: class of the operator it was compiled to, without its package; empty where no heap
            tells.
        columns: those of the query's tables that tell the operator from its like, in the order of
            their names; empty of a script, and where no heap tells.
    """

    framework: str
    alias: str
    line: int | None = None
    operator: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptInCode:
    """A collection or a text that code fills, as somebody pasted that code beside an end.

    Attributes:
        name: as the code calls it.
        type_name: of what is made, as written: ``HashSet<Long>``; ``dict`` of Python.
        adds: the call that fills it, as written.
        over: what the loop around that goes over; empty where no loop of its method is around.
        method: which method that is in; None where the text does not show its head.
        lives: ``call`` where each call of the method makes or empties it; ``task`` of a field, and
            of what a script keeps over all of its input; ``outside`` where the text does not show
            the place that makes it.
        line: of the call, in the text.
        own_line: of the call, in its source file, as a number beside it says; None without one.
        marked: such numbers beside any of the lines around it.
        covers: the first and the last line of its source file that are shown, by such a number.
        is_of_values: whether the loop goes over the values of a key.
        is_sorted: whether the code sorts it.
        is_counted: whether its size is all that the code asks of it.
        is_paired: whether the code goes through it in a loop within a loop through it.
        in_cleanup: whether ``cleanup()`` or ``close()`` uses it.
        emptied: other fields that the same method empties before it uses them.
        is_of_file: whether a file fills it that is read beside the input, before its first line.
        is_of_partition: whether it takes all of a partition of PySpark at once.
        is_asked: whether all that the code does with it is to ask whether something is in it.
        is_of_bag: whether it takes a bag of Pig, in a function of the user.
        is_pool: whether it is no collection, but a pool of threads that each call makes, and that
            nothing which is shown ends; ``adds`` is what makes it.
        threads: of such a pool, at most; None where the code gives no number.
        language: ``java`` or ``python``.
    """

    name: str
    type_name: str
    adds: str
    over: str
    method: str | None
    lives: Literal["call", "task", "outside"]
    line: int
    own_line: int | None = None
    marked: tuple[int, ...] = ()
    covers: tuple[int, int] | None = None
    is_of_values: bool = False
    is_sorted: bool = False
    is_counted: bool = False
    is_paired: bool = False
    in_cleanup: bool = False
    emptied: tuple[str, ...] = ()
    is_of_file: bool = False
    is_of_partition: bool = False
    is_asked: bool = False
    is_of_bag: bool = False
    is_pool: bool = False
    threads: int | None = None
    language: Literal["java", "python"] = "java"
