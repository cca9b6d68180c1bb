"""Who fills a queue and who empties it, by the stacks of threads that share it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from mprof.heap import Container
from mprof.objects.stack import TaskFrame, TaskThread
from mprof.objects.turns import adds_rather

# pipe -queue-> queue, which keeps the nodes 10 to 19; 30 is an element that it keeps no more,
# 31 one that is being made
PIPE, QUEUE, KEPT, TAKEN, NEW, OTHER = 5, 10, 12, 30, 31, 40
CLASSES = {PIPE: "app.Pipe", QUEUE: "Queue", KEPT: "app.Item", TAKEN: "app.Item", NEW: "app.Item",
           OTHER: "app.Other"}  # fmt: skip


class FewObjects:
    """As much of a heap as is asked."""

    def container(self, node: int) -> Container | None:
        return Container("queue", 5, -1, "app.Item", node) if node == QUEUE else None

    def class_name(self, node: int) -> str:
        return CLASSES[node]

    def super_classes(self, name: str) -> tuple[str, ...]:
        return ("Base",) if name == "Queue" else ()

    def array_length(self, node: int) -> int:
        del node
        return -1

    def reference_fields(self, node: int) -> dict[str, int]:
        return {"queue": QUEUE} if node == PIPE else {}

    def fields(self, node: int) -> dict[str, int | None]:
        return {"x": None if node == NEW else 1}

    def keeps(self, node: int, other: int) -> bool:
        return node == QUEUE and 10 <= other < 20


def frame(code: str, *held: int, user: bool = False) -> TaskFrame:
    class_name, _, method = code.rpartition(".")
    this = next((one for one in held if CLASSES[one] == class_name), None)
    of = SimpleNamespace(class_name=class_name, method=method, locals=held)
    return cast("TaskFrame", SimpleNamespace(frame=of, this=this, is_user=user))


def thread(*frames: TaskFrame) -> TaskThread:
    top = frames[0].frame.method
    return cast(
        "TaskThread",
        SimpleNamespace(
            thread=SimpleNamespace(node=OTHER),
            frames=frames,
            waits=top in ("wait", "sleep"),
            sleeps=top == "sleep",
        ),
    )


def user(code: str, *held: int) -> TaskFrame:
    return frame(f"app.{code}", *held, user=True)


WORKS_ON_IT = thread(user("Worker.inflate", TAKEN), user("Worker.run", PIPE, TAKEN))
TAKES = thread(frame("Queue.take", QUEUE), user("Worker.run", PIPE))
TAKES_WITHOUT_THIS = thread(frame("Base.poll"), user("Worker.run", PIPE))
KNOWS = thread(user("Worker.run", PIPE))
MAKES = thread(user("Item.<init>", NEW), user("Feeder.run", PIPE, NEW))
SLEEPS = thread(frame("Thread.sleep"), user("Feeder.run", PIPE))
ADDS = thread(frame("Queue.put", QUEUE, KEPT), user("Feeder.run", PIPE))
WAITS = thread(frame("Object.wait"), user("Main.main", PIPE))
HAS_NOTHING_OF_IT = thread(user("Other.run", OTHER))


@pytest.mark.parametrize(
    ("blamed", "others", "expected"),
    [
        (WORKS_ON_IT, [SLEEPS], SLEEPS),
        (WORKS_ON_IT, [WAITS, HAS_NOTHING_OF_IT], None),
        (WORKS_ON_IT, [KNOWS, ADDS], ADDS),
        (TAKES, [WORKS_ON_IT, MAKES], MAKES),
        (TAKES_WITHOUT_THIS, [SLEEPS], SLEEPS),
        (KNOWS, [SLEEPS], None),
        (KNOWS, [ADDS], ADDS),
        (MAKES, [WORKS_ON_IT, SLEEPS, TAKES], None),
        (ADDS, [SLEEPS, KNOWS], None),
    ],
)
def test_who_fills_a_queue_is_told_by_what_the_stacks_show(
    blamed: TaskThread, others: list[TaskThread], expected: TaskThread | None
) -> None:
    at = next(each for each in blamed.frames if each.is_user and PIPE in each.frame.locals)

    found = adds_rather(cast("Any", FewObjects()), [blamed, *others], QUEUE, (at, blamed))

    assert (None if found is None else found.thread) is expected
    if found is not None:
        assert found.way == (("this", PIPE), ("queue", QUEUE))
