"""What reports tell of containers, attempts and jobs, by their ids."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

__all__ = ["ATTEMPT", "MOST_TEXT", "RUNNING", "Reports", "is_executor", "is_first", "job_of"]

ATTEMPT: Final = r"attempt_\d{1,19}_\d{1,10}_[a-z]_\d{1,10}_\d{1,10}"

MOST_TEXT: Final = 1 << 14  # of what is said about one attempt

RUNNING: Final = ("RUNNING", "ENDED")


@dataclass(slots=True)
class Reports:
    """What was said, by id.

    Attributes:
        texts: diagnostics of attempts and containers.
        states: ``SUCCEEDED``, ``FAILED`` or ``KILLED`` of them; ``STOPPED`` of a container that its
            NodeManager ended.
        exits: exit codes of containers.
        attempts: the attempt that ran in a container.
        hosts: of containers.
        places: the machine of executors of Spark, and that of its tasks with their TID, of one
            text.
        jobs: the state of jobs; ``RUNNING`` where nothing says how they ended.
        job_texts: diagnostics of jobs.
        no_task_failed: jobs of which the client printed that they ended, with counters in which no
            task failed for good.
        beside: of a job with diagnostics, the other lines that name its application.
        tasks: of a job a task that failed, as Hive and Pig name it.
        maps: how many map tasks jobs have.
        map_only: jobs that have no reduce task.
        frameworks: of jobs, where only its console tells of them so: ``Hive`` or ``Pig``.
        masters: containers of application masters.
        over: what the OOM handler of a NodeManager says that a container had taken, until it says
            that it was killed; of one text.
        executors: the containers of executors of Spark, by the name of the executor, which is its
            id where nothing names its container: ``executor 3``; "" where several may be meant.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    exits: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)
    job_texts: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    maps: dict[str, int] = field(default_factory=dict)
    map_only: set[str] = field(default_factory=set)
    frameworks: dict[str, str] = field(default_factory=dict)
    masters: set[str] = field(default_factory=set)
    over: dict[str, str] = field(default_factory=dict)
    executors: dict[str, str] = field(default_factory=dict)
    no_task_failed: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.texts or self.states or self.exits or self.jobs or self.job_texts)

    def add(self, other: Reports) -> None:
        """Take in what another text says; what says that something ended counts for more."""
        for id_, texts in other.texts.items():
            for text in texts:
                self.say(id_, text)
        for id_, state in other.states.items():
            if self.states.get(id_) in (None, "STOPPED"):
                self.states[id_] = state
        self.exits.update(other.exits)
        self.attempts.update(other.attempts)
        self.tasks.update(other.tasks)
        self.frameworks.update(other.frameworks)
        self.maps |= other.maps
        self.map_only |= other.map_only
        self.masters |= other.masters
        self.executors.update(other.executors)
        self.hosts.update(other.hosts)
        for id_, state in other.jobs.items():
            if self.jobs.get(id_, "RUNNING") in RUNNING:
                self.jobs[id_] = state
        for id_, text in other.job_texts.items():
            self.job_texts.setdefault(id_, text)
        self.no_task_failed |= other.no_task_failed
        for id_, text in other.beside.items():
            self.beside.setdefault(id_, text)

    def say(self, id_: str, text: str) -> None:
        """Add a text about an attempt or a container, unless it says nothing new."""
        said = self.texts.setdefault(id_, [])
        text = text.strip()[:MOST_TEXT]
        if text and not any(text in one for one in said) and sum(map(len, said)) < MOST_TEXT:
            said.append(text)

    def ran_in(self, container: str, attempt: str) -> None:
        """Keep which attempt ran in a container, where both are of the same job."""
        if job_of(container) == job_of(attempt):
            self.attempts[container] = attempt

    def name_executors(self) -> None:
        """Say of its container what was said of an executor, where that is known."""
        for executor, container in self.executors.items():
            if not container:
                continue
            for text in self.texts.pop(executor, ()):
                self.say(container, text)
            state = self.states.pop(executor, None)
            if state is not None:
                self.states.setdefault(container, state)
            if executor in self.hosts:
                self.hosts.setdefault(container, self.hosts.pop(executor))

    @property
    def is_of_a_task_of_spark(self) -> bool:
        """Whether nothing else is told than that jobs were given up for what a task threw."""
        others = self.exits or self.jobs or self.job_texts
        named = (*self.texts, *self.states)
        return bool(named) and not others and all(one.startswith("task ") for one in named)

    def said_of(self, *ids: str | None) -> str:
        """All that is said about an attempt and its container."""
        texts = [text for id_ in ids if id_ is not None for text in self.texts.get(id_, ())]
        return "\n".join(dict.fromkeys(texts))


def job_of(id_: str) -> str | None:
    """The job of an attempt, container or application.

    >>> job_of("container_e17_1410450250506_0003_01_000002")
    'job_1410450250506_0003'
    """
    found = re.search(r"_(?:e\d+_)?((?:local)?\d{1,19})_(\d{1,10})(?:_|$)", id_)
    return f"job_{found[1]}_{found[2]}" if found else None


def is_first(container: str) -> bool:
    """Whether it is the first container of an attempt of its application.

    >>> is_first("container_e17_1410450250506_0003_01_000001")
    True
    """
    return re.search(r"_0*1$", container) is not None and container.startswith("container_")


def is_executor(id_: str | None) -> bool:
    """Whether it names an executor of Spark by its number, and no container.

    >>> is_executor("executor 3")
    True
    """
    return id_ is not None and id_.startswith("executor ")
