"""A probe plan as values, and what it is expected to cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mprof.units import MIB

__all__ = ["DUMP_SECONDS_PER_BYTE", "PlanCost", "ProbePlan", "TaskCost", "TaskPlan"]

# 630 MB of live objects, most of them small, took 3.9 to 5.7 s.
DUMP_SECONDS_PER_BYTE: Final = 5.7 / (630 * MIB)

_FILE_BYTES_PER_LIVE_BYTE: Final = 1.35  # of a dump of many small objects
_DEFAULT_HEAP: Final = 1024 * MIB


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What the agent does in one task; ordinals are 1-based and increasing.

    Attributes:
        task: ``m_000003`` or ``r_000001``.
        in_group: (group ordinal, ordinals of records in it).
        in_combine: (spill, partition, group, ordinals) of one combine call in the map task.
        in_combine_digest: (digest of the group's key, ordinals).
        setup_bytes: a probe after each so many bytes read, until the first record is read.
        doubling: ``map``, ``group`` or ``in_group`` if the last ordinal is not known.
        by_histogram: points at which a class histogram is made instead of a dump, each as (name of
            its list, ordinal).
        points: maximum number of probe dumps.
        histograms: maximum number of probe histograms; None for the agent's own.
        verify_live: bytes that were live before the record in the job; the heap is filled up to
            that, so that the record has the room that it had. None where it is not known.
        verify_live_is: ``least`` or ``most`` where that is a bound of what was live; None where it
            is known exactly.
        verify_warm_up: records that user code is given before it, at most; None for the agent's own
            number.
        leave_out_record: ordinal of a record that alone is kept from map(), in a verify attempt
            without a place.
        leave_out_group: digest of the key of a group that alone is kept from reduce() and
            combine(), in such an attempt.
        verify_hold: seconds that a verify attempt waits before it fails, and the job with it.
    """

    task: str
    mode: str
    before_record: tuple[int, ...] = ()
    before_group: tuple[int, ...] = ()
    in_group: tuple[int, tuple[int, ...]] | None = None
    in_group_digest: tuple[str, tuple[int, ...]] | None = None
    in_combine: tuple[int, int, int, tuple[int, ...]] | None = None
    in_combine_digest: tuple[str, tuple[int, ...]] | None = None
    setup_bytes: int | None = None
    doubling: str | None = None
    by_histogram: frozenset[tuple[str, int]] = frozenset()
    points: int | None = None
    histograms: int | None = None
    probe: str | None = None
    leave_out_record: int | None = None
    leave_out_group: str | None = None
    verify_record: int | None = None
    verify_digest: str | None = None
    verify_group: str | None = None
    verify_place: str | None = None
    verify_live: int | None = None
    verify_live_is: str | None = None
    verify_warm_up: int | None = None
    verify_hold: int | None = None

    @property
    def counts_only(self) -> bool:
        """Whether it is a verify attempt without a record, which counts groups only."""
        record = self.verify_record is not None or self.verify_digest is not None
        return self.mode == "verify" and not record

    @property
    def lists(self) -> dict[str, tuple[int, ...]]:
        """Ordinals of the points by the name of their list, in the order in which they are met."""
        named = {
            "before_record": self.before_record,
            "before_group": self.before_group,
            "in_group": self.in_group[1] if self.in_group else (),
            "in_group_digest": self.in_group_digest[1] if self.in_group_digest else (),
            "in_combine": self.in_combine[3] if self.in_combine else (),
            "in_combine_digest": self.in_combine_digest[1] if self.in_combine_digest else (),
        }
        return {name: ordinals for name, ordinals in named.items() if ordinals}

    @property
    def probes(self) -> int:
        """Maximum number of probes, without the dump at death."""
        if self.mode == "verify":
            return 0 if self.counts_only else 2
        if self.setup_bytes is not None or self.doubling is not None:
            return self.points or 0
        return sum(len(each) for each in self.lists.values())

    @property
    def dumps(self) -> int:
        """Maximum number of probe dumps, without the dump at death."""
        return 0 if self.probe == "histogram" else self.probes - len(self.by_histogram)


@dataclass(frozen=True, slots=True)
class PlanCost:
    """Upper estimate of the cost of a plan.

    Attributes:
        dumps: heap dumps of all tasks, including those at death.
        histograms: class histograms of all tasks.
        seconds: the longest total pause of any task for its probes and its dump at death; tasks may
            run concurrently.
        bytes: disk space of all dumps until they are analysed.
    """

    dumps: int
    seconds: float
    bytes: int
    histograms: int = 0


@dataclass(frozen=True, slots=True)
class TaskCost:
    """What the probes of one task are expected to cost.

    Attributes:
        seconds: its pauses for all probes, without the dump at death.
        death_seconds: its pause for the dump at death.
        dump_bytes: live bytes of all its dumps, the one at death among them.
        task_seconds: how long the task took until it failed; None where nothing says.
        why: why no class histograms are made where they would be cheaper; "" where they are.
    """

    task: str
    seconds: float
    death_seconds: float
    dump_bytes: float
    task_seconds: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """Modes and probe points of a run.

    Attributes:
        tasks: the tasks that differ from ``default``.
        default: mode of every other task.
        job: name -> value of the properties that the job must have; in every other job of the
            driver all tasks are in the mode ``default``. Empty for all jobs.
        summary: one sentence for users: what is run, in which tasks, at which cost.
        heap_bytes: maximum heap of the tasks, for the cost.
        expected: cost of each task whose points were chosen by it.
    """

    tasks: tuple[TaskPlan, ...]
    default: str = "watch"
    job: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    heap_bytes: int | None = None
    expected: tuple[TaskCost, ...] = ()

    @property
    def cost(self) -> PlanCost:
        """Expected cost; of a task that has none, with a heap half full on average."""
        heap = self.heap_bytes or _DEFAULT_HEAP
        dumping = [each for each in self.tasks if not each.counts_only]
        costs = [self._cost_of(each, heap) for each in dumping]
        return PlanCost(
            dumps=sum(each.dumps + 1 for each in dumping),
            seconds=max((each.seconds + each.death_seconds for each in costs), default=0.0),
            bytes=round(sum(each.dump_bytes for each in costs) * _FILE_BYTES_PER_LIVE_BYTE),
            histograms=sum(each.probes - each.dumps for each in dumping),
        )

    def _cost_of(self, task: TaskPlan, heap: int) -> TaskCost:
        found = next((each for each in self.expected if each.task == task.task), None)
        if found is not None:
            return found
        return TaskCost(
            task=task.task,
            seconds=task.dumps / 2 * heap * DUMP_SECONDS_PER_BYTE,
            death_seconds=heap * DUMP_SECONDS_PER_BYTE,
            dump_bytes=(task.dumps / 2 + 1) * heap,
            task_seconds=None,
        )
