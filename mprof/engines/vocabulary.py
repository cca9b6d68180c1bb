"""The words in which stacks, heaps and evidence speak of a task, whatever engine runs it."""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = ["LIFECYCLES", "PLACES", "ClassKind", "Level", "Lifecycle", "Lifetime", "Place", "Side",
           "Via"]  # fmt: skip

Side = Literal["map", "reduce", "unknown"]
"""Which kind of task it is."""

Place = Literal["init", "setup", "map", "combine", "shuffle", "sort", "reduce", "cleanup", "other"]
"""The step of the task in which a thread stands; the words of ``place`` in the event log."""

PLACES: Final[tuple[Place, ...]] = get_args(Place)

Lifecycle = Literal["map", "reduce", "group", "record"]
"""How long memory can live while the task works on its data (paper 4.2.1).

``map``, ``reduce``: a field of the mapper, reducer or combiner, a static, a local of an overridden
run(). ``group``: a local of reduce() or combine(), or of a helper that itself walks the values.
``record``: a local of map(), or of what map() or the loop over the values calls.
"""

LIFECYCLES: Final[tuple[Lifecycle, ...]] = get_args(Lifecycle)

Lifetime = Literal[Lifecycle, "setup", "none"]
"""What one dump says of a lifecycle.

``setup``: held while no record has been seen. ``none``: no lifecycle (buffers of the framework,
locals of cleanup()). A reducer's field that is cleared for each group looks like ``reduce`` in one
dump; only the curve over several dumps tells.
"""

ClassKind = Literal["user", "framework", "neutral", "agent"]
"""Whose a class is: see :class:`mprof.engines.classes.UserClasses`."""

Level = Literal[
    "framework", "library", "task", "setup", "map", "reduce", "cleanup", "callee", "decoder",
    "encoder", "foreign",
]  # fmt: skip
"""What a frame is, and so how long its locals live.

``framework``: the engine, the agent, or what they call. ``library``: the JDK or a library, called
by user code. ``task``: an overridden run(). ``setup``, ``map``, ``reduce``, ``cleanup``: that
method of the template. ``callee``: user code called by one of them. ``decoder``: a user's record
reader or Writable while a record is read, and what it calls. ``encoder``: a user's Writable or
record writer while one is written, and what it calls. ``foreign``: user code outside any template.
"""

Via = Literal["user", "read", "write", "framework"]
"""Who called: user code, or the framework while it reads, writes or does something else."""
