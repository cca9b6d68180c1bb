"""Which of the settings that somebody wrote down do not reach what died, or give it nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.history.deprecated import NEW_NAMES
from mprof.messages.said import (
    heap_in_options,
    heap_setting_of_program,
    is_launcher_of_oozie,
    is_of_hadoop_1,
    may_be_in_force,
    setting_of,
    side_of,
)
from mprof.units import MIB

__all__ = ["beyond_reach"]

_CONTAINER_OF_TEZ: Final = "hive.tez.container.size"
_OPTIONS_OF_TEZ: Final = "hive.tez.java.opts"
_HEAPSIZE: Final = "HADOOP_HEAPSIZE"
_OF_BOTH: Final = "mapred.child.java.opts"
_OF_TASKS: Final = "map and reduce tasks"
_OF_EXECUTORS: Final = "executors of Spark"
_OF_CLIENTS: Final = "commands on the client and servers"
_OF_MASTERS: Final = "the application master of MapReduce"
# (what a property sets, whose it is)
_FAMILIES: Final = tuple(
    (re.compile(pattern), whose)
    for pattern, whose in (
        (r"mapreduce\.map\.(?:java\.opts|memory\.mb)|mapred\.map\.child\.java\.opts", "map"),
        (
            r"mapreduce\.reduce\.(?:java\.opts|memory\.mb)|mapred\.reduce\.child\.java\.opts",
            "reduce",
        ),
        (re.escape(_OF_BOTH), _OF_TASKS),
        (r"yarn\.app\.mapreduce\.am\.(?:resource\.mb|command-opts)", _OF_MASTERS),
        (
            r"spark\.(?:yarn\.)?executor\.(?:memory|memoryOverhead|extraJavaOptions)",
            _OF_EXECUTORS,
        ),
        (r"spark\.(?:yarn\.)?driver\.(?:memory|memoryOverhead)", "the driver of Spark"),
        (r"tez\.am\.(?:resource\.memory\.mb|launch\.cmd-opts)", "the application master of Tez"),
        (r"HADOOP_(?:CLIENT_OPTS|OPTS|HEAPSIZE(?:_MAX)?)", _OF_CLIENTS),
        (r"hive\.tez\.(?:container\.size|java\.opts)", "tasks of Tez"),
    )
)
_SIDES: Final = ("map", "reduce")
_REACHED: Final = {
    "mapreduce-master": _OF_MASTERS,
    "mapreduce-uber": _OF_MASTERS,
    "spark-executor": _OF_EXECUTORS,
    "spark-master": "the driver of Spark",
    "spark-local": "the driver of Spark",
    "tez-master": "the application master of Tez",
    "tez-task": "tasks of Tez",
    "tez-pig": _OF_TASKS,  # Pig makes the options of Tez of them
}
"""Whose properties reach a program, by its id."""
_OF_EITHER: Final = frozenset({"spark", "flink", "other-master"})
"""Programs of which nothing says which of the processes of their engine it was."""


def beyond_reach(evidence: Evidence) -> str:
    """What a text sets or tries that could not help here, with the reason; "" of nothing."""
    return " ".join(filter(None, (*_of_others(evidence), *_of_its_own(evidence))))


def _of_others(evidence: Evidence) -> Iterator[str]:
    """Of settings of other processes than that which died."""
    death = evidence.death
    if death.kind == "not-memory" or is_launcher_of_oozie(evidence):
        return  # whose container may be what was asked for; which has the names of its job
    if death.program is not None:
        yield from _of_a_program(evidence, death.program.id)
    elif death.kind == "application-master":  # of which engine is not known
        families = _by_family(evidence, "")
        yield _said({one: families[one] for one in families if one in _OF_NO_MASTER}, "it")
    elif evidence.attempt.task_type is not None and death.kind in (
        *HEAP_KINDS,
        "container-physical",
        "container-virtual",
    ):
        yield from _of_the_other_side(evidence)


def _of_a_program(evidence: Evidence, program: str) -> Iterator[str]:
    families = _by_family(evidence, _REACHED.get(program, ""))
    if program == "tez-task" and setting_of(evidence, _CONTAINER_OF_TEZ) is None:
        # without it Hive sizes its tasks by those of MapReduce (DagUtils.getContainerResource)
        families = {one: names for one, names in families.items() if one not in _OF_MAPREDUCE}
    if program not in _REACHED:  # a client or a server, whose environment it is
        families.pop(_OF_CLIENTS, None)
    if program in _OF_EITHER:
        families = {one: names for one, names in families.items() if one in _OF_MAPREDUCE}
    yield _said(families, "it")


_OF_NO_MASTER: Final = frozenset({*_SIDES, _OF_TASKS, _OF_CLIENTS})
_OF_MAPREDUCE: Final = frozenset({*_SIDES, _OF_TASKS, _OF_MASTERS})


def _by_family(evidence: Evidence, reached: str) -> dict[str, list[str]]:
    """The settings of a text by whose they are, without those of what is reached.

    What was tried is told whatever it is of, and what is in force where people take it for that of
    what died: the rest is no more than what the cluster has.
    """
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys((*evidence.stated.in_force, *evidence.stated.doubted)):
        new = NEW_NAMES.get(name, name)
        whose = next((one for words, one in _FAMILIES if words.fullmatch(new)), None)
        of_tasks = reached == _OF_TASKS and whose in _SIDES
        if whose is None or whose == reached or of_tasks:
            continue
        if name in evidence.stated.doubted or _is_meant_for_it(whose, evidence):
            found.setdefault(whose, []).append(name)
    return found


def _is_meant_for_it(whose: str, evidence: Evidence) -> bool:
    """Whether people set what is of another process in the belief that it reaches what died."""
    program = evidence.death.program
    if whose in (*_SIDES, _OF_TASKS):
        return True
    if program is None:
        return False
    of_driver = program.id in ("spark-master", "spark-local") and whose == _OF_EXECUTORS
    return of_driver or (program.id == "command" and whose == _OF_MASTERS)


def _listed(names: Sequence[str]) -> str:
    """``A, B and C``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _said(families: dict[str, list[str]], what: str) -> str:
    """Whose settings they are, and that they do not reach it: a sentence for each owner."""
    sides = [name for one in (*_SIDES, _OF_TASKS) for name in families.pop(one, [])]
    groups = {_OF_TASKS: sides} if sides else {}
    groups |= families
    return " ".join(
        f"{_listed(names)}, which the text has, {'is' if len(names) == 1 else 'are'} of "
        f"{whose} and {'does' if len(names) == 1 else 'do'} not reach {what}."
        for whose, names in groups.items()
    )


