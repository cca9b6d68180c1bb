"""What a look at files and folders came to: a diagnosis for each death, and what was not used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.diagnosed import Diagnosed

__all__ = ["Dead", "Findings", "Found", "Told", "Unused", "alike_in", "was_preempted"]

_OWN: Final = re.compile(
    r"(?:attempt|container|task|job|application|appattempt)_\w+|"
    r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|"
    # host:port and host/ip:port, and not Writer.java:1077
    r"(?<![\w.-])(?![\w.-]*\.(?:java|scala|py):)[\w.-]+(?:/[\d.]+)?:\d{4,5}\b|"
    r"\b0x[0-9a-fA-F]+\b|\b(?=[a-fA-F]*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{4,}\b|"
    r"\d+(?:\.\d+)?(?: ?[KMGT]i?B\b)?"
)


def alike_in(line: str) -> str:
    """What the lines of equal failures have in common: ids, counts, sizes and addresses differ.

    >>> alike_in("attempt_1_2_m_3_0: no answer of node7:8020 after 45 tries")
    '#: no answer of # after # tries'
    """
    return _OWN.sub("#", line)


def was_preempted(line: str) -> bool:
    """Whether the line from which an end is told says that its container was taken back.

    By the scheduler, or by the application master for its map tasks: neither is a failure.
    """
    return "preempted by scheduler" in line or "Reducer preempted to make room" in line


@dataclass(frozen=True, slots=True)
class Found:
    """Contents of one kind.

    Attributes:
        kind: in words: ``logs of containers``.
        count: of them.
        first: the name of the first one.
        files: in which they stand.
    """

    kind: str
    count: int
    first: str
    files: int = 1


@dataclass(frozen=True, slots=True)
class Unused:
    """Something that could not be used."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Dead:
    """A container or an attempt that died.

    Attributes:
        container_id: None where nothing names it; of an executor of Spark that has no container
            its name, ``executor 3``.
        attempt_id: the same.
        job_id: the same.
        host: the same.
        kind: of its death.
        line: from which that is told.
    """

    container_id: str | None
    attempt_id: str | None
    job_id: str | None
    host: str | None
    kind: str
    line: str

    @property
    def name(self) -> str:
        """Its ids in words."""
        ids = " ".join(
            filter(None, (self.container_id, self.attempt_id and f"({self.attempt_id})"))
        )
        if self.container_id is None:
            of_job = f"a process of {self.job_id}" if self.job_id else None
            ids = self.attempt_id or of_job or "a process that nothing names"
        return f"{ids} on {self.host}" if self.host else ids


@dataclass(frozen=True, slots=True)
class Told:
    """A diagnosis, and all that died in the same way; nothing died where there is none.

    Attributes:
        diagnosed: of the first of them.
        dead: every one of them.
    """

    diagnosed: Diagnosed
    dead: tuple[Dead, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found.

    Attributes:
        told: the most telling first; empty where nothing that was read speaks of an end.
        found: what was read.
        unused: what could not be used.
        notes: what else the reader should know, one sentence each.
        answers: where nothing is told to have died, what is known of the words that were read, and
            where the error itself stands.
    """

    told: tuple[Told, ...]
    found: tuple[Found, ...] = ()
    unused: tuple[Unused, ...] = ()
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def deaths(self) -> int:
        """How many died."""
        return sum(len(each.dead) for each in self.told)
