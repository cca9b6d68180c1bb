"""Where an attempt stood, told by a stack in a log: the last resort where no event says it."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.code_site import CodeSite
from mprof.engines import Engine, Method, Place, UserClasses, read_stack

__all__ = ["place_on_stack"]


def place_on_stack(stack: Sequence[CodeSite], engine: Engine) -> Place | None:
    """The step of the task in which a thread stood; None where no frame says.

    Of a thread that works beside user code only the user code in it tells: what runs in the task's
    own thread meanwhile is the step of the task.
    """
    classes = UserClasses(engine)
    reading = read_stack(stack, classes)
    if reading.at_work:  # a mapper or reducer that comes with the engine: no log names the job's
        reading = read_stack(stack, classes.with_tasks(reading.at_work))
    works_beside = any(Method(f.class_name, f.method) in engine.beside_user_code for f in stack)
    if reading.place == "other" or (works_beside and not reading.has_template):
        return None
    return reading.place