def _of_the_other_side(evidence: Evidence) -> Iterator[str]:
    """Of sizes of map tasks, where a reducer died, or so.

    What is in force and has its like for this side is no more than a whole configuration; what was
    tried is told.
    """
    side = side_of(evidence)
    other = "map" if side == "reduce" else "reduce"
    families = _by_family(evidence, "")
    stated = evidence.stated
    own = {NEW_NAMES.get(name, name) for name in (*stated.in_force, *stated.doubted)}
    names = [
        name
        for name in families.get(other, ())
        if not stated.doubted.keys() & _instead_of(name, side)  # a whole configuration in doubt
        and (name in stated.doubted or not own & _instead_of(name, side))
    ]
    if names:
        is_one = len(names) == 1
        yield (
            f"{_listed(names)}, which the text has, {'is' if is_one else 'are'} of {other} "
            f"tasks: a {side} task died, which {'it does' if is_one else 'they do'} not reach."
        )
    for whose in (_OF_MASTERS, _OF_CLIENTS):
        tried = [name for name in families.get(whose, ()) if name in stated.doubted]
        if tried:
            yield _said({whose: tried}, "a task")


def _instead_of(name: str, side: str) -> set[str]:
    """What sets for one side what a property sets for the other."""
    new, other = NEW_NAMES.get(name, name), "map" if side == "reduce" else "reduce"
    like = {new.replace(f".{other}.", f".{side}.")}
    return like | {_OF_BOTH} if new.endswith("java.opts") else like


