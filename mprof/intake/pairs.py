"""Two traces of one attempt, each told without what the other has -> one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mprof.intake.reported import is_executor
from mprof.trace import Trace

__all__ = ["are_of", "paired", "with_the_only_id"]

_THE_ONLY_ONE: Final = (
    "the stack is given without the id of its attempt: it is that of the only one which died with "
    "this message"
)


def with_the_only_id(traces: Sequence[Trace]) -> list[Trace]:
    """The traces, where a stack by itself is that of the only attempt with its message.

    A command prints the message of each attempt without a stack, and people paste the log of one.
    """
    found = [*traces]
    for stack in traces:
        if not stack.death.stack or stack.attempt_id is not None or stack.container_id is not None:
            continue
        same = [
            one
            for one in found
            if one.attempt_id is not None
            and (one.death.kind, one.death.message) == (stack.death.kind, stack.death.message)
            and one.task_type == (stack.task_type or one.task_type)
        ]
        if stack.failed and any(one.death.stack == stack.death.stack for one in same):
            found = [one for one in found if one is not stack]  # as the command printed it
            continue
        if stack.failed and len(same) == 1 and not same[0].death.stack and not same[0].logs.files:
            at = found.index(same[0])
            named = _as_attempt(stack, same[0], _THE_ONLY_ONE)
            found[at] = replace(named, container_id=same[0].container_id, host=same[0].host)
            found = [one for one in found if one is not stack]
    return found


def _as_attempt(log: Trace, attempt: Trace, why: str) -> Trace:
    """What a log tells as that of an attempt, which another text tells of without it."""
    return replace(
        log,
        attempt_id=attempt.attempt_id,
        task_type=attempt.task_type,
        index=attempt.index,
        number=attempt.number,
        state=attempt.state,
        losses=(*log.losses, why),
    )


_THE_ONLY_PAIR: Final = (
    "that the attempt ran in this container is concluded: each is the only one of the job which "
    "is told without the other, and both ended with the same {}"
)


def paired(traces: list[Trace], job: str | None) -> list[Trace]:
    """The traces, where one attempt without a container ended as one container without an attempt.

    The client names the attempt, and the NodeManager's log the container.
    """
    if job is None:
        return traces
    traces = _paired_by_message(traces)
    failed = [
        one
        for one in traces
        if one.failed and one.death.kind == "not-memory" and one.death.program is None
    ]
    attempts = [one for one in failed if one.attempt_id and not one.container_id]
    containers = [one for one in failed if one.container_id and not one.attempt_id]
    if len(attempts) != 1 or len(containers) != 1:
        return traces
    attempt, container = attempts[0], containers[0]
    codes = {one.death.container.exit_code if one.death.container else None for one in failed}
    if len(codes) != 1 or None in codes or is_executor(container.container_id):
        return traces
    one = replace(
        attempt,
        container_id=container.container_id,
        host=attempt.host or container.host,
        losses=(*attempt.losses, _THE_ONLY_PAIR.format("exit code")),
    )
    return [one if each is attempt else each for each in traces if each is not container]


def _paired_by_message(traces: list[Trace]) -> list[Trace]:
    """The traces, where the master names an attempt, and its log stands below its container."""
    failed = [one for one in traces if one.failed and one.death.program is None]
    attempts = [
        one for one in failed if one.attempt_id and not (one.container_id or one.logs.files)
    ]
    containers = [one for one in failed if one.container_id and not one.attempt_id]
    if len(attempts) != 1 or len(containers) != 1 or is_executor(containers[0].container_id):
        return traces
    attempt, container = attempts[0], containers[0]
    died = (attempt.death.kind, attempt.death.message)
    if not died[1] or died != (container.death.kind, container.death.message):
        return traces
    if container.task_type not in {None, attempt.task_type}:
        return traces
    methods = {one.method for one in container.death.stack} & {"map", "reduce"}
    if methods and attempt.task_type not in methods:
        return traces
    named = _as_attempt(container, attempt, _THE_ONLY_PAIR.format("error"))
    one = replace(named, host=container.host or attempt.host)
    return [one if each is container else each for each in traces if each is not attempt]


def are_of(unnamed: Sequence[Trace], named: Sequence[Trace]) -> bool:
    """Whether logs that name nobody are of attempts of which no log is there, by how they died."""
    dead = {(one.death.kind, one.task_type) for one in named if not one.death.stack}
    return all(one.failed and (one.death.kind, one.task_type) in dead for one in unnamed)
