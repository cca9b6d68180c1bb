"""The code that holds the memory: class, method and line, and the holder path."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mprof.evidence import Holder, HolderKey, ScriptSite, StackFrame

__all__ = ["Where", "allocation_site", "caller_of", "where_of", "where_of_key"]


@dataclass(frozen=True, slots=True)
class Where:
    """The code that holds the memory: its topmost user frame and the holder path.

    Attributes:
        path: of the object, the first of them where several are meant.
        script: the statement of a script that the code was at work for.
        beside: paths of the others that are meant with it.
    """

    class_name: str
    method: str
    file: str | None
    line: int | None
    path: str
    script: ScriptSite | None = None
    beside: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all objects that are meant."""
        return (self.path, *self.beside)


def allocation_site(stack: tuple[StackFrame, ...] | None) -> Where | None:
    """The topmost user frame of the dying thread: it asked for the object that did not fit.

    Nothing holds that object, so the path is empty.
    """
    frames = stack or ()
    at = next((i for i, one in enumerate(frames) if one.user), None)
    if at is None:
        return None
    frame = frames[at]
    script = next((one.script for one in frames[at:] if one.script is not None), None)
    return Where(frame.class_name, frame.method, frame.file, frame.line, "", script)


def caller_of(where: Where, stack: tuple[StackFrame, ...] | None) -> StackFrame | None:
    """The step of the job that called the code: the lowest user frame of the stack.

    Of a library's code that says which of its jobs and which method is meant. None where the code
    is a method of the same class, nested ones included, and where it is not on the stack.
    """
    user = [one for one in stack or () if one.user]
    at = [(one.class_name, one.method) for one in user]
    if not user or (where.class_name, where.method) not in at:
        return None
    step = user[-1]
    same = where.class_name.partition("$")[0] == step.class_name.partition("$")[0]
    return None if same else step


def where_of(holder: Holder) -> Where:
    """The place in code of a holder.

    Where no user frame has it among its locals (a static, or a death in a thread of the
    framework) class and path stand, taken from its key, and the method is empty.
    """
    if holder.site is not None:
        site = holder.site
        return Where(site.class_name, site.method, site.file, site.line, holder.path, holder.script)
    return replace(where_of_key(holder.key, holder.class_name, holder.path), script=holder.script)


def where_of_key(key: HolderKey, class_name: str = "", path: str | None = None) -> Where:
    """The place in code that a holder's key names, for want of a frame."""
    if key.class_name:
        inner = f"local {key.inner_text}" if key.method else key.inner_text
        return Where(key.class_name, key.method, None, None, path or inner)
    return Where(class_name or str(key), "", None, None, path or str(key))
