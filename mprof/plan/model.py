"""A probe plan as values, and what it is expected to cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mprof.units import MIB

__all__ = ["PlanCost", "ProbePlan", "TaskPlan"]

# A dump of 630 MB of live objects took 3.9 to 5.7 s; its file had 1.35 bytes per live byte (many
# small objects).
_DUMP_SECONDS_PER_BYTE: Final = 5.7 / (630 * MIB)
_FILE_BYTES_PER_LIVE_BYTE: Final = 1.35
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
        points: maximum number of probe dumps.
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
    points: int | None = None
    probe: str | None = None
    verify_record: int | None = None
    verify_digest: str | None = None
    verify_group: str | None = None
    verify_place: str | None = None
    verify_hold: int | None = None

    @property
    def counts_only(self) -> bool:
        """Whether it is a verify attempt without a record, which counts groups only."""
        record = self.verify_record is not None or self.verify_digest is not None
        return self.mode == "verify" and not record

    @property
    def dumps(self) -> int:
        """Maximum number of probe dumps, without the dump at death."""
        if self.mode == "verify":
            return 0 if self.counts_only else 2
        if self.setup_bytes is not None or self.doubling is not None:
            return self.points or 0
        lists = (
            self.before_record,
            self.before_group,
            self.in_group[1] if self.in_group else (),
            self.in_group_digest[1] if self.in_group_digest else (),
            self.in_combine[3] if self.in_combine else (),
            self.in_combine_digest[1] if self.in_combine_digest else (),
        )
        return sum(len(each) for each in lists)


@dataclass(frozen=True, slots=True)
class PlanCost:
    """Upper estimate of the cost of a plan.

    Attributes:
        dumps: heap dumps of all tasks, including those at death.
        seconds: the longest total pause of any task for its dumps; tasks may run concurrently.
        bytes: disk space of all dumps until they are analysed.
    """

    dumps: int
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """Modes and probe points of a run.

    Attributes:
        tasks: the tasks that differ from ``default``.
        default: mode of every other task.
        summary: one sentence for users: what is run, in which tasks, at which cost.
        heap_bytes: maximum heap of the tasks, for the cost.
    """

    tasks: tuple[TaskPlan, ...]
    default: str = "watch"
    summary: str = ""
    heap_bytes: int | None = None

    @property
    def cost(self) -> PlanCost:
        """Expected cost, assuming a heap that is half full on average and full at death."""
        heap = self.heap_bytes or _DEFAULT_HEAP
        dumping = [each for each in self.tasks if not each.counts_only]
        live = [heap * (each.dumps / 2 + 1) for each in dumping]
        return PlanCost(
            dumps=sum(each.dumps + 1 for each in dumping),
            seconds=max((each * _DUMP_SECONDS_PER_BYTE for each in live), default=0.0),
            bytes=round(sum(live) * _FILE_BYTES_PER_LIVE_BYTE),
        )
