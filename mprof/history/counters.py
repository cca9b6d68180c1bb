"""Counters of a job, task or attempt, with the same group names for all Hadoop lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

__all__ = [
    "FILE_SYSTEM",
    "JOB",
    "NO_COUNTERS",
    "TASK",
    "Counters",
    "sum_counters",
]

TASK: Final = "org.apache.hadoop.mapreduce.TaskCounter"
JOB: Final = "org.apache.hadoop.mapreduce.JobCounter"
FILE_SYSTEM: Final = "org.apache.hadoop.mapreduce.FileSystemCounter"

# names of MapReduce 1, and the display names that the REST interface and the shell print
_GROUPS: Final[Mapping[str, str]] = {
    "org.apache.hadoop.mapred.Task$Counter": TASK,
    "Map-Reduce Framework": TASK,
    "org.apache.hadoop.mapred.JobInProgress$Counter": JOB,
    "Job Counters ": JOB,
    "Job Counters": JOB,
    "FileSystemCounters": FILE_SYSTEM,
    "File System Counters": FILE_SYSTEM,
}
# values of one moment, whose sum over tasks has no meaning: left out of sums
_GAUGES: Final = frozenset(
    {
        "PHYSICAL_MEMORY_BYTES",
        "VIRTUAL_MEMORY_BYTES",
        "COMMITTED_HEAP_BYTES",
    }
)
_PEAKS: Final = frozenset(
    {
        "MAP_PHYSICAL_MEMORY_BYTES_MAX",
        "MAP_VIRTUAL_MEMORY_BYTES_MAX",
        "REDUCE_PHYSICAL_MEMORY_BYTES_MAX",
        "REDUCE_VIRTUAL_MEMORY_BYTES_MAX",
    }
)


@dataclass(frozen=True, slots=True)
class Counters:
    """Counter values by group and name.

    Attributes:
        groups: group -> counter -> value; framework groups have their Hadoop 2 and 3 names.
    """

    groups: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: MappingProxyType({}))

    @staticmethod
    def of(groups: Iterable[tuple[str, Iterable[tuple[str, int]]]]) -> Counters:
        """Counters from (group, ((name, value), ...)), with the group names of any Hadoop line."""
        merged: dict[str, dict[str, int]] = {}
        for group, values in groups:
            merged.setdefault(_GROUPS.get(group, group), {}).update(values)
        return Counters({group: MappingProxyType(values) for group, values in merged.items()})

    def get(self, name: str, *, group: str = TASK) -> int | None:
        """The value; None, not 0, if the counter is absent."""
        return self.groups.get(_GROUPS.get(group, group), {}).get(name)

    def __bool__(self) -> bool:
        return any(self.groups.values())


NO_COUNTERS: Final = Counters()


def sum_counters(many: Iterable[Counters]) -> Counters:
    """Sums over tasks, as the application master forms them: maxima of peaks, and no gauges."""
    total: dict[str, dict[str, int]] = {}
    for counters in many:
        for group, values in counters.groups.items():
            into = total.setdefault(group, {})
            for name, value in values.items():
                if name in _PEAKS:
                    into[name] = max(into.get(name, value), value)
                elif name not in _GAUGES:
                    into[name] = into.get(name, 0) + value
    return Counters({group: MappingProxyType(values) for group, values in total.items()})
