"""A place in the code of a job, as stacks, dumps and reports name it: of Java, or of a script."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CodeSite", "ScriptSite"]


@dataclass(frozen=True, slots=True)
class CodeSite:
    """A method, and the line where it stood; ``file`` and ``line`` are None where unknown."""

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