def _of_its_own(evidence: Evidence) -> Iterator[str]:
    """Of settings of the task that died, which another one goes before, or which are not its heap.

    ``MapReduceChildJVM.getChildJavaOpts``: the options of both sides count where those of the side
    are not set.
    """
    death = evidence.death
    program = death.program.id if death.program is not None else None
    if program == "tez-task" and death.kind in HEAP_KINDS:
        yield from _of_its_room(evidence, _CONTAINER_OF_TEZ, setting_of(evidence, _OPTIONS_OF_TEZ))
    if program in {"command", "hive-local-task"} and death.kind in HEAP_KINDS:
        yield from _of_a_client(evidence)
    if program is not None or evidence.attempt.task_type is None:
        return
    own = _options(evidence)
    options = setting_of(evidence, own)
    if death.kind in (*HEAP_KINDS, "container-physical") and options is not None:
        has = _OF_BOTH in evidence.stated.in_force or _OF_BOTH in evidence.stated.doubted
        if has and setting_of(evidence, _OF_BOTH) != options:
            name = next(
                (one for one in evidence.stated.in_force if NEW_NAMES.get(one, one) == own), own
            )
            yield (
                f"{_OF_BOTH}, which the text has as well, has no effect on it: {name} goes before "
                "it."
            )
    if death.kind in HEAP_KINDS and not is_of_hadoop_1(evidence):
        room = f"mapreduce.{side_of(evidence)}.memory.mb"
        yield from _of_its_room(evidence, room, options or setting_of(evidence, _OF_BOTH))


def _options(evidence: Evidence) -> str:
    return f"mapreduce.{side_of(evidence)}.java.opts"


def _of_a_client(evidence: Evidence) -> Iterator[str]:
    """Of HADOOP_HEAPSIZE where a later -Xmx is known, which HotSpot takes."""
    had = heap_setting_of_program(evidence)
    sizes = (evidence.stated.in_force.get(_HEAPSIZE), *evidence.stated.doubted.get(_HEAPSIZE, ()))
    sizes = (*sizes, *evidence.stated.died_with.get(_HEAPSIZE, ()))
    size = next(filter(None, sizes), None)
    program = evidence.death.program
    if size is not None and program is not None and program.id == "hive-local-task":
        yield (
            f"{_HEAPSIZE}={size}, which the text has, does not reach that JVM: Hive takes it out "
            "of its environment, or sets it to hive.mapred.local.mem (MB)."
        )
        return
    if had is not None and size is not None and had[0] != _HEAPSIZE:
        yield (
            f"{_HEAPSIZE}={size}, which the text has as well, gives the JVM an -Xmx that stands "
            f"before {had[1]} ({had[0]}), and the last one counts."
        )


def _of_its_room(evidence: Evidence, room: str, options: str | None) -> Iterator[str]:
    """Of another size of a container whose heap is set by itself."""
    heap = heap_in_options(options or "")
    passed = evidence.stated.passed_with.get(room, ())
    # with another heap each, which the text gives as well
    died_with = evidence.stated.died_with
    died = died_with.get(room, ()) if died_with.get(_options(evidence)) else ()
    others = {*passed, *died}
    tried = [one for one in may_be_in_force(evidence, room) if one not in others]
    if heap is not None and tried:
        values = " and ".join(f"{room}={one}" for one in dict.fromkeys(tried))
        yield (
            f"{values}, which the text has as well, is the size of the container: the heap "
            f"stays at -Xmx{heap // MIB}m, whatever that is."
        )
